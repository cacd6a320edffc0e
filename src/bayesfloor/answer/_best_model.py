"""The best model of a race as an unfitted scikit-learn pipeline: the table's preparation, then the winner.

The winner's settings are those of the race; so are the weights of a blend and the factors that turn scores into
posteriors, because they were cross-validated there.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import (  # noqa: TID253 - itself imported when first used
    BaseEstimator,
    ClassifierMixin,
    RegressorMixin,
    TransformerMixin,
    clone,
)
from sklearn.utils.validation import check_is_fitted, column_or_1d  # noqa: TID253 - itself imported when first used

from bayesfloor.answer._learners import BLEND, code_encoder, exact_learners
from bayesfloor.answer._metrics import CLASSES, NUMBERS
from bayesfloor.answer._race import OUTSIDE, Race, class_scores, for_priors, posterior_of
from bayesfloor.floor._sample import Settings, read_priors
from bayesfloor.floor._scaling import NO_SCALE, fit_scale
from bayesfloor.formulas._limits import class_weights
from bayesfloor.io._data import Data, checked_array, checked_data, is_sparse, recognise
from bayesfloor.io._features import AUTO, STRICT, Features, canonical, distinct_rows, find_axes
from bayesfloor.io._labels import as_label_array, find_spellings, read_labels, respell
from bayesfloor.io._numbers import read_numbers
from bayesfloor.io._table_preparer import TablePreparer
from bayesfloor.support._errors import InputError
from bayesfloor.support._tasks import ignoring, one_blas_thread, one_openmp_thread
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import join_labels, quoted

logger = logging.getLogger(__name__)

_LITTLE = 0.01  # of all weight: members of a blend with less are left out
DENSE, SPARSE = "dense", "sparse"


class Recipe(NamedTuple):
    """What a race was given besides its learners."""

    preparation: Preparation
    exact: tuple[str, ...]  # learners that saw all columns of wide data
    priors: Any
    clean_labels: bool
    task: str


def make_recipe(
    data: Data,
    features: Features,
    settings: Settings,
    scale: str,
    learners: Mapping[str, Any] | None,
    *,
    task: str = CLASSES,
    clean_labels: bool = False,
) -> Recipe:
    """Record how learners were given these data."""
    exact = features.exact
    columns, roles = _columns_in_use(data, features), settings.roles
    if columns is not None and roles is not None and data.form == "frame":
        roles = {name: role for name, role in roles.items() if str(name) in columns} or None
    preparation = Preparation(
        settings.prepare,
        roles,
        columns,
        NO_SCALE if exact is not None else scale,
        None if exact is None else SPARSE if is_sparse(exact) else DENSE,
        task,
        settings.random_state,
    )
    names = tuple(exact_learners(dict(learners or {}), exact, task))
    return Recipe(preparation, names, settings.priors, clean_labels, task)


def _columns_in_use(data: Data, features: Features) -> list[str] | None:
    """Return the names of a table's columns that became features; None for an array."""
    if data.form == "frame":
        unused = [column.name for column in features.prepared if not column.width]
        return [str(name) for name in data.X.columns if str(name) not in unused]
    lists = dict.fromkeys(name.rpartition("[")[0] for name in data.feature_names)  # an unpacked column of vectors
    return list(lists) if len(lists) == 1 and "" not in lists else None


def make_best_model(race: Race, recipe: Recipe, best: str, metric: str, scale: str) -> Any:
    """Return the unfitted pipeline of a race's best learner; ``metric`` decides which class is predicted."""
    from sklearn.pipeline import Pipeline, make_pipeline

    if not best:
        raise InputError("No learner could be trained on these data, so there is no best model. Add rows.")
    shares = race.shares if best == BLEND else {best: 1.0}
    shares = {name: share for name, share in shares.items() if share >= _LITTLE * sum(shares.values())}
    members = {name: _bare(race.learners[name]) for name in shares}
    if recipe.preparation.keep is not None:  # of wide data, most learners see only the first components
        for name in members.keys() - recipe.exact:
            members[name] = make_pipeline(Components(scale), members[name])
    learners, weights = list(members.items()), list(shares.values())
    model: Any
    if recipe.task == NUMBERS:
        y: Any = race.y  # a weighted sum of centred predictions may lack something on average
        off = sum(share * (race.predicted[name].mean() - y.mean()) for name, share in shares.items())
        model = BlendRegressor(learners, weights, float(-off / (y.std() or 1.0)) if best == BLEND else 0.0)
    else:
        factors = [race.factors[name] for name in members]
        evenly, clean = metric == "balanced_accuracy", recipe.clean_labels
        model = BlendClassifier(learners, weights, factors, recipe.priors, balanced=evenly, clean_labels=clean)
    return Pipeline([("preparation", clone(recipe.preparation)), ("model", model)])


