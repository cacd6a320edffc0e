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


def test_where_most_can_be_won_comes_first(found, floor):
    """The class and the pair that the model confuses most, then all others; those without rows come last."""
    display, true = GapDisplay.from_gap(found), np.repeat(["a", "c"], 10)
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    words = [found.overall.word, *found.by_class.word[display.shown_classes_]]
    words += found.by_pair.word[display.shown_pairs_].tolist()
    won = (found.by_class.error - found.by_class.upper) * found.by_class.n_rows
    lacking = [text.get_text() for text in GapDisplay.from_gap(gap(floor, true, true)).words_]

    assert names[0] == "all classes"
    assert names[6] == "b / c"
    assert (np.diff(won[display.shown_classes_]) <= 0).all()
    assert [text.get_text() for text in display.words_] == words
    assert "room to improve" in words
    assert lacking[-1] == lacking[5] == "no rows"
    assert lacking[1] != "no rows"


def test_room_is_a_filled_diamond_and_an_unknown_lower_end_fades_out_at_0(make):
    """Marks say the same as words, and no more; with two classes the only pair is the whole problem."""
    display = make("gap", 8).plot()
    filled = [not np.allclose(color[:3], 1) for part in display.errors_ for color in part.get_facecolors()]
    none = np.isnan(display.result.by_class.lower[display.shown_classes_])
    two = [text.get_text() for text in make("gap", 2).plot().ax_.get_yticklabels()]

    assert filled == [text.get_text() == "room to improve" for text in display.words_]
    assert 0 < none.sum() < len(none)
    assert [bar.get_facecolor()[3] < 0.1 for bar in display.ranges_[1]] == none.tolist()
    assert all(bar.get_x() == 0 for bar, open_ in zip(display.ranges_[1], none, strict=True) if open_)
    assert two == ["all classes", "class 001", "class 000"]
