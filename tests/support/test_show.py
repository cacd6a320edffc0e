"""Labels as text: whatever a file brought, a line stays a line and says what is there."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bayesfloor.support._words import (
    about,
    cells,
    join_labels,
    pad,
    printable,
    quoted,
    show_labels,
    without_shared_prefix,
)

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
    ("n", "expected"), [(0, ""), (1, "0"), (2, "0, 1"), (6, "0, 1, 2, 3, 4, 5"), (7, "0, 1, 2, 3, 4, 5 and 1 more")]
)
def test_long_lists_end_with_how_many_more_there_are(n, expected):
    """A thousand classes are no title."""
    assert join_labels(list(range(n))) == expected


def test_lists_are_cut_where_they_are_told_to_and_escaped():
    """Some lines are shorter; a list is where most labels are shown."""
    assert join_labels(["a", "b", "c"], most=1) == "a and 2 more"

    assert join_labels(["a\nb", "c\u202e"]) == r"a\nb, c\u202e"


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["cat", "dog"], ["cat", "dog"]),
        ([0, 1], ["0", "1"]),
        ([True, False], ["True", "False"]),
        ([""], ['""']),
        (["\n", "\\n"], [r"\n #1", r"\n #2"]),
        (["", '""'], ['"" #1', '"" #2']),
        ([1, "1"], ["1 #1", "1 #2"]),
        (["a" * 40], ["a" * 21 + "…" + "a" * 10]),
        (["a" * 40, "a" * 41], ["a" * 21 + "…" + "a" * 10 + " #1", "a" * 21 + "…" + "a" * 10 + " #2"]),
        (["\n", "\\n", r"\n #1"], [r"\n #2", r"\n #3", r"\n #1"]),
        ([], []),
    ],
)
def test_labels_are_shown_short_and_different(labels, shown):
    """Worked by hand."""
    assert show_labels(labels) == shown


@given(st.lists(st.text(st.sampled_from('ab\n\\nx1# "…\u200b\x1b')), unique=True, max_size=8), st.integers(4, 40))
@example(["a", "a #1", "a #2"], 32)
@example(["x" * 50, "x" * 51, "x" * 21 + "…" + "x" * 10, "x" * 21 + "…" + "x" * 10 + " #1"], 32)
def test_labels_that_differ_are_shown_as_different_lines(labels, width):
    """Two classes under one name would be one class to the reader."""
    shown = show_labels(labels, width)

    assert len(set(shown)) == len(labels)
    assert all(text.isprintable() and text for text in shown)
    assert all(len(text) <= width + len(f" #{2 * len(labels)}") for text in shown)


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["North region Sub 01", "North region Sub 27"], ["… Sub 01", "… Sub 27"]),
        (["north_region_sub_01", "north_region_sub_27"], ["… sub_01", "… sub_27"]),
        (["Shared words alpha", "Shared words also"], ["Shared words alpha", "Shared words also"]),
        (["class 001", "class 002"], ["class 001", "class 002"]),
        (["North region Sub", "North region Sub 01"], ["North region Sub", "North region Sub 01"]),
        (["2024-01-01", "2024-01-02"], ["2024-01-01", "2024-01-02"]),
        ([1.25, 1.5], ["1.25", "1.5"]),
        (["North region Sub 01"], ["North region Sub 01"]),
        ([], []),
    ],
)
def test_words_that_all_labels_start_with_are_cut_but_for_the_last(labels, shown):
    """A matrix of a hundred classes has space for what differs; short prefixes and parts of words stay."""
    assert without_shared_prefix(labels) == shown


@given(st.lists(st.text(st.sampled_from("ab \n-_…1")), unique=True, max_size=8), st.text(st.sampled_from("ab -")))
def test_labels_without_their_prefix_still_differ(labels, prefix):
    """Two classes under one name would be one class to the reader."""
    shown = without_shared_prefix([prefix + label for label in labels])

    assert len(set(shown)) == len(labels)
    assert all(shown) or "" in [prefix + label for label in labels]


@pytest.mark.parametrize("labels", [["a", "a "], ["a", " a"], ["a b", "a  b"], [" ", "  ", ""]])
def test_labels_that_differ_in_blanks_only_are_told_apart(labels):
    """Web pages and Markdown drop blanks at the ends and show many as one."""
    seen = [" ".join(text.split()) for text in show_labels(labels)]

    assert len(set(seen)) == len(labels)
    assert all(seen)


@pytest.mark.parametrize("labels", [["\u00e9", "e\u0301"], ["\u212b", "\u00c5"]])
def test_labels_that_are_spelt_in_two_ways_are_told_apart(labels):
    """One letter or a letter and its accent: they look the same."""
    seen = [unicodedata.normalize("NFC", text) for text in show_labels(labels)]

    assert len(set(seen)) == len(labels)


def test_thousands_of_alike_labels_are_numbered_fast():
    """A hundred thousand classes may share a long beginning and end."""
    labels = [f"{'a' * 40}{k}{'b' * 40}" for k in range(20_000)]

    assert len(set(show_labels(labels))) == 20_000


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("abc", 3),
        ("漢字", 4),
        ("e\u0301", 1),
        ("ｶ", 1),
        ("\uff21", 2),
        ("\U0001f600", 2),
        ("שלום", 4),
        ("ก\u0e31", 1),
        ("क\u0941", 1),
        ("❤\ufe0e", 1),
        ("─█", 2),
    ],
)
def test_columns_of_a_terminal_are_counted(text, columns):
    """Tables of Chinese labels stay tables; Thai and Hindi vowels sit above and below their letter."""
    assert cells(text) == columns


@pytest.mark.parametrize(
    ("lower", "shown"), [(0.006, "about 1.3 % (0.60 to 2.4 %)"), (float("nan"), "about 1.3 % (at most 2.4 %)")]
)
def test_an_estimate_is_shown_with_its_range(lower, shown):
    """A lower end that is not known is left out."""
    assert about(0.013, lower, 0.024) == shown


@given(st.text(), st.integers(0, 40))
def test_padding_fills_up_and_never_cuts(text, width):
    """A label may be wider than its column, but stays whole."""
    left, right = pad(text, width), pad(text, width, right=True)

    assert left.startswith(text)
    assert right.endswith(text)
    assert cells(left) == cells(right) == max(width, cells(text))
    assert left.removeprefix(text).strip(" ") == right.removesuffix(text).strip(" ") == ""


def test_long_texts_are_cut_before_they_are_escaped():
    """A label may be a whole book."""
    book = "\x1b" * 10_000_000

    assert len(printable(book)) < 50_000
    assert len(join_labels([book] * 9)) < 6000
    assert len(quoted(book)) < 1000
    assert show_labels([book, "a"], 12) == show_labels(["\x1b" * 1000, "a"], 12)
