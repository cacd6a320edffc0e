"""Test models on a problem: hold out rows, and train on few or all of the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.engine._quiet import ignoring
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.hierarchy._models import ModelKind, blend
from bayesfloor.hierarchy._pairwise_models import CoupledPairs

FOLDS = 3
SMALL = 2000  # rows on which models are tried first
_TESTED = 5000  # most rows to test on per fold


class Tried(NamedTuple):
    """A model trained for a fold, which of the fold's rows it got wrong, and their weights."""

    model: Any
    wrong: Floats
    weight: Floats

    @property
    def error(self) -> float:
        """Weighted fraction of misclassified rows."""
        return float(self.wrong @ self.weight / self.weight.sum())


class Versus(NamedTuple):
    """How much larger one candidate's error is than another's on the same rows, and its standard error."""

    difference: float
    std_error: float

    @property
    def z(self) -> float:
        """The difference, as a multiple of its standard error."""
        return self.difference / max(self.std_error, 1e-12)


@dataclass(eq=False)
class Trial:
    """Rows, codes and weights of a problem, split into folds."""

    X: Floats
    codes: Ints
    weight: Floats | None
    random_state: int
    _tried: dict[tuple[str, int, bool], Tried] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.fold = _make_folds(self.codes, self.random_state)
        self.n_folds = int(self.fold.max()) + 1
        self._order = _even_order(self.codes, np.random.default_rng(self.random_state))

    @property
    def is_small(self) -> bool:
        """Whether the problem is so small that using fewer rows saves nothing."""
        return len(self.codes) * (FOLDS - 1) / FOLDS <= 1.5 * SMALL

    def test(self, candidate: ModelKind, fold: int, *, small: bool) -> Tried:
        """Train a candidate on some or all rows outside a fold, and test it on the fold."""
        key = (candidate.name, fold, small and not self.is_small)
        if key not in self._tried:
            self._tried[key] = self._test(candidate, fold, small=key[2])
        return self._tried[key]

    def _test(self, candidate: ModelKind, fold: int, *, small: bool) -> Tried:
        test = self._order[self.fold[self._order] == fold][:_TESTED]
        if candidate.parts:
            model = blend([self.test(part, fold, small=small).model for part in candidate.parts])
        else:
            model = self._train(candidate, fold, test, small=small)
        wrong = (model.predict(self.X[test]) != self.codes[test]).astype(np.float64)
        return Tried(model, wrong, np.ones(len(test)) if self.weight is None else self.weight[test])

    def _train(self, candidate: ModelKind, fold: int, test: Ints, *, small: bool) -> Any:
        rows = self._order[self.fold[self._order] != fold]
        rows = rows[:SMALL] if small else rows
        model = candidate.fit(self.X[rows], self.codes[rows], None if self.weight is None else self.weight[rows])
        return model.calibrated(self.X[test], self.codes[test]) if isinstance(model, CoupledPairs) else model

    def tested(self, candidate: ModelKind) -> list[int]:
        """Return the folds on which a candidate trained on all rows was tested."""
        return [fold for fold in range(self.n_folds) if (candidate.name, fold, False) in self._tried]

    def error(self, candidate: ModelKind) -> tuple[float, int]:
        """Return the fraction of misclassified rows on the tested folds, and the number of rows tested.

        Rows are unweighted, as in the floors that this is compared with. Candidates were picked on the first fold,
        which favours them, so it is left out if there are others.
        """
        tested = self.tested(candidate)
        folds = [fold for fold in tested if fold > 0] or tested
        wrong = np.concatenate([self._tried[candidate.name, fold, False].wrong for fold in folds])
        return float(wrong.mean()), len(wrong)

    def compare(self, one: ModelKind, two: ModelKind, folds: list[int], *, small: bool) -> Versus:
        """Compare two candidates on the same rows of some folds."""
        first, second = (_join([self.test(each, fold, small=small) for fold in folds]) for each in (one, two))
        differ = (first.wrong - second.wrong) * first.weight / first.weight.sum()
        return Versus(float(differ.sum()), float(np.sqrt((differ**2).sum())))

    def refit(self, candidate: ModelKind) -> Any:
        """Train a candidate on all rows, with the calibration from a fold."""
        if candidate.parts:
            return blend([self.refit(part) for part in candidate.parts])
        model = candidate.fit(self.X, self.codes, self.weight)
        tried = self._tried[candidate.name, self.tested(candidate)[0], False].model
        calibrated = isinstance(model, CoupledPairs) and isinstance(tried, CoupledPairs)
        return model.like(tried) if calibrated else model


def _join(parts: list[Tried]) -> Tried:
    """Join the results of several folds, without the models."""
    return Tried(None, np.concatenate([part.wrong for part in parts]), np.concatenate([part.weight for part in parts]))


def _even_order(codes: Ints, rng: np.random.Generator) -> Ints:
    """Order the rows so that every prefix has the class proportions of the whole, as nearly as possible."""
    place = np.empty(len(codes))
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        place[rng.permutation(rows)] = (np.arange(len(rows)) + 0.5) / len(rows)
    return np.argsort(place, kind="stable")


def _make_folds(codes: Ints, random_state: int) -> Ints:
    """Return the fold of each row, with every class spread over the folds."""
    from sklearn.model_selection import StratifiedKFold

    most = int(np.bincount(codes).max())
    if most < 2:  # nothing to spread
        return np.arange(len(codes)) % 2
    folds = StratifiedKFold(max(2, min(FOLDS, most)), shuffle=True, random_state=random_state)
    fold = np.empty(len(codes), dtype=np.int64)
    with ignoring(UserWarning):  # small classes are flagged by the floor itself
        for number, (_, test) in enumerate(folds.split(codes, codes)):
            fold[test] = number
    return fold
