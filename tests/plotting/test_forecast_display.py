"""The forecast in rows: intervals for more and more training rows, learners, and a target with its probabilities."""

from dataclasses import replace

import numpy as np
import pytest

from bayesfloor.plotting import ForecastDisplay

ROWS = ["800", "1,600", "3,200", "12,800", "51,200", "unlimited"]


def texts_of(display):
    """Texts beside and above the rows."""
    return [text.get_text() for text in display.ax_.texts]


def test_bars_and_marks_are_the_forecast(answer):
    """The picture says what the forecast says, and so does the table."""
    display, forecast = ForecastDisplay.from_answer(answer), answer.forecast
    sizes = [800, 1600, 3200, 12_800, 51_200, None]
    low, first, middle, last, high = np.transpose(
        [forecast.quantiles((0.025, 0.25, 0.5, 0.75, 0.975), n) for n in sizes]
    )

    for bars, ends in ((display.bars_, (low, high)), (display.cores_, (first, last))):
        drawn = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars]
        np.testing.assert_allclose(drawn, np.transpose(ends))
    np.testing.assert_allclose([line[0, 0] for line in display.medians_.get_segments()], middle)
    np.testing.assert_allclose(display.markers_.get_offsets()[:, 0], sorted(answer.errors.values()))
    assert [name.get_text() for name in display.ax_.get_yticklabels()] == ROWS
    assert texts_of(display)[5] == "about 10.0 % (5.0 to 20.0 %)"
    assert display.frame()["training rows"].tolist() == ROWS
    np.testing.assert_allclose(display.frame()["97.5 %"], high)
    assert display.to_dict() == {"answer": answer.to_dict(), "target": None}


@pytest.mark.parametrize(
    ("change", "beside"),
    [
        ({}, ["under 5 %", "31 %", "50 %", "62 %", "68 %", "73 %"]),
        ({"upper": 0.15}, ["95 %"] * 6),
        ({"forecast": None}, None),
    ],
    ids=["open", "reachable", "none"],
)
def test_a_target_is_marked_at_its_error_with_its_probability_beside_each_row(change, beside, answer):
    """A target is an accuracy, the ruler one of errors; without a forecast there is nothing to draw."""
    given = replace(answer, **change)
    if beside is None:
        with pytest.raises(ValueError, match="This answer has no forecast"):
            ForecastDisplay.from_answer(given, 0.85)
        return
    display = ForecastDisplay.from_answer(given, 0.85)

    assert [text.rpartition("   ")[2] for text in texts_of(display)[:6]] == beside
    assert any(np.isclose(line.get_xdata()[0], 0.15) for line in display.ax_.lines)
    assert "target: 85 % accuracy" in texts_of(display)
    assert "85 % accuracy, with its probability on the right." in display.caption_
    assert display.to_dict()["target"] == 0.85
    with pytest.raises(ValueError, match="target"):
        ForecastDisplay.from_answer(answer, 95)


@pytest.mark.parametrize(
    ("metric", "target", "texts", "ends"),
    [
        ("roc_auc", 0.85, ("AUC", "about 0.900 (0.800 to 0.950)", "an AUC of 0.85", "0.240"), ("1", "0.8")),
        ("r2", 0.85, ("R²", "about 0.900 (0.800 to 0.950)", "an R² of 0.85", "0.240"), ("1", "0.8")),
        (
            "balanced_accuracy",
            0.85,
            ("Balanced accuracy", "about 90.0 % (80.0 to 95.0 %)", "85 % balanced accuracy", "24.0 %"),
            ("100 %", "80 %"),
        ),
        ("rmse", 0.15, ("RMSE", "about 0.100 (0.0501 to 0.200)", "an RMSE of 0.15", "0.760"), ("0", "0.2")),
        ("log_loss", 0.15, ("Log loss", "about 0.100 (0.0501 to 0.200)", "a log loss of 0.15", "0.760"), ("0", "0.2")),
    ],
)
def test_other_metrics_are_drawn_in_their_own_unit_with_the_best_end_on_the_left(metric, target, texts, ends, answer):
    """Bars stand where they stand for errors: who reads one picture can read all."""
    other = replace(answer, metric=metric)
    display, of_errors = ForecastDisplay.from_answer(other, target), ForecastDisplay.from_answer(answer, 0.85)
    name, beside, wish, guessing = texts
    drawn = [[bar.get_x() for bar in each.bars_] for each in (display, of_errors)]
    table = display.frame().iloc[-1]

    np.testing.assert_allclose(*drawn)
    assert display.ax_.get_title(loc="left") == f"{name} of the best model, by training rows"
    assert texts_of(display)[5].startswith(f"{beside}   ")
    assert f"target: {wish}" in texts_of(display)
    assert f"the target, {wish}, with its probability" in display.caption_
    assert f"guessing: {guessing}" in display.ax_.get_xlabel()
    assert tuple(display.ax_.xaxis.get_major_formatter()(loss, 0) for loss in (0.0, 0.2)) == ends
    assert table["2.5 %"] < table["97.5 %"]
    assert table["50 %"] == pytest.approx(other.of.score(answer.estimate), abs=2e-4)


def test_a_ruler_that_ends_before_guessing_says_so(answer):
    """Else a tiny error fills the page and looks large."""
    near, far = (ForecastDisplay.from_answer(replace(answer, guessing=guessing)) for guessing in (0.9, 0.3))

    assert near.zoomed_
    assert near.ax_.get_xlabel() == "error (guessing: 90.0 % →)"
    assert near.ax_.get_xlim()[1] < 0.4
    assert not far.zoomed_
    assert far.ax_.get_xlabel() == "error (dotted: guessing: 30.0 %)"


def test_nothing_but_zeros_and_no_learner_at_all_are_drawn(answer):
    """Separate classes and perfect learners; a file without learners' errors."""
    none = np.zeros(200)
    zeros = ForecastDisplay.from_answer(
        replace(answer, errors={"linear": 0.0}, forecast=replace(answer.forecast, lowest=none, errors=(none,) * 7))
    )
    alone = ForecastDisplay.from_answer(replace(answer, errors={}))

    assert zeros.zoomed_
    assert zeros.ax_.get_xlim()[1] > 0
    assert len(alone.markers_.get_offsets()) == 0
    assert ["models tried" in each.caption_ for each in (zeros, alone)] == [True, False]
