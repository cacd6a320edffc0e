"""Findings: what is there is told, what cannot be seen is not; and the rows of pairs and classes, hardest first."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bayesfloor import check
from bayesfloor.answer import Basis, Reason
from bayesfloor.summary._explain import CODES
from bayesfloor.summary._findings import (
    _BY_IMPORTANCE,
    FEW_ROWS,
    TOO_SMALL,
    _rank,
    class_rows,
    find,
    hardest_pairs,
    pair_rows,
)
from bayesfloor.summary._verdict import reason_text
from bayesfloor.support._words import about, percent


def codes(found):
    return [finding.code for finding in found.findings]


def text_of(found, code):
    return next(finding.text for finding in found.findings if finding.code == code)


def test_every_code_of_a_finding_has_its_place():
    """A new code without one would break the check that first finds it."""
    assert sorted(_BY_IMPORTANCE) == [code for code in CODES if not code.startswith("BF3")]


def test_findings_are_whole_sentences_that_start_with_their_headline(each):
    """They stand alone in a log, one line a code; one screen shows nothing of them but the headline."""
    assert len(set(codes(each))) == len(codes(each))
    for finding in each.findings:
        assert finding.text.startswith(finding.headline)
        assert finding.text.endswith(".")
        assert finding.headline.endswith(".")
        assert finding.text[0].isupper() or finding.text[0].isdigit()
        assert finding.to_dict() == {"code": finding.code, "text": finding.text, "look": finding.look}


def test_the_most_important_come_first_and_every_weak_trait_is_there(each):
    """The user's model, faults in the data, the classes responsible, how the answer was found."""
    doubts = sorted(code for code in codes(each) if code.startswith("BF2"))

    assert doubts == [trait.code for trait in each.traits if trait.weak]

    ranks = [_rank(each, code) for code in codes(each)]

    assert ranks == sorted(ranks)


def test_no_signal_is_found_where_no_learner_sees_one(made, altered):
    """Whatever the test of the trees says, and the other way round."""
    assert "BF101" in codes(made("noise"))
    assert "BF101" not in codes(made("iris"))
    assert "BF101" not in codes(altered(made("iris"), overall={"p_value": 1.0}))
    assert "BF101" in codes(altered(made("iris"), answer={"reasons": (Reason(Basis.NO_SIGNAL),)}))


def test_conflicts_are_counted(made, gaussians):
    """Equal rows with other labels are a bound that assumes nothing; real numbers have none."""
    X, y = gaussians(0, [40, 40], shift=20.0)
    found = check(np.vstack([X, X[:3]]), np.r_[y, 1 - y[:3]])

    assert text_of(found, "BF102").startswith("6 rows have an equal row with a different label")
    assert "at least 3.6 %" in text_of(found, "BF102")
    assert "BF102" not in codes(made("two classes"))


def test_classes_of_one_distribution_are_alike(made):
    """Merging them loses nothing, and leaves next to no floor; those far away stay out of it."""
    found = made("alike")
    after, before = found.merge.after, found.merge.before

    assert text_of(found, "BF103") == (
        "These classes cannot be separated: 0 and 1. Merge them, or add a feature that separates them. With 2 classes "
        f"left, the best estimate of the lowest possible error is {percent(after.estimate)} % instead of "
        f"{percent(before.estimate)} %."
    )
    assert before.estimate == found.answer.estimate
    assert after.upper < 0.02
    assert before.upper > 0.2
    assert "BF104" not in codes(made("alike"))  # they would be the hardest pair as well


@pytest.mark.slow
def test_two_classes_that_are_alike_have_nothing_left_to_tell(gaussians):
    """Merged, they would be one: there is no floor of that."""
    found = check(*gaussians(1, [300, 300], shift=0.0))

    assert text_of(found, "BF103") == (
        "These classes cannot be separated: 0 and 1. Merge them, or add a feature that separates them."
    )


