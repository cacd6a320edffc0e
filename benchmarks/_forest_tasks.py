"""The measurements of ``benchmarks.forest`` that run in fresh processes."""

import time

from bayesfloor import spanning_forest
from bayesfloor.forest import class_forests
from benchmarks._data import gaussian, labelled
from benchmarks._exact import assert_same, first_weight
from benchmarks._timing import peak_gigabytes, seconds_of


def grow(n, d, rounds):
    """Time three trees of normal rows on one thread, and measure the peak memory of the first round."""
    spanning_forest(gaussian(5000, d), n_jobs=1)
    X = gaussian(n, d)
    first, made = seconds_of(lambda: spanning_forest(X, n_jobs=1))
    peak = peak_gigabytes()
    later = [seconds_of(lambda: spanning_forest(X, n_jobs=1))[0] for _ in range(rounds - 1)]
    sizes = made.tree_sizes.tolist()
    return {"seconds": [first, *later], "peak": peak, "weight": first_weight(made), "sizes": sizes}


def grow_classes(sizes, d, spread, n_jobs):
    """Time all pairs of classes, then their combination; also return the peak memory."""
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
