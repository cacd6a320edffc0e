"""A random forest's error if folds are random, and if dependent rows are held out together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.engine._tasks import one_blas_thread, one_openmp_thread
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.learners._folds import deal_folds
from bayesfloor.learners._registry import REGISTRY, Size

_CLEARLY = 3.0  # smallest clear difference, in standard errors
_LEAST, _RELATIVE = 0.01, 0.15  # smallest difference that matters: absolute, and relative to the lower error


class TwoErrors(NamedTuple):
    """A random forest's cross-validated errors if only equal rows, or if whole units, stay in the same fold."""

    at_random: float
    together: float
    std_error: float

    @property
    def differ(self) -> bool:
        """Whether holding units out together raises the error by more than chance explains, and enough to matter."""
        rise = self.together - self.at_random
        return bool(rise > _CLEARLY * self.std_error and rise > max(_LEAST, _RELATIVE * self.at_random))


def two_errors(seen: Floats, held_out: Floats, codes: Ints, unit: Ints, seed: int) -> TwoErrors:
    """Cross-validate on ``seen`` with random folds, and on ``held_out`` with whole units in the same fold.

    The standard error of the difference treats units as independent, but not the rows within a unit.
    """
    rng = np.random.default_rng([seed, 23])
    at_random = wrong(seen, codes, deal_folds(codes, find_vertices(seen)[1], rng), seed)
    together = wrong(held_out, codes, deal_folds(codes, unit, rng), seed)
    rise = together - at_random
    sums = np.bincount(np.unique(unit, return_inverse=True)[1], rise - rise.mean())
    return TwoErrors(float(at_random.mean()), float(together.mean()), float(np.sqrt((sums**2).sum()) / len(rise)))


def wrong(X: Floats, codes: Ints, fold: Ints, seed: int) -> Floats:
    """Return which rows a random forest gets wrong if it is trained on the other folds."""
    found = np.empty(len(codes))
    with one_blas_thread(), one_openmp_thread():
        for number in range(int(fold.max()) + 1):
            test = fold == number
            if test.all():  # all rows are equal, so guessing is the best that is left
                return (codes != np.bincount(codes).argmax()).astype(np.float64)
            model = REGISTRY["forest"].make(Size(len(X), X.shape[1], 2), seed)
            found[test] = model.fit(X[~test], codes[~test]).predict(X[test]) != codes[test]
    return found
