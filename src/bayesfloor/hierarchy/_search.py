"""``SmartSVMSearch``: a grid search that computes the floors once for each training set."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import Any

from sklearn.base import clone  # noqa: TID253 - this module is itself imported when first used
from sklearn.model_selection import GridSearchCV  # noqa: TID253

from bayesfloor.hierarchy._smart_svm import SmartSVM


class SmartSVMSearch(GridSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    """scikit-learn's ``GridSearchCV`` for a ``SmartSVM``, alone or inside a pipeline.

    The floors of the classes depend on the rows alone, not on the parameters of the models. Here they
    are computed once for each fold and once for the refit, however many parameters of models the grid
    has, and kept in a temporary folder meanwhile. A ``memory`` or ``floor`` of your own is left as it is.

    Takes, gives and means what ``GridSearchCV`` does.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import LinearSVC
    >>> from bayesfloor import SmartSVM, SmartSVMSearch
    >>> X, y = load_iris(return_X_y=True)
    >>> smart = SmartSVM(LinearSVC(random_state=0))
    >>> search = SmartSVMSearch(smart, {"estimator__C": [0.01, 0.1, 1]}, cv=3).fit(X, y)
    >>> search.best_params_
    {'estimator__C': 1}
    """

    def fit(self, X: Any, y: Any = None, **params: Any) -> SmartSVMSearch:
        """Search, then refit with the best parameters.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Rows.
        y : array-like of shape (n_rows,)
            Labels.
        **params : dict
            As in ``GridSearchCV``.

        Returns
        -------
        self
        """
        given = self.__dict__["estimator"]  # mypy does not know the attribute of the untyped class
        with TemporaryDirectory(prefix="bayesfloor-") as folder:
            self.estimator = _set_memory(clone(given), folder, None)
            try:
                super().fit(X, y, **params)
            finally:
                self.estimator = given
        if hasattr(self, "best_estimator_"):
            _set_memory(self.best_estimator_, None, folder)
        return self


def _set_memory(estimator: Any, folder: str | None, before: str | None) -> Any:
    """Let every SmartSVM in an estimator whose memory was ``before`` keep floors in a folder."""
    parts = [estimator, *estimator.get_params().values()]
    for part in {id(part): part for part in parts if isinstance(part, SmartSVM)}.values():
        if part.memory == before:
            part.set_params(memory=folder)
    return estimator
