"""The one strict order of edges.

Edges are ordered by squared length, then by a symmetric hash of the content of their two rows, then by
the rows themselves. Row numbers play no part, so every subset and every block of rows orders its edges
in the same way. This is why forests can be composed (see ``_class_forests``). The hash keeps ties fair:
an order by row number would favour edges inside a class if the data are sorted by class.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesfloor.io._data import unmask
from bayesfloor.io._labels import read_groups
from bayesfloor.support._errors import InputError, InputTypeError
from bayesfloor.support._types import Floats, Ints

Keys = NDArray[np.uint64]
Numbers = NDArray[np.int32]  # vertex numbers, as the kernels store them

# The finaliser of SplitMix64 (Steele, Lea & Flood 2014).
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_FACTOR_1, _FACTOR_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def scramble(z: Keys) -> Keys:
    """Spread the bits of ``z`` over the whole word; the mapping is one to one."""
    z = (z ^ (z >> _SHIFT_1)) * _FACTOR_1
    z = (z ^ (z >> _SHIFT_2)) * _FACTOR_2
    return z ^ (z >> _SHIFT_3)


def pair_hash(key_a: Keys, key_b: Keys) -> Keys:
    """Return a symmetric hash of two rows' keys; the kernels compile this same function."""
    z = key_a + key_b
    z = (z ^ (z >> _SHIFT_1)) * _FACTOR_1
    z = (z ^ (z >> _SHIFT_2)) * _FACTOR_2
    return z ^ (z >> _SHIFT_3)


def sort_edges(a: Numbers, b: Numbers, squared: Floats, key: Keys, rank: Ints) -> Ints:
    """Return the positions that put the edges in the strict order.

    The rank of a vertex in content order replaces the content of its row.
    """
    order, tied = sort_words(squared.view(np.uint64))  # nonnegative floats have the same order as their bits
    if tied.size:
        edge = order[tied]
        order[tied] = _sort_tied(edge[np.argsort(squared[edge], kind="stable")], a, b, squared, key, rank)
    return order


def sort_words(words: Keys) -> tuple[Ints, Ints]:
    """Return the positions that sort the words by their leading bits, and the positions that these bits leave tied.

    The position of each word replaces its last bits, because sorting plain numbers is several times as fast as
    sorting positions by key.
    """
    bits = np.uint64(len(words).bit_length())
    packed = (words >> bits << bits) | np.arange(len(words), dtype=np.uint64)
    packed.sort()
    order = (packed & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)
    return order, tied_positions(packed >> bits)


def _sort_tied(edge: Ints, a: Numbers, b: Numbers, squared: Floats, key: Keys, rank: Ints) -> Ints:
    """Sort edges by length, hash and rank; they must already be in order of length.

    Sorting by one word, made of the rank of the length and the leading bits of the hash, is ten times
    as fast as sorting by several keys. The few edges that it leaves tied are sorted by all keys.
    """
    hashed = pair_hash(key[a[edge]], key[b[edge]])
    word = front_word(squared[edge], hashed)
    order = np.argsort(word)
    left = tied_positions(word[order])
    if left.size:
        rest = order[left]
        one, two = rank[a[edge[rest]]], rank[b[edge[rest]]]
        low, high = np.minimum(one, two), np.maximum(one, two)
        order[left] = rest[np.lexsort((high, low, hashed[rest], squared[edge[rest]]))]
    return edge[order]


def front_word(ascending: NDArray[np.generic], second: Keys) -> Keys:
    """Return words to sort by: the rank of each distinct ascending value, then the leading bits of ``second``."""
    new = np.ones(len(ascending), dtype=np.uint64)
    new[1:] = ascending[1:] != ascending[:-1]
    run = np.cumsum(new, dtype=np.uint64)
    bits = np.uint64(int(run[-1]).bit_length())
    return (run << (np.uint64(64) - bits)) | (second >> bits)


def tied_positions(ascending: NDArray[np.generic]) -> Ints:
    """Return the positions whose value equals a neighbour's."""
    same = np.zeros(len(ascending) + 1, dtype=bool)
    np.equal(ascending[1:], ascending[:-1], out=same[1:-1])
    return np.flatnonzero(same[1:] | same[:-1])


_EXPONENT_SHIFT = np.uint64(52)
_EXPONENT_MASK = np.uint64(0x7FF)
_EXPONENT_TOP = np.uint64(53)  # moves the eleven bits of an exponent to the front
_NOT_ZERO = np.uint64(0x5851F42D4C957F2D)  # added so that a power of two does not look like zero
_COLUMN_STEP = np.uint64(0x9E3779B97F4A7C15)
_EXPONENT_OF_ZERO = -1100
_HASHED_AT_ONCE = 1 << 18  # values; keeps the temporaries of the hash inside the cache


@dataclass(frozen=True, eq=False)
class Vertices:
    """Distinct rows.

    Attributes
    ----------
    x : (m, d) rows, scaled by ``2 ** -exponent`` so that squares neither overflow nor vanish.
    key : (m,) hash of each row's content.
    rank : (m,) position in content order; equal to the vertex number unless the vertices were reordered.
    group : (m,) group of each vertex, or empty if any two vertices may be joined.
    exponent : the power of two that was divided out.
    """

    x: Floats
    key: Keys
    rank: Ints
    group: Ints
    exponent: int

    def __len__(self) -> int:
        return len(self.x)

    def take(self, numbers: Ints) -> Vertices:
        """Return these vertices, renumbered in the given order."""
        group = self.group[numbers] if len(self.group) else self.group
        return Vertices(self.x[numbers], self.key[numbers], self.rank[numbers], group, self.exponent)


