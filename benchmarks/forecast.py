"""The forecast of the lowest possible error: how well its probabilities, intervals and medians hold.

``problems`` are 320 of sixteen families (``_judge_families``), each with a known Bayes error; nothing was tuned on
them, and they are measured once. ``again`` are as many with other seeds, for the forecast after that judgement. Eight
targets per problem do not depend on the truth: the lowest measured error and some points more or less. ``sealed`` saves
forecasts from a few rows of real tables (``_forecast_sets``) for four times as many rows and for all; ``opened``
measures what models reach there.

``--only`` selects groups, or families and tables as in ``problems/trees`` and ``sealed/mnist``. Figures are shown with
``--show`` only, so that a run reveals nothing.
"""

import math
import warnings
from functools import partial
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from bayesfloor import BayesFloor
from bayesfloor.io import InputError
from benchmarks._command import FOLDER, JOBS, run_command
from benchmarks._data import SEED
from benchmarks._forecast_sets import NAMED, TABLES, draw_rows
from benchmarks._judge_families import AGAIN, PROBLEMS, draw
from benchmarks._results import Goal, at_least, at_most, none_of, plain, print_tables
from benchmarks._timing import seconds_of

RESULTS = FOLDER / "forecast.json"
GROUPS = ("problems", "again", "sealed", "opened")
LEVELS = (np.arange(200) + 0.5) / 200
SAVED = np.concatenate([[0.0025], np.arange(1, 40) / 40, [0.9975]])  # levels whose quantiles are saved
POINTS = (-10, -5, -3, -2, -1, 1, 2, 5)  # targets, from the lowest measured error
MARGINS = (0.02, 0.05, 0.1)  # distances of further targets from the truth, on both sides
STARTS = {"tenth": None, "500": 500, "1000": 1000}  # rows that a forecast sees; None for a tenth
MORE = 4
EFFORT = "normal"  # of races on real tables: quick ones leave good learners out of large tables
TOLERANCE = 5e-4  # of an interval's ends: less than the 0.1 % to which errors are shown
RESAMPLES = 1000
CALLED, RARE = 0.2, 0.05  # a probability this close to 0 or 1 is a call; one below the second is "out of reach"
CALLS = {0.05: (0.6, 0.09), 0.1: (0.78, 0.04)}  # by distance from the truth: least calls, and most wrong ones of these


# One cell.


def find_answer(X, y, effort):
    """Return the CPU seconds on one thread, and the answer; labels are text, as many numbers look like regression."""
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return seconds_of(lambda: BayesFloor(n_jobs=1).fit(X, np.asarray(y).astype(str)).answer(effort))


def told(answer):
    """Return what does not depend on a target; None stands for what is not known."""
    return {
        "estimate": plain(answer.estimate),
        "lower": None if math.isnan(answer.lower) else plain(answer.lower),
        "upper": plain(answer.upper),
        "proved": answer.proved,
        "reliability": answer.reliability,
        "reasons": [reason.basis for reason in answer.reasons],
        "guessing": plain(answer.guessing),
        "measured": plain(measured(answer)),
        "errors": {name: plain(error) for name, error in answer.errors.items()},
        "n_train": answer.forecast and answer.forecast.n_rows,
        "effort": answer.effort,
    }


def measured(answer):
    return min([*answer.errors.values(), answer.guessing])


def ask(answer, error, rows=None):
    """Return the probability of a target, None if nothing can be said."""
    chance = answer.chance(1 - error, rows)
    return None if math.isnan(chance) else plain(chance)


def between(errors, guessing):
    """Keep targets between no error and that of guessing, by name."""
    return {name: error for name, error in errors.items() if 0 < error < guessing}


def measure_problem(family, seed, n, effort):
    problem = draw(family, seed, n)
    seconds, answer = find_answer(problem.X, problem.y, effort)
    truth, least, guessing = problem.bayes_error, measured(answer), answer.guessing
    asked = between({point: least + point / 100 for point in POINTS}, guessing)
    near = between({side * margin: truth + side * margin for side, margin in product((-1, 1), MARGINS)}, guessing)
    found = answer.forecast and {"forecast": judged(answer.forecast.lowest, answer.estimate, truth)}
    return told(answer) | {
        "n": n,
        "d": problem.X.shape[1],
        "n_classes": len(np.unique(problem.y)),
        "truth": plain(truth),
        "std_error": plain(problem.std_error),
        "best": answer.best,
        "asked": [[point, plain(e), ask(answer, e), answer.verdict(1 - e)] for point, e in asked.items()],
        "near": [[margin, plain(e), ask(answer, e)] for margin, e in near.items()],
        **(found or {}),
        "seconds": plain(seconds),
    }


