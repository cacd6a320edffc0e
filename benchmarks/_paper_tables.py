"""Make the paper's tables from the cells of ``benchmarks.paper``: datasets, times, adjusted Rand indices, ranks.

Times of SmartSVM are computed as in the paper: floors once for each training set, then the search. Means are over the
splits, shown with the standard deviation.
"""

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from benchmarks._recipes import load
from benchmarks._results import Goal, plain

HONEST = ("abalone", "fars", "winered", "winewhite")  # where the paper's recipe has a leak or a poor encoding
LEAKS = ("fars", "winered", "winewhite")
METHODS = {  # names in the paper, in its order
    "crammer_singer": "C & S",
    "dag": "DAG",
    "ovo": "OvO",
    "ovr": "OvR",
    "smart_min_cut": "SmartSVM",
}
NEAR = 0.02  # largest distance of an index from the paper's that counts as close
# Of each dataset what the paper says: instances, features, classes, smallest and largest class; the adjusted Rand
# indices; and the seconds of one-vs-one and SmartSVM, with 19 costs and 10 folds on the authors' cluster.
PAPER = {
    "abalone": ((4177, 8, 20, 14, 689), (0.0788, 0.0898, 0.0895, 0.0898, 0.0791, 0.0595), (134.3, 75.0)),
    "fars": ((100959, 338, 7, 299, 42116), (0.8127, 0.8143, 0.8085, 0.8146, 0.8134, 0.8115), (2866, 3158)),
    "flare": ((1066, 19, 6, 43, 331), (0.4274, 0.6480, 0.6687, 0.6496, 0.4084, 0.6544), (6.5, 5.0)),
    "kr-vs-k": ((28056, 34, 18, 27, 4553), (0.1300, 0.1988, 0.1779, 0.2022, 0.1512, 0.1585), (680.4, 664.0)),
    "letter": ((20000, 16, 26, 734, 813), (0.6173, 0.6991, 0.5909, 0.7118, 0.5155, 0.4533), (381.5, 652.1)),
    "nursery": ((12960, 19, 4, 330, 4320), (0.8279, 0.8175, 0.8303, 0.8157, 0.8095, 0.8138), (68.7, 56.8)),
    "optdigits": ((5620, 64, 10, 554, 572), (0.9721, 0.9854, 0.9732, 0.9850, 0.9686, 0.9640), (18.5, 10.9)),
    "pageblocks": ((5473, 10, 5, 28, 4913), (0.7681, 0.7335, 0.6847, 0.7353, 0.6696, 0.7214), (25.2, 27.6)),
    "pendigits": ((10992, 16, 10, 1055, 1144), (0.9068, 0.9566, 0.8971, 0.9597, 0.8607, 0.8817), (28.5, 53.7)),
    "satimage": ((6435, 36, 6, 626, 1533), (0.7420, 0.7652, 0.7403, 0.7672, 0.7107, 0.7607), (70.0, 74.5)),
    "segment": ((2310, 19, 7, 330, 330), (0.9013, 0.9000, 0.8812, 0.8982, 0.8354, 0.8986), (7.0, 5.4)),
    "shuttle": ((58000, 9, 6, 23, 45586), (0.9275, 0.8543, 0.8887, 0.8543, 0.6925, 0.8038), (561.9, 832.0)),
    "texture": ((5500, 40, 11, 500, 500), (0.9936, 0.9950, 0.9888, 0.9947, 0.9865, 0.8977), (32.8, 19.3)),
    "winered": ((1599, 12, 5, 18, 681), (1.0000, 1.0000, 0.9985, 1.0000, 0.8369, 1.0000), (11.1, 8.8)),
    "winewhite": ((4898, 12, 6, 20, 2198), (1.0000, 1.0000, 0.9998, 1.0000, 0.8131, 1.0000), (55.1, 36.7)),
    "yeast": ((1479, 8, 9, 20, 463), (0.2595, 0.2540, 0.2521, 0.2587, 0.2433, 0.2088), (15.3, 13.2)),
}
PAPER_DATA, PAPER_ARI, PAPER_SECONDS = ({name: parts[k] for name, parts in PAPER.items()} for k in range(3))
PAPER_COLUMNS = ("C & S", "DAG", "GenSVM", "OvO", "OvR", "SmartSVM")


DATASETS = tuple(PAPER_ARI)
PAPER_CASES = [(name, "paper") for name in DATASETS]
CASES = [*PAPER_CASES, *((name, "honest") for name in HONEST)]


# Cells of the file: a dataset, a recipe, a split and a method.


def key_of(group, method):
    return "/".join(map(str, (*group, method)))


def cells_of(results, name):
    """Return the cells of a part by the rest of their names."""
    prefix = f"{name}/"
    return {key.removeprefix(prefix): case for key, case in results["cases"].items() if key.startswith(prefix)}


def by_split(results, case, method, field):
    """Return the values of a field by split; none if a split that ran lacks the field."""
    keys = {split: key_of((*case, split), method) for split in range(results["sizes"]["splits"])}
    found = {split: results["cases"][key] for split, key in keys.items() if key in results["cases"]}
    if any("hit" in one or "skipped" in one for one in found.values()):
        return {}
    return {split: one[field] for split, one in found.items() if field in one}


