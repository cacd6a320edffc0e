"""Make the answer: run the race, extrapolate its learning curves, and combine them with what the trees show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import norm, rankdata

from bayesfloor.answer._answer import GOOD, LIMITED, UPPER_ONLY, Answer, Basis, Curve, Reason
from bayesfloor.answer._drift import Drift
from bayesfloor.answer._forecast import Forecast, make_forecast
from bayesfloor.answer._hazards import DUPLICATES, GROUPS, LATER, NEAR_DUPLICATES, TIME, Hazards
from bayesfloor.answer._learners import (
    BLEND,
    REGISTRY,
    TREES,
    WEIGHTS,
    Size,
    check_effort,
    check_learners,
    encode_codes,
    exact_learners,
    weight_of,
)
from bayesfloor.answer._race import PARTS, Race, choose_learners, run_race
from bayesfloor.floor._edge_counts import VertexLabels
from bayesfloor.floor._fit import Fit, has_copies, near_duplicates
from bayesfloor.floor._results import Floor
from bayesfloor.floor._sample import Sample, Settings, cluster_numbers, draw_rows
from bayesfloor.floor._scaling import apply_scale
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.formulas._learning_curves import Curves, fast_weight, fit_curves
from bayesfloor.formulas._limits import class_weights, effective_count, guessing_limit, lower_limit, upper_limit
from bayesfloor.io._labels import compare_spellings
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import SMALLEST, printable

LEARN_ON = 50_000  # most rows that learners see; larger data are subsampled
LEVEL = 0.95
_LABELS, _FOLDS, _CHOICE = 11, 12, 13  # streams of random numbers
# Smallest gain over guessing that is clear: this many standard errors, and this fraction of the error of guessing.
_CLEARLY, _LEAST_SIGNAL = 3.0, 0.2
# Models of few parameters: they cannot recognise rows. An error near zero without their help may rest on related rows.
_SMOOTH, _NEAR_ZERO, _FAR = ("linear", "quadratic"), 0.1, 0.5
_CHANCE = 0.001  # level of the test that scores rank the classes better than chance
_AGREES_FROM = 0.7  # a second kind of learner confirms the lower end if it gains 70 % of what the best one gains
_ROWS_PER_CLASS = 50
_USELESS_BELOW = 0.1  # a proved lower end under a tenth of the estimate is not shown
_WIDE = 0.1  # width of the range above which an answer is limited
_DRAWS = 200  # bootstrap samples for which the choice of the best learner is repeated
_RARELY_BEST = 0.02
# Bayes error = error (limit of the Brier score / Brier score)^1.38; chosen together with the priors of the curves.
_BRIER_POWER = 1.38


def make_answer(
    floor: Floor,
    fit: Fit,
    settings: Settings,
    effort: str,
    learners: dict[str, Any] | None,
    hazards: Hazards | None = None,
    group: str = "",
) -> Answer:
    """Run the race, and combine its results with those of the trees; ``group`` is the name of the group column."""
    check_effort(effort)
    if learners is not None:
        check_learners(learners)
    own = learners or {}
    if fit.labels.weight is not None:
        raise InputError(
            "answer and verdict do not support sample_weight: learners would be tested on a different problem. "
            "Fit without weights. For other class proportions, pass priors: errors are then weighted to match."
        )
    seen, labels = _seen_by_learners(fit)
    sample = seen.sample
    codes = _draw_labels(labels, np.random.default_rng([settings.random_state, _LABELS]))
    found = hazards or Hazards()

    def of(cluster: Ints, *, beside_equal: bool) -> Answer:
        """Return the answer if rows of a cluster belong together; a neighbour may be a copy unless ``beside_equal``."""
        race = _run(seen, codes, cluster, settings, effort, own)
        # Three limits need no learner: for a neighbour's label, for guessing, and for equal rows with different labels.
        tree_limit = floor.tree_limit(1 - (1 - LEVEL) * WEIGHTS[TREES]) if beside_equal else 1.0
        guessing = limit = floor.constant_error if fit.priors is None else 1 - float(fit.priors.max())
        if fit.priors is None:  # proportions that were asked for are not random
            n = effective_count(codes != np.bincount(codes).argmax(), cluster)
            limit = float(guessing_limit(guessing, n, floor.n_classes, 1 - (1 - LEVEL) * WEIGHTS["guessing"]))
        n_drawn = len(np.unique(fit.sample.cluster))
        proved = float(lower_limit(floor.conflict * n_drawn, n_drawn, LEVEL))
        rng = np.random.default_rng([settings.random_state, _CHOICE])
        ends = Ends(race, floor.n_classes, guessing, seen.points.shape[1], rng)
        upper = _upper(ends, tree_limit, limit, list(own), new_rows=not found.synthetic)
        cautions = (*found.cautions, *_spellings(fit), *_near_duplicates(fit))
        return _combine(ends, upper, proved, cautions, effort, _unit(sample, found, group))

    copies = has_copies(sample, labels)  # these must not be in both training and test rows
    made = of(labels.vertex if copies else cluster_numbers(sample), beside_equal=not copies)
    if found.drift is not None and found.time == LATER:
        return _for_later(made, found.drift)
    return _either(made, of(np.arange(len(sample)), beside_equal=False)) if found.undecided else made


def _for_later(made: Answer, drift: Drift) -> Answer:
    """Return the error on later periods as it was measured, without a ceiling or a forecast for more rows."""
    measured = Reason(Basis.LATER, (drift.error_later, drift.low, drift.high, drift.n_periods))
    none = np.empty(0)
    return replace(
        made,
        estimate=drift.error_later,
        lower=np.nan,
        upper=drift.high,
        why_lower=None,
        why_upper=measured,
        reliability=UPPER_ONLY,
        reasons=(measured,),
        curve=Curve(none.astype(np.int64), none, none, none, none.astype(bool)),
        curve_lower=np.nan,
        forecast=None,
    )


def _either(copies: Answer, cases: Answer) -> Answer:
    """Return the answer if rows are copies, with a range that also holds if they are separate cases."""
    low, high = min(copies, cases, key=lambda each: each.lower), max(copies, cases, key=lambda each: each.upper)
    both = not np.isnan(copies.lower + cases.lower)
    no_signal = (Basis.NO_SIGNAL, Basis.LITTLE_SIGNAL)
    return replace(
        copies,
        reasons=tuple(each for each in copies.reasons if each.basis not in no_signal or cases.has(*no_signal)),
        lower=low.lower if both else np.nan,
        why_lower=low.why_lower if both else None,
        upper=high.upper,
        why_upper=high.why_upper,
        curve_lower=min(copies.curve_lower, cases.curve_lower),
        reliability=copies.reliability if both else UPPER_ONLY,
        as_cases=(cases.estimate, cases.lower, cases.upper),
        forecast=copies.forecast and cases.forecast and copies.forecast.mix(cases.forecast),
    )


def _seen_by_learners(fit: Fit) -> tuple[Fit, VertexLabels]:
    """Return the fit with the rows that learners see, and their labels: with priors more rows than in the trees."""
    if fit.whole is None:
        return fit, fit.labels
    points = apply_scale(fit.whole.features, fit.scale)
    vertices, vertex = find_vertices(points)
    return replace(fit, sample=fit.whole, points=points), fit.whole.labels(vertex, len(vertices))


def _run(fit: Fit, codes: Ints, cluster: Ints, settings: Settings, effort: str, own: dict[str, Any]) -> Race:
    """Race the learners that suit the data and the user's own."""
    X, sample, priors = fit.points, fit.sample, fit.priors
    rng = np.random.default_rng([settings.random_state, _FOLDS])
    if len(codes) > LEARN_ON:
        units = draw_rows(sample, LEARN_ON, rng, priors)
        X, codes, cluster, sample = X[units], codes[units], cluster[units], sample.take(units)
    features = sample.features
    size = Size(len(X), X.shape[1], fit.labels.n_classes, len(features.prepared) or None, effort)
    chosen, left_out = choose_learners(size, settings.random_state, float(class_weights(priors, codes).max()))
    racing = encode_codes({**chosen, **own}, features.code, settings.random_state)
    # Of wide data, the points are only the first components: these learners see all columns.
    exact = exact_learners(own, features.exact)
    ways: Any = {"exact": features.exact, "see_exact": exact, "priors": priors}
    n_jobs, progress = settings.n_jobs, settings.progress
    race = run_race(X, codes, cluster, {**racing, **exact}, effort, rng, n_jobs, progress, **ways)
    left_out = {name: why for name, why in left_out.items() if name not in exact} | race.left_out
    return replace(race, row=sample.row[race.row], left_out=left_out)  # input rows: a fit reorders rows


