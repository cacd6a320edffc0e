"""Findings: what is there is told, what cannot be seen is not."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor import check
from bayesfloor.engine._text import show_labels, span
from bayesfloor.summary._findings import find


def codes(found):
    """Codes of all findings."""
    return [finding.code for finding in found.findings]


def text_of(found, code):
    """The words of a finding."""
    return next(finding.text for finding in found.findings if finding.code == code)


def test_causes_come_before_doubts(each):
    """First what is there, then how far to believe it."""
    assert codes(each) == sorted(codes(each))


def test_findings_do_not_repeat_themselves(each):
    """One line a code."""
    assert len(set(codes(each))) == len(codes(each))


def test_findings_are_whole_sentences(each):
    """They stand alone in a log."""
    for finding in each.findings:
        assert finding.text.endswith(".")
        assert finding.text[0].isupper() or finding.text[0].isdigit()
        assert finding.to_dict() == {"code": finding.code, "text": finding.text, "look": finding.look}


def test_no_signal_is_found_where_there_is_none(made):
    """And only there."""
    assert "BF101" in codes(made("noise"))
    assert "BF101" not in codes(made("iris"))


@pytest.mark.parametrize(("p", "told"), [(0.051, True), (0.049, False), (1.0, True), (0.0, False)])
def test_no_signal_is_a_matter_of_the_test(made, altered, p, told):
    """At 5 %, where no classifier sees more."""
    assert ("BF101" in codes(altered(made("iris"), overall={"p_value": p}, envelope={"upper": 1.0}))) is told


def test_what_a_classifier_sees_is_a_signal(made, altered):
    """Whatever the test of the trees says."""
    assert "BF101" not in codes(altered(made("iris"), overall={"p_value": 1.0}))


def test_conflicts_are_counted(gaussians):
    """Equal rows with other labels are a bound that assumes nothing."""
    X, y = gaussians(0, [40, 40], shift=20.0)
    found = check(np.vstack([X, X[:3]]), np.r_[y, 1 - y[:3]], learners={})

    assert text_of(found, "BF102").startswith("6 rows have an equal row with another label")
    assert "at least 3.6 %" in text_of(found, "BF102")


def test_no_conflict_is_found_where_there_is_none(made):
    """Two classes of real numbers have none."""
    assert "BF102" not in codes(made("two classes"))


def test_classes_of_one_distribution_are_alike(made):
    """Merging them loses nothing, and leaves next to no floor; those far away stay out of it."""
    found = made("alike")
    pairs, merged = text_of(found, "BF103").rstrip(".").split(". ")
    after, before = found.merge.after, found.merge.before

    assert pairs == "Cannot be told apart, and might as well be merged: 0 and 1"
    assert merged == (
        f"Bounds of the 2 classes then are {span(after.lower, after.upper)} instead of "
        f"{span(before.lower, before.upper)}"
    )
    assert after.upper < 0.01
    assert before.upper > 0.2


def test_two_classes_that_are_alike_have_nothing_left_to_tell(gaussians):
    """Merged, they would be one: there is no floor of that."""
    found = check(*gaussians(1, [300, 300], shift=0.0), learners={})

    assert text_of(found, "BF103") == "Cannot be told apart, and might as well be merged: 0 and 1."


def test_the_hardest_pair_is_the_first_of_the_table(made):
    """One order everywhere."""
    assert text_of(made("iris"), "BF104").startswith("Hardest pair: 1 and 2, bounds ")


def test_pairs_at_the_resolution_are_no_finding(made):
    """Nothing was seen of them."""
    assert not {"BF103", "BF104"} & set(codes(made("separate")))


def test_a_pair_at_the_resolution_is_never_the_hardest(made):
    """Not even with the largest figure."""
    found = made("target")
    hidden = found.pairwise.at_resolution.copy()
    one, two = np.unravel_index(np.argmax(found.pairwise.matrix), hidden.shape)
    hidden[one, two] = hidden[two, one] = True
    changed = replace(found, pairwise=replace(found.pairwise, at_resolution=hidden))

    assert text_of(found, "BF104") != text_of(changed, "BF104")


def test_odd_rows_are_counted(made):
    """In the singular, too."""
    found = made("suspects")
    one = replace(found, rows=replace(found.rows, n_suspect=1))

    assert found.rows.n_suspect > 1
    assert text_of(found, "BF105") == f"{found.rows.n_suspect} rows sit among another class."
    assert text_of(one, "BF105") == "1 row sits among another class."


def test_no_odd_rows_are_no_finding(made):
    """Silence is an answer."""
    none = replace(made("iris"), rows=replace(made("iris").rows, n_suspect=0))

    assert "BF105" not in codes(none)


def test_every_weak_trait_is_a_finding(each):
    """What weakens the answer is told, and nothing else is."""
    doubts = [code for code in codes(each) if code.startswith("BF2")]

    assert doubts == [trait.code for trait in each.trust.weak]


@pytest.mark.slow
def test_many_alike_pairs_are_cut(made):
    """A list of thousands is no finding."""
    found = made("hundred classes")
    everything = np.ones((100, 100), dtype=bool)

    class Alike:
        def alike(self):
            return everything

        def __getattr__(self, name):
            return getattr(found.pairwise, name)

    text = next(f.text for f in find(replace(found, pairwise=Alike())) if f.code == "BF103")

    assert text.endswith("and 4947 more.")
    assert len(text) < 300


def test_features_that_may_go_are_told_with_how_sure_that_is(made):
    """On rows held out, with the interval; else with the warning that the rows chose."""
    path = made("chosen").selection
    alone = replace(path, holdout=None)

    assert path.holdout.word == "as good"
    assert text_of(made("chosen"), "BF401").startswith("2 of 4 features lose nothing measurable on 81 rows held out (-")
    assert "<script>alert(1)</script>, " in text_of(made("chosen"), "BF401")
    assert "on the rows that chose them" in text_of(replace(made("chosen"), selection=alone), "BF401")


def test_features_that_are_needed_or_not_shown_to_help_are_no_finding(made):
    """Worse on rows held out, worse than all, all of them, or noise."""
    path = made("chosen").selection
    changed = [
        replace(path, holdout=replace(path.holdout, difference_low=0.01, difference_high=0.1)),
        replace(path, holdout=None, all_cross_rate=0.0),
        replace(path, n_all=2),
        replace(path, shown=np.zeros(2, dtype=bool)),
    ]

    for other in changed:
        assert "BF401" not in codes(replace(made("chosen"), selection=other))


def test_a_lower_floor_is_a_finding_where_another_is_shown_to_be_worse(made):
    """Equals are no finding."""
    found = made("chosen")
    equal = tuple("best" if word == "best" else "as good" for word in found.comparison.word)

    assert text_of(found, "BF402").startswith(f"A lower floor: {show_labels([found.comparison.best_])[0]}, ")
    assert "; shown to be worse: noise." in text_of(found, "BF402")
    assert "BF402" not in codes(replace(found, comparison=replace(found.comparison, word=equal)))


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("room left", "BF403"),
        ("at the floor", "BF404"),
        ("below the floor", "BF405"),
        ("between the bounds", "BF406"),
        ("room not shown", "BF406"),
    ],
)
def test_a_model_is_told_where_it_stands(made, word, code):
    """One code for each word of the gap, where no classifier tried here does better."""
    found = made("chosen")
    found = replace(found, envelope=replace(found.envelope, errors={"linear": 0.9}))
    told = replace(found, gap=replace(found.gap, overall=replace(found.gap.overall, word=word)))

    assert [c for c in codes(told) if "BF403" <= c <= "BF406"] == [code]
    assert word in text_of(told, code)


@pytest.mark.parametrize(("upper", "code", "told"), [(0.19, "BF403", "there is room."), (0.3, "BF406", "may be room.")])
def test_a_model_is_not_at_the_floor_where_a_classifier_does_better(made, altered, upper, code, told):
    """The trees' bounds may be too high; two findings must not contradict each other."""
    found = altered(made("chosen"), envelope={"errors": {"linear": 0.05}, "upper": upper})
    whole = replace(found.gap.overall, word="at the floor", error=0.24, low=0.2)
    found = replace(found, gap=replace(found.gap, overall=whole))

    assert [c for c in codes(found) if "BF403" <= c <= "BF406"] == [code]
    assert text_of(found, code).endswith(
        f"But linear errs on 5.0 % of held-out rows: there {told.removeprefix('there ')}"
    )


def test_without_a_model_a_selection_or_a_comparison_nothing_is_told_of_them(made):
    """They are there only where they were asked for."""
    assert not [code for code in codes(made("iris")) if code.startswith("BF4")]
