"""The verdict: numbers in words, the sentence to quote, a model's own headline, and what accuracy hides."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import norm

from bayesfloor import Check, check
from bayesfloor.answer import Basis, Reason
from bayesfloor.decide._gap import AT, BELOW, NOT_SHOWN, ROOM
from bayesfloor.summary._text import to_full_text
from bayesfloor.summary._verdict import (
    hidden_by_accuracy,
    points,
    rare_class,
    reason_text,
    verdict_words,
)
from bayesfloor.support._words import accuracy, how_many, percent, span, target_text

SHARES = st.floats(0, 1)


@given(SHARES)
@example(0.0)
@example(1e-300)
@example(4.9e-5)
@example(0.00995)
@example(0.0099499999)
@example(0.0625)
@example(0.99996)
@example(1.0)
def test_percentages_are_short_never_absurd_and_add_up(share):
    """Error and accuracy stand in one sentence; no sign, no exponent, nothing above 100, and never all of it."""
    error, right = percent(share), accuracy(share)

    assert re.fullmatch(r"\d{1,3}\.\d|0\.\d\d", error)
    assert error != "0.00"
    assert float(error) <= 100
    assert abs(float(error) - 100 * share) <= 0.0501
    assert re.fullmatch(r"\d{1,2}\.\d\d?|100\.0", right)
    assert float(error) + float(right) == pytest.approx(100, abs=1e-9)


def test_there_is_no_minus_zero_and_what_is_not_known_says_so():
    """Rounding errors are no debts, and "nan" is no word."""
    for share in (-0.0, -1e-12, -1e-5):
        assert not percent(share).startswith("-")
        assert not span(share, 0.1).startswith("-")
        assert accuracy(share) == "100.0"
    assert percent(np.nan) == percent(np.inf) == "unknown"


@given(st.tuples(SHARES, SHARES).map(sorted))
def test_spans_never_run_backwards(ends):
    """Two numbers of different decimals keep their order."""
    low, high = re.fullmatch(r"([\d.]+) to ([\d.]+) %", span(*ends)).groups()

    assert float(low) <= float(high) + 1e-9


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "row", "0 rows"),
        (1.0, "row", "1 row"),
        (2, "class", "2 classes"),
        (1, "class", "1 class"),
        (1_000_000, "row", "1,000,000 rows"),
        (123_456_789.0, "row", "123,456,789 rows"),
    ],
)
def test_counts_have_their_plural_and_all_their_digits(number, noun, text):
    """A million rows are no 1e+06 rows."""
    assert how_many(number, noun) == text


@pytest.mark.parametrize(
    ("target", "text"),
    [(0.9, "90 %"), (0.95, "95 %"), (0.999, "99.9 %"), (1, "100 %"), (0.123456, "12.3456 %"), (1 / 3, "33.3333 %")],
)
def test_targets_are_no_longer_than_they_have_to_be(target, text):
    """As they were typed; six nines are much less than everything."""
    assert target_text(target) == text
    assert target_text(0.9999999) != "100 %"


@pytest.fixture
def asked(made, altered, spread):
    """Sentence for a target, with a best estimate of 15 % and a range of 10 to 20 %: (target, figures) -> sentence."""

    def ask(target, **figures):
        given = {"estimate": 0.15, "lower": 0.1, "upper": 0.2, "guessing": 0.45, "reasons": (), **figures}
        given.setdefault("forecast", spread(np.nan_to_num(given["lower"]), given["estimate"], given["upper"]))
        return verdict_words(altered(made("two classes"), answer=given).answer, target).text

    return ask


NONE = {"lower": np.nan, "why_lower": None}
PROVED = {"why_lower": Reason(Basis.EQUAL_ROWS)}
NO_SIGNAL = {"reasons": (Reason(Basis.NO_SIGNAL),)}
# Too few rows are the reason, whatever else is wrong with them.
NO_CURVE = {"forecast": None, "reasons": (Reason(Basis.SPELLINGS, (2, 1)), Reason(Basis.FEW_ROWS, (50,)))}
UNKNOWN = {
    Reason(
        Basis.LATER, (0.2, 0.1, 0.3, 5)
    ): "For later periods there is no ceiling: measure it again when they are over.",
    Reason(Basis.UNDECIDED, (0.5,)): "Say which they are: --duplicates cases (or copies), or duplicates=.",
    Reason(Basis.SYNTHETIC, (0.4,)): "Check only real rows: leave out those that were made from others.",
    Reason(Basis.UNTRAINED): "More rows would decide it.",
}


LITTLE = {"lower": 0.0005, "reliability": "upper limit only", **PROVED}
AT_BEST = "At best about 85.0 % accuracy on these features (error 15.0 %, "
NO_LEARNER = (
    "No signal found: no learner does clearly better than guessing, and always predicting the most frequent class "
)
PROOF = "Equal rows with different labels prove that the lowest possible error is at least 10.0 %."
OUT, REACHABLE = (
    "95 % accuracy is out of reach ",
    "accuracy is reachable on these features: the lowest possible error is at most ",
)
LEAST, GUESSED = "the lowest possible error is at least 10.0 %", "always predicting the most frequent class reaches it"
AROUND = "the lowest possible error is about 15.0 % (10.0 to 20.0 %)."
KINDS = "for the kinds of model tried, even with more rows (under 5 %)"
ITSELF = "accuracy is reachable"
UNSAID = f"These data cannot say whether 85 % {ITSELF}: "
SENTENCES = [
    (None, {}, f"{AT_BEST}range 10.0 to 20.0 %)."),
    (None, NONE, f"{AT_BEST}at most 20.0 %; these data give no lower limit)."),
    (None, PROVED, f"{AT_BEST}range 10.0 to 20.0 %; equal rows with different labels prove the lower end)."),
    # from 0.05 to 20 % would look like a wide range
    (None, LITTLE, f"{AT_BEST}at most 20.0 %; these data give no useful lower limit)."),
    (None, LITTLE | {"lower": 1e-5}, f"{AT_BEST}at most 20.0 %; these data give no useful lower limit)."),
    (None, NONE | NO_SIGNAL, f"{NO_LEARNER}is wrong on 45.0 % of rows."),
    (None, PROVED | NO_SIGNAL, f"{NO_LEARNER}is wrong on 45.0 % of rows. {PROOF}"),
    (0.95, PROVED, f"{OUT}on these features: {LEAST} (proved by equal rows with different labels)."),
    # another kind of model may find more
    (0.95, {}, f"{OUT}{KINDS}: {AROUND}"),
    (0.75, {}, f"75 % {REACHABLE}20.0 % (95 % confidence)."),
    # the most frequent class is always there; how frequent it is was measured, unless it was given
    (0.4, {"upper": 0.45}, f"40 % {REACHABLE}45.0 % ({GUESSED})."),
    (0.4, {"upper": 0.47}, f"40 % {REACHABLE}47.0 % ({GUESSED}, 95 % confidence)."),
    (0.4, {"upper": 0.5, "guessing": 0.5}, f"40 % {REACHABLE}50.0 % (always predicting the same class reaches it)."),
    # as likely as the forecast says, and never more so by rounding
    (0.815, {}, f"81.5 % accuracy is likely to be reachable (83 %): {AROUND}"),
    (0.82, {}, f"It is open whether 82 % {ITSELF} (78 %): {AROUND}"),
    (0.88, {}, f"It is open whether 88 % {ITSELF} (21 %): {AROUND}"),
    (0.89, {}, f"89 % accuracy is unlikely to be reachable (12 %): {AROUND}"),
    # features may still say something that no learner tried finds
    (0.852, NO_SIGNAL, f"It is open whether 85.2 % {ITSELF} (48 %). {NO_LEARNER}is wrong on 45.0 % of rows."),
    # what nothing is known of, whatever a forecast says, but for what is proved
    *((0.85, {"reasons": (reason,)}, f"{UNSAID}{reason_text(reason)}. {advice}") for reason, advice in UNKNOWN.items()),
    (0.85, NO_CURVE, f"{UNSAID}too few rows: fewer than 50 per class. More rows would decide it."),
    (0.85, {"forecast": None}, f"{UNSAID}too few rows: no learner could be trained. More rows would decide it."),
    (0.95, PROVED | NO_CURVE, f"{OUT}on these features: {LEAST} (proved by equal rows with different labels)."),
    (0.75, NO_CURVE, f"75 % {REACHABLE}20.0 % (95 % confidence)."),
]


@pytest.mark.parametrize(("target", "figures", "sentence"), SENTENCES)
def test_the_verdict_is_a_sentence_to_quote(asked, target, figures, sentence):
    """With what it rests on; a range without a lower end is none, and no signal promises nothing."""
    assert asked(target, **figures) == sentence


def test_numbers_that_are_compared_never_look_equal_unless_they_are(asked):
    """90 % out of reach with an error of "at least 10.0 %" would contradict itself."""
    assert "at least 10.02 % (proved" in asked(0.9, lower=0.1002, **PROVED)
    assert asked(0.9, lower=0.1002).endswith("(10.02 to 20.0 %).")
    assert "at most 19.98 %" in asked(0.8, upper=0.1998)
    assert "(10.0 to 20.03 %)" in asked(0.8, upper=0.2003)
    assert asked(0.8).endswith("at most 20.0 % (95 % confidence).")


SAID = re.compile(
    r"(?:accuracy is|of [0-9.]+ is|It is|These data) (reachable|likely|open|unlikely|out of reach|cannot say)\b"
)


def test_the_sentence_and_the_outcome_agree(each):
    for target in (0.2, 0.5, 0.8, 0.9, 0.95, 0.99, 1.0):
        text, word = verdict_words(each.answer, target).text, each.answer.verdict(target)

        assert SAID.search(text)[1] == word
        if word in ("likely", "open", "unlikely"):
            assert f" ({int(100 * each.answer.chance(target) + 1e-9)} %)" in text


@pytest.mark.parametrize(
    ("share", "told"),
    [(0.123, "+12.3"), (-0.004, "-0.40"), (0.0, "0.0"), (1e-9, "+0.0"), (float("inf"), "unknown"), (-1.0, "-100.0")],
)
def test_differences_have_a_sign(share, told):
    """More or less is the first thing to know."""
    assert points(share) == told


def after_model(found, word):
    """The verdict's words, had the comparison with the model come out like this."""
    return replace(found, model_score=replace(found.model_score, word=word)).words


