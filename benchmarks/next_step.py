"""The parts of a model's error and the best next step: how close parts are to the truth, and whether steps are right.

``budget`` are 12 constructions (``_action_makers``) of 20 draws each, of which every part of the error is known;
``next`` are 60 tables of which the best first step is known. ``training`` holds problems of other families, to look at
while constants are chosen; ``--only training`` selects them, ``--only judging`` the others, which are run once.

A strict reader looks for advice that contradicts the verdict. Figures are shown with ``--show`` only, so that a run
reveals nothing.
"""

import json
import math
import warnings
from functools import partial

import numpy as np
from scipy.special import log_softmax
from sklearn.base import clone

from bayesfloor import check
from bayesfloor.answer._learners import BLEND
from bayesfloor.answer._metrics import LEAST_CHANCE
from bayesfloor.answer._race import class_scores
from benchmarks import _action_makers as makers
from benchmarks._command import FOLDER, JOBS, run_command
from benchmarks._results import at_least, none_of, plain, print_tables
from benchmarks._timing import seconds_of
from benchmarks.forecast import run_cells

RESULTS = FOLDER / "next_step.json"
GROUPS = ("judging", "training")
SEEDS = {"training": (40_000, 6), "judging": (70_000, 20)}  # the first seed of a budget, and draws of a construction
STAY, ROWS, MODEL, EITHER = "will stay", "more rows", "a better model", "will stay or more rows"
EQUAL, WRONG, OVERLAP, MIXED = "contradicting rows", "wrong labels", "overlap", "overlap or wrong labels"
PARTS, INSIDE = (STAY, ROWS, EITHER, MODEL), (EQUAL, WRONG, OVERLAP, MIXED)
LEAST_HELD, LEAST_RIGHT, EXACT = 0.9, 0.8, 1e-12
NOTICED = 0.01  # parts that are not listed should be smaller
HARDLY, HARDLY_OF = 0.005, 0.1  # a fall of the error that is not worth more rows: in fractions, and of the error
PERFECT = 0.005  # errors that are shown as 100 % accuracy, or nearly
ROUNDED = 5e-4  # of truths, which are means over random rows
FACTORS = np.geomspace(0.05, 20, 22)
ALL_STEPS = {*makers.ACTIONS.values(), "merge classes", "more effort", "train model"}


# What a check says. The only two functions that know the form of ``found.budget`` and ``found.next``.


def read_budget(found):
    """Return the error and its parts: {"error": ..., "parts": {name: [loss, low, high]}, "inside": {...}}; or None."""
    budget = getattr(found, "budget", None)
    if budget is None:
        return None

    def read(parts):
        return {str(part.name): [float(part.loss), float(part.low), float(part.high)] for part in parts}

    return {"error": float(budget.error), "parts": read(budget.parts), "inside": read(budget.inside)}


def read_next(found):
    """Return the steps as dictionaries with action, gain (or None) and code."""
    return [
        {
            "action": str(step.action),
            "gain": known(getattr(step, "gain", None)),
            "code": getattr(step, "code", "") or "",
        }
        for step in getattr(found, "next", None) or ()
    ]


def known(value):
    return plain(float(value)) if value is not None and math.isfinite(value) else None


def ask(X, y, target=None, **ways):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return seconds_of(lambda: check(X, y, target, n_jobs=1, random_state=0, **ways))


# Budgets.


def winner_error(found, problem):
    """Return the true error of the race's winner, trained on 4/5 of the rows.

    A blend adds its members' log chances by the race's weights; each was calibrated on the rows left out.
    """
    race, best = found.answer.evidence(), found.answer.best
    if best not in (*race.learners, BLEND):  # nobody beats guessing
        return makers.error_at(np.full(len(problem.eta), np.bincount(problem.y).argmax()), problem.eta)
    shares = race.shares if best == BLEND else {best: 1.0}
    X, y, fresh = problem.X, problem.y, problem.fresh

    def train(rows, out):
        models = {name: clone(race.learners[name]).fit(X[rows], y[rows]) for name, share in shares.items() if share}
        if best != BLEND:
            return models[best].predict(fresh)
        scores = (
            (shares[name], class_scores(model, X[out]), class_scores(model, fresh)) for name, model in models.items()
        )
        return sum(share * log_chances(known, y[out], new) for share, known, new in scores).argmax(axis=1)

    return makers.trained_error(problem, train)