def test_the_hardest_pair_is_the_first_of_the_table(made):
    """One order everywhere, with the figures of the answer."""
    pairs = made("iris").pairs
    told = about(pairs.estimate[1, 2], pairs.lower[1, 2], pairs.upper[1, 2])

    assert text_of(made("iris"), "BF104") == (
        f"Hardest pair: 1 and 2, error between them {told}. That is {percent(pairs.relative[1, 2])} % relative to "
        "guessing between the two. A feature that separates them would help."
    )


@pytest.mark.parametrize("kind", ["separate", "two classes", "hostile"])
def test_no_pair_is_the_hardest_where_there_is_nothing_to_rank(made, kind):
    """Nothing was seen, there is but one, or all have too few rows."""
    assert "BF104" not in codes(made(kind))


def test_a_pair_too_small_to_measure_is_never_the_hardest(made):
    """Not even with the largest figure."""
    found = made("target")
    error = found.pairs.error.copy()
    one, two = np.unravel_index(np.argmax(found.pairs.relative), error.shape)
    error[one, two] = error[two, one] = 0.0

    assert text_of(replace(found, pairs=replace(found.pairs, error=error)), "BF104") != text_of(found, "BF104")


def test_suspicious_labels_are_counted(made):
    found = made("suspects")
    one, none = (replace(found, suspicious=replace(found.suspicious, n_suspect=n)) for n in (1, 0))
    wrong = percent(found.budget.part("wrong labels").loss)

    assert found.suspicious.n_suspect == 14
    assert text_of(found, "BF105") == (
        "14 labels disagree with their neighbours (7.0 % of rows): wrong, or the classes overlap there. "
        f"Wrong labels seem to cause about {wrong} points of the error; not all of them stand out. "
        "To look at them: bayesfloor samples, or .suspicious."
    )
    assert " Such labels may explain much of the lowest possible error. " in text_of(
        replace(found, budget=None), "BF105"
    )
    assert text_of(replace(one, budget=None), "BF105") == (
        "1 label disagrees with its neighbours (0.50 % of rows): wrong, or the classes overlap there. "
        "To look at them: bayesfloor samples, or .suspicious."
    )
    assert "BF105" not in codes(none)


def test_labels_and_conflicts_come_before_classes_only_if_they_make_up_much_of_the_error(made):
    """Where classes overlap labels are not the cause; a few equal rows do not hold the accuracy back."""
    found = codes(made("target"))
    few_errors = replace(made("target"), answer=replace(made("target").answer, estimate=0.04))

    assert found.index("BF104") < found.index("BF105")
    assert codes(few_errors)[0] == "BF105"

    found = replace(made("target"), suspicious=replace(made("target").suspicious, n_conflict=2))
    little, much = (replace(found, overall=replace(found.overall, conflict=part)) for part in (0.001, 0.1))

    assert codes(little).index("BF102") > codes(little).index("BF105")
    assert codes(much)[0] == "BF102"


def test_the_harder_of_two_classes_is_named_if_most_errors_are_there(made):
    """The others are the same for both, or too few to tell."""
    found = made("two classes")
    part, error = np.array([0.2, 0.8]), np.array([0.1, 0.5])
    uneven = replace(found, classes=replace(found.classes, part=part, error=error, estimate=error))
    few = replace(uneven, classes=replace(uneven.classes, error=error / 10))
    row = uneven.classes

    assert text_of(uneven, "BF104").startswith(
        f"Hardest class: 1, with errors on {about(0.5, row.lower[1], row.upper[1])} of its rows: 80.0 % of all errors."
    )
    assert "BF104" not in codes(few)


@pytest.fixture(scope="module")
def misspelled():
    """Iris, with a tenth of the labels in capitals and one typo."""
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)[y]
    names[2::3] = [name.upper() for name in names[2::3]]
    names[0] = "setsoa"
    return X, names


