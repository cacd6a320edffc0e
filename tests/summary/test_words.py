"""Numbers in words: never absurd, never at odds with one another."""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bayesfloor.summary._words import (
    _called,
    accuracy,
    best_learner,
    count,
    difficulty,
    percent,
    points,
    span,
    target_text,
    verdict_text,
)

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
    assert count(number, noun) == text


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


@pytest.mark.parametrize(
    ("share", "word"),
    [
        (0.0, "Easy"),
        (0.049, "Easy"),
        (0.051, "Moderate"),
        (0.249, "Moderate"),
        (0.251, "Hard"),
        (0.749, "Hard"),
        (0.751, "Close to guessing"),
        (1.0, "Close to guessing"),
    ],
)
def test_difficulty_is_what_is_left_of_guessing(made, altered, share, word):
    """10 % of errors are little among ten classes and much with one class of nine in ten."""
    found = altered(made("two classes"), overall={"constant_error": 0.4}, envelope={"estimate": 0.4 * share})

    assert difficulty(found.overall, found.envelope) == word


def test_difficulty_is_known_where_guessing_never_errs(made, altered):
    """Nothing is divided by zero."""
    found = altered(made("two classes"), overall={"constant_error": 0.0}, envelope={"estimate": 0.0})

    assert difficulty(found.overall, found.envelope) == "Easy"


@pytest.fixture
def asked(made, altered):
    """Sentence for a target, with an envelope of 10 to 20 %: (target, trust, best error) -> sentence."""

    def ask(target, trust="small bias", error=0.15):
        figures = {"lower": 0.1, "estimate": 0.15, "upper": 0.2, "trust": trust, "errors": {"linear": error}}
        found = altered(made("two classes"), envelope=figures)
        return verdict_text(found.overall, found.envelope, target)

    return ask


def test_a_target_within_reach_names_its_proof(asked):
    """The upper limit."""
    assert asked(0.75) == (
        "75 % accuracy is within reach on these features: the lowest possible error is at most 20.0 % "
        "(95 % confidence)."
    )


def test_a_target_out_of_reach_names_the_best_case(asked):
    """What to ask for instead."""
    assert asked(0.95) == (
        "95 % accuracy is out of reach on these features: the lowest possible error is at least 10.0 %, "
        "so the best case is 90.0 %, as far as 300 rows can show."
    )


def test_an_undecided_target_says_what_was_reached(asked):
    """A held-out error and the best case are all that is known."""
    assert asked(0.87) == (
        "87 % accuracy: undecided. A linear model got 85.0 % of held-out rows right, and the best case is 90.0 %."
    )


def test_an_undecided_target_that_was_reached_is_likely(asked):
    """Reached on held-out rows, but not beyond chance."""
    assert asked(0.84) == (
        "84 % accuracy: undecided, but likely within reach: a linear model got 85.0 % of held-out rows right, "
        "which 300 rows cannot prove."
    )


@pytest.mark.parametrize("trust", ["unknown", "refuted"])
def test_without_trust_no_best_case_is_named(asked, trust):
    """The lower bound may be too high."""
    text = asked(0.95, trust)

    assert "cannot be told from these rows" in text
    assert "best case" not in text
    assert "out of reach" not in text


@pytest.mark.parametrize("trust", ["small bias", "unknown", "refuted"])
def test_without_a_target_the_sentence_says_how_far_a_model_may_get(asked, trust):
    """An upper end is claimed only where it can be trusted."""
    text = asked(None, trust)

    assert "80.0" in text
    assert ("likely gets 85.0 % right on these features, between 80.0 and 90.0 %" in text) == (trust == "small bias")
    assert ("how much more cannot be told" in text) == (trust != "small bias")


@pytest.mark.parametrize("name", ["neighbours", "linear", "quadratic", "kernel", "forest", "boosting", "blend"])
def test_classifiers_are_called_what_they_are(name):
    """A sentence needs more than a key."""
    assert _called(name).startswith(("a ", "the ", "boosted"))
    assert "classifier" not in _called(name)


def test_own_classifiers_are_called_by_their_name():
    """Harmlessly."""
    assert _called("mine\x1b") == r"the classifier mine\x1b"


def test_the_best_classifier_errs_least(made):
    """Not the one whose posterior fits best."""
    errors = made("wine").envelope.errors

    assert best_learner(made("wine").envelope)[1] == min(errors.values())


@pytest.mark.parametrize(
    ("share", "told"), [(0.123, "+12.3"), (-0.004, "-0.40"), (0.0, "0.0"), (float("inf"), "unknown"), (-1.0, "-100.0")]
)
def test_differences_have_a_sign(share, told):
    """More or less is the first thing to know."""
    assert points(share) == told
