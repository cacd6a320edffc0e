"""``compare_representations``: find the features, embedding or transformation with the fewest cross-class edges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bayesfloor.counts._vertex_labels import likeliest
from bayesfloor.engine._errors import InputError, blame
from bayesfloor.engine._parameters import check_seed
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.floor._grow import prepare
from bayesfloor.floor._sample import Sample, check_max_rows, deal, make_sample, number_groups
from bayesfloor.floor._scaling import apply_scale, check_scale, pick_scale
from bayesfloor.forest._forest import check_n_trees
from bayesfloor.formulas._confidence_limits import check_level
from bayesfloor.io._features import Features
from bayesfloor.io._labels_and_weights import read_one_label
from bayesfloor.selection._candidates import Candidate, cross_fit, make_once, read_candidates, read_values
from bayesfloor.selection._comparison import Comparison, ranked_best_first
from bayesfloor.selection._elimination import Elimination, Round
from bayesfloor.selection._growing_samples import draw_most
from bayesfloor.selection._selection_path import NO_DIFFERENCE

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
    folds = deal(sample, _FOLDS if needy else 1, rng)
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
    rate = np.array([measured[each].ahead[each] for each in range(M)])
    gap = np.array([measured[each].ahead[each] - measured[each].ahead[best] for each in range(M)])
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
    picked = float(np.clip(last.ahead[best] + _flattery(last, race.random_state), 0.0, 1.0))
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
    rates = np.array([last.ahead[each] for each in names])
    noise = np.random.default_rng(seed).multivariate_normal(
        np.zeros(len(names)), covariance, _DRAWS, check_valid="ignore"
    )
    picked = np.argmin(rates + noise, axis=1)
    return float(max(0.0, -noise[np.arange(_DRAWS), picked].mean()))


def _tell(r: Round, made: list[Candidate]) -> dict[str, Any]:
    return {"n_rows": r.n_rows, "cross_rate": {made[each].name: r.measured(each) for each in r.graphs}}
