"""Forests of data that do not fit in memory: how time, memory and bytes grow, what is skipped, what tasks cost.

``python -m benchmarks.scale`` measures everything and saves the results as JSON after each cell; rerun to
resume. ``--quick`` uses small sizes: it asserts that edges are exact, that workers stay within their memory
and that fractions are between 0 and 1, and prints times without checking them. ``--show`` prints the
tables of saved results. ``--only bigger overhead`` runs only these cells.

- ``bigger``: three trees of normal rows in a Parquet folder on two workers of 500 MB, compared with quitefastmst.
- ``skipped``: fractions of pairs of blocks that are skipped by their boxes, for equally many blocks in 2, 4 and 8
  dimensions.
- ``overhead``: the pairs of letter's classes in two bare processes, with joblib and with Dask; ``BAYESFLOOR_DATA``
  names the folder of ``letter.parquet``.
- ``enough``: the fraction of cross-class edges in subsamples and in all of 4e6 rows of two classes, with intervals.
- ``model``: runs of many kinds to which a cost model is fitted. The largest runs are held out.

The driver of each run has a process of its own, whose memory includes Dask's scheduler; kernels are compiled
beforehand and loaded by a small forest on the same workers. Memory is sampled every 50 ms; the kernel reports its
peak. The rows are generated here, with one seed. Missed goals stay in the results.
"""

import tempfile
from contextlib import nullcontext
from functools import partial
from importlib.metadata import version
from pathlib import Path

from benchmarks._beyond import MEMORY, make_rows
from benchmarks._command import FOLDER, Case, choose, names_of, run_cases, run_command
from benchmarks._enough import measure_enough
from benchmarks._fresh import run_fresh
from benchmarks._scaled import derive, format_scale, skipped

RESULTS = FOLDER / "scale.json"

_BIGGER = (2_000_000, 6_000_000, 20_000_000)  # rows
_IN_MEMORY_UP_TO = 2_000_000  # rows whose edges are compared with those of the forest in memory
_SKIPPED = ((2, 1_000_000), (4, 300_000), (8, 100_000))  # dimensions and rows
_BLOCKS = 64
_RUNS = (  # dimensions, rows, workers, memory, rows per block
    (2, 500_000, 2, MEMORY, 5_000),
    (2, 1_000_000, 2, MEMORY, 2_500),
    (2, 1_000_000, 2, MEMORY, 1_000),
    (2, 1_000_000, 1, MEMORY, 25_000),
    (2, 2_000_000, 2, MEMORY, 25_000),
    (2, 2_000_000, 1, MEMORY, None),
    (2, 2_000_000, 2, "2GB", 200_000),
    (2, 6_000_000, 2, MEMORY, 50_000),
    (2, 6_000_000, 1, MEMORY, None),
    (2, 6_000_000, 2, "2GB", None),
    (4, 100_000, 2, MEMORY, 2_500),
    (4, 300_000, 1, MEMORY, 10_000),
    (4, 1_000_000, 2, MEMORY, 20_000),
    (4, 1_000_000, 1, MEMORY, 40_000),
    (4, 1_000_000, 2, MEMORY, None),
    (4, 2_000_000, 2, MEMORY, None),
)
_LARGEST_FITTED = {"2": 6_000_000, "4": 1_000_000}  # rows, by dimension; larger runs are held out
_SAME = 1e-12  # relative
_CLASSES, _ROUNDS = 26, 7
_SIZES = (3_125, 12_500, 50_000, 200_000, 800_000)  # subsampled rows


# Cells


def measure(folder, kind, n, d, *, compare="", **how):
    """Measure one run, with the rival's tree and the forest in memory if requested."""
    rows = make_rows(folder, kind, n, d)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        places = {"rows": str(rows), "work": work}
        run = run_fresh(
            "benchmarks._beyond:measure_run", **places, **how, keep="all" if "memory" in compare else "first"
        )
        assert run["same_workers"], "a worker was replaced: it died, or took too much memory"
        assert run["trees"] == [run["vertices"] - 1] * len(run["trees"]), f"trees of {run['trees']} edges"
        cell = {"kind": kind, "run": _tidy(run), "rows": []}
        if "peer" in compare:
            cell["peer"] = run_fresh("benchmarks._beyond:compare_peer", **places)
            assert max(cell["peer"].values()) <= _SAME, f"the first tree differs from the rival's: {cell['peer']}"
        if "memory" in compare:
            cell["memory"] = _tidy(run_fresh("benchmarks._beyond:compare_memory", **places))
    return cell


