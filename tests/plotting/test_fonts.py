"""Labels of users in pictures: short, different from one another, never read as formulas."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from bayesfloor.plotting import _display as _fonts
from bayesfloor.plotting._display import LONGEST, families, label_style, label_texts
from bayesfloor.support._words import show_labels


def test_a_short_label_stays_as_it_is():
    """Only what does not fit may be changed."""
    assert show_labels(["cat", 7, 1.5, True]) == ["cat", "7", "1.5", "True"]


def test_a_long_label_loses_its_middle():
    """Long names of one family differ at the start or at the end."""
    (text,) = show_labels(["first" + "x" * 200 + "last"], LONGEST)

    assert len(text) == LONGEST
    assert text.startswith("first")
    assert text.endswith("last")
    assert "…" in text


@pytest.mark.slow
@given(st.lists(st.text(max_size=60), unique=True, max_size=8))
def test_different_labels_stay_different(labels):
    """Two classes under one name would be two truths in one picture."""
    texts = show_labels(labels)

    assert len(set(texts)) == len(labels)
    assert all(text.isprintable() and text.strip() for text in texts)


def test_labels_cut_to_the_same_text_get_a_number():
    """The number leads back to the class."""
    one, two = show_labels(["a" * 50 + "x" + "a" * 50, "a" * 50 + "y" + "a" * 50])

    assert one.endswith(" #1")
    assert two.endswith(" #2")


def test_what_cannot_be_seen_is_quoted_or_escaped():
    """An empty label beside an axis looks like a fault of the picture."""
    assert show_labels(["", "  ", " 1", "a\nb", "\u202eab"]) == ['""', '"  "', '" 1"', "a\\nb", "\\u202eab"]


def test_letters_in_no_font_are_written_as_escapes_with_one_warning(monkeypatch):
    """Boxes in place of letters make all classes look alike, and matplotlib warns once a letter."""
    monkeypatch.setattr(_fonts, "families", lambda: ["DejaVu Sans"])
    with pytest.warns(UserWarning, match="4 characters in labels are not in any installed font") as caught:
        texts = label_texts(["\u4e2d\u6587", "\u6807\u7b7e", "plain"])

    assert len(caught) == 1
    assert texts == ["\\u4e2d\\u6587", "\\u6807\\u7b7e", "plain"]


def test_an_escape_is_never_cut_in_two():
    """Half an escape names another letter."""
    (text,) = show_labels(["\u4e2d" * 20], LONGEST, missing={"\u4e2d"})

    assert text == "\\u4e2d\\u4e2d…\\u4e2d"


def test_texts_that_are_told_drawable_draw_without_a_warning():
    """Checked letter by letter beforehand: nothing is left for matplotlib to warn of."""
    figure = Figure()
    for place, text in enumerate(
        label_texts(["\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627", "$\\frac{", "a_b^c"])
    ):
        figure.text(0.1, place / 5, text, **label_style())

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.draw_without_rendering()


def test_fonts_that_are_not_installed_are_not_asked_for():
    """Matplotlib logs a line for each one it does not find."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}

    assert all(name in installed for name in families()[1:])
