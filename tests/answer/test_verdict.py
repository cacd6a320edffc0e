"""Against a target accuracy."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.answer import Basis, Reason
from bayesfloor.answer._answer import check_target


@pytest.fixture(scope="module")
def answer():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    found = BayesFloor().fit(rng.normal(size=(200, 2)) + y[:, None], y).answer()
    return replace(found, lower=0.1, estimate=0.15, upper=0.2)


@pytest.mark.parametrize(
    ("lower", "target", "word"),
    [
        (0.1, 0.75, "reachable"),
        (np.nan, 0.75, "reachable"),
        (0.1, 0.85, "too close to call"),
        (0.1, 0.95, "out of reach"),
        (0.1, 1, "out of reach"),
        (np.nan, 0.95, "too close to call"),
    ],
)
def test_the_word_follows_the_ends_of_the_range(answer, lower, target, word):
    """A wrong "out of reach" stops a project: it needs a lower end."""
    assert replace(answer, lower=lower).judge(target).outcome == word


@pytest.mark.parametrize("target", [0, -0.1, 1.01, 95, float("nan"), "0.9", None, True, [0.9]])
def test_what_is_not_an_accuracy_is_refused(target):
    """Percentages are the usual slip."""
    with pytest.raises(ValueError, match=r"Got target=.*, but expected an accuracy above 0 and up to 1, such as 0.95"):
        check_target(target)


def test_the_target_is_checked_before_any_work():
    """A slip should not cost a minute, nor need a fit."""
    with pytest.raises(ValueError, match="Got target=95"):
        BayesFloor().verdict(95)


def test_what_is_too_close_to_call_names_what_would_settle_it_and_nothing_else(answer):
    """At the estimate more rows would be a false promise; spellings are merged first; no learner leaves no curve."""
    found = answer.judge(0.852)

    assert found.why == Reason(Basis.AT_ESTIMATE)
    assert found.settle == (Reason(Basis.FEATURES, names=("rows",)),)

    (settle,) = answer.judge(0.88).settle

    assert settle.basis is Basis.ROWS_TO_RULE_OUT
    assert settle.names == ("rows",)

    nothing = replace(answer.curve, **{name: getattr(answer.curve, name)[:0] for name in vars(answer.curve)})

    settle = replace(answer, curve=nothing).judge(0.82).settle

    assert settle == (Reason(Basis.ROWS_TO_TRAIN),)

    spelled = replace(answer, reasons=(Reason(Basis.SPELLINGS, (7, 3)),))

    assert spelled.judge(0.88).settle == (Reason(Basis.MERGE_SPELLINGS),)

    for target in (0.75, 0.95):
        assert (answer.judge(target).why, answer.judge(target).settle) == (None, ())
    assert answer.judge(0.88).settle


@pytest.mark.parametrize(
    ("figures", "target", "why"),
    [
        ({}, 0.82, Basis.NOT_CONFIRMED),
        ({}, 0.88, Basis.NOT_RULED_OUT),
        ({"lower": np.nan}, 0.88, Basis.NO_LIMIT),
        ({"lower": np.nan}, 0.82, Basis.NOT_CONFIRMED),
        ({"reasons": (Reason(Basis.NO_SIGNAL),)}, 0.82, Basis.NO_SIGNAL),
    ],
)
def test_too_close_to_call_says_which_case_it_is(answer, figures, target, why):
    """Rows help in one case, features in another, and nothing in the third."""
    assert replace(answer, **figures).judge(target).why == Reason(why)


def test_a_proved_lower_end_does_not_rise_with_more_rows(answer):
    """It counts equal rows, so the gap to the estimate never closes."""
    proved, alone = (
        replace(answer, why_lower=Reason(basis)).judge(0.88) for basis in (Basis.EQUAL_ROWS, Basis.EQUAL_ROWS_ALONE)
    )

    assert proved.settle[0].basis is Basis.ROWS_TO_RULE_OUT
    assert alone.settle[0].basis is Basis.FEATURES_OR_MODELS


def test_groups_are_counted_instead_of_their_rows(answer):
    """Forty patients can be asked for; their rows come with them."""
    (rows,), (groups,) = (
        replace(answer, **unit).judge(0.88).settle for unit in ({}, {"unit": "groups (patient)", "rows_per_unit": 10.0})
    )

    assert groups.numbers == pytest.approx([rows.numbers[0] / 10], abs=1)
    assert groups.names == ("groups (patient)",)


@pytest.mark.parametrize("target", [0.7, 0.8, 0.9])
def test_a_target_that_equals_the_upper_end_is_reachable(answer, target):
    """1 - 0.9 is less than 0.1 in a computer."""
    assert replace(answer, upper=round(1 - target, 3), estimate=0.05, lower=0.01).verdict(target) == "reachable"


def test_a_verdict_can_be_written_down(answer):
    given = answer.judge(0.95).to_dict()

    assert given["outcome"] == "out of reach"
    assert given["rests_on"] == [{"basis": "learning curves", "numbers": [], "names": []}]


def test_a_lower_target_is_never_harder(answer):
    """Reachable, then too close to call, then out of reach."""
    rank = ["reachable", "too close to call", "out of reach"]
    words = [rank.index(answer.judge(target / 100).outcome) for target in range(5, 101, 5)]

    assert words == sorted(words)
    assert set(words) == {0, 1, 2}
