"""How close the answer comes to a known Bayes error, on realistic problems.

``python -m benchmarks.realistic held-back`` runs on sixty problems that no method was tuned on, four draws of each;
``development`` runs on those that methods may be tuned on. The first draws of all problems come first. ``--kinds``
selects one of two kinds of cells: "rivals", 5-fold errors of three scikit-learn classifiers with default settings on
standardised rows; "answer". A third kind of cells, "before", is only read: it contains the answer that an earlier
commit gave, by a method that is no longer part of the code.

If noise was planted in real labels, the truth is a band: the error of an estimate is its distance to the band, and a
range contains the truth if it overlaps the band. Verdicts are requested for target errors some points below and above
the truth; targets that are not between 0 and the error of guessing are left out and counted. A range without a lower
end is counted from 0. Intervals come from resampling problems, each with all its draws.
"""

import math
import warnings
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from bayesfloor import BayesFloor
from benchmarks._command import FOLDER, JOBS, run_command
from benchmarks._data import SEED
from benchmarks._realistic import easy, table
from benchmarks._realistic_sets import DRAWS, NEVER_TUNED, SETS
from benchmarks._results import Goal, align, at_least, at_most
from benchmarks._timing import seconds_of
from benchmarks.known_floor import NO, OUT_OF_REACH, YES, check_shares, lower_end, plain, told_by

RESULTS = FOLDER / "realistic.json"
MARGINS = (0.02, 0.05, 0.1)
FOLDS, RESAMPLES, LEVEL = 5, 1000, 0.95
QUICK = (easy(200, 1, error=0.05), table(300, 1, flips=0.1))
PROBLEMS = {problem.name: problem for problems in (*SETS.values(), QUICK) for problem in problems}
NO_SIGNAL = "no signal found"
KINDS = ("rivals", "before", "answer")
ANSWERS = KINDS[1:]  # kinds with a range and verdicts
BEFORE = "813a893"  # commit whose code measured the cells of the kind "before"


# One cell: a problem, a draw and a kind.


def targets_of(truth):
    """Return the target errors by their distance from the truth, if they are between 0 and guessing."""
    errors = {}
    for margin in MARGINS:
        errors |= {f"-{margin:g}": truth["low"] - margin, f"+{margin:g}": truth["high"] + margin}
    return {name: error for name, error in errors.items() if 0 < error < truth["guessing"]}


def run_rivals(problem, draw, _targets):
    X, y = problem.draw(draw)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=draw)
    models = {"boosting": HistGradientBoostingClassifier(random_state=draw), "svc": SVC()}
    models["mlp"] = MLPClassifier(random_state=draw)
    errors, seconds = {}, {}
    for name, model in models.items():
        scaled = make_pipeline(StandardScaler(), model)
        time, guess = seconds_of(lambda scaled=scaled: cross_val_predict(scaled, X, y, cv=folds))
        errors[name], seconds[name] = plain(float(np.mean(guess != y))), plain(time)
    return {"estimate": min(errors.values()), "errors": errors, "seconds": seconds}


def run_answer(problem, draw, targets):
    """Return the answer, and its verdicts for targets."""
    X, y = problem.draw(draw)
    seconds, found = seconds_of(lambda: BayesFloor(random_state=draw).fit(X, y).answer())
    return told_by(found) | {
        "reliability": NO_SIGNAL if [each.basis for each in found.reasons[:1]] == [NO_SIGNAL] else found.reliability,
        "verdicts": {name: found.verdict(1 - error) for name, error in targets.items()},
        "seconds": plain(seconds),
    }


RUNS = {"rivals": run_rivals, "answer": run_answer}


def run_cell(name, draw, kind, truth):
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # most networks stop before they converge
        return RUNS[kind](PROBLEMS[name], draw, targets_of(truth))


def key_of(name, draw, kind):
    return f"{name}/{draw}/{kind}"


def run_cells(names, draws, kinds, file, jobs):
    """Run the cells that are not in the file, the first draws of all problems first."""
    cases = file.results["cases"]
    for name in names:
        if f"{name}/truth" not in cases:
            problem = PROBLEMS[name]
            truth = {end: plain(value) for end, value in problem.truth._asdict().items()}
            file.add(f"{name}/truth", {"family": problem.family, **truth})
    cells = [(name, draw, kind) for draw, name, kind in product(range(draws), names, kinds)]
    missing = [cell for cell in cells if key_of(*cell) not in cases]
    tasks = (delayed(run_cell)(*cell, cases[f"{cell[0]}/truth"]) for cell in missing)
    for cell, case in zip(missing, Parallel(n_jobs=jobs, return_as="generator")(tasks), strict=True):
        file.add(key_of(*cell), case)
        print(key_of(*cell), flush=True)


# Combined results.


def problems_of(results, names):
    """Return the cells of each problem: a list of draws, each with the truth and the result of every kind."""
    found = []
    for name in names:
        truth = results["cases"].get(f"{name}/truth")
        draws = [{kind: results["cases"].get(key_of(name, draw, kind)) for kind in KINDS} for draw in range(DRAWS)]
        found.append([{"truth": truth, "draw": n, **kinds} for n, kinds in enumerate(draws) if any(kinds.values())])
    return [cells for cells in found if cells]


