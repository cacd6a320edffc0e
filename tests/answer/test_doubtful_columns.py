"""Columns that are probably no features: further labels and sampling weights."""

import numpy as np
import pandas as pd
import pytest

from bayesfloor.answer._leaks import find_doubtful


@pytest.fixture
def tagged():
    """Three tags, written in three ways, beside numbers."""
    rng = np.random.default_rng(0)
    tags = rng.integers(0, 2, size=(200, 3))
    table = pd.DataFrame({"x_1": rng.normal(size=200), "tag_art": tags[:, 1].astype(bool)})
    return table.assign(tag_news=np.where(tags[:, 2], "yes", "no"), tag_size=rng.normal(size=200)), tags[:, 0]


def test_further_labels_are_found_however_they_are_written(tagged, as_table):
    """Numbers, booleans, and yes and no; a column of the same name with other values is a feature."""
    table, y = tagged
    (found,) = find_doubtful(as_table(table, y), "tag_sport")

    assert (found.kind, found.columns) == ("labels", ("tag_art", "tag_news"))


@pytest.mark.parametrize("label", ["", "sport", "x_2"])
def test_other_names_show_nothing(tagged, as_table, label):
    """A label without a stem, and features with the stem of the label, but with numbers."""
    table, y = tagged

    assert find_doubtful(as_table(table, y), label) == ()


@pytest.mark.parametrize(
    ("name", "is_weight"),
    [("fnlwgt", True), ("sample_weight", True), ("survey.wt", True), ("weight", False), ("weight_kg", False)],
)
def test_sampling_weights_are_found_by_their_names(tagged, as_table, name, is_weight):
    """But not the weight of a person."""
    table, y = tagged
    found = find_doubtful(as_table(table.assign(**{name: 1.5}), y), "")

    assert [each.columns for each in found] == [(name,)] * is_weight
