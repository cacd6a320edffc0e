"""Hazards that make an answer too good: how many planted ones are found, and how often a warning is wrong.

``python -m benchmarks.hazards`` looks for groups and time order as ``bayesfloor.check`` does:
in forty generated tables for each of them, in two hundred tables without any, in the datasets in all their recipes, in
small datasets that come with scikit-learn, and in the messy files of ``benchmarks.messy``, whose generator ``--make``
or ``BAYESFLOOR_MESSY`` names. Files that should warn of groups or time are checked completely. Every cell is saved when
it is finished; rerun to resume. The thresholds were set on seeds 1000 to 1019 and on the datasets; the seeds here were
used once. ``--only`` selects kinds, ``--quick`` uses one table of each kind and writes nothing; ``--show`` prints saved
results. Missed goals stay in the results.
"""

import tempfile
import warnings
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks._command import FOLDER, measure_once, one_thread, run_command
from benchmarks._hazard_sets import CLEAN, PLANTED, make
from benchmarks._recipes import load_frame, manifest
from benchmarks._results import Goal, print_tables
from benchmarks._timing import seconds_of
from benchmarks.answers import range_text
from benchmarks.known_floor import lower_end, plain, told_by
from benchmarks.messy import FILES, SEEDS, find_generator, label_of, truth_of, write_files

RESULTS = FOLDER / "hazards.json"
FIRST_SEED = 2000
N_PLANTED, N_CLEAN = 40, 200
DATA, SMALL, FILE = "datasets", "scikit-learn", "files"
GROUPS = (*PLANTED, "none", DATA, SMALL, FILE)
LEAST_FOUND, MOST_FALSE = 0.9, 0.03
# Columns that give the label away, as the datasets' own description says.
KNOWN = {
    "winered/paper": ("quality",),
    "winewhite/paper": ("quality",),
    "fars/paper": ("HISPANIC_ORIGIN", "RACE"),
    "fars/stored": ("HISPANIC_ORIGIN", "RACE"),
}
MESSY = {  # warnings that messy files should have, and their columns
    "patients.csv": ("groups", "patient_id"),
    "time.csv": ("time", "timestamp"),
    "multilabel.csv": ("labels", "tag_sport"),
    "adult.csv": ("weights", "fnlwgt"),
}
REFUSED = ("regression.csv", "multilabel_X.npy")
TARGET = 0.9  # above what the first two files allow
TOY = ("iris", "wine", "breast_cancer", "digits", "moons", "circles", "blobs")


# Cells.


def look(table, y, label=""):
    """Return the warnings that a check would give, as kind and columns, and the CPU seconds they take."""
    from bayesfloor import BayesFloor
    from bayesfloor.answer._hazards import find_close_rows, find_dependence
    from bayesfloor.answer._labelled_table import label_table
    from bayesfloor.answer._leaks import find_doubtful, find_leaks
    from bayesfloor.io import open_data

    def work():
        rows = label_table(open_data(table, y), None, "auto")
        if rows is None:
            return None, (), ()
        found = find_dependence(rows, len(y), 0)
        without = [found.column] if found is not None and found.kind == "groups" else []
        return found, find_leaks(rows, 0, without), find_doubtful(rows, label)

    seconds, (found, leaks, doubtful) = seconds_of(work)
    if found is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = find_close_rows(BayesFloor(n_trees=1, interval="fast").fit(table, y).fitted_, 0)
    return warned(found, leaks, doubtful) | {"seconds": plain(seconds)}


def warned(found, leaks, doubtful):
    """Return warnings as kinds and columns."""
    case = {"warned": [["leak", *leak.columns] for leak in leaks] + [[each.kind, *each.columns] for each in doubtful]}
    if found is not None:
        case["warned"].append([found.kind, found.column])
        case["two_errors"] = [plain(found.error_at_random), plain(found.error_together)]
    return case


def measure_made(kind, seed):
    """Look for hazards in a generated table."""
    made = make(kind, seed)
    return look(made.table, made.y) | {"column": made.column, "shape": list(made.table.shape)}


