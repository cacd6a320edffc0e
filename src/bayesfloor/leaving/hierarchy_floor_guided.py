"""``FloorGuidedClassifier``: add capacity only where the floor leaves room to improve."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: TID253 - itself imported when first used
from sklearn.utils.validation import check_is_fitted  # noqa: TID253 - itself imported when first used

from bayesfloor.floor._sample import number_groups
from bayesfloor.floor._scaling import as_parameter, check_scale
from bayesfloor.forest._spanning_forest import check_n_trees
from bayesfloor.hierarchy._cuts import check_cut, given_tree
from bayesfloor.hierarchy._floor_matrix import announce_drawing, measure_classes
from bayesfloor.hierarchy._routing import RowsOnTree, class_probabilities, route_likeliest
from bayesfloor.hierarchy._smart_svm import read_weights
from bayesfloor.io._features import Features, read_columns, read_new
from bayesfloor.io._labels import read_labels
from bayesfloor.io._open_data import open_data
from bayesfloor.leaving.hierarchy_nodes import Growth
from bayesfloor.leaving.hierarchy_problem import Problem
from bayesfloor.support._errors import InputError, blame
from bayesfloor.support._parameters import check_seed
from bayesfloor.support._tasks import one_blas_thread, one_openmp_thread
from bayesfloor.support._types import Floats, Ints


class FloorGuidedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier that adds capacity only where the floor leaves room to improve.

    Models compete in a race: linear discriminant, logistic regression, random forest, neural network, RBF SVM (above
    30,000 rows a Nystroem map) and gradient boosting are trained on few rows first, the better ones on more. A model
    that would take longer than everything before it is skipped if the floor leaves no room for a gain. Of the models
    within one standard error of the best, in error and log loss, the one that predicts fastest is chosen.

    If the winner is slow, the pairwise floors offer a class tree. From the root down, classes are split by a linear
    model if it sends no more rows to the wrong side than the winner does, and if models of the winner's kind on each
    side answer sooner. Each side gets such a model, or a linear one if that is as good.

    A floor can be too high. A floor that a model has beaten no longer stops the race, and is recorded as such.

    Parameters
    ----------
    cut : {"average", "complete", "min_cut", "normalized_cut"}, ClassTree or nested pairs, default="average"
        How the class tree is made, as in ``SmartSVM``.
    n_trees : int, default=3
        Number of orthogonal spanning trees behind each floor.
    scale : {"auto", "standard", "robust", "unit"} or None, default="auto"
        How features are scaled, for both floors and models; ``scale_`` says which scale was used.
    time_budget : float, default=None
        Seconds for the fit. A model is not tried if, at the speed so far, it would not be finished by then; the
        floors and the first model are always computed.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes in the models, as in scikit-learn; floors and errors ignore them.
    n_jobs : int, default=None
        Number of threads for the trees, as joblib understands it. Models are trained on one thread.
    random_state : int, RandomState instance or None, default=0
        Seed for folds, subsamples and models; None picks a random one.
    verbose : int, default=0
        If above 0, log the result of each node.

    Attributes
    ----------
    classes_ : array
        Class labels.
    tree_ : ClassTree
        The class tree, with the floor, cross-validated error, model and reason of each node.
    models_ : list
        The model of each node, None for single classes.
    scale_ : str or None
        The scale used.
    floor_seconds_ : float
        CPU time spent on the floors.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import FloorGuidedClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FloorGuidedClassifier().fit(X[::2], y[::2])
    >>> print(model.tree_.to_text())  # doctest: +ELLIPSIS
    3 classes: floor 0.007, error 0.000, logistic regression (C=30), at the floor
    │  tried logistic regression (C=30) 0.000 (0.01 s)
    ├─ 0
    └─ 2 classes (1, 2): floor 0.038, error 0.029, logistic regression (C=30), at the floor
          tried linear discriminant 0.062 (0.003 s), logistic regression (C=1) 0.062 (0.03 s), ...
    >>> print(f"{model.score(X[1::2], y[1::2]):.2f}")
    0.95
    """

    def __init__(
        self,
        *,
        cut: Any = "average",
        n_trees: int = 3,
        scale: str | None = "auto",
        time_budget: float | None = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.cut = cut
        self.n_trees = n_trees
        self.scale = scale
        self.time_budget = time_budget
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> FloorGuidedClassifier:
        """Measure the floor, then train where it leaves room to improve.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Numbers; tables are prepared as in ``check``: text, categories, dates, codes and gaps. A category that
            was not seen in ``fit`` counts as unknown.
        y : array-like of shape (n_rows,), or str
            Labels, or the name of their column.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights for the models and the choice between them. Floors, and the errors compared with them, ignore
            weights, but leave out rows with weight 0.
        groups : array-like of shape (n_rows,), default=None
            Rows that belong together, such as those of a patient: they are in the same fold, and no tree joins them.

        Returns
        -------
        self
        """
        self._check_parameters()
        start, seed = time.monotonic(), self._draw_seed()
        data = open_data(X, y, groups=groups, weight=sample_weight)
        features, _, self._preparer = read_columns(self, data)
        self.classes_, codes = read_labels(data.y, len(features.values))
        announce_drawing(len(codes))
        kept, weight = read_weights(data.weight, codes, self.classes_)
        weight = _with_class_weight(self.class_weight, self.classes_, codes[kept], weight)
        together = None if data.groups is None else number_groups(data.groups, len(codes))[kept]
        deadline = np.inf if self.time_budget is None else start + self.time_budget
        with one_blas_thread(), one_openmp_thread():
            self._fit(features.take(kept), codes[kept], weight, together, seed, deadline)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        (n_rows,) array of labels
        """
        rows = self._new_rows(X)
        return self.classes_[route_likeliest(self.tree_, self.models_, rows)]

    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of each class: the product along the path to it.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        (n_rows, K) array whose rows sum to 1
        """
        rows = self._new_rows(X)
        return class_probabilities(self.tree_, self.models_, rows)

    def _check_parameters(self) -> None:
        check_cut(self.cut)
        check_n_trees(self.n_trees)
        check_scale(self.scale)
        if self.time_budget is not None and (
            not isinstance(self.time_budget, Real) or self.time_budget is True or not self.time_budget > 0
        ):
            raise InputError(
                f"Got time_budget={self.time_budget!r}, but expected None or a positive number of seconds."
            )

    def _draw_seed(self) -> int:
        from sklearn.utils import check_random_state

        if isinstance(self.random_state, Integral):
            check_seed(self.random_state)
            return int(self.random_state)
        with blame("random_state"):
            return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _fit(
        self,
        features: Features,
        codes: Ints,
        weight: Floats | None,
        groups: Ints | None,
        seed: int,
        deadline: float,
    ) -> None:
        cut = self.cut if isinstance(self.cut, str) else given_tree(self.cut, self.classes_)
        start = time.process_time()
        measured = measure_classes(features, codes, self.n_trees, self.scale, seed, self.n_jobs, groups)
        self.floor_seconds_ = time.process_time() - start
        self._scaler, self.scale_ = measured.scaler, as_parameter(measured.scaler.name)
        points = self._scaler.apply(features.values)
        self._middle = points.mean(axis=0)
        self._spread = _spread_of(points - self._middle, points, features.code)
        X = (points - self._middle) / self._spread
        problem = Problem(X, codes, weight, groups, features.code).in_order()
        growth = Growth(self.classes_, cut, measured, problem, seed, deadline, bool(self.verbose))
        self.tree_, self.models_ = growth.grow()
        self.floor_seconds_ += growth.floor_seconds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def _new_rows(self, X: Any) -> RowsOnTree:
        check_is_fitted(self)
        values = read_new(self, X, self._preparer)
        return RowsOnTree((self._scaler.apply(values) - self._middle) / self._spread)


def _spread_of(centred: Floats, points: Floats, code: np.ndarray | None) -> float:
    """Return one standard deviation for all features but codes; 1 if it is only rounding error."""
    own = slice(None) if code is None else ~code
    spread = float(centred[:, own].std()) if centred[:, own].size else 0.0
    return spread if spread > 1e-12 * float(np.abs(points).max()) else 1.0


def _with_class_weight(class_weight: Any, classes: np.ndarray, codes: Ints, weight: Floats | None) -> Floats | None:
    """Return the rows' weights times those of their classes, scaled to mean 1."""
    if class_weight is None:
        return weight
    from sklearn.utils.class_weight import compute_class_weight

    with blame("class_weight"):
        of_class = compute_class_weight(class_weight, classes=classes, y=classes[codes], sample_weight=weight)
    found = of_class[codes] * (1.0 if weight is None else weight)
    return found / found.mean()
