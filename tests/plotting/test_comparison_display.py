"""Representations: errors today, with more rows and at best, and who is worse."""

from dataclasses import replace

import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA

from bayesfloor import compare_representations
from bayesfloor.plotting import ComparisonDisplay


def test_marks_are_the_results_best_first():
    X, y = load_wine(return_X_y=True)
    found = compare_representations({"raw": X, "two": X[:, :2], "pca": PCA(2)}, y, X=X)
    display = ComparisonDisplay.from_comparison(found)

    for marks, errors in (
        (display.dots_, found.error),
        (display.ahead_, found.error_4x),
        (display.lowest_, found.lowest),
    ):
        np.testing.assert_allclose(marks.get_offsets()[:, 0], errors)
        assert {found.tell(error) for error in errors} <= {text.get_text() for text in display.ax_.texts}
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == list(found.names)
    assert [text.get_text() for text in display.words_] == list(found.word)


def test_the_worse_are_hollow(make):
    """Nobody needs to see colours, nor to read the word."""
    display = make("comparison", 9).plot()
    worse = [word == "worse" for word in display.result.word]

    assert [text.get_text() == "worse" for text in display.words_] == worse
    assert [np.allclose(color[:3], 1.0) for color in display.dots_.get_facecolors()] == worse
    assert len(set(display.result.word)) == 3


def test_other_metrics_have_their_own_unit_and_one_row_is_enough(make, overlaps, outside):
    """Losses of numbers are no fractions, so the axis is not in percent."""
    few, one = make("comparison", 4), make("comparison", 1).plot()
    in_units = replace(few, result=replace(few.result, metric="rmse")).plot()

    assert in_units.ax_.get_xlabel() == "RMSE"
    assert not [tick for tick in in_units.ax_.get_xticklabels() if "%" in tick.get_text()]
    assert "0.600" in {text.get_text() for text in in_units.ax_.texts}
    assert [text.get_text() for text in one.words_] == ["best"]
    assert overlaps(one.figure_) == outside(one.figure_) == []