def measure_dataset(name, recipe):
    """Look for hazards in a dataset."""
    X, y = load_frame(name, None if recipe == "stored" else recipe)
    return look(X, y) | {"shape": list(X.shape)}


def measure_toy(name):
    """Look for hazards in a dataset that comes with scikit-learn."""
    from sklearn import datasets as toys

    if name in ("moons", "circles"):
        X, y = getattr(toys, f"make_{name}")(1000, noise=0.2, random_state=0)
    elif name == "blobs":
        X, y = toys.make_blobs(1000, cluster_std=3, random_state=0)
    else:
        X, y = getattr(toys, f"load_{name}")(return_X_y=True, as_frame=True)
    return look(X, np.asarray(y)) | {"shape": list(X.shape)}


def measure_file(folder, one):
    """Look for hazards in a messy file; check it completely if it should warn of groups or time."""
    from bayesfloor import check
    from bayesfloor.io import open_data

    label, path = label_of(one), folder / one["name"]
    if one["name"] not in ("patients.csv", "time.csv"):
        data = open_data(path, label, labels_file=one["labels_file"] and str(folder / one["labels_file"]))
        return look(data.X, data.y, data.label)
    seconds, found = seconds_of(lambda: check(path, label, target=TARGET))
    case = warned(found.dependence, found.leaks, found.doubtful) | {"seconds": plain(seconds)}
    return case | told_by(found.answer) | {"truth": plain(truth_of(one)), "outcome": found.outcome}


def chosen(options):
    """Return the selected cells by name."""
    n_planted, n_clean = (1, len(CLEAN)) if options.quick else (N_PLANTED, N_CLEAN)
    seed = 1000 if options.quick else FIRST_SEED
    cells = {f"{kind}/{seed + i}": partial(measure_made, kind, seed + i) for kind in PLANTED for i in range(n_planted)}
    for i in range(n_clean):
        kind, number = CLEAN[i % len(CLEAN)], seed + i // len(CLEAN)
        cells[f"none/{kind}/{number}"] = partial(measure_made, kind, number)
    cells |= {f"{SMALL}/{name}": partial(measure_toy, name) for name in (TOY[:1] if options.quick else TOY)}
    if not options.quick:
        cells |= {f"{DATA}/{name}/{recipe}": partial(measure_dataset, name, recipe) for name, recipe in _recipes()}
        cells |= {f"{FILE}/{seed}/{name}": None for seed in SEEDS for name in FILES if name not in REFUSED}
    return {name: work for name, work in cells.items() if not options.only or name.split("/")[0] in options.only}


def _recipes():
    """Yield every dataset with every recipe, and as it is stored."""
    for name, facts in manifest().items():
        if name != "banking77":  # its only column is text of one sentence
            yield from ((name, recipe) for recipe in (*facts["recipes"], "stored"))


def run(file, options):
    """Measure the cells that are not in the file."""
    for name, work in chosen(options).items():
        if work is not None:
            measure_once(name, file, work)
    seeds = {
        name.split("/")[1] for name in chosen(options) if name.startswith(FILE) and name not in file.results["cases"]
    }
    for seed in sorted(seeds):
        with tempfile.TemporaryDirectory() as folder:
            manifest_of = write_files(find_generator(options), Path(folder), int(seed))
            for name in set(manifest_of) - set(REFUSED):
                measure_once(f"{FILE}/{seed}/{name}", file, partial(measure_file, Path(folder), manifest_of[name]))
    if options.quick:
        assert all(is_right(name, case) for name, case in file.results["cases"].items()), file.results["cases"]


# Tables and goals.


def expected(name, case):
    """Return the kind of warning that a cell should have and its columns; None for no warning."""
    group, _, rest = name.partition("/")
    if group in PLANTED:
        return group, (case["column"],)
    if group == FILE:
        kind, *columns = MESSY.get(rest.partition("/")[2], (None,))
        return kind and (kind, columns)
    return ("leak", KNOWN[rest]) if group == DATA and rest in KNOWN else None