def measure_overhead(classes, most, rounds):
    """Compute all pairs of letter's classes in every way."""
    found = run_fresh("benchmarks._overhead:measure_letter", classes=classes, most=most, rounds=rounds)
    return {**_tidy(found), "rows": []}


def _tidy(value):
    """Return the same with fewer digits."""
    if isinstance(value, dict):
        return {key: _tidy(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_tidy(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def make_cases(folder, *, quick):
    """All cells."""
    return list(_quick_cases(folder) if quick else _full_cases(folder))


def _full_cases(folder):
    one = partial(measure, folder)
    for n in _BIGGER:
        compare = "peer, memory" if n <= _IN_MEMORY_UP_TO else "peer"
        yield _case(f"bigger/{n:.0e}", one, kind="normal", n=n, d=2, compare=compare)
    for kind in ("normal", "uniform"):
        for d, n in _SKIPPED:
            yield _case(f"skipped/{kind}-{d}", one, kind=kind, n=n, d=d, block_rows=-(-n // _BLOCKS))
    yield _case("overhead", measure_overhead, classes=_CLASSES, most=20_000, rounds=_ROUNDS)
    yield _case("enough", partial(measure_enough, folder), n=4_000_000, sizes=_SIZES, memory="2GB")
    for d, n, workers, memory, block_rows in _RUNS:
        name = f"model/{n:.0e}x{d}-{workers}-{memory}-{block_rows or 'default'}"
        how = {"workers": workers, "memory": memory, "block_rows": block_rows}
        yield _case(name, one, kind="normal", n=n, d=d, **how)


def _quick_cases(folder):
    one = partial(measure, folder, memory="1GB")  # how little is enough depends on the machine: only full sizes show it
    yield _case("bigger/1e+05", one, kind="normal", n=100_000, d=2, block_rows=5000, compare="peer, memory")
    yield _case("skipped/normal-2", one, kind="normal", n=30_000, d=2, workers=1, block_rows=1000)
    yield _case("skipped/uniform-4", one, kind="uniform", n=10_000, d=4, block_rows=1000, compare="memory")
    yield _case("overhead", measure_overhead, classes=8, most=5000, rounds=2)
    yield _case("enough", partial(measure_enough, folder), n=60_000, sizes=(3_000,), memory="1GB")


def _case(name, function, **sizes):
    return Case(name.replace("e+0", "e"), function, sizes, {})


# Checks


def check_quick(results):
    """Assert what holds on any machine."""
    for name, cell in results["cases"].items():
        if "run" in cell:
            run = cell["run"]
            peaks = [one["peak"] for one in run["worker_memory"]]
            assert max(peaks) <= run["memory"], f"{name}: workers took {peaks} of {run['memory']} bytes"
            assert 0 <= skipped(run) <= 1, f"{name}: share {skipped(run)}"
            assert run["joined"] <= run["stages"]["joins"]["tasks"], f"{name}: joins without tasks"


# Command line


def run(file, options):
    """Measure the cells that are not in the file."""
    with _work_folder(options.work) as folder:
        cases = choose(make_cases(folder, quick=options.quick), options.only)
        if any(case.name not in file.results["cases"] for case in cases):
            run_fresh("benchmarks._beyond:compile_all")
        run_cases(cases, file, quick=False)
        file.add("derived", _tidy(derive(file.results, _LARGEST_FITTED)), derived=True)
    if options.quick:
        check_quick(file.results)


def _work_folder(path):
    if path is None:
        return tempfile.TemporaryDirectory()
    path.mkdir(parents=True, exist_ok=True)
    return nullcontext(str(path))


def main(arguments=None):
    """Run the command line."""
    both = [case for quick in (False, True) for case in make_cases(None, quick=quick)]
    work = {"type": Path, "help": "folder for rows, which are kept, and checkpoints (default: a new one)"}
    versions = {name: version(name) for name in ("distributed", "pyarrow")}
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=names_of(both),
        cells=lambda options: [case.name for case in choose(both, options.only)],
        measure=run,
        show=lambda results, _: print(format_scale(results)),
        header=lambda options: {"quick": options.quick, "versions": versions},
        more={"--work": work},
    )


if __name__ == "__main__":
    main()
