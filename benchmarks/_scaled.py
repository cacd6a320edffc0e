"""Combine the cells of ``benchmarks.scale`` into tables: growth, fractions, overhead and the cost model."""

import math
from itertools import pairwise

from benchmarks._beyond import STAGES
from benchmarks._cost import ALONE, COUNTS, build_model
from benchmarks._enough import enough_notes, enough_table
from benchmarks._overhead import BARE
from benchmarks._results import Goal, align, as_notes, verdict
from benchmarks._timing import median_ratio

GROWTH = 1.25  # largest exponent of time that meets the goal
OVERHEAD = {"joblib, loky": 1.2, "Dask": 1.3}  # largest ratios to bare processes

_FITTED = (2, 4)  # dimensions
_ENOUGH = 2  # runs needed for two terms


# Derived from the cells


def derive(results, largest):
    """Derive everything that follows from the cells."""
    return {"growth": growth(results), "model": model(results, largest), "rows": []}


def runs_of(results, group):
    """Return the runs of one kind of cells by name, fewest rows first."""
    cells = results["cases"].items()
    runs = {name: cell["run"] for name, cell in cells if name.startswith(f"{group}/") and "run" in cell}
    return dict(sorted(runs.items(), key=lambda item: item[1]["n"]))


def growth(results):
    """Return the exponents of wall time between successive sizes."""
    runs = runs_of(results, "bigger").values()
    return [{"from": few["n"], "to": many["n"], "exponent": _exponent(few, many)} for few, many in pairwise(runs)]


def _exponent(few, many):
    return math.log(many["seconds"] / few["seconds"]) / math.log(many["n"] / few["n"])


def model(results, largest):
    """Fit the model to all runs with normal rows, with the largest held out; None if there are too few."""
    cells = [cell for cell in results["cases"].values() if cell.get("kind") == "normal"]
    runs = [cell["run"] for cell in cells if cell["run"]["d"] in _FITTED]
    fitted = [run for run in runs if run["n"] <= largest[str(run["d"])]]
    if sum(run["d"] == 2 for run in fitted) < _ENOUGH:
        return None
    return build_model(fitted, [run for run in runs if run["n"] > largest[str(run["d"])]])


# Tables


def format_scale(results):
    """Return all tables that have cells, the goals, and the machine."""
    parts = [line for name, table in tables(results).items() for line in (name, "", *align(table), "")]
    judged = [] if results["quick"] else [f"{one.measured}: {one.figure}, goal {one.goal}" for one in goals(results)]
    words = [verdict(met=one.met) for one in goals(results)]
    return "\n".join([*parts, *map(": ".join, zip(judged, words, strict=False)), "", *_about(results)])


def tables(results):
    """Return the tables that have cells, by name."""
    made = {
        "bigger": bigger_table(results),
        "stages": stage_table(runs_of(results, "bigger")),
        "checked": as_notes(checks(results)),
        "skipped": skipped_table(results),
        "overhead": overhead_table(results),
        "overhead, how": as_notes(overhead_notes(results)),
        "enough": enough_table(results),
        "enough, how": as_notes(enough_notes(results)),
        **model_tables(results),
    }
    return {name: table for name, table in made.items() if len(table) > 1}


def goals(results):
    """Return the goals for memory, growth and overhead."""
    for name, run in runs_of(results, "bigger").items():
        highest, most = max(one["peak"] for one in run["worker_memory"]), run["memory"]
        yield Goal(f"{name}: workers' peak", f"{highest / 1e6:.0f} MB", f"<= {most / 1e6:.0f} MB", highest <= most)
    for one in results["cases"].get("derived", {}).get("growth", []):
        sizes = f"{one['from']:.0e} to {one['to']:.0e} rows".replace("e+0", "e")
        exponent = one["exponent"]
        yield Goal(f"exponent of the growth of time, {sizes}", f"{exponent:.2f}", f"<= {GROWTH}", exponent <= GROWTH)
    seconds = results["cases"].get("overhead", {}).get("seconds", {})
    for name in [name for name in OVERHEAD if name in seconds]:
        ratio, most = median_ratio(seconds[name], seconds[BARE])[0], OVERHEAD[name]
        yield Goal(f"all pairs by {name} / by two bare processes", f"{ratio:.2f}", f"<= {most}", ratio <= most)


