"""Combine the cells of ``benchmarks.classifiers`` into tables, goals and ranks.

A case is a dataset and a recipe; means are over its splits, shown with the standard deviation.
"""

import numpy as np

from benchmarks._multiclass import MANY_METHODS, METHODS, RIVALS
from benchmarks._results import align
from benchmarks.known_floor import format_goals, goal_row, judge_rows

MANY_GOAL = "synthetic-1000"  # the dataset of a thousand classes
OVERLAPPING = ("banking77", "synthetic-77", "synthetic-200")
PLAIN = ("ovr", "logistic", "lda")  # rivals for many classes
HONEST = ("abalone", "fars", "winered", "winewhite")  # where the paper's recipe has a leak or a poor encoding
LEAKS = ("fars", "winered", "winewhite")
LINEAR = ("crammer_singer", "dag", "ovo", "ovr", *(name for name in METHODS if name.startswith("smart")))
PAPER_COLUMNS = ("C & S", "DAG", "GenSVM", "OvO", "OvR", "SmartSVM")
PAPER_ARI = {  # the paper's table of adjusted Rand indices
    "abalone": (0.0788, 0.0898, 0.0895, 0.0898, 0.0791, 0.0595),
    "fars": (0.8127, 0.8143, 0.8085, 0.8146, 0.8134, 0.8115),
    "flare": (0.4274, 0.6480, 0.6687, 0.6496, 0.4084, 0.6544),
    "kr-vs-k": (0.1300, 0.1988, 0.1779, 0.2022, 0.1512, 0.1585),
    "letter": (0.6173, 0.6991, 0.5909, 0.7118, 0.5155, 0.4533),
    "nursery": (0.8279, 0.8175, 0.8303, 0.8157, 0.8095, 0.8138),
    "optdigits": (0.9721, 0.9854, 0.9732, 0.9850, 0.9686, 0.9640),
    "pageblocks": (0.7681, 0.7335, 0.6847, 0.7353, 0.6696, 0.7214),
    "pendigits": (0.9068, 0.9566, 0.8971, 0.9597, 0.8607, 0.8817),
    "satimage": (0.7420, 0.7652, 0.7403, 0.7672, 0.7107, 0.7607),
    "segment": (0.9013, 0.9000, 0.8812, 0.8982, 0.8354, 0.8986),
    "shuttle": (0.9275, 0.8543, 0.8887, 0.8543, 0.6925, 0.8038),
    "texture": (0.9936, 0.9950, 0.9888, 0.9947, 0.9865, 0.8977),
    "winered": (1.0000, 1.0000, 0.9985, 1.0000, 0.8369, 1.0000),
    "winewhite": (1.0000, 1.0000, 0.9998, 1.0000, 0.8131, 1.0000),
    "yeast": (0.2595, 0.2540, 0.2521, 0.2587, 0.2433, 0.2088),
}
DATASETS = tuple(PAPER_ARI)
PAPER_CASES = [(name, "paper") for name in DATASETS]
BEST_CASES = [(name, "honest" if name in HONEST else "paper") for name in DATASETS]


def key_of(group, method):
    """Return the name of a cell in the file."""
    return "/".join(map(str, (*group, method)))


def by_split(results, case, method, field):
    """Return the values of a field by split; none if a split that ran lacks the field."""
    keys = {split: key_of((*case, split), method) for split in range(results["sizes"]["splits"])}
    found = {split: results["cases"][key] for split, key in keys.items() if key in results["cases"]}
    if any("hit" in one or "skipped" in one for one in found.values()):
        return {}
    return {split: one[field] for split, one in found.items() if field in one}


def those_run(results, cases):
    """Return the cases that have something to show."""
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
    """Return the reason why a cell has no figure."""
    found = [results["cases"].get(key_of((*case, split), method), {}) for split in range(results["sizes"]["splits"])]
    if any("hit" in one for one in found):
        return "cap"
    return "not run" if any("skipped" in one for one in found) else "-"


def number(value, form=".3f"):
    """Return a figure as text, or a mark that there is none."""
    return "-" if np.isnan(value) else f"{value:{form}}"


def known(values):
    """Return the values that are numbers."""
    return [value for value in values if not np.isnan(value)]


def count_row(measured, margins, goal):
    """Return the goal for how many margins are not negative."""
    margins = known(margins)
    return goal_row(measured, sum(one >= 0 for one in margins) if margins else None, len(margins), goal, at_least=True)


def median_row(measured, values, goal):
    """Return the goal for a median."""
    values = known(values)
    return goal_row(measured, float(np.median(values)) if values else None, len(values), goal, at_least=False)


