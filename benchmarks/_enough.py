"""How few rows are enough: the fraction of cross-class edges in subsamples and in all rows, each with its interval.

``python -m benchmarks._enough`` prints the table of ``docs/scale.md``. All 4,000,000 rows take about 4 GB of memory.
"""

import time
import warnings

import numpy as np

from bayesfloor import BayesFloor
from benchmarks._data import SEED

_APART = 2.0  # distance between two normal classes: Bayes error 15.9 %
_N = 4_000_000
_SIZES = (3_125, 12_500, 50_000, 200_000, 800_000)  # subsampled rows


def measure_enough(n, sizes):
    """Compute the tree bounds of subsamples and of all rows, of two normal classes in the plane."""
    rng, fits = np.random.default_rng(SEED), []
    y = rng.integers(0, 2, n)
    X = rng.standard_normal((n, 2)) + np.outer(y, [_APART, 0])
    for size in (*sizes, None):
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # subsampling is intended here
            floor = BayesFloor(n_jobs=2, scale=None, interval="fast", target_width=None, max_rows=size).fit(X, y)
        fits.append({"floor": floor.overall_, "seconds": time.perf_counter() - start})
    return fits


def format_enough(fits):
    lines = ["| rows | cross-class edges | 95 % interval | tree bounds | seconds |", "|---:|---:|---|---|---:|"]
    for fit in fits:
        found = fit["floor"]
        low, high = found.interval()
        lines.append(
            f"| {found.n_rows:,} | {100 * found.cross_rate:.2f} % | {100 * low:.2f} to {100 * high:.2f} % "
            f"| {100 * found.lower:.2f} to {100 * found.upper:.2f} % | {fit['seconds']:.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(format_enough(measure_enough(_N, _SIZES)))