def _unit(sample: Sample, hazards: Hazards, column: str) -> str:
    """Return what more data have to be."""
    if sample.groups is None:
        return "rows"
    found = hazards.dependence
    kind, column = (GROUPS, column) if found is None else (found.kind, found.column)
    if kind == TIME:
        return "rows from other stretches of time"
    if kind in (DUPLICATES, NEAR_DUPLICATES):
        return "rows that are no duplicates"
    return f"groups ({printable(column)})" if column else "groups"


def _spellings(fit: Fit) -> tuple[Reason, ...]:
    """Return a caution if some labels look like spellings of one class: separating them is not a real task."""
    sizes = np.round(fit.labels.class_sizes).tolist()
    found = compare_spellings(dict(zip(fit.sample.classes.tolist(), sizes, strict=True)))
    if found.alike:
        return (Reason(Basis.SPELLINGS, (len(found.meant), len(set(found.meant.values())))),)
    return (Reason(Basis.TYPOS, (len(found.typos),)),) if found.typos else ()


def _near_duplicates(fit: Fit) -> tuple[Reason, ...]:
    """Return a caution if rows look like near-duplicates and there are no groups."""
    near = 0.0 if fit.sample.groups is not None else near_duplicates(fit.forest)
    return (Reason(Basis.NEAR_DUPLICATES, (near,)),) if near else ()