def log_chances(known, codes, scores):
    """Return log chances from scores, sharpened by the factor that suits rows with known classes best."""
    own = np.arange(len(codes)), codes
    factor = max(FACTORS, key=lambda factor: log_softmax(factor * known, axis=1)[own].sum())
    return np.maximum(log_softmax(factor * scores, axis=1), np.log(LEAST_CHANCE))


def measure_budget(family, seed, mine, rows=None):
    """Measure one draw of a construction: what is said of each part, and the truth."""
    problem = makers.draw_problem(family, seed, n=rows, mine=mine)
    seconds, found = ask(problem.X, problem.y, **problem.ways)
    winner, own, noise = winner_error(found, problem), makers.own_error(problem), problem.floor - problem.clean
    fresh_floor = float(1 - problem.eta.max(axis=1).mean())
    # A user's model that is better than the race's winner shows what these rows allow: no part is a model's.
    allowed = winner if own is None else min(winner, own)
    truth = {STAY: problem.floor, ROWS: allowed - fresh_floor} | ({} if own is None else {MODEL: own - allowed})
    inside = {EQUAL: problem.repeated, WRONG: noise, OVERLAP: problem.clean - problem.repeated}
    truth |= inside | {EITHER: truth[STAY] + truth[ROWS], MIXED: inside[WRONG] + inside[OVERLAP]}
    said = read_budget(found)
    return {
        "n": len(problem.X),
        "d": problem.X.shape[1],
        "classes": problem.eta.shape[1],
        "mine": mine,
        "best": found.answer.best,
        "estimate": plain(found.answer.estimate),
        "truth": {name: plain(value) for name, value in truth.items()},
        "said": said,
        "sum off": None if said is None else sums_off(said),
        "seconds": plain(seconds),
    }


def sums_off(said):
    """Return by how much the parts miss the error, and those inside miss what will stay, whichever is more."""
    off = [sum(loss for loss, *_ in said["parts"].values()) - said["error"]]
    if said["inside"]:
        outer = said["parts"].get(STAY) or said["parts"][EITHER]
        off.append(sum(loss for loss, *_ in said["inside"].values()) - outer[0])
    return max(map(abs, off))


# Next steps.


def measure_next(table, rows=None):
    """Measure one table: the steps, and what a strict reader objects to."""
    problem = makers.draw_table(table["kind"], table["family"], table["seed"])
    X, y = problem.X[:rows], problem.y[:rows]
    if "hazard" in table:
        X, y = makers.add_hazard(X, y, table["hazard"], table["seed"])
    ways = {name: way[:rows] if name == "predictions" else way for name, way in problem.ways.items()}
    seconds, found = ask(X, y, table["target"], **ways)
    state = state_of(found, table["target"], ways)
    return {
        **{name: table[name] for name in ("kind", "family", "target") if name in table},
        "hazard": table.get("hazard"),
        "n": len(X),
        **state,
        "right": is_right(table["kind"], state),
        "objections": objections(state),
        "seconds": plain(seconds),
    }


def state_of(found, target, ways):
    """Return what a reader sees: the verdict, the steps, and the errors that stand in the report."""
    answer, budget = found.answer, read_budget(found)
    forecast = answer.forecast
    ahead = math.nan if forecast is None else forecast.quantiles([0.5], rows=4 * forecast.n_rows)[0]
    return {
        "verdict": found.verdict,
        "outcome": found.outcome,
        "next": read_next(found),
        "codes": [one.code for one in found.findings],
        "allowed": None if target is None else plain(1 - target),
        "best": plain(min(answer.errors.values(), default=answer.guessing)),
        "mine": plain(budget["error"]) if budget and ways else None,
        "has model": bool(ways),
        "estimate": known(answer.estimate),
        "ahead": known(ahead),
    }


def is_right(kind, state):
    """Return whether the first step is the best one; without a user's model, training one is as good as stopping."""
    first = state["next"][0]["action"] if state["next"] else None
    return first == makers.ACTIONS[kind] or (kind == "stop" and first == "train model" and not state["has model"])


