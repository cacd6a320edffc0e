"""The ruler: range, best estimate, learners, tree bounds and a target, however crowded."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor.answer import Basis, Reason
from bayesfloor.plotting import AnswerDisplay


def texts_of(display):
    """Texts beside and above the rows."""
    return [text.get_text() for text in display.ax_.texts]


def test_bars_and_markers_are_the_answer(answer, floor):
    """The picture says what the answer says."""
    display = AnswerDisplay.from_answer(answer, overall=floor.overall_)
    drawn = display.range_.get_x(), display.range_.get_x() + display.range_.get_width()

    np.testing.assert_allclose(drawn, (answer.lower, answer.upper))
    np.testing.assert_allclose([line[0, 0] for line in display.estimate_.get_segments()], [answer.estimate])
    np.testing.assert_allclose(display.markers_.get_offsets()[:, 0], sorted(answer.errors.values()))
    np.testing.assert_allclose(display.bounds_.get_segments()[0][:, 0], (floor.overall_.lower, floor.overall_.upper))
    assert texts_of(display)[0] == "about 10.0 % (5.0 to 20.0 %)"


def test_learners_have_their_names(answer):
    """People know a random forest, and their own models by the names they gave."""
    display = AnswerDisplay.from_answer(replace(answer, errors={"forest": 0.12, "kernel": 0.13, "my $net_1$": 0.14}))
    names = display.ax_.get_yticklabels()

    assert [name.get_text() for name in names[1:]] == ["random forest", "RBF support vector machine", "my $net_1$"]
    assert not any(name.get_parse_math() for name in names)


def test_without_a_lower_end_the_range_fades_out_at_zero(answer):
    """The picture claims no more than the words do."""
    closed, open_ = (AnswerDisplay.from_answer(replace(answer, lower=end)) for end in (0.05, np.nan))

    np.testing.assert_allclose((open_.range_.get_x(), open_.range_.get_width()), (0.0, 0.2))
    assert open_.range_.get_facecolor()[3] < 0.1 < closed.range_.get_facecolor()[3]
    assert "fades out" in open_.caption_
    assert texts_of(open_)[0] == "about 10.0 % (at most 20.0 %)"


def test_only_a_proved_lower_end_is_as_solid_as_the_upper_one(answer):
    """An extrapolated end is an assumption, and looks like one."""
    proved, extrapolated = (
        AnswerDisplay.from_answer(replace(answer, why_lower=Reason(basis)))
        for basis in (Basis.EQUAL_ROWS, Basis.CURVES)
    )

    assert proved.range_.get_facecolor()[3] == 1.0
    assert extrapolated.range_.get_facecolor()[3] < 0.5
    assert "extrapolated" in extrapolated.caption_
    assert "extrapolated" not in proved.caption_


def test_tree_bounds_above_the_best_estimate_are_no_result(answer, floor):
    """Two voices that contradict each other are worse than one."""
    high = replace(floor.overall_, lower=0.21, upper=0.3)

    assert texts_of(AnswerDisplay.from_answer(answer, overall=high))[3] == "too high here"
    assert (
        texts_of(AnswerDisplay.from_answer(replace(answer, estimate=0.22, upper=0.25), overall=high))[3]
        == "21.0 to 30.0 %"
    )
    assert AnswerDisplay.from_answer(answer).bounds_ is None


def test_a_target_is_marked_at_its_error(answer):
    """A target is an accuracy, the ruler one of errors."""
    display = AnswerDisplay.from_answer(answer, 0.85)

    assert any(np.isclose(line.get_xdata()[0], 0.15) for line in display.ax_.lines)
    assert "target: 85 % accuracy" in texts_of(display)
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


def test_the_axis_is_in_percent(answer):
    """People read percent; attributes are fractions."""
    display = AnswerDisplay.from_answer(answer)
    display.figure_.draw_without_rendering()
    shown = [(tick.get_position()[0], tick.get_text()) for tick in display.ax_.get_xticklabels()]

    assert all(float(text.removesuffix(" %")) == pytest.approx(100 * x) for x, text in shown)


def test_an_answer_is_a_table(answer, floor):
    """One row for each bar and marker."""
    display = AnswerDisplay.from_answer(answer, 0.9, overall=floor.overall_)

    assert display.frame()["name"].tolist() == ["lowest possible error", "blend", "linear", "tree bounds"]
    assert display.to_dict()["answer"] == answer.to_dict()
    assert display.to_dict()["target"] == 0.9


def test_nothing_but_zeros_and_no_learner_at_all_are_drawn(answer):
    """Separate classes and perfect learners; or too few rows to train any."""
    zeros = replace(answer, estimate=0.0, lower=0.0, upper=0.0, errors={"linear": 0.0})
    display = AnswerDisplay.from_answer(zeros)

    assert display.zoomed_
    assert display.ax_.get_xlim()[1] > 0
    assert len(AnswerDisplay.from_answer(replace(answer, errors={})).markers_.get_offsets()) == 0


def test_a_lower_end_of_no_use_is_not_drawn(answer):
    """The report and the verdict give none either."""
    proved = replace(answer, lower=0.001, reliability="upper limit only")

    display = AnswerDisplay.from_answer(proved)

    assert "(at most " in display.caption_
    assert "0.10 to" not in display.caption_
