"""Features that carry the signal: whether planted ones are found, and whether noise is claimed.

``judging`` are 40 tables with planted features among 10 to 200 columns of noise. Their seeds were not tuned on; two
choices were made after a look at other seeds of their families (``_feature_tables``). ``training`` are tables of other
families. The labels of ``silent`` have nothing to do with the features. ``cost`` is the CPU time of a check, and of its
importances.

``--only`` selects groups, families or tables, as in ``judging/copies``.
"""

import warnings
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

import bayesfloor
from bayesfloor.decide._importances import class_importances
from bayesfloor.summary import _check
from benchmarks._check_tasks import open_problem
from benchmarks._command import FOLDER
from benchmarks._data import SEED
from benchmarks._feature_tables import JUDGING, TRAINING, draw_table
from benchmarks._results import at_least, at_most, plain
from benchmarks._timing import seconds_of
from benchmarks.forecast import run_judgement

RESULTS = FOLDER / "features.json"
GROUPS = ("judging", "training", "silent", "cost")
SILENT = [(family, seed) for family in ("curves", "levels") for seed in range(200, 205)]
COSTS = {"letter": 12_000, "satimage": None, "adult": 12_000, "sixty": 8000}  # most rows
LEAST_FOUND, MOST_WRONG, MOST_COST = 0.9, 0.05, 0.12


# One cell.


def measure_table(family, seed, *, signal=True, rows=None):
    """Check one table; ``rows`` cuts it short for the quick form."""
    table = cut(draw_table(family, seed, signal=signal), rows)
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, found = seconds_of(lambda: bayesfloor.check(table.X, table.y, **options(seed)))
    shown = found.features
    groups = [list(columns) for columns in shown.columns]
    planted = {name for copies in table.planted for name in copies} if signal else set()
    claimed = [group for group, carries in zip(groups, shown.carries, strict=True) if carries]
    return {
        **facts_of(table),
        "found": n_found(groups, table.planted),
        "claimed": sum(any(set(copies) & set(group) for group in claimed) for copies in table.planted) if signal else 0,
        "wrong": sum(not planted & set(group) for group in claimed),
        "learners": list(shown.learners),
        "tested": shown.n_rows,
        "seconds": plain(seconds),
    }


def options(seed):
    return {"task": "numbers" if seed % 4 == 3 else "classes", "n_jobs": 1, "auto_groups": False}


def cut(table, rows):
    return table._replace(X=table.X[:rows], y=table.y[:rows])


def facts_of(table):
    return {"n": len(table.X), "d": table.X.shape[1], "planted": len(table.planted)}


def n_found(groups, planted):
    """Return how many planted features are among the first groups, as many as there are; copies count once."""
    signal = {name: number for number, copies in enumerate(planted) for name in copies}
    # A group stands for the planted feature in it, or for itself.
    ranked = dict.fromkeys(
        next((signal[name] for name in group if name in signal), -1 - k) for k, group in enumerate(groups)
    )
    return sum(each >= 0 for each in list(ranked)[: len(planted)])


def measure_cost(name, most):
    """Return the CPU seconds of a check, and of its importances."""
    inside = []

    def timed(*given):
        seconds, found = seconds_of(lambda: class_importances(*given))
        inside.append(seconds)
        return found

    with threadpool_limits(limits=1), warnings.catch_warnings(), opened(name, most) as given:
        warnings.simplefilter("ignore")
        with patch.object(_check, "class_importances", timed):
            seconds, found = seconds_of(lambda: bayesfloor.check(*given, n_jobs=1, auto_groups=False))
    cpu = {"check": plain(seconds), "importances": plain(sum(inside))}
    return {"n": found.facts.n_rows, "d": found.facts.n_features, "cpu": cpu, "seconds": seconds}


@contextmanager
def opened(name, most):
    """Yield what a check gets: a dataset, or sixty columns of which eight matter."""
    if name != "sixty":
        with open_problem(name, most) as problem:
            yield problem.given
        return
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(most, 60))
    yield X, (np.tanh(X[:, :8] @ rng.normal(size=(8, 4))) + 0.3 * rng.gumbel(size=(most, 4))).argmax(axis=1)


def all_cells(*, quick):
    """Return the measurements by name; the quick form has few rows."""
    if quick:
        return {
            "training/steps/10": partial(measure_table, "steps", 10, rows=600),
            "training/twins/11": partial(measure_table, "twins", 11, rows=600),
        }
    sets = {"judging": JUDGING, "training": TRAINING}
    cells = {
        f"{group}/{family}/{seed}": partial(measure_table, family, seed)
        for group in sets
        for family, seed in sets[group]
    }
    cells |= {f"silent/{family}/{seed}": partial(measure_table, family, seed, signal=False) for family, seed in SILENT}
    return cells | {f"cost/{name}": partial(measure_cost, name, most) for name, most in COSTS.items()}


def check_case(name, case):
    """Assert what must hold of any table."""
    assert 0 <= case.get("found", 0) <= case["planted"], f"{name}: {case}"
    assert case.get("claimed", 0) <= case["planted"], f"{name}: {case}"


# Tables and goals.


def cases_of(results, group):
    """Return the cases of a group by the rest of their names."""
    return {name.partition("/")[2]: case for name, case in results["cases"].items() if name.startswith(f"{group}/")}


def all_found(case):
    return case["found"] == case["planted"]


def found_table(results):
    yield ("group", "family", "tables", "all found", "planted", "found", "claimed", "tables with a wrong claim")
    for group in ("judging", "training", "silent"):
        cases = cases_of(results, group)
        families = list(dict.fromkeys(name.partition("/")[0] for name in cases))
        for family in [*families, *(["all"] if families else [])]:
            own = [case for name, case in cases.items() if family in ("all", name.partition("/")[0])]
            counts = [sum(case[key] for case in own) for key in ("planted", "found", "claimed")]
            counts = ["-"] * 3 if group == "silent" else counts
            whole = "-" if group == "silent" else sum(map(all_found, own))
            yield (group, family, *map(str, (len(own), whole, *counts, sum(case["wrong"] > 0 for case in own))))


def cost_table(results):
    yield ("table", "rows", "columns", "CPU seconds", "of these for importances", "part")
    for name, case in cases_of(results, "cost").items():
        whole, own = case["cpu"]["check"], case["cpu"]["importances"]
        yield (name, str(case["n"]), str(case["d"]), f"{whole:.1f}", f"{own:.2f}", f"{100 * own / whole:.1f} %")


def tables(results):
    made = {"found": found_table, "costs": cost_table}
    return {name: list(make(results)) for name, make in made.items()}


def goals(results):
    if judging := cases_of(results, "judging").values():
        words = "tables on which all planted features rank first"
        yield at_least(words, np.mean([all_found(case) for case in judging]), LEAST_FOUND)
    if every := [*judging, *cases_of(results, "silent").values()]:
        words = "tables on which a column of noise is said to carry signal"
        yield at_most(words, np.mean([case["wrong"] > 0 for case in every]), MOST_WRONG)
    for name, case in cases_of(results, "cost").items():
        part = case["cpu"]["importances"] / case["cpu"]["check"]
        yield at_most(f"{name}: part of the check's CPU time for importances", part, MOST_COST)


def main(arguments=None):
    run_judgement(arguments, __doc__, RESULTS, GROUPS, all_cells, check_case, tables, goals)


if __name__ == "__main__":
    main()
