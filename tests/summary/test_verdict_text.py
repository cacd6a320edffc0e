"""Numbers in words: never absurd, never at odds with one another."""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bayesfloor.answer import Basis, Reason
from bayesfloor.summary._verdict import accuracy, points, target_text, verdict_words
from bayesfloor.support._words import how_many, percent, span

SHARES = st.floats(0, 1)


@given(SHARES)
@example(0.0)
@example(1e-300)
@example(1e-5)
@example(0.00995)
@example(0.0099499999)
@example(0.99996)
@example(1.0)
def test_percentages_are_short_and_never_absurd(share):
    """One decimal, two below 1 %; no sign, no exponent, and nothing above 100."""
    text = percent(share)

    assert re.fullmatch(r"\d{1,3}\.\d|0\.\d\d", text)
    assert text != "0.00"
    assert float(text) <= 100
    assert abs(float(text) - 100 * share) <= 0.0501


@given(SHARES)
@example(1e-5)
@example(4.9e-5)
@example(1e-300)
@example(1.0)
@example(0.9999999)
def test_accuracies_are_short_and_never_absurd(error):
    """100.00 % would claim what no data can show."""
    text = accuracy(error)

    assert re.fullmatch(r"\d{1,2}\.\d\d?|100\.0", text)


@given(SHARES)
@example(0.0625)
@example(0.1235)
@example(0.00125)
def test_error_and_accuracy_add_up(error):
    """Both stand in one sentence, and readers add."""
    assert float(percent(error)) + float(accuracy(error)) == pytest.approx(100, abs=1e-9)


@pytest.mark.parametrize("share", [-0.0, -1e-12, -1e-5])
def test_there_is_no_minus_zero(share):
    """Rounding errors are no debts."""
    assert not percent(share).startswith("-")
    assert not span(share, 0.1).startswith("-")
    assert accuracy(share) == "100.0"


@pytest.mark.parametrize("share", [np.nan, np.inf])
def test_what_is_not_known_says_so(share):
    """Not "nan"."""
    assert percent(share) == "unknown"


@given(st.tuples(SHARES, SHARES).map(sorted))
def test_spans_never_run_backwards(ends):
    """Two numbers of different decimals keep their order."""
    low, high = re.fullmatch(r"([\d.]+) to ([\d.]+) %", span(*ends)).groups()

    assert float(low) <= float(high) + 1e-9


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "row", "0 rows"),
        (1, "row", "1 row"),
        (1.0, "row", "1 row"),
        (2, "class", "2 classes"),
        (1, "class", "1 class"),
        (1797, "row", "1,797 rows"),
        (999_999, "row", "999,999 rows"),
        (1_000_000, "row", "1,000,000 rows"),
        (1_234_567, "row", "1,234,567 rows"),
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
    """As they were typed."""
    assert target_text(target) == text


def test_targets_close_to_all_are_not_all():
    """Six nines are much less than everything."""
    assert target_text(0.9999999) != "100 %"


@pytest.fixture
def asked(made, altered):
    """Sentence for a target, with a best estimate of 15 % and a range of 10 to 20 %: (target, figures) -> sentence."""

    def ask(target, **figures):
        given = {"estimate": 0.15, "lower": 0.1, "upper": 0.2, "guessing": 0.45, "reasons": (), **figures}
        return verdict_words(altered(made("two classes"), answer=given).answer, target).text

    return ask


NONE = {"lower": np.nan, "why_lower": None}
PROVED = {"why_lower": Reason(Basis.EQUAL_ROWS)}
NO_SIGNAL = {"reasons": (Reason(Basis.NO_SIGNAL),)}


def test_without_a_target_the_sentence_has_accuracy_error_and_range(asked):
    """To be quoted in a meeting."""
    assert asked(None) == "At best about 85.0 % accuracy on these features (error 15.0 %, range 10.0 to 20.0 %)."


def test_a_range_without_a_lower_end_says_so(asked):
    """Two numbers look like an interval; here one of them would be none."""
    assert asked(None, **NONE) == (
        "At best about 85.0 % accuracy on these features (error 15.0 %, at most 20.0 %; "
        "these data give no lower limit)."
    )


