"""Ceilings by other metrics: how close they are to the best possible scores, and whether ranges and chances hold.

``numbers`` and ``classes`` are 120 problems each (``_metric_families``), for which the lowest possible loss by every
metric is known; nothing was tuned on them. ``tails`` are numbers with heavy-tailed noise or outliers, which are no part
of the goals. One race per problem serves all metrics.

``--only`` selects groups, families or problems, as in ``numbers/hinges``. Figures are shown
with ``--show`` only, so that a run reveals nothing.
"""

import math
import warnings
from functools import partial

import numpy as np
from scipy.stats import binomtest
from threadpoolctl import threadpool_limits

import bayesfloor
from bayesfloor.answer._learners import BLEND
from benchmarks._command import FOLDER
from benchmarks._data import SEED
from benchmarks._metric_families import JUDGING, TAILS, draw_classes, draw_numbers
from benchmarks._results import at_least, at_most, none_of, plain
from benchmarks._timing import seconds_of
from benchmarks.forecast import run_judgement

RESULTS = FOLDER / "metrics.json"
GROUPS = ("numbers", "classes", "tails")
METRICS = {
    "numbers": ["r2", "rmse", "mae"],
    "classes": ["accuracy", "balanced_accuracy", "roc_auc", "log_loss", "brier"],
}
SCORES = ("accuracy", "balanced_accuracy", "roc_auc", "r2")  # which are 1 less a loss
WORDS = {  # and the unit of errors
    "r2": "R^2, points",
    "rmse": "RMSE, % of the spread of y",
    "mae": "MAE, % of guessing",
    "accuracy": "accuracy, points",
    "balanced_accuracy": "balanced accuracy, points",
    "roc_auc": "AUC, points",
    "log_loss": "log loss, nats",
    "brier": "Brier score, points",
}
CLOSE = {  # most median and mean error
    "r2": (4, 6),
    "rmse": (4, 7),
    "mae": (3.5, 6),
    "balanced_accuracy": (2, 4),
    "roc_auc": (2, 3.5),
    "log_loss": (0.05, 0.09),
    "brier": (2.5, 4.5),
}
OF_BEST, OF_BEST_RMSE = 0.65, 0.72  # most mean error, relative to that of the best single model
CLOSER = 0.78  # least fraction of problems in which the estimate is closer than the best single model
LEVEL, MOST_WRONG, MOST_BRIER = 0.95, 0.05, 0.13
SAVED = np.concatenate([[0.0025], np.arange(1, 40) / 40, [0.9975]])  # levels whose quantiles are saved
POINTS = (-20, -10, -5, -3, -2, -1, 0, 1, 2)  # targets, from the lowest measured loss, in points of guessing
TOLERANCE = 5e-4  # of an interval's ends, relative to guessing: less than is shown
RESAMPLES, BINS = 1000, 5
CLOSENESS = ("median error", "mean error", "best model: median", "best model: mean", "relative mean", "closer")


# One cell.


def find_answers(problem, task):
    """Return the CPU seconds on one thread, and the answers by metric, which are all of one race."""
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, found = seconds_of(
            lambda: bayesfloor.check(
                problem.X,
                problem.y,
                metric=METRICS[task],
                task=task,
                effort="quick",
                n_jobs=1,
                random_state=0,
            )
        )
    return seconds, {answer.metric: answer for answer in (found.answer, *found.beside.values())}


def measure_problem(task, family, seed, tail=None, rows=None):
    """Measure one problem; ``rows`` cuts it short for the quick form."""
    problem = draw_classes(family, seed) if task == "classes" else draw_numbers(family, seed, tail)
    problem = problem._replace(X=problem.X[:rows], y=problem.y[:rows])
    seconds, answers = find_answers(problem, task)
    facts = {"n_classes": len(np.unique(problem.y))} if task == "classes" else {"tail": tail}
    return {
        "n": len(problem.X),
        "d": problem.X.shape[1],
        **facts,
        "population": rounded(problem.population),
        "metrics": {name: told(answers[name]) | {"truth": plain(problem.truth[name])} for name in METRICS[task]},
        "seconds": plain(seconds),
    }


