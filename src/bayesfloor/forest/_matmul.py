"""Nearest strangers by matrix products: for many dimensions.

|x - y|^2 = |x|^2 + |y|^2 - 2 x.y, so BLAS finds candidates in single precision and everything that
is kept is measured again exactly. The rounding is bounded (Higham 2002, section 3.1), which gives
each list a certified reach: what is not listed is at least that far away.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._edge_order import Numbers
from bayesfloor.forest._jit import kernel
from bayesfloor.forest._vertices import Vertices

Approx = NDArray[Any]  # float32, or float64 where single precision cannot tell neighbours apart

_SAMPLE = 64  # rows looked at to choose the precision
_BLURRED = 0.05  # margin over distance from which double precision pays
STRIP = 64  # products held against a limit before any is looked at singly


class Rough(NamedTuple):
    """Centred rows of low precision and how far a squared length from them can be off."""

    rows: Approx
    square: Approx
    unit: float  # squared lengths here times this are squared lengths of the vertices
    norm: Floats
    loss: float  # error of a squared length, over (norm + norm) ** 2

    def margin(self, i: Any) -> Any:
        """The most by which a squared length at row ``i`` can be off, in the units used here."""
        return self.loss * (self.norm[i] + self.norm.max()) ** 2


def round_rows(x: Floats, dtype: DTypeLike) -> Rough:
    """Centre and scale rows to norm 1 at most, then round them to ``dtype``."""
    centred = x - x.mean(axis=0)
    norm = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    exponent = int(np.frexp(norm.max())[1]) if norm.max() > 0 else 0
    rows = np.ldexp(centred, -exponent).astype(dtype)
    square = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    unit, half = np.finfo(dtype).eps / 2, x.shape[1] / 2
    # d/2 for the product, 8 for rounding the rows and their squares and for the three additions;
    # centring is off by a rounding of the largest value, which an offset makes large.
    offset = np.abs(x).max() * np.sqrt(x.shape[1]) * 2.0**-exponent * 2.0**-51
    loss = unit * (half + 8) + 4 * offset
    return Rough(rows, square.astype(dtype), 4.0**exponent, np.ldexp(norm, -exponent), loss)


def choose_rough(vertices: Vertices, m: int) -> Rough:
    """Single precision, unless it blurs the distances to the m nearest (a large offset, say)."""
    rough = round_rows(vertices.x, np.float32)
    sample = np.unique(np.linspace(0, len(vertices) - 1, _SAMPLE).astype(np.int64))
    near = rough.square[sample, None] + rough.square - 2 * rough.rows[sample] @ rough.rows.T
    near = np.partition(near, min(m, len(vertices) - 1), axis=1)[:, min(m, len(vertices) - 1)]
    if np.median(rough.margin(sample) / np.maximum(near, np.finfo(np.float32).tiny)) > _BLURRED:
        rough = round_rows(vertices.x, np.float64)
    return rough


@kernel
def push_rows(
    product: Approx,
    square_row: Approx,
    square_column: Approx,
    row: Numbers,
    column: Numbers,
    label: Numbers,
    group: Ints,
    squared: Approx,
    other: Numbers,
) -> None:
    """Sort the block's products into the short lists of its rows.

    Products come as (rows, strips, STRIP): a whole strip is held against the limit in a few vector
    operations, and only one with something in it is looked at singly.
    """
    two, m, grouped = square_row.dtype.type(2.0), squared.shape[1], len(group) > 0
    for i in range(product.shape[0]):
        mine, limit = square_row[i], squared[i, m - 1] - square_row[i]
        for strip in range(product.shape[1]):
            hit = False
            for c in range(STRIP):
                hit |= square_column[strip, c] - two * product[i, strip, c] < limit
            if not hit:
                continue
            for c in range(STRIP):
                if square_column[strip, c] - two * product[i, strip, c] < limit:
                    u, v = row[i], column[strip * STRIP + c]
                    if label[u] == label[v] or (grouped and group[u] == group[v]):
                        continue
                    length, p = mine + (square_column[strip, c] - two * product[i, strip, c]), m - 1
                    while p > 0 and length < squared[i, p - 1]:
                        squared[i, p], other[i, p] = squared[i, p - 1], other[i, p - 1]
                        p -= 1
                    squared[i, p], other[i, p] = length, v
                    limit = squared[i, m - 1] - mine


@kernel
def push_columns(
    product: Approx,
    square_row: Approx,
    square_column: Approx,
    row: Numbers,
    column: Numbers,
    label: Numbers,
    group: Ints,
    squared: Approx,
    other: Numbers,
    limit: Approx,
) -> None:
    """Sort the block's products into the short lists of its columns: each product serves twice."""
    two, m, grouped = square_row.dtype.type(2.0), squared.shape[1], len(group) > 0
    for i in range(product.shape[0]):
        mine = square_row[i]
        for strip in range(product.shape[1]):
            hit = False
            for c in range(STRIP):
                hit |= mine + (square_column[strip, c] - two * product[i, strip, c]) < limit[strip, c]
            if not hit:
                continue
            for c in range(STRIP):
                length = mine + (square_column[strip, c] - two * product[i, strip, c])
                if length < limit[strip, c]:
                    j = strip * STRIP + c
                    u, v, p = row[i], column[j], m - 1
                    if label[u] == label[v] or (grouped and group[u] == group[v]):
                        continue
                    while p > 0 and length < squared[j, p - 1]:
                        squared[j, p], other[j, p] = squared[j, p - 1], other[j, p - 1]
                        p -= 1
                    squared[j, p], other[j, p] = length, u
                    limit[strip, c] = squared[j, m - 1]
