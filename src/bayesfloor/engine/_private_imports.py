"""All that is used of scikit-learn and joblib without being public there, each with its reason.

None of it comes with a promise: a new version that breaks one is met in this file alone.
"""

from __future__ import annotations

from typing import Any


def take_rows(X: Any, rows: Any) -> Any:
    """Some rows of an array, sparse matrix, data frame or list; nothing public takes rows of all of them."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def take_fit_params(X: Any, params: dict[str, Any], rows: Any) -> dict[str, Any]:
    """Parameters of ``fit`` for some rows, as scikit-learn's own searches cut them; it has no public way to do so."""
    from sklearn.utils.validation import _check_method_params

    cut: dict[str, Any] = _check_method_params(X, params, rows)
    return cut


def check_sample_weight(sample_weight: Any, X: Any) -> Any:
    """Weights as scikit-learn's estimators read them: single numbers are spread, and messages are the usual ones."""
    from sklearn.utils.validation import _check_sample_weight

    return _check_sample_weight(sample_weight, X)


def active_backend() -> Any:
    """Where joblib would run tasks that prefer threads; no public function says whether they share memory there."""
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend(prefer="threads")
    return backend


def worker_death() -> type[Exception]:
    """What loky raises when a worker dies; its public base class is also raised for tasks that cannot be unpickled."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    return TerminatedWorkerError
