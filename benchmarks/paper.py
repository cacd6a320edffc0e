"""Every table of van den Burg and Hero (2017), and what its figures show, reproduced.

``python -m benchmarks.paper`` runs the protocol "reduced": 3 splits, 7 values of C, 3 folds, fars and shuttle cut to
20,000 rows, the Crammer-Singer SVM on small datasets only. "cap" in the saved results is a method that took more than
ten minutes. ``python -m benchmarks.paper paper`` runs the paper's own protocol: 5 splits, 19 values of C, 10 folds, all
rows; that takes days. ``--only mnist`` runs only that part.

- ``data``: the dataset table.
- ``tables``: indices and times of all methods on all datasets, with the paper's recipes and with the honest ones.
- ``mnist``: floors of pairs of digits, compared with the confusions of a classifier.

GenSVM is left out: its package no longer builds. The figures on the bias correction and on orthogonal trees come from
``benchmarks.calibration``. Times are CPU seconds of one thread.
"""

from functools import partial

from benchmarks import _paper_mnist, _paper_tables
from benchmarks._command import FOLDER, measure_once, one_thread, run_command
from benchmarks._paper_searches import PROTOCOLS, check_records, groups_of, run_groups
from benchmarks._paper_tables import CASES, DATASETS, METHODS, cells_of, data_key, judge_rows, key_of
from benchmarks._results import print_tables

RESULTS = {"reduced": FOLDER / "paper.json", "paper": FOLDER / "paper_full.json"}
PARTS = ("data", "tables", "mnist")
QUICK_CASES = (("flare", "paper"), ("winered", "honest"))


# Running.


# Showing.


def tables(results):
    found = {name: table(results) for name, table in _paper_tables.TABLES.items()}
    found["mnist"] = _paper_mnist.table(cells_of(results, "mnist"))
    return {name: [*table] for name, table in found.items()}


def goals(results):
    return judge_rows(goals_of(results))


def goals_of(results):
    return [*_paper_tables.goals(results), *_paper_mnist.goals(cells_of(results, "mnist"))]


# The command line.


def protocol_of(options):
    return PROTOCOLS["quick" if options.quick else options.protocol]


def cases_of(options):
    return QUICK_CASES if options.quick else [case for case in CASES if case[0] in options.sets]


def chosen(options):
    """Return the names of the selected cells."""
    parts, cases = options.only or PARTS, cases_of(options)
    groups = groups_of(cases, protocol_of(options).splits) if "tables" in parts else []
    data = [data_key(*case) for case in cases] if "data" in parts else []
    pictures = [f"mnist/{cell}" for cell in _paper_mnist.CELLS if "mnist" in parts]
    return [*data, *pictures, *(key_of(group, name) for group in groups for name in METHODS)]


def run(file, options):
    parts = PARTS if options.quick else options.only or PARTS
    protocol, cases = protocol_of(options), cases_of(options)
    for case in cases if "data" in parts else ():
        measure_once(data_key(*case), file, partial(_paper_tables.measure_data, *case))
    with one_thread():
        for cell in _paper_mnist.CELLS if "mnist" in parts else ():
            measure_once(f"mnist/{cell}", file, partial(_paper_mnist.measure, cell, quick=options.quick))
        run_groups(groups_of(cases, protocol.splits) if "tables" in parts else [], protocol, file)
    if options.quick:
        check_records([key_of((*case, 0), name) for case in QUICK_CASES for name in METHODS], file.results)
        _paper_mnist.check(cells_of(file.results, "mnist"))
    file.finish(summary={"goals": goals_of(file.results)})


def main(arguments=None):
    sets = {"nargs": "+", "default": DATASETS, "metavar": "NAME", "choices": DATASETS, "help": "these datasets"}
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=PARTS,
        cells=chosen,
        measure=run,
        show=lambda results, options: print_tables(tables(results), () if options.quick else goals(results)),
        header=lambda options: {"sizes": protocol_of(options)._asdict()},
        more={"--sets": sets},
        needs_data=True,
    )


if __name__ == "__main__":
    main()
