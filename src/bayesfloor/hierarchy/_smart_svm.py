"""``SmartSVM``: binary classifiers on a class tree, for any number of classes."""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone  # noqa: TID253 - itself imported when first used
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping  # noqa: TID253 - itself imported when first used
from sklearn.utils.metaestimators import available_if  # noqa: TID253 - itself imported when first used
from sklearn.utils.validation import check_is_fitted  # noqa: TID253 - itself imported when first used

from bayesfloor.floor._edge_counts import VertexLabels
from bayesfloor.floor._make_results import square
from bayesfloor.floor._pair_counts import pair_counts
from bayesfloor.floor._results import PairwiseFloor
from bayesfloor.floor._sample import LARGE, SampledRowsWarning, draw_rows, make_sample, prepare
from bayesfloor.floor._scaling import check_scale, fit_scale, pick_scale
from bayesfloor.forest._class_forests import class_forests
from bayesfloor.forest._spanning_forest import check_n_trees
from bayesfloor.formulas._bounds import henze_penrose
from bayesfloor.hierarchy._class_tree import NONE, ClassTree
from bayesfloor.hierarchy._cuts import check_cut, make_class_tree
from bayesfloor.io._data import Data, checked_array, checked_data, recognise
from bayesfloor.io._features import STRICT, Features, read_features
from bayesfloor.io._labels import Target, hard_shares, read_labels, read_weight, refuse_weightless
from bayesfloor.support._errors import InputError, InputTypeError, blame
from bayesfloor.support._parameters import check_choice, check_sample_weight, check_seed, take_fit_params, take_rows
from bayesfloor.support._tasks import ignoring, run_tasks
from bayesfloor.support._types import Floats, Ints

logger = logging.getLogger(__name__)


def _parts_have(method: str) -> Any:
    """Make a method available only if the binary classifiers have it."""

    def check(smart: SmartSVM) -> bool:
        parts = [model for model in getattr(smart, "models_", []) if model is not None]
        return all(hasattr(part, method) for part in parts or [smart._get_estimator()])  # noqa: SLF001 - a method of it

    return available_if(check)