def _about(results):
    facts, versions = results["machine"], results["versions"]
    names = ", ".join(f"{name} {number}" for name, number in {**facts["versions"], **versions}.items())
    return [
        f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}, Python {facts['python']}; seed {results['seed']}",
        names,
    ]


def bigger_table(results):
    """Tabulate time, memory, bytes and counts for each size."""
    runs = runs_of(results, "bigger")
    if not runs:
        return []
    head = ("rows", "on", "wall s", "workers' CPU s", "driver alone s", "workers' peak MB", "limit MB")
    lines = [(*head, "driver's peak MB", "mapped", "own, at most", "written GB", "blocks", "skipped", "settled")]
    for run in runs.values():
        driver, peaks = run["driver"], [f"{one['peak'] / 1e6:.0f}" for one in run["worker_memory"]]
        lines.append(
            (
                f"{run['n']:.0e} x {run['d']}".replace("e+0", "e"),
                f"{run['workers']} workers",
                f"{run['seconds']:.1f}",
                f"{run['worker_cpu']:.1f}",
                f"{sum(run['alone'].values()):.1f}",
                ", ".join(peaks),
                f"{run['memory'] / 1e6:.0f}",
                f"{driver['peak'] / 1e6:.0f}",
                f"{driver['mapped'] / 1e6:.0f}",
                f"{driver['own'] / 1e6:.0f}",
                f"{run['written'] / 1e9:.2f}",
                str(run["blocks"]),
                f"{skipped(run):.1%}",
                str(run["loose"]),
            )
        )
    return lines


def skipped(run):
    """Return the fraction of pairs of blocks that were never joined."""
    return 1 - run["joined"] / run["pairs"] if run["pairs"] else 0.0


def stage_table(runs):
    """Tabulate the wall seconds of each stage, and of the driver alone after it."""
    if not runs:
        return []
    lines = [("wall s of stages", *STAGES, "alone: joins settled", "edges read", "rest")]
    for name, run in runs.items():
        alone = dict(run["alone"])
        own = [alone.pop("joins"), alone.pop("edges")]
        times = [run["stages"][stage]["seconds"] for stage in STAGES]
        lines.append((name, *[f"{figure:.2f}" for figure in (*times, *own, sum(alone.values()))]))
    return lines


def checks(results):
    """Return what was verified."""
    return [f"{name}: {text}" for name, cell in results["cases"].items() for text in _checked(cell)]


def _checked(cell):
    peer, memory = cell.get("peer"), cell.get("memory")
    if peer is not None:
        yield (
            f"first tree weighs as quitefastmst's to {peer['weight']:.0e}; lengths in order are the same to "
            f"{peer['lengths']:.0e}"
        )
    if memory is not None:
        yield (
            f"all {memory['edges']} edges are those of the rows in memory, where two threads take "
            f"{memory['seconds']:.1f} s and {memory['peak'] / 1e9:.2f} GB"
        )


def skipped_table(results):
    """Tabulate fractions and times by dimension and distribution, and the fraction of vertices that joins use."""
    cells = {name: cell for name, cell in results["cases"].items() if name.startswith("skipped/")}
    if not cells:
        return []
    head = ("rows", "size", "blocks", "pairs", "skipped", "joins", "looked at")
    lines = [(*head, "rounds", "wall s", "blocks s", "joins s", "driver alone s", "warned")]
    for cell in cells.values():
        run = cell["run"]
        stages, alone = run["stages"], sum(run["alone"].values())
        times = (run["seconds"], stages["blocks"]["seconds"], stages["joins"]["seconds"], alone)
        joins = stages["joins"]
        counts = (run["blocks"], run["pairs"], f"{skipped(run):.1%}", joins["tasks"])
        counts = (*counts, f"{joins['looked_at'] / run['pairs']:.1%}", joins["rounds"])
        figures = [f"{figure:.1f}" for figure in times]
        what = (cell["kind"], f"{run['n']} x {run['d']}")
        lines.append((*what, *map(str, counts), *figures, "yes" if run["warned"] else "no"))
    return lines


