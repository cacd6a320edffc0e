"""Rows for LightGBM: each piece of a table is read when its bins are made, and forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.support._errors import MissingPackageError

if TYPE_CHECKING:
    from bayesfloor.io._all_rows import Rows


def load_lightgbm() -> Any:
    """Import LightGBM, which takes a second or two."""
    try:
        import lightgbm
    except ImportError as error:
        raise MissingPackageError(
            'Learners that see all rows need LightGBM: pip install "bayesfloor[large]", or leave out rows.'
        ) from error
    return lightgbm


def pieces(
    lightgbm: Any,
    rows: Rows,
    low: float,
    high: float,
    told: Callable[[str, int, int], None],
    some: range | None = None,
) -> Iterator[Any]:
    """Yield the rows of each piece in this range: LightGBM reads a piece when it makes its bins, and forgets it."""

    class Piece(lightgbm.Sequence):  # type: ignore[misc]
        def __init__(self, number: int, n: int, before: int) -> None:
            self.number, self.n, self.before, self.batch_size = number, n, before, max(1, n)

        def __len__(self) -> int:
            return self.n

        def __getitem__(self, some: Any) -> np.ndarray:
            found = rows.read(self.number, low, high)[some]
            told("reading", self.before + self.n, rows.n)
            return found

    ends = np.cumsum(rows.pieces)
    for number in range(len(ends)) if some is None else some:
        inside = len(rows.chosen(number, low, high))
        if inside:
            yield Piece(number, inside, int(ends[number] - rows.pieces[number]))