def is_right(name, case):
    """Whether a cell has the one warning that it should have, or none."""
    due = expected(name, case)
    if due is None:
        return not case["warned"]
    kinds = {kind for kind, *_ in case["warned"]}
    named = {column for _, *columns in case["warned"] for column in columns}
    return kinds == {due[0]} and named >= {column for column in due[1] if column}


def group_table(results):
    """Count the right cells of each group."""
    yield ("tables", "number", "right", "fraction", "CPU s, median", "wrong")
    for group in GROUPS:
        cases = {name: case for name, case in results["cases"].items() if name.split("/")[0] == group}
        if not cases:
            continue
        wrong = [name for name, case in cases.items() if not is_right(name, case)]
        seconds = np.median([case["seconds"] for case in cases.values()])
        right = len(cases) - len(wrong)
        yield (group, str(len(cases)), str(right), f"{right / len(cases):.3f}", f"{seconds:.2g}", ", ".join(wrong))


def warning_table(results):
    """List the warnings about real data."""
    yield ("data", "warning", "expected")
    for name, case in results["cases"].items():
        if name.split("/")[0] in (DATA, SMALL, FILE) and (case["warned"] or expected(name, case)):
            told = "; ".join(f"{kind}: {', '.join(columns)}" for kind, *columns in case["warned"]) or "none"
            yield (name, told, "yes" if is_right(name, case) else "no")


def goals(results):
    """Judge what was asked for."""
    cases = results["cases"]
    for group in PLANTED:
        own = [is_right(name, case) for name, case in cases.items() if name.split("/")[0] == group]
        if own:
            yield Goal(f"found: {group}", f"{np.mean(own):.3f}", f">= {LEAST_FOUND}", bool(np.mean(own) >= LEAST_FOUND))
    clean = [bool(case["warned"]) for name, case in cases.items() if name.startswith("none/")]
    if clean:
        rate = float(np.mean(clean))
        yield Goal("false alarms in generated tables", f"{rate:.3f}", f"<= {MOST_FALSE}", rate <= MOST_FALSE)
    real = [is_right(name, case) for name, case in cases.items() if name.split("/")[0] in (DATA, SMALL)]
    files = [is_right(name, case) for name, case in cases.items() if name.startswith(FILE)]
    if files:
        wrong = files.count(False)
        yield Goal("messy files with a wrong or missing warning", f"{wrong} of {len(files)}", "<= 0", wrong == 0)
    whole = [case for case in cases.values() if "truth" in case]
    if whole:
        missed = sum(not lower_end(case) <= case["truth"] <= case["upper"] for case in whole)
        yield Goal("patients and time: range without the truth", f"{missed} of {len(whole)}", "<= 0", missed == 0)
        flattered = sum(case["outcome"] == "reachable" for case in whole)
        yield Goal("patients and time: 90 % called reachable", f"{flattered} of {len(whole)}", "<= 0", flattered == 0)
    if real:
        wrong = real.count(False)
        yield Goal("real data with a wrong or missing warning", f"{wrong} of {len(real)}", "<= 0", wrong == 0)


def file_table(results):
    """Tabulate the files that were checked completely."""
    yield ("file", "truth", "best estimate", "range", "90 % accuracy", "error at random", "error together", "CPU s")
    for name, case in sorted(results["cases"].items()):
        if "truth" in case:
            ends = f"{case['estimate']:.3f}", range_text(case), case["outcome"]
            errors = [f"{error:.3f}" for error in case["two_errors"]] if "two_errors" in case else ["-", "-"]
            yield (name, f"{case['truth']:.3f}", *ends, *errors, f"{case['seconds']:.3g}")


def tables(results):
    made = {"found": group_table, "warnings": warning_table, "files": file_table}
    return {name: list(make(results)) for name, make in made.items()}


def main(arguments=None):
    """Run the command line."""
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=GROUPS,
        cells=lambda options: list(chosen(options)),
        measure=run,
        show=lambda results, _: print_tables(tables(results), goals(results)),
        around=(one_thread,),
        more={"--make": {"metavar": "PATH", "help": "script that writes messy files (default: BAYESFLOOR_MESSY)"}},
        needs_data=True,
    )


if __name__ == "__main__":
    main()
