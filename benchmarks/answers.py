"""The answer on real data, compared with the best tuned classifier, and its cost.

``python -m benchmarks.answers`` measures three kinds of cells. "cost": CPU seconds of ``BayesFloor().fit`` with
``.answer(effort)``, warm and on one thread, alternating with 5-fold cross-validation of a random forest of 100 trees.
"answer": the answer with the default effort. "rivals": the cross-validated error of five families of tuned classifiers.
All three use the same rows, at most 20,000 per dataset, or 10,000 if it has hundreds of columns. ``--only`` selects
kinds and datasets. A fourth kind of cells, "before", is only read: it contains the answer that commit f9c5030 gave, by
a method that is no longer part of the code.
"""

from functools import lru_cache
from itertools import product

import numpy as np
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

from bayesfloor import BayesFloor
from benchmarks._command import FOLDER, Case, of_cases, one_thread, own_kernel_cache, parts_of, run_command
from benchmarks._data import SEED, read_rows
from benchmarks._paper_tables import BEST_CASES
from benchmarks._recipes import load
from benchmarks._results import Goal, none_of, print_tables
from benchmarks._timing import Timing, seconds_of
from benchmarks._tuned import FAMILIES, FOLDS, PICK_FOLDS, PICK_ROWS, suits, tuned_error
from benchmarks.known_floor import check_shares, lower_end, plain, told_by

RESULTS = FOLDER / "answers.json"
RECIPES = dict(BEST_CASES) | {"mnist_train": "paper"}  # columns that reveal the class are left out
DATASETS = (*RECIPES, "digits")
MOST_ROWS, MANY_COLUMNS, MOST_ROWS_OF_MANY_COLUMNS = 20_000, 200, 10_000
COST_SETS = ("letter", "satimage", "pendigits", "digits")
ROUNDS = {"quick": 3, "normal": 3, "thorough": 2}
MOST_RATIO = {"quick": 1.0, "normal": 2.5}  # limit relative to the forest's time; thorough is only reported
LETTER = {"upper": (0.0, 0.035), "estimate": (0.01, 0.03)}
QUICK, QUICK_ROWS = {"digits", "segment", "quick", "svc", "neighbours"}, 300


# Rows.


@lru_cache(maxsize=1)
def read_set(name, most=MOST_ROWS):
    """Return rows and codes of a dataset, at most this many, the same ones in every run."""
    X, y = read_rows(name) if name == "digits" else load(name, RECIPES[name])
    most = min(most, MOST_ROWS_OF_MANY_COLUMNS) if X.shape[1] > MANY_COLUMNS else most
    kept = np.sort(np.random.default_rng(SEED).permutation(len(y))[:most])
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


def shape_of(X, y):
    return {"shape": [*X.shape, int(y.max()) + 1]}


# Cells.


def measure_cost(name, effort, rounds, most=MOST_ROWS):
    """Return the CPU seconds of a forest's cross-validation, of a fit and of an answer, round by round."""
    X, y = read_set(name, most)
    warm_up(X, y, effort)
    seconds = {"forest": [], "fit": [], "answer": []}
    for _ in range(rounds):
        forest, _ = seconds_of(lambda: validate_forest(X, y))
        fit, floor = seconds_of(lambda: BayesFloor(n_jobs=1, random_state=SEED).fit(X, y))
        answer, _ = seconds_of(lambda floor=floor: floor.answer(effort))
        for key, value in (("forest", forest), ("fit", fit), ("answer", answer)):
            seconds[key].append(plain(value))
    return shape_of(X, y) | {"seconds": seconds}


def warm_up(X, y, effort):
    """Compile and import everything that will be measured."""
    BayesFloor(n_jobs=1, random_state=SEED).fit(X, y)
    flowers = load_iris(return_X_y=True)
    BayesFloor(n_jobs=1, random_state=SEED).fit(*flowers).answer(effort)
    validate_forest(*flowers)


