"""The strict order of edges: the same from either end, for every numbering and in every kernel."""

import numpy as np
import pytest

from bayesfloor.forest import _kernels as _small_kernels
from bayesfloor.forest._vertices import pair_hash, scramble, sort_edges


@pytest.fixture
def edges(rng):
    a, b = np.triu_indices(30, 1)
    return a, b, rng.integers(0, 4, len(a)) / 2, rng.integers(0, 3, 30).astype(np.uint64), rng.permutation(30)


def test_a_hash_of_two_rows_does_not_see_which_is_first_and_is_the_same_in_kernels(global_random_seed):
    """An edge has two ends and no direction; small sets are ordered in NumPy, large ones in compiled code."""
    one, two = np.random.default_rng(global_random_seed).integers(0, 2**64, (2, 1000), dtype=np.uint64)

    assert np.array_equal(pair_hash(one, two), pair_hash(two, one))

    compiled = [_small_kernels.pair_hash(a, b) for a, b in zip(one, two, strict=True)]

    assert np.array_equal(np.array(compiled, dtype=np.uint64), pair_hash(one, two))


def test_scrambling_keeps_words_apart():
    """One to one: a hash of hashes collides no more than they do."""
    assert len(np.unique(scramble(np.arange(100_000, dtype=np.uint64)))) == 100_000


def test_edges_are_sorted_by_length_then_hash_then_rank(edges):
    """Three keys, in this order, and no two edges alike."""
    a, b, squared, key, rank = edges
    low, high = np.minimum(rank[a], rank[b]), np.maximum(rank[a], rank[b])
    expected = np.lexsort((high, low, pair_hash(key[a], key[b]), squared))

    assert np.array_equal(sort_edges(a, b, squared, key, rank), expected)


def test_the_order_does_not_see_how_edges_and_vertices_are_numbered(edges, rng):
    """Blocks and subsets number them in their own way."""
    a, b, squared, key, rank = edges
    shuffle, number = rng.permutation(len(a)), rng.permutation(30)
    new_key, new_rank = np.empty_like(key), np.empty_like(rank)
    new_key[number], new_rank[number] = key, rank
    again = sort_edges(number[b][shuffle], number[a][shuffle], squared[shuffle], new_key, new_rank)

    assert np.array_equal(shuffle[again], sort_edges(a, b, squared, key, rank))
