"""The command line that all benchmarks share: what to measure, where to save it, what to show.

Each cell is saved as JSON when it is finished; rerun to resume. ``--only`` selects cells, ``--quick`` uses small sizes,
asserts what must hold at any size and writes nothing, ``--show`` prints saved results. Missed goals stay in the
results. Datasets are read from the folder named by ``BAYESFLOOR_DATA``.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from benchmarks._data import SEED, data_folder
from benchmarks._results import FOLDER as FOLDER  # noqa: PLC0414 - benchmarks name their file with it
from benchmarks._results import ResultsFile, code_behind, machine, read_results

JOBS = {"--jobs": {"type": int, "default": 1, "help": "processes (default: 1)"}}


class Case(NamedTuple):
    """A named measurement, with its sizes for the full and the quick form."""

    name: str
    measure: Callable
    full: dict
    quick: dict


@contextmanager
def one_thread():
    """Limit every engine in this process to one thread; ours still follows its ``n_jobs``."""
    import quitefastmst
    import sklearn.neighbors  # noqa: F401 - limits reach only what is loaded
    from threadpoolctl import threadpool_limits

    quitefastmst.omp_set_num_threads(1)
    with threadpool_limits(limits=1):
        yield


@contextmanager
def own_kernel_cache():
    """Use a kernel cache for this run only: an old one may contain kernels from before an edit."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("NUMBA_CACHE_DIR", folder)
        yield


def run_command(
    arguments,
    doc,
    path,
    *,
    names,
    cells,
    measure,
    show,
    header=lambda _: {},
    more=None,
    around=(own_kernel_cache,),
    needs_data=False,
):
    """Run the command line of a benchmark.

    Parameters
    ----------
    arguments : command-line arguments; None for those of the process.
    doc : the module's docstring, whose first line says what is measured.
    path : results file, or files by the protocol that the first argument names.
    names : names that ``--only`` accepts.
    cells : function that maps the options to the names of the selected cells.
    measure : function of the file and the options, which measures the cells that are not in the file.
    show : function of the results and the options, which prints.
    header : function that maps the options to a description of how the results were made, besides seed and machine.
    more : options of this benchmark only, by name, as ``add_argument`` takes them.
    around : context managers to measure in.
    needs_data : whether to check for the dataset folder first.
    """
    options = _read_options(arguments, doc, path, names, more or {})
    path = path[options.protocol] if isinstance(path, dict) else path
    if options.show:
        options.quick = False
        results = read_results(options.output or path)
        show(results, options)
        print(f"\nMeasured until {results['measured']} by the code of {code_behind(results)}.")
        return
    if needs_data:
        data_folder()
    with ExitStack() as stack:
        for context in around:
            stack.enter_context(context())
        made_by = {"seed": SEED, "machine": machine(), **header(options)}
        file = ResultsFile(options.output or (None if options.quick else path), made_by)
        file.resume(without=cells(options) if options.fresh else [])
        measure(file, options)
    show(file.results, options)


def _read_options(arguments, doc, path, names, more):
    module = next(iter(path.values())).stem if isinstance(path, dict) else path.stem
    groups = ", ".join(name for name in names if "/" not in name)
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{module}", description=doc.partition("\n")[0])
    add = parser.add_argument
    if isinstance(path, dict):
        first = next(iter(path))
        add("protocol", nargs="?", default=first, choices=list(path), help=f"default: {first}")
    add("--quick", action="store_true", help="small sizes, check what must hold, write nothing but --output")
    add("--show", action="store_true", help="print saved results, run nothing")
    add("--fresh", action="store_true", help="measure again, even if the file has results")
    add("--only", nargs="+", default=[], metavar="NAME", help=f"only these: {groups}")
    add("--output", type=Path, help=f"JSON file (default: docs/results/{module}.json)")
    for flag, how in more.items():
        add(flag, **how)
    options = parser.parse_args(arguments)
    # Names may be separate or joined by commas, which some names contain themselves.
    parts = [[text] if text in names else text.split(",") for text in options.only]
    options.only = [name for part in parts for name in part if name]
    unknown = ", ".join(name for name in options.only if name not in names)
    if unknown:
        parser.error(f"argument --only: got {unknown}, but expected some of {groups}")
    return options


# Benchmarks that are lists of cases


def of_cases(full, quick=None):
    """Describe cases for ``run_command``; the quick form may use others."""

    def chosen(options):
        return choose(quick if quick and options.quick else full, options.only)

    return {
        "names": names_of([*full, *(quick or [])]),
        "cells": lambda options: [case.name for case in chosen(options)],
        "measure": lambda file, options: run_cases(chosen(options), file, quick=options.quick),
    }


def names_of(cases):
    """Return the names of cases, and of the groups before their slash."""
    return list(dict.fromkeys([*map(group_of, cases), *(case.name for case in cases)]))


def parts_of(cases):
    """Return all parts of the names of cases."""
    return list(dict.fromkeys(part for case in cases for part in case.name.split("/")))


def group_of(case):
    return case.name.partition("/")[0]


def choose(cases, names):
    """Return the cases with these names, or with a named part wherever parts are named; all if there are no names.

    ``warm letter`` names a kind and a dataset, and is of the warm cases of letter.
    """
    levels = zip_longest(*(case.name.split("/") for case in cases))
    named = [set(level) & set(names) for level in levels]

    def has_parts(case):
        return all(not some or part in some for part, some in zip(case.name.split("/"), named, strict=False))

    return [case for case in cases if not names or case.name in names or (any(named) and has_parts(case))]


def run_cases(cases, file, *, quick):
    for case in cases:
        measure_once(case.name, file, lambda case=case: _measure(case, quick=quick))


def measure_once(name, file, measure):
    if name in file.results["cases"]:
        print(f"{name}: kept", flush=True)
        return
    start = time.perf_counter()
    file.add(name, measure())
    print(f"{name}: {time.perf_counter() - start:.1f} s", flush=True)


def _measure(case, *, quick):
    """Return what a case found; without goals in the quick form, since goals are for full sizes."""
    if not quick:
        return case.measure(**case.full)
    found = case.measure(**case.quick)
    for row in found.get("rows", ()):
        row.pop("goal", None)
        row.pop("met", None)
    return found