def largest_row(measured, values, goal):
    """Return the goal for the largest value."""
    values = known(values)
    return goal_row(measured, max(values, default=None), len(values), goal, at_least=False)


# Search time.


def time_table(results):
    """Tabulate search times of linear SVMs, and the paper's tree relative to one-vs-one."""
    smart = ("SmartSVM", "SmartSVM / OvO", "SmartSVM, floors once", "floors once / OvO", "floors' share")
    yield ("search, CPU s", "recipe", "OvO", "OvR", "DAG", *smart)
    for case in those_run(results, PAPER_CASES):
        times = [cell(results, case, *beside_smart(results, case), ".3g")]
        times += [cell(results, case, name, "seconds", ".3g") for name in ("ovr", "dag", "smart_min_cut")]
        once = cell(results, case, "smart_min_cut", "paper_seconds", ".3g")
        ratios = [number(time_ratio(results, case, field)) for field in ("seconds", "paper_seconds")]
        floors, whole = (mean_of(results, case, "smart_min_cut", field) for field in ("floor_seconds", "seconds"))
        yield (*case, *times, ratios[0], once, ratios[1], number(floors / whole, ".0%"))


def time_ratio(results, case, field):
    """Return the time of the paper's tree relative to one-vs-one."""
    return mean_of(results, case, "smart_min_cut", field) / mean_of(results, case, *beside_smart(results, case))


def beside_smart(results, case):
    """Return where one-vs-one's time in the same run as the paper's tree is: its own cell, unless that is newer."""
    kept = by_split(results, case, "smart_min_cut", "ovo_seconds")
    return ("smart_min_cut", "ovo_seconds") if kept else ("ovo", "seconds")


def time_goals(results):
    """Count the datasets on which searching the paper's tree is faster than one-vs-one."""
    names = {"seconds": ("floors in each fold", 12), "paper_seconds": ("floors once, as the paper", 14)}
    return [
        count_row(f"SmartSVM below OvO, {text}", [1 - time_ratio(results, case, field) for case in PAPER_CASES], goal)
        for field, (text, goal) in names.items()
    ]


# The paper's table.


def ari_table(results):
    """Tabulate the adjusted Rand indices of linear SVMs."""
    yield ("ARI, linear", "recipe", *LINEAR)
    for case in those_run(results, PAPER_CASES):
        yield (*case, *(cell(results, case, name) for name in LINEAR))


def paper_table(results):
    """Tabulate the paper's own indices, and the distance of our SmartSVM from them."""
    yield ("ARI, the paper's", "recipe", *PAPER_COLUMNS, "ours - SmartSVM", "within .02")
    for case in those_run(results, PAPER_CASES):
        off = paper_distance(results, case)
        word = "-" if np.isnan(off) else "yes" if abs(off) <= 0.02 else "no"
        yield (*case, *(f"{value:.4f}" for value in PAPER_ARI[case[0]]), number(off, "+.4f"), word)


def paper_distance(results, case):
    """Return our index of SmartSVM minus the paper's."""
    return mean_of(results, case, "smart_min_cut", "ari") - PAPER_ARI[case[0]][-1]


def paper_goals(results):
    """Count the datasets without a leak on which we are close to the paper."""
    off = [paper_distance(results, case) for case in PAPER_CASES if case[0] not in LEAKS]
    return [count_row("SmartSVM within .02 of the paper's ARI", [0.02 - abs(one) for one in off], 9)]


# The guided tree against rivals.


def judged(results, case):
    """Return the splits on which the guided tree ran."""
    return set(by_split(results, case, "floor_guided", "ari"))


def in_one_run(results, case):
    """Return the splits on which it ran beside all rivals: their times can be compared."""
    keys = {
        split: [key_of((*case, split), name) for name in (*RIVALS, "floor_guided")] for split in judged(results, case)
    }
    commits = results.get("commits", {})
    return {split for split, each in keys.items() if len({commits.get(key) for key in each}) == 1}


def best_rival(results, case):
    """Return the rival with the highest mean index; None if none was run."""
    splits = judged(results, case)
    means = {name: mean_of(results, case, name, "ari", splits) for name in RIVALS}
    ran = [name for name in RIVALS if not np.isnan(means[name])]
    return max(ran, key=means.get) if ran else None


def lead(results, case):
    """Return the index of the guided tree minus that of the best rival, on the same splits."""
    best, splits = best_rival(results, case), judged(results, case)
    theirs = mean_of(results, case, best, "ari", splits) if best else np.nan
    return mean_of(results, case, "floor_guided", "ari", splits) - theirs


