"""Estimate how much time is left over all stages of the work."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

_PRIOR = 0.5  # seconds; after this much planned work, the measured pace counts as much as the expected one


class TimeLeft:
    """The time that is left: for planned stages at the pace so far, and for a stage without a plan at its own pace."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = self._heard = self._began = clock()
        self._stage, self._first, self._last = "", (0, 0.0), 0
        self._left: float | None = None
        self._least, self._fraction = 0.0, 0.0
        self._set({})

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    @property
    def left(self) -> float | None:
        """Seconds that are left, or None if unknown; they stand still while a task takes longer than expected."""
        if self._left is None:
            return None
        return max(self._left - (self._clock() - self._heard), self._least)

    @property
    def fraction(self) -> float:
        """Fraction of the time that has passed; it never falls."""
        if (left := self.left) is not None:
            self._fraction = max(self._fraction, self.elapsed / max(self.elapsed + left, 1e-9))
        return self._fraction

    def plan(self, stages: Mapping[str, Sequence[float]]) -> None:
        """Expect these stages, with the seconds of each part of a stage; an earlier plan no longer counts."""
        self._set(stages)
        self._left = self._least = self._ends[-1]
        self.begin()

    def begin(self) -> None:
        """Measure the pace of the planned stages from now on."""
        self._heard = self._began = self._clock()

    def hear(self, stage: str, done: int, total: int) -> None:
        """Take note of how much of a stage is done."""
        now = self._clock()
        if stage in self._parts:
            self._done, after = (self._seconds(stage, count / total) for count in (done, done + 1))
            self._pace = (now - self._began + _PRIOR) / (self._done + _PRIOR)
            own, each = 0.0, self._pace * (after - self._done)
        else:
            if stage != self._stage or done <= self._last:
                self._first = done, now
            count, since = self._first
            each = (now - since) / max(done - count, 1)
            own = each * (total - done)
        self._stage, self._last, self._heard = stage, done, now
        if own or self._parts:
            self._left = own + self._pace * (self._ends[-1] - self._done)
            self._least = max(0.0, self._left - each)

    def _set(self, stages: Mapping[str, Sequence[float]]) -> None:
        self._parts, parts = {}, list[float]()
        for stage, seconds in stages.items():
            self._parts[stage] = len(parts), len(seconds)
            parts.extend(seconds)
        self._ends = list(accumulate(parts, initial=0.0))
        self._done, self._pace = 0.0, 1.0

    def _seconds(self, stage: str, fraction: float) -> float:
        """Return how many seconds of the plan have passed when this much of a stage is done."""
        first, count = self._parts[stage]
        whole, rest = divmod(first + count * fraction, 1)
        before, after = (self._ends[min(int(whole) + one, len(self._ends) - 1)] for one in (0, 1))
        return before + rest * (after - before)
