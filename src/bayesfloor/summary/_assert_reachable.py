"""An assertion for pytest: fail if a dataset cannot reach a target accuracy."""

from __future__ import annotations

from typing import Any

from bayesfloor.answer._verdict import OUT_OF_REACH, TOO_CLOSE, check_target
from bayesfloor.summary._check import Check, check


def assert_reachable(X: Any, y: Any, target: float, *, strict: bool = False, **options: Any) -> Check:
    """Raise an error if a target accuracy is out of reach.

    Parameters
    ----------
    X, y, target, **options
        As in ``check``.
    strict : bool, default=False
        Also fail if the target is too close to call.

    Returns
    -------
    Check
        The check, for further assertions.

    Raises
    ------
    AssertionError
        If the target is out of reach. The message is the verdict.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import assert_reachable
    >>> X, y = load_iris(return_X_y=True)
    >>> found = assert_reachable(X, y, 0.9)
    """
    check_target(target)
    found = check(X, y, target, **options)
    if found.outcome == OUT_OF_REACH or (strict and found.outcome == TOO_CLOSE):
        raise AssertionError(f"{found.verdict}\n\n{found!r}")
    return found
