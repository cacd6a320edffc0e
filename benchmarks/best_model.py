"""The best model of a check: its error on rows that the check did not see, and whether it takes every messy file.

"held/DATASET/SPLIT": a check of four fifths of the rows; ``best_model`` is fitted to them and tested on the others. Its
mean loss is compared with the cross-validated one, in standard errors of the difference, from the spread of the
losses of all rows. Losses are errors for classes, and squared errors relative to the variance for numbers. The first
split has effort "normal", the other "quick". Splits of a dataset share rows, so goals count datasets.

"messy/SEED/FILE": the files of ``benchmarks.messy``. "file" checks one half of the rows as the command line reads them,
fits to that half and predicts the other. "frame" does so with the table that pandas reads, its label included, and
predicts without the label. Files that are to be refused, and arrays of several labels per row, are left out.

Seeds and datasets were fixed before anything was measured.
"""

import atexit
import math
import shutil
import tempfile
import warnings
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
from pandas import read_parquet
from sklearn.datasets import load_diabetes

from bayesfloor import check
from bayesfloor.io import open_data
from bayesfloor.io._labels import missing_labels
from benchmarks._command import FOLDER, JOBS, one_thread, run_command
from benchmarks._data import data_folder, file_generator, read_rows
from benchmarks._results import Goal, at_least, none_of, plain, print_tables
from benchmarks._timing import seconds_of
from benchmarks.forecast import parts_of, run_cells, select
from benchmarks.messy import FILES, label_of, read_table
from benchmarks.messy import write_files as run_generator

RESULTS = FOLDER / "best_model.json"
MOST_ROWS = 1500
SPLITS = (0, 1)
CLASSES = ["digits", "satimage", "segment", "yeast", "pendigits", "letter", "nursery", "flare", "texture"]
NUMBERS = ("diabetes", "abalone", "winewhite")
TABLES = ("titanic.csv", "adult.csv", "churn.csv", "survey.csv")
MESSY_SEED, QUICK_SEED = 104, 7
REFUSED = ("multilabel_X.npy",)
WITHIN, LEAST_WITHIN, MOST_MEAN = 2.0, 10 / 12, 0.6


# Rows.


def read_dataset(name):
    """Return features, as a data frame if some are text, and codes."""
    if name in ("digits", "diabetes"):
        return load_diabetes(return_X_y=True) if name == "diabetes" else read_rows(name)
    table = read_parquet(data_folder() / f"{name}.parquet")
    X = table.drop(columns="target")
    is_table = any(kind.kind not in "iuf" for kind in X.dtypes)
    return X if is_table else X.to_numpy(dtype=float), np.unique(table["target"], return_inverse=True)[1]


def read_set(name):
    """Return features, labels and the task of a dataset."""
    if name in TABLES:
        folder, files = write_files(MESSY_SEED)
        one = files[name]
        table = read_table(folder, one)
        return table.drop(columns=label_of(one)), table[label_of(one)].to_numpy(), "classes"
    X, y = read_dataset(name)
    return (X, y.astype(float), "numbers") if name in NUMBERS else (X, y, "classes")


