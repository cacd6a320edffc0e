"""Nearest-stranger search with matrix products, for many dimensions.

|x - y|^2 = |x|^2 + |y|^2 - 2 x.y, so BLAS finds candidates in single precision, and the candidates
that are kept are measured again exactly. The rounding error is bounded (Higham 2002, section 3.1),
which gives each list a certified reach: every vertex not listed is at least that far away.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bayesfloor.engine._types import Floats, Ints
from bayesfloor.forest._edge_order import Numbers
from bayesfloor.forest._jit import kernel
from bayesfloor.forest._vertices import Vertices

Approx = NDArray[Any]  # float32, or float64 if single precision cannot distinguish neighbours

_SAMPLE = 64  # number of rows used to choose the precision
_BLURRED = 0.05  # ratio of margin to distance above which double precision pays off
STRIP = 64  # products to compare with a limit at once, before examining each of them


class Rough(NamedTuple):
    """Centred rows in low precision, and the largest error in the squared lengths computed from them."""

    rows: Approx
    square: Approx
    unit: float  # factor from squared lengths here to squared lengths of the vertices
    norm: Floats
    loss: float  # error of a squared length, divided by (norm + norm) ** 2

    def margin(self, i: Any) -> Any:
        """Return the largest error of a squared length at row ``i``, in the units used here."""
        return self.loss * (self.norm[i] + self.norm.max()) ** 2


def round_rows(x: Floats, dtype: DTypeLike) -> Rough:
    """Centre rows and scale them to a norm of at most 1, then round them to ``dtype``."""
    centred = x - x.mean(axis=0)
    norm = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    exponent = int(np.frexp(norm.max())[1]) if norm.max() > 0 else 0
    rows = np.ldexp(centred, -exponent, out=centred).astype(dtype, copy=False)
    square = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    unit, half = np.finfo(dtype).eps / 2, x.shape[1] / 2
    # d/2 for the product, and 8 for rounding the rows and their squares and for the three additions.
    # The error of centring is a rounding error of the largest value, which is large if the data have an offset.
    offset = max(x.max(), -x.min()) * np.sqrt(x.shape[1]) * 2.0**-exponent * 2.0**-51
    loss = unit * (half + 8) + 4 * offset
    return Rough(rows, square.astype(dtype), 4.0**exponent, np.ldexp(norm, -exponent), loss)


def choose_rough(vertices: Vertices, m: int) -> Rough:
    """Choose single precision, unless it blurs distances to the m nearest neighbours (as with a large offset)."""
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
    """Insert the block's products into the short lists of its rows.

    Products have the shape (rows, strips, STRIP): a few vector operations compare a whole strip with the
    limit, and only strips with a hit are examined one product at a time.
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
    """Insert the block's products into the short lists of its columns, so that each product is used twice."""
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