def objections(state):
    """Return what a strict reader objects to: steps that contradict the verdict, the figures or each other."""
    steps, outcome, verdict = state["next"], state["outcome"], state["verdict"].lower()
    actions = [step["action"] for step in steps]
    if not steps:
        return ["no step"]
    first, best, allowed = actions[0], state["best"], state["allowed"]
    current = best if state["mine"] is None else state["mine"]
    met = allowed is not None and current <= allowed and (outcome == "reachable" or state["has model"])
    fall = math.inf if state["ahead"] is None else best - state["ahead"]
    others = [name for name in actions if name != "fix first"]
    wrong = {
        "not one to three steps": len(steps) > 3,
        "unknown step": not set(actions) <= ALL_STEPS,
        "the same step twice": len(others) != len(set(others)),
        "fix first, but not first": "fix first" in actions[actions.count("fix first") :],
        "fix first without its finding": any(
            step["action"] == "fix first" and step["code"] not in state["codes"] for step in steps
        ),
        "stop, and then more": "stop" in actions and len(actions) > 1,
        "out of reach, yet more rows": outcome == "out of reach" and first in ("more rows", "more effort"),
        "train, but no learner meets the target": "train model" in actions and outcome not in ("reachable", "likely"),
        "met, yet better features": met and "better features" in actions,
        "met, yet something else first": met and first in ("more rows", "more effort", "merge classes"),
        "stop, but not met": "stop" in actions and allowed is not None and outcome != "out of reach" and not met,
        "stop, but room to improve": "stop" in actions and allowed is None and "room to improve" in verdict,
        "more rows, but they hardly help": "more rows" in actions and fall < max(HARDLY, HARDLY_OF * best),
        "another model, but none is better": "try model" in actions and state["mine"] is not None and best >= current,
        "another model, but at the floor": "try model" in actions and "at the floor" in verdict,
        "another model, but there is none": "try model" in actions and not state["has model"],
        "better features or labels at 100 %": current < PERFECT
        and bool({"better features", "look at labels"} & {*actions}),
        "too good to be true, yet stop": "too good to be true" in verdict and first == "stop",
        "a gain below zero or above the error": any(
            step["gain"] is not None and not -EXACT <= step["gain"] <= max(current, best) + HARDLY for step in steps
        ),
    }
    return [text for text, is_so in wrong.items() if is_so]


# Cells.


def all_cells(*, quick):
    """Return the measurements by name; the quick form has seeds of its own and few rows."""
    if quick:
        tables = [next(one for one in tables_of("training") if one["kind"] == kind) for kind in ("labels", "fix")]
        return {
            "budget/training/friedman/1": partial(measure_budget, "friedman", 1, "linear", 400),
            "budget/training/spots/2": partial(measure_budget, "spots", 2, "none", 400),
            **{f"next/training/{one['kind']}/1": partial(measure_next, one, 400) for one in tables},
        }
    cells = {}
    for group, (first, draws) in SEEDS.items():
        for at, (family, mine) in enumerate(makers.MINE[group].items()):
            for seed in range(first + 100 * at, first + 100 * at + draws):
                cells[f"budget/{group}/{family}/{seed}"] = partial(measure_budget, family, seed, mine)
        for one in tables_of(group):
            name = f"next/{group}/{one['kind']}/{one['family']}-{one['seed']}"
            cells[name] = partial(measure_next, one)
    return cells


def tables_of(group):
    return json.loads(makers.TABLES.read_text())[group]


def parts_of(name):
    """Return the names that select a cell: of its parts, and of the first ones together."""
    words = name.split("/")
    return [*words[:3], "/".join(words[:2]), "/".join(words[:3]), name]


def chosen(options):
    """Return the selected cells; of several names, each has to be of the cell, as in ``--only training next``."""
    cells, wanted = all_cells(quick=options.quick), set(options.only)
    return {name: work for name, work in cells.items() if wanted <= set(parts_of(name))}


def run(file, options):
    run_cells(file, options, chosen(options), check_case)


def check_case(name, case):
    """Assert that there is something to judge, and that parts add up."""
    assert case.get("said") or case.get("next"), f"{name}: {case}"
    assert (case.get("sum off") or 0) <= EXACT, f"{name}: {case}"


# Tables and goals.


def cases_of(results, form, group):
    return {name: case for name, case in results["cases"].items() if name.startswith(f"{form}/{group}/")}


def part_lines(cases):
    """Return for each part, wherever it is listed: family, truth, loss, low, high."""
    found = {}
    for name, case in cases.items():
        listed = {**case["said"]["parts"], **case["said"]["inside"]} if case["said"] else {}
        for part, numbers in listed.items():
            found.setdefault(part, []).append((name.split("/")[2], case["truth"][part], *numbers))
    return {part: found[part] for part in (*PARTS, *INSIDE) if part in found}


