"""Learners that see all columns of very wide data; the others see only components."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator, TransformerMixin  # noqa: TID253 - this module is itself imported when a race is first run

from bayesfloor.io._features import is_sparse
from bayesfloor.io._wide_input import canonical, divide_columns, typical_size


def exact_learners(own: dict[str, Any], exact: Any) -> dict[str, Any]:
    """Return learners for exact values, if there are any: a linear model, and user-defined ones that accept them."""
    if exact is None:
        return {}
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils import get_tags

    scaler = TypicalSize() if is_sparse(exact) else StandardScaler()
    able = {
        name: learner for name, learner in own.items() if not is_sparse(exact) or get_tags(learner).input_tags.sparse
    }
    return {"linear": make_pipeline(scaler, LogisticRegression(max_iter=30)), **able}


class TypicalSize(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Divides each column of a sparse matrix by the mean size of its nonzero values."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Compute the sizes."""
        self.size_ = typical_size(canonical(X))
        return self

    def transform(self, X: Any) -> Any:
        """Divide each column by its size."""
        return divide_columns(X, self.size_)
