"""Make the paper's tables from the cells of ``benchmarks.paper``: datasets, times, adjusted Rand indices, ranks.

Times of SmartSVM are computed as in the paper: floors once for each training set, then the search. Means are over the
splits, shown with the standard deviation.
"""

import numpy as np

from benchmarks._compared import (
    HONEST,
    LEAKS,
    PAPER_ARI,
    PAPER_CASES,
    PAPER_COLUMNS,
    by_split,
    cell,
    count_row,
    key_of,
    mean_of,
    number,
    those_run,
    time_ratio,
)
from benchmarks._ranks import critical_difference, friedman_p, mean_ranks
from benchmarks._recipes import load

CASES = [*PAPER_CASES, *((name, "honest") for name in HONEST)]
METHODS = {  # names in the paper, in its order, followed by ours
    "crammer_singer": "C & S",
    "dag": "DAG",
    "ovo": "OvO",
    "ovr": "OvR",
    "smart_min_cut": "SmartSVM",
    "floor_guided": "FloorGuided",
}
LINEAR = tuple(name for name in METHODS if name != "floor_guided")
NEAR = 0.02  # largest distance of an index from the paper's that counts as close
PAPER_DATA = {  # instances, features, classes, smallest and largest class
    "abalone": (4177, 8, 20, 14, 689),
    "fars": (100959, 338, 7, 299, 42116),
    "flare": (1066, 19, 6, 43, 331),
    "kr-vs-k": (28056, 34, 18, 27, 4553),
    "letter": (20000, 16, 26, 734, 813),
    "nursery": (12960, 19, 4, 330, 4320),
    "optdigits": (5620, 64, 10, 554, 572),
    "pageblocks": (5473, 10, 5, 28, 4913),
    "pendigits": (10992, 16, 10, 1055, 1144),
    "satimage": (6435, 36, 6, 626, 1533),
    "segment": (2310, 19, 7, 330, 330),
    "shuttle": (58000, 9, 6, 23, 45586),
    "texture": (5500, 40, 11, 500, 500),
    "winered": (1599, 12, 5, 18, 681),
    "winewhite": (4898, 12, 6, 20, 2198),
    "yeast": (1479, 8, 9, 20, 463),
}
PAPER_SECONDS = {  # for one-vs-one and SmartSVM, with 19 costs and 10 folds on the authors' cluster
    "abalone": (134.3, 75.0),
    "fars": (2866, 3158),
    "flare": (6.5, 5.0),
    "kr-vs-k": (680.4, 664.0),
    "letter": (381.5, 652.1),
    "nursery": (68.7, 56.8),
    "optdigits": (18.5, 10.9),
    "pageblocks": (25.2, 27.6),
    "pendigits": (28.5, 53.7),
    "satimage": (70.0, 74.5),
    "segment": (7.0, 5.4),
    "shuttle": (561.9, 832.0),
    "texture": (32.8, 19.3),
    "winered": (11.1, 8.8),
    "winewhite": (55.1, 36.7),
    "yeast": (15.3, 13.2),
}


def measure_data(name, recipe):
    """Describe a dataset, with the number of its distinct rows."""
    X, y = load(name, recipe)
    sizes = np.bincount(y)
    facts = [*X.shape, len(sizes), int(sizes.min()), int(sizes.max())]
    return {"facts": facts, "distinct": len(np.unique(X, axis=0))}


def data_key(name, recipe):
    """Return the name of a dataset's cell in the file."""
    return key_of(("data", name), recipe)


def data_table(results):
    """Tabulate the datasets, and whether they match the paper's."""
    yield ("dataset", "recipe", "rows", "features", "classes", "smallest", "largest", "distinct rows", "as the paper's")
    for name, recipe in CASES:
        one = results["cases"].get(data_key(name, recipe))
        if one:
            same = "yes" if tuple(one["facts"]) == PAPER_DATA[name] else "no"
            yield (name, recipe, *(f"{fact:,}" for fact in one["facts"]), f"{one['distinct']:,}", same)


# Time.


def field_of(method):
    """Return the field with the method's time that the paper counts."""
    return "paper_seconds" if method == "smart_min_cut" else "seconds"


