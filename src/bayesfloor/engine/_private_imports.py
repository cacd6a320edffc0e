"""The private functions of scikit-learn and joblib that we use, each with the reason.

Private functions may change at any time. All uses are in this file, so only this file has to change with them.
"""

from __future__ import annotations

from typing import Any


def take_rows(X: Any, rows: Any) -> Any:
    """Take rows of an array, sparse matrix, data frame or list; no public function handles all of these."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def take_fit_params(X: Any, params: dict[str, Any], rows: Any) -> dict[str, Any]:
    """Restrict ``fit`` parameters to some rows, as scikit-learn's own searches do; no public function does this."""
    from sklearn.utils.validation import _check_method_params

    cut: dict[str, Any] = _check_method_params(X, params, rows)
    return cut


def check_sample_weight(sample_weight: Any, X: Any) -> Any:
    """Check weights as scikit-learn's estimators do: a single number applies to all rows, and errors look familiar."""
    from sklearn.utils.validation import _check_sample_weight

    return _check_sample_weight(sample_weight, X)


def active_backend() -> Any:
    """Return joblib's backend for tasks that prefer threads; no public function says whether it shares memory."""
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend(prefer="threads")
    return backend


def worker_death() -> type[Exception]:
    """Return loky's exception for a dead worker; its public base class also covers tasks that cannot be unpickled."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    return TerminatedWorkerError


def release_blas() -> None:
    """Let any thread set the number of BLAS threads; some versions obey only the thread that set it first."""
    import threadpoolctl

    release = getattr(getattr(threadpoolctl, "OpenBLASController", None), "clear_controlling_thread", None)
    if release is not None:
        release(force=True)
