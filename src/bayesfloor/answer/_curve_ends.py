"""Extrapolate the learning curves of a race: possible lowest errors and their weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.formulas._learning_curves import Curves, fit_curves, weighted_quantiles
from bayesfloor.learners._folds import PARTS
from bayesfloor.learners._race import Race
from bayesfloor.learners._registry import BLEND

_DRAWS = 200  # bootstrap samples for which the choice of the best learner is repeated
_RARELY_BEST = 0.02
# Bayes error = error (limit of the Brier score / Brier score)^1.38; chosen together with the priors of the curves.
_BRIER_POWER = 1.38


@dataclass(frozen=True, eq=False)
class Ends:
    """The learning curves of a race's learners, and the errors at which they may level off.

    Three kinds of evidence have equal weight: the error of the best learner, the error of the blend, and the Brier
    score of the best learner, whose decrease shows how far the error can still fall. Which learner is the best is
    uncertain. Rows, or groups of rows, are therefore bootstrapped, jointly for all training sizes, and each learner is
    weighted by how often it wins.
    """

    race: Race
    guessing: float
    brier_guessing: float
    rng: np.random.Generator

    @cached_property
    def value(self) -> Floats:
        """Possible lowest errors."""
        return np.concatenate([value for value, _ in self._parts])

    @cached_property
    def weight(self) -> Floats:
        """Weight of each value; the weights add up to 1."""
        weight = np.concatenate([weight for _, weight in self._parts])
        return np.asarray(weight / weight.sum())

    def quantiles(self, levels: list[float]) -> Floats:
        """Return quantiles of the lowest possible error."""
        return weighted_quantiles(self.value, self.weight, np.array(levels))

    def curves(self, name: str) -> Curves:
        """Fit curves to a learner's error."""
        return self._fit(self.race.wrong[name], self.guessing)

    @cached_property
    def _parts(self) -> list[tuple[Floats, Floats]]:
        errors, found = self.race.errors, []
        for name, share in self._wins(self.race.wrong).items():
            curves = self.curves(name)
            found.append((curves.limit, share * curves.weight))
        if BLEND in self.race.curves:
            curves = self.curves(BLEND)
            found.append((curves.limit, curves.weight))
        for name, share in self._wins(self.race.brier).items():
            curves, full = self._fit(self.race.brier[name], self.brier_guessing), self.race.brier[name][-1].mean()
            found.append((errors[name] * (curves.limit / full) ** _BRIER_POWER, share * curves.weight))
        return found

    def _wins(self, losses: dict[str, Floats]) -> dict[str, float]:
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

    def _fit(self, losses: Floats, guessing: float) -> Curves:
        n_units, mean = int(self._unit.max()) + 1, losses.mean(axis=1)
        away = np.stack([np.bincount(self._unit, each - middle) for each, middle in zip(losses, mean, strict=True)])
        covariance = away @ away.T / losses.shape[1] ** 2 * n_units / max(1, n_units - 1)
        return fit_curves(np.array(PARTS), mean, covariance, self._n_independent, guessing)
