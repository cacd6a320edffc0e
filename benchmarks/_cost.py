"""A cost model for forests of data that do not fit in memory: linear terms fitted to runs, and its predictions.

A stage of tasks takes its work divided by the number of busy workers; the driver's own work takes the same time
with any number of workers. Both are sums of a few terms with non-negative coefficients, fitted by least squares
of errors relative to the whole run. Each dimension is fitted separately, because it changes all coefficients.
"""

import math
from types import SimpleNamespace

import numpy as np

from benchmarks._beyond import N_TREES, STAGES

TERMS = {  # terms for the seconds of each stage, times the number of busy workers
    "looking at rows": ("rows", "blocks"),
    "sorting rows": ("rows", "rows x log2 blocks"),
    "blocks": ("rows", "blocks^2"),
    "ranks": ("rows", "ranges x blocks"),
    "ranks of blocks": ("rows", "ranges x blocks"),
    "joins": ("joins", "joins x rows of a block"),
    "edges": ("rows", "lists x blocks"),
}
ALONE = {  # terms for the driver's own seconds
    "settling": ("rounds x loose", "rounds x joined"),
    "reading": ("rows", "blocks"),
    "the rest": ("blocks", "pairs"),
}
COUNTS = {  # each may use the counts before it
    "joined": ("near pairs", "pairs"),
    "joins": ("joined",),
    "rounds": ("one", "joins of a block"),
    "loose": ("rows at borders",),
}
BYTES = {
    "written": ("rows", "loose"),
    "store_most": ("rows", "loose"),
    "driver_own": ("one", "loose", "pairs"),
    "driver_mapped": ("one", "rows"),
}
FAR = (100_000_000, 1_000_000_000)  # rows
WORKERS = (2, 16, 128)
MEMORIES = (500_000_000, 2_000_000_000)  # bytes per worker

_TASKS = {"ranks": "ranges", "edges": "lists", "joins": "joins"}  # the other stages have one task per block
_NEAR = 4  # pairs per block: in two dimensions a block has about 8 neighbours, however many blocks there are
_SINGLE = 8  # bytes per number


# Runs as the model sees them


def describe(run):
    """Describe a run by the sizes and counts that terms are made of."""
    tasks = {stage: run["stages"][stage]["tasks"] for stage in _TASKS}
    return {
        "n": run["n"],
        "d": run["d"],
        "workers": run["workers"],
        "blocks": run["blocks"],
        "pairs": run["pairs"],
        "joined": run["joined"],
        "loose": run["loose"],
        "rounds": run["stages"]["joins"]["rounds"],
        **{name: tasks[stage] for stage, name in _TASKS.items()},
    }


def terms_of(size):
    """Compute all terms of a run."""
    n, blocks = size["n"], size["blocks"]
    joined, joins, rounds, loose = (size.get(name, 0) for name in COUNTS)
    return {
        "one": 1.0,
        "rows": n,
        "blocks": blocks,
        "pairs": size["pairs"],
        "near pairs": min(size["pairs"], _NEAR * blocks),
        "rows x log2 blocks": n * math.log2(max(2, blocks)),
        "blocks^2": blocks**2,
        "ranges x blocks": size["ranges"] * blocks,
        "lists x blocks": size["lists"] * blocks,
        "joined": joined,
        "joins": joins,
        "joins of a block": joins / blocks,
        "joins x rows of a block": joins * n / blocks,
        "loose": loose,
        "rounds x loose": rounds * loose,
        "rounds x joined": rounds * joined,
        "rows at borders": n * (blocks / n) ** (1 / size["d"]),
    }


def busy(tasks, workers):
    """Return the mean number of busy workers, if all tasks take equally long."""
    return tasks / math.ceil(tasks / workers)


def tasks_of(stage, size):
    """Return the number of tasks of a stage; joins come in rounds."""
    return size[_TASKS[stage]] if stage in _TASKS else size["blocks"]


def measured(run):
    """Return the seconds of each stage and of the driver alone."""
    alone = dict(run["alone"])
    own = {"settling": alone.pop("joins"), "reading": alone.pop("edges"), "the rest": sum(alone.values())}
    return {stage: run["stages"][stage]["seconds"] for stage in TERMS}, own


# Fit


def fit_terms(names, terms, values, weights):
    """Fit non-negative coefficients for these terms."""
    from scipy.optimize import nnls

    table = np.array([[term[name] for name in names] for term in terms], dtype=float)
    scale = np.abs(table).max(axis=0)
    found = nnls(table / scale * np.array(weights)[:, None], np.array(values) * weights)[0] / scale
    return dict(zip(names, found.tolist(), strict=True))


def fit(runs):
    """Fit all coefficients to the runs of one dimension."""
    sizes = [describe(run) for run in runs]
    terms, times = [terms_of(size) for size in sizes], [measured(run) for run in runs]
    whole = [1 / run["seconds"] for run in runs]
    stages = {}
    for stage, names in TERMS.items():
        work = [
            found[stage] * busy(tasks_of(stage, size), size["workers"])
            for (found, _), size in zip(times, sizes, strict=True)
        ]
        stages[stage] = fit_terms(names, terms, work, whole)
    alone = {part: fit_terms(names, terms, [own[part] for _, own in times], whole) for part, names in ALONE.items()}
    counts = {
        name: _fit_relative(count_terms(name, sizes[0]["d"]), terms, [size[name] for size in sizes]) for name in COUNTS
    }
    volumes = {
        name: _fit_relative(names, terms, [bytes_of(run)[name] for run in runs]) for name, names in BYTES.items()
    }
    return {"stages": stages, "alone": alone, "counts": counts, "bytes": volumes}