def told(answer):
    """Return what an answer says of one metric; None stands for what it does not say."""
    return {
        "estimate": known(answer.estimate),
        "lower": known(answer.lower),
        "upper": known(answer.upper),
        "tested": bool(answer.upper_is_tested),
        "guessing": known(answer.guessing),
        "errors": rounded(answer.errors),
        "quantiles": [plain(each) for each in answer.quantiles(SAVED) if not math.isnan(each)],
        "asked": ask(answer),
        "reliability": answer.reliability,
        "reasons": [reason.basis for reason in answer.reasons],
    }


def ask(answer):
    """Return the chance of targets that do not depend on the truth; None if nothing can be said."""
    least, found = min(answer.errors.values(), default=answer.guessing), []
    for point in POINTS:
        loss = least + point / 100 * answer.guessing
        if 0 < loss < answer.guessing:
            found.append([point, plain(loss), known(answer.chance(1 - loss if answer.metric in SCORES else loss))])
    return found


def known(value):
    return plain(value) if math.isfinite(value) else None


def rounded(values):
    return {name: plain(value) for name, value in values.items()}


def all_cells(*, quick):
    """Return the measurements by name; the quick form has seeds of its own and few rows."""
    if quick:
        cells = {
            "numbers/hinges/1": partial(measure_problem, "numbers", "hinges", 1, rows=300),
            "classes/bumps/2": partial(measure_problem, "classes", "bumps", 2, rows=400),
            "tails/waves/3": partial(measure_problem, "numbers", "waves", 3, "t3", rows=300),
        }
    else:
        sets = {**JUDGING, "tails": TAILS}
        cells = {
            f"{group}/{one[0]}/{one[1]}": partial(measure_problem, "classes" if group == "classes" else "numbers", *one)
            for group, problems in sets.items()
            for one in problems
        }
    return cells


def check_case(name, case):
    """Assert that quantiles rise, up to the loss of guessing, and that the range contains the best estimate."""
    assert "refused" not in case, f"{name}: {case}"
    for metric, found in case.get("metrics", {}).items():
        quantiles, most = found["quantiles"], (1 + TOLERANCE) * max(found["guessing"], found["upper"] or 0)
        assert quantiles == sorted(quantiles), f"{name}, {metric}: {found}"
        assert max(quantiles, default=0) <= most, f"{name}, {metric}: {found}"
        assert (found["lower"] or 0) <= found["estimate"] * (1 + TOLERANCE), f"{name}, {metric}: {found}"


# Figures of one metric over cases.


def cases_of(results, group):
    """Return the cases of a group, without those that were refused."""
    cases = {name: case for name, case in results["cases"].items() if name.startswith(f"{group}/")}
    return {name: case for name, case in cases.items() if "refused" not in case}


def values_of(cases, metric):
    """Return what was found for a metric in each case that has it; with the unit of errors."""
    for case in cases.values():
        if metric in case.get("metrics", ()):
            yield case["metrics"][metric] | {"unit": unit_of(case, metric)}


def unit_of(case, metric):
    """Return the loss that stands for an error of 1: a nat, a point, or a percent of what guessing loses."""
    if metric == "log_loss":
        return 1.0
    return case["population"][metric] / 100 if metric in ("rmse", "mae") else 0.01


def best_model(found):
    """Return the lowest cross-validated loss of a single model."""
    errors = [error for name, error in found["errors"].items() if name != BLEND]
    return min(errors, default=found["guessing"])


def away(found, loss):
    return abs(loss - found["truth"]) / found["unit"]


def too_high(found):
    """Return whether the lower end is above the truth."""
    return found["lower"] is not None and found["lower"] - TOLERANCE * found["guessing"] > found["truth"]


def too_low(found):
    """Return whether the upper end is below the truth."""
    return found["upper"] is not None and found["upper"] + TOLERANCE * found["guessing"] < found["truth"]


def outcomes(found):
    """Return the chance of each target, as far as there is one, and whether it is reachable."""
    return [(chance, found["truth"] <= loss) for _, loss, chance in found["asked"] if chance is not None]