def _draw_labels(labels: VertexLabels, rng: np.random.Generator) -> Ints:
    """Return one label per row; for soft labels, sample one from each row's class probabilities."""
    if labels.hard:
        return labels.codes
    shares = labels.shares.toarray().cumsum(axis=1)
    return np.asarray((rng.random((len(shares), 1)) * shares[:, -1:] > shares).sum(axis=1))


def _combine(
    ends: Ends,
    limit: tuple[float, Reason],
    proved: float,
    cautions: tuple[Reason, ...],
    effort: str,
    unit: str,
) -> Answer:
    """Make the answer from the ends of the learning curves, the upper limit and the lower limit that is proved."""
    race, (upper, why_upper) = ends.race, limit
    errors = race.errors
    best = min(race.curves or errors, key=errors.__getitem__, default="")
    least = min([*errors.values(), upper, ends.guessing])
    made_up = tuple(each for each in cautions if each.basis is Basis.SYNTHETIC)
    doubts = made_up or _doubts(ends, best)
    forecast, low, middle = None, 0.0, least
    if race.curves:
        between = min(proved, upper), upper
        forecast = make_forecast(race.n_train[-1], ends.at, measured=least, guessing=ends.guessing, ends=between)
        low, middle = forecast.quantiles([(1 - LEVEL) / 2, 0.5]).tolist()
        middle = min(middle, ends.guessing)  # whose error these rows may show a little too low
    curve_lower = np.nan if doubts else low
    if low < SMALLEST and proved < SMALLEST and not doubts:
        doubts = (Reason(Basis.MAY_BE_ZERO),)
    # The lower end is the higher of the curves' and the proved one; a curve in doubt gives none.
    lower, why_lower = (low, Reason(Basis.CURVES)) if low > proved and not doubts else (np.nan, None)
    if np.isnan(lower) and proved > 0:
        lower, why_lower = min(proved, upper), Reason(Basis.EQUAL_ROWS_ALONE if doubts else Basis.EQUAL_ROWS)
    useless = np.isnan(lower) or (bool(doubts) and lower < _USELESS_BELOW * middle)
    width = upper - lower
    wide = (Reason(Basis.WIDE, (width,)),) if not useless and width > _WIDE else ()
    alone = _rests_on_neighbours(errors, ends.guessing)
    reasons = (*(each for each in cautions if each not in doubts), *doubts, *alone, *wide)
    return Answer(
        estimate=max(middle, 0.0 if np.isnan(lower) else lower),
        lower=lower,
        upper=upper,
        why_lower=why_lower,
        why_upper=why_upper,
        reliability=UPPER_ONLY if useless else LIMITED if reasons else GOOD,
        reasons=reasons,
        guessing=ends.guessing,
        best=best,
        errors=errors,
        curve=_curve(ends, best, forecast),
        left_out=race.left_out,
        effort=effort,
        n_rows=len(race.codes),
        n_independent={name: float(race.n_independent(name)) for name in errors},
        n_classes=ends.n_classes,
        unit=unit,
        forecast=forecast,
        curve_lower=curve_lower,
        race=race,
    )


