"""The histogram of scores: every row in a bin, suspects counted."""

import numpy as np

from bayesfloor.plotting import SampleScoreDisplay


def test_bins_hold_all_rows_and_all_suspects(floor):
    """The picture says what the result says."""
    display, samples = SampleScoreDisplay.from_estimator(floor), floor.samples_
    counts = [[bar.get_height() for bar in bars] for bars in (display.all_, display.suspects_)]

    assert sum(counts[0]) == len(samples.row)
    assert sum(counts[1]) == np.count_nonzero(samples.suspect)
    assert display.ax_.get_yscale() == "log"


def test_suspects_are_hatched_and_their_number_told():
    """Colour alone does not print."""
    display = SampleScoreDisplay(np.arange(100.0), np.arange(100) > 96).plot(bins=10)

    assert display.ax_.get_title("left") == "Suspicious labels: 3 of 100 rows"
    assert [text.get_text() for text in display.ax_.texts] == ["suspicious (hatched)"]
    assert all(bar.get_hatch() for bar in display.suspects_)
    assert [bar.get_height() for bar in display.suspects_][-1] == 3


def test_rows_that_all_score_alike_are_drawn():
    """Perfectly separate classes may give one score."""
    display = SampleScoreDisplay(np.zeros(20), np.zeros(20, dtype=bool)).plot()

    assert sum(bar.get_height() for bar in display.all_) == 20
    assert display.ax_.get_title("left") == "Suspicious labels: 0 of 20 rows"
    assert not display.ax_.texts