def lead_over_ovo(results, case):
    """Return the mean difference from one-vs-one in the same splits, and its standard error."""
    ours, theirs = (by_split(results, case, name, "ari") for name in ("floor_guided", "ovo"))
    pairs = [ours[split] - theirs[split] for split in ours if split in theirs]
    if len(pairs) < 2:
        return (pairs[0] if pairs else np.nan), np.nan
    return float(np.mean(pairs)), float(np.std(pairs, ddof=1) / np.sqrt(len(pairs)))


def is_below_ovo(results, case):
    """Whether the guided tree is significantly worse than one-vs-one."""
    mean, error = lead_over_ovo(results, case)
    return mean < -0.005 - 2 * np.nan_to_num(error)  # a single split has no standard error


def fit_ratio(results, case):
    """Return the time of the guided tree relative to trying all rivals and fitting the best of them."""
    best, splits = best_rival(results, case), in_one_run(results, case)
    tried = sum(mean_of(results, case, name, "seconds", splits) for name in RIVALS)
    others = sum(mean_of(results, case, name, "refit_seconds", splits) for name in RIVALS if name != best)
    return mean_of(results, case, "floor_guided", "seconds", splits) / (tried - others)


def predict_ratio(results, case):
    """Return the prediction time of the guided tree relative to the best rival."""
    best, splits, field = best_rival(results, case), in_one_run(results, case), "predict_seconds"
    theirs = mean_of(results, case, best, field, splits) if best else np.nan
    return mean_of(results, case, "floor_guided", field, splits) / theirs


def guided_table(results):
    """Compare the guided tree with its rivals."""
    head = ("best rival", "lead over best rival", "lead over ovo", "below ovo", "fit time ratio", "predict time ratio")
    yield ("ARI", "recipe", *RIVALS, "floor_guided", *head, "log loss", "below calibrated rivals")
    for case in those_run(results, BEST_CASES):
        mean, error = lead_over_ovo(results, case)
        over = f"{number(mean, '+.3f')} (s.e. {number(error)})"
        below = "-" if np.isnan(mean) else "yes" if is_below_ovo(results, case) else "no"
        scores = [cell(results, case, name) for name in (*RIVALS, "floor_guided")]
        ratios = [number(ratio(results, case), ".2f") for ratio in (fit_ratio, predict_ratio)]
        best, ahead = best_rival(results, case) or "-", number(lead(results, case), "+.3f")
        loss = (cell(results, case, "floor_guided", "log_loss"), number(loss_lead(results, case), "+.3f"))
        yield (*case, *scores, best, ahead, over, below, *ratios, *loss)


def loss_lead(results, case):
    """Return by how much the log loss is below that of the best calibrated rival."""
    splits = in_one_run(results, case)
    rivals = known(mean_of(results, case, name, "calibrated_log_loss", splits) for name in RIVALS)
    return min(rivals, default=np.nan) - mean_of(results, case, "floor_guided", "log_loss", splits)


def guided_goals(results):
    """Goals: the guided tree is close to its best rival, never worse than one-vs-one, and faster."""
    leads = [lead(results, case) for case in BEST_CASES]
    ran = known(leads)
    below = sum(bool(is_below_ovo(results, case)) for case in BEST_CASES) if ran else None
    fits, predicts = ([ratio(results, case) for case in BEST_CASES] for ratio in (fit_ratio, predict_ratio))
    losses = [loss_lead(results, case) + 0.02 for case in BEST_CASES]
    return [
        count_row("floor_guided not below the best rival - .01", [one + 0.01 for one in leads], 14),
        goal_row("floor_guided below OvO by .005 + 2 s.e.", below, len(ran), 0, at_least=False),
        count_row("log loss at most the best calibrated rival's + .02", losses, 12),
        median_row("median fit time / all rivals tried", fits, 0.35),
        largest_row("largest fit time / all rivals tried", fits, 0.8),
        median_row("median predict time / best rival", predicts, 0.3),
        largest_row("largest predict time / best rival", predicts, 2),
    ]


def saved_by_trees(results):
    """Return for each case with a class tree the mean prediction time relative to the same classifier without one."""
    found = {case: mean_of(results, case, "floor_guided", "flat_predict_seconds") for case in BEST_CASES}
    ours = {case: mean_of(results, case, "floor_guided", "predict_seconds") for case in BEST_CASES}
    return {case: ours[case] / flat for case, flat in found.items() if not np.isnan(flat)}


# Many classes.


def many_table(results):
    """Tabulate times and accuracy with many classes."""
    times = ("fit, CPU s", "floors, part of fit", "predict, CPU s", "predict / ovr")
    yield ("many classes", "method", "classes", *times, "accuracy")
    sets = dict.fromkeys(key.split("/")[1] for key in results["cases"] if key.startswith("many/"))
    for name in sets:
        yield from (many_cells(results, name, method) for method in MANY_METHODS)


