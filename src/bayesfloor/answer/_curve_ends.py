"""The learning curves of a race by one metric: where they level off, and the confidence limits of what was measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from bayesfloor.answer._learners import BLEND, WEIGHTS
from bayesfloor.answer._metrics import ACCURACY, BRIER, Metric
from bayesfloor.answer._race import PARTS, Race
from bayesfloor.formulas._learning_curves import Curves, Prior, fast_weight, fit_curves
from bayesfloor.formulas._limits import lower_limit, two_sided, unit_means, upper_limit
from bayesfloor.support._types import Floats, Ints

LEVEL = 0.95
_DRAWS = 200  # bootstrap samples for which the choice of the best learner is repeated
_RARELY_BEST = 0.02
_MOST_UNITS = 10_000  # of which bootstrap samples are drawn if more rows are tested than folds have
# What differs if learners grow with the rows and training sizes are five-fold apart: such curves bend more, and come
# closer to where they level off. Chosen on the training families of ``benchmarks.rows``.
_GROWN_MISFIT, _GROWN_RATIO = 0.02, (6.0, 1.0)


@dataclass(frozen=True, eq=False)
class Ends:
    """The learning curves of a race's learners by one metric, and the losses at which they may level off.

    Up to three kinds of evidence have equal weight: the loss of the best learner, the loss of the blend, and for errors
    the Brier score of the best learner, whose decrease shows how far the error can still fall. Which learner is the
    best is uncertain. Rows, or groups of rows, are therefore bootstrapped, jointly for all training sizes, and each
    learner is weighted by how often it wins.
    """

    race: Race
    n_classes: int
    n_columns: int
    rng: np.random.Generator
    metric: Metric = ACCURACY
    known_guessing: float | None = None  # the error of guessing, if it rests on more than the race's rows

    @property
    def losses(self) -> dict[str, Floats]:
        """The losses of all learners."""
        return self.race.losses[self.metric.name]

    @cached_property
    def means(self) -> dict[str, float]:
        """The cross-validated mean loss of each learner."""
        return self.race.means(self.metric.name)

    @cached_property
    def guessing(self) -> float:
        """The loss of the best prediction that uses no feature."""
        return float(self._guesses.mean()) if self.known_guessing is None else self.known_guessing

    @cached_property
    def _guesses(self) -> Floats:
        return self.metric.guess(self._truth)

    @property
    def _truth(self) -> Any:
        return self.race.codes if self.race.y is None else self.race.y

    @property
    def one(self) -> float:
        """The loss in which other losses are counted: 1 for errors, and that of guessing for the rest."""
        return 1.0 if self.metric.of_errors else max(self.guessing, 1e-300)

    def guessing_limit(self) -> float:
        """Return an upper limit of what guessing loses; it is known if all classes count equally."""
        level = 1 - (1 - LEVEL) * WEIGHTS["guessing"]
        return self.guessing if self.metric.weighted else self._limit(self._guesses, level)

    def limit(self, name: str, level: float) -> float:
        """Return an upper limit of a learner's expected loss."""
        if not self.metric.of_errors:
            return self._limit(self.losses[name][-1], level)
        n = self.race.n_independent(name)
        return float(upper_limit(self.means[name] * n, n, level))

    def _limit(self, losses: Floats, level: float) -> float:
        if self.metric.weighted and len(np.bincount(self.race.codes)) < self.n_classes:  # no row of the last class
            return self.metric.most
        return self.metric.limit(losses, self._truth, self.race.cluster, level)

    def std_error(self, name: str) -> float:
        """Return the standard error of a learner's mean loss."""
        if self.metric.of_errors:
            return float(np.sqrt(self.means[name] * (1 - self.means[name]) / self.race.n_independent(name)))
        values = unit_means(self.losses[name][-1], self.race.cluster)
        return float(values.std() / np.sqrt(len(values)))

    def interval(self, name: str, there: np.ndarray) -> tuple[Floats, Floats]:
        """Return the 95 % interval of a learner's mean loss at each training size at which it was trained."""
        losses = self.losses[name][there]
        if self.metric.of_errors:
            n, error = self.race.n_independent(name), losses.mean(axis=1)
            return lower_limit(error * n, n, (1 + LEVEL) / 2), upper_limit(error * n, n, (1 + LEVEL) / 2)
        values = np.stack([unit_means(each, self.race.cluster) for each in losses])
        reach = two_sided(LEVEL, values.shape[1] - 1) * values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
        return np.maximum(values.mean(axis=1) - reach, 0.0), np.minimum(values.mean(axis=1) + reach, self.metric.most)

    def at(self, growth: float) -> tuple[Floats, Floats]:
        """Return possible lowest errors at this multiple of the rows, and the weight of each."""
        found = [
            (scale / self.one * curves.at(growth) ** power, share * curves.weight)
            for curves, share, scale, power in self._parts
        ]
        value, weight = (np.concatenate(each) for each in zip(*found, strict=True))
        return value, weight / weight.sum()

    @cached_property
    def _parts(self) -> list[tuple[Curves, float, float, float]]:
        """Return curves, their weight, and what turns them into losses: a factor and an exponent."""
        race, errors, found = self.race, self.means, []
        power, own, brier = self.metric.power, self.losses, race.losses.get(BRIER.name, {})
        for name, share in self._wins[0].items():
            found.append((self._fit(name, own, self.guessing), share, 1.0, 1.0))
        if BLEND in race.curves:
            found.append((self._fit(BLEND, own, self.guessing), 1.0, 1.0, 1.0))
        for name, share in self._wins[1].items() if power else ():
            shares = np.bincount(race.codes, minlength=len(race.weight)) / len(race.codes) * race.weight
            curves, full = self._fit(name, brier, float(1 - (shares**2).sum())), float(brier[name][-1].mean())
            scale = errors[name] / max(full, 1e-12) ** power
            found.append((curves, share, scale, power))
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

    @property
    def _prior(self) -> Prior:
        prior = self.metric.prior
        if self.race.parts == PARTS:
            return prior
        return replace(prior, misfit=max(prior.misfit, _GROWN_MISFIT), ratio=_GROWN_RATIO)

    @cached_property
    def _wins(self) -> tuple[dict[str, float], dict[str, float]]:
        """How often each learner has the smallest loss, and the smallest Brier score, if that is of use."""
        brier = self._share_of_wins(self.race.losses[BRIER.name]) if self.metric.power else {}
        return self._share_of_wins(self.losses), brier

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
        """Number of each row's group, or of the row itself if there are no groups; many are put together."""
        unit = np.unique(self.race.cluster, return_inverse=True)[1]
        if self.race.parts == PARTS or unit.max() < _MOST_UNITS:
            return unit
        return np.asarray(unit * _MOST_UNITS // (unit.max() + 1))

    @cached_property
    def _n_independent(self) -> float:
        if not self.metric.of_errors:
            return float(self._unit.max() + 1)
        return max(self.race.n_independent(name) for name in self.race.curves)

    @cached_property
    def _draws(self) -> Floats:
        n = int(self._unit.max()) + 1
        return self.rng.multinomial(n, np.full(n, 1 / n), size=_DRAWS).T.astype(np.float64)

    def _fit(self, name: str, of: dict[str, Floats], guessing: float) -> Curves:
        """Fit a learner's curve; losses without a natural size are counted in those of guessing."""
        race, size = self.race, self.one if of is self.losses else 1.0
        losses = of[name] / size
        n_units, mean = int(self._unit.max()) + 1, losses.mean(axis=1)
        away = np.stack([np.bincount(self._unit, each - middle) for each, middle in zip(losses, mean, strict=True)])
        covariance = away @ away.T / losses.shape[1] ** 2 * n_units / max(1, n_units - 1)
        made = fit_curves(
            np.array(race.parts), mean, covariance, self._n_independent, guessing / size, self._fast(name), self._prior
        )
        return made.times(size)
