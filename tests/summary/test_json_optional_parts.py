"""Gaps and merges from JSON: all fields, with and without a lower end."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.decide._gap import gap
from bayesfloor.decide._merging import merge_advice
from bayesfloor.leaving.summary_json_optional_parts import restore_choices


@pytest.fixture(scope="module")
def floor(global_random_seed):
    """Three overlapping classes; tests only look at it."""
    rng = np.random.default_rng(global_random_seed)
    y = np.arange(300) % 3
    return BayesFloor(scale=None, interval="fast").fit(rng.standard_normal((300, 2)) + y[:, None], y)


@pytest.fixture(params=["lower end", "none"])
def answer(request, floor):
    """The floor's answer, with a lower end or without."""
    found = floor.answer()
    if request.param == "none":
        return replace(found, lower=np.nan, curve_lower=np.nan, reliability="upper limit only", reasons=("few rows",))
    return replace(found, lower=0.5 * found.estimate, curve_lower=0.5 * found.estimate, reliability="good", reasons=())


def written(result):
    """As it is in a file."""
    return json.loads(json.dumps(result.to_dict(), allow_nan=False))


def test_a_gap_comes_back(floor, answer):
    """With its text and its table."""
    before = gap(floor, np.arange(300) % 3, np.zeros(300, dtype=int), answer=answer)
    after = restore_choices({"gap": written(before)})["gap"]

    assert after.to_dict() == before.to_dict()
    assert after.frame().equals(before.frame())
    assert after.text == before.text
    assert np.isnan(after.overall.lower) == np.isnan(answer.lower)


def test_merges_come_back(floor, answer):
    """Every step of them."""
    before = merge_advice(floor, target=0.999, answer=answer)
    after = restore_choices({"merge": written(before)})["merge"]

    assert len(before.steps) == 1
    assert after.to_dict() == before.to_dict()
    assert after.frame().equals(before.frame())
    assert after.text == before.text


@pytest.mark.parametrize("name", ["estimate", "upper", "error"])
def test_what_must_be_a_number_is_one(floor, name):
    """Only the lower end may be missing."""
    given = written(gap(floor, [0, 1, 2], [0, 1, 2]))
    given["overall"][name] = None

    with pytest.raises(TypeError, match=name):
        restore_choices({"gap": given})
