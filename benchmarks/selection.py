"""Decisions before training: representations, features, weights, rows needed, splits; beside what training says.

``python -m benchmarks.selection`` measures everything and keeps the results as JSON after each cell; a killed
run goes on where it was. ``--quick`` takes small sizes: it asserts what must hold at any size and prints the
rest without judging it. ``--show`` prints the tables of results kept before. ``--only representations noise``
takes these parts alone.

- ``representations``: floors of eight representations against the error of the best of three tuned classifiers
  on each, and the time of both.
- ``features``: informative features found among others; on real data an SVM on the selected features beside
  scikit-learn's ``SequentialFeatureSelector`` with the same SVM and as many features.
- ``noise``: labels that have nothing to do with the rows, and how often something is declared better.
- ``samples``: the cross rate at n foretold from a quarter of the rows.
- ``splits``: planted copies and shifts between two samples, and clean splits.
- ``weights``: what class weights from the floor do to linear classifiers.

Datasets are ``<name>.parquet`` (class in the column ``target``) in the folder that ``BAYESFLOOR_DATA`` names.
Times are CPU seconds on one thread. Missing a goal is a result like any other: the row stays in.
"""

import argparse
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from benchmarks._data import SEED
from benchmarks._results import ResultsFile, align, machine, read_results, verdict
from benchmarks.forest import one_thread, own_kernel_cache

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "selection.json"
PARTS = ("representations", "features", "noise", "samples", "splits", "weights")


def part(name):
    """The module of a part."""
    return import_module(f"benchmarks._sel_{name}")


def run_part(name, file, *, quick):
    """Measure the cells that the file does not have."""
    for cell in part(name).cells(quick=quick):
        key = f"{name}/{cell}"
        if key in file.results["cases"]:
            print(f"{key}: kept", flush=True)
            continue
        start = time.perf_counter()
        file.add(key, part(name).measure(cell, quick=quick))
        print(f"{key}: {time.perf_counter() - start:.1f} s", flush=True)


def cells_of(results, name):
    """The cells of a part that were measured."""
    prefix = f"{name}/"
    return {key.removeprefix(prefix): case for key, case in results["cases"].items() if key.startswith(prefix)}


def tables(results):
    """Tables by name, of all parts that were measured."""
    return {
        key: table for name in measured(results) for key, table in part(name).tables(cells_of(results, name)).items()
    }


def goals(results):
    """The goals of all parts that were measured."""
    for name in measured(results):
        for one in part(name).goals(cells_of(results, name)):
            yield one._replace(measured=f"{name}, {one.measured}")


def measured(results):
    """The parts that there are cells of."""
    return [name for name in PARTS if cells_of(results, name)]


def show(results, names):
    """Print the tables of these parts, and the goals where sizes were full."""
    for name in [name for name in measured(results) if name in names]:
        for key, table in part(name).tables(cells_of(results, name)).items():
            print("\n".join(["", f"== {key}", *align(table)]))
    if not results["quick"]:
        print(
            "\n".join(
                [
                    "",
                    *(
                        f"{one.measured}: {one.figure}, goal {one.goal}: {verdict(met=one.met)}"
                        for one in goals(results)
                    ),
                ]
            )
        )


def read_options(arguments):
    """Options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.selection", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes; no file but --output")
    parser.add_argument("--show", action="store_true", help="print the results kept before, run nothing")
    parser.add_argument("--fresh", action="store_true", help="measure again what the file has of these parts")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="these parts alone")
    parser.add_argument("--output", type=Path, help="JSON file (default: docs/results/selection.json)")
    return parser.parse_args(arguments)


def run(options):
    """Measure, and give the results."""
    header = {"machine": machine(), "seed": SEED, "quick": options.quick, "pandas": version("pandas")}
    file = ResultsFile(options.output or (None if options.quick else RESULTS), header)
    again = [f"{name}/{cell}" for name in options.only for cell in part(name).cells(quick=options.quick)]
    file.resume(without=again if options.fresh else ())
    with own_kernel_cache(), one_thread():
        for name in options.only:
            run_part(name, file, quick=options.quick)
            part(name).check(cells_of(file.results, name))
    return file.results


def main(arguments=None):
    """Run the command line."""
    options = read_options(arguments)
    results = read_results(options.output or RESULTS) if options.show else run(options)
    show(results, options.only)


if __name__ == "__main__":
    main()