def bins(races):
    """Return for each bin of chance: its number, targets, their mean chance, those reachable, the 95 % interval.

    Targets of a race are reachable together, so whole races are resampled.
    """
    for k in range(BINS):
        inside = [np.array([one for one in race if min(int(one[0] * BINS), BINS - 1) == k]) for race in races]
        inside = [lines for lines in inside if len(lines)]
        if inside:
            said, true = np.concatenate(inside).mean(axis=0)
            yield k, sum(map(len, inside)), said, true, interval_of([lines[:, 1] for lines in inside])


def interval_of(outcomes):
    """Return the 95 % interval of the fraction of outcomes that are true, from lists of outcomes by race.

    If all are alike, resampling shows no spread; the interval is then the exact one for the number of races.
    """
    n, every = len(outcomes), np.concatenate(outcomes)
    if every.min() == every.max():
        far = 0.025 ** (1 / n)
        return (far, 1.0) if every[0] else (0.0, 1 - far)
    sums, sizes = np.array([each.sum() for each in outcomes]), np.array([len(each) for each in outcomes])
    drawn = np.random.default_rng(SEED).integers(n, size=(RESAMPLES, n))
    return tuple(np.quantile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [0.025, 0.975]))


def figures(cases, metric):
    return figures_of(list(values_of(cases, metric)))


def figures_of(found):
    """Return all figures by name, and the targets of each race, from what was found for a metric."""
    ours, single = (np.array([away(one, of(one)) for one in found]) for of in (lambda one: one["estimate"], best_model))
    ranges = [one for one in found if (one["lower"], one["upper"]) != (None, None)]
    width = [(one["upper"] - (one["lower"] or 0)) / one["unit"] for one in found if one["upper"] is not None]
    races = [lines for one in found if (lines := outcomes(one))]
    said = np.array([line for lines in races for line in lines], dtype=float).reshape(-1, 2)
    return {
        "problems": len(found),
        "median error": np.median(ours),
        "mean error": ours.mean(),
        "best model: median": np.median(single),
        "best model: mean": single.mean(),
        "relative mean": ours.mean() / single.mean(),
        "closer": (ours < single).mean(),
        "held": [not (too_high(one) or too_low(one)) for one in ranges],
        "lower ends": [too_high(one) for one in found if one["lower"] is not None],
        "tested ends": [too_low(one) for one in found if one["tested"]],
        "median width": np.median(width) if width else np.nan,
        "Brier score": ((said[:, 0] - said[:, 1]) ** 2).mean() if len(said) else np.nan,
        "races": races,
    }


# Tables and goals.


def judged(results, metric):
    """Return the problems that judge a metric."""
    return cases_of(results, next(task for task, names in METRICS.items() if metric in names))


def measured(results):
    return [metric for metric in WORDS if any(values_of(judged(results, metric), metric))]


def name_of(metric):
    return WORDS[metric].partition(",")[0]


def number(value):
    return "-" if np.isnan(value) else f"{value:.3g}"


def closeness_table(results):
    """Show errors for all problems and, if a forecast was withheld from some, for the others."""
    yield ("metric", "problems", *CLOSENESS)
    for metric in measured(results):
        found = list(values_of(judged(results, metric), metric))
        parts = {"": found, "; with a forecast": [one for one in found if one["quantiles"]]}
        for words, own in parts.items():
            if own and (own == found) == (not words):
                shown = figures_of(own)
                yield (WORDS[metric] + words, str(len(own)), *(number(shown[name]) for name in CLOSENESS))


def range_table(results):
    yield ("metric", "ranges", "held", "lower ends", "too high", "tested ends", "wrong", "median width", "Brier score")
    for metric in measured(results):
        found = figures(judged(results, metric), metric)
        counts = counts_of(found, "held", "lower ends", "tested ends")
        yield (WORDS[metric], *counts, number(found["median width"]), number(found["Brier score"]))


def counts_of(found, *names):
    return [str(count) for name in names for count in (len(found[name]), sum(found[name]))]


