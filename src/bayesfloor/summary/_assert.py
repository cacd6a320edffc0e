"""For pytest: a dataset that cannot reach a target fails the test."""

from __future__ import annotations

from typing import Any

from bayesfloor.summary._check import Check, check


def assert_reachable(X: Any, y: Any, target: float, *, strict: bool = False, **options: Any) -> Check:
    """Fail where a target accuracy is out of reach.

    Parameters
    ----------
    X, y, target, **options
        As in ``check``.
    strict : bool, default=False
        Fail too where it is undecided.

    Returns
    -------
    Check
        To assert more of.

    Raises
    ------
    AssertionError
        With the verdict.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import assert_reachable
    >>> X, y = load_iris(return_X_y=True)
    >>> found = assert_reachable(X, y, 0.9)
    """
    found = check(X, y, target, **options)
    word = found.reachable(target)
    if word == "infeasible" or (strict and word == "undecided"):
        raise AssertionError(f"{found.verdict}\n\n{found!r}")
    return found
