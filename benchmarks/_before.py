"""The posterior of the Bayes error before there was a forecast, as commit c20efc04 computed it from a race.

It is kept to compare the forecast with it on the same races: ``quantiles_before`` repeats that commit's prior of the
learning curves and its weights of learners, and must not change.
"""

from functools import cached_property

import numpy as np

from bayesfloor.answer._learners import BLEND

_PARTS = np.array([0.125, 0.25, 0.5, 1.0])
_EXPONENTS = np.array([0.15, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0])
_USUAL_EXPONENT, _EXPONENT_SPREAD = 0.28, 0.4
_RATIO_PRIOR, _SIGMOID, _MISFIT = (2.9, 0.7), 0.03, 0.005
_RATIOS, _STEPS, _LEAST_FALL = (np.arange(60) + 0.5) / 60, np.linspace(-3, 3, 9), 0.02
_BRIER_POWER, _DRAWS, _RARELY_BEST = 1.38, 200, 0.02
_CHOICE = 13  # stream of random numbers


def quantiles_before(race, levels, *, guessing, highest, random_state=0):
    """Return quantiles of the lowest possible error; none is above an error that was measured, or ``highest``."""
    values, weights = _Ends(race, guessing, np.random.default_rng([random_state, _CHOICE])).posterior()
    order = np.argsort(values, kind="stable")
    found = np.interp(levels, np.cumsum(weights[order]) / weights.sum(), values[order])
    return np.minimum(found, min([*race.means("accuracy").values(), highest, guessing]))


class _Ends:
    """The errors at which the learning curves of a race's learners may level off."""

    def __init__(self, race, guessing, rng):
        self.race, self.guessing, self.rng = race, guessing, rng
        self.unit = np.unique(race.cluster, return_inverse=True)[1]
        self.n_units = int(self.unit.max()) + 1

    def posterior(self):
        """Return possible lowest errors and their weights."""
        race, found = self.race, []
        shares = np.bincount(race.codes, minlength=len(race.weight)) / len(race.codes) * race.weight
        brier_guessing = float(1 - (shares**2).sum())
        for name, share in self._wins(race.losses["accuracy"]).items():
            limit, weight = self._fit(race.losses["accuracy"][name], self.guessing)
            found.append((limit, share * weight))
        if BLEND in race.curves:
            found.append(self._fit(race.losses["accuracy"][BLEND], self.guessing))
        for name, share in self._wins(race.losses["brier"]).items():
            limit, weight = self._fit(race.losses["brier"][name], brier_guessing)
            found.append(
                (
                    race.means("accuracy")[name] * (limit / race.losses["brier"][name][-1].mean()) ** _BRIER_POWER,
                    share * weight,
                )
            )
        return tuple(np.concatenate(each) for each in zip(*found, strict=True))

    def _wins(self, losses):
        """Return the fraction of bootstrap samples in which each learner has the smallest loss."""
        names = self.race.curves
        totals = np.stack([np.bincount(self.unit, losses[name][-1]) for name in names])
        share = np.bincount((totals @ self._draws).argmin(axis=0), minlength=len(names)) / _DRAWS
        kept = share > _RARELY_BEST
        return {name: float(share[i] / share[kept].sum()) for i, name in enumerate(names) if kept[i]}

    @cached_property
    def _draws(self):
        return self.rng.multinomial(self.n_units, np.full(self.n_units, 1 / self.n_units), size=_DRAWS).T.astype(float)

    def _fit(self, losses, guessing):
        """Return the limits of possible curves behind these losses, and the weight of each."""
        n, mean = self.n_units, losses.mean(axis=1)
        away = np.stack([np.bincount(self.unit, each - middle) for each, middle in zip(losses, mean, strict=True)])
        covariance = away @ away.T / losses.shape[1] ** 2 * n / max(1, n - 1)
        independent = max(self.race.n_independent(name) for name in self.race.curves)
        misfit = (_MISFIT * np.maximum(mean, 1 / independent)) ** 2 / _PARTS + 0.25 / independent**2
        spread = covariance + np.diag(misfit)
        around = np.maximum(mean[-1] + np.sqrt(spread[-1, -1]) * _STEPS, 1e-4)
        full, ratio, c = (grid.ravel() for grid in np.meshgrid(around, _RATIOS, _EXPONENTS, indexing="ij"))
        limit, top = full * ratio, np.maximum(guessing, full + _LEAST_FALL)
        falls = _PARTS[:, None] ** c
        power = limit + (full - limit) / falls
        sigmoid = limit + (top - limit) / (1 + (top - full) / (full - limit) * falls)
        above, below = _RATIO_PRIOR
        prior = (above - 1) * np.log(ratio) + (below - 1) * np.log1p(-ratio)
        prior -= 0.5 * (np.log(c / _USUAL_EXPONENT) / _EXPONENT_SPREAD) ** 2
        log_weights = []
        for losses_by_curve, share in ((power, 1 - _SIGMOID), (sigmoid, _SIGMOID)):
            gap = losses_by_curve - mean[:, None]
            log_weights.append(np.log(share) + prior - 0.5 * (gap * np.linalg.solve(spread, gap)).sum(axis=0))
        weight = np.exp(np.concatenate(log_weights) - np.max(log_weights))
        return np.tile(limit, 2), weight / weight.sum()
