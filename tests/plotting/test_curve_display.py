"""The learning curve of the best learner: measured, predicted, and the answer at its end."""

from dataclasses import replace

import numpy as np

from bayesfloor.plotting import CurveDisplay


def part_of(curve, there):
    return replace(curve, **{name: values[there] for name, values in curve._columns().items()})


def test_points_lines_and_range_are_the_answer(answer):
    display, curve = CurveDisplay.from_answer(answer), answer.curve
    there = curve.measured

    np.testing.assert_array_equal(display.points_.get_xydata(), np.column_stack([curve.n_rows, curve.error])[there])
    ends = [segment[:, 1] for segment in display.bars_.get_segments()]
    np.testing.assert_array_equal(ends, np.column_stack([curve.low, curve.high])[there])
    np.testing.assert_array_equal(display.line_.get_xydata(), np.column_stack([curve.n_rows, curve.error])[~there])
    assert set(display.estimate_.get_ydata()) == {answer.estimate}
    np.testing.assert_allclose(display.range_.get_y(), answer.lower)
    np.testing.assert_allclose(display.range_.get_height(), answer.upper - answer.lower)
    assert display.frame()["n_rows"].tolist() == curve.n_rows.tolist()


def test_the_axes_are_training_rows_and_percent(answer):
    """Rows grow by factors; errors are read in percent; parts are named where they are, not in a legend."""
    ax = CurveDisplay.from_answer(answer).ax_

    assert ax.get_xscale() == "log"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("training rows", "error, with 95 % intervals")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["100", "800", "6,400", "51,200"]
    assert ax.yaxis.get_major_formatter()(0.05, None) == "5 %"
    assert ax.get_legend() is None
    assert [text.get_text() for text in ax.texts] == [
        "lowest possible error\n10.0 %\n(5.0 to 20.0 %)",
        "cross-validated",
        "predicted",
    ]


def test_a_curve_without_predictions_or_without_points_is_drawn(answer, overlaps, outside):
    """Few rows leave parts out, or all of them; users call their models as they like."""
    name = "$x_1$ " + "w" * 200
    short = replace(answer, curve=part_of(answer.curve, answer.curve.measured))
    nothing = replace(answer, curve=part_of(answer.curve, answer.curve.n_rows < 0), best="", errors={})
    named = replace(answer, best=name, errors={name: 0.1})
    displays = [CurveDisplay.from_answer(each) for each in (short, nothing, named)]
    titles = [display.ax_.get_title("left") for display in displays]

    assert [len(display.line_.get_xdata()) for display in displays] == [0, 0, 6]
    assert [len(display.points_.get_xdata()) for display in displays] == [4, 0, 4]
    assert [overlaps(display.figure_) + outside(display.figure_) for display in displays] == [[], [], []]
    assert "no learner could be trained" in titles[1]
    assert "$x_1$" in titles[2]