def find_vertices(X: ArrayLike, groups: ArrayLike | None = None) -> tuple[Vertices, Ints]:
    """Find the distinct rows of ``X`` (in each group) in content order, and the vertex of every row."""
    rows = check_rows(X)
    key, exponent = row_keys(rows)
    group: Ints = np.empty(0, dtype=np.int64)
    if groups is not None:
        labels, group = read_groups(groups, len(rows))
        key = scramble(key + label_keys(labels)[group])
    first, vertex = _number_rows(rows, key, exponent, group)
    scale = largest_exponent(max(rows.max(), -rows.min()))
    group = group[first] if len(group) else group
    x = rows[first]
    return Vertices(np.ldexp(x, -scale, out=x), key[first], np.arange(len(first)), group, scale), vertex


def _number_rows(rows: Floats, key: Keys, exponent: Keys, group: Ints) -> tuple[Ints, Ints]:
    """Return one row for each distinct content, in content order, and each row's content number."""
    order = _content_order(rows, key, exponent, group)
    new = _starts(rows, key, group, order)
    number = np.empty(len(rows), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return order[new], number


def check_rows(X: ArrayLike) -> Floats:
    """Return ``X`` as a C-ordered float64 matrix of finite numbers, or raise an error that says why not."""
    if hasattr(X, "toarray"):
        raise InputTypeError(
            f"Got a sparse {type(X).__name__}, but expected a dense array of numbers. "
            "Pass X.toarray(), or reduce it first, for example with TruncatedSVD."
        )
    try:
        given = np.asarray(unmask(X))
        _refuse_complex(given)
        rows = np.ascontiguousarray(given, dtype=np.float64)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"Expected X to be a matrix of numbers: {error}. Encode text first, for example with OneHotEncoder."
        ) from error
    if given.ndim != 2:
        raise InputError(
            f"Got X with {given.ndim} dimension(s), but expected 2 (rows, features). "
            "Use X.reshape(-1, 1) for a single feature."
        )
    if 0 in rows.shape:
        raise InputError(f"Got X of shape {rows.shape}, but expected at least one row and one feature.")
    if not np.isfinite(rows).all():
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=0))
        raise InputError(
            f"Got NaN or infinity in column(s) {bad[:5].tolist()} of X, but expected finite numbers. "
            "Drop the affected rows, or impute the values, for example with SimpleImputer."
        )
    return rows


def _refuse_complex(given: NDArray[Any]) -> None:
    if given.dtype.kind == "c":
        raise InputTypeError(
            "Got complex numbers as X, but expected real ones. Pass both parts: numpy.hstack([X.real, X.imag])."
        )


def label_keys(labels: Iterable[Any]) -> Keys:
    """Return a hash of each label's content, with text in quotes, because 1 and '1' are different labels."""
    texts = (repr(str(label)) if isinstance(label, str) else str(label) for label in labels)
    digests = (hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def row_keys(rows: Floats) -> tuple[Keys, NDArray[np.uint64]]:
    """Return a hash of every row up to a power of two, and the exponent of its largest value.

    Exponents are hashed relative to the row's largest exponent, so multiplying the data by a power of two
    leaves every tie unchanged. ``-0.0`` counts as ``0.0``.
    """
    key = np.empty(len(rows), dtype=np.uint64)
    exponent = np.empty(len(rows), dtype=np.uint64)
    step = max(1, _HASHED_AT_ONCE // rows.shape[1])
    column = np.arange(1, rows.shape[1] + 1, dtype=np.uint64) * _COLUMN_STEP
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        bits = (rows[part] + 0.0).view(np.uint64)
        largest = ((bits >> _EXPONENT_SHIFT) & _EXPONENT_MASK).max(axis=1)
        relative = np.where(bits == 0, bits, bits - (largest << _EXPONENT_SHIFT)[:, None] + _NOT_ZERO)
        key[part] = scramble(scramble(relative + column).sum(axis=1, dtype=np.uint64))
        exponent[part] = largest
    return key, exponent


def _content_order(rows: Floats, key: Keys, exponent: Keys, group: Ints) -> Ints:
    """Sort the rows by key, then by exponent, then (if different rows collide) by content."""
    order, tied = sort_words(key)
    if tied.size:
        row = order[tied]
        row = row[np.argsort(key[row], kind="stable")]  # fast, because most rows are already in order
        order[tied] = row[np.argsort(front_word(key[row], exponent[row] << _EXPONENT_TOP))]
    before, after = order[:-1], order[1:]
    alike = np.flatnonzero((key[before] == key[after]) & (exponent[before] == exponent[after]))
    if not _same(rows, group, before[alike], after[alike]).all():
        row = order[tied]
        groups = [group[row]] if len(group) else []
        order[tied] = row[np.lexsort((row, *groups, *rows[row].T[::-1], exponent[row], key[row]))]
    return order


def _starts(rows: Floats, key: Keys, group: Ints, order: Ints) -> NDArray[np.bool_]:
    """Return where a new vertex starts in content order."""
    new = np.ones(len(order), dtype=bool)
    before, after = order[:-1], order[1:]
    alike = np.flatnonzero(key[before] == key[after])
    new[1 + alike[_same(rows, group, before[alike], after[alike])]] = False
    return new


def _same(rows: Floats, group: Ints, one: Ints, two: Ints) -> NDArray[np.bool_]:
    equal = (rows[one] == rows[two]).all(axis=1)
    return equal & (group[one] == group[two]) if len(group) else equal


def largest_exponent(largest: float) -> int:
    """Return the e with ``2 ** (e - 1) <= largest < 2 ** e``; for zero, return an e below all others."""
    return int(np.frexp(largest)[1]) if largest > 0 else _EXPONENT_OF_ZERO