def test_spellings_of_one_class_come_first_and_are_no_hard_pair(misspelled):
    """They cannot be separated, but that says nothing of the features."""
    found = check(*misspelled, effort="quick")

    assert codes(found)[0] == "BF106"
    assert text_of(found, "BF106") == (
        "7 labels look like spellings of 3 classes: merge them with --clean-labels, or clean_labels=True. These differ "
        "only by case or spaces: setosa = SETOSA, versicolor = VERSICOLOR, virginica = VIRGINICA. These look like "
        "typos: setsoa (1 row) for setosa. It counts as a class of its own: correct the label, or leave out its row."
    )
    assert Reason(Basis.SPELLINGS, (7, 3)) in found.answer.reasons
    assert found.verdict.endswith(
        " But 7 labels look like spellings of 3 classes: first merge them (--clean-labels, or clean_labels=True)."
    )
    named = " ".join(finding.text for finding in found.findings if finding.code in ("BF103", "BF104"))
    assert "VERSICOLOR and versicolor" not in named
    assert "VIRGINICA and virginica" not in named


def test_typos_left_after_cleaning_limit_the_answer(misspelled):
    """Nobody merges them: a rare class can look like one."""
    found = check(*misspelled, clean_labels=True, effort="quick")

    assert found.facts.n_classes == 4
    assert str(found.prepared) == "Prepared: merged 6 spellings into 3 classes"
    assert text_of(found, "BF106") == (
        "1 label looks like a typo; correct it in the data: setsoa (1 row) for setosa. It counts as a class of its "
        "own: correct the label, or leave out its row."
    )
    assert Reason(Basis.TYPOS, (1,)) in found.answer.reasons
    assert "BF120" not in codes(found)  # a typo is no rare class
    assert "setsoa" not in found.verdict
    assert "spellings" not in found.verdict
    assert found.answer.reliability != "good"


def test_a_class_that_is_hard_in_several_pairs_is_named_instead_of_a_pair(made):
    """With one hard pair, the pair says more."""
    found = made("target")
    part, error, relative = np.array([0.1, 0.7, 0.2]), np.array([0.1, 0.8, 0.1]), np.zeros((3, 3))
    relative[1, :] = relative[:, 1] = 0.4
    pairs = replace(found.pairs, estimate=relative * found.pairs.guessing, error=relative)
    both = replace(found, classes=replace(found.classes, part=part, error=error, estimate=error), pairs=pairs)
    relative[1, 2] = relative[2, 1] = 0.1
    one = replace(both, pairs=replace(pairs, estimate=relative * found.pairs.guessing))

    assert text_of(both, "BF104").startswith("Hardest class: 1, ")
    assert text_of(one, "BF104").startswith("Hardest pair: 0 and 1, ")


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

    alike = next(each for each in find(replace(found, pairwise=Alike())) if each.code == "BF103")

    assert alike.headline.endswith("and 4947 more.")
    assert len(alike.text) < 300


@pytest.mark.parametrize(
    ("word", "code"),
    [("room to improve", "BF403"), ("at the floor", "BF404"), ("below the floor", "BF405"), ("no room shown", "BF406")],
)
def test_a_model_is_told_where_it_stands(made, word, code):
    """One code for each word of the gap, in the gap's own words; none where no model was given."""
    found = made("chosen")
    told = replace(found, gap=replace(found.gap, overall=replace(found.gap.overall, word=word)))

    assert [c for c in codes(told) if "BF403" <= c <= "BF406"] == [code]
    assert told.gap.tell(*map(reason_text, told.gap.reasons[:1])) in text_of(told, code)
    assert word in told.gap.text
    assert not [c for c in codes(made("iris")) if c.startswith("BF4")]


def with_tests(found, error, **values):
    """The check with another error of the model, other results of its tests, and no lower end."""
    overall = replace(found.gap.overall, error=error, lower=np.nan, word="no room shown")
    return replace(found, gap=replace(found.gap, overall=overall, too_good=replace(found.gap.too_good, **values)))