def judged(quantiles, estimate, truth):
    """Return an estimate, some of 200 quantiles, and their continuous ranked probability score."""
    return {
        "estimate": plain(estimate),
        "quantiles": [plain(each) for each in np.interp(SAVED, LEVELS, quantiles)],
        "crps": plain(ranked_score(quantiles, truth)),
    }


def ranked_score(values, truth):
    """Return the score of equally likely sorted values: their mean distance from the truth, less half of that apart."""
    n = len(values)
    apart = ((2 * np.arange(1, n + 1) - n - 1) * values).sum() / n**2
    return float(np.abs(values - truth).mean() - apart)


def measure_sealed(table, start, effort):
    """Save the forecast from a few rows, for four times as many, all and any number of rows."""
    X, y = draw_rows(table)
    n = start or len(X) // 10
    seconds, answer = find_answer(X.iloc[:n], y[:n], effort)
    sizes = {"4x": MORE * n, "all": len(X), "any": None}
    targets = between({point: measured(answer) + point / 100 for point in POINTS if point < 0}, answer.guessing)
    ahead = {}
    for name, rows in sizes.items() if answer.forecast is not None else ():
        train = rows and rows * answer.forecast.n_rows / n  # outside a fold, as now
        ahead[name] = {
            "rows": train and plain(train),
            "beyond": bool(train and train > answer.forecast.sizes[-1] + 1),  # the forecast is for 64 times the rows
            "quantiles": [plain(each) for each in answer.forecast.quantiles([0.05, 0.5, 0.95], train)],
            "asked": [[point, plain(e), ask(answer, e, train)] for point, e in targets.items()],
        }
    verdicts = [[point, answer.verdict(1 - error)] for point, error in targets.items()]
    return told(answer) | {
        "shape": list(X.shape),
        "n": n,
        "ahead": ahead,
        "verdicts": verdicts,
        "seconds": plain(seconds),
    }


