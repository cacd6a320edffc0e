"""The benchmark of hazards: what counts as confidently wrong, and tables that are what they say."""

import re

import numpy as np
import pytest

SAID = {"outcome": "reachable", "lower": 0.0, "upper": 0.05, "named": [], "warned": [], "codes": []}


@pytest.fixture(scope="module")
def hazards(benchmark_module):
    return benchmark_module("hazards")


@pytest.fixture(scope="module")
def families(benchmark_module):
    return benchmark_module("_hazard_families")


def said(truth, **other):
    """An answer to a target of 80 % on data with this lowest error."""
    return SAID | {"between": [truth, truth], "target": 0.8, "margin": 0.03} | other


def test_a_false_verdict_is_confidently_wrong_unless_the_screen_names_the_cause(hazards):
    """A caution about something else does not help."""
    assert hazards.is_confidently_wrong(said(0.5), "copies")
    assert not hazards.is_confidently_wrong(said(0.5, named=["copies"]), "copies")
    assert hazards.is_confidently_wrong(said(0.5, named=["time"]), "copies")
    assert not hazards.is_confidently_wrong(said(0.02), "copies")


@pytest.mark.parametrize("text", ["12 % of a class lie exactly between two of its rows, as if made from them", "BF118"])
def test_rows_made_from_others_are_named_as_copies(benchmark_module, text):
    """Whatever the sentence says of how they were made."""
    assert re.search(benchmark_module("_judge").NAMED["copies"], text)


def test_a_leak_is_named_only_with_one_of_its_columns(hazards):
    """Blaming an honest column is no caution."""
    case = said(0.4, named=["leak"], columns=["u", "v"])

    assert hazards.is_confidently_wrong(case | {"warned": [["leak", "m1"]]}, "leak")
    assert not hazards.is_confidently_wrong(case | {"warned": [["leak", "m1", "v"]]}, "leak")


def test_a_range_beside_the_truth_is_wrong_even_without_a_verdict(hazards):
    """The range is what people quote."""
    undecided = said(0.1, outcome="open")

    assert hazards.faults(undecided) == ["range too low"]
    assert hazards.faults(undecided | {"between": [0.0, 0.0], "lower": 0.04}) == ["range too high"]
    assert hazards.faults(undecided | {"between": [0.07, 0.2]}) == []


def test_every_family_knows_on_which_side_of_the_truth_its_target_lies(families):
    """And has as many labels as rows, of more than one class."""
    for family in families.FAMILIES:
        one = families.draw(family, 3999)
        assert one.reachable == (1 - one.target > one.truth), family
        assert len(one.X) == len(one.y), family
        assert np.unique(one.y).size > 1, family


def test_cells_of_the_halves_share_no_seed_and_differ_in_nothing_else(hazards):
    """Held-back tables come from the same ranges."""
    from types import SimpleNamespace

    def kinds(*, held_back):
        cells = hazards.chosen(SimpleNamespace(held_back=held_back, quick=False, only=[]))
        return {name for name in cells if name.partition("/")[0] in (*hazards.FAMILY_GROUPS, hazards.NONE)}

    held, free = kinds(held_back=True), kinds(held_back=False)
    assert {name.replace("/70", "/30") for name in held} == free
    assert len(held) == 500
