"""Seconds and bytes: repeated measurements in alternation, and the peak memory of this process."""

import sys
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

# Anything that takes a minute has been measured often enough after three rounds.
_ENOUGH_ROUNDS, _ENOUGH_SECONDS = 3, 60


class Timing(NamedTuple):
    """The seconds of each round, and the result of the last one."""

    seconds: list
    result: object

    @property
    def best(self):
        """Return the smallest time: other work on the machine disturbed the others."""
        return min(self.seconds)

    @property
    def spread(self):
        """Return how much longer the slowest round took, relative to the fastest; None for a single round."""
        return max(self.seconds) / self.best - 1 if len(self.seconds) > 1 else None


def children_time():
    """Return the CPU seconds of the processes that this one started and waited for."""
    import resource  # not on Windows

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


CLOCKS = {"CPU": time.process_time, "wall": time.perf_counter, "children": children_time}


def seconds_of(function, clock="CPU"):
    """Return the seconds of one call, and its result."""
    now = CLOCKS[clock]
    start = now()
    result = function()
    return now() - start, result


def take_turns(functions, rounds, clock="CPU", enough=_ENOUGH_SECONDS):
    """Time functions by name, called in alternation, so that disturbances affect all of them.

    No further round starts after three rounds if they took more than ``enough`` seconds.
    """
    seconds, results = {name: [] for name in functions}, {}
    start = time.perf_counter()
    for done in range(rounds):
        if done >= _ENOUGH_ROUNDS and time.perf_counter() - start > enough:
            break
        for name, function in functions.items():
            taken, results[name] = seconds_of(function, clock)
            seconds[name].append(taken)
    return {name: Timing(seconds[name], results[name]) for name in functions}


def median_ratio(ours, theirs):
    """Return the median, minimum and maximum over rounds of the ratio of two times of the same round."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return median(ratios), min(ratios), max(ratios)


def peak_gigabytes():
    """Return the peak memory of this process so far.

    Linux hands ``ru_maxrss`` down to a child when it is started, so a small child of a large parent
    would report the parent's peak; the kernel's own count for the running program does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e9
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9
