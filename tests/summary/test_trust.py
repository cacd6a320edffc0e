"""Trust: what weakens an answer here, and what does not."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor import check
from bayesfloor.summary._trust import weigh_trust

NAMES = {
    "BF201": "rows a class",
    "BF202": "scale",
    "BF203": "ties",
    "BF204": "neighbours",
    "BF205": "classifiers",
    "BF206": "rows in use",
    "BF207": "copies",
}


def trait(found, code):
    """One trait of a check."""
    return next(trait for trait in found.trust.traits if trait.code == code)


def test_every_trait_is_weighed_every_time(each):
    """A trait that is fine is an answer, too."""
    assert {trait.code: trait.name for trait in each.trust.traits} == NAMES
    assert all(trait.text and isinstance(trait.weak, bool) for trait in each.trust.traits)
    assert each.trust.weak == tuple(trait for trait in each.trust.traits if trait.weak)


def test_the_word_is_the_envelopes(each):
    """One word for one thing."""
    assert each.trust.word == each.envelope.trust
    assert each.trust.reasons == each.envelope.reasons


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("two rows a class", "BF201"),
        ("wine", "BF202"),
        ("wine", "BF204"),
        ("wine", "BF205"),
        ("sampled", "BF206"),
        ("constant", "BF207"),
        ("copies", "BF207"),
    ],
)
def test_what_is_weak_is_called_so(made, kind, code):
    """Each has its own data to show it."""
    assert trait(made(kind), code).weak


def test_rows_that_are_all_used_for_the_whole_and_drawn_for_the_rest_are_told_apart(made):
    """Where the work was done, and what came of how many rows; it is no doubt."""
    found = trait(made("all rows"), "BF206")
    where = made("all rows").facts.engine

    assert where.startswith("joblib with 1 at a time")
    assert found.text == (
        f"the whole and each class from the trees of all 1,500 rows ({where}); "
        "pairs, single rows and classifiers from 300 drawn"
    )
    assert not found.weak


def test_plain_data_have_no_weak_trait(made):
    """Doubts everywhere would be read nowhere."""
    assert made("iris").trust.weak == ()


@pytest.mark.parametrize(("sizes", "few"), [([30, 30], False), ([29, 40], True)])
def test_thirty_rows_a_class_are_enough(gaussians, sizes, few):
    """As ``one_vs_rest`` has it."""
    found = trait(check(*gaussians(0, sizes), learners={}), "BF201")

    assert found.weak is few
    assert str(min(sizes)) in found.text


def test_fractions_of_rows_are_not_spelt_out(made):
    """Chances add up to no whole number; four decimals of a row help nobody."""
    text = trait(made("probabilities"), "BF201").text

    assert "." not in text.replace("1.0", "")


def test_a_scale_that_was_asked_for_is_not_weak(gaussians):
    """Others were not tried, and the user knows why."""
    found = trait(check(*gaussians(0, [40, 40]), scale=None, learners={}), "BF202")

    assert not found.weak
    assert found.text == "none, as asked for; others were not tried"


@pytest.mark.parametrize(
    ("rates", "weak"),
    [
        ({"none": 0.1, "standard": 0.1}, False),
        ({"none": 0.11, "standard": 0.1}, False),
        ({"none": 0.4, "standard": 0.1}, True),
        ({"none": 0.06, "standard": 0.03}, False),
    ],
)
def test_scales_are_weak_where_they_differ_beyond_chance(made, rates, weak):
    """By half and by four standard errors."""
    found = replace(made("iris"), facts=replace(made("iris").facts, scale="standard", scale_rates=rates))

    assert trait(found, "BF202").weak is weak


@pytest.mark.parametrize(
    ("spread", "weak", "told"),
    [
        ((0.1, 0.1), False, "make no difference"),
        ((np.nan, np.nan), False, "make no difference"),
        ((0.099, 0.101), False, "between"),
        ((0.0, 0.9), True, "between"),
    ],
)
def test_ties_are_weak_where_they_matter_more_than_the_draw(made, altered, spread, weak, told):
    """A range within the interval is covered by it."""
    found = trait(altered(made("iris"), overall={"tie_spread": spread}), "BF203")

    assert found.weak is weak
    assert told in found.text


def test_neighbours_are_weak_where_distance_outweighs_the_draw(made, altered):
    """What the trees see is then partly the distance between rows."""
    base = made("iris")
    reach = 1.96 * base.overall.std_error
    for bias, weak in ((0.9 * reach, False), (1.1 * reach, True)):
        found = altered(base, envelope={"roughness": bias, "squared_error": -0.5})

        assert trait(found, "BF204").weak is weak


def test_unknown_dimensions_are_said_to_be_so(made):
    """Not "inf"."""
    assert "no dimension found" in trait(made("constant"), "BF204").text


def test_neighbours_are_in_doubt_wherever_the_envelope_says_so(each):
    """Two rules for one thing must not part ways."""
    doubted = any(reason.startswith("neighbours are too far apart") for reason in each.trust.reasons)

    assert doubted <= trait(each, "BF204").weak


def test_classifiers_are_weak_only_where_they_refute(made):
    """A classifier that agrees strengthens the answer."""
    assert trait(made("wine"), "BF205").weak
    assert not trait(made("iris"), "BF205").weak


@pytest.mark.slow
def test_groups_settle_near_copies(gaussians):
    """Who says which rows belong together need not be told to."""
    X, y = gaussians(6, [40, 40])
    near = np.repeat(X, 3, axis=0) + np.random.default_rng(0).normal(size=(240, 2)) * 1e-6
    alone = check(near, np.repeat(y, 3), learners={})
    grouped = check(near, np.repeat(y, 3), groups=np.arange(240) // 3, learners={})

    assert "may be copies; tell groups" in trait(alone, "BF207").text
    assert not trait(grouped, "BF207").weak


def test_a_few_equal_rows_are_no_doubt(gaussians):
    """One in a hundred."""
    X, y = gaussians(0, [100, 100])
    found = trait(check(np.vstack([X, X[:1]]), np.r_[y, y[:1]], learners={}), "BF207")

    assert not found.weak
    assert found.text == "0.50 % of rows equal another"


def test_trust_is_found_again_from_its_parts(each):
    """It holds nothing of its own, so a file needs none of it."""
    assert weigh_trust(each.facts, each.overall, each.one_vs_rest, each.envelope) == each.trust


def test_trust_is_a_table(made):
    """A row for each trait."""
    frame = made("wine").trust.frame()

    assert frame["code"].tolist() == list(NAMES)
    assert made("wine").trust.to_dict()["traits"][0].keys() == {"code", "name", "weak", "text"}
