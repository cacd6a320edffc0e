"""The result of comparing representations."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bayesfloor.decide._feature_sets import draw_most
from bayesfloor.decide._features import NO_DIFFERENCE
from bayesfloor.decide._predicted_rates import Elimination, Round
from bayesfloor.floor._edge_counts import likeliest
from bayesfloor.floor._sample import Sample, check_max_rows, make_sample, number_groups, prepare, split_stratified
from bayesfloor.floor._scaling import apply_scale, check_scale, pick_scale
from bayesfloor.forest._spanning_forest import check_n_trees
from bayesfloor.formulas._limits import check_level
from bayesfloor.io._data import as_frame, recognise
from bayesfloor.io._features import Features, read_features
from bayesfloor.io._labels import missing_labels, read_one_label
from bayesfloor.support._errors import InputError, InputTypeError, blame
from bayesfloor.support._parameters import check_seed, take_rows
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import Progress
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import printable, show_labels


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Representations of the same rows, fewest cross-class edges first; arrays have one entry per representation.

    Cross-class edges rank representations. They are not errors: run ``check`` on one to see how low its error can go.

    Attributes
    ----------
    names : names of the representations.
    how : how each was made: "given", "fitted once" (without labels) or "cross-fitted".
    n_features : number of columns.
    n_rows : rows in the last round that measured it; fewer than all rows if it dropped out early.
    cross_rate : fraction of cross-class edges in that round.
    predicted, std_error : the fraction predicted for four times as many rows, and its standard error. With fewer than
        1,000 rows, or with few groups, the measured fraction.
    difference, difference_low, difference_high : the predicted fraction minus that of the best on the same rows, and
        its interval. All intervals hold simultaneously at ``level``, whichever representation was picked as the best.
    p_value : of the hypothesis "its rate is no higher than that of the best", from its last round, adjusted for all
        pairs and rounds. A representation that dropped out early was tested against the best of that round;
        ``difference`` is always relative to the overall best.
    word : "best", "no significant difference" or "worse".
    best_cross_rate : the predicted fraction of the best, corrected for having been picked as the smallest.
    n_folds : number of folds, each with its own trees: 2 if any representation is cross-fitted, else 1.
    level : confidence level of the intervals.
    rounds : rows, names and cross rates of each round.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from bayesfloor import compare_representations
    >>> X, y = load_wine(return_X_y=True)
    >>> found = compare_representations({"raw": X, "standard": StandardScaler()}, y, X=X)
    >>> found
    Comparison(2 representations, best standard, 1 significantly worse)
    >>> dict(zip(found.names, found.word))
    {'standard': 'best', 'raw': 'worse'}
    """

    names: tuple[str, ...]
    how: tuple[str, ...]
    n_features: Ints
    n_rows: Ints
    cross_rate: Floats
    predicted: Floats
    std_error: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    p_value: Floats
    word: tuple[str, ...]
    best_cross_rate: float
    n_folds: int
    level: float
    rounds: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    @property
    def best_(self) -> str:
        """Name of the representation with the fewest cross-class edges."""
        return self.names[0]

    @property
    def not_worse(self) -> tuple[str, ...]:
        """Names of the best and of all others with no significant difference from it."""
        return tuple(name for name, word in zip(self.names, self.word, strict=True) if word != "worse")

    @property
    def smallest(self) -> str:
        """Name of the representation with the fewest features among those that are not significantly worse."""
        kept = [place for place, word in enumerate(self.word) if word != "worse"]
        return self.names[min(kept, key=lambda place: (self.n_features[place], place))]

    @property
    def text(self) -> str:
        """The comparison in words."""
        ahead = "" if np.array_equal(self.predicted, self.cross_rate) else ", predicted for more rows"
        lines = [f"{printable(self.best_)} is best: it has the fewest cross-class edges{ahead}."]
        others = [printable(name) for name in self.not_worse[1:]]
        if others:
            lines.append(f"{NO_DIFFERENCE.capitalize()}: {', '.join(others)}.")
        if self.smallest != self.best_:
            place = self.names.index(self.smallest)
            size = self.n_features[place]
            lines.append(
                f"{printable(self.smallest)} is the smallest of these, with {size} feature{'s' if size > 1 else ''}."
            )
        return " ".join([*lines, f"For the lowest possible error with {printable(self.best_)}, run check on it."])

    def _summary(self) -> str:
        best, n_worse = show_labels(self.names)[0], len(self.names) - len(self.not_worse)
        return f"{len(self.names)} representations, best {best}, {n_worse} significantly worse"

    def _columns(self) -> dict[str, Any]:
        names = ("how", "n_features", "n_rows", "cross_rate", "predicted", "std_error")
        more = ("difference", "difference_low", "difference_high", "p_value", "word")
        return {"representation": self.names, **{name: getattr(self, name) for name in (*names, *more)}}

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain Python objects, ready for JSON."""
        return {**super().to_dict(), "best": self.best_}


def ranked_best_first(ranked: Ints, columns: dict[str, Any]) -> dict[str, Any]:
    """Return all columns reordered by rank."""
    return {
        name: values[ranked] if isinstance(values, np.ndarray) else tuple(values[i] for i in ranked)
        for name, values in columns.items()
    }


class LabelsSeenWarning(UserWarning):
    """Warn that a representation may have been fitted with the labels of the rows it is judged on.

    Examples
    --------
    >>> import warnings
    >>> from bayesfloor.decide import LabelsSeenWarning
    >>> warnings.simplefilter("ignore", LabelsSeenWarning)  # if you know it was fitted to other rows
    """


@dataclass(frozen=True, eq=False)
class Candidate:
    """A representation of all rows, with ``how`` it was made: "given", "fitted once" or "cross-fitted"."""

    name: str
    how: str
    features: Features


def read_candidates(given: Any, X: Any) -> dict[str, Any]:
    """Return the candidates after all checks that do not need fitting."""
    if not isinstance(given, Mapping) or not given:
        found = "nothing" if given is None or isinstance(given, Mapping) else f"a {type(given).__name__}"
        raise InputTypeError(
            f"Got {found} as candidates, but expected a dict with at "
            'least one name and representation, such as {"raw": X, "pca-20": PCA(20)}.'
        )
    for name, candidate in given.items():
        if not isinstance(name, str):
            raise InputTypeError(f"Got {name!r} as the name of a representation, but expected a string.")
        if candidate is None or isinstance(candidate, type):
            what = "nothing" if candidate is None else f"the class {candidate.__name__}"
            raise InputTypeError(
                f"Representation {name!r} is {what}, but expected an array or a transformer such as PCA(20)."
            )
        if is_transformer(candidate) and X is None:
            raise InputError(f"Representation {name!r} is a transformer, but there is no X to transform. Pass X=X.")
    return dict(given)


def is_transformer(candidate: Any) -> bool:
    """Whether the candidate is a transformer; data frames do not count, although pandas has DataFrame.transform."""
    if as_frame(candidate) is not None:
        return False
    if hasattr(candidate, "fit") and not hasattr(candidate, "transform"):
        raise InputTypeError(
            f"Got {type(candidate).__name__}, which has no transform method, but expected an array or a transformer."
        )
    return hasattr(candidate, "transform")


def is_supervised(transformer: Any) -> bool:
    """Whether a transformer's tags say that it needs labels."""
    from sklearn.base import is_classifier, is_regressor
    from sklearn.utils import get_tags

    try:
        needed = bool(get_tags(transformer).target_tags.required)
    except (AttributeError, TypeError):
        return False
    return needed or is_classifier(transformer) or is_regressor(transformer)


