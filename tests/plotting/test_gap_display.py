"""A model beside the floor: where there is room, with words."""

import numpy as np
import pytest

from bayesfloor.decide import gap
from bayesfloor.plotting import GapDisplay


@pytest.fixture(scope="module")
def found(floor):
    """A model that takes half of c for the far b, and some d for c."""
    true = floor.samples_.label
    pred = true.copy()
    pred[np.flatnonzero(true == "c")[::2]] = "b"
    pred[np.flatnonzero(true == "d")[::10]] = "c"
    return gap(floor, true, pred)


def test_bars_and_diamonds_are_the_results(found):
    """The picture says what the result says, for the whole, for classes and for pairs."""
    display = GapDisplay.from_gap(found)
    shown = [np.array([0]), display.shown_classes_, display.shown_pairs_]
    lines = [found.overall, found.by_class, found.by_pair]

    for part, (each, rows) in enumerate(zip(lines, shown, strict=True)):
        lower, upper = (np.atleast_1d(getattr(each, name))[rows] for name in ("lower", "upper"))
        np.testing.assert_allclose([bar.get_x() for bar in display.ranges_[part]], np.nan_to_num(lower))
        np.testing.assert_allclose([bar.get_x() + bar.get_width() for bar in display.ranges_[part]], upper)
        error = np.atleast_1d(each.error)[rows]
        np.testing.assert_allclose(display.errors_[part].get_offsets()[:, 0], error)
        ends = np.array(display.intervals_[part].get_segments())[:, :, 0]
        low, high = (np.atleast_1d(getattr(each, name))[rows] for name in ("low", "high"))
        np.testing.assert_allclose(ends, np.stack([low, high], axis=1))


def test_every_row_has_its_word(found):
    """Words are what readers take away."""
    display = GapDisplay.from_gap(found)
    words = [found.overall.word, *found.by_class.word[display.shown_classes_]]
    words += found.by_pair.word[display.shown_pairs_].tolist()

    assert [text.get_text() for text in display.words_] == words
    assert "room to improve" in words


def test_where_most_can_be_won_comes_first(found):
    """The class and the pair that the model confuses most, then all others."""
    display = GapDisplay.from_gap(found)
    names = [text.get_text() for text in display.ax_.get_yticklabels()]

    assert names[0] == "all classes"
    assert names[6] == "b / c"
    won = (found.by_class.error - found.by_class.upper) * found.by_class.n_rows
    assert (np.diff(won[display.shown_classes_]) <= 0).all()


def test_diamonds_are_filled_where_there_is_room(make):
    """Filled diamonds say the same as the words."""
    display = make("gap", 8).plot()
    filled = [not np.allclose(color[:3], 1) for part in display.errors_ for color in part.get_facecolors()]

    assert filled == [text.get_text() == "room to improve" for text in display.words_]


def test_of_many_classes_and_pairs_the_worst_are_drawn(make):
    """Their heads say what was left out."""
    display = make("gap", 40).plot(most=5)
    texts = {text.get_text() for text in display.ax_.texts}

    assert display.shown_classes_.tolist() == [39, 38, 37, 36, 35]
    assert "5 worst of 40 classes (of their rows)" in texts
    assert "5 worst of 780 pairs (of their rows)" in texts


def test_without_a_lower_limit_bars_fade_out_at_0(make):
    """A lower end that is not known must not look like one that is."""
    display = make("gap", 8).plot()
    lower = display.result.by_class.lower[display.shown_classes_]
    faint = [bar.get_facecolor()[3] < 0.1 for bar in display.ranges_[1]]

    assert 0 < np.isnan(lower).sum() < len(lower)
    assert faint == np.isnan(lower).tolist()
    assert all(bar.get_x() == 0 for bar, none in zip(display.ranges_[1], np.isnan(lower), strict=True) if none)


def test_two_classes_are_no_pair_of_their_own(make):
    """The only pair is the whole problem, which has a row already."""
    names = [text.get_text() for text in make("gap", 2).plot().ax_.get_yticklabels()]

    assert names == ["all classes", "class 001", "class 000"]


def test_classes_without_rows_come_last(floor):
    """Nothing was tried there."""
    true = np.array(["a"] * 10 + ["c"] * 10)
    display = GapDisplay.from_gap(gap(floor, true, true))
    words = [text.get_text() for text in display.words_]

    assert words[-1] == words[5] == "no rows"
    assert words[1] != "no rows"
