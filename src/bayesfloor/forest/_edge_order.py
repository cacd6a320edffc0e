"""The one strict order of edges.

Edges are ordered by squared length, then by a symmetric hash of the content of their two rows, then by
the rows themselves. Row numbers play no part, so every subset and every block of rows orders its edges
in the same way. This is why forests can be composed (see ``_class_forests``). The hash keeps ties fair:
an order by row number would favour edges inside a class if the data are sorted by class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bayesfloor.engine._types import Floats, Ints

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