def test_a_model_comes_first_and_a_target_after_it(made, altered):
    """The model's accuracy, the best possible one, and a learner that anyone can train; then the verdict on data."""
    found = made("chosen")
    words, asked = after_model(found, ROOM), replace(found, target=0.5)
    no_end = after_model(altered(found, answer={"lower": np.nan, "why_lower": None}), ROOM)

    assert found.model_score.loss == found.gap.overall.error
    assert words.headline.startswith(
        f"Your model: {accuracy(found.model_score.loss)} % accuracy. Best possible: about "
    )
    assert words.headline.endswith(". Room to improve")
    assert words.text.endswith(" in cross-validation.")
    assert asked.words.headline == found.words.headline
    assert asked.words.below.endswith(verdict_words(asked.answer, 0.5).text)
    assert asked.verdict.endswith(asked.words.below[-40:])
    assert "% (at least " in no_end.headline


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (AT, "At the floor: a better model will not help, but better features may."),
        (NOT_SHOWN, "No room shown: these rows cannot tell your model from the best possible one."),
        (BELOW, "That looks too good to be true: test your model on rows that it was not trained on."),
    ],
)
def test_each_conclusion_has_its_words(made, word, said):
    """One sentence for each conclusion about a model that is as good as the best learner."""
    found = made("chosen")
    found = replace(found, model_score=replace(found.model_score, loss=0.0))

    assert said in after_model(found, word).text