def make_once(name: str, candidate: Any, X: Any, n_rows: int) -> Candidate | None:
    """Return the representation, or None if making it needs labels."""
    if not is_transformer(candidate):
        return Candidate(name, "given", read_values(name, candidate, n_rows))
    _warn_if_frozen(name, candidate)
    if not hasattr(candidate, "fit") or _is_frozen(candidate):
        return Candidate(name, "given", read_values(name, candidate.transform(X), n_rows))
    if is_supervised(candidate):
        return None
    from sklearn.base import clone

    try:
        fitted = clone(candidate).fit(X)
    except (AttributeError, TypeError, ValueError):  # usually because of missing labels; other errors recur with labels
        return None
    return Candidate(name, "fitted once", read_values(name, fitted.transform(X), n_rows))


def cross_fit(name: str, candidate: Any, X: Any, y: np.ndarray, folds: list[Ints]) -> Candidate:
    """Transform each fold with a transformer fitted to the other folds."""
    from sklearn.base import clone

    parts, labelled = [], np.flatnonzero(~missing_labels(y))
    for fold in folds:
        rest = np.setdiff1d(labelled, fold)
        try:
            fitted = clone(candidate).fit(take_rows(X, rest), np.array(y[rest].tolist()))
        except (TypeError, ValueError) as error:
            raise InputError(
                f"Representation {name!r} could not be fitted, either without labels or with the labels of "
                f"{len(rest)} rows: {error}"
            ) from error
        parts.append(read_values(name, fitted.transform(take_rows(X, fold)), len(fold)))
    values = np.zeros((len(y), max(part.values.shape[1] for part in parts)))  # a fold may have fewer columns
    for fold, part in zip(folds, parts, strict=True):
        values[fold, : part.values.shape[1]] = part.values
    return Candidate(name, "cross-fitted", Features(values, np.ones(values.shape[1], dtype=bool)))