def with_kinds(problems, *kinds):
    kept = [[cell for cell in cells if all(cell[kind] for kind in kinds)] for cells in problems]
    return [cells for cells in kept if cells]


def of_families(problems, families):
    return [cells for cells in problems if family_of(cells) in families]


def family_of(cells):
    return cells[0]["truth"]["family"]


def distance(cell, kind):
    """Return the distance of an estimate from the truth; infinite if there is no estimate."""
    estimate, truth = cell[kind]["estimate"], cell["truth"]
    return math.inf if estimate is None else max(0.0, truth["low"] - estimate, estimate - truth["high"])


def holds(cell, kind):
    one = cell[kind]
    return lower_end(one) <= cell["truth"]["high"] and one["upper"] >= cell["truth"]["low"]


def width(cell, kind):
    return cell[kind]["upper"] - lower_end(cell[kind])


def is_limit_wrong(cell, kind):
    return cell[kind]["upper"] < cell["truth"]["low"]


class Verdicts(NamedTuple):
    """Counts of verdicts at one distance from the truth, below and above it."""

    asked: int
    decided: int
    wrong: int
    false_out: int  # out of reach although it is not


def count_verdicts(cell, kind, margin):
    below, above = (cell[kind]["verdicts"].get(f"{sign}{margin:g}") for sign in "-+")
    decided = [word for word in (below, above) if word in YES + NO]
    false_out = above in NO
    asked = (below is not None) + (above is not None)
    return Verdicts(asked, len(decided), int(below in YES) + int(false_out), int(false_out))


# Figures with intervals: problems are resampled with all their draws, since draws of one problem err together.


def told(problems, values, figure, form=".3f"):
    """Return a figure as text, with its interval; ``values`` gives the numbers of a cell, one line each."""
    if not problems:
        return "-"
    parts = [np.array([values(cell) for cell in cells], dtype=float) for cells in problems]
    value = figure(np.concatenate(parts))
    if np.isnan(value):
        return "-"
    low, high = interval(parts, figure)
    return f"{value:{form}} ({low:{form}} to {high:{form}})"


def interval(parts, figure):
    """Return the interval of a figure over the lines of all parts."""
    rng = np.random.default_rng(SEED)
    draws = rng.integers(len(parts), size=(RESAMPLES, len(parts)))
    found = [figure(np.concatenate([parts[place] for place in places])) for places in draws]
    # Without interpolation: a median may be infinite.
    return np.nanquantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method="closest_observation")


def ratio_of_medians(lines):
    one, two = np.median(lines, axis=0)
    return one / two if two > 0 and np.isfinite(two) else np.nan


def ratio_of_sums(lines):
    one, two = lines.sum(axis=0)
    return one / two if two else np.nan


# Tables.


def groups_of(problems):
    """Group the problems: all, those of families never tuned on, and the others."""
    groups = {
        "all": problems,
        "never tuned on": [cells for cells in problems if family_of(cells) in NEVER_TUNED],
        "tuned on": [cells for cells in problems if family_of(cells) not in NEVER_TUNED],
    }
    return {label: members for label, members in groups.items() if members}


def chained(problems):
    return [cell for cells in problems for cell in cells]


def estimate_table(problems):
    yield ("estimates", "by", "cells", "none given", "median error", "ratio to rivals", "ratio to before")
    for (label, members), kind in product(groups_of(problems).items(), KINDS):
        own = with_kinds(members, kind)
        none = sum(cell[kind]["estimate"] is None for cell in chained(own))
        median = told(own, lambda cell, kind=kind: distance(cell, kind), np.median, ".4f")
        ratios = [error_ratio(members, kind, other) for other in ("rivals", "before")]
        yield (label, kind, str(len(chained(own))), str(none), median, *ratios)


def error_ratio(problems, kind, other):
    """Return the median error of a kind relative to that of another, as text."""
    if kind == other:
        return "-"
    both = with_kinds(problems, kind, other)
    return told(both, lambda cell: (distance(cell, kind), distance(cell, other)), ratio_of_medians, ".2f")


def family_table(problems):
    yield ("median error", "problems", *KINDS)
    for name in sorted({family_of(cells) for cells in problems}):
        members = of_families(problems, [name])
        yield (name, str(len(members)), *(plain_median(chained(with_kinds(members, kind)), kind) for kind in KINDS))


def plain_median(cells, kind):
    return f"{np.median([distance(cell, kind) for cell in cells]):.4f}" if cells else "-"


def range_table(problems):
    yield ("ranges", "by", "cells", "contain the truth", "median width", "upper limits wrong, first draws")
    for (label, members), kind in product(groups_of(problems).items(), ANSWERS):
        own = with_kinds(members, kind)
        first = [is_limit_wrong(cell, kind) for cell in chained(own) if cell["draw"] == 0]
        held = told(own, lambda cell, kind=kind: holds(cell, kind), np.mean)
        wide = told(own, lambda cell, kind=kind: width(cell, kind), np.median)
        yield (label, kind, str(len(chained(own))), held, wide, f"{sum(first)} of {len(first)}")


