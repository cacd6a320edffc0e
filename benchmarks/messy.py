"""Realistic messy files with a known best error: which ones work at the first try, and how close the answer comes.

``python -m benchmarks.messy --make make.py`` has a generator write the files of three seeds and measures three kinds of
cells. "file": the installed command,
``bayesfloor check FILE -y LABEL --json -``, with the label, groups and label file that the generator
names. "pipeline": the cross-validated error of what a data scientist would write for four of the files. "prepare": a
check of the same data frame, prepared by ``prepare="auto"`` and by ``skrub.TableVectorizer()`` with missing values
filled.

The generator is not part of this repository: ``--make`` or ``BAYESFLOOR_MESSY`` names it, or it is
``messy/make.py`` next to the dataset folder. It is called with a folder and ``--seed``, and writes ``manifest.json``
next to the files: the name of each, its label, groups and label file, its best error, and what a good tool does with
it. ``--only`` selects kinds and files, ``--seeds`` other seeds.
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
from benchmarks._messy_rivals import PIPELINES, count_packages, prepare_alone, run_check, run_pipelines
from benchmarks._results import Goal, at_least, at_most, plain, print_tables
from benchmarks._timing import seconds_of
from benchmarks._told import check_shares, lower_end, range_text, told_by

RESULTS = FOLDER / "messy.json"
SEEDS = (101, 102, 103)
KINDS = ("file", "pipeline", "prepare")
WAYS = ("auto", "skrub")
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
LEAST_HELD, MOST_BEHIND = 0.9, 0.02
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


def measure_file(folder, one, _seed):
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


def measure_pipeline(folder, one, seed):
    errors, seconds = run_pipelines(one["name"], read_table(folder, one), label_of(one), seed)
    return {"errors": {name: plain(error) for name, error in errors.items()}, "seconds": plain(seconds)}


def measure_prepare(folder, one, _seed):
    """Check a data frame prepared in each way: return the answer and its cost, or why there is none."""
    table, label = read_table(folder, one), label_of(one)
    case = {"truth": plain(truth_of(one)), "ways": {}}
    for way in WAYS:
        try:
            alone, width = prepare_alone(way, table, label)
            seconds, found = run_check(way, table, label)
        except (TypeError, ValueError) as error:
            case["ways"][way] = {"message": " ".join(str(error).split())[:400]}
        else:
            cost = {"seconds": plain(seconds), "alone": plain(alone), "width": width, "packages": count_packages(way)}
            case["ways"][way] = told_by(found.answer) | cost
    return case


MEASURES = {"file": measure_file, "pipeline": measure_pipeline, "prepare": measure_prepare}
NAMES = {"file": FILES, "pipeline": tuple(PIPELINES), "prepare": TABLES}


def chosen(options):
    """Return kind, seed and file of the selected cells."""
    kinds, files = ([name for name in options.only if name in group] for group in (KINDS, FILES))
    seeds = [QUICK["seed"]] if options.quick else options.seeds
    files = QUICK["files"] if options.quick else files or FILES
    cells = [(kind, seed, name) for seed in seeds for kind in kinds or KINDS for name in NAMES[kind] if name in files]
    return [cell for cell in cells if not (options.quick and cell[0] == "prepare")]


def key_of(kind, seed, name):
    return f"{kind}/{seed}/{name}"


def run(file, options):
    """Measure the cells that are not in the file; the quick form asserts the order."""
    make = find_generator(options)
    missing = [cell for cell in chosen(options) if key_of(*cell) not in file.results["cases"]]
    for seed in dict.fromkeys(seed for _, seed, _ in missing):
        with tempfile.TemporaryDirectory() as folder:
            run_seed(file, make, Path(folder), [cell for cell in missing if cell[1] == seed])
    if options.quick:
        for key, case in file.results["cases"].items():
            assert case["outcome"] == case["expected"], (key, case)
            if case["outcome"] == RAN:
                check_shares(key, case)


def run_seed(file, make, folder, cells):
    manifest = write_files(make, folder, cells[0][1])
    check_names(manifest)
    for kind, seed, name in cells:
        work = partial(MEASURES[kind], folder, manifest[name], seed)
        measure_once(key_of(kind, seed, name), file, work)


def check_names(manifest):
    """Refuse a generator that writes other files: none may be left out silently."""
    if set(manifest) != set(FILES):
        strange = ", ".join(sorted(set(manifest) ^ set(FILES)))
        raise SystemExit(f"Got a generator whose files differ in {strange}. Correct FILES in benchmarks/messy.py.")


# Tables and goals.


def cases_of(results, kind):
    """Return the cases of a kind by file and seed, in the order of the files."""
    found = {}
    for key, case in results["cases"].items():
        own, seed, name = key.split("/")
        if own == kind:
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
    for (name, seed), case in cases_of(results, "file").items():
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
    for (name, seed), case in cases_of(results, "file").items():
        if case["outcome"] != RAN:
            yield (f"{name}, seed {seed}: {case['message']}",)


def pipeline_cases(results):
    """Yield by file and seed: our best learner, its error, the best pipeline, its error, and both costs."""
    files = cases_of(results, "file")
    for key, case in cases_of(results, "pipeline").items():
        ours = files.get(key)
        if ours and ours["outcome"] == RAN:
            best = min(case["errors"], key=case["errors"].get)
            yield key, (ours["best"], ours["errors"][ours["best"]], best, case["errors"][best])


def pipeline_table(results):
    yield ("file", "seed", "best learner", "its error", "best pipeline", "its error", "difference")
    for (name, seed), (learner, ours, pipeline, theirs) in pipeline_cases(results):
        yield (name, str(seed), learner, f"{ours:.4f}", pipeline, f"{theirs:.4f}", f"{ours - theirs:+.4f}")


def prepare_table(results):
    figures = ("columns made", "best estimate", "its error", "range", "best learner's error")
    yield ("table", "seed", "prepared by", *figures, "CPU, check", "CPU, preparing alone")
    for (name, seed), case in cases_of(results, "prepare").items():
        for way, said in case["ways"].items():
            if "message" in said:
                yield (name, str(seed), way, "-", "-", "-", said["message"], "-", "-", "-")
                continue
            ends = (f"{said['estimate']:.4f}", f"{abs(said['estimate'] - case['truth']):.4f}", range_text(said))
            costs = (f"{said['seconds']:.3g} s", f"{said['alone']:.3g} s")
            yield (name, str(seed), way, str(said["width"]), *ends, f"{said['errors'][said['best']]:.4f}", *costs)


def way_table(results):
    yield ("prepared by", "tables", "refused", "median error", "CPU, checks", "CPU, preparing alone", "packages")
    cases = list(cases_of(results, "prepare").values())
    both = [case for case in cases if all("message" not in case["ways"][way] for way in WAYS)]
    for way in WAYS if both else ():
        errors = [abs(case["ways"][way]["estimate"] - case["truth"]) for case in both]
        seconds, alone = (sum(case["ways"][way][key] for case in both) for key in ("seconds", "alone"))
        refused = sum("message" in case["ways"][way] for case in cases)
        costs = (f"{seconds:.3g} s", f"{alone:.3g} s", str(both[-1]["ways"][way]["packages"]))
        yield (way, str(len(both)), str(refused), f"{np.median(errors):.4f}", *costs)


def tables(results):
    made = {
        "files": file_table,
        "messages": message_table,
        "pipelines": pipeline_table,
        "ways": way_table,
        "prepared": prepare_table,
    }
    return {name: [*make(results)] for name, make in made.items()}


def goals(results):
    files = cases_of(results, "file")
    if files:
        other = [f"{name} ({seed})" for (name, seed), case in files.items() if case["outcome"] != case["expected"]]
        what = ", ".join(["files not handled as expected at the first try", *other])
        yield Goal(what, f"{len(other)} of {len(files)}", "<= 0", not other)
    held = [found for (name, _), case in files.items() if (found := holds(name, case)) is not None]
    if held:
        yield at_least("ranges that contain the truth", np.mean(held), LEAST_HELD)
    behind = {}
    for (name, _), (_, ours, _, theirs) in pipeline_cases(results):
        behind.setdefault(name, []).append(ours - theirs)
    for name, found in behind.items():
        what = f"{name}: error of the best learner minus that of the best pipeline, largest of {len(found)}"
        yield at_most(what, max(found), MOST_BEHIND, ".4f")


# The command line.


def main(arguments=None):
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=[*KINDS, *FILES],
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
