"""Growing samples, each among the next: what is poor shows on few rows."""

from __future__ import annotations

import warnings

import numpy as np

from bayesfloor.engine._types import Ints
from bayesfloor.floor._sample import Sample, SampledRowsWarning, draw_rows


def draw_most(sample: Sample, max_rows: int | None, rng: np.random.Generator, stacklevel: int) -> Sample:
    """The sample, or about so many rows of it, which is said to the caller so many frames up."""
    if max_rows is None or len(sample) <= max_rows:
        return sample
    drawn = sample.take(draw_rows(sample, max_rows, rng))
    message = f"{len(drawn)} of {len(sample)} rows are used: max_rows asks for it. None uses all."
    warnings.warn(SampledRowsWarning(message), stacklevel=stacklevel)
    return drawn


def round_sizes(sample: Sample, fewest: int, most_rounds: int) -> list[int]:
    """Rows of each round, twice as many from one to the next and all in the last; none below ``fewest``.

    Of few groups none can be spared.
    """
    n_rows, few = len(sample), len(np.unique(sample.cluster)) < min(len(sample), fewest)
    sizes = [] if few else [n_rows >> back for back in range(most_rounds - 1, 0, -1)]
    return [size for size in sizes if size >= fewest] + [n_rows]


def nested_units(sample: Sample, sizes: list[int], rng: np.random.Generator) -> list[Ints]:
    """Units of each round, those of a round among those of the next."""
    units: list[Ints] = [np.arange(len(sample))]
    for size in sizes[-2::-1]:
        units.append(units[-1][draw_rows(sample.take(units[-1]), size, rng)])
    return units[::-1]
