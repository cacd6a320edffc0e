"""True numbers against predicted ones: the band of noise, and rows that do not fit."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor.answer import Basis, Reason
from bayesfloor.decide._number_rows import odd_numbers
from bayesfloor.plotting import PredictedDisplay


def texts_of(display):
    """Texts beside the points."""
    return [text.get_text() for text in display.ax_.texts]


def test_points_are_the_rows_and_the_band_is_the_noise(answer_of_numbers):
    """Points stand above their prediction; the band is that of the lowest possible RMSE, not of the learner."""
    answer = answer_of_numbers(["linear", "blend"], 400)
    display = PredictedDisplay.from_answer(answer, odd_numbers(answer))
    race, drawn = answer.evidence(), display.points_.get_offsets()
    rows = np.column_stack([race.predicted["linear"], race.y])
    own = np.delete(rows, 3, axis=0)
    corners = display.band_.get_paths()[0].vertices

    np.testing.assert_allclose(drawn, own[np.argsort(own[:, 0])])
    assert display.odd_points_.get_offsets()[0, 0] == rows[3, 0]
    assert np.abs(corners[:, 1] - corners[:, 0]).max() == pytest.approx(1.96 * 9.0)
    np.testing.assert_allclose(*display.diagonal_.get_data())
    assert texts_of(display) == ["band: ±17.6", "diamonds: do not fit"]
    assert display.ax_.get_title(loc="left") == "Predicted and true numbers: linear model"
    assert "400 rows, each predicted by a learner that was trained on others." in display.caption_
    assert "1.96 times the lowest possible RMSE" in display.caption_
    assert display.frame()["row"].tolist() == race.row.tolist()
    assert display.to_dict()["y"] == race.y.tolist()


def test_a_typing_error_stands_at_the_edge_and_does_not_hide_the_others(answer_of_numbers):
    """Ten times too large, it would squeeze all other rows into a corner; unless it is known to be odd."""
    answer = answer_of_numbers(["linear"], 400)
    odd = odd_numbers(answer)
    marked, plain = PredictedDisplay.from_answer(answer, odd), PredictedDisplay.from_answer(answer)
    (place,) = marked.odd_points_.get_offsets()

    assert odd.row.tolist() == [10]
    assert odd.y[0] > marked.ax_.get_ylim()[1]
    assert place[1] == marked.ax_.get_ylim()[1]
    assert place[0] == pytest.approx(odd.predicted[0])
    assert "at the edge" in marked.caption_
    assert plain.ax_.get_ylim()[1] > odd.y[0]
    assert plain.odd_points_ is None
    assert "iamonds" not in plain.caption_


def test_of_many_rows_two_thousand_are_drawn_evenly(answer_of_numbers):
    """From the smallest to the largest prediction; the table has all of them."""
    answer = answer_of_numbers(["linear"], 5000)
    display = PredictedDisplay.from_answer(answer)
    predicted = display.points_.get_offsets()[:, 0]
    every = answer.evidence().predicted["linear"]

    assert len(predicted) == 2000
    assert (predicted.min(), predicted.max()) == (every.min(), every.max())
    assert "2,000 of 5,000 rows" in display.caption_
    assert len(display.frame()) == 5000


@pytest.mark.parametrize("change", [{"metric": "mae"}, {"reasons": (Reason(Basis.OUTLIERS, (0.9,)),)}])
def test_without_a_clear_answer_by_rmse_the_band_is_that_of_the_predictions(change, answer_of_numbers):
    """Errors in another unit say nothing of squares, nor do squares if outliers decide; the caption says what it is."""
    answer = replace(answer_of_numbers(["linear"], 400), **change)
    race, display = answer.evidence(), PredictedDisplay.from_answer(answer)
    rmse = np.sqrt(np.mean((race.y - race.predicted["linear"]) ** 2))

    assert texts_of(display) == [f"band: ±{1.96 * rmse:.1f}"]
    assert "1.96 times the RMSE of these predictions" in display.caption_


def test_answers_for_classes_are_refused(answer):
    """Their predictions are no numbers."""
    with pytest.raises(ValueError, match="Got an answer by accuracy, but expected one for numbers"):
        PredictedDisplay.from_answer(answer)
