"""How fast forests are, compared with bare engines and a rival package in the same run.

Three of our trees are compared with a single tree of quitefastmst, the fastest rival we know, and with
scikit-learn's plain search for as many neighbours as our lists have, each on one thread. ``--quick`` asserts that
results are exact and in order, and prints times without checking them.
"""

import math
from functools import partial
from itertools import combinations

import numpy as np

from benchmarks._command import FOLDER, Case, of_cases, one_thread, own_kernel_cache, run_command
from benchmarks._data import SETS, even_sizes, labelled
from benchmarks._fresh import run_fresh
from benchmarks._results import (
    all_checked,
    as_notes,
    format_results,
    ratio_row,
    record,
    row,
    row_goals,
    row_of_two,
    row_table,
    seconds_row,
)
from benchmarks._timing import Timing, seconds_of, take_turns

RESULTS = FOLDER / "forest.json"

_TASKS = "benchmarks._forest_tasks"  # run in fresh processes
_BRUTE_UP_TO = 20_000  # rows; above this, the rival's plain search takes minutes
_PEER_TREES_UP_TO = 20  # dimensions; above this, the rival's "auto" is "brute"
_WARM = 5000  # rows that compile everything: slightly more than the plain path handles
_PAIRS_COMPARED = 15  # pairs whose edges are compared one by one


def peer_algorithms(n, d):
    """Return the rival's algorithms that may be its fastest."""
    return ["auto", "brute"] if n <= _BRUTE_UP_TO and d <= _PEER_TREES_UP_TO else ["auto"]


def peer_weight(X, algorithm="auto"):
    """Return the weight of the rival's minimum spanning tree."""
    from quitefastmst import mst_euclid

    return math.fsum(mst_euclid(X, M=0, algorithm=algorithm)[0])


def bare_search(X):
    """Search with scikit-learn for as many neighbours as our lists for three trees have."""
    from sklearn.neighbors import NearestNeighbors

    from bayesfloor.forest._blocks import list_length
    from bayesfloor.forest._vertices import find_vertices

    m = list_length(find_vertices(X)[0], 3)
    return NearestNeighbors(n_neighbors=m, n_jobs=1).fit(X).kneighbors()


def warm_up(X):
    from bayesfloor import spanning_forest

    spanning_forest(X[:_WARM, :8], method="kdtree", n_jobs=1)  # trees take long if there are many columns
    spanning_forest(X[:_WARM], method="matmul", n_jobs=1)


def measure_trees(kind, n, d, rounds, goal):
    """Compare three trees with the rival's single tree and with a bare neighbour search."""
    from bayesfloor import spanning_forest
    from benchmarks._exact import check_forest

    X = SETS[kind](n, d)
    warm_up(X)
    peers = {f"quitefastmst {name}": partial(peer_weight, X, name) for name in peer_algorithms(n, d)}
    searches = {"ours": partial(spanning_forest, X, n_jobs=1), **peers, "bare": partial(bare_search, X)}
    times = take_turns(searches, rounds)
    peer = min(peers, key=lambda name: times[name].best)
    what, bare_goal = f"3 trees, {n} x {d}", 1.5 if d >= 16 else None
    rows = [
        ratio_row(what, times["ours"], times[peer], against=f"{peer}, 1 tree", goal=goal),
        ratio_row(what, times["ours"], times["bare"], against="scikit-learn kneighbors", goal=bare_goal),
    ]
    return record(rows, [check_forest(times["ours"].result, times[peer].result)])