def verdict_table(problems):
    yield ("verdicts", "by", "points", "asked", "left out", "decided", "wrong", "wrong out of reach")
    groups = groups_of(problems) | {"half hidden": of_families(problems, ["half hidden"])}
    for (label, members), kind, margin in product(groups.items(), ANSWERS, MARGINS):
        own = with_kinds(members, kind)
        found = [count_verdicts(cell, kind, margin) for cell in chained(own)]
        asked, false_out = sum(one.asked for one in found), sum(one.false_out for one in found)
        shares = [verdict_share(own, kind, margin, field) for field in ("decided", "wrong")]
        counts = (str(asked), str(2 * len(found) - asked))
        yield (label, kind, f"{100 * margin:g}", *counts, *shares, str(false_out))


def verdict_share(problems, kind, margin, field):
    def values(cell):
        found = count_verdicts(cell, kind, margin)
        return getattr(found, field), found.asked

    return told(problems, values, ratio_of_sums)


def chance_table(problems):
    """Tabulate problems on which every learner is at chance: nothing should be claimed about them."""
    yield ("every learner at chance", "cells", NO_SIGNAL, "without a lower end", "out of reach")
    for kind in ANSWERS:
        cells = [cell[kind] for cell in chained(with_kinds(of_families(problems, ["hidden"]), kind))]
        silent = sum(cell["reliability"] == NO_SIGNAL for cell in cells)
        open_ended = sum(cell["lower"] is None for cell in cells)
        claimed = sum(OUT_OF_REACH in cell["verdicts"].values() for cell in cells)
        yield (kind, *map(str, (len(cells), silent, open_ended, claimed)))


def goals(results):
    """Goals for the held-back problems; wrong verdicts on half-hidden structure are counted separately."""
    problems = with_kinds(problems_of(results, [problem.name for problem in SETS["held-back"]]), "answer")
    if not problems:
        return
    cells = chained(problems)
    new = [cell for cell in cells if cell["truth"]["family"] in NEVER_TUNED]
    yield at_most("median error", np.median([distance(cell, "answer") for cell in cells]), 0.025)
    yield at_most("median error, families never tuned on", np.median([distance(cell, "answer") for cell in new]), 0.04)
    yield at_least("ranges that contain the truth", np.mean([holds(cell, "answer") for cell in cells]), 0.92)
    first = sum(is_limit_wrong(cell, "answer") for cell in cells if cell["draw"] == 0)
    yield Goal("upper limits wrong, first draws", str(first), "<= 7", met=first <= 7)
    plain_cells = [cell for cell in cells if cell["truth"]["family"] != "half hidden"]
    for margin, least in zip(MARGINS, (None, 0.3, 0.55), strict=True):
        found = [count_verdicts(cell, "answer", margin) for cell in cells]
        if least is not None:
            share = sum(one.decided for one in found) / sum(one.asked for one in found)
            yield at_least(f"verdicts decided {100 * margin:g} points away", share, least)
        found = [count_verdicts(cell, "answer", margin) for cell in plain_cells]
        share = sum(one.wrong for one in found) / sum(one.asked for one in found)
        yield at_most(f"verdicts wrong {100 * margin:g} points away, without half-hidden structure", share, 0.02)


def tables(results, part="held-back"):
    problems = problems_of(results, [problem.name for problem in SETS[part]])
    made = {
        "estimates": estimate_table,
        "ranges": range_table,
        "verdicts": verdict_table,
        "chance": chance_table,
        "families": family_table,
    }
    return {name: [*make(problems)] for name, make in made.items()}


def print_tables(results, options):
    """Print all tables if requested: a run should reveal nothing about what is held back."""
    if options.show:
        for lines in tables(results, options.protocol).values():
            print("\n".join(["", *align(lines)]))


# The command line.


def chosen(options):
    wanted = [problem for problem in SETS[options.protocol] if not options.only or problem.name in options.only]
    wanted += [problem for problem in SETS[options.protocol] if problem.family in options.only]
    return [problem.name for problem in wanted]


def run(file, options):
    if options.quick:
        run_cells([problem.name for problem in QUICK], 1, options.kinds, file, options.jobs)
        for key, case in file.results["cases"].items():
            if "estimate" in case:
                check_shares(key, {"answer": case})
    else:
        run_cells(chosen(options), DRAWS, options.kinds, file, options.jobs)


def main(arguments=None):
    everything = [problem for problems in SETS.values() for problem in problems]
    run_command(
        arguments,
        __doc__,
        dict.fromkeys(SETS, RESULTS),
        names=[*dict.fromkeys(problem.family for problem in everything), *(problem.name for problem in everything)],
        cells=lambda options: [key_of(*cell) for cell in product(chosen(options), range(DRAWS), options.kinds)],
        measure=run,
        show=print_tables,
        header=lambda _: {"draws": DRAWS, "margins": list(MARGINS), "before": BEFORE},
        more=JOBS | {"--kinds": {"nargs": "+", "choices": list(RUNS), "default": list(RUNS), "help": "cells to run"}},
        around=(),
    )


if __name__ == "__main__":
    main()