def count_terms(name, d):
    """Return the terms of a count: in two dimensions pairs are uninformative, since most are far apart."""
    return COUNTS[name][:1] if name == "joined" and d == 2 else COUNTS[name]


def _fit_relative(names, terms, values):
    return fit_terms(names, terms, values, [1 / value for value in values])


def bytes_of(run):
    """Return the byte counts of a run that the model describes."""
    driver = run["driver"]
    volumes = {"written": run["written"], "store_most": run["store_most"]}
    return {**volumes, "driver_own": driver["own"], "driver_mapped": driver["mapped"]}


# Prediction


def plan(n, d, memory, block_rows=None):
    """Return the blocks, ranges and lists that the package would currently choose."""
    from bayesfloor.leaving.forest_out_of_core import _EDGE, _RANKED, _block_rows, _working

    runner = SimpleNamespace(memory=memory)
    rows, working = SimpleNamespace(shape=(n, d)), _working(runner)
    blocks = max(1, -(-n // (block_rows or _block_rows(rows, N_TREES, runner))))
    return {
        "n": n,
        "d": d,
        "blocks": blocks,
        "pairs": blocks * (blocks - 1) // 2,
        "ranges": max(1, int(n * _RANKED * (d + 6) / working)),
        "lists": max(1, int(N_TREES * (n - 1) * _EDGE / working)),
    }


def predict(model, n, d, memory, workers, block_rows=None):
    """Predict the seconds of each stage and of the driver alone, and the counts and bytes of a run."""
    size = {**plan(n, d, memory, block_rows), "workers": workers}
    for name, coefficients in model["counts"].items():
        size[name] = _sum(coefficients, terms_of(size))
        if name == "joined":
            size[name] = min(size[name], size["pairs"])
    terms = terms_of(size)
    stages = {
        stage: _sum(coefficients, terms) / busy(math.ceil(tasks_of(stage, size)), workers)
        for stage, coefficients in model["stages"].items()
    }
    alone = {part: _sum(coefficients, terms) for part, coefficients in model["alone"].items()}
    volumes = {name: _sum(coefficients, terms) for name, coefficients in model["bytes"].items()}
    seconds = sum(stages.values()) + sum(alone.values())
    return {**size, "stages": stages, "alone": alone, **volumes, "read": bytes_read(size), "seconds": seconds}


def _sum(coefficients, terms):
    return sum(value * terms[name] for name, value in coefficients.items())


def bytes_read(size):
    """Predict the bytes that tasks read, from the file layout; most come from the system's cache if it has room.

    The edges of a list have ends all over every block, so all keys and ranks are read for each list.
    """
    n, d, edges = size["n"], size["d"], N_TREES * size["n"]
    row = _SINGLE * (d + 1)  # the numbers of a row, plus one: its position, its key, or its path to the core
    joined_rows = 2 * size["joins"] * n / size["blocks"]
    return (
        2 * _SINGLE * d * n  # the input, read once to inspect it and once to sort it
        + 2 * row * n  # blocks and ranks
        + _SINGLE * n  # ranks of blocks
        + row * joined_rows
        + size["rounds"] * edges  # flags of certain edges
        + (4 + 4 + 8 + 1 + 1) * edges  # edges of blocks
        + size["lists"] * 2 * _SINGLE * n
        + (3 * _SINGLE + 1) * edges  # the lists
        + (2 * _SINGLE + 4) * n  # the vertex of each row
    )


# Together


def build_model(runs, held_out):
    """Fit by dimension; return the errors on fitted and held-out runs, and predictions for unmeasured sizes."""
    models = {str(d): fit([run for run in runs if run["d"] == d]) for d in sorted({run["d"] for run in runs})}
    errors = [_compare(models[str(run["d"])], run, held_out=False) for run in runs]
    errors += [_compare(models[str(run["d"])], run, held_out=True) for run in held_out]
    far = [
        {"memory": memory, **predict(models["2"], n, 2, memory, workers)}
        for memory in MEMORIES
        for n in FAR
        for workers in WORKERS
    ]
    return {"fits": models, "errors": errors, "far": far}


def _compare(model, run, *, held_out):
    made = predict(model, run["n"], run["d"], run["memory"], run["workers"], run["block_rows"])
    times, own = measured(run)
    volumes = bytes_of(run)
    return {
        "n": run["n"],
        "d": run["d"],
        "blocks": run["blocks"],
        "workers": run["workers"],
        "held_out": held_out,
        "seconds": [run["seconds"], made["seconds"]],
        "stages": {stage: [times[stage], made["stages"][stage]] for stage in STAGES},
        "alone": {part: [own[part], made["alone"][part]] for part in ALONE},
        "counts": {name: [describe(run)[name], made[name]] for name in COUNTS},
        "bytes": {name: [volumes[name], made[name]] for name in BYTES},
    }
