"""Where the CPU time of ``check`` goes: seconds per stage and dataset, on one thread.

``python -m benchmarks.profile_check [NAME ...]`` measures each dataset three times: "cold" in a fresh process with an
empty cache of compiled kernels, "warm" in a fresh process with a full one, and "second", the second call of that
process. The last columns compare the second call with a 5-fold cross-validation of a random forest of 100 trees in the
same process. Nothing is saved. Datasets are read from the folder named by ``BAYESFLOOR_DATA``; "adult" needs a
generator of messy files (see ``benchmarks.messy``).
"""

import argparse
import tempfile
from contextlib import ExitStack
from importlib import import_module
from time import process_time
from unittest.mock import patch

from benchmarks._check_tasks import open_problem
from benchmarks._data import SEED
from benchmarks._fresh import run_fresh
from benchmarks._timing import peak_gigabytes, seconds_of
from benchmarks.answers import validate_forest

SIZES = {
    "letter": 20_000,
    "satimage": 7000,
    "pendigits": 20_000,
    "adult": 12_000,
    "hundred": 20_000,
    "manifold": 20_000,
    "mnist_train": 60_000,
    "digits": 1797,
}
EFFORTS = ("quick", "normal", "thorough")
# Each function with the module that calls it; the time of a stage excludes that of the stages within it.
STAGES = {
    "reading": [("bayesfloor.summary._check", "open_data"), ("bayesfloor.floor._bayes_floor", "read_sample")],
    "warnings": [
        ("bayesfloor.summary._check", name)
        for name in ("label_table", "find_dependence", "find_leaks", "find_doubtful", "find_close_rows")
    ],
    "scale": [("bayesfloor.floor._bayes_floor", "pick_scale"), ("bayesfloor.floor._bayes_floor", "apply_scale")],
    "enough rows": [("bayesfloor.floor._bayes_floor.BayesFloor", "_draw_enough")],
    "trees": [("bayesfloor.floor._fit", "class_forests")],
    "intervals": [("bayesfloor.floor._fit", "measure_spread"), ("bayesfloor.floor._fit", "tie_spread")],
    "tree results": [("bayesfloor.floor._bayes_floor.BayesFloor", "_measure")],
    "race": [("bayesfloor.answer._make_answer", "run_race")],
    "answer": [("bayesfloor.answer._make_answer", "put_together")],
    "check": [("bayesfloor.summary._check", "make_check")],
}


class Clock:
    """CPU seconds by stage; a stage stops while another one runs inside it."""

    def __init__(self):
        self.seconds, self.running, self.since = {}, ["the rest"], process_time()

    def switch(self):
        """Credit the time since the last switch to the stage that is running."""
        now = process_time()
        self.seconds[self.running[-1]] = self.seconds.get(self.running[-1], 0.0) + now - self.since
        self.since = now

    def timed(self, stage, function):
        """Wrap a function so that its time is credited to a stage, or to the stage that its arguments name."""

        def call(*given, **named):
            self.switch()
            self.running.append(stage(*given) if callable(stage) else stage)
            try:
                return function(*given, **named)
            finally:
                self.switch()
                self.running.pop()

        return call


def learner_of(_held, _number, _rows, learner, _n_classes):
    """Return the stage of a task of the race: its learner."""
    return f"race: {type(learner[-1] if hasattr(learner, 'steps') else learner).__name__}"


def measure_stages(X, y, effort):
    """Return the CPU seconds of each stage of a check of rows or a file."""
    from bayesfloor import check

    clock = Clock()
    places = [(stage, *place) for stage, each in STAGES.items() for place in each]
    with ExitStack() as stack:
        for stage, home, name in [*places, (learner_of, "bayesfloor.answer._race", "_test")]:
            owner = _find(home)
            stack.enter_context(patch.object(owner, name, clock.timed(stage, getattr(owner, name))))
        check(X, y, n_jobs=1, effort=effort, random_state=SEED)
        clock.switch()
    return clock.seconds


def _find(path):
    """Return a module, or a class in a module."""
    module, _, last = path.rpartition(".")
    return getattr(import_module(module), last) if last[0].isupper() else import_module(path)


def measure_process(name, most, effort):
    """Return the stages of the first and the second check of this process, and a forest's cross-validation."""
    with open_problem(name, most) as problem:
        import_module("bayesfloor.summary._check")
        first = measure_stages(*problem.given, effort)
        peak, second = peak_gigabytes(), measure_stages(*problem.given, effort)
    forest = seconds_of(lambda: validate_forest(*problem.rows))[0]
    return {"first": first, "second": second, "forest": forest, "peak": peak}


def profile(name, most, effort):
    """Print the stages of one dataset."""
    run = {"name": name, "most": most, "effort": effort}
    with tempfile.TemporaryDirectory() as cache:
        cold = run_fresh("benchmarks.profile_check:measure_process", {"NUMBA_CACHE_DIR": cache}, **run)
        warm = run_fresh("benchmarks.profile_check:measure_process", {"NUMBA_CACHE_DIR": cache}, **run)
    columns = {"cold": cold["first"], "warm": warm["first"], "second": warm["second"]}
    print(f"\n{name}, effort {effort}, peak {warm['peak']:.2f} GB; CPU seconds")
    print(f"{'stage':34}" + "".join(f"{column:>9}" for column in columns))
    stages = sorted({stage for each in columns.values() for stage in each}, key=lambda it: -warm["second"].get(it, 0))
    for stage in stages:
        print(f"{stage:34}" + "".join(f"{each.get(stage, 0):9.2f}" for each in columns.values()))
    totals = [sum(each.values()) for each in columns.values()]
    print(f"{'all':34}" + "".join(f"{total:9.2f}" for total in totals))
    print(f"{'of a forest, cross-validated':34}" + "".join(f"{total / warm['forest']:9.2f}" for total in totals))


def main():
    """Profile the datasets that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile_check", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(SIZES)} (default: all)")
    parser.add_argument("--effort", choices=EFFORTS, default="normal")
    parser.add_argument("--rows", type=int, help="at most this many rows of each")
    options = parser.parse_args()
    unknown = ", ".join(name for name in options.names if name not in SIZES)
    if unknown:
        parser.error(f"got {unknown}, but expected some of {', '.join(SIZES)}")
    for name in options.names or SIZES:
        profile(name, min(SIZES[name], options.rows or SIZES[name]), options.effort)


if __name__ == "__main__":
    main()
