"""Findings: what is there is told, what cannot be seen is not."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor import check
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


def test_classes_of_one_distribution_are_alike(gaussians):
    """Merging them loses nothing; those far away stay out of it."""
    X, y = gaussians(1, [200, 200, 100], shift=0.0)
    X[y == 2] += 30
    found = check(X, y, learners={})

    assert "BF103" in codes(found)
    assert "0 and 1" in text_of(found, "BF103")
    assert "2" not in text_of(found, "BF103").replace("BF", "")


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