def _bare(learner: Any) -> Any:
    """Return a learner without the encoder of codes before it: the preparation has its own."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import TargetEncoder

    encoder = learner[0] if isinstance(learner, Pipeline) and len(learner) == 2 else None
    coded = isinstance(encoder, ColumnTransformer) and isinstance(encoder.transformers[0][1], TargetEncoder)
    return clone(learner[1] if coded else learner)


class Preparation(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Turn a table into the numbers that learners see, as the check did that this comes from.

    Columns that the check did not use, such as the label, ids and groups, are ignored, and so is the order of columns.
    Missing values in a column that had none become its median or no category; so do new categories, and texts that
    cannot be read as the numbers or dates of the fitted column. Only codes see labels: they become class rates or mean
    numbers of five shuffled folds.

    Parameters
    ----------
    prepare, roles
        As in ``check``.
    columns : list of str, default=None
        The columns of a data frame to use; None uses all.
    scale : {"none", "standard", "robust", "unit"}, default="none"
        How to scale quantities.
    keep : {None, "sparse", "dense"}, default=None
        The form of very wide data, which are left as they are; None scales and encodes.
    task : {"classes", "numbers"}, default="classes"
        What labels are.
    random_state : int, default=0
        Seed of the folds for codes.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesfloor.answer._best_model import Preparation
    >>> preparation = Preparation(columns=["age"]).fit(pd.DataFrame({"id": [1, 2, 3], "age": [20, 30, 50]}))
    >>> preparation.transform(pd.DataFrame({"age": [40, None]})).tolist()
    [[40.0], [30.0]]
    """

    def __init__(
        self,
        prepare: Any = AUTO,
        roles: Mapping[str, Any] | None = None,
        columns: Sequence[str] | None = None,
        scale: str = NO_SCALE,
        keep: str | None = None,
        task: str = CLASSES,
        random_state: int = 0,
    ) -> None:
        self.prepare = prepare
        self.roles = roles
        self.columns = columns
        self.scale = scale
        self.keep = keep
        self.task = task
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn how to read each column."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Any:
        """Learn how to read each column, and return the table as numbers."""
        values = self._fit_numbers(self._own(X))
        self._rates = None
        if self.keep is not None:
            return self._in_form(values)
        reader = self._reader
        quantity = np.ones(values.shape[1], dtype=bool) if reader is None else reader.quantity_
        self._scaler = fit_scale(Features(values, quantity), self.scale)
        points = self._scaler.apply(values)
        if y is None or reader is None or not reader.code_.any():
            return points
        truth = _standardised(read_numbers(y))[0] if self.task == NUMBERS else _read_classes(y, len(points))[1]
        self._rates = code_encoder(reader.code_, self.random_state, self.task)
        return self._rates.fit_transform(points, truth)

    def transform(self, X: Any) -> Any:
        """Return a table with the same columns as numbers."""
        check_is_fitted(self)
        data = self._own(X)
        if not isinstance(self.prepare, str):
            data = _as_matrix(self._first.transform(data.native))
        if self._reader is None:
            values = _numbers_in(self, data, reset=False)
        else:
            data = replace(data, X=data.X.toarray()) if data.form == "sparse" else data
            values = self._reader.transform_any(data)
        if self.keep is not None:
            return self._in_form(values)
        points = self._scaler.apply(values)
        return points if self._rates is None else self._rates.transform(points)

    def _own(self, X: Any) -> Data:
        """Return the data with the columns in use only."""
        data = recognise(X)
        if self.columns is None or data.form != "frame":
            return data
        names = {str(name): name for name in data.X.columns}
        without = [quoted(name) for name in self.columns if name not in names]
        if without:
            raise InputError(f"Got a table without {join_labels(without)}, but expected the columns of the check.")
        return replace(data, X=data.X.select([names[name] for name in self.columns]))

    def _fit_numbers(self, data: Data) -> Any:
        """Return the data as numbers; sparse ones stay sparse if they are to be kept as they are."""
        self._reader, roles, strict = None, self.roles, self.prepare == STRICT
        if not isinstance(self.prepare, str):
            self._first, roles, strict = clone(self.prepare), None, False
            data = _as_matrix(self._first.fit_transform(data.native))
        if data.form == "sparse" and self.keep is not None:
            values = _numbers_in(self, data, reset=True)
        else:
            data = replace(data, X=data.X.toarray()) if data.form == "sparse" else data
            self._reader = TablePreparer(roles, strict=strict)
            values = self._reader.fit_transform(data)
        self.n_features_in_ = data.X.shape[1] if self._reader is None else self._reader.n_features_in_
        return values

    def _in_form(self, values: Any) -> Any:
        if self.keep == SPARSE:
            return canonical(values)
        return values.toarray() if is_sparse(values) else values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags


