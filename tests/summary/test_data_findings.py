"""Findings about rows, columns and trees: when each is there and when not, and what weakens the answer."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor import check
from bayesfloor.answer._hazards import Hazards
from bayesfloor.answer._leaks import DoubtfulColumns, Leak
from bayesfloor.summary._data_findings import find_traits
from bayesfloor.summary._figures import evidence_figures

NAMES = {
    "BF201": "rows per class",
    "BF202": "scale",
    "BF203": "ties",
    "BF204": "sparse data",
    "BF205": "tree bounds",
    "BF206": "rows used",
    "BF207": "duplicates",
    "BF208": "extrapolation",
}


def text_of(found, code):
    """The words of a finding; empty if it is not there."""
    return next((finding.text for finding in found.findings if finding.code == code), "")


def test_rows_that_belong_together_are_told_with_both_errors(made):
    """Groups, close rows and stretches of time, each with what was held out and how to do without."""
    groups, copies = made("patients"), made("near-duplicates")
    ordered = replace(groups, dependence=replace(groups.dependence, kind="time", column="day"))
    undated = replace(groups, dependence=replace(groups.dependence, kind="time", column=""))

    assert text_of(groups, "BF111") == (
        "Rows with the same patient_id belong together: a small random forest's error is 19.5 % for a new patient_id "
        "and 0.25 % for a known one. The answer is for new groups: each of 40 groups was held out as a whole. The "
        "column patient_id is not used as a feature. If you only predict for known groups: --no-auto-groups, or "
        "auto_groups=False."
    )
    assert text_of(ordered, "BF112").startswith(
        "Rows close in day are alike: a small random forest's error is 19.5 % in unseen stretches and 0.25 % elsewhere."
    )
    assert text_of(undated, "BF112").startswith("Rows next to each other in the data are alike: ")
    assert text_of(copies, "BF113").startswith("100.0 % of rows have a near-duplicate: a small random forest's error ")
    assert "each of 80 clusters of near-duplicates was held out as a whole." in text_of(copies, "BF113")
    assert not {finding.code for finding in made("groups").findings} & {"BF111", "BF112", "BF113"}


def test_rows_that_are_not_held_together_make_an_answer_too_good(made):
    """People quote the verdict; an answer for new patients needs no alarm."""
    groups = made("patients")
    apart = replace(groups, dependence=replace(groups.dependence, applied=False))

    assert text_of(apart, "BF111").endswith("too good for new groups. Use --groups patient_id, or groups=.")
    assert text_of(made("copies"), "BF113").endswith("too good for new rows. Use --groups COLUMN, or groups=.")
    assert made("copies").verdict.endswith(" But rows that belong together are in both training and test rows.")
    assert " But " not in groups.verdict


def test_columns_that_give_the_label_away_are_told_with_what_is_left_without_them(made):
    """All labels by one column, or one label by some that are filled in for it; the verdict says so as well."""
    found = made("leak")
    pair = Leak(("a", "b"), "yes", *(getattr(found.leaks[0], name) for name in ("error", "error_without")))

    assert text_of(found, "BF114") == (
        "The column closed gives the label away: 0.0 % error alone, 28.7 % without it. If it is only known after the "
        "label, the answer is too good. Check without it: --drop closed."
    )
    assert text_of(replace(found, leaks=(pair,)), "BF114") == (
        "The columns a, b are filled in almost only for yes: 0.0 % error in separating it from the others, 28.7 % "
        "without them. If they are only known after the label, the answer is too good. Check without them: "
        "--drop a --drop b."
    )
    assert text_of(replace(found, leaks=(replace(pair, label=""),)), "BF114").startswith(
        "The columns a, b give the label away: 0.0 % error with them alone, 28.7 % without them."
    )
    assert found.verdict.endswith(" But column closed may give the label away.")
    assert text_of(made("patients"), "BF114") == ""


def test_columns_that_are_merely_strong_are_noted_without_an_alarm(made):
    """They may be unknown when predictions are made, but the answer does not rest on them, or they may be honest."""
    found = made("leak")
    noted = replace(found, leaks=(Leak(("a", "b"), "", 0.002, 0.13, "note"),))

    assert text_of(noted, "BF117") == (
        "The columns a, b alone give 0.20 % error (13.0 % without them): check that they are known when you predict. "
        "If not, check without them: --drop a --drop b."
    )
    assert text_of(noted, "BF114") == ""
    assert " But " not in noted.verdict
    assert Hazards(leaks=noted.leaks).cautions == ()
    assert text_of(found, "BF117") == ""


@pytest.mark.parametrize(
    ("kind", "names", "headline"),
    [
        ("labels", ("tag",), "The column tag looks like another label, but is used as a feature: --drop tag."),
        (
            "labels",
            ("tag_b", "tag c"),
            "The columns tag_b, tag c look like further labels, but are used as features: --drop tag_b --drop 'tag c'.",
        ),
        (
            "labels",
            ("a", "b", "c"),
            "The columns a, b, c look like further labels, but are used as features: leave them out with --drop.",
        ),
        ("weights", ("w",), "The column w looks like a sampling weight, but is used as a feature: --drop w."),
    ],
)
def test_columns_that_are_no_features_come_with_the_command_to_drop_them(made, kind, names, headline):
    """The first sentence is all that one screen shows."""
    found = replace(made("two classes"), doubtful=(DoubtfulColumns(kind, names),))
    told = {each.code: each.headline for each in found.findings if each.code in ("BF115", "BF116")}

    assert told == {"BF115" if kind == "labels" else "BF116": headline}
    assert not {each.code for each in made("two classes").findings} & {"BF115", "BF116"}


def trait(found, code):
    return next(trait for trait in found.traits if trait.code == code)


def test_every_trait_is_weighed_every_time(each):
    """A trait that is fine is an answer, too; they hold nothing of their own, so a file needs none of them."""
    assert find_traits(each.facts, each.overall, each.one_vs_rest, each.of_errors) == each.traits
    assert {trait.code: trait.name for trait in each.traits} == NAMES
    assert all(trait.text and isinstance(trait.weak, bool) for trait in each.traits)
    assert all(trait.to_dict() == {name: getattr(trait, name) for name in trait.to_dict()} for trait in each.traits)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("two rows a class", "BF201"),
        ("wine", "BF202"),
        ("wine", "BF204"),
        ("sampled", "BF206"),
        ("constant", "BF207"),
        ("copies", "BF207"),
        ("letters", "BF208"),
    ],
)
def test_what_is_weak_is_called_so(made, kind, code):
    """Each has its own data to show it."""
    assert trait(made(kind), code).weak


def test_plain_data_have_no_weak_trait(made):
    """Doubts everywhere would be read nowhere."""
    assert [trait.code for trait in made("iris").traits if trait.weak] == []


@pytest.mark.parametrize(("sizes", "few"), [([30, 30], False), ([29, 40], True)])
def test_thirty_rows_a_class_are_enough(gaussians, sizes, few):
    found = trait(check(*gaussians(0, sizes)), "BF201")

    assert found.weak is few
    assert str(min(sizes)) in found.text


def test_fractions_of_rows_are_not_spelt_out_and_a_scale_asked_for_is_not_weak(made, gaussians):
    """Chances add up to no whole number; and other scales were not tried."""
    scale = trait(check(*gaussians(0, [40, 40]), scale=None), "BF202")

    assert "." not in trait(made("probabilities"), "BF201").text.replace("1.0", "")
    assert not scale.weak
    assert scale.text == "no scaling, as requested; no other was tried"


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


def test_data_are_sparse_where_the_bias_outweighs_the_draw(made, altered):
    """What the trees see is then partly the distance between rows; what is not known is said to be so."""
    base = made("iris")
    reach = 1.96 * base.overall.std_error
    for bias, weak in ((0.9 * reach, False), (1.1 * reach, True), (-0.5, False)):
        found = trait(altered(base, overall={"bias": bias}), "BF204")

        assert found.weak is weak
        assert found.text.startswith("data are sparse") is weak
        assert ("The tree bounds are too high" in found.advice) is weak
        assert "-" not in found.text
    assert "intrinsic dimension unknown" in trait(altered(base, overall={"dimension": np.inf}), "BF204").text
    assert trait(made("constant"), "BF204").text == "too few distinct rows to measure how sparse they are"


def test_tree_bounds_are_too_high_only_below_a_tested_limit_and_rows_tested_are_told(made, altered):
    """A hair decides; some folds do for many rows."""
    base = made("iris")
    for upper, weak in ((base.overall.lower, False), (base.overall.lower - 1e-9, True)):
        found = trait(altered(base, answer={"upper": upper}), "BF205")

        assert found.weak is weak
        assert ("too high here: a learner" in found.text) is weak

    assert trait(altered(made("iris"), answer={"n_rows": 100}), "BF206").text == "all 150; learners were tested on 100"
    assert trait(made("iris"), "BF206").text == "all 150"


@pytest.mark.slow
def test_groups_settle_near_copies(gaussians):
    """Who says which rows belong together need not be told to."""
    X, y = gaussians(6, [40, 40])
    near = np.repeat(X, 3, axis=0) + np.random.default_rng(0).normal(size=(240, 2)) * 1e-6
    alone = check(near, np.repeat(y, 3), auto_groups=False)
    grouped = check(near, np.repeat(y, 3), groups=np.arange(240) // 3)

    assert "near-duplicates of another row" in trait(alone, "BF207").text
    assert "--groups COLUMN" in trait(alone, "BF207").advice
    assert not trait(grouped, "BF207").weak


def test_a_few_equal_rows_are_no_doubt(gaussians):
    X, y = gaussians(0, [100, 100])
    found = trait(check(np.vstack([X, X[:1]]), np.r_[y, y[:1]]), "BF207")

    assert not found.weak
    assert found.text == "0.50 % of rows are duplicates"


@pytest.fixture(scope="module")
def copied(gaussians):
    """Every row three times, with its label."""
    X, y = gaussians(0, [200, 200], shift=1.5, d=3)
    many = check(np.repeat(X, 3, axis=0), np.repeat(y, 3), effort="quick", auto_groups=False)
    return many, check(X, y, effort="quick")


def test_duplicates_say_in_which_direction_figures_are_off(copied):
    """Asked not to look for groups, the answer keeps them together; the tree bounds do not, and are too low."""
    many, once = copied  # copies add nothing: the same dimension and sampling error
    traits = {trait.code: trait for trait in many.traits}

    assert many.overall.dimension == pytest.approx(once.overall.dimension, rel=0.25)
    assert many.overall.std_error > 0.25 * once.overall.std_error
    assert many.facts.copies == pytest.approx(2 / 3)
    assert once.facts.copies == 0
    assert traits["BF207"].weak
    assert "on both sides are too optimistic" in traits["BF207"].advice
    assert traits["BF205"].text.startswith("the tree bounds are too low here")
    assert not traits["BF204"].weak
    assert "too low here: duplicates" in {name: note for name, _, note in evidence_figures(many)}["how we know"]
    assert many.answer.lower <= once.answer.upper
    assert once.answer.lower <= many.answer.upper


def test_equal_rows_of_few_values_are_not_duplicates():
    """Ten rows per distinct row are independent draws."""
    rng = np.random.default_rng(0)
    found = check(rng.integers(0, 4, (400, 2)), rng.integers(0, 2, 400), effort="quick")

    assert found.facts.copies == 0
    assert "too optimistic" not in next(trait.advice for trait in found.traits if trait.code == "BF207")


def test_an_estimate_far_below_every_learner_says_what_would_confirm_it(made, altered):
    """A reader sees two numbers ten points apart and no next step."""
    found = altered(made("two classes"), answer={"errors": {"linear": 0.2, "boosting": 0.15}, "upper": 0.18})
    far, near = (trait(altered(found, answer={"estimate": error}), "BF208") for error in (0.05, 0.11))

    assert far.text == (
        "the best estimate is extrapolated (gradient boosting reaches an error of 15.0 %): more rows, --effort "
        "thorough or a learner of your own (learners=) could confirm it"
    )
    assert far.advice == "It is 10.0 points lower: there the learning curves would end with infinitely many rows."
    assert (far.weak, near.weak) == (True, False)
    assert near.text == "the best estimate is 4.0 points below the lowest error reached (15.0 %)"
    trees = trait(made("letters"), "BF208").text  # a learner with a higher error is not the one to name
    assert made("letters").answer.upper < min(made("letters").answer.errors.values())
    assert "(the spanning tree reaches an error of " in trees