def measure_opened(table, start, effort):
    """Measure what models reach with four times the rows of a start, or with all rows."""
    X, y = draw_rows(table)
    n = len(X) if start == "all" else MORE * (start or len(X) // 10)
    seconds, answer = find_answer(X.iloc[:n], y[:n], effort)
    return told(answer) | {"n": n, "left_out": answer.left_out, "seconds": plain(seconds)}


def all_cells(*, quick):
    """Return the measurements by name; the quick form has other seeds and a small table."""
    problems = {"problems": [("trees", 1, 150, "quick"), ("ordinal", 1, 150, "quick")]}
    problems = problems if quick else {"problems": PROBLEMS, "again": AGAIN}
    tables, starts = (["digits"], {"300": 300}) if quick else ([name for name in TABLES if name != "digits"], STARTS)
    ends = {"all": "all"} | {f"4x{name}": rows for name, rows in starts.items()}
    effort = "quick" if quick else EFFORT
    return {
        **{
            f"{group}/{one[0]}/{one[1]}": partial(measure_problem, *one)
            for group, judged in problems.items()
            for one in judged
        },
        **{
            f"sealed/{t}/{name}": partial(measure_sealed, t, rows, effort)
            for t in tables
            for name, rows in starts.items()
        },
        **{
            f"opened/{t}/{name}": partial(measure_opened, t, rows, effort)
            for t in tables
            for name, rows in ends.items()
        },
    }


def parts_of(name):
    """Return the names that select a cell: of its group, its family or table, ..., and its own."""
    words = name.split("/")
    return ["/".join(words[: at + 1]) for at in range(len(words))]


def select(cells, options):
    """Return the cells that ``--only`` selects; all if it is not passed."""
    wanted = set(options.only)
    return {name: work for name, work in cells.items() if not wanted or wanted.intersection(parts_of(name))}


def measure(work):
    """Return a cell's result, or why the library refused its rows."""
    try:
        return work()
    except InputError as error:
        return {"refused": str(error), "seconds": 0.0}


def run_judgement(arguments, doc, path, groups, all_cells, check_case, tables, goals):
    """Run the command line of a judgement; figures are shown only if requested, so that a run reveals nothing."""
    everything = {**all_cells(quick=True), **all_cells(quick=False)}

    def chosen(options):
        return select(all_cells(quick=options.quick), options)

    def show(results, options):
        if options.show or options.quick:
            print_tables(tables(results), () if options.quick else goals(results))

    run_command(
        arguments,
        doc,
        path,
        names=list(dict.fromkeys([*groups, *(part for name in everything for part in parts_of(name))])),
        cells=lambda options: list(chosen(options)),
        measure=lambda file, options: run_cells(file, options, chosen(options), check_case),
        show=show,
        more=JOBS,
        around=(),
    )


def run_cells(file, options, cells, check_case):
    """Measure the cells that the file lacks; ``check_case`` asserts what must hold in the quick form."""
    missing = [name for name in cells if name not in file.results["cases"]]
    found = Parallel(n_jobs=options.jobs, return_as="generator")(delayed(measure)(cells[name]) for name in missing)
    for name, case in zip(missing, found, strict=True):
        file.add(name, case)
        print(f"{name}: {case['seconds']:.1f} s", flush=True)
    if options.quick:
        for name, case in file.results["cases"].items():
            check_case(name, case)


def check_case(name, case):
    """Assert that quantiles and chances rise, and that no quantile is above the error of guessing."""
    assert "refused" not in case, f"{name}: {case}"
    for part in (case, case.get("forecast", {}), *case.get("ahead", {}).values()):
        errors, chances = part.get("quantiles", []), [one[2] for one in part.get("asked", ())]
        assert errors == sorted(errors) and chances == sorted(chances), f"{name}: {part}"  # noqa: PT018 - of one kind
        assert max(errors, default=0) <= case.get("guessing", 1) + TOLERANCE, f"{name}: {part}"


# Figures of problems. Problems of a family err together, so intervals come from resampling families.


def cases_of(results, group):
    """Return the cases of a group by the rest of their names, without those that were refused."""
    cases = {name.partition("/")[2]: case for name, case in results["cases"].items() if name.startswith(f"{group}/")}
    return {name: case for name, case in cases.items() if "refused" not in case}


def judged_last(results):
    """Return the group of problems that the figures are for: those measured again, if there are any."""
    return "again" if cases_of(results, "again") else "problems"


def by_family(results, effort=None, group=None):
    """Return the problems of each family, of one effort or both."""
    found = {}
    for name, case in cases_of(results, group or judged_last(results)).items():
        if effort in (None, case["effort"]):
            found.setdefault(name.partition("/")[0], []).append(case)
    return found


def lines_of(families, values):
    """Return an array per family with the lines that ``values`` gives for each case."""
    lines = [[line for case in cases for line in values(case)] for cases in families.values()]
    return [np.array(each, dtype=float) for each in lines if each]


def figure_of(families, values, figure):
    lines = lines_of(families, values)
    return figure(np.concatenate(lines)) if lines else np.nan


def interval_of(families, values, figure):
    """Return the ends of the 95 % interval of a figure."""
    lines = lines_of(families, values)
    draws = np.random.default_rng(SEED).integers(len(lines), size=(RESAMPLES, len(lines)))
    found = [figure(np.concatenate([lines[place] for place in places])) for places in draws]
    return np.nanquantile(found, [0.025, 0.975], axis=0)


def asked(case, margin=0.0):
    """Return the chance of each target that does not depend on the truth, not a number if unknown, and the outcome.

    ``margin`` leaves out targets that are closer to the truth.
    """
    truth = case["truth"]
    return [(chance, truth <= error) for _, error, chance, _ in case["asked"] if abs(error - truth) >= margin]


def near(case, margin):
    """Return the same for the targets at this distance from the truth."""
    return [(chance, side > 0) for side, _, chance in case["near"] if abs(side) == margin]


def skill(lines):
    """Return by how much the Brier score is below that of the base rate, as a fraction."""
    chance, reached = lines[~np.isnan(lines[:, 0])].T
    base = reached.mean()
    return 1 - np.mean((chance - reached) ** 2) / (base * (1 - base)) if 0 < base < 1 else np.nan


def fifths(families):
    """Return for each fifth of probability: its number, targets, their mean chance, those reached, the interval."""
    for k in range(5):

        def inside(lines, k=k):
            own = lines[(lines[:, 0] >= k / 5) & (lines[:, 0] < (k + 1) / 5)]
            return np.array([len(own), *own.mean(axis=0)]) if len(own) else np.full(3, np.nan)

        n, said, true = figure_of(families, asked, inside) * np.ones(3)
        if n > 0:
            yield k, int(n), said, true, interval_of(families, asked, inside)[:, 2]


def is_call(lines):
    return (lines[:, 0] <= CALLED) | (lines[:, 0] >= 1 - CALLED)


def wrong_calls(lines):
    """Return the fraction of calls that are wrong."""
    own = lines[is_call(lines)]
    return ((own[:, 0] > 0.5) != own[:, 1]).mean() if len(own) else np.nan


def away(case):
    return [abs(case["forecast"]["estimate"] - case["truth"])] if "forecast" in case else []


def holds(case, level):
    if "forecast" not in case:
        return []
    low, high = np.interp([0.5 - level / 2, 0.5 + level / 2], SAVED, case["forecast"]["quantiles"])
    return [low - TOLERANCE <= case["truth"] <= high + TOLERANCE]


def scores(case):
    return [case["forecast"]["crps"]] if "forecast" in case else []


def figures(families):
    """Return all figures of some problems by name."""
    of, found = partial(figure_of, families), {"Brier skill": figure_of(families, asked, skill)}
    for margin, (kind, values) in product(CALLS, KINDS.items()):
        lines, where = partial(values, margin=margin), f"{100 * margin:g} points, {kind}"
        found |= {f"called: {where}": of(lines, lambda own: is_call(own).mean())}
        found |= {f"wrong calls: {where}": of(lines, wrong_calls)}
    return found | {
        "80 % intervals that hold": of(partial(holds, level=0.8), np.mean),
        "95 % intervals that hold": of(partial(holds, level=0.95), np.mean),
        "median error": of(away, np.median),
        "CRPS": of(scores, np.mean),
        "proven ends that are wrong": of(lambda case: [case["upper"] < case["truth"]], np.mean),
    }


KINDS = {"placed by the truth": near, "asked": asked}
BOUNDS = {
    "Brier skill": (at_least, 0.5),
    "95 % intervals that hold": (at_least, 0.91),
    "median error": (at_most, 0.022),
    "proven ends that are wrong": (at_most, 0.05),
}


# What real tables reached.


def ahead_of(results, *, named):
    """Return a line for every forecast whose rows were opened, those that were furthest from what was reached first."""
    opened, lines = cases_of(results, "opened"), []
    for name, case in cases_of(results, "sealed").items():
        table, start = name.split("/")
        for size, key in (("4x", f"{table}/4x{start}"), ("all", f"{table}/all")):
            if (table in NAMED) == named and size in case["ahead"] and key in opened:
                line, reached = case["ahead"][size], opened[key]["measured"]
                low, middle, high = line["quantiles"]
                # What was out of reach with so many rows, and whether it was reached.
                out = [reached <= error for _, error, chance in line["asked"] if chance is not None and chance < RARE]
                found = {"name": name, "reached": reached, "out": out, "away": abs(middle - reached)}
                lines.append(line | found | {"held": low <= reached <= high})
    return sorted(lines, key=lambda line: -line["away"])


# Tables and goals.


def number(value):
    return "-" if np.isnan(value) else f"{value:.3f}"


def figure_table(results):
    """Show the figures for all problems and by effort."""
    parts = {"all": by_family(results), **{effort: by_family(results, effort) for effort in ("quick", "normal")}}
    if judged_last(results) == "again":
        parts["first judgement"] = by_family(results, group="problems")
    parts = {label: families for label, families in parts.items() if families}
    cases = [[case for own in families.values() for case in own] for families in parts.values()]
    yield ("figure", *parts)
    yield ("problems", *(str(len(own)) for own in cases))
    yield ("without a forecast", *(str(sum("forecast" not in case for case in own)) for own in cases))
    found = [figures(families) for families in parts.values()]
    for name in found[0] if found else ():
        yield (name, *(number(each[name]) for each in found))


def family_table(results):
    """Show the families, those with the largest loss first."""
    shown = ("CRPS", "median error", "80 % intervals that hold", "Brier skill")
    shown += ("wrong calls: 5 points, placed by the truth", "proven ends that are wrong")
    yield ("family", "problems", *shown)
    families = by_family(results)
    found = {name: figures({name: cases}) for name, cases in families.items()}
    for name, own in sorted(found.items(), key=lambda each: -each[1]["CRPS"]):
        yield (name, str(len(families[name])), *(number(own[each]) for each in shown))


def fifth_table(results):
    yield ("chance", "targets", "mean chance", "reachable", "95 % interval")
    families = by_family(results)
    for k, n, said, true, (low, high) in fifths(families) if families else ():
        yield (f"{20 * k} to {20 * k + 20} %", str(n), number(said), number(true), f"{low:.3f} to {high:.3f}")


def outcome_table(results):
    yield ("outcome", "targets", "mean chance", "reachable")
    found = {}
    for case in cases_of(results, judged_last(results)).values():
        for _, error, chance, outcome in case["asked"]:
            found.setdefault(outcome, []).append((chance, case["truth"] <= error))
    for outcome, lines in found.items():
        yield (outcome, str(len(lines)), *map(number, np.array(lines, dtype=float).mean(axis=0)))


def ahead_table(results, *, named):
    yield (
        "table, rows now",
        "training rows then",
        "median",
        "90 % interval",
        "reached",
        "held",
        "ruled out",
        "wrongly",
    )
    for line in ahead_of(results, named=named):
        low, middle, high = line["quantiles"]
        rows = f"{line['rows']:.0f}{' (beyond 64 times)' * line['beyond']}"
        held = "yes" if line["held"] else "no"
        out = (str(len(line["out"])), str(sum(line["out"])))
        yield (line["name"], rows, f"{middle:.3f}", f"{low:.3f} to {high:.3f}", f"{line['reached']:.3f}", held, *out)


def tables(results):
    made = {
        "figures": figure_table,
        "fifths": fifth_table,
        "outcomes": outcome_table,
        "families": family_table,
        "ahead": partial(ahead_table, named=False),
        "named": partial(ahead_table, named=True),
    }
    return {name: list(make(results)) for name, make in made.items()}


def goals(results):
    if families := by_family(results):
        yield from problem_goals(families)
    if ahead := ahead_of(results, named=False):
        out = [is_wrong for line in ahead for is_wrong in line["out"]]
        yield at_least("real tables: 90 % intervals that hold", np.mean([line["held"] for line in ahead]), 0.85)
        yield at_most("real tables: median error of medians", np.median([line["away"] for line in ahead]), 0.015)
        yield at_most("real tables: targets out of reach that were reached", np.mean(out) if out else 0.0, 0.05)


def problem_goals(families):
    found, said = figures(families), list(fifths(families))
    outside = [not low <= chance <= high for _, _, chance, _, (low, high) in said]
    yield none_of("fifths whose mean chance is outside the interval of what is reachable", outside)
    gap = np.mean([abs(chance - true) for _, _, chance, true, _ in said])
    yield at_most("mean distance of chance and what is reachable, over fifths", gap, 0.05)
    for (margin, (least, most)), kind in product(CALLS.items(), KINDS):
        where = f"{100 * margin:g} points, {kind}"
        yield at_least(f"called: {where}", found[f"called: {where}"], least)
        yield at_most(f"wrong calls: {where}", found[f"wrong calls: {where}"], most)
    yield from (judge(name, found[name], bound) for name, (judge, bound) in BOUNDS.items())
    share = found["80 % intervals that hold"]
    yield Goal("80 % intervals that hold", f"{share:.3f}", "0.74 to 0.88", met=bool(0.74 <= share <= 0.88))


def main(arguments=None):
    run_judgement(arguments, __doc__, RESULTS, GROUPS, all_cells, check_case, tables, goals)


if __name__ == "__main__":
    main()