def test_a_model_that_has_seen_labels_comes_first(made):
    """What it gets right, what chance would give, and the p-value."""
    seen = {"n_equal": 60, "n_right": 57, "expected": 30.2, "equal_p_value": 0.001}
    found = with_tests(made("chosen"), 0.1, **seen)

    assert codes(found)[0] == "BF407"
    assert found.findings[0].headline == (
        "Among equal rows with different labels, your model gets 57 of 60 right; "
        "chance would give about 30 (p = 0.001)."
    )
    assert "BF407" not in codes(with_tests(made("chosen"), 0.1, **{**seen, "equal_p_value": 0.2}))


PAIR_FIGURES = ("estimate", "lower", "upper", "error", "guessing", "relative", "n_rows")
CLASS_FIGURES = ("n_rows", "estimate", "lower", "upper", "error", "part")


def test_pairs_without_a_confusion_are_never_ranked(each):
    """Nothing is known of them but that it is little; all others are there, once."""
    pairs = {(row.one, row.two) for row in pair_rows(each)}
    one, two = np.triu_indices(len(each.labels), 1)

    assert len(pairs) == len(pair_rows(each))
    assert pairs == {(i, j) for i, j in zip(one.tolist(), two.tolist(), strict=True) if each.pairs.error[i, j] > 0}


def test_too_small_is_no_confusion_in_cross_validation(made):
    """One rule; a class is not confused with itself."""
    found = made("iris")

    assert found.pairs.too_small.tolist() == [[True, True, True], [True, True, False], [True, False, True]]
    unknown = replace(found.pairs, error=np.full((3, 3), np.nan))
    assert unknown.too_small.all()  # classes that no row was tested of


def test_pairs_are_in_order_with_the_figures_of_the_answer(each):
    """Hardest first, relative to guessing; the best estimate is inside the range and never above guessing."""
    rows = pair_rows(each)
    keys = [(row.note != "", -row.relative) for row in rows]

    assert keys == sorted(keys)  # those of classes with too few rows last
    np.testing.assert_equal(pair_rows(each, 3), rows[:3])
    assert [(row.one, row.two) for row in rows] == list(zip(*(at.tolist() for at in hardest_pairs(each)), strict=True))
    for row in rows:
        assert row.one < row.two
        for name in PAIR_FIGURES:
            np.testing.assert_equal(getattr(row, name), getattr(each.pairs, name)[row.one, row.two])
        assert (row.note == FEW_ROWS) == (each.classes.n_rows[[row.one, row.two]].min() < 30)
        assert 0 <= row.estimate <= min(row.upper, row.guessing) + 1e-12
        assert not row.lower > row.estimate + 1e-12
        assert row.upper <= 0.5


def test_a_pair_of_two_classes_is_the_whole(made):
    (row,), answer = pair_rows(made("two classes")), made("two classes").answer

    assert (row.estimate, row.lower, row.upper) == (answer.estimate, answer.lower, answer.upper)


def test_classes_are_in_order_with_the_figures_of_the_answer(each):
    """What is too uncertain, or nothing, must not lead the table; the parts of all errors add up."""
    rows = class_rows(each)
    keys = [(row.note != "", -row.estimate) for row in rows]
    total = sum(row.part for row in rows)

    assert keys == sorted(keys)
    assert sorted(row.number for row in rows) == list(range(len(each.labels)))
    np.testing.assert_equal(class_rows(each, 2), rows[:2])
    for row in rows:
        for name in CLASS_FIGURES:
            np.testing.assert_equal(getattr(row, name), getattr(each.classes, name)[row.number])
        assert (row.note == FEW_ROWS) == (row.n_rows < 30)
        assert (row.note == TOO_SMALL) == (row.n_rows >= 30 and not row.error > 0)
    assert total == pytest.approx(1) or total == 0