def _upper(ends: Ends, tree_limit: float, guessing: float, own: list[str], *, new_rows: bool) -> tuple[float, Reason]:
    """Return the smallest upper limit and its evidence; only guessing has one if test rows are no ``new_rows``.

    Each learner's limit uses its own fraction of the 5 % significance level, whether or not the others ran. Treating
    the pooled errors of all folds as binomial assumes that learners are stable.
    """
    errors, limits = ends.race.errors, {}
    for name, error in errors.items():
        n = ends.race.n_independent(name)
        limits[name] = float(upper_limit(error * n, n, 1 - (1 - LEVEL) * weight_of(name, own)))
    name, least = min(limits.items(), key=lambda item: item[1], default=("", 1.0))
    if guessing <= min(tree_limit, least) or not new_rows:
        return guessing, Reason(Basis.GUESSING, (guessing, ends.guessing, ends.n_classes))
    if tree_limit < least:
        return tree_limit, Reason(Basis.NEIGHBOUR)
    return least, Reason(Basis.LEARNER, (errors[name],), (name,))


def called(name: str) -> str:
    """Return a learner's name in words."""
    return {
        "neighbours": "a nearest-neighbour classifier",
        "linear": "a linear model",
        "quadratic": "a quadratic model",
        "kernel": "an RBF support vector machine",
        "forest": "a random forest",
        "boosting": "gradient boosting",
        "network": "a small neural network",
        "blend": "a blend of all learners",
    }.get(name, f"the learner {printable(name)}")


def _doubts(ends: Ends, best: str) -> tuple[Reason, ...]:
    """Return the reason why there is no lower end, or nothing if there is one."""
    race, errors, guessing = ends.race, ends.race.errors, ends.guessing
    if not errors:
        return (Reason(Basis.UNTRAINED),)
    gained = guessing - errors[best]
    spread = np.sqrt(errors[best] * (1 - errors[best]) / race.n_independent(best))
    if gained < _CLEARLY * spread:
        area = _best_ranking(race)
        return (Reason(Basis.NO_SIGNAL) if np.isnan(area) else Reason(Basis.RANKING, (area,)),)
    if gained < _LEAST_SIGNAL * guessing:
        return (Reason(Basis.LITTLE_SIGNAL),)
    if not race.curves or len(race.codes) / race.weight.max() < _ROWS_PER_CLASS * ends.n_classes:
        return (Reason(Basis.FEW_ROWS, (_ROWS_PER_CLASS,)),)
    near = [name for name in race.curves if _agrees(errors[name], errors[best], guessing)]
    if len({REGISTRY[name].kind if name in REGISTRY else name for name in near if name != BLEND}) < 2:
        return (Reason(Basis.ONE_KIND, names=(best,)),)
    return ()