def _as_matrix(made: Any) -> Data:
    """Return what a user's transformer made as numbers."""
    data = recognise(made, "prepared X")
    if data.form == "sparse":
        return data
    return Data(checked_array(data.native, "prepared X", dtype=np.float64, order="C", ensure_all_finite="allow-nan"))


def _numbers_in(estimator: Any, data: Data, *, reset: bool) -> Any:
    return checked_data(estimator, data.native, reset=reset, accept_sparse="csr", dtype=np.float64)


class Components(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The first components of very wide data, scaled."""

    def __init__(self, scale: str = NO_SCALE) -> None:
        self.scale = scale

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Find the components of the distinct rows."""
        X = checked_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        self._axes = find_axes(X[distinct_rows(X)[0]])[0]
        found = self._axes.apply(X)
        self._scaler = fit_scale(Features(found, np.ones(found.shape[1], dtype=bool)), self.scale)
        return self

    def transform(self, X: Any) -> Floats:
        """Return the components of each row."""
        check_is_fitted(self)
        X = checked_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        with one_blas_thread():
            return self._scaler.apply(self._axes.apply(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Blend(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Learners with weights."""

    learners: Sequence[tuple[str, Any]]
    weights: Sequence[float] | None

    def _train(self, X: Any, truth: Any) -> None:
        """Train the learners; those that cannot be trained on so few rows are left out, as in the race."""
        self._fitted: dict[str, Any] = {}
        self.left_out_: dict[str, str] = {}
        with one_openmp_thread(), ignoring():  # a poor learner has little weight
            for name, learner in self.learners:
                try:
                    self._fitted[name] = clone(learner).fit(X, truth)
                except (ValueError, np.linalg.LinAlgError) as error:
                    logger.info("left out %s: %s", name, error)
                    self.left_out_[name] = str(error).splitlines()[0]
        if not self._fitted:
            raise InputError(f"No learner could be trained: {'; '.join(self.left_out_.values())}.")

    def _each(self, *beside: Sequence[float] | None) -> list[tuple[Any, ...]]:
        """Return each fitted learner with its numbers, by default 1."""
        ones = [1.0] * len(self.learners)
        names = [name for name, _ in self.learners]
        lines = zip(names, *(ones if each is None else each for each in beside), strict=True)
        return [(self._fitted[name], *numbers) for name, *numbers in lines if name in self._fitted]

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return checked_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class BlendClassifier(ClassifierMixin, _Blend):  # type: ignore[misc]  # scikit-learn has no types
    """Classify by a softmax of a weighted sum of the learners' log posteriors.

    Parameters
    ----------
    learners : list of (str, classifier)
        Learners, not fitted. Those that cannot be trained are left out; ``left_out_`` has the reasons.
    weights, factors : list of float, default=None
        Weights of the learners, and factors that turn their scores into posteriors; None stands for ones.
    priors : None, "balanced", list or dict, default=None
        The class proportions to predict for, as in ``check``; None is those of the rows.
    balanced : bool, default=False
        Predict for balanced accuracy. Probabilities do not change.
    clean_labels : bool, default=False
        Merge labels that differ only by case or spaces.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from bayesfloor.answer._best_model import BlendClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> learners = [("linear", LogisticRegression(max_iter=200)), ("bayes", GaussianNB())]
    >>> BlendClassifier(learners, [0.7, 0.3]).fit(X, y).predict(X[:2])
    array([0, 0])
    """

    def __init__(
        self,
        learners: Sequence[tuple[str, Any]],
        weights: Sequence[float] | None = None,
        factors: Sequence[float] | None = None,
        priors: Any = None,
        *,
        balanced: bool = False,
        clean_labels: bool = False,
    ) -> None:
        self.learners = learners
        self.weights = weights
        self.factors = factors
        self.priors = priors
        self.balanced = balanced
        self.clean_labels = clean_labels

    def fit(self, X: Any, y: Any) -> Self:
        """Train the learners; of votes or class probabilities, each row's likeliest class counts."""
        X = checked_data(self, X, accept_sparse="csr", dtype=np.float64)
        if self.clean_labels:
            y = respell(as_label_array(y), find_spellings(as_label_array(y)).best)
        self.classes_, codes = _read_classes(y, X.shape[0])
        priors = read_priors(self.priors, self.classes_)
        self._weight = class_weights(priors, codes)
        self._shares = np.bincount(codes) / len(codes) if priors is None else priors
        self._train(X, codes)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class."""
        X = self._rows(X)
        total = np.zeros((X.shape[0], len(self.classes_)))
        for learner, weight, factor in self._each(self.weights, self.factors):
            eta = posterior_of(np.nan_to_num(class_scores(learner, X))[:, : len(self.classes_)], factor)
            total += weight * np.log(eta if self.priors is None else for_priors(eta, self._weight))
        chances = np.exp(total - total.max(axis=1, keepdims=True))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> np.ndarray:
        """Return the likeliest class."""
        chances = self.predict_proba(X)
        return np.asarray(self.classes_[(chances / self._shares if self.balanced else chances).argmax(axis=1)])


class BlendRegressor(RegressorMixin, _Blend):  # type: ignore[misc]  # scikit-learn has no types
    """Predict numbers by a weighted sum of the learners' predictions and a constant.

    Learners see numbers of mean 0 and spread 1.

    Parameters
    ----------
    learners : list of (str, regressor)
        Learners, not fitted. Those that cannot be trained are left out; ``left_out_`` has the reasons.
    weights : list of float, default=None
        Weights of the learners; None stands for ones.
    constant : float, default=0
        What to add, relative to the spread of the numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from bayesfloor.answer._best_model import BlendRegressor
    >>> model = BlendRegressor([("linear", LinearRegression())]).fit(np.arange(9.0)[:, None], np.arange(9.0) * 2)
    >>> model.predict([[2.0]]).round(6)
    array([4.])
    """

    def __init__(
        self, learners: Sequence[tuple[str, Any]], weights: Sequence[float] | None = None, constant: float = 0.0
    ) -> None:
        self.learners = learners
        self.weights = weights
        self.constant = constant

    def fit(self, X: Any, y: Any) -> Self:
        """Train the learners."""
        X = checked_data(self, X, accept_sparse="csr", dtype=np.float64)
        if y is None:
            raise InputError("This estimator requires y to be passed, but the target y is None.")
        y = column_or_1d(checked_array(read_numbers(column_or_1d(y, warn=True)), "y", ensure_2d=False))
        if len(y) != X.shape[0]:
            raise InputError(f"Got y with {len(y)} rows and X with {X.shape[0]}, but expected the same number.")
        truth, self._middle, self._spread = _standardised(y)
        reach = OUTSIDE * (y.max() - y.min())
        self._span = y.min() - reach, y.max() + reach
        self._train(X, truth)
        return self

    def predict(self, X: Any) -> Floats:
        """Return the predicted numbers."""
        X = self._rows(X)
        total = np.full(X.shape[0], self._middle + self.constant * self._spread)
        for learner, weight in self._each(self.weights):
            found = np.nan_to_num(learner.predict(X)) * self._spread + self._middle
            total += weight * (np.clip(found, *self._span) - self._middle)
        return total


def _standardised(y: Floats) -> tuple[Floats, float, float]:
    middle, spread = float(y.mean()), float(y.std()) or 1.0
    return (y - middle) / spread, middle, spread


def _read_classes(y: Any, n_rows: int) -> tuple[np.ndarray, Ints]:
    """Return the classes and each row's class number: the likeliest if there are votes or probabilities."""
    shape = as_label_array(y).shape
    if len(shape) == 2 and shape[1] > 1:
        names = np.array(getattr(y, "column_names", getattr(y, "columns", np.arange(shape[1]))))
        y = names[np.asarray(y, dtype=np.float64).argmax(axis=1)]
    classes, codes = read_labels(y, n_rows, guessed=True)
    if len(classes) < 2:
        raise InputError(f"Got {len(classes)} class, but expected at least 2.")
    return classes, codes
