"""Decisions before training: features and splits, compared with the results of training.

- ``features``: informative features found among others; on real data an SVM on the selected features, compared with
  scikit-learn's ``SequentialFeatureSelector`` with the same SVM and number of features.
- ``noise``: labels that are independent of the rows, and how often something is declared better.
- ``splits``: planted duplicates and shifts between two samples, and clean splits.

Times are CPU seconds on one thread.
"""

from functools import partial
from importlib import import_module
from importlib.metadata import version

from benchmarks._command import FOLDER, measure_once, one_thread, run_command
from benchmarks._results import print_tables

RESULTS = FOLDER / "selection.json"
PARTS = ("features", "noise", "splits")


def part(name):
    return import_module(f"benchmarks._sel_{name}")


def cells_of(results, name):
    prefix = f"{name}/"
    return {key.removeprefix(prefix): case for key, case in results["cases"].items() if key.startswith(prefix)}


def tables(results):
    return {
        key: table for name in measured(results) for key, table in part(name).tables(cells_of(results, name)).items()
    }


def goals(results):
    for name in measured(results):
        for one in part(name).goals(cells_of(results, name)):
            yield one._replace(measured=f"{name}, {one.measured}")


def measured(results):
    return [name for name in PARTS if cells_of(results, name)]


def show(results, options):
    made = {}
    for name in [name for name in measured(results) if name in (options.only or PARTS)]:
        made |= {(name, key): table for key, table in part(name).tables(cells_of(results, name)).items()}
    print_tables(made, () if results["quick"] else goals(results))


def run(file, options):
    """Measure, and check what must hold."""
    with one_thread():
        for name in options.only or PARTS:
            for cell in part(name).cells(quick=options.quick):
                measure_once(f"{name}/{cell}", file, partial(part(name).measure, cell, quick=options.quick))
            part(name).check(cells_of(file.results, name))


def main(arguments=None):
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=PARTS,
        cells=lambda options: [
            f"{name}/{cell}" for name in options.only or PARTS for cell in part(name).cells(quick=options.quick)
        ],
        measure=run,
        show=show,
        header=lambda options: {"quick": options.quick, "pandas": version("pandas")},
    )


if __name__ == "__main__":
    main()