def holds(line):
    _, truth, _, low, high = line
    return low - ROUNDED <= truth <= high + ROUNDED


def part_table(results, group):
    yield ("part", "set", "listed", "held", "too low", "too high", "mean truth", "mean error", "bias", "median width")
    for part, lines in part_lines(cases_of(results, "budget", group)).items():
        truth, loss, low, high = np.array([line[1:] for line in lines]).T
        counts = sum(map(holds, lines)), np.sum(high < truth - ROUNDED), np.sum(low > truth + ROUNDED)
        errors = truth.mean(), np.abs(loss - truth).mean(), (loss - truth).mean(), np.median(high - low)
        yield (part, group, str(len(lines)), *map(str, counts), *(f"{100 * each:.1f}" for each in errors))


def family_table(results, group):
    """Show how many intervals hold in each construction."""
    lines, names = part_lines(cases_of(results, "budget", group)), (*PARTS, *INSIDE)
    yield ("construction", *names)
    for family in makers.MINE[group]:
        own = {part: [holds(line) for line in lines.get(part, ()) if line[0] == family] for part in names}
        if any(own.values()):
            yield (family, *(f"{sum(each)} of {len(each)}" if each else "-" for each in own.values()))


def unlisted(case):
    """Return parts of what will stay that are not listed, though they are not small."""
    listed = set(case["said"]["inside"]) if case["said"] else ()
    known = listed | ({WRONG, OVERLAP} if MIXED in listed else set())
    return [part for part in (EQUAL, WRONG, OVERLAP) if known and part not in known and case["truth"][part] > NOTICED]


def step_table(results, group):
    yield ("best step", "set", "tables", "right", "contradicted", "instead")
    for kind in makers.KINDS:
        own = [case for name, case in cases_of(results, "next", group).items() if name.split("/")[2] == kind]
        wrong = [case["next"][0]["action"] if case["next"] else "nothing" for case in own if not case["right"]]
        if own:
            counts = len(own), sum(case["right"] for case in own), sum(bool(case["objections"]) for case in own)
            yield (makers.ACTIONS[kind], group, *map(str, counts), ", ".join(sorted(wrong)) or "-")


def objection_table(results, group):
    yield ("table", "outcome", "steps", "objections")
    for name, case in cases_of(results, "next", group).items():
        if case["objections"] or not case["right"]:
            steps = ", ".join(step["action"] for step in case["next"])
            yield (name.partition("/")[2], str(case["outcome"]), steps, "; ".join(case["objections"]) or "wrong first")


def tables(results):
    forms = {"parts": part_table, "constructions": family_table, "steps": step_table, "objections": objection_table}
    return {f"{form}, {group}": list(make(results, group)) for form, make in forms.items() for group in GROUPS}


def goals(results):
    budgets, tables = (list(cases_of(results, form, "judging").values()) for form in ("budget", "next"))
    for part, lines in part_lines(cases_of(results, "budget", "judging")).items():
        yield at_least(f"{part}: 95 % intervals that hold ({len(lines)})", np.mean([*map(holds, lines)]), LEAST_HELD)
    if budgets:
        yield none_of("budgets that are missing", [case["said"] is None for case in budgets])
        yield none_of("budgets that do not add up", [(case["sum off"] or 0) > EXACT for case in budgets])
        yield none_of("budgets that leave out a part above one point", [bool(unlisted(case)) for case in budgets])
    if tables:
        yield at_least("first steps that are right", np.mean([case["right"] for case in tables]), LEAST_RIGHT)
        yield none_of("tables whose steps contradict something", [bool(case["objections"]) for case in tables])


def show(results, options):
    """Print tables if requested: a run should reveal nothing."""
    if options.show or options.quick:
        print_tables(tables(results), () if options.quick else goals(results))


def main(arguments=None):
    everything = {**all_cells(quick=True), **all_cells(quick=False)}
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=list(dict.fromkeys([*GROUPS, *(part for name in everything for part in parts_of(name))])),
        cells=lambda options: list(chosen(options)),
        measure=run,
        show=show,
        more=JOBS,
        around=(),
    )


if __name__ == "__main__":
    main()