def read_values(name: str, values: Any, n_rows: int | None = None) -> Features:
    """Read a representation as numbers and check that it has one row per label."""
    try:
        data = recognise(values)
        dense = replace(data, X=data.X.toarray()) if data.form == "sparse" else data
        features = read_features(dense)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Representation {name!r}: {error}") from error
    if n_rows is not None and len(features.values) != n_rows:
        raise InputError(
            f"Representation {name!r} has {len(features.values)} rows, but expected {n_rows}, the length of y."
        )
    return features


def _warn_if_frozen(name: str, candidate: Any) -> None:
    """Warn if a transformer that needs labels is already fitted: we cannot know which rows it saw."""
    if any(is_supervised(part) for part in _frozen_parts(candidate)):
        warnings.warn(
            LabelsSeenWarning(
                f"Representation {name!r} is already fitted with labels. If it saw the labels of these rows, it ranks "
                "too high. Pass it without FrozenEstimator, so that it is judged on rows it was not fitted to."
            ),
            stacklevel=5,  # the caller of compare_representations
        )


def _frozen_parts(candidate: Any) -> Iterator[Any]:
    inside = candidate.get_params(deep=True).values() if hasattr(candidate, "get_params") else ()
    yield from (part.estimator for part in (candidate, *inside) if _is_frozen(part))


def _is_frozen(candidate: Any) -> bool:
    from sklearn.frozen import FrozenEstimator

    return isinstance(candidate, FrozenEstimator)


_FOLDS = 2  # for cross-fitting: fit to half of the rows, grow trees on the other half
_DRAWS = 4000  # simulations of the choice of the best