def test_a_proved_lower_end_is_called_so(asked):
    """It assumes nothing of models."""
    assert asked(None, **PROVED).endswith("; equal rows with different labels prove the lower end).")
    assert asked(0.95, **PROVED) == (
        "95 % accuracy is out of reach on these features: the lowest possible error is at least 10.0 % "
        "(proved by equal rows with different labels)."
    )


def test_no_signal_promises_nothing(asked):
    """Not even the best estimate."""
    assert asked(None, **NONE, **NO_SIGNAL) == (
        "No signal found: no learner does clearly better than guessing, and always predicting the most frequent class "
        "is wrong on 45.0 % of rows."
    )
    assert asked(None, **PROVED, **NO_SIGNAL).endswith(
        " Equal rows with different labels prove that the lowest possible error is at least 10.0 %."
    )


def test_a_target_without_a_signal_is_too_close_to_call_for_that(asked):
    """Features may still say something that no learner tried finds."""
    text = asked(0.9, **NONE, **NO_SIGNAL)

    assert text.startswith("90 % accuracy is too close to call. No signal found: no learner does ")
    assert "Only better features or other models could decide it." in text


def test_a_reachable_target_names_its_proof(asked):
    """The upper end, and that it was tested."""
    assert asked(0.75) == (
        "75 % accuracy is reachable on these features: the lowest possible error is at most 20.0 % (95 % confidence)."
    )


def test_what_guessing_reaches_is_said(asked):
    """The most frequent class is always there; how frequent it is was measured, unless it was given."""
    reached = "(always predicting the most frequent class reaches it"
    assert asked(0.4, upper=0.45).endswith(f"at most 45.0 % {reached}).")
    assert asked(0.4, upper=0.47).endswith(f"at most 47.0 % {reached}, 95 % confidence).")


def test_no_class_is_the_most_frequent_one_if_all_are_equally_frequent(asked):
    """As with balanced classes."""
    assert asked(0.4, upper=0.5, guessing=0.5).endswith("(always predicting the same class reaches it).")


def test_a_proved_lower_end_that_is_of_no_use_is_not_half_of_a_range(asked):
    """From 0.05 to 20 % looks like a wide range."""
    little = {"lower": 0.0005, "reliability": "upper limit only", **PROVED}

    for lower in (0.0005, 1e-5):
        said = asked(None, **little | {"lower": lower})
        assert said.endswith("(error 15.0 %, at most 20.0 %; these data give no useful lower limit).")


def test_a_target_out_of_reach_says_for_whom(asked):
    """For the kinds of model tried: another kind may find more."""
    assert asked(0.95) == (
        "95 % accuracy is out of reach for the kinds of model tried, even with more rows: "
        "the lowest possible error is at least 10.0 %."
    )


def test_numbers_that_are_compared_never_look_equal_unless_they_are(asked):
    """90 % out of reach with an error of "at least 10.0 %" would contradict itself."""
    assert asked(0.9, lower=0.1002).endswith("at least 10.02 %.")
    assert "at most 19.98 %" in asked(0.8, upper=0.1998)
    assert "(10.0 to 20.03 %)" in asked(0.8, upper=0.2003)
    assert asked(0.8).endswith("at most 20.0 % (95 % confidence).")


def test_a_target_too_close_to_call_says_why_and_what_would_settle_it(asked):
    """A doubt without a next step is of no use."""
    assert asked(0.852) == (
        "85.2 % accuracy is too close to call, because it is within 0.5 points of the best estimate: the lowest "
        "possible error is about 15.0 % (10.0 to 20.0 %). More rows would not decide it; better features might."
    )


def test_the_sentence_and_the_outcome_agree(each):
    """One answer, two forms."""
    for target in (0.2, 0.5, 0.8, 0.9, 0.95, 0.99, 1.0):
        text, word = verdict_words(each.answer, target).text, each.answer.verdict(target)

        assert f" accuracy is {word}" in text
        assert [other for other in ("reachable", "out of reach", "too close to call") if f"is {other}" in text] == [
            word
        ]


@pytest.mark.parametrize(
    ("share", "told"),
    [(0.123, "+12.3"), (-0.004, "-0.40"), (0.0, "0.0"), (1e-9, "+0.0"), (float("inf"), "unknown"), (-1.0, "-100.0")],
)
def test_differences_have_a_sign(share, told):
    """More or less is the first thing to know."""
    assert points(share) == told
