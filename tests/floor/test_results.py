"""Results: frozen, written down without loss, with intervals that make sense."""

import json
from dataclasses import FrozenInstanceError, fields
from itertools import pairwise

import numpy as np
import pytest

from bayesfloor import BayesFloor

RESULTS = ["overall_", "pairwise_", "one_vs_rest_", "samples_"]


@pytest.fixture(scope="module")
def sets(fitted, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(60, 2))
    return {
        "plain": fitted,
        "texts": BayesFloor().fit(X, np.repeat(["a", "b", "c"], 20)),
        "tiny": BayesFloor().fit(X[:4], [0, 1, 0, 1]),
        "all rows equal": BayesFloor().fit(np.ones((40, 2)), np.arange(40) % 2),
        "relabelled": fitted.relabel(rng.integers(0, 2, 300)),
    }


@pytest.mark.parametrize("case", ["plain", "texts", "tiny", "all rows equal", "relabelled"])
def test_every_result_is_plain_json_without_nan(sets, case):
    """Other programs read it, and NaN is no JSON."""
    for name in RESULTS:
        if (case, name) == ("relabelled", "pairwise_"):
            continue
        result = getattr(sets[case], name).to_dict()
        assert json.loads(json.dumps(result, allow_nan=False)) == result, name


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_frozen(fitted, name):
    result = getattr(fitted, name)

    with pytest.raises(FrozenInstanceError):
        setattr(result, fields(result)[0].name, 0)


@pytest.mark.parametrize(
    ("name", "n_rows", "columns"),
    [
        ("overall_", 1, {"lower", "estimate", "upper", "cross_rate", "cross_rate_low", "cross_rate_high", "bias"}),
        ("pairwise_", 3, {"class_1", "class_2", "normalised", "p_value", "holm", "at_resolution", "merge"}),
        ("one_vs_rest_", 3, {"class", "size", "lower", "upper", "few", "class_rate_low", "class_rate_high"}),
        ("samples_", 300, {"row", "label", "score", "p_value", "suspect", "suggested_label", "conflict"}),
    ],
)
def test_every_result_is_a_table(fitted, name, n_rows, columns):
    """In a notebook a table is what one wants to see."""
    frame = getattr(fitted, name).frame()

    assert len(frame) == n_rows
    assert columns <= set(frame.columns)


def test_tables_of_pairs_name_their_classes_and_no_upper_limit_is_above_guessing(sets):
    """Numbers of rows and columns mean nothing to a reader; a limit is a probability, even where every edge crosses."""
    frame = sets["texts"].pairwise_.frame()

    assert frame["class_1"].tolist() == ["a", "a", "b"]
    assert frame["class_2"].tolist() == ["b", "c", "c"]

    X = np.arange(20.0)[:, None]
    y = np.tile([0, 1], 10)
    floor = BayesFloor(n_trees=1, scale=None).fit(X, y).overall_

    assert 0.9 < floor.tree_limit(0.95) <= 1
    assert floor.upper_limit() == 0.5


@pytest.mark.parametrize("method", ["subsample", "fast"])
def test_intervals_contain_the_rate_and_nest(rng, gaussians, method):
    floor = BayesFloor(interval=method).fit(*gaussians(rng, [100, 100])).overall_
    ends = [floor.interval(level) for level in (0.5, 0.9, 0.95, 0.99)]

    assert floor.interval_method == method
    assert floor.interval() == floor.interval(0.95)
    assert all(0 <= low <= floor.cross_rate <= high <= 1 for low, high in ends)
    assert all(outer[0] <= inner[0] and inner[1] <= outer[1] for inner, outer in pairwise(ends))
    assert ends[0][0] < floor.cross_rate < ends[0][1]


def test_intervals_of_classes_and_of_the_limit_contain_them(fitted):
    """One for each class; that of the limit is wider, since an extrapolation has more to be wrong about."""
    rest = fitted.one_vs_rest_
    low, high = rest.interval()
    wide = rest.interval(0.99)

    assert ((low <= rest.class_rate) & (rest.class_rate <= high)).all()
    assert ((wide[0] <= low) & (high <= wide[1])).all()

    floor = fitted.overall_
    low, high = floor.limit_interval()

    assert low <= floor.limit <= high
    assert floor.limit_std_error >= floor.std_error
    assert floor.limit == pytest.approx(floor.cross_rate - floor.bias)


@pytest.mark.parametrize("level", [0, 1, 1.5, -0.1, 95, float("nan")])
def test_levels_that_are_no_probability_are_refused(fitted, level):
    """Percentages are the usual slip."""
    with pytest.raises(ValueError, match=r"Got level=.*, but expected a number between 0 and 1, such as 0.95"):
        fitted.overall_.interval(level)
    with pytest.raises(ValueError, match=r"Got level="):
        fitted.one_vs_rest_.interval(level)


def test_the_upper_limit_is_above_the_first_trees_rate(fitted):
    """Clopper and Pearson's limit contains what was seen, and grows with the level."""
    floor = fitted.overall_
    limits = [floor.upper_limit(level) for level in (0.5, 0.8, 0.95, 0.999)]
    scale = fitted.scale_
    one = BayesFloor(n_trees=1, scale=scale).fit(*_points(fitted)).overall_

    assert limits == sorted(limits)
    assert limits[0] >= one.cross_rate
    assert floor.upper_limit() == pytest.approx(one.upper_limit())


def _points(floor):
    order = np.argsort(floor.fitted_.sample.row)
    return floor.fitted_.sample.features.values[order], floor.fitted_.sample.codes[order]
