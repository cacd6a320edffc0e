"""The race for a node: all candidates on few rows, the better ones on more, as long as that is worth its time.

Seconds in a race come from the candidates' formulas, so that a fit is the same on every machine. Only a
``time_budget`` is measured by the clock.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import NamedTuple

from bayesfloor.leaving.hierarchy_candidates import Candidate
from bayesfloor.leaving.hierarchy_model_trial import Trial
from bayesfloor.leaving.hierarchy_node_floor import NodeFloor

WORTH = 1.5  # a model that takes longer than this multiple of all time so far must promise a gain
_MOMENT = 1.0  # seconds that are never too long
_TRIFLE = 0.5  # a model that takes less than this multiple of all time so far is tried against its guide's advice
_FOLD_WORTH = 0.5  # another fold, which only sharpens a comparison, may take this multiple of all time so far
_GAIN = 0.2  # how fast a candidate may gain on the best one: its error falls by at most this power of the rows
_SAVING = 0.4  # few rows must cost at most this fraction of all rows to be tried first
_CLEAR = 2.0  # standard errors by which it must be behind to drop out
_SAME_LOSS = 0.01  # a difference of log losses that does not matter
_SETTLED = 2.0  # standard errors that settle a comparison without further folds

AT_FLOOR = "at the floor"
BEATEN = "below the floor, so the floor is too high"
ROOM = "room to improve, but no other model is better"
NO_TIME = "out of time"


class Chosen(NamedTuple):
    """The chosen model, its cross-validated error, the reason for the choice, and what was tried."""

    candidate: Candidate
    error: float
    reason: str
    tried: str


@dataclass(eq=False)
class NodeRace:
    """The race of one problem: ``spent`` are the seconds so far, for the floors and for models."""

    trial: Trial
    floor: NodeFloor
    spent: float
    deadline: float
    in_time: bool = True
    _pace: float = 0.0  # seconds by the clock for each second by the formulas
    _seconds: dict[str, float] = field(default_factory=dict)
    _errors: dict[str, float] = field(default_factory=dict)
    _left_out: dict[str, float] = field(default_factory=dict)

    def run(self, candidates: list[Candidate]) -> Chosen:
        """Race the candidates and choose one."""
        alive = sorted(candidates, key=lambda one: one.seconds(self.trial.size()))
        for level in range(self.trial.last):
            alive = self._heat(alive, level)
        best = self._final(alive)
        error, tested = self.trial.error(best)
        return Chosen(best, error, self._reason(error, tested), self._describe())

    def _heat(self, alive: list[Candidate], level: int) -> list[Candidate]:
        """Test candidates on few rows, if that saves time; return those that may still win, one of each family."""
        tested, later = list[Candidate](), list[Candidate]()
        for one in alive:
            if one.seconds(self.trial.size(level)) > _SAVING * one.seconds(self.trial.size(self.trial.last)):
                later.append(one)
            elif not tested or self._is_worth(one, tested, 0, level):
                self._test(one, 0, level)
                tested.append(one)
                tested.sort(key=lambda each: self._error(each, level))
        firsts = {one.family: one for one in reversed(tested)}
        kept = [one for one in tested if firsts[one.family] is one and not self._is_behind(one, tested[0], level)]
        return kept + later

    def _is_behind(self, one: Candidate, best: Candidate, level: int) -> bool:
        """Whether a candidate's error, extrapolated to all rows in its favour, is clearly above the best one's."""
        ahead = (self.trial.sizes[-1] / self.trial.sizes[level]) ** _GAIN
        behind = self._error(one, level) > ahead * self._error(best, level)
        return behind and self.trial.compare(one, best, [0], level).z > _CLEAR

    def _final(self, alive: list[Candidate]) -> Candidate:
        """Test on all rows; of the candidates within one standard error of the best, return the fastest to predict.

        Its log loss must be within one standard error of the lowest among them too.
        """
        level, order = self.trial.last, [*range(1, self.trial.n_folds), 0]
        families = dict[str, list[Candidate]]()
        for one in alive:
            families.setdefault(one.family, []).append(one)
        ranked = list[Candidate]()  # the best first
        for variants in families.values():
            if not ranked:
                ranked.append(self._pick(variants))
                self._test(ranked[0], order[0], level)
            elif self._is_worth(variants[0], ranked, order[0], level):
                one = self._pick(variants)
                ranked.insert(0 if self._duel(one, ranked[0], order) < 0 else len(ranked), one)
        faster = sorted(ranked, key=self._row_seconds)
        good = [one for one in faster if one is ranked[0] or self._is_as_good(one, ranked[0], order)]
        return next((one for one in good if all(self._is_as_sure(one, each) for each in good)), ranked[0])

    def _pick(self, variants: list[Candidate]) -> Candidate:
        """Return the best of a family on the first fold, which then comes last, since it favours it."""
        if len(variants) > 1:
            for one in variants:
                self._test(one, 0, self.trial.last)
        return variants[0] if len(variants) == 1 else min(variants, key=lambda each: self._error(each, self.trial.last))

    def _duel(self, one: Candidate, best: Candidate, order: list[int]) -> float:
        """Return by how many standard errors a candidate is worse; use more folds while it looks better."""
        z = 0.0
        for n_folds in range(1, len(order) + 1):
            z = self._compare(one, best, order[:n_folds])
            if z > 0 or z < -_SETTLED or not self._is_open(one, best):
                break
        return z

    def _is_open(self, one: Candidate, best: Candidate) -> bool:
        """Whether another fold is worth its time."""
        both = one.seconds(self.trial.size(self.trial.last)) + best.seconds(self.trial.size(self.trial.last))
        return self._time_left(one, self.trial.last) and both <= _FOLD_WORTH * max(self.spent, _MOMENT)

    def _is_as_good(self, one: Candidate, best: Candidate, order: list[int]) -> bool:
        """Whether a candidate stays within one standard error of the best on all folds that are worth their time."""
        for n_folds in range(1, len(order) + 1):
            if self._compare(one, best, order[:n_folds]) > 1:
                return False
            if not self._is_open(one, best):
                break
        return True

    def _is_as_sure(self, one: Candidate, two: Candidate) -> bool:
        """Whether a candidate's log loss is at most a standard error, or next to nothing, above another's."""
        versus = self.trial.compare_losses(one, two)
        return versus.z <= 1 or versus.difference <= _SAME_LOSS

    def _compare(self, one: Candidate, two: Candidate, folds: list[int]) -> float:
        """Return by how many standard errors a candidate is worse than another on these folds."""
        for each in (one, two):
            self._test(each, folds[-1], self.trial.last)
        return self.trial.compare(one, two, folds, self.trial.last).z

    def _row_seconds(self, one: Candidate) -> float:
        return one.row_seconds(self.trial.size())

    def _is_worth(self, one: Candidate, ranked: list[Candidate], fold: int, level: int) -> bool:
        """Whether there is time for a candidate, its guide does not advise against it, and it may pay."""
        if not self._time_left(one, level):
            return False
        seconds = one.seconds(self.trial.size(level))
        guides = [each for each in ranked if each.family == one.guide]
        advised = not one.guide or any(self.trial.compare(each, ranked[0], [fold], level).z <= 1 for each in guides)
        if seconds <= max(_MOMENT, _TRIFLE * self.spent) or (advised and self._may_pay(one, ranked[0], fold, level)):
            return True
        self._left_out[one.family] = seconds
        return False

    def _may_pay(self, one: Candidate, best: Candidate, fold: int, level: int) -> bool:
        """Whether a test costs little beside all time so far, or the floor leaves room for a better model."""
        if one.seconds(self.trial.size(level)) <= WORTH * max(self.spent, _MOMENT):
            return True
        falls = (self.trial.sizes[level] / self.trial.sizes[-1]) ** _GAIN
        known = self.trial.test(best, fold, level)
        return self.floor.may_gain(falls * known.error, len(known.wrong))

    def _time_left(self, one: Candidate, level: int) -> bool:
        """Whether a candidate and its final training would end before the deadline."""
        if self.deadline == float("inf") or not self._errors:
            return True
        needed = self._pace * (one.seconds(self.trial.size(level)) + one.seconds(self.trial.size()))
        if time.monotonic() + needed > self.deadline:
            self.in_time = False
        return self.in_time

    def _test(self, one: Candidate, fold: int, level: int) -> None:
        if self.trial.is_tested(one, fold, level):
            return
        cost, start = one.seconds(self.trial.size(level)), time.monotonic()
        error = self.trial.test(one, fold, level).error
        self._pace = max(self._pace, (time.monotonic() - start) / cost)
        self.spent += cost
        self._seconds[one.family] = self._seconds.get(one.family, 0.0) + cost
        self._errors[one.family] = error
        self._left_out.pop(one.family, None)

    def _error(self, one: Candidate, level: int) -> float:
        return self.trial.test(one, 0, level).error

    def _reason(self, error: float, tested: int) -> str:
        if self.floor.is_beaten(error, tested):
            return BEATEN
        if not self.floor.shows_room(error, tested):
            return AT_FLOOR
        return ROOM if self.in_time else NO_TIME

    def _describe(self) -> str:
        """Return the families that were tried, with their last errors and costs, and those left out."""
        told = [f"{name} {self._errors[name]:.3f} ({seconds:.2g} s)" for name, seconds in self._seconds.items()]
        left = [f"{name} ({seconds:.2g} s)" for name, seconds in self._left_out.items()]
        return f"tried {', '.join(told)}" + (f"; not worth their time: {', '.join(left)}" if left else "")
