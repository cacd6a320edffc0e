"""The learning curve of the best learner: measured, predicted, and the answer at its end."""

from dataclasses import replace

import numpy as np

from bayesfloor.plotting import CurveDisplay


def part_of(curve, there):
    """Some points of a curve."""
    return replace(curve, **{name: values[there] for name, values in curve._columns().items()})


def test_points_lines_and_range_are_the_answer(answer):
    """The picture says what the answer says."""
    display, curve = CurveDisplay.from_answer(answer), answer.curve
    there = curve.measured

    np.testing.assert_array_equal(display.points_.get_xydata(), np.column_stack([curve.n_rows, curve.error])[there])
    ends = [segment[:, 1] for segment in display.bars_.get_segments()]
    np.testing.assert_array_equal(ends, np.column_stack([curve.low, curve.high])[there])
    np.testing.assert_array_equal(display.line_.get_xydata(), np.column_stack([curve.n_rows, curve.error])[~there])
    assert set(display.estimate_.get_ydata()) == {answer.estimate}
    np.testing.assert_allclose(display.range_.get_y(), answer.lower)
    np.testing.assert_allclose(display.range_.get_height(), answer.upper - answer.lower)


def test_the_axes_are_training_rows_and_percent(answer):
    """Rows grow by factors; errors are read in percent."""
    ax = CurveDisplay.from_answer(answer).ax_

    assert ax.get_xscale() == "log"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("training rows", "error, with 95 % intervals")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["100", "800", "6,400", "51,200"]
    assert ax.yaxis.get_major_formatter()(0.05, None) == "5 %"


def test_without_a_lower_end_the_range_fades_out_at_zero(answer):
    """The picture claims no more than the words do."""
    closed, open_ = (CurveDisplay.from_answer(replace(answer, lower=end)) for end in (0.05, np.nan))

    np.testing.assert_allclose((open_.range_.get_y(), open_.range_.get_height()), (0.0, answer.upper))
    assert open_.range_.get_alpha() is None  # opacity is part of the colour
    assert open_.range_.get_facecolor()[3] < 0.1 < closed.range_.get_facecolor()[3]


def test_parts_are_named_where_they_are(answer, overlaps, outside):
    """Nobody has to look from a legend to the lines and back."""
    display = CurveDisplay.from_answer(answer)
    texts = [text.get_text() for text in display.ax_.texts]

    assert display.ax_.get_legend() is None
    assert texts == [
        "lowest possible error\n10.0 %\n(5.0 to 20.0 %)",
        "cross-validated",
        "predicted",
    ]
    assert overlaps(display.figure_) + outside(display.figure_) == []


def test_a_curve_without_predictions_or_without_points_is_drawn(answer, overlaps, outside):
    """Few rows leave parts out, or all of them."""
    short = replace(answer, curve=part_of(answer.curve, answer.curve.measured))
    nothing = replace(answer, curve=part_of(answer.curve, answer.curve.n_rows < 0), best="", errors={})
    displays = [CurveDisplay.from_answer(each) for each in (short, nothing)]

    assert [len(display.line_.get_xdata()) for display in displays] == [0, 0]
    assert [len(display.points_.get_xdata()) for display in displays] == [4, 0]
    assert [overlaps(display.figure_) + outside(display.figure_) for display in displays] == [[], []]
    assert "no learner could be trained" in displays[1].ax_.get_title("left")


def test_a_curve_is_a_table(answer):
    """One row for each point."""
    frame = CurveDisplay.from_answer(answer).frame()

    assert frame["n_rows"].tolist() == answer.curve.n_rows.tolist()
    assert frame["measured"].sum() == 4


def test_the_name_of_a_learner_is_no_formula(answer, overlaps, outside):
    """Users call their models as they like."""
    name = "$x_1$ " + "w" * 200
    display = CurveDisplay.from_answer(replace(answer, best=name, errors={name: 0.1}))

    assert "$x_1$" in display.ax_.get_title("left")
    assert overlaps(display.figure_) + outside(display.figure_) == []
