"""How few rows are enough: the fraction of cross-class edges in subsamples and in all rows, each with its interval."""

import time
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import norm

from benchmarks._beyond import FILES, small_cluster, write_parts
from benchmarks._data import SEED

_APART = 2.0  # distance between two normal classes: Bayes error 15.9 %


def make_labelled(folder, n):
    """Return the folder of Parquet files with rows of two classes; make it if it does not exist."""
    return write_parts(Path(folder) / f"labelled-{n}", _two_classes(n))


def _two_classes(n):
    rng = np.random.default_rng(SEED)
    for _ in range(FILES):
        label = rng.integers(0, 2, n // FILES)
        X = rng.standard_normal((n // FILES, 2))
        yield {"x0": X[:, 0] + _APART * label, "x1": X[:, 1], "label": label}


def measure_enough(folder, n, sizes, memory):
    """Compute the floors of subsamples and of all rows."""
    place, found = str(make_labelled(folder, n)), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # subsampling is intended here
        found.extend(_fit(place, max_rows=size, target_width=None) for size in sizes)
        with small_cluster(2, memory) as client:
            found.append(_fit(place, client, target_width=None))
    return {"bayes_error": float(norm.cdf(-_APART / 2)), "fits": found, "rows": []}


def _fit(place, client=None, **options):
    from bayesfloor import BayesFloor

    start = time.perf_counter()
    floor = BayesFloor(scale=None, interval="fast", **options).fit(place, "label", client=client)
    whole = floor.overall_
    return {
        "rows": whole.n_rows,
        "cross_rate": whole.cross_rate,
        "interval": [float(end) for end in whole.interval()],
        "lower": whole.lower,
        "upper": whole.upper,
        "seconds": time.perf_counter() - start,
        "work": "" if floor.work_ is None else str(floor.work_),
    }


def enough_table(results):
    """Return one line per fit, with whether its interval contains the value for all rows."""
    cell = results["cases"].get("enough")
    if cell is None:
        return []
    whole = cell["fits"][-1]
    lines = [
        ("rows", "cross-class edges", "95 % interval", "width", "contains the full value", "lower", "upper", "wall s")
    ]
    for fit in cell["fits"]:
        low, high = fit["interval"]
        holds = "-" if fit is whole else "yes" if low <= whole["cross_rate"] <= high else "no"
        share, interval = f"{fit['cross_rate']:.4f}", f"{low:.4f} to {high:.4f}"
        bounds = (f"{fit['lower']:.4f}", f"{fit['upper']:.4f}")
        lines.append((str(fit["rows"]), share, interval, f"{high - low:.4f}", holds, *bounds, f"{fit['seconds']:.1f}"))
    return lines


def enough_notes(results):
    """Return the Bayes error, and how all rows were processed."""
    cell = results["cases"].get("enough")
    if cell is None:
        return []
    work = cell["fits"][-1]["work"]
    return [f"Bayes error {cell['bayes_error']:.4f}", f"all rows: {work}"]