def measure_pairs(n, d, n_classes, rounds):
    """Compare forests of all pairs of classes with the rival's single trees, pair by pair."""
    from bayesfloor import spanning_forest
    from bayesfloor.forest import class_forests
    from benchmarks._exact import assert_same

    X, codes = labelled(even_sizes(n, n_classes), d, spread=1.0)
    pairs = list(combinations(range(n_classes), 2))
    parts = [X[(codes == i) | (codes == j)] for i, j in pairs]
    warm_up(X)
    class_forests(X, codes, n_jobs=1).all()

    peers = {f"quitefastmst {name}": partial(_weights, parts, name) for name in peer_algorithms(len(parts[0]), d)}
    times = take_turns({"ours": partial(class_forests, X, codes, n_jobs=1), **peers}, rounds)
    peer = min(peers, key=lambda name: times[name].best)
    forests = times["ours"].result
    giving, given = seconds_of(lambda: [forests.pair(i, j) for i, j in pairs])
    uniting, whole = seconds_of(forests.all)

    assert_same(whole, spanning_forest(X, n_jobs=1))
    rows = [
        ratio_row(f"{len(pairs)} pairs, 3 trees", times["ours"], times[peer], against=f"{peer}, 1 tree", goal=0.5),
        seconds_row("then all .pair(i, j)", giving),
        seconds_row("then .all()", uniting),
    ]
    return record(rows, [_check_pairs(X, given, times[peer].result), ".all() has the edges of spanning_forest"])


def measure_all_pairs(names, rows, rounds):
    """Compare forests of all pairs of classes with the single forest of all rows."""
    from bayesfloor import spanning_forest
    from bayesfloor.forest import class_forests
    from benchmarks._check_tasks import read_problem
    from benchmarks._exact import assert_same

    found = []
    for name in names:
        X, labels = read_problem(name, rows)
        codes = np.unique(labels, return_inverse=True)[1]
        ways = {"pairs": partial(class_forests, X, codes, n_jobs=1), "whole": partial(spanning_forest, X, n_jobs=1)}
        for way in ways.values():
            way()  # compiles
        times = take_turns(ways, rounds)
        assert_same(times["pairs"].result.all(), times["whole"].result)
        what, goal = f"all pairs of {name}", 1.6 if name == "letter" else None
        found.append(ratio_row(what, times["pairs"], times["whole"], against="the forest of all rows", goal=goal))
    return record(found, [".all() has the edges of spanning_forest"])


def _weights(parts, algorithm):
    return [peer_weight(part, algorithm) for part in parts]


