"""Which of two representations is better, on pairs whose Bayes errors are known.

``judge`` are 40 pairs of representations whose Bayes errors differ by 0 to 10 points (``_compare_pairs``); nothing was
tuned on them. ``example`` is one pair, drawn 18 times. A method names a representation as the better one, and may say
that it is clearly better; this is wrong if its Bayes error is not the lower one, also if both are equal.

The saved results have two more methods, which are no longer measured: spanning trees, as commit 5a20b65e ranked by
them, and boosting. ``--only`` selects groups or pairs, as in ``ours/judge/500/0``. Figures are shown with ``--show``
only, so that a run reveals nothing.
"""

import warnings
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from bayesfloor import compare_representations
from benchmarks._command import FOLDER
from benchmarks._compare_pairs import SIZES, all_pairs
from benchmarks._results import at_least, at_most, plain
from benchmarks._timing import seconds_of
from benchmarks.forecast import run_judgement

RESULTS = FOLDER / "compare.json"
METHODS = {"ours": "race of learners", "before": "spanning trees, before", "boosting": "boosting, 2 x 5 folds"}
GROUPS = ("judge", "example")
FAR = 3  # points from which the better one should be named
MANY, NAMED, NAMED_OF_FEW, MOST_WRONG = 2000, 0.9, 0.75, 1


def measure(draw, where, rows=None):
    """Compare a pair; ``rows`` cuts it short for the quick form."""
    pair = draw(*where)
    views, y = {name: X[:rows] for name, X in pair.views.items()}, pair.y[:rows]
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, found = seconds_of(lambda: by_package(views, y))
    truth = {name: plain(error) for name, error in pair.errors.items()}
    return {"n": len(y), "made": pair.made, "truth": truth, **found, "seconds": plain(seconds)}


def by_package(views, y):
    found = compare_representations(views, y, n_jobs=1)
    shown = [told(line) for line in found.frame().to_dict("records")]
    return {"best": found.best_, "clear": "worse" in found.word, "shown": shown}


def told(values):
    """Return values that JSON can hold; None stands for those that are not known."""
    return {
        name: None if value is None or (isinstance(value, float) and np.isnan(value)) else plain(value)
        for name, value in values.items()
    }


def all_cells(*, quick):
    """Return the measurements by name; the quick form has few rows of two pairs."""
    pairs = {name: of for name, of in all_pairs().items() if not quick or name == "example/17"}
    rows = 200 if quick else None
    return {f"ours/{name}": partial(measure, draw, where, rows) for name, (draw, *where) in pairs.items()}


def check_case(name, case):
    """Assert that a method names one of the two."""
    assert case["best"] in case["truth"], f"{name}: {case}"


# Figures, tables and goals.


def cases_of(results, method, group):
    return {name: case for name, case in results["cases"].items() if name.startswith(f"{method}/{group}/")}.values()


def gap_of(case):
    """Return by how many points the better Bayes error is lower."""
    errors = case["truth"].values()
    return round(100 * (max(errors) - min(errors)), 6)


def is_right(case):
    """Return whether the representation with the lower Bayes error was named."""
    return gap_of(case) > 0 and case["truth"][case["best"]] == min(case["truth"].values())


def is_wrong(case):
    """Return whether a representation was said to be clearly better but is not."""
    return case["clear"] and not is_right(case)


def is_far(case):
    return gap_of(case) > FAR - 0.01  # errors are rounded


def apart(cases, *, many):
    return [case for case in cases if is_far(case) and (case["n"] >= MANY) == many]


def count(cases, true):
    return f"{sum(map(true, cases))} of {len(cases)}"


def table(results, group):
    """Show how often each method is right, clear and wrong."""
    named = (f"named, from {MANY:,} rows", "named, fewer rows")
    yield ("method", *named, "clearly better", "wrongly so", "of these, equally good", "CPU s, median")
    for method, words in METHODS.items():
        cases = list(cases_of(results, method, group))
        if cases:
            named = (count(apart(cases, many=many), is_right) for many in (True, False))
            wrong = f"{sum(map(is_wrong, cases))} of {len(cases)}"
            seconds = np.median([case["seconds"] for case in cases])
            equal = sum(is_wrong(case) and gap_of(case) == 0 for case in cases)
            clear = sum(case["clear"] for case in cases)
            yield (words, *named, str(clear), wrong, str(equal), f"{seconds:.1f}")


def size_table(results):
    """Show by the number of rows how often the better one is named, over pairs at least 3 points apart."""
    yield ("method", *(f"{n:,} rows" for n in SIZES))
    for method, words in METHODS.items():
        cases = [case for case in cases_of(results, method, "judge") if is_far(case)]
        if cases:
            yield (words, *(count([case for case in cases if case["n"] == n], is_right) for n in SIZES))


def goals(results):
    cases = list(cases_of(results, "ours", "judge"))
    for words, many, least in (("from 2,000 rows", True, NAMED), ("fewer rows", False, NAMED_OF_FEW)):
        own = apart(cases, many=many)
        if own:
            yield at_least(f"the better one is named, {words}", np.mean([is_right(case) for case in own]), least)
    if cases:
        yield at_most("wrongly called clearly better", sum(map(is_wrong, cases)), MOST_WRONG, ".0f")


def tables(results):
    shown = {f"pairs of {group}": list(table(results, group)) for group in GROUPS}
    return shown | {"judged pairs by rows": list(size_table(results))}


def main(arguments=None):
    run_judgement(arguments, __doc__, RESULTS, ("ours",), all_cells, check_case, tables, goals)


if __name__ == "__main__":
    main()