def many_cells(results, name, method):
    """Return one line of the table."""
    one = results["cases"].get(key_of(("many", name), method), {})
    if "seconds" not in one:
        return (name, method, "-", "cap" if "hit" in one else "-", "-", "-", "-", "-")
    floors = number(one.get("floor_seconds", np.nan), ".3g")
    times = (with_spread(one), floors, f"{one['predict_seconds']:.3g}", number(many_ratio(results, name, method)))
    return (name, method, str(one["shape"][2]), *times, f"{one['accuracy']:.4f}")


def with_spread(one):
    """Return the seconds of the fastest round, and how much longer the slowest took."""
    return f"{one['seconds']:.3g}" + (f" +{one['spread']:.0%}" if "spread" in one else "")


def many_ratio(results, name, method):
    """Return the prediction time relative to one-vs-rest."""
    ours, theirs = (results["cases"].get(key_of(("many", name), one), {}) for one in (method, "ovr"))
    return ours.get("predict_seconds", np.nan) / theirs.get("predict_seconds", np.nan)


def many_goals(results):
    """Goals: on overlapping classes as accurate as the best plain model in a few times its time; and K = 1000."""
    found = {name: many_value(results, MANY_GOAL, name, "accuracy") for name in MANY_METHODS}
    trees = known(value for name, value in found.items() if name.startswith("smart"))
    fit = many_value(results, MANY_GOAL, "floor_guided", "seconds") / many_value(results, MANY_GOAL, "ovr", "seconds")
    return [
        *(row for name in OVERLAPPING for row in overlapping_goals(results, name)),
        accuracy_row("accuracy, K = 1000", found["floor_guided"], 0.91),
        median_row("fit time / OvR, K = 1000", [fit], 0.5),
        accuracy_row("lowest accuracy of SmartSVM over its cuts, K = 1000", min(trees, default=np.nan), 0.6),
    ]


def overlapping_goals(results, name):
    """Goals against the most accurate plain model; a classifier that is clearly better may take ten times as long."""
    best = max(PLAIN, key=lambda one: np.nan_to_num(many_value(results, name, one, "accuracy")))
    ours, theirs = (many_value(results, name, one, "accuracy") for one in ("floor_guided", best))
    n_tested = results["cases"].get(key_of(("many", name), "floor_guided"), {}).get("tested", np.nan)
    most = 10 if ours - theirs > 2 * np.sqrt(theirs * (1 - theirs) / n_tested) else 3
    times = {
        what: many_value(results, name, "floor_guided", what) / many_value(results, name, best, what)
        for what in ("seconds", "predict_seconds")
    }
    return [
        accuracy_row(f"accuracy - that of {best}, {name}", ours - theirs, -0.005),
        median_row(f"fit time / {best}, {name}", [times["seconds"]], most),
        median_row(f"predict time / {best}, {name}", [times["predict_seconds"]], most),
    ]


def many_value(results, name, method, field):
    """Return a figure of a dataset of many classes; NaN if there is none."""
    return results["cases"].get(key_of(("many", name), method), {}).get(field, np.nan)


def accuracy_row(measured, value, goal):
    """Return the goal for a figure that should be large."""
    return goal_row(measured, None if np.isnan(value) else value, 1, goal, at_least=True)


# Tables and ranks.


TABLES = {"time": time_table, "ari": ari_table, "paper": paper_table, "guided": guided_table, "many": many_table}


def tables(results):
    """Return the tables by name."""
    return {name: [*table(results)] for name, table in TABLES.items()}


def goals(results):
    """Return every figure that has a goal, with its outcome."""
    return judge_rows(goals_of(results))


def goals_of(results):
    """Return every figure that has a goal."""
    return [row for part in (time_goals, paper_goals, guided_goals, many_goals) for row in part(results)]


def print_all(results, *, judged=True):
    """Print all tables and the goals; means over splits with their standard deviation."""
    for table in tables(results).values():
        print("\n".join(["", *align(table)]))
    print("\n".join(["", *format_goals(goals_of(results), judged=judged)]))


def rank_table(results, field, sign):
    """Return the methods that ran on all datasets, and their costs, one dataset per row."""
    names = [name for name in METHODS if name != "crammer_singer"]
    table = sign * np.array([[mean_of(results, case, name, field) for name in names] for case in BEST_CASES])
    ran = np.flatnonzero(~np.isnan(table).any(axis=0))
    return [names[place] for place in ran], table[:, ran]
