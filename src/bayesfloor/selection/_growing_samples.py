"""Draw nested samples of growing size, so that poor candidates can be dropped after few rows."""

from __future__ import annotations

import warnings

import numpy as np

from bayesfloor.engine._types import Ints
from bayesfloor.floor._sample import Sample, SampledRowsWarning, draw_rows


def draw_most(sample: Sample, max_rows: int | None, rng: np.random.Generator, stacklevel: int) -> Sample:
    """Subsample to about ``max_rows`` rows if there are more, and warn ``stacklevel`` frames up."""
    if max_rows is None or len(sample) <= max_rows:
        return sample
    drawn = sample.take(draw_rows(sample, max_rows, rng))
    message = f"Using {len(drawn):,} of {len(sample):,} rows because of max_rows. Pass max_rows=None to use all rows."
    warnings.warn(SampledRowsWarning(message), stacklevel=stacklevel)
    return drawn


def round_sizes(sample: Sample, fewest: int, most_rounds: int) -> list[int]:
    """Return the number of rows per round: at least ``fewest``, doubling each time, all rows in the last.

    With few groups, there is only the round with all rows.
    """
    n_rows, few = len(sample), len(np.unique(sample.cluster)) < min(len(sample), fewest)
    sizes = [] if few else [n_rows >> back for back in range(most_rounds - 1, 0, -1)]
    return [size for size in sizes if size >= fewest] + [n_rows]


def nested_units(sample: Sample, sizes: list[int], rng: np.random.Generator) -> list[Ints]:
    """Return the units of each round; each round contains those of the round before."""
    units: list[Ints] = [np.arange(len(sample))]
    for size in sizes[-2::-1]:
        units.append(units[-1][draw_rows(sample.take(units[-1]), size, rng)])
    return units[::-1]