def _rests_on_neighbours(errors: dict[str, float], guessing: float) -> tuple[Reason, ...]:
    """Return a caution if only models that remember rows get near zero: rows may be related, and nothing shows it."""
    smooth = [error for name, error in errors.items() if name in _SMOOTH]
    near_zero = min(errors.values(), default=1.0) <= _NEAR_ZERO * guessing
    return (Reason(Basis.NEIGHBOURS_ALONE),) if smooth and near_zero and min(smooth) >= _FAR * guessing else ()


def _best_ranking(race: Race) -> float:
    """Return the largest area under the ROC curve of a class against the others; NaN if chance explains all of them.

    Of a rare class, no learner may be more accurate than guessing, although its scores find the class.
    """
    n, sizes = len(race.codes), np.bincount(race.codes)
    classes = np.flatnonzero(sizes).tolist()
    share = len(np.unique(race.cluster)) / n  # of rows that are independent
    level, areas = norm.isf(_CHANCE / (len(classes) * max(len(race.eta), 1))), [np.nan]
    for eta in race.eta.values():
        for k in classes:
            others = n - sizes[k]
            wins = rankdata(eta[:, k])[race.codes == k].sum() - sizes[k] * (sizes[k] + 1) / 2  # Mann and Whitney
            area = wins / (sizes[k] * others)
            error = np.sqrt((n + 1) / (12 * sizes[k] * others * share))
            areas.append(area if area - 0.5 > level * error else np.nan)
    return float(np.nanmax(areas)) if not np.isnan(areas).all() else np.nan


def _agrees(error: float, best: float, guessing: float) -> bool:
    """Whether a learner's gain over guessing is close to the best learner's."""
    return guessing - error >= _AGREES_FROM * (guessing - best)


def _curve(ends: Ends, best: str, forecast: Forecast | None) -> Curve:
    """Return the best learner's learning curve as measured, and the forecast."""
    race = ends.race
    if not best:
        nothing = np.empty(0)
        return Curve(race.n_train[:0], nothing, nothing, nothing, nothing.astype(bool))
    n_units, measured = race.n_independent(best), race.wrong[best].mean(axis=1)
    there = ~np.isnan(measured)
    n, error = race.n_train[there], measured[there]
    low, high = (limit(error * n_units, n_units, (1 + LEVEL) / 2) for limit in (lower_limit, upper_limit))
    if forecast is None:
        return Curve(n, error, low, high, np.ones(len(n), dtype=bool))
    beyond, levels = forecast.sizes[1:], [0.5, (1 - LEVEL) / 2, (1 + LEVEL) / 2]
    ahead = np.stack([forecast.quantiles(levels, rows) for rows in beyond])
    error, low, high = (np.append(one, two) for one, two in zip((error, low, high), ahead.T, strict=True))
    sizes = np.append(n, beyond.astype(np.int64))
    return Curve(sizes, error, low, high, np.arange(len(sizes)) < len(n))


