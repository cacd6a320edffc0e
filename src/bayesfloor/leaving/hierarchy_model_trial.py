"""Test models on a problem: hold out rows, and train on growing numbers of the others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._learners import Size
from bayesfloor.answer._race import deal_folds, nested_order
from bayesfloor.leaving.hierarchy_candidates import Candidate
from bayesfloor.leaving.hierarchy_problem import Problem
from bayesfloor.support._types import Floats, Ints

FOLDS = 3
SMALL, _PER_CLASS, _GROWTH = 1000, 10, 4  # rows to start with, at least this many per class, and the step from then on
_LEAST = 1e-6  # probability, for log losses of classes that a model does not know
_TESTED = 5000  # most rows to test on per fold


class Tried(NamedTuple):
    """A model trained for a fold, which of the fold's rows it got wrong, their log losses, and their weights."""

    model: Any
    wrong: Floats
    loss: Floats
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
    """A problem with its rows dealt to folds; ``sizes`` are the growing numbers of training rows."""

    problem: Problem
    random_state: int
    _tried: dict[tuple[str, int, int], Tried] = field(default_factory=dict)

    def __post_init__(self) -> None:
        codes, rng = self.problem.codes, np.random.default_rng(self.random_state)
        cluster = np.arange(len(codes)) if self.problem.groups is None else self.problem.groups
        self.n_classes = len(np.unique(codes))
        self.fold = deal_folds(codes, cluster, rng, FOLDS)
        self.n_folds = int(self.fold.max()) + 1
        self._order = nested_order(codes, cluster, rng)
        self.sizes = _sizes(round(len(codes) * (1 - 1 / self.n_folds)), self.n_classes)

    @property
    def last(self) -> int:
        """The level at which all rows outside a fold are used."""
        return len(self.sizes) - 1

    def size(self, level: int | None = None) -> Size:
        """Return the size of the training set at a level, or of the whole problem."""
        n_rows = len(self.problem.codes) if level is None else self.sizes[level]
        return Size(n_rows, self.problem.X.shape[1], self.n_classes)

    def relabelled(self, codes: Ints) -> Trial:
        """Return a trial of other classes in the same folds."""
        other = replace(self, problem=replace(self.problem, codes=codes), _tried={})
        other.fold, other._order = self.fold, self._order
        other.n_folds, other.n_classes = self.n_folds, len(np.unique(codes))
        return other

    def test(self, candidate: Candidate, fold: int, level: int) -> Tried:
        """Train a candidate on some or all rows outside a fold, and test it on the fold."""
        key = (candidate.name, fold, level)
        if key not in self._tried:
            self._tried[key] = self._test(candidate, fold, level)
        return self._tried[key]

    def is_tested(self, candidate: Candidate, fold: int, level: int) -> bool:
        """Whether a candidate was tested before."""
        return (candidate.name, fold, level) in self._tried

    def tested(self, fold: int, level: int) -> Ints:
        """Return the rows that candidates are tested on."""
        most = _TESTED if level == self.last else 2 * SMALL
        return self._order[self.fold[self._order] == fold][:most]

    def _test(self, candidate: Candidate, fold: int, level: int) -> Tried:
        rows = self._order[self.fold[self._order] != fold]
        rows = rows if level == self.last else rows[: self.sizes[level]]
        own, test = self.problem.take(rows), self.problem.take(self.tested(fold, level))
        model = candidate.fit(own, self.random_state).calibrated(test.X, test.codes)
        chances = model.predict_proba(test.X)
        wrong = (model.classes_[chances.argmax(axis=1)] != test.codes).astype(np.float64)
        loss = -np.log(np.maximum(_chance_of(test.codes, model.classes_, chances), _LEAST))
        return Tried(model, wrong, loss, np.ones(len(wrong)) if test.weight is None else test.weight)

    def folds_of(self, candidate: Candidate) -> list[int]:
        """Return the folds on which a candidate trained on all rows was tested."""
        return [fold for fold in range(self.n_folds) if self.is_tested(candidate, fold, self.last)]

    def error(self, candidate: Candidate) -> tuple[float, int]:
        """Return the fraction of misclassified rows on the tested folds, and the number of rows tested.

        Rows are unweighted, as in the floors that this is compared with. Candidates were picked on the first fold,
        which favours them, so it is left out if there are others.
        """
        tested = self.folds_of(candidate)
        folds = [fold for fold in tested if fold > 0] or tested
        wrong = np.concatenate([self.test(candidate, fold, self.last).wrong for fold in folds])
        return float(wrong.mean()), len(wrong)

    def compare(self, one: Candidate, two: Candidate, folds: list[int], level: int) -> Versus:
        """Compare the errors of two candidates on the same rows of some folds."""
        pairs = [(self.test(one, fold, level), self.test(two, fold, level)) for fold in folds]
        return _versus([(a.wrong - b.wrong, a.weight) for a, b in pairs])

    def compare_losses(self, one: Candidate, two: Candidate) -> Versus:
        """Compare the log losses of two candidates trained on all rows, on the folds on which both were tested."""
        folds = set(self.folds_of(one)) & set(self.folds_of(two))
        pairs = [(self.test(one, fold, self.last), self.test(two, fold, self.last)) for fold in sorted(folds)]
        return _versus([(a.loss - b.loss, a.weight) for a, b in pairs])

    def refit(self, candidate: Candidate) -> Any:
        """Train a candidate on all rows, with the calibration from a fold."""
        model = candidate.fit(self.problem, self.random_state)
        tried = self.test(candidate, self.folds_of(candidate)[0], self.last).model
        return model.like(tried) if type(model) is type(tried) else model


def _chance_of(codes: Ints, classes: Ints, chances: Floats) -> Floats:
    """Return the probability of each row's own class; 0 for classes that the model does not know."""
    place = np.minimum(np.searchsorted(classes, codes), len(classes) - 1)
    return np.where(classes[place] == codes, chances[np.arange(len(codes)), place], 0.0)


def _versus(parts: list[tuple[Floats, Floats]]) -> Versus:
    """Return the mean of weighted differences with its standard error."""
    more, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    differ = more * weight / weight.sum()
    return Versus(float(differ.sum()), float(np.sqrt((differ**2).sum())))


def _sizes(n_rows: int, n_classes: int) -> list[int]:
    """Return the numbers of training rows: few at first, all at last."""
    sizes, size = [], max(SMALL, _PER_CLASS * n_classes)
    while 1.5 * size < n_rows:
        sizes.append(size)
        size *= _GROWTH
    return [*sizes, n_rows]
