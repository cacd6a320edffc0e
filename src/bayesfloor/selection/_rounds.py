"""Growing samples, each among the next: what is poor shows on few rows."""

from __future__ import annotations

import numpy as np

from bayesfloor.counts._labels import Ints
from bayesfloor.floor._sample import Sample, draw_rows


def round_sizes(n_rows: int, fewest: int, most_rounds: int) -> list[int]:
    """Rows of each round, twice as many from one to the next and all in the last; none below ``fewest``."""
    sizes = [n_rows >> back for back in range(most_rounds - 1, 0, -1)]
    return [size for size in sizes if size >= fewest] + [n_rows]


def nested_units(sample: Sample, sizes: list[int], rng: np.random.Generator) -> list[Ints]:
    """Units of each round, those of a round among those of the next."""
    units: list[Ints] = [np.arange(len(sample))]
    for size in sizes[-2::-1]:
        units.append(units[-1][draw_rows(sample.take(units[-1]), size, rng)])
    return units[::-1]
