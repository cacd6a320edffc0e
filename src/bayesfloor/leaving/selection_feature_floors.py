"""Estimate the floor of each feature alone: a fast screen for thousands of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.floor._edge_counts import likeliest
from bayesfloor.floor._results import error_bounds
from bayesfloor.formulas._limits import benjamini_hochberg
from bayesfloor.formulas._permutation_null import class_moments, fewer_than_chance, permutation_null
from bayesfloor.io._labels import read_one_label
from bayesfloor.io._messages import quote
from bayesfloor.io._open_data import open_data
from bayesfloor.leaving.counts_single_feature import LineEdges, line_edges
from bayesfloor.support._errors import InputTypeError
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import Progress, run_tasks
from bayesfloor.support._types import Floats, Ints

_AT_ONCE = 64  # features per task


@dataclass(frozen=True, eq=False, repr=False)
class FeatureFloors(Result):
    """The floor with each feature alone, in column order.

    Attributes
    ----------
    names : names of the features; x0, x1, ... if they have none.
    cross_rate : fraction of cross-class edges.
    lower, estimate, upper : tree bounds on the Bayes error with this feature alone, and their midpoint.
    p_value : of the hypothesis "this feature is independent of the labels", from the Friedman-Rafsky test.
    benjamini_hochberg : the p-value adjusted for testing all features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor.decide import feature_floors
    >>> found = feature_floors(*load_iris(return_X_y=True))
    >>> found
    FeatureFloors(4 features, 4 related to the labels)
    >>> found.names[found.order].tolist()  # the lowest floor first
    ['x3', 'x2', 'x0', 'x1']
    """

    names: np.ndarray
    cross_rate: Floats
    lower: Floats
    estimate: Floats
    upper: Floats
    p_value: Floats
    benjamini_hochberg: Floats

    @property
    def order(self) -> Ints:
        """Column numbers sorted by floor, lowest first."""
        return np.argsort(self.cross_rate, kind="stable")

    def _summary(self) -> str:
        n_related = np.count_nonzero(self.benjamini_hochberg <= 0.05)
        return f"{len(self.names)} features, {n_related} related to the labels"

    def _columns(self) -> dict[str, Any]:
        names = ("cross_rate", "lower", "estimate", "upper", "p_value", "benjamini_hochberg")
        return {"feature": self.names, **{name: getattr(self, name) for name in names}}


def feature_floors(X: Any, y: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> FeatureFloors:
    """Estimate the floor with each feature alone; sorting finds the neighbours on a line, so this is fast.

    Features that only help together look useless here; ``FloorSelector(start="pairs")`` finds them.

    Parameters
    ----------
    X : array-like or data frame of numbers of shape (n_rows, n_features)
        Features.
    y : array-like of shape (n_rows,)
        Labels.
    n_jobs, progress
        As in ``BayesFloor``.

    Returns
    -------
    FeatureFloors

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor.decide import feature_floors
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = feature_floors(X, y)
    >>> found.names[found.order][:2].tolist()
    ['petal width (cm)', 'petal length (cm)']
    """
    data = open_data(X, y)
    values, names = _read(data)
    target = read_one_label(data.y, len(values))
    values, classes, codes = values[target.row], target.classes, likeliest(target.shares)
    blocks = [slice(start, start + _AT_ONCE) for start in range(0, values.shape[1], _AT_ONCE)]
    tasks = ((values[:, block], codes, len(classes)) for block in blocks)
    found = run_tasks(_measure, tasks, n_jobs=n_jobs, progress=progress, stage="features", total=len(blocks))
    rate, p_value = np.hstack(list(found))
    bounds = error_bounds(rate, np.bincount(codes).astype(np.float64))
    adjusted = benjamini_hochberg(p_value)
    return FeatureFloors(names, rate, bounds.lower, bounds.estimate, bounds.upper, p_value, adjusted)


def _read(data: Any) -> tuple[Floats, np.ndarray]:
    """Return the columns as numbers, and their names."""
    from bayesfloor.floor._bayes_floor import BayesFloor
    from bayesfloor.io._features import read_columns

    reader = BayesFloor()
    features, source = read_columns(reader, data)
    names = np.asarray(getattr(reader, "feature_names_in_", [f"x{i}" for i in range(source[-1] + 1)]), dtype=object)
    used, first = np.unique(source, return_index=True)  # a numeric column may come with a missing-value column
    others = [name for name, at in zip(names[used], first, strict=True) if not features.quantity[at]]
    if others or any(column.role == "list" for column in features.prepared):
        which = f"such as {quote(others[0])}" if others else "of lists"
        raise InputTypeError(
            f"Got columns {which}, whose values have no order, but expected numbers: each feature is rated along a "
            "line. Drop these columns, or select features with FloorSelector instead."
        )
    return features.values[:, first], names[used]


def _measure(values: Floats, codes: Ints, n_classes: int) -> Floats:
    """Return the cross rates of these features and their p-values."""
    sizes = np.bincount(codes)
    edges = [line_edges(values[:, j], codes, n_classes) for j in range(values.shape[1])]
    return np.array([[e.cross_rate for e in edges], [_p_value(e, sizes) for e in edges]])


def _p_value(edges: LineEdges, sizes: Ints) -> float:
    """Return the p-value of the Friedman-Rafsky test.

    On a line, each row outside the largest class has at most two cross-class edges.
    """
    n = int(sizes.sum())
    null = permutation_null(n, edges.moments, class_moments(sizes), edges.n_vertices)
    null = null._replace(most=np.minimum(null.most, 2.0 * (n - sizes.max())))
    return float(fewer_than_chance(edges.cross_rate * edges.n_edges, null))