def overhead_table(results):
    """Tabulate the wall time of all pairs for every way."""
    cell = results["cases"].get("overhead")
    if cell is None:
        return []
    seconds = cell["seconds"]
    ratios = ("median ratio", "least ratio", "most", "goal", "verdict")
    lines = [("all pairs by", "median wall s", "fastest", "slowest", *ratios)]
    for name, times in seconds.items():
        ratio = median_ratio(times, seconds[BARE])
        goal = None if results["quick"] else OVERHEAD.get(name)
        judged = ("-", "-") if goal is None else (f"<= {goal}", verdict(met=ratio[0] <= goal))
        figures = (sorted(times)[len(times) // 2], min(times), max(times), *ratio)
        lines.append((name, *[f"{figure:.3g}" for figure in figures], *judged))
    return lines


def overhead_notes(results):
    """Describe what all ways computed."""
    cell = results["cases"].get("overhead")
    if cell is None:
        return []
    n, d = cell["shape"]
    about = f"{cell['pairs']} pairs of the classes of {n} x {d} rows, {cell['edges']} edges across; two workers, warm"
    return [f"{about}; {len(cell['seconds'][BARE])} rounds in turn, ratios within a round"]


def model_tables(results):
    """Tabulate coefficients, errors on fitted and held-out runs, and predictions for unmeasured sizes."""
    found = results["cases"].get("derived", {}).get("model")
    if found is None:
        return {}
    if results["quick"]:
        return {"model, errors": _error_table(found["errors"])}
    held_out = [one for one in found["errors"] if one["held_out"]]
    return {
        "model, terms": _coefficient_table(found["fits"]),
        "model, errors": _error_table(found["errors"]),
        "model, held out": [line for one in held_out for line in _held_out_table(one)],
        "model, far": _far_table(found["far"]),
    }


def _coefficient_table(fits):
    """Tabulate coefficients; stage seconds are worker seconds, divided by the number of busy workers."""
    lines = [("what", "term", *[f"d = {d}" for d in fits])]
    for part in ("stages", "alone", "counts", "bytes"):
        for name in fits["2"][part]:
            label = f"driver alone: {name}" if part == "alone" else name
            for term in dict.fromkeys(term for one in fits.values() for term in one[part][name]):
                values = [one[part][name].get(term, 0.0) for one in fits.values()]
                lines.append((label, term, *[f"{value:.3g}" for value in values]))
    return lines


def _error_table(errors):
    lines = [("run", "used", "blocks", "workers", "measured s", "model s", "error")]
    for one in errors:
        real, made = one["seconds"]
        what = (f"{one['n']} x {one['d']}", "held out" if one["held_out"] else "fitted")
        sizes = (str(one["blocks"]), str(one["workers"]))
        lines.append((*what, *sizes, f"{real:.1f}", f"{made:.1f}", f"{made / real - 1:+.0%}"))
    return lines


def _held_out_table(one):
    lines = [(f"held out: {one['n']} x {one['d']}", "unit", "measured", "model", "error")]
    alone = {f"driver alone: {part}": pair for part, pair in one["alone"].items()}
    for name, pair in {**one["stages"], **alone}.items():
        lines.append(_pair_cells(name, "s", *pair))
    lines += [_pair_cells(name, "", *one["counts"][name]) for name in COUNTS]
    lines += [_pair_cells(name, "GB", *[value / 1e9 for value in pair]) for name, pair in one["bytes"].items()]
    return lines


def _pair_cells(name, unit, real, made):
    return name, unit, f"{real:.4g}", f"{made:.4g}", f"{made / real - 1:+.0%}"


def _far_table(far):
    """Tabulate predictions for 2 dimensions and three trees, if memory and storage had no limit."""
    head = ("rows", "worker GB", "workers", "hours", "in tasks", "driver alone", "blocks", "pairs", "joins")
    lines = [(*head, "written TB", "store TB", "read TB", "driver's own GB", "mapped GB")]
    for one in far:
        alone = sum(one["alone"][part] for part in ALONE) / 3600
        hours = (one["seconds"] / 3600, one["seconds"] / 3600 - alone, alone)
        lines.append(
            (
                f"{one['n']:.0e}".replace("e+0", "e"),
                f"{one['memory'] / 1e9:g}",
                str(one["workers"]),
                *[f"{figure:.2f}" for figure in hours],
                str(one["blocks"]),
                f"{one['pairs']:.3g}",
                f"{one['joins']:.3g}",
                *[f"{one[name] / 1e12:.3g}" for name in ("written", "store_most", "read")],
                *[f"{one[name] / 1e9:.3g}" for name in ("driver_own", "driver_mapped")],
            )
        )
    return lines
