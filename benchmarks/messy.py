"""Realistic messy files with a known best error: which ones work at the first try, and how close the answer comes.

``python -m benchmarks.messy --make make.py`` has a generator write the files of three seeds and runs the installed
command on each, ``bayesfloor check FILE -y LABEL --json -``, with the label, groups and label file that the generator
names.

The generator is not part of this repository: ``--make`` or ``BAYESFLOOR_MESSY`` names it, or it is
``messy/make.py`` next to the dataset folder. It is called with a folder and ``--seed``, and writes ``manifest.json``
next to the files: the name of each, its label, groups and label file, its best error, and what a good tool does with
it. ``--only`` selects files, ``--seeds`` other seeds.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks._command import FOLDER, measure_once, one_thread, run_command
from benchmarks._data import file_generator
from benchmarks._results import Goal, at_least, plain, print_tables
from benchmarks._timing import seconds_of
from benchmarks._told import check_shares, lower_end, range_text

RESULTS = FOLDER / "messy.json"
SEEDS = (101, 102, 103)
_TABLES = """
    titanic.csv adult.csv churn.csv kunden.csv reviews.csv zipcodes.csv mixed.csv survey.csv sensors.csv.gz
"""
_OTHERS = """
    kunden_utf16.csv fraud.csv catalogue.parquet dirty_labels.csv unicode.csv embeddings.parquet embeddings.npy
    images.npz huge_scales.csv duplicates.csv patients.csv time.csv wide_sparse.parquet regression.csv
    multilabel.csv multilabel_X.npy
"""
TABLES = tuple(_TABLES.split())  # files whose columns have to be prepared
FILES = (*TABLES, *_OTHERS.split())
OUT_OF_LEARNERS_REACH = ("zipcodes.csv", "wide_sparse.parquet")  # too few rows per code or word: only lower ends count
LEAST_HELD = 0.9
QUICK = {"seed": 7, "files": ("titanic.csv", "mixed.csv", "regression.csv")}
RAN, REFUSED, BROKE = "ran", "refused", "broke down"
_USAGE = 2  # exit code when a file is refused


# Files.


def find_generator(options):
    path = file_generator(options.make)
    if path is None:
        raise SystemExit("Got no file generator. Name its script: --make PATH or BAYESFLOOR_MESSY.")
    return path


def write_files(make, folder, seed):
    """Write the files of a seed; return the manifest's entry for each."""
    subprocess.run([sys.executable, make, folder, "--seed", str(seed)], check=True, stdout=subprocess.DEVNULL)
    return {one["name"]: one for one in json.loads((folder / "manifest.json").read_text("utf-8"))["files"]}


def label_of(one):
    """Return the label column to use: the first if there are several."""
    return one["label"][0] if isinstance(one["label"], list) else one["label"]


def truth_of(one):
    """Return the best error for the label used; None if there is none."""
    return one.get("best_error_per_label", {}).get(label_of(one), one["best_error"])


def read_table(folder, one):
    """Read a file as someone who knows its format would."""
    import pandas as pd

    path = folder / one["name"]
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, **(one["csv"] or {}))


# Cells.


def command_of(one):
    """Return the command that the manifest asks for, in the folder of the files."""
    options = {"-y": label_of(one), "--groups": one["groups"], "--labels-file": one["labels_file"]}
    given = [word for flag, value in options.items() if value for word in (flag, value)]
    return ["bayesfloor", "check", one["name"], *given, "--json", "-"]


def measure_file(folder, one):
    """Return what the command says about a file at the first try."""
    seconds, done = seconds_of(lambda: _run(command_of(one), folder), "children")
    case = {
        "truth": plain(truth_of(one)),
        "expected": REFUSED if one["expect"].startswith("refuses") else RAN,
        "outcome": {0: RAN, _USAGE: REFUSED}.get(done.returncode, BROKE),
        "seconds": plain(seconds),
    }
    if case["outcome"] != RAN:
        return case | {"message": " ".join(done.stderr.split())[-400:]}
    told = json.loads(done.stdout)
    answer = told["answer"]
    ends = {name: None if answer[name] is None else plain(answer[name]) for name in ("lower", "estimate", "upper")}
    errors = {name: plain(error) for name, error in answer["errors"].items()}
    learners = {"best": answer["best"], "errors": errors, "reliability": answer["reliability"]}
    return case | ends | learners | {"shape": [told["facts"]["n_rows"], told["facts"]["n_features"]]}


def _run(command, folder):
    """Run a command as users type it, from the installation that runs this."""
    command = [str(Path(sys.executable).with_name(command[0])), *command[1:]]
    variables = {"NO_COLOR": "1", "PYTHONWARNINGS": "ignore", **os.environ, "OMP_NUM_THREADS": "1"}
    if "PYTHONPATH" in os.environ:
        variables["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, os.environ["PYTHONPATH"].split(os.pathsep)))
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, encoding="utf-8", check=False
    )