def compare_representations(
    candidates: dict[str, Any],
    y: Any,
    X: Any = None,
    *,
    groups: Any = None,
    scale: str | None = None,
    n_trees: int = 3,
    level: float = 0.95,
    max_rows: int | None = 50_000,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Rank representations of the same rows by their cross-class edges, without training a classifier.

    To see how low the error can go with one of them, run ``check`` on it.

    Parameters
    ----------
    candidates : dict of name -> array, data frame, transformer or pipeline
        Representations to compare. Transformers are fitted to ``X`` once, without labels. Transformers that need
        labels are cross-fitted: each half of the rows is transformed by a transformer fitted to all other rows, and
        all representations are then measured within these halves. An array that was made with these labels cannot
        be recognised and will rank too high.
    y : array-like of shape (n_rows,)
        Labels.
    X : array-like or data frame of shape (n_rows, n_features), default=None
        The data that transformers are fitted to.
    groups : array-like of shape (n_rows,), default=None
        Rows of the same group are never joined by an edge, and never split by cross-fitting.
    scale : {"auto", "standard", "robust", "unit"} or None, default=None
        As in ``BayesFloor``, for each representation. None treats scaling as part of the representation. With "auto",
        each representation gets the scale that suits it best on these rows; nothing corrects for that choice.
    n_trees : int, default=3
        Number of orthogonal spanning trees.
    level : float, default=0.95
        Simultaneous confidence level of all intervals.
    max_rows : int, default=50_000
        Measure on at most about this many rows, subsampled from all classes at the same rate; None uses all.
        Transformers are fitted to all of ``X``.
    n_jobs, random_state, progress
        As in ``BayesFloor``.

    Returns
    -------
    Comparison
        With ``best_`` and ``frame()``.

    Notes
    -----
    Cross rates fall with more rows, and fall for longer in many dimensions. So representations are compared by
    the rate predicted for four times as many rows. The prediction extrapolates the fall from half of the rows to
    all, assuming that the bias falls as the inverse square root of the number of rows. On few rows, where these data
    cannot say which rate falls faster, all are predicted to fall alike; below 1,000 rows, measured rates are compared.
    Predicted rates are for ranking only: for the effect of more rows on a model's error, see the learning curve of
    ``BayesFloor.answer``.

    The rounds use an eighth, a quarter, half and all of the rows. A representation drops out early if it would be
    worse even if its rate kept falling as fast as in the last round.
    Differences are paired: edges that two representations share cancel. Intervals have a Bonferroni correction over
    all pairs and rounds, so they hold whichever representation is picked as the best. The best one's own rate is
    raised by the expected optimism of picking the smallest of several.

    Any function of X has a Bayes error at least as high as X itself. A representation with fewer cross-class
    edges than raw X is easier to learn from with this many rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.preprocessing import StandardScaler
    >>> from bayesfloor import compare_representations
    >>> X, y = load_wine(return_X_y=True)
    >>> found = compare_representations({"raw": X, "standard": StandardScaler(), "pca-2": PCA(2)}, y, X=X)
    >>> found.best_, found.word
    ('standard', ('best', 'worse', 'worse'))
    """
    check_n_trees(n_trees)
    check_scale(scale)
    check_seed(random_state)
    check_level(level)
    given = read_candidates(candidates, X)
    check_max_rows(max_rows)
    sample, labels = _read(given, X, y, groups)
    rng = np.random.default_rng(random_state)
    sample = draw_most(sample, max_rows, rng, 3)
    folds, made = _make_all(given, X, labels, sample, rng)
    points = [_scaled(each, sample, scale, random_state, n_jobs) for each in made]
    times = 2 * len(points)  # all rounds together cost about two rounds on all rows
    prepare(len(sample), max(each.shape[1] for each in points), n_trees, times)
    race = Elimination(points, sample, folds, n_trees, level, n_jobs, random_state, progress)
    race.run(rng)
    return _result(made, race)


def _read(given: dict[str, Any], X: Any, y: Any, groups: Any) -> tuple[Sample, np.ndarray]:
    """Return rows with one label each in canonical order, and the labels in input order."""
    content = _content(next(iter(given.values())) if X is None else X)
    n = len(content.values)
    target = read_one_label(y, n)
    labels = np.full(n, None, dtype=object)
    labels[target.row] = target.classes[likeliest(target.shares)]
    return make_sample(content, target, None if groups is None else number_groups(groups, n)), labels


def _content(rows: Any) -> Features:
    """Return numbers that define the canonical row order; rows that only a transformer can read stay in input order."""
    from sklearn.utils import check_consistent_length

    try:
        return read_values("X", rows)
    except (TypeError, ValueError):
        with blame("X"):
            check_consistent_length(rows)  # raises for a single number, which has no length
            n = rows.shape[0] if hasattr(rows, "shape") else len(rows)
        return Features(np.arange(n, dtype=np.float64)[:, None], np.ones(1, dtype=bool))


def _make_all(
    given: dict[str, Any], X: Any, labels: np.ndarray, sample: Sample, rng: np.random.Generator
) -> tuple[list[Ints], list[Candidate]]:
    """Return the units of each fold, and all representations with rows in input order."""
    once = {}
    for name, candidate in given.items():  # not a comprehension: it would add a frame to the stack level of warnings
        once[name] = make_once(name, candidate, X, sample.n_input)
    needy = [name for name, made in once.items() if made is None]
    folds = split_stratified(sample, _FOLDS if needy else 1, rng)
    _refuse_poor_folds(sample, folds, needy)
    rows = [sample.row[fold] for fold in folds]
    made = [each or cross_fit(name, given[name], X, labels, rows) for name, each in once.items()]
    return folds, made


def _refuse_poor_folds(sample: Sample, folds: list[Ints], needy: list[str]) -> None:
    """Raise if a half has a single class or group, because nothing can be measured on it."""
    for fold in folds if needy else []:
        groups = 2 if sample.groups is None else len(np.unique(sample.groups[fold]))
        if min(groups, len(np.unique(sample.codes[fold]))) < 2:
            raise InputError(
                f"Representation {needy[0]!r} needs labels, so it is fitted to one half of the rows and transforms the "
                "other half. But one half has a single class or group. Pass more rows or groups."
            )


def _scaled(candidate: Candidate, sample: Sample, scale: str | None, random_state: int, n_jobs: int | None) -> Floats:
    """Return a representation's scaled rows in the sample's order."""
    features = candidate.features.take(sample.row)
    own = replace(sample, features=features)
    return apply_scale(features, pick_scale(scale, own, random_state, n_jobs)[0])


def _result(made: list[Candidate], race: Elimination) -> Comparison:
    """Build the comparison, fewest cross-class edges first; representations that dropped out come last."""
    last, M = race.rounds[-1], len(made)
    best = last.best
    measured = [next(r for r in reversed(race.rounds) if each in r.graphs) for each in range(M)]
    rate = np.array([measured[each].predicted[each] for each in range(M)])
    gap = np.array([measured[each].predicted[each] - measured[each].predicted[best] for each in range(M)])
    error = np.array([0.0 if each == best else measured[each].error(each, best) for each in range(M)])
    n_rows = np.array([r.n_rows for r in measured])
    p_value = np.array([race.p_value(each, measured[each]) for each in range(M)])
    ranked = np.lexsort((rate, n_rows < n_rows.max()))
    columns: dict[str, Any] = {
        "names": [each.name for each in made],
        "how": [each.how for each in made],
        "n_features": np.array([each.features.values.shape[1] for each in made]),
        "n_rows": n_rows,
        "cross_rate": np.array([measured[each].measured(each) for each in range(M)]),
        "predicted": rate,
        "std_error": np.array([measured[each].own_error(each) for each in range(M)]),
        "difference": gap,
        "difference_low": gap - race.reach * error,
        "difference_high": gap + race.reach * error,
        "p_value": p_value,
        "word": np.where(p_value <= 1 - race.level, "worse", NO_DIFFERENCE).tolist(),
    }
    columns["word"][best] = "best"
    picked = float(np.clip(last.predicted[best] + _flattery(last, race.random_state), 0.0, 1.0))
    return Comparison(
        **ranked_best_first(ranked, columns),
        best_cross_rate=picked,
        n_folds=len(race.folds),
        level=race.level,
        rounds=tuple(_tell(r, made) for r in race.rounds),
    )


def _flattery(last: Round, seed: int) -> float:
    """Return how far the smallest rate of the last round is expected to be below its own mean.

    It simulates rates around the measured ones, with their covariances, and averages the noise of the smallest.
    """
    names = list(last.graphs)
    if len(names) == 1:
        return 0.0
    own = {each: last.own_error(each) ** 2 for each in names}
    apart = {(i, j): last.error(i, j) ** 2 for i in names for j in names if i < j}
    covariance = np.array(
        [[(own[i] + own[j] - apart.get((min(i, j), max(i, j)), 0.0)) / 2 for j in names] for i in names]
    )
    rates = np.array([last.predicted[each] for each in names])
    noise = np.random.default_rng(seed).multivariate_normal(
        np.zeros(len(names)), covariance, _DRAWS, check_valid="ignore"
    )
    picked = np.argmin(rates + noise, axis=1)
    return float(max(0.0, -noise[np.arange(_DRAWS), picked].mean()))


def _tell(r: Round, made: list[Candidate]) -> dict[str, Any]:
    return {"n_rows": r.n_rows, "cross_rate": {made[each].name: r.measured(each) for each in r.graphs}}