def _check_pairs(X, pairs, peer_weights):
    from benchmarks._exact import check_pair, check_weight, first_weight, say_weight

    differences = [check_weight(first_weight(pair), weight) for pair, weight in zip(pairs, peer_weights, strict=True)]
    compared = pairs[:: -(-len(pairs) // _PAIRS_COMPARED)]
    for pair in compared:
        check_pair(X, pair)
    return f"{say_weight(differences)}; {len(compared)} pairs have the edges of their rows' own forest"


def measure_growth(n, rounds):
    """Measure how time and memory grow with ten times the rows."""
    sizes = (n, 10 * n)
    # A short run varies more: its best of a few would be too slow, and the growth would look too small.
    found = [
        run_fresh(f"{_TASKS}:grow", n=size, d=2, rounds=times * rounds)
        for size, times in zip(sizes, (5, 1), strict=True)
    ]
    few, many = (Timing(one["seconds"], None) for one in found)
    exponent, what = math.log10(many.best / few.best), f"3 trees, {10 * n} x 2"
    rows = [
        row_of_two(what, many, few, exponent, unit="exponent", against=f"{n} x 2", goal=1.15),
        row(f"{what}, peak memory", found[1]["peak"], unit="GB", goal=1.5),
    ]
    return record(rows, [_check_sizes(SETS["gaussian"](size, 2), one) for size, one in zip(sizes, found, strict=True)])


def _check_sizes(X, found):
    from benchmarks._exact import check_weight, say_weight

    assert found["sizes"] == [len(X) - 1] * 3, f"trees of {found['sizes']} edges on {len(X)} rows"
    said = say_weight([check_weight(found["weight"], peer_weight(X))])
    return f"{len(X)} x {X.shape[1]}: {said}; 3 trees of {len(X) - 1} edges"


def measure_threads(n, d, rounds):
    from bayesfloor import spanning_forest
    from benchmarks._exact import assert_same

    X = SETS["gaussian"](n, d)
    warm_up(X)
    times = take_turns({jobs: partial(spanning_forest, X, n_jobs=jobs) for jobs in (1, 2)}, rounds, clock="wall")
    assert_same(times[1].result, times[2].result)
    line = ratio_row(f"3 trees, {n} x {d}, n_jobs=2", times[2], times[1], clock="wall", against="n_jobs=1", goal=0.65)
    return record([line], ["equal edges on 1 and 2 threads"])


def measure_classes(n_classes, size, d):
    """Compute all pairs of very many small classes, and their combination."""
    sizes, spread = [size] * n_classes, 0.5
    found = run_fresh(f"{_TASKS}:grow_classes", sizes=sizes, d=d, spread=spread, n_jobs=2)
    what = f"{n_classes} classes of {size} x {d}"
    rows = [
        seconds_row(f"{what}, n_jobs=2", found["pairs"] + found["whole"], clock="wall", goal=180),
        seconds_row("of this, .all()", found["whole"], clock="wall"),
        seconds_row("both threads together", found["cpu"]),
        row("peak memory", found["peak"], unit="GB", goal=3),
    ]
    checked = [_check_sizes(labelled(sizes, d, spread)[0], found), ".all() has the edges of spanning_forest"]
    return record(rows, checked)


def measure_methods(n):
    """Check every way to the same edges, without timing."""
    from benchmarks._exact import check_methods

    shapes = (("gaussian", 2), ("gaussian", 8), ("gaussian", 64), ("clusters", 16), ("integers", 5))
    return record([], [f"{kind} {check_methods(SETS[kind](n, d))}" for kind, d in shapes])


def _trees(kind, n, d, goal):
    name = f"{kind}-{n:.0e}x{d}".replace("e+0", "e")
    sizes = {"kind": kind, "d": d, "goal": goal}
    return Case(name, measure_trees, {**sizes, "n": n, "rounds": 5}, {**sizes, "n": 4500, "rounds": 1})


CASES = [
    _trees("gaussian", 100_000, 2, 2.5),
    _trees("gaussian", 100_000, 8, 1.3),
    _trees("gaussian", 20_000, 16, 0.9),
    _trees("gaussian", 20_000, 64, 0.3),
    _trees("gaussian", 10_000, 784, 0.05),
    _trees("clusters", 100_000, 8, 0.8),
    _trees("clusters", 20_000, 64, 0.6),
    _trees("integers", 100_000, 5, 10.0),
    Case(
        "pairs",
        measure_pairs,
        {"n": 20_000, "d": 16, "n_classes": 26, "rounds": 5},
        {"n": 5000, "d": 16, "n_classes": 5, "rounds": 1},
    ),
    Case(
        "all pairs",
        measure_all_pairs,
        {"names": ("letter", "hundred", "manifold"), "rows": 20_000, "rounds": 5},
        {"names": ("digits",), "rows": 1797, "rounds": 1},
    ),
    Case("growth", measure_growth, {"n": 100_000, "rounds": 3}, {"n": 5000, "rounds": 1}),
    Case("threads", measure_threads, {"n": 20_000, "d": 64, "rounds": 5}, {"n": 5000, "d": 64, "rounds": 1}),
    Case("classes", measure_classes, {"n_classes": 1000, "size": 50, "d": 64}, {"n_classes": 100, "size": 50, "d": 64}),
    Case("methods", measure_methods, {"n": 2000}, {"n": 500}),
]


def tables(results):
    names = [case.name for case in CASES]
    trees = [case.name for case in CASES if case.measure is measure_trees]
    return {
        "trees": row_table(results, trees),
        "more": row_table(results, [name for name in names if name not in trees]),
        "checked": as_notes(all_checked(results, names)),
    }


def goals(results):
    return row_goals(results, [case.name for case in CASES])


def main(arguments=None):
    cases = of_cases(CASES)
    run_command(
        arguments,
        __doc__,
        RESULTS,
        **cases,
        header=lambda options: {"quick": options.quick},
        show=lambda results, options: print(format_results(results, cases["cells"](options))),
        around=(own_kernel_cache, one_thread),
    )


if __name__ == "__main__":
    main()