def bin_table(results):
    yield ("metric", "chance", "targets", "mean chance", "reachable", "95 % interval")
    for metric in measured(results):
        for k, n, said, true, (low, high) in bins(figures(judged(results, metric), metric)["races"]):
            where = f"{100 * k // BINS} to {100 * (k + 1) // BINS} %"
            yield (name_of(metric), where, str(n), f"{said:.3f}", f"{true:.3f}", f"{low:.3f} to {high:.3f}")


def family_table(results):
    """Show the mean error of each family by each metric, the worst of a task first."""
    yield ("family", "task", "problems", *map(name_of, WORDS))
    for task, first in (("numbers", "r2"), ("classes", "brier")):
        families, lines = {}, []
        for name, case in cases_of(results, task).items():
            families.setdefault(name.split("/")[1], {})[name] = case
        for family, cases in families.items():
            errors = {metric: [away(one, one["estimate"]) for one in values_of(cases, metric)] for metric in WORDS}
            shown = (number(np.mean(each)) if each else "-" for each in errors.values())
            lines.append((np.mean(errors[first]), (family, task, str(len(cases)), *shown)))
        yield from (line for _, line in sorted(lines, reverse=True))


def tail_table(results):
    """Show the figures of problems that are no part of the goals."""
    shown = ("median error", "mean error", "relative mean")
    yield ("problems", "metric", "number", *shown, "ranges", "held", "tested ends", "wrong", "Brier score")
    parts = {}
    for name, case in cases_of(results, "tails").items():
        parts.setdefault(case["tail"], {})[name] = case
    for part, cases in sorted(parts.items()):
        for metric, words in WORDS.items():
            if any(values_of(cases, metric)):
                found = figures(cases, metric)
                errors, counts = (number(found[name]) for name in shown), counts_of(found, "held", "tested ends")
                yield (part, words, str(found["problems"]), *errors, *counts, number(found["Brier score"]))


def second_table(results):
    yield ("problems", "number", "median CPU seconds", "most")
    for group in GROUPS:
        if seconds := [case["seconds"] for case in cases_of(results, group).values()]:
            yield (group, str(len(seconds)), f"{np.median(seconds):.1f}", f"{max(seconds):.1f}")


def tables(results):
    made = {
        "closeness": closeness_table,
        "ranges": range_table,
        "bins": bin_table,
        "families": family_table,
        "tails": tail_table,
        "seconds": second_table,
    }
    return {name: list(make(results)) for name, make in made.items()}


def goals(results):
    for metric in measured(results):
        found, name = figures(judged(results, metric), metric), name_of(metric)
        if metric in CLOSE:
            yield from closeness_goals(found, metric)
        held, n = sum(found["held"]), len(found["held"])
        if n:
            chance = binomtest(held, n, LEVEL, alternative="less").pvalue
            words = f"{name}: 95 % ranges that hold ({held} of {n}), probability of as few if {LEVEL:g} held"
            yield at_least(words, chance, MOST_WRONG)
        if found["tested ends"]:
            yield at_most(f"{name}: tested ends that are wrong", np.mean(found["tested ends"]), MOST_WRONG)
        if found["races"]:
            yield at_most(f"{name}: Brier score of chances", found["Brier score"], MOST_BRIER)
            outside = [not low <= said <= high for _, _, said, _, (low, high) in bins(found["races"])]
            yield none_of(f"{name}: bins whose mean chance is outside the interval of what is reachable", outside)


def closeness_goals(found, metric):
    name, (median, mean) = WORDS[metric], CLOSE[metric]
    yield at_most(f"{name}: median error", found["median error"], median)
    yield at_most(f"{name}: mean error", found["mean error"], mean)
    most = OF_BEST_RMSE if metric == "rmse" else OF_BEST
    yield at_most(f"{name}: mean error relative to that of the best model", found["relative mean"], most)
    yield at_least(f"{name}: problems in which the estimate is closer", found["closer"], CLOSER)


def main(arguments=None):
    run_judgement(arguments, __doc__, RESULTS, GROUPS, all_cells, check_case, tables, goals)


if __name__ == "__main__":
    main()