class SmartSVM(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # no types there
    """Binary classifiers on a class tree that first splits the classes that are easiest to separate.

    The pairwise floors are the weights of a graph of the classes. It is cut in two where the floors across the cut are
    lowest, then each part again, until every class is alone. A binary classifier is trained for each cut.

    Parameters
    ----------
    estimator : classifier, default=None
        Any scikit-learn binary classifier, pipeline or search; None uses ``LinearSVC()``. It
        sees the sides of a split, 0 and 1, not the classes, so pass class weights as ``sample_weight``.
    cut : {"min_cut", "average"}, ClassTree or nested pairs, default="min_cut"
        How the class tree is made; the paper uses "min_cut", which nearly always splits off one class at a
        time. "average" joins groups of classes by their average floor.
        Pass your own tree as ``[["cat", "dog"], "car"]``.
    n_trees : int, default=3
        Number of orthogonal spanning trees behind each floor.
    floor : PairwiseFloor or array of shape (K, K), default=None
        Precomputed floors: ``BayesFloor().fit(X, y).pairwise_``.
    scale : {"auto", "standard", "robust", "unit"} or None, default=None
        How features are scaled for the floors; models get the features unchanged. The paper uses None.
    routing : {"auto", "hard", "product"}, default="auto"
        "hard" follows each model's prediction to one class, "product" predicts the class with the largest product
        of probabilities. "auto" uses "product" if the models predict probabilities.
    memory : str, path or joblib.Memory, default=None
        Cache for the floors, so that a search over the models' parameters computes them only once
        per training set.
    n_jobs : int, default=None
        Number of threads, as joblib understands it.
    random_state : int, default=0
        Seed for subsampling: above 50,000 rows, floors are computed on a subsample of that size. Models have
        their own seeds.
    verbose : int, default=0
        If above 0, log progress.

    Attributes
    ----------
    classes_ : array
        Class labels.
    tree_ : ClassTree
        The class tree.
    models_ : list
        The classifier of each node, which predicts 1 for its right side; None for leaves.
    floor_matrix_ : (K, K) array or None
        The pairwise floors that the tree was made from; None if none were needed.
    floor_seconds_ : float
        CPU time spent on the floors.

    References
    ----------
    van den Burg and Hero (2017), arXiv:1711.03512, section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import LinearSVC
    >>> from bayesfloor import SmartSVM
    >>> X, y = load_digits(n_class=4, return_X_y=True)
    >>> smart = SmartSVM(LinearSVC(C=0.01, random_state=0), cut="average").fit(X[::2], y[::2])
    >>> print(smart.tree_.to_text())
    4 classes
    ├─ 0
    └─ 3 classes
       ├─ 3
       └─ 2 classes
          ├─ 1
          └─ 2
    >>> print(f"{smart.score(X[1::2], y[1::2]):.2f}")
    0.99
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cut: Any = "min_cut",
        n_trees: int = 3,
        floor: Any = None,
        scale: str | None = None,
        routing: str = "auto",
        memory: Any = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.cut = cut
        self.n_trees = n_trees
        self.floor = floor
        self.scale = scale
        self.routing = routing
        self.memory = memory
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> SmartSVM:
        """Make the class tree and train a classifier for each split.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Finite numbers. Data frames are passed to the models unchanged, for pipelines that use column names;
            floors read text and categories as in ``BayesFloor``. Sparse rows need ``floor`` or your
            own tree.
        y : array-like of shape (n_rows,)
            Labels.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights for the models. Floors ignore weights, but leave out rows with weight 0.
        **fit_params : dict
            Further arguments for the models' ``fit``; with metadata routing, those that they request.

        Returns
        -------
        self
        """
        self._check_parameters()
        data = recognise(X)
        features = None if self._is_given else read_features(data, STRICT)
        checked_data(self, data.native, skip_check_array=True)  # sets n_features_in_ and feature_names_in_
        rows = _read_rows(self, data) if features is None else _rows_for_models(data, features.values)
        self.classes_, codes = read_labels(y, rows.shape[0])
        params = self._routed(sample_weight, fit_params, rows)
        if not self._is_given and len(self.classes_) > 2:
            announce_drawing(len(codes))
        self.tree_ = self._grow(features, codes, sample_weight)
        self.models_ = self._train(rows, codes, params)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of each row."""
        rows = self._new_rows(X)
        find = route_likeliest if self._by_product else route
        return self.classes_[find(self.tree_, self.models_, rows)]

    @_parts_have("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class for each row, (n_rows, K): the product along the path to the class."""
        return class_probabilities(self.tree_, self.models_, self._new_rows(X))

    @_parts_have("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Return a score of each class for each row, (n_rows, K), largest for the predicted class.

        With hard routing, the score is the smallest margin along the path to the class; with product routing, it is the
        class's log-probability. With two classes, it is that of the only model, (n_rows,): positive for the second.
        """
        rows = self._new_rows(X)
        if len(self.classes_) == 1:
            return np.zeros((len(rows), 1))
        if len(self.classes_) == 2:
            return self.models_[0].decision_function(rows.X)
        if not self._by_product:
            return class_margins(self.tree_, self.models_, rows)
        with np.errstate(divide="ignore"):
            return np.log(class_probabilities(self.tree_, self.models_, rows))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata routing: all metadata go to the binary classifiers."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self._get_estimator(), method_mapping=mapping)

    def _get_estimator(self) -> Any:
        """Return the binary classifier to clone."""
        if self.estimator is not None:
            return self.estimator
        from sklearn import get_config
        from sklearn.svm import LinearSVC

        default = LinearSVC(random_state=0)
        return default.set_fit_request(sample_weight=True) if get_config()["enable_metadata_routing"] else default

    def _check_parameters(self) -> None:
        check_cut(self.cut)
        check_n_trees(self.n_trees)
        check_scale(self.scale)
        check_seed(self.random_state)
        check_choice("routing", self.routing, ("auto", "hard", "product"))
        own = self.estimator
        if own is not None and not (hasattr(own, "fit") and hasattr(own, "get_params")):
            raise InputTypeError(f"Got estimator={own!r}, but expected None or a classifier, such as LinearSVC().")
        if self.routing == "product" and not hasattr(self._get_estimator(), "predict_proba"):
            raise InputError(
                f"Got routing='product', but {type(self._get_estimator()).__name__} has no predict_proba. "
                "Wrap it in CalibratedClassifierCV, use a classifier that has it, or pass routing='hard'."
            )

    @property
    def _by_product(self) -> bool:
        """Whether to predict by the product of probabilities; with two classes there is only one model."""
        return self.routing != "hard" and len(self.classes_) > 2 and hasattr(self, "predict_proba")

    @property
    def _is_given(self) -> bool:
        """Whether the tree can be made without computing floors."""
        return self.floor is not None or not isinstance(self.cut, str)

    def _new_rows(self, X: Any) -> RowsOnTree:
        check_is_fitted(self)
        return RowsOnTree(_read_rows(self, recognise(X)))

    def _grow(self, features: Features | None, codes: Ints, sample_weight: Any) -> ClassTree:
        start = time.process_time()
        self.floor_matrix_ = self._matrix(features, codes, sample_weight)
        self.floor_seconds_ = time.process_time() - start
        return make_class_tree(self.cut, self.classes_, self.floor_matrix_)

    def _matrix(self, features: Features | None, codes: Ints, sample_weight: Any) -> Floats | None:
        """Return the pairwise floors: given, computed, or None if only one tree is possible."""
        if self.floor is not None:
            return given_matrix(self.floor, self.classes_)
        if features is None or len(self.classes_) < 3:
            return None
        from sklearn.utils.validation import check_memory

        weight = read_weight(sample_weight, len(codes))
        kept = np.arange(len(codes)) if weight is None else np.flatnonzero(weight)
        refuse_weightless(codes[kept], self.classes_)
        if self.verbose:
            logger.info("computing the floors of %d classes from %d rows", len(self.classes_), len(kept))
        memory = os.fspath(self.memory) if isinstance(self.memory, os.PathLike) else self.memory
        compute = check_memory(memory).cache(floor_matrix, ignore=["n_jobs"])
        arrays = (version("bayesfloor"), features.values[kept], features.quantity, codes[kept])
        with ignoring(message="Persisting input arguments"):  # from joblib on a busy machine
            return compute(*arrays, self.n_trees, self.scale, self.random_state, self.n_jobs)

    def _routed(self, sample_weight: Any, fit_params: dict[str, Any], rows: Any) -> dict[str, Any]:
        """Return the arguments of each model's ``fit`` apart from its rows."""
        from sklearn import get_config
        from sklearn.utils.metadata_routing import process_routing
        from sklearn.utils.validation import has_fit_parameter

        given = {} if sample_weight is None else {"sample_weight": _read_weights(sample_weight, rows)}
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", **given, **fit_params).estimator.fit
        if given and not has_fit_parameter(self._get_estimator(), "sample_weight"):
            raise InputError(
                f"Got sample_weight, but the fit of {type(self._get_estimator()).__name__} does not accept it. "
                "For pipelines, enable metadata routing: sklearn.set_config(enable_metadata_routing=True)."
            )
        return {**given, **fit_params}

    def _train(self, X: Any, codes: Ints, params: dict[str, Any]) -> list[Any]:
        """Train the models of all nodes, None for leaves."""
        tree, models = self.tree_, [None] * self.tree_.n_nodes
        nodes = tree.splits.tolist()
        tasks = ((self._get_estimator(), X, params, *_sides(tree, node, codes)) for node in nodes)
        trained = run_tasks(_fit_node, tasks, n_jobs=self.n_jobs)
        for done, (node, model) in enumerate(zip(nodes, trained, strict=True), start=1):
            models[node] = model
            if self.verbose:
                logger.info("trained model %d of %d", done, len(nodes))
        return models

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._is_given and get_tags(self._get_estimator()).input_tags.sparse
        return tags


def _read_rows(estimator: Any, data: Data) -> Any:
    """Return the rows as the models need them; sparse rows are allowed."""
    if data.form != "frame":
        return checked_data(estimator, data.X, reset=False, accept_sparse="csr", dtype=np.float64)
    checked_data(estimator, data.native, reset=False, skip_check_array=True)
    return _rows_for_models(data, None)


def _rows_for_models(data: Data, values: Any) -> Any:
    """Return data frames unchanged if scikit-learn can index their rows (pandas, polars), else as numbers."""
    if data.form != "frame":
        return values
    # A pipeline may pick columns by name; a table of another kind would fail only when a node's rows are taken.
    indexable = hasattr(data.native, "columns") and hasattr(data.native, "to_numpy")
    return data.native if indexable else checked_array(data.X.to_numpy(), dtype=np.float64)


def _read_weights(sample_weight: Any, rows: Any) -> Floats:
    with blame("sample_weight"):
        weight: Floats = check_sample_weight(sample_weight, rows)
    read_weight(weight, len(weight))
    return weight


def _sides(tree: ClassTree, node: int, codes: Ints) -> tuple[Ints, Ints]:
    """Return the rows of a node and the side of each: 0 left, 1 right."""
    side = np.full(len(tree.classes), -1)
    side[tree.members(int(tree.left[node]))] = 0
    side[tree.members(int(tree.right[node]))] = 1
    rows = np.flatnonzero(side[codes] >= 0)
    return rows, side[codes[rows]]


def _fit_node(estimator: Any, X: Any, params: dict[str, Any], rows: Ints, side: Ints) -> Any:
    return clone(estimator).fit(RowsOnTree(X).take(rows), side, **take_fit_params(X, params, rows))


_PAIRS_COST = 3  # the pairs cost about as much as this many forests on all rows


def floor_matrix(
    version: str,  # noqa: ARG001 - for caches: a different version may give different results
    values: Floats,
    quantity: np.ndarray,
    codes: Ints,
    n_trees: int,
    scale: str | None,
    random_state: int,
    n_jobs: int | None,
) -> Floats:
    """Return the floor of every pair relative to guessing, as in the paper, from at most 50,000 rows.

    It takes and returns plain arrays, which can be cached.
    """
    classes = np.arange(int(codes.max()) + 1)
    target = Target(classes, hard_shares(codes, len(classes)), np.arange(len(codes)))
    sample = make_sample(Features(values, quantity), target, None)
    if len(sample) > LARGE:
        sample = sample.take(draw_rows(sample, LARGE, np.random.default_rng(random_state)))
    name, _ = pick_scale(scale, sample, random_state, n_jobs)
    points = fit_scale(sample.features, name).apply(sample.features.values)
    prepare(len(points), points.shape[1], n_trees, _PAIRS_COST)
    forests = class_forests(points, sample.codes, n_trees, None, n_jobs)
    labels = VertexLabels(forests.vertex, sample.shares, int(forests.vertex.max()) + 1)
    pairs = pair_counts(forests, labels)
    n1, n2 = pairs.sizes.T
    cross = pairs.rate * (n1 + n2 - 1)  # a pair's tree has one edge less than rows
    return square(henze_penrose(cross, n1, n2, normalize=True).estimate)


def announce_drawing(n_rows: int) -> None:
    """Warn, from inside ``fit``, that floors do not use all rows."""
    if n_rows > LARGE:
        message = f"{LARGE:,} of {n_rows:,} rows are used for the class floors; the models use all rows."
        warnings.warn(SampledRowsWarning(message), stacklevel=3)


def given_matrix(floor: Any, classes: np.ndarray) -> Floats:
    """Return the user's own pairwise floors, for the classes in the data."""
    if isinstance(floor, PairwiseFloor):
        missing = np.setdiff1d(classes, floor.classes)
        if len(missing):
            raise InputError(
                f"Got rows of class {missing.tolist()[0]!r}, which the floor has not seen. Fit it to all classes."
            )
        place = np.searchsorted(floor.classes, classes)
        return floor.matrix[np.ix_(place, place)]
    matrix, K = _check_numbers(floor), len(classes)
    if matrix.shape != (K, K):
        raise InputError(
            f"Got a floor matrix of shape {matrix.shape}, but y has {K} classes. "
            "Pass floor=BayesFloor().fit(X, y).pairwise_, which stores its classes: a fold may lack one."
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any() or not np.allclose(matrix, matrix.T):
        raise InputError(
            "Got a floor matrix that is not symmetric or has negative or missing numbers, "
            "but expected one like the pairwise_.matrix of a fitted BayesFloor, with every pair twice."
        )
    return (matrix + matrix.T) / 2


def _check_numbers(floor: Any) -> Floats:
    try:
        return np.asarray(floor, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"Got floor of type {type(floor).__name__}, but expected the pairwise_ of a fitted BayesFloor or a matrix."
        ) from error


# Routing: a node's model predicts 0 for its left side and 1 for its right; a single class needs no model.
Models = list[Any]
_AT_ONCE = 2**22  # predictions of nodes, or probabilities of classes, that are held in memory


class RowsOnTree(NamedTuple):
    """Rows to predict."""

    X: Any

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def take(self, rows: Ints) -> Any:
        """Return some of the rows."""
        return self.X if len(rows) == len(self) else take_rows(self.X, rows)


def route(tree: ClassTree, models: Models, rows: RowsOnTree) -> Ints:
    """Return the class of each row, following each model's prediction along one path."""
    if _all_linear(tree, models, rows.X):
        return np.concatenate([_route_linear(tree, models, rows.take(part)) for part in _blocks(tree, rows)])
    answer, waiting = np.empty(len(rows), dtype=np.int64), [(0, np.arange(len(rows)))]
    while waiting:
        node, here = waiting.pop()
        if tree.left[node] == NONE:
            answer[here] = tree.order[tree.start[node]]
        elif len(here):
            found = models[node].predict(rows.take(here))
            waiting += [(int(tree.left[node]), here[found == 0]), (int(tree.right[node]), here[found == 1])]
    return answer


def route_likeliest(tree: ClassTree, models: Models, rows: RowsOnTree) -> Ints:
    """Return the most likely class of each row by the product of probabilities; of equal ones the first."""
    parts = (RowsOnTree(rows.take(part)) for part in _blocks(tree, rows))
    return np.concatenate([class_probabilities(tree, models, part).argmax(axis=1) for part in parts])


def _blocks(tree: ClassTree, rows: RowsOnTree) -> Iterator[Ints]:
    """Yield the numbers of rows, as many at a time as there is memory for."""
    size = max(1, _AT_ONCE // len(tree.order))
    return (np.arange(first, min(first + size, len(rows))) for first in range(0, len(rows), size))


def _all_linear(tree: ClassTree, models: Models, X: Any) -> bool:
    """Whether one matrix product gives the predictions of all nodes."""
    from sklearn.svm import LinearSVC  # all linear classifiers share its predict method

    splits = [models[node] for node in tree.splits.tolist()]
    linear = all(getattr(type(model), "predict", None) is LinearSVC.predict for model in splits)
    return bool(splits) and linear and isinstance(X, np.ndarray)


def _route_linear(tree: ClassTree, models: Models, X: np.ndarray) -> Ints:
    """Route rows with the predictions of all nodes at once, instead of one call per node."""
    asked = [model for model in models if model is not None]
    coef = np.concatenate([np.atleast_2d(model.coef_) for model in asked])
    to_right = X @ coef.T + np.concatenate([np.atleast_1d(model.intercept_) for model in asked]) > 0
    place = np.cumsum(tree.left != NONE) - 1
    at, moving = np.zeros(len(X), dtype=np.int64), np.arange(len(X))
    while len(moving):
        moving = moving[tree.left[at[moving]] != NONE]
        node = at[moving]
        at[moving] = np.where(to_right[moving, place[node]], tree.right[node], tree.left[node])
    return tree.order[tree.start[at]]


def class_probabilities(tree: ClassTree, models: Models, rows: RowsOnTree) -> Floats:
    """Return the product of probabilities along the path to each class."""

    def sides(model: Any) -> Floats:
        return model.predict_proba(rows.X).T

    return _spread(tree, models, np.ones(len(rows)), sides, np.multiply)


def class_margins(tree: ClassTree, models: Models, rows: RowsOnTree) -> Floats:
    """Return the smallest margin along the path to each class; it is positive for the class that ``route`` finds."""

    def sides(model: Any) -> Floats:
        margin = model.decision_function(rows.X)
        return np.stack([-margin, margin])

    return _spread(tree, models, np.full(len(rows), np.inf), sides, np.minimum)


def _spread(
    tree: ClassTree,
    models: Models,
    start: Floats,
    sides: Callable[[Any], Floats],
    combine: Callable[[Floats, Floats], Floats],
) -> Floats:
    """Pass a value of each row down from the root to every class, combining it with each model's output."""
    found, waiting = np.zeros((len(start), len(tree.order))), [(0, start)]
    while waiting:
        node, value = waiting.pop()
        if tree.left[node] == NONE:
            found[:, tree.order[tree.start[node]]] = value
        else:
            left, right = sides(models[node])
            waiting += [(int(tree.left[node]), combine(value, left)), (int(tree.right[node]), combine(value, right))]
    return found