SHIFT = 2.5
FLOOR = norm.cdf(-SHIFT / 2)  # of two equally frequent classes


def draw(seed, n, rare, shift=SHIFT):
    """Two normal classes, so far apart; a fraction of the rows has the label yes."""
    rng = np.random.default_rng([seed, 3])
    y = rng.random(n) < rare
    X = rng.standard_normal((n, 2))
    X[y, 0] += shift
    return X, np.where(y, "yes", "no")


@pytest.fixture(scope="module")
def rare():
    """A check of a class with 2 % of the rows; tests only look at it."""
    return check(*draw(0, 4000, 0.02, shift=5.0))


@pytest.mark.parametrize(
    ("sizes", "rarest"),
    [([98, 2], 1), ([4, 96], 0), ([94, 6], None), ([10] * 30, None), ([10] * 29 + [2], 29), ([60, 37, 3], 2)],
)
def test_a_class_is_rare_below_5_percent_and_far_below_the_others(sizes, rarest):
    """Of 30 equal classes, each has 3 %."""
    assert rare_class(np.array(sizes, dtype=float)) == rarest


def test_what_accuracy_hides_is_said_in_the_verdict(rare):
    """Which stands on every surface."""
    assert f" Always predicting no gives {100 - 100 * rare.answer.guessing:.1f} %. " in rare.verdict
    assert " finds about 93.7 % of the rows of yes (" in rare.verdict
    assert hidden_by_accuracy(np.array([60.0, 37, 3]), ["a", "b", "c"]) == "Never predicting c costs only 3.0 points."
    assert hidden_by_accuracy(np.array([100.0] * 99 + [1]), [f"c{k}" for k in range(100)]) == ""
    assert hidden_by_accuracy(np.array([60.0, 40]), ["a", "b"]) == ""