def validate_forest(X, y):
    """Run a 5-fold cross-validation of a random forest of 100 trees."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    return cross_val_score(RandomForestClassifier(100, n_jobs=1, random_state=SEED), X, y, cv=folds)


def measure_answer(name, most=MOST_ROWS):
    X, y = read_set(name, most)
    seconds, answer = seconds_of(lambda: BayesFloor(n_jobs=1, random_state=SEED).fit(X, y).answer())
    return shape_of(X, y) | told_by(answer) | {"seconds": plain(seconds)}


def measure_rival(name, family, most=MOST_ROWS):
    """Return the error of one tuned family of classifiers; None if it is not tried."""
    X, y = read_set(name, most)
    size = shape_of(X, y)
    if not suits(family, *size["shape"][1:]):
        return size | {"error": None}
    seconds, (error, setting) = seconds_of(lambda: tuned_error(X, y, family))
    return size | {"error": plain(error), "setting": setting, "seconds": plain(seconds)}


def _case(key, measure, **sizes):
    few = {**sizes, "most": QUICK_ROWS} | ({"rounds": 1} if "rounds" in sizes else {})
    return Case(key, measure, sizes, few if set(key.split("/")[1:]) <= QUICK else None)


CASES = [
    *(
        _case(f"cost/{name}/{effort}", measure_cost, name=name, effort=effort, rounds=rounds)
        for (effort, rounds), name in product(ROUNDS.items(), COST_SETS)
    ),
    *(_case(f"answer/{name}", measure_answer, name=name) for name in DATASETS),
    *(
        _case(f"rivals/{name}/{family}", measure_rival, name=name, family=family)
        for name, family in product(DATASETS, FAMILIES)
    ),
]


def run(file, options):
    """Measure the cells that are not in the file; the quick form asserts that figures are in order."""
    _OF_CASES["measure"](file, options)
    for key, case in file.results["cases"].items() if options.quick else ():
        if key.startswith("answer/"):
            check_shares(key, {"answer": case})
        assert 0 <= case.get("error", 0) <= 1, key


_OF_CASES = of_cases(CASES, [case for case in CASES if case.quick])


# Tables and goals.


def timings(case):
    """Return the timings of the forest, of fit and answer together, and of the answer alone."""
    seconds = case["seconds"]
    whole = [fit + answer for fit, answer in zip(seconds["fit"], seconds["answer"], strict=True)]
    return {name: Timing(found, None) for name, found in (("forest", seconds["forest"]), ("whole", whole))} | {
        "answer": Timing(seconds["answer"], None)
    }


def cost_cases(results):
    cases = results["cases"]
    keys = [(name, effort) for name, effort in product(COST_SETS, ROUNDS) if f"cost/{name}/{effort}" in cases]
    return {key: cases[f"cost/{key[0]}/{key[1]}"] for key in keys}


def ratio_of(case):
    found = timings(case)
    return found["whole"].best / found["forest"].best


def cost_table(results):
    yield ("dataset", "rows x columns", "classes", "effort", "forest", "fit and answer", "answer alone", "ratio")
    for (name, effort), case in cost_cases(results).items():
        n, d, k = case["shape"]
        told = [_told(one) for one in timings(case).values()]
        yield (name, f"{n} x {d}", str(k), effort, *told, f"{ratio_of(case):.2f}")


def _told(timing):
    spread = "" if timing.spread is None else f" +{timing.spread:.0%}"
    return f"{timing.best:.3g} s{spread}"


def rivals_of(results, name):
    found = {family: results["cases"].get(f"rivals/{name}/{family}") for family in FAMILIES}
    return {family: case["error"] for family, case in found.items() if case and case["error"] is not None}


def answer_table(results):
    compared = ("best tuned rival", "its error", "before: estimate", "before: range")
    yield ("dataset", "rows x columns", "classes", "best estimate", "range", "reliability", *compared)
    for name in DATASETS:
        answer, before = (results["cases"].get(f"{kind}/{name}") for kind in ("answer", "before"))
        if answer:
            n, d, k = answer["shape"]
            rivals = rivals_of(results, name)
            best = min(rivals, key=rivals.get, default="-")
            ours = (f"{answer['estimate']:.4f}", range_text(answer), answer["reliability"])
            error = f"{rivals[best]:.4f}" if rivals else "-"
            then = (f"{before['estimate']:.4f}", range_text(before)) if before else ("-", "-")
            yield (name, f"{n} x {d}", str(k), *ours, best, error, *then)


def range_text(one):
    return f"at most {one['upper']:.4f}" if one["lower"] is None else f"{one['lower']:.4f} to {one['upper']:.4f}"


def rival_table(results):
    yield ("cross-validated error", *FAMILIES)
    for name in DATASETS:
        rivals = rivals_of(results, name)
        if rivals:
            yield (name, *(f"{rivals[family]:.4f}" if family in rivals else "-" for family in FAMILIES))


def contradicted(results):
    """Return the datasets that have a rival, and those whose lower end is above the rival's error."""
    answers = {name: results["cases"].get(f"answer/{name}") for name in DATASETS}
    least = {name: min(rivals_of(results, name).values(), default=None) for name in DATASETS if answers[name]}
    judged = {name: error for name, error in least.items() if error is not None}
    return list(judged), [name for name, error in judged.items() if lower_end(answers[name]) > error]


def tables(results):
    made = {"cost": cost_table, "answers": answer_table, "rivals": rival_table}
    return {name: [*make(results)] for name, make in made.items()}


def goals(results):
    for (name, effort), case in cost_cases(results).items():
        if effort in MOST_RATIO:
            ratio, most = ratio_of(case), MOST_RATIO[effort]
            what = f"{name}: fit and answer({effort!r}) / cross-validation of a random forest, CPU time"
            yield Goal(what, f"{ratio:.2f}", f"<= {most:g}", ratio <= most)
    letter = results["cases"].get("answer/letter")
    for end, (least, most) in LETTER.items() if letter else ():
        goal = f"{least:g} to {most:g}" if least else f"<= {most:g}"
        yield Goal(f"letter: {end}", f"{letter[end]:.4f}", goal, least <= letter[end] <= most)
    judged, wrong = contradicted(results)
    if judged:
        what = ", ".join(["datasets whose lower end is above the error of a rival", *wrong])
        yield none_of(what, [name in wrong for name in judged])


# The command line.


def main(arguments=None):
    sizes = {
        "most_rows": MOST_ROWS,
        "most_rows_of_many_columns": MOST_ROWS_OF_MANY_COLUMNS,
        "rounds": ROUNDS,
        "tuning": {"rows": PICK_ROWS, "folds": PICK_FOLDS},
        "before": "f9c5030",
    }
    run_command(
        arguments,
        __doc__,
        RESULTS,
        **_OF_CASES | {"names": parts_of(CASES), "measure": run},
        show=lambda results, options: print_tables(tables(results), () if options.quick else goals(results)),
        header=lambda _: {"sizes": sizes},
        around=(own_kernel_cache, one_thread),
        needs_data=True,
    )


if __name__ == "__main__":
    main()
