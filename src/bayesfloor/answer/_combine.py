"""From the ends of learning curves, upper limits and what was proved to one answer, with the reasons for doubt."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.stats import norm, rankdata

from bayesfloor.answer._answer import GOOD, LIMITED, UPPER_ONLY, Answer, Basis, Curve, Reason
from bayesfloor.answer._curve_ends import LEVEL, Ends
from bayesfloor.answer._forecast import Forecast, make_forecast
from bayesfloor.answer._learners import BLEND, REGISTRY, weight_of
from bayesfloor.answer._metrics import CLASSES, FEWEST_OF_CLASS, NUMBERS
from bayesfloor.answer._number_learners import REGRESSORS
from bayesfloor.answer._race import Race
from bayesfloor.support._types import Floats
from bayesfloor.support._words import SMALLEST

# Smallest gain over guessing that is clear: this many standard errors, and this fraction of the error of guessing.
_CLEARLY, _LEAST_SIGNAL = 3.0, 0.2
# Models of few parameters: they cannot recognise rows. An error near zero without their help may rest on related rows.
_SMOOTH, _NEAR_ZERO, _FAR = ("linear", "quadratic"), 0.1, 0.5
_CHANCE = 0.001  # level of the test that scores rank the classes better than chance
_AGREES_FROM = 0.7  # a second kind of learner confirms the lower end if it gains 70 % of what the best one gains
_ROWS_PER_CLASS = 50
_FEWEST_NUMBERS = 100  # tested rows
_USELESS_BELOW = 0.1  # a proved lower end under a tenth of the estimate is not shown
_ROUNDING = 1e-6  # relative: forecasts are rounded
# Weight of another race's curves; how far its best loss is above this race's, relative to it, lowers that.
_OTHER, _BEHIND = 0.5, 0.15
_LEAST_LEFT = 1e-6  # of all weight
_WIDE = 0.1  # width of the range above which an answer is limited


def combine(
    ends: Ends,
    limit: tuple[float, Reason],
    proved: float,
    cautions: tuple[Reason, ...],
    effort: str,
    unit: str,
    other: Ends | None = None,
) -> Answer:
    """Make the answer from the ends of the learning curves, the upper limit and the lower limit that is proved.

    ``other`` are the learning curves of another race, which say something of the lowest possible error too.
    """
    race, metric, (upper, why_upper) = ends.race, ends.metric, limit
    errors = ends.means
    best = min(race.curves or errors, key=errors.__getitem__, default="")
    least = min([*errors.values(), upper, ends.guessing])
    made_up = tuple(each for each in cautions if each.basis in (Basis.SYNTHETIC, Basis.OUTLIERS, Basis.CAPPED))
    doubts = made_up or _doubts(ends, best)
    forecast, low, middle = None, 0.0, least
    if race.curves:
        one = ends.one
        between = min(proved, upper) / one, upper / one
        forecast = make_forecast(
            race.n_train[-1],
            ends.at if other is None or not other.race.curves else partial(_at, ends, other, upper / one),
            measured=least / one,
            guessing=ends.guessing / one,
            ends=between,
            stretch=metric.stretch,
            hidden=metric.hidden,
        ).map(lambda values: values * one)
        low, middle = forecast.quantiles([(1 - LEVEL) / 2, 0.5]).tolist()
        middle = min(middle, ends.guessing)  # whose error these rows may show a little too low
    if Basis.OUTLIERS in [each.basis for each in made_up]:  # an estimate, but no range and no probability
        forecast = None
    curve_lower = np.nan if doubts else low
    if max(low, proved) < SMALLEST * ends.one and not doubts:
        doubts = (Reason(Basis.MAY_BE_ZERO),)
    # The lower end is the higher of the curves' and the proved one; a curve in doubt gives none.
    beyond = low > proved * (1 + _ROUNDING)
    lower, why_lower = (low, Reason(Basis.CURVES)) if beyond and not doubts else (np.nan, None)
    if np.isnan(lower) and proved > 0:
        lower, why_lower = min(proved, upper), Reason(Basis.EQUAL_ROWS_ALONE if doubts else Basis.EQUAL_ROWS)
    useless = np.isnan(lower) or (bool(doubts) and lower < _USELESS_BELOW * middle)
    width = (upper - lower) / ends.one
    wide = (Reason(Basis.WIDE, (width,)),) if not useless and width > _WIDE else ()
    alone = _rests_on_neighbours(errors, ends.guessing) if metric.task == CLASSES else ()
    reasons = (*(each for each in cautions if each not in doubts), *doubts, *alone, *wide)
    return Answer(
        metric=metric.name,
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
        std_errors={} if metric.of_errors else {name: ends.std_error(name) for name in errors},
        n_classes=ends.n_classes,
        unit=unit,
        forecast=forecast,
        curve_lower=curve_lower,
        race=race,
    ).map(metric.shown)


def _at(ends: Ends, other: Ends, upper: float, growth: float) -> tuple[Floats, Floats]:
    """Return possible errors of two races and their weights; curves above what was shown to be reachable are wrong."""
    value, weight = ends.at(growth)
    if not np.isinf(growth):
        return value, weight
    # With as many rows as in this race, the other one's curves should have come as low.
    grown = ends.race.n_train[-1] / other.race.n_train[-1]
    (limit, beside), unit = other.at(np.inf), other.one / ends.one
    reached = (other.at(grown)[0] if grown > 1 else limit) * unit
    values, reached = np.append(value, limit * unit), np.append(value, reached)
    behind = min(other.means.values()) / max(min(ends.means.values()), 1e-300) - 1
    share = _OTHER * float(np.exp(-max(behind, 0.0) / _BEHIND))
    weights = np.append(weight * (1 - share), beside * share)
    left = np.where(reached <= upper, weights, 0.0)
    return values, left if left.sum() > _LEAST_LEFT else weights


def find_upper(
    ends: Ends, tree_limit: float, guessing: float, own: list[str], *, new_rows: bool, share: float = 1.0
) -> tuple[float, Reason]:
    """Return the smallest upper limit and its evidence; only guessing has one if test rows are no ``new_rows``.

    Each learner's limit uses its own fraction of the 5 % significance level, whether or not the others ran. Treating
    the pooled errors of all folds as binomial assumes that learners are stable. ``share`` is that of this race, if
    there are two.
    """
    level = (1 - LEVEL) * share / ends.race.looks
    limits = {name: ends.limit(name, 1 - level * weight_of(name, own)) for name in ends.means}
    name, least = min(limits.items(), key=lambda item: item[1], default=("", np.inf))
    if guessing <= min(tree_limit, least) or not new_rows:
        return guessing, Reason(Basis.GUESSING, (guessing, ends.guessing, ends.n_classes))
    if tree_limit < least:
        return tree_limit, Reason(Basis.NEIGHBOUR)
    return least, Reason(Basis.LEARNER, (float(ends.metric.shown(ends.means[name])),), (name,))


def _doubts(ends: Ends, best: str) -> tuple[Reason, ...]:
    """Return the reason why there is no lower end, or nothing if there is one."""
    race, errors, guessing = ends.race, ends.means, ends.guessing
    if not errors:
        return (Reason(Basis.UNTRAINED),)
    gained = guessing - errors[best]
    if gained < _CLEARLY * ends.std_error(best):
        area = _best_ranking(race) if ends.metric.of_errors else np.nan
        return (Reason(Basis.NO_SIGNAL) if np.isnan(area) else Reason(Basis.RANKING, (area,)),)
    if gained < _LEAST_SIGNAL * guessing:
        return (Reason(Basis.LITTLE_SIGNAL),)
    if ends.metric.weighted and np.bincount(race.codes, minlength=ends.n_classes).min() < FEWEST_OF_CLASS:
        return (Reason(Basis.FEW_OF_CLASS, (FEWEST_OF_CLASS,)),)
    if ends.metric.task == NUMBERS and len(race.codes) < _FEWEST_NUMBERS:
        return (Reason(Basis.FEW_NUMBERS, (_FEWEST_NUMBERS,)),)
    if not race.curves or len(race.codes) / race.weight.max() < _ROWS_PER_CLASS * ends.n_classes:
        return (Reason(Basis.FEW_ROWS, (_ROWS_PER_CLASS,)),)
    registry = REGISTRY if ends.metric.task == CLASSES else REGRESSORS
    near = [name for name in race.curves if _agrees(errors[name], errors[best], guessing)]
    if len({registry[name].kind if name in registry else name for name in near if name != BLEND}) < 2:
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
    level, areas = norm.isf(_CHANCE / (len(classes) * max(len(race.predicted), 1))), [np.nan]
    for eta in race.predicted.values():
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
    measured = ends.losses[best].mean(axis=1)
    there = ~np.isnan(measured)
    n, error = race.n_train[there], measured[there]
    low, high = ends.interval(best, there)
    if forecast is None:
        return Curve(n, error, low, high, np.ones(len(n), dtype=bool))
    beyond, levels = forecast.sizes[1:], [0.5, (1 - LEVEL) / 2, (1 + LEVEL) / 2]
    ahead = np.stack([forecast.quantiles(levels, rows) for rows in beyond])
    error, low, high = (np.append(one, two) for one, two in zip((error, low, high), ahead.T, strict=True))
    sizes = np.append(n, beyond.astype(np.int64))
    return Curve(sizes, error, low, high, np.arange(len(sizes)) < len(n))