def time_table(results):
    """Tabulate CPU seconds of searching and fitting; SmartSVM relative to one-vs-one here and in the paper."""
    yield ("CPU s", "recipe", *METHODS.values(), "SmartSVM / OvO", "the paper's")
    for case in those_run(results, CASES):
        times = [cell(results, case, name, field_of(name), ".3g") for name in METHODS]
        yield (*case, *times, number(time_ratio(results, case, "paper_seconds"), ".2f"), f"{paper_ratio(case[0]):.2f}")


def configuration_table(results):
    """Tabulate CPU seconds per value of C; the guided tree chooses its own models and has no such figure."""
    yield ("CPU s per configuration", "recipe", *(METHODS[name] for name in LINEAR))
    values = len(results["sizes"]["costs"])
    for case in those_run(results, CASES):
        means = [mean_of(results, case, name, field_of(name)) / values for name in LINEAR]
        yield (*case, *(number(mean, ".3g") for mean in means))


def paper_ratio(name):
    """Return the time of SmartSVM relative to one-vs-one in the paper."""
    ovo, smart = PAPER_SECONDS[name]
    return smart / ovo


# Adjusted Rand indices.


def ari_table(results):
    """Tabulate indices on test rows."""
    yield ("ARI", "recipe", *METHODS.values())
    for case in those_run(results, CASES):
        yield (*case, *(cell(results, case, name) for name in METHODS))


def distance_table(results):
    """Tabulate our index minus the paper's."""
    yield ("ARI, ours - the paper's", *(METHODS[name] for name in LINEAR), "leak")
    for case in those_run(results, PAPER_CASES):
        off = [number(distance(results, case, name), "+.3f") for name in LINEAR]
        yield (case[0], *off, "yes" if case[0] in LEAKS else "")


def distance(results, case, method):
    """Return our mean index of a method minus the paper's."""
    found = distances(results, case, method)
    return float(np.mean(found)) if found else np.nan


def distances(results, case, method):
    """Return our index of a method minus the paper's, by split."""
    theirs = PAPER_ARI[case[0]][PAPER_COLUMNS.index(METHODS[method])]
    return [value - theirs for value in by_split(results, case, method, "ari").values()]


def goals(results):
    """Goals: how close we are to the paper's indices, and on how many datasets its tree is faster."""
    clean = [case for case in PAPER_CASES if case[0] not in LEAKS]
    near = {name: [NEAR - abs(distance(results, case, name)) for case in clean] for name in ("smart_min_cut", "ovo")}
    quicker = [1 - time_ratio(results, case, "paper_seconds") for case in PAPER_CASES]
    return [
        *(count_row(f"{METHODS[name]} within .02 of the paper's ARI", near[name], 9) for name in near),
        count_row("SmartSVM quicker than OvO, floors once", quicker, 14),
    ]


# Ranks.


RANKED = {"ari": "adjusted Rand index", "seconds": "total training time"}


def costs_of(results, cases, methods, measured):
    """Return a table with one dataset per row and one method per column; lower is better."""
    sign, field = (-1, lambda _: "ari") if measured == "ari" else (1, field_of)
    return np.array([[sign * mean_of(results, case, name, field(name)) for name in methods] for case in cases])


def ranked(results, measured):
    """Return the methods that ran on all of the paper's cases, and their costs."""
    methods = [name for name in METHODS if name != "crammer_singer"]
    table = costs_of(results, PAPER_CASES, methods, measured)
    return [METHODS[name] for name in methods], table[~np.isnan(table).any(axis=1)]


def rank_table(results):
    """Tabulate mean ranks over the datasets, and the difference needed for significance."""
    yield ("mean rank, 1 is best", "datasets", "p of Friedman's test", "critical difference", "methods")
    for measured, text in RANKED.items():
        names, costs = ranked(results, measured)
        if len(costs) > 1:
            order = np.argsort(ranks := mean_ranks(costs))
            found = ", ".join(f"{names[place]} {ranks[place]:.2f}" for place in order)
            gap = critical_difference(len(names), len(costs))
            yield (text, str(len(costs)), f"{friedman_p(costs):.2g}", f"{gap:.2f}", found)


TABLES = {
    "data": data_table,
    "ari": ari_table,
    "distance": distance_table,
    "time": time_table,
    "configuration": configuration_table,
    "ranks": rank_table,
}
