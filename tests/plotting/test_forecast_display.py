"""The ruler: range, best estimate, learners, tree bounds and a target, however crowded."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor.plotting import AnswerDisplay


def texts_of(display):
    """Texts beside and above the rows."""
    return [text.get_text() for text in display.ax_.texts]


def test_bars_and_markers_are_the_answer(answer, floor):
    """The picture says what the answer says, and so does the table."""
    display = AnswerDisplay.from_answer(answer, 0.9, overall=floor.overall_)
    drawn = display.range_.get_x(), display.range_.get_x() + display.range_.get_width()

    np.testing.assert_allclose(drawn, (answer.lower, answer.upper))
    np.testing.assert_allclose([line[0, 0] for line in display.estimate_.get_segments()], [answer.estimate])
    np.testing.assert_allclose(display.markers_.get_offsets()[:, 0], sorted(answer.errors.values()))
    np.testing.assert_allclose(display.bounds_.get_segments()[0][:, 0], (floor.overall_.lower, floor.overall_.upper))
    assert texts_of(display)[0] == "about 10.0 % (5.0 to 20.0 %)"
    assert display.frame()["name"].tolist() == ["lowest possible error", "blend", "linear", "tree bounds"]
    assert (display.to_dict()["answer"], display.to_dict()["target"]) == (answer.to_dict(), 0.9)


def test_tree_bounds_above_the_best_estimate_are_no_result(answer, floor):
    """Two voices that contradict each other are worse than one."""
    high, agreeing = replace(floor.overall_, lower=0.21, upper=0.3), replace(answer, estimate=0.22, upper=0.25)

    assert texts_of(AnswerDisplay.from_answer(answer, overall=high))[3] == "too high here"
    assert texts_of(AnswerDisplay.from_answer(agreeing, overall=high))[3] == "21.0 to 30.0 %"
    assert AnswerDisplay.from_answer(answer).bounds_ is None


def test_a_target_is_marked_at_its_error_and_learners_have_their_names(answer):
    """A target is an accuracy, the ruler one of errors; users give their own models any name."""
    own = replace(answer, errors={"forest": 0.12, "kernel": 0.13, "my $net_1$": 0.14})
    display = AnswerDisplay.from_answer(own, 0.85)
    names = display.ax_.get_yticklabels()

    assert any(np.isclose(line.get_xdata()[0], 0.15) for line in display.ax_.lines)
    assert "target: 85 % accuracy" in texts_of(display)
    assert [name.get_text() for name in names[1:]] == ["random forest", "RBF support vector machine", "my $net_1$"]
    assert not any(name.get_parse_math() for name in names)
    with pytest.raises(ValueError, match="target"):
        AnswerDisplay.from_answer(answer, 95)


def test_a_ruler_that_ends_before_guessing_says_so(answer):
    """Else a tiny error fills the page and looks large."""
    near, far = (AnswerDisplay.from_answer(replace(answer, guessing=guessing)) for guessing in (0.9, 0.3))

    assert near.zoomed_
    assert near.ax_.get_xlabel() == "error (guessing: 90.0 % →)"
    assert near.ax_.get_xlim()[1] < 0.3
    assert not far.zoomed_
    assert far.ax_.get_xlabel() == "error (dotted: guessing: 30.0 %)"


def test_nothing_but_zeros_and_no_learner_at_all_are_drawn(answer):
    """Separate classes and perfect learners; too few rows to train any; a lower end of no use is not written."""
    zeros = AnswerDisplay.from_answer(replace(answer, estimate=0.0, lower=0.0, upper=0.0, errors={"linear": 0.0}))
    useless = AnswerDisplay.from_answer(replace(answer, lower=0.001, reliability="upper limit only"))

    assert zeros.zoomed_
    assert zeros.ax_.get_xlim()[1] > 0
    assert len(AnswerDisplay.from_answer(replace(answer, errors={})).markers_.get_offsets()) == 0
    assert "(at most " in useless.caption_
    assert "0.10 to" not in useless.caption_
