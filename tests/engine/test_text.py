"""Labels as text: whatever a file brought, a line stays a line and says what is there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.engine._text import join_labels, printable

HOSTILE = {
    "new line": ("a\nb", r"a\nb"),
    "carriage return": ("good\rbad", r"good\rbad"),
    "terminal escape": ("\x1b[2Jcat", r"\x1b[2Jcat"),
    "bell": ("\a", r"\x07"),
    "right to left": ("user\u202etxt", r"user\u202etxt"),
    "no width": ("ca\u200bt", r"ca\u200bt"),
    "other line": ("a\u2028b", r"a\u2028b"),
    "byte order mark": ("\ufeffcat", r"\ufeffcat"),
    "lone surrogate": ("\ud800", r"\ud800"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_does_not_print_is_escaped(kind):
    """A label may clear a screen, turn a line around or end it."""
    label, expected = HOSTILE[kind]

    assert printable(label) == expected


@pytest.mark.parametrize("label", ["cat", "Grüße", "猫", "ما", "a b", "it's", 'say "cat"', "back\\slash", "", "└─"])
def test_what_prints_stays_as_it_is(label):
    """Most labels are words, in any script."""
    assert printable(label) == label


@pytest.mark.parametrize(("label", "expected"), [(3, "3"), (-1.5, "-1.5"), (True, "True"), (None, "None")])
def test_labels_need_not_be_texts(label, expected):
    """Numbers and switches are labels, too."""
    assert printable(label) == expected


@given(st.text())
def test_every_text_becomes_one_line_that_prints(label):
    """No list of bad characters is complete."""
    text = printable(label)

    assert text.isprintable()
    assert len(text.splitlines()) <= 1


@pytest.mark.parametrize(
    ("n", "expected"),
    [(0, ""), (1, "0"), (2, "0, 1"), (6, "0, 1, 2, 3, 4, 5"), (7, "0, 1, 2, 3, 4, 5 and 1 more")],
)
def test_long_lists_end_with_how_many_more_there_are(n, expected):
    """A thousand classes are no title."""
    assert join_labels(list(range(n))) == expected


def test_lists_are_cut_where_they_are_told_to():
    """Some lines are shorter."""
    assert join_labels(["a", "b", "c"], most=1) == "a and 2 more"


def test_hostile_labels_in_lists_are_escaped_too():
    """A list is where most labels are shown."""
    assert join_labels(["a\nb", "c\u202e"]) == r"a\nb, c\u202e"
