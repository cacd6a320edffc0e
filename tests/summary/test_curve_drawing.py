"""The learning curve on the page, before it is a page."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bayesfloor import BayesFloor
from bayesfloor.summary._html_drawings import draw_curve


@pytest.fixture(scope="module")
def answer():
    return BayesFloor().fit(*load_iris(return_X_y=True)).answer()


def points_of(path):
    return np.array(re.findall(r"([\d.]+) ([\d.]+)", path), dtype=float)


def part_of(curve, there):
    return replace(curve, **{name: values[there] for name, values in curve._columns().items()})


def test_points_are_where_rows_and_errors_are(answer):
    """A point in the wrong place is a wrong number."""
    drawing, curve = draw_curve(answer), answer.curve
    x, y = np.concatenate([points_of(drawing.measured), points_of(drawing.predicted)]).T
    np.testing.assert_allclose(np.diff(x), np.diff(x)[0], atol=0.2)  # each has twice the rows of the one before
    slope = np.polyfit(curve.error, y, 1)
    np.testing.assert_allclose(np.polyval(slope, curve.error), y, atol=0.1)
    assert np.polyval(slope, 0.0) == pytest.approx(100, abs=0.3)
    assert drawing.estimate == pytest.approx(np.polyval(slope, answer.estimate), abs=0.3)
    assert drawing.range_ == pytest.approx(np.polyval(slope, [answer.upper, answer.lower]), abs=0.3)


def test_everything_is_within_the_drawing_and_its_scale_names_rows_and_round_errors(answer):
    """What is beyond its edges would be drawn over the texts beside it."""
    drawing = draw_curve(answer)
    for path in (drawing.measured, drawing.predicted, drawing.band, drawing.points, drawing.intervals):
        places = np.array(re.findall(r"[\d.]+", path), dtype=float)
        assert places.min() >= 0
        assert places.max() <= 100
    assert all(0 <= tick.place <= 100 for tick in drawing.columns + drawing.lines)

    assert [tick.text for tick in drawing.columns] == ["15", "120", "960", "7,680"]
    assert drawing.lines[0].text == "0 %"
    assert drawing.lines[0].place == 100


def test_the_table_has_the_numbers_of_the_curve_and_a_short_name(answer):
    """For those who do not see the drawing; users call their models as they like."""
    head, *rows = draw_curve(answer).cells
    assert head == ("training rows", "error", "95 % interval", "")
    assert [row[0] for row in rows] == [f"{n:,}" for n in answer.curve.n_rows]
    assert [row[3] for row in rows] == ["measured"] * 4 + ["predicted"] * 6

    name = draw_curve(replace(answer, best="\x1b[31m" + "w" * 200)).name
    assert name.isprintable()
    assert len(name) <= 40


def test_without_a_lower_end_the_range_is_open(answer):
    """It goes down to nothing, and says so."""
    drawing = draw_curve(replace(answer, lower=np.nan))
    assert drawing.open
    assert drawing.range_[1] == 100
    assert not draw_curve(answer).open
    assert draw_curve(replace(answer, lower=1e-5, reliability="upper limit only")).open


def test_a_curve_without_predictions_and_one_without_points(answer):
    """Few rows leave parts out, or all of them."""
    curve = answer.curve
    drawing = draw_curve(replace(answer, curve=part_of(curve, curve.measured)))
    assert (drawing.predicted, drawing.band) == ("", "")
    single = draw_curve(replace(answer, curve=part_of(curve, curve.n_rows == curve.n_rows[0])))
    assert len(points_of(single.measured)) == 1
    assert draw_curve(replace(answer, curve=part_of(curve, curve.n_rows < 0), best="")) is None
