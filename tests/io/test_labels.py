"""Labels of any length, and limits to what small inputs may ask for."""

import tracemalloc

import numpy as np
import pytest

from bayesfloor import BayesFloor, check
from bayesfloor.io import InputError
from bayesfloor.io._labels import read_labels


@pytest.fixture(name="X")
def rows(global_random_seed):
    return np.random.default_rng(global_random_seed).normal(size=(60, 2))


def long_labels(letter, as_array):
    labels = ["a"] * 30 + [letter * 2_000_000] * 30
    return as_array(labels)


def as_objects(labels):
    return np.array(labels, dtype=object)


@pytest.mark.parametrize("letter", ["x", "\x1b", "\u202e"])
@pytest.mark.parametrize("as_array", [list, as_objects])
def test_a_long_label_takes_the_memory_of_its_length(X, letter, as_array):
    """Not that of all rows times its length, nor many times that to show it."""
    y = long_labels(letter, as_array)
    tracemalloc.start()
    try:
        found = BayesFloor(scale=None).fit(X, y)
        shown = f"{found.pairwise_} {found.overall_} {found.one_vs_rest_} {found.samples_}"
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 100e6
    assert len(shown) < 5000
    assert found.classes_.tolist() == sorted({*y})


@pytest.mark.slow
def test_a_long_label_is_cut_wherever_it_is_shown(X):
    """But not in JSON, which another program reads."""
    found = check(X, long_labels("<", list), effort="quick")

    assert len(str(found)) < 5000
    assert len(found._repr_html_()) < 200_000
    assert len(found.to_json()) > 2_000_000


def test_wide_arrays_give_the_same_classes_as_objects():
    """An array of texts has room for the longest in every row."""
    labels = ["b", "a" * 2000, "b", "c"]
    classes, codes = read_labels(np.array(labels), 4)
    again = read_labels(labels, 4)

    assert classes.tolist() == again[0].tolist() == ["a" * 2000, "b", "c"]
    assert codes.tolist() == again[1].tolist() == [1, 0, 1, 2]


def test_numbers_beside_a_long_text_are_texts():
    assert read_labels([1, "a" * 2000, 2, 1], 4)[0].tolist() == ["1", "2", "a" * 2000]
    with pytest.raises(InputError, match="such as 1 and '1'"):
        read_labels([1, "1", "a" * 2000], 3)


def test_more_classes_than_pairs_have_room_for_are_refused(X):
    """An id was taken for the label."""
    ids = [f"row {k // 3}" for k in range(18_000)]
    with pytest.raises(InputError, match="Got 6,000 classes in 18,000 rows, but expected at most 5,000"):
        BayesFloor().fit(np.zeros((18_000, 2)), ids)
    with pytest.raises(InputError, match="Got 5,001 classes in 60 rows"):
        BayesFloor().fit(X, np.full((60, 5001), 1 / 5001))


@pytest.mark.parametrize("votes", [1001.0, 1e12, 1e300])
def test_more_votes_than_anybody_cast_are_refused(X, votes):
    """Each becomes a row of its own."""
    y = np.ones((60, 2))
    y[7, 1] = votes
    with pytest.raises(InputError, match=r"votes in row 8 \(counted from 1\), but expected at most 1,000 per row"):
        BayesFloor(y_kind="votes").fit(X, y)