@dataclass(frozen=True, eq=False)
class Ends:
    """The learning curves of a race's learners, and the errors at which they may level off.

    Three kinds of evidence have equal weight: the error of the best learner, the error of the blend, and the Brier
    score of the best learner, whose decrease shows how far the error can still fall. Which learner is the best is
    uncertain. Rows, or groups of rows, are therefore bootstrapped, jointly for all training sizes, and each learner is
    weighted by how often it wins.
    """

    race: Race
    n_classes: int
    guessing: float
    n_columns: int
    rng: np.random.Generator

    def at(self, growth: float) -> tuple[Floats, Floats]:
        """Return possible lowest errors at this multiple of the rows, and the weight of each."""
        found = [
            (scale * curves.at(growth) ** power, share * curves.weight) for curves, share, scale, power in self._parts
        ]
        value, weight = (np.concatenate(each) for each in zip(*found, strict=True))
        return value, weight / weight.sum()

    @cached_property
    def _parts(self) -> list[tuple[Curves, float, float, float]]:
        """Return curves, their weight, and what turns them into errors: a factor and an exponent."""
        race, errors, found = self.race, self.race.errors, []
        shares = np.bincount(race.codes, minlength=len(race.weight)) / len(race.codes) * race.weight
        brier_guessing = float(1 - (shares**2).sum())
        for name, share in self._wins[0].items():
            found.append((self._fit(name, race.wrong, self.guessing), share, 1.0, 1.0))
        if BLEND in race.curves:
            found.append((self._fit(BLEND, race.wrong, self.guessing), 1.0, 1.0, 1.0))
        for name, share in self._wins[1].items():
            curves, full = self._fit(name, race.brier, brier_guessing), float(race.brier[name][-1].mean())
            scale = errors[name] / max(full, 1e-12) ** _BRIER_POWER
            found.append((curves, share, scale, _BRIER_POWER))
        return found

    def _fast(self, name: str) -> float:
        """Return the weight of curves that fall as 1 / rows; the blend has that of the learners that win."""
        n = float(self.race.n_train[-1])
        per_row = {"linear": self.n_columns / n, "quadratic": self.n_columns**2 / (2 * n)}
        if name in per_row:
            return fast_weight(per_row[name])
        if name != BLEND:
            return 0.0
        shares = {each: sum(wins.get(each, 0.0) for wins in self._wins) for each in self.race.curves if each != BLEND}
        total = sum(shares.values())
        return sum(share * self._fast(each) for each, share in shares.items()) / total if total else 0.0

    @cached_property
    def _wins(self) -> tuple[dict[str, float], dict[str, float]]:
        """How often each learner has the smallest error, and the smallest Brier score."""
        return self._share_of_wins(self.race.wrong), self._share_of_wins(self.race.brier)

    def _share_of_wins(self, losses: dict[str, Floats]) -> dict[str, float]:
        """Return the fraction of bootstrap samples in which each learner has the smallest loss."""
        names = self.race.curves
        totals = np.stack([np.bincount(self._unit, losses[name][-1]) for name in names])
        winner = (totals @ self._draws).argmin(axis=0)
        share = np.bincount(winner, minlength=len(names)) / _DRAWS
        kept = share > _RARELY_BEST
        return {name: float(share[i] / share[kept].sum()) for i, name in enumerate(names) if kept[i]}

    @cached_property
    def _unit(self) -> Ints:
        """Number of each row's group, or of the row itself if there are no groups."""
        return np.unique(self.race.cluster, return_inverse=True)[1]

    @cached_property
    def _n_independent(self) -> float:
        return max(self.race.n_independent(name) for name in self.race.curves)

    @cached_property
    def _draws(self) -> Floats:
        n = int(self._unit.max()) + 1
        return self.rng.multinomial(n, np.full(n, 1 / n), size=_DRAWS).T.astype(np.float64)

    def _fit(self, name: str, of: dict[str, Floats], guessing: float) -> Curves:
        losses = of[name]
        n_units, mean = int(self._unit.max()) + 1, losses.mean(axis=1)
        away = np.stack([np.bincount(self._unit, each - middle) for each, middle in zip(losses, mean, strict=True)])
        covariance = away @ away.T / losses.shape[1] ** 2 * n_units / max(1, n_units - 1)
        return fit_curves(np.array(PARTS), mean, covariance, self._n_independent, guessing, self._fast(name))