def those_run(results, cases):
    begun = {tuple(key.split("/")[:2]) for key in results["cases"]}
    return [case for case in cases if case in begun]


def mean_of(results, case, method, field, splits=None):
    """Return the mean over all splits or some of them; NaN if there is none."""
    values = by_split(results, case, method, field)
    chosen = [value for split, value in values.items() if splits is None or split in splits]
    return float(np.mean(chosen)) if chosen else np.nan


def cell(results, case, method, field="ari", form=".3f"):
    """Return mean and standard deviation over the splits as text, or the reason why there are none."""
    values = list(by_split(results, case, method, field).values())
    if not values:
        return why_empty(results, case, method)
    spread = f" ±{np.std(values, ddof=1):{form}}" if len(values) > 1 else ""
    return f"{np.mean(values):{form}}{spread}"


def why_empty(results, case, method):
    found = [results["cases"].get(key_of((*case, split), method), {}) for split in range(results["sizes"]["splits"])]
    if any("hit" in one for one in found):
        return "cap"
    return "not run" if any("skipped" in one for one in found) else "-"


def number(value, form=".3f"):
    return "-" if np.isnan(value) else f"{value:{form}}"


def measure_data(name, recipe):
    X, y = load(name, recipe)
    sizes = np.bincount(y)
    facts = [*X.shape, len(sizes), int(sizes.min()), int(sizes.max())]
    return {"facts": facts, "distinct": len(np.unique(X, axis=0))}


def data_key(name, recipe):
    return key_of(("data", name), recipe)


def data_table(results):
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
        ovo, smart = PAPER_SECONDS[case[0]]
        yield (*case, *times, number(time_ratio(results, case, "paper_seconds"), ".2f"), f"{smart / ovo:.2f}")


def configuration_table(results):
    yield ("CPU s per configuration", "recipe", *METHODS.values())
    values = len(results["sizes"]["costs"])
    for case in those_run(results, CASES):
        means = [mean_of(results, case, name, field_of(name)) / values for name in METHODS]
        yield (*case, *(number(mean, ".3g") for mean in means))


def time_ratio(results, case, field):
    return mean_of(results, case, "smart_min_cut", field) / mean_of(results, case, *beside_smart(results, case))


def beside_smart(results, case):
    """Return where one-vs-one's time in the same run as the paper's tree is: its own cell, unless that is newer."""
    kept = by_split(results, case, "smart_min_cut", "ovo_seconds")
    return ("smart_min_cut", "ovo_seconds") if kept else ("ovo", "seconds")


# Adjusted Rand indices.


def ari_table(results):
    yield ("ARI", "recipe", *METHODS.values())
    for case in those_run(results, CASES):
        yield (*case, *(cell(results, case, name) for name in METHODS))


def distance_table(results):
    yield ("ARI, ours - the paper's", *METHODS.values(), "leak")
    for case in those_run(results, PAPER_CASES):
        off = [number(distance(results, case, name), "+.3f") for name in METHODS]
        yield (case[0], *off, "yes" if case[0] in LEAKS else "")


def distance(results, case, method):
    found = distances(results, case, method)
    return float(np.mean(found)) if found else np.nan


def distances(results, case, method):
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


def goal_row(measured, figure, count, goal):
    """Return a figure with its goal, the least that it should be; the outcome is open if nothing was counted."""
    met = None if figure is None else bool(figure >= goal)
    return {"measured": measured, "figure": plain(figure), "count": count, "goal": f">= {goal:g}", "met": met}


def judge_rows(rows):
    return [Goal(row["measured"], _figure(row), row["goal"], row["met"]) for row in rows]


def _figure(row):
    if row["figure"] is None:
        return "-"
    whole = isinstance(row["figure"], int)
    return f"{row['figure']} of {row['count']}" if whole else f"{row['figure']:.3g} ({row['count']} counted)"


def count_row(measured, margins, goal):
    margins = [margin for margin in margins if not np.isnan(margin)]
    return goal_row(measured, sum(one >= 0 for one in margins) if margins else None, len(margins), goal)


# Ranks of methods over datasets, and which of them do not differ significantly (Demsar 2006).


LEVEL = 0.05
RANKED = {"ari": "adjusted Rand index", "seconds": "total training time"}


def mean_ranks(table):
    """Return the mean rank of each column of a cost table, one dataset per row; equal costs share their ranks."""
    return rankdata(table, axis=1).mean(axis=0)


def critical_difference(n_methods, n_datasets):
    """Return Nemenyi's critical difference: mean ranks closer than this do not differ significantly."""
    quantile = studentized_range.ppf(1 - LEVEL, n_methods, np.inf) / np.sqrt(2)
    return quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def friedman_p(table):
    """Return the p-value of Friedman's test that all methods have the same mean rank."""
    return friedmanchisquare(*np.transpose(table)).pvalue


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