@cache
def write_files(seed):
    """Write the messy files of a seed, once in a process; return their folder and the manifest's entry for each."""
    folder = Path(tempfile.mkdtemp(prefix="bayesfloor-messy-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    make = file_generator()
    if make is None:
        raise SystemExit("Got no file generator. Name its script in BAYESFLOOR_MESSY.")
    return folder, run_generator(make, folder, seed)


def take(X, rows):
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


# Cells.


def measure_held(name, split, effort, most=MOST_ROWS):
    X, y, task = read_set(name)
    given = np.flatnonzero(~missing_labels(y))
    order = np.random.default_rng([split, len(given)]).permutation(given)[:most]
    tested, train = order[: len(order) // 5], order[len(order) // 5 :]
    seconds, found = seconds_of(lambda: find(take(X, train), y[train], task=task, effort=effort))
    cost, model = seconds_of(lambda: quietly(found.best_model().fit, take(X, train), y[train]))
    said, seen = losses_said(found), losses_of(model.predict(take(X, tested)), y[tested], y[train], task)
    return {
        "task": task,
        "effort": effort,
        "best": found.answer.best,
        "rows": [len(train), len(tested)],
        "said": plain(said.mean()),
        "error": plain(seen.mean()),
        "z": plain(deviation(said, seen)),
        "fit_seconds": plain(cost),
        "seconds": plain(seconds + cost),
    }


def find(*data, **options):
    return quietly(lambda: check(*data, n_jobs=1, **options))


def quietly(work, *given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return work(*given)


def losses_said(found):
    """Return the cross-validated losses of the best learner."""
    race, best = found.answer.evidence(), found.answer.best
    if race.y is None:
        return race.losses["accuracy"][best][-1]
    return (race.predicted[best] - race.y) ** 2 / race.y.var()


def losses_of(predicted, truth, train, task):
    if task == "classes":
        return (np.asarray(predicted).astype(str) != np.asarray(truth).astype(str)).astype(float)
    return (predicted - truth) ** 2 / train.var()


def deviation(said, seen):
    """Return by how many standard errors of the difference the second mean loss is higher."""
    spread = np.concatenate([said, seen]).std()
    return float((seen.mean() - said.mean()) / (spread * math.sqrt(1 / len(said) + 1 / len(seen)))) if spread else 0.0


def measure_messy(name, seed):
    folder, files = write_files(seed)
    one = files[name]
    ways = {"file": partial(of_file, folder, one)}
    if name.endswith((".csv", ".gz", ".parquet")):
        ways["frame"] = partial(of_frame, folder, one)
    seconds, found = seconds_of(lambda: {way: attempt(work) for way, work in ways.items()})
    return {"ways": found, "seconds": plain(seconds)}


def attempt(work):
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - a failure is a result
        return {"failed": f"{type(error).__name__}: {error}"[:400]}


def halves(n_rows):
    order = np.random.default_rng(n_rows).permutation(n_rows)
    return np.sort(order[: n_rows // 2]), np.sort(order[n_rows // 2 :])


def of_file(folder, one):
    labels = one["labels_file"] and str(folder / one["labels_file"])
    options = {"groups": one["groups"], "labels_file": labels, "task": "auto"}
    data = open_data(str(folder / one["name"]), label_of(one), **options)
    columns = ("groups", "ids", "images", "predictions", "weight")

    def part(rows):
        beside = {what: np.asarray(values)[rows] for what in columns if (values := getattr(data, what)) is not None}
        return replace(data, X=data.X[rows], y=data.y[rows], **beside)

    first, second = (part(rows) for rows in halves(len(data.y)))
    return told(find(first, effort="quick"), first.native, first.y, second.native, second.y)


def of_frame(folder, one):
    table, label = read_table(folder, one), label_of(one)
    first, second = (table.iloc[rows] for rows in halves(len(table)))
    found = find(first, label, groups=one["groups"], task="auto", effort="quick")
    return told(found, first, first[label].to_numpy(), second.drop(columns=label), second[label].to_numpy())


def told(found, X, y, X_new, y_new):
    """Fit to one half, predict the other, and compare the errors."""
    given, asked = ~missing_labels(y), ~missing_labels(y_new)
    model = quietly(found.best_model().fit, filtered(X, given), y[given])
    predicted = quietly(model.predict, X_new)
    said, seen = losses_said(found), losses_of(predicted[asked], y_new[asked], y[given], found.task)
    if found.task == "classes":
        assert set(predicted.tolist()) <= set(np.asarray(y)[given].tolist()), "predicts labels of another kind"
    return {"best": found.answer.best, "said": plain(said.mean()), "error": plain(seen.mean())} | {
        "z": plain(deviation(said, seen))
    }


def filtered(X, given):
    return X.filter(given) if hasattr(X, "filter") and not hasattr(X, "iloc") else X[given]


def all_cells(*, quick):
    if quick:
        held = {"held/digits/9": partial(measure_held, "digits", 9, "quick", 400)}
        return held | {"messy/7/titanic.csv": partial(measure_messy, "titanic.csv", QUICK_SEED)}
    held = {
        f"held/{name}/{split}": partial(measure_held, name, split, "quick" if split else "normal")
        for split in SPLITS
        for name in (*CLASSES, *NUMBERS, *TABLES)
    }
    messy = [name for name in FILES if name not in REFUSED]
    return held | {f"messy/{MESSY_SEED}/{name}": partial(measure_messy, name, MESSY_SEED) for name in messy}


def check_case(name, case):
    """Assert that models work and are about as good as the race says."""
    for found in case.get("ways", {"": case}).values():
        assert "failed" not in found, (name, case)
        assert abs(found["z"]) < 2 * WITHIN, (name, case)


# Tables and goals.


def cases_of(results, group):
    return {name: case for name, case in results["cases"].items() if name.startswith(f"{group}/")}


def held_table(results):
    yield ("dataset and split", "best", "rows", "said", "on unseen rows", "standard errors", "CPU of fit")
    for name, case in cases_of(results, "held").items():
        figures = (f"{case['said']:.4f}", f"{case['error']:.4f}", f"{case['z']:+.2f}", f"{case['fit_seconds']:.2g} s")
        yield (name.partition("/")[2], case["best"], f"{case['rows'][0]:,}", *figures)


def messy_table(results):
    yield ("file", "way", "best", "said", "on the other half", "standard errors")
    for name, case in cases_of(results, "messy").items():
        for way, found in case["ways"].items():
            figures = ("-", found.get("failed", ""), "-", "-")
            if "failed" not in found:
                figures = (found["best"], f"{found['said']:.4f}", f"{found['error']:.4f}", f"{found['z']:+.2f}")
            yield (name.partition("/")[2], way, *figures)


def tables(results):
    return {"held": [*held_table(results)], "messy": [*messy_table(results)]}


def goals(results):
    held, by_set = cases_of(results, "held"), {}
    for name, case in held.items():
        by_set.setdefault(name.split("/")[1], []).append(case["z"])
    if held:
        every = np.array([case["z"] for case in held.values()])
        first = np.array([own[0] for own in by_set.values()])
        what = f"within {WITHIN:g} standard errors"
        yield at_least(f"datasets whose first split is {what}", np.mean(np.abs(first) <= WITHIN), LEAST_WITHIN)
        yield at_least(f"splits {what}", np.mean(np.abs(every) <= WITHIN), LEAST_WITHIN)
        for words, own in (("first splits", first), ("all splits", every)):
            mean = own.mean()
            done = bool(abs(mean) <= MOST_MEAN)
            yield Goal(f"mean deviation, {words}", f"{mean:+.2f}", f"-{MOST_MEAN} to {MOST_MEAN}", done)
    ways = [found for case in cases_of(results, "messy").values() for found in case["ways"].values()]
    if ways:
        yield none_of("messy files, in each way, whose model fails", ["failed" in found for found in ways])


def main(arguments=None):
    everything = {**all_cells(quick=False), **all_cells(quick=True)}
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=list(dict.fromkeys(part for name in everything for part in parts_of(name))),
        cells=lambda options: list(select(all_cells(quick=options.quick), options)),
        measure=lambda file, options: run_cells(
            file, options, select(all_cells(quick=options.quick), options), check_case
        ),
        show=lambda results, options: print_tables(tables(results), () if options.quick else goals(results)),
        more=JOBS,
        around=(one_thread,),
        needs_data=True,
    )


if __name__ == "__main__":
    main()
