"""Measurements in a fresh interpreter, whose memory and compiled kernels are its own.

``run_fresh("task", **arguments)`` runs a function of this module by its name and returns what it
returned, by way of JSON.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def run_fresh(task, environment=None, **arguments):
    """What a task returned in a process of its own."""
    command = [sys.executable, "-m", "benchmarks._fresh", task, json.dumps(arguments)]
    variables = {**os.environ, **(environment or {})}
    done = subprocess.run(command, cwd=_ROOT, env=variables, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def run_python(code):
    """Run a line of Python in a process of its own."""
    subprocess.run([sys.executable, "-c", code], cwd=_ROOT, check=True)


def forest(n, d, rounds):
    """Three trees of normal rows on one thread, and the peak memory of the first round."""
    from bayesfloor import spanning_forest
    from benchmarks._data import gaussian
    from benchmarks._exact import first_weight
    from benchmarks._timing import peak_gigabytes, seconds_of

    spanning_forest(gaussian(5000, d), n_jobs=1)
    X = gaussian(n, d)
    first, made = seconds_of(lambda: spanning_forest(X, n_jobs=1))
    peak = peak_gigabytes()
    later = [seconds_of(lambda: spanning_forest(X, n_jobs=1))[0] for _ in range(rounds - 1)]
    sizes = made.tree_sizes.tolist()
    return {"seconds": [first, *later], "peak": peak, "weight": first_weight(made), "sizes": sizes}


def classes(sizes, d, spread, n_jobs):
    """All pairs of classes, then the whole of them; what each took and the peak memory."""
    from bayesfloor import class_forests, spanning_forest
    from benchmarks._data import labelled
    from benchmarks._exact import assert_same, first_weight
    from benchmarks._timing import peak_gigabytes

    class_forests(*labelled([50] * 90, d, spread), n_jobs=n_jobs).all()
    X, codes = labelled(sizes, d, spread)
    wall, cpu = [time.perf_counter()], [time.process_time()]
    forests = class_forests(X, codes, n_jobs=n_jobs)
    wall.append(time.perf_counter())
    whole = forests.all()
    wall.append(time.perf_counter())
    cpu.append(time.process_time())
    peak = peak_gigabytes()
    assert_same(whole, spanning_forest(X, n_jobs=n_jobs))
    return {
        "pairs": wall[1] - wall[0],
        "whole": wall[2] - wall[1],
        "cpu": cpu[1] - cpu[0],
        "peak": peak,
        "weight": first_weight(whole),
        "sizes": whole.tree_sizes.tolist(),
    }


def digits(path):
    """All pairs of the digits and their whole; CPU seconds of this process from its start."""
    import numpy as np

    from bayesfloor import class_forests
    from benchmarks._exact import first_weight

    with np.load(path) as data:
        forests = class_forests(data["X"], data["codes"])
    pairs = [forests.pair(i, j) for i in range(10) for j in range(i + 1, 10)]
    made = [*pairs, forests.all()]
    seconds = time.process_time()
    compiled = "numba" in sys.modules
    return {"seconds": seconds, "compiled": compiled, "weights": [first_weight(one) for one in made]}


def first_call(n, d, method):
    """CPU seconds of a first large call and of the same call again."""
    from bayesfloor import spanning_forest
    from benchmarks._data import gaussian

    X = gaussian(n, d)
    return _first_and_second(lambda: spanning_forest(X, method=method, n_jobs=1))


def first_classes(sizes, d):
    """CPU seconds of a first large call for all pairs and the whole, and of the same call again."""
    from bayesfloor import class_forests
    from benchmarks._data import labelled

    X, codes = labelled(sizes, d, 1.0)
    return _first_and_second(lambda: class_forests(X, codes, n_jobs=1).all())


def floor(name, most, rounds):
    """Pairwise, one-vs-rest and overall floors on one thread, warm; the last fit's labels shuffled; peak memory."""
    from benchmarks.floor import measure_fit

    return measure_fit(name, most, rounds)


def check(name, most):
    """A whole check from the start of Python, and one random forest on the same rows."""
    from benchmarks.check import measure_fresh

    return measure_fresh(name, most)


def beyond(**arguments):
    """A forest of rows beyond memory on a cluster of this machine, with this process as its driver."""
    from benchmarks._beyond import measure_run

    return measure_run(**arguments)


def beyond_kernels():
    """Compile all that forests of rows beyond memory need."""
    from benchmarks._beyond import compile_all

    return compile_all()


def beyond_peer(rows, work):
    """The first of these trees beside that of quitefastmst."""
    from benchmarks._beyond import compare_peer

    return compare_peer(rows, work)


def beyond_memory(rows, work):
    """All of these edges beside those of the rows in memory."""
    from benchmarks._beyond import compare_memory

    return compare_memory(rows, work)


def overhead(classes, most, rounds):
    """Pairs of some of letter's classes by bare processes and by every runner."""
    from benchmarks._overhead import measure_ways
    from benchmarks.floor import read_rows

    X, codes = read_rows("letter", most)
    some = codes < classes
    return measure_ways(X[some], codes[some], rounds)


def _first_and_second(function):
    from benchmarks._exact import assert_same, first_weight
    from benchmarks._timing import seconds_of

    first, one = seconds_of(function)
    second, two = seconds_of(function)
    assert_same(one, two)
    return {"first": first, "second": second, "weight": first_weight(one)}


TASKS = {
    task.__name__: task
    for task in (
        forest,
        classes,
        digits,
        first_call,
        first_classes,
        floor,
        check,
        beyond,
        beyond_kernels,
        beyond_peer,
        beyond_memory,
        overhead,
    )
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](**json.loads(sys.argv[2]))))
