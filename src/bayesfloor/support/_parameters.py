"""Check common parameters in the same way everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

from bayesfloor.support._errors import InputError, InputTypeError

_MOST = 2**32 - 1  # the largest seed that scikit-learn accepts
_MOST_JOBS = 1000  # joblib starts a thread for each job, even if there are fewer tasks


def check_seed(random_state: Any) -> None:
    """Raise if ``random_state`` is not a seed: the same call must give the same answer."""
    whole = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if not whole or not 0 <= int(random_state) <= _MOST:
        raise InputError(f"Got random_state={random_state!r}, but expected a whole number from 0 to {_MOST:,}.")


def check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Raise unless the value is one of the choices."""
    words = list(choices)
    if not isinstance(value, str) or value not in words:
        raise InputError(f"Got {name}={value!r}, but expected one of {', '.join(map(repr, words))}.")


def check_n_jobs(n_jobs: Any) -> None:
    """Raise unless joblib understands this number of jobs."""
    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not whole or n_jobs == 0 or n_jobs > _MOST_JOBS):
        raise InputError(
            f"Got n_jobs={n_jobs!r}, but expected None, a whole number from 1 to {_MOST_JOBS:,}, or -1 for all cores."
        )


def check_roles(roles: Any) -> None:
    """Raise unless the value can be roles of columns."""
    if roles is not None and not isinstance(roles, Mapping):
        raise InputTypeError(f"Got roles of type {type(roles).__name__}, but expected a dict of column -> role.")


def check_flag(name: str, value: Any) -> None:
    """Raise unless the value is True or False."""
    if type(value).__name__ not in ("bool", "bool_"):  # Python's or NumPy's
        raise InputError(f"Got {name}={value!r}, but expected True or False.")


def take_rows(X: Any, rows: Any, axis: int = 0) -> Any:
    """Take rows of an array, sparse matrix, data frame or list, or columns; no public function handles all of these."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows, axis=axis)


def take_fit_params(X: Any, params: dict[str, Any], rows: Any) -> dict[str, Any]:
    """Restrict ``fit`` parameters to some rows, as scikit-learn's own searches do; no public function does this."""
    from sklearn.utils.validation import _check_method_params

    cut: dict[str, Any] = _check_method_params(X, params, rows)
    return cut


def check_sample_weight(sample_weight: Any, X: Any) -> Any:
    """Check weights as scikit-learn's estimators do: a single number applies to all rows, and errors look familiar."""
    from sklearn.utils.validation import _check_sample_weight

    return _check_sample_weight(sample_weight, X)


def release_blas() -> None:
    """Let any thread set the number of BLAS threads; some versions obey only the thread that set it first."""
    import threadpoolctl

    release = getattr(getattr(threadpoolctl, "OpenBLASController", None), "clear_controlling_thread", None)
    if release is not None:
        release(force=True)