def chosen(options):
    """Return seed and file of the selected cells."""
    seeds, files = ([QUICK["seed"]], QUICK["files"]) if options.quick else (options.seeds, options.only or FILES)
    return [(seed, name) for seed in seeds for name in files]


def key_of(seed, name):
    return f"file/{seed}/{name}"


def run(file, options):
    """Measure the cells that are not in the file; the quick form asserts the order."""
    make = find_generator(options)
    missing = [cell for cell in chosen(options) if key_of(*cell) not in file.results["cases"]]
    for seed in dict.fromkeys(seed for seed, _ in missing):
        with tempfile.TemporaryDirectory() as folder:
            run_seed(file, make, Path(folder), [cell for cell in missing if cell[0] == seed])
    if options.quick:
        for key, case in file.results["cases"].items():
            assert case["outcome"] == case["expected"], (key, case)
            if case["outcome"] == RAN:
                check_shares(key, case)


def run_seed(file, make, folder, cells):
    manifest = write_files(make, folder, cells[0][0])
    check_names(manifest)
    for seed, name in cells:
        measure_once(key_of(seed, name), file, partial(measure_file, folder, manifest[name]))


def check_names(manifest):
    """Refuse a generator that writes other files: none may be left out silently."""
    if set(manifest) != set(FILES):
        strange = ", ".join(sorted(set(manifest) ^ set(FILES)))
        raise SystemExit(f"Got a generator whose files differ in {strange}. Correct FILES in benchmarks/messy.py.")


# Tables and goals.


def cases_of(results):
    """Return the cases by file and seed, in the order of the files."""
    found = {}
    for key, case in results["cases"].items():
        _, seed, name = key.split("/")
        found[name, int(seed)] = case
    return {key: found[key] for key in sorted(found, key=lambda key: (FILES.index(key[0]), key[1]))}


def holds(name, case):
    """Whether a range contains the truth; None if there is no range or no truth."""
    if case["truth"] is None or case["outcome"] != RAN:
        return None
    is_above = lower_end(case) <= case["truth"]
    return is_above if name in OUT_OF_LEARNERS_REACH else is_above and case["truth"] <= case["upper"]


def file_table(results):
    yield ("file", "seed", "first try", "truth", "best estimate", "range", "truth in range", "reliability", "CPU")
    for (name, seed), case in cases_of(results).items():
        first = case["outcome"] + ("" if case["outcome"] == case["expected"] else f", expected: {case['expected']}")
        truth = "-" if case["truth"] is None else f"{case['truth']:.4f}"
        said = ("-", "-", "-", "-")
        if case["outcome"] == RAN:
            held = {True: "yes", False: "no", None: "-"}[holds(name, case)]
            limit = " (lower end only)" * (name in OUT_OF_LEARNERS_REACH)
            said = (f"{case['estimate']:.4f}", range_text(case), held + limit, case["reliability"])
        yield (name, str(seed), first, truth, *said, f"{case['seconds']:.3g} s")


def message_table(results):
    yield ("message",)
    for (name, seed), case in cases_of(results).items():
        if case["outcome"] != RAN:
            yield (f"{name}, seed {seed}: {case['message']}",)


def tables(results):
    return {"files": [*file_table(results)], "messages": [*message_table(results)]}


def goals(results):
    files = cases_of(results)
    if files:
        other = [f"{name} ({seed})" for (name, seed), case in files.items() if case["outcome"] != case["expected"]]
        what = ", ".join(["files not handled as expected at the first try", *other])
        yield Goal(what, f"{len(other)} of {len(files)}", "<= 0", not other)
    held = [found for (name, _), case in files.items() if (found := holds(name, case)) is not None]
    if held:
        yield at_least("ranges that contain the truth", np.mean(held), LEAST_HELD)


# The command line.


def main(arguments=None):
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=FILES,
        cells=lambda options: [key_of(*cell) for cell in chosen(options)],
        measure=run,
        show=lambda results, options: print_tables(tables(results), () if options.quick else goals(results)),
        header=lambda options: {"generator": hashlib.sha256(find_generator(options).read_bytes()).hexdigest()[:12]},
        more={
            "--make": {"metavar": "PATH", "help": "script that writes the files (default: BAYESFLOOR_MESSY)"},
            "--seeds": {"type": int, "nargs": "+", "default": list(SEEDS), "help": "seeds (default: 101 102 103)"},
        },
        around=(one_thread,),
    )


if __name__ == "__main__":
    main()
