"""Classes against the rest: bounds and intervals, told apart."""

import numpy as np

from bayesfloor.plotting import OneVsRestDisplay


def test_bars_dots_and_lines_are_the_results_hardest_first(floor):
    """The picture says what the result says."""
    display, found = OneVsRestDisplay.from_estimator(floor), floor.one_vs_rest_
    order = np.argsort(-found.estimate, kind="stable")
    low, high = found.interval()

    np.testing.assert_allclose([bar.get_x() for bar in display.bounds_], found.lower[order])
    np.testing.assert_allclose([bar.get_x() + bar.get_width() for bar in display.bounds_], found.upper[order])
    np.testing.assert_allclose(display.points_.get_offsets()[:, 0], found.estimate[order])
    ends = np.array(display.intervals_.get_segments())[:, :, 0]
    np.testing.assert_allclose(ends, np.stack([low[order], high[order]], axis=1))
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == found.classes[order].tolist()


def test_the_legend_names_bounds_and_interval_apart(floor):
    """Bounds taken for a confidence interval are the commonest misreading."""
    legend = OneVsRestDisplay.from_estimator(floor, level=0.9).ax_.get_legend()
    texts = [text.get_text() for text in legend.get_texts()]

    assert "lower to upper tree bound (not a confidence interval)" in texts
    assert any(text.startswith("90 % confidence interval") for text in texts)


def test_classes_with_few_rows_are_grey_and_say_so(floor):
    """Twelve rows give bounds too, and nobody should believe them."""
    display = OneVsRestDisplay.from_estimator(floor)
    place = display.classes[display.shown_].tolist().index("e")
    colors = [tick.get_color() for tick in display.ax_.get_yticklabels()]
    marks = [text.xy[1] for text in display.ax_.texts if text.get_text() == "too few rows"]

    assert marks == [place]
    assert len({color for i, color in enumerate(colors) if i != place}) == 1
    assert colors[place] not in colors[:place] + colors[place + 1 :]


def test_the_number_of_rows_stands_beside_each_label(floor):
    """In a text of its own: within a right-to-left label it would change places."""
    display = OneVsRestDisplay.from_estimator(floor)
    counts = {text.xy[1]: text.get_text() for text in display.ax_.texts if text.get_ha() == "right"}

    assert [counts[y] for y in range(5)] == [f"{n:g}" for n in display.sizes[display.shown_]]


def test_of_many_classes_the_hardest_are_drawn(make):
    """The title says what was left out."""
    display = make("one_vs_rest", 100).plot(most=7)

    assert display.shown_.tolist() == list(range(99, 92, -1))
    assert display.ax_.get_title(loc="left").startswith("7 hardest of 100 classes")
