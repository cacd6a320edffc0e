"""Representations: cross-class edges, the best on the same rows, and who is worse."""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from bayesfloor import compare_representations
from bayesfloor.plotting import ComparisonDisplay


def test_dots_are_the_results_fewest_first():
    X, y = load_wine(return_X_y=True)
    found = compare_representations({"raw": X, "standard": StandardScaler(), "pca": PCA(2)}, y, X=X)
    display = ComparisonDisplay.from_comparison(found)

    np.testing.assert_allclose(display.dots_.get_offsets()[:, 0], found.predicted)
    assert {f"{100 * rate:.1f} %" for rate in found.predicted} <= {text.get_text() for text in display.ax_.texts}
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == list(found.names)
    assert [text.get_text() for text in display.words_] == list(found.word)


def test_those_are_worse_whose_line_lies_to_the_right_of_the_best(make):
    """Nobody needs to take the word for it, nor see colours: dots of the worse are hollow."""
    display = make("comparison", 9).plot()
    left = [line[0, 0] for line in display.intervals_.get_segments()]
    best = [line[0, 0] for line in display.best_.get_segments()][1:]
    worse = [word == "worse" for word in display.result.word]

    assert [one > two for one, two in zip(left, best, strict=True)] == worse[1:]
    assert [text.get_text() == "worse" for text in display.words_] == worse
    assert [np.allclose(color[:3], 1.0) for color in display.dots_.get_facecolors()] == worse
    assert len(set(display.result.word)) == 3


def test_rows_are_told_where_some_were_measured_on_fewer(make, overlaps, outside):
    """Their edges are of fewer rows; one representation has nothing to compare it to."""
    few, same, one = (make("comparison", K).plot() for K in (9, 2, 1))

    assert {"rows", "2,500", "20,000", "features"} <= {text.get_text() for text in few.ax_.texts}
    assert "rows" not in {text.get_text() for text in same.ax_.texts}
    assert [text.get_text() for text in one.words_] == ["best"]
    assert overlaps(one.figure_) == outside(one.figure_) == []