def test_a_rare_class_is_a_finding_with_its_recall_and_a_line_of_its_own(rare, made):
    """And with what to type; the error between two classes does not say which of them is missed."""
    text = next(finding.text for finding in rare.findings if finding.code == "BF120")

    assert text.startswith("Class yes is only ")
    assert "The most accurate classifier finds about" in text
    assert "--metric roc_auc, or metric='roc_auc' (or balanced_accuracy)" in text
    assert "BF120" not in [finding.code for finding in made("two classes").findings]
    assert any(line.startswith("yes ") for line in to_full_text(rare).partition("hardest classes")[2].splitlines())


def test_a_signal_that_accuracy_does_not_show_is_not_denied():
    """No classifier is much more accurate than guessing, yet four of five rows of the rare class can be found."""
    found = check(*draw(0, 4000, 0.02))

    assert [reason.basis for reason in found.answer.reasons] == [Basis.RANKING]
    assert " Always predicting no gives 97.9 %. The most accurate classifier finds about " in found.verdict
    assert "BF101" not in [finding.code for finding in found.findings]


def test_a_balanced_check_answers_for_balanced_classes():
    """In its figures and in its words."""
    balanced = check(*draw(0, 4000, 0.02), target=0.7, priors="balanced")
    text = " ".join(repr(balanced).split())

    assert balanced.answer.guessing == 0.5
    assert balanced.facts.priors == (0.5, 0.5)
    assert "70 % balanced accuracy is reachable" in balanced.verdict
    assert "balanced classes" in text
    assert " 4,000 rows · " in text
    assert balanced.facts.n_used == balanced.answer.n_rows == 4000
    assert balanced.classes.n_rows.sum() == balanced.pairs.n_rows[0, 1] == 4000
    assert "guessing 50.0 % balanced accuracy (error 50.0 %): always the same class" in text
    assert not {"BF120", "BF206"} & {finding.code for finding in balanced.findings}
    assert Check.from_json(balanced.to_json()).facts.priors == (0.5, 0.5)


@pytest.mark.slow
@pytest.mark.usefixtures("real_race")
def test_the_range_holds_the_lowest_error_of_balanced_classes():
    """Of two normal classes it is known; at most one range of ten may miss it."""
    held = 0
    for seed in range(10):
        answer = check(*draw(seed, 5000, 0.02), priors="balanced", effort="quick").answer
        held += np.nan_to_num(answer.lower) <= FLOOR <= answer.upper
        assert answer.upper - FLOOR < 0.12  # a subsample has only 100 rows of each class

    assert held >= 9


@pytest.mark.parametrize("priors", [{"no": 0.7, "yes": 0.3}, [0.7, 0.3], {"no": 70, "yes": 30}])
def test_proportions_may_be_given_by_class(priors):
    """By name or in the order of the classes; they need not add up to 1."""
    found = check(*draw(1, 1000, 0.2), priors=priors)

    assert found.facts.priors == pytest.approx((0.7, 0.3))
    assert found.answer.guessing == pytest.approx(0.3, abs=0.01)
    assert "class proportions no 70.0 %, yes 30.0 %" in " ".join(repr(found).split())
    assert json.loads(found.to_json())["facts"]["priors"] == pytest.approx([0.7, 0.3])


def test_classes_of_proportions_are_known_or_refused():
    """Numbers may be named as text, as on the command line; a typo would give another problem's answer."""
    X, y = draw(1, 500, 0.3)

    assert check(X, (y == "yes").astype(int), priors={"0": 0.5, "1": 0.5}).facts.balanced
    with pytest.raises(ValueError, match=r"Got priors for \['no', 'yess'\], but expected one for each of"):
        check(X, y, priors={"no": 0.5, "yess": 0.5})


def test_a_model_is_compared_at_the_same_proportions():
    """Always predicting the frequent class is half wrong if classes are balanced, on whatever rows it is tested."""
    X, y = draw(2, 3000, 0.05)
    found = check(X, y, priors="balanced", predictions=np.full(3000, "no"))

    assert found.gap.overall.error == pytest.approx(0.5)
    assert found.gap.overall.n_rows == found.gap.sizes.sum() == 3000
    assert found.gap.overall.word == "room to improve"
    assert found.gap.by_pair.error == pytest.approx(0.5)
    assert "class proportions here differ" not in found.gap.text
