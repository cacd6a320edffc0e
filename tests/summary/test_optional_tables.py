"""Tables of selections, comparisons and gaps: what they show, and where they are cut."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris

from bayesfloor import BayesFloor, Check, FloorSelector, compare_representations
from bayesfloor.decide import gap, samples_for
from bayesfloor.summary._figures import (
    comparison_cells,
    enough,
    gap_cells,
    path_cells,
    path_notes,
)
from bayesfloor.summary._html import make_page
from bayesfloor.support._words import about, percent

NAMES = ["<script>alert(1)</script>", "new\nline\r\ttab", "a", "b"]


@pytest.fixture(scope="module")
def chosen(made):
    """A check with a model."""
    return made("chosen")


@pytest.fixture(scope="module")
def rows():
    """Three classes in four columns, where the first two are enough."""
    y = np.repeat(np.arange(3), [150, 100, 70])
    X = np.random.default_rng(2).normal(size=(320, 4))
    X[:, 0] += 4 * (y == 1)
    X[:, 1] += 4 * (y == 2)
    return X, y


@pytest.fixture(scope="module")
def path(rows):
    """Two of the columns, selected."""
    return FloorSelector(2).fit(pd.DataFrame(rows[0], columns=NAMES), rows[1]).path_


@pytest.fixture(scope="module")
def compared(rows):
    """All columns, one of them, and noise."""
    X, y = rows
    noise = np.random.default_rng(2).standard_normal(X.shape)
    return compare_representations({NAMES[0]: X[:, :1], NAMES[1]: X, "noise": noise}, y)


def test_every_row_of_every_table_is_as_long_as_its_head(chosen, path, compared):
    """Else columns shift, and figures stand under other names."""
    tables = [path_cells(path), comparison_cells(compared), gap_cells(chosen.gap, 9)]
    for head, *rows in tables:
        assert rows
        assert {len(row) for row in rows} == {len(head)}


def test_a_step_shows_its_names_cross_class_edges_and_gain(path):
    """In the order of the head; names as harmless texts."""
    head, first, second = path_cells(path)

    assert head == ("feature added", "kept", "cross-class edges", "gain (points)", "95 % interval", "")
    assert {first[0], second[0]} == {"<script>alert(1)</script>", "new\\nline\\r\\ttab"}
    assert (first[1], second[1]) == ("1", "2")
    assert first[2] == f"{100 * path.cross_rate[0]:.1f} %"
    assert first[3] == f"+{100 * path.gain[0]:.1f}"


def test_the_first_set_that_is_no_worse_than_all_is_marked(path):
    """It alone; steps whose gain is not shown say so."""
    path = replace(path, cross_rate=np.array([0.3, 0.1]), all_cross_rate=0.1, shown=np.array([True, False]))
    never = replace(path, all_cross_rate=0.05)

    assert (enough(path), enough(never)) == (1, None)
    assert [row[-1] for row in path_cells(path)[1:]] == ["", "as few cross-class edges as all 4"]
    assert [row[-1] for row in path_cells(never)[1:]] == ["", "no significant gain"]


def test_notes_say_who_chose_and_what_rows_held_out_say(path):
    """The table alone would flatter."""
    assert path_notes(path)[-1] == path.holdout.text
    assert "optimistic" in path_notes(path)[2]
    assert path_notes(replace(path, holdout=None))[-1] == "No rows were held out."
    assert path_notes(path)[0].startswith("2 of 4 features lose nothing measurable on ")
    assert path_notes(replace(path, holdout=None))[0].startswith("2 of 4 features selected, not tested on other rows: ")
    worse = replace(path, holdout=replace(path.holdout, difference_low=0.01))
    assert path_notes(worse)[0] == "Keep all 4 features: the 2 selected are worse on held-out rows."
    assert path_notes(replace(path, shown=np.zeros(2, dtype=bool)))[0].startswith("No feature helps significantly")


def test_too_few_rows_for_a_gain_are_told_as_unknown():
    """An infinite interval is no number."""
    X, y = load_iris(return_X_y=True)
    path = FloorSelector(1, holdout=0.0).fit(X[45:75], y[45:75]).path_

    assert path_cells(path)[1][4] == "unknown to unknown"


def test_only_the_best_has_no_difference(compared):
    """All others say how far they are behind, with an interval."""
    _, best, *others = comparison_cells(compared)

    assert best[-3:] == ("", "", "best")
    assert all(row[-3] and " to " in row[-2] for row in others)
    assert others[-1][0] == "noise"
    assert others[-1][-1] == "worse"


def test_a_comparison_ranks_and_tells_no_error(compared):
    """How low the error can go with a representation is the answer's to say, on the same page."""
    head, *rows = comparison_cells(compared)

    assert not {"lower", "estimate", "upper"} & set(compared.to_dict())
    assert not [name for name in head if "error" in name or "bounds" in name]
    assert [row[4] for row in rows] == [f"{percent(rate)} %" for rate in compared.predicted]
    assert not re.search(r"\d ?%", compared.text)
    assert compared.text.endswith("run check on it.")


@pytest.mark.slow
def test_no_page_shows_where_the_trees_go_with_more_rows(chosen, altered):
    """Two extrapolations beside each other would be two answers; this one is in Python and JSON only."""
    other = altered(chosen, overall={"limit": 0.4321, "limit_std_error": 0.0123})

    for surface in (repr, Check.to_markdown, Check._repr_html_, make_page):
        assert surface(other) == surface(chosen)
    assert other.answer.to_dict() == chosen.answer.to_dict()
    assert samples_for(other.answer, 0.9).to_dict() == samples_for(chosen.answer, 0.9).to_dict()


@pytest.mark.slow
def test_a_gap_has_all_classes_and_the_pairs_with_room_most_to_be_won_first():
    """The first line is the whole problem; lists are cut."""
    X, y = load_digits(return_X_y=True)
    floor = BayesFloor(interval="fast").fit(X, y)
    answers = y.copy()
    answers[np.flatnonzero(y == 3)[:60]] = 5
    answers[np.flatnonzero(y == 1)[:30]] = 7
    found = gap(floor, y, answers)
    _, whole, *rows = gap_cells(found, 20)

    assert whole[0] == "all classes"
    assert whole[3] == about(found.overall.estimate, found.overall.lower, found.overall.upper)
    assert whole[4] == "room to improve"
    assert [row[0] for row in rows[:2]] == ["3", "1"]
    assert sorted(row[0] for row in rows[:10]) == list("0123456789")
    assert [row[0] for row in rows[10:]] == ["3 and 5", "1 and 7"]
    assert len(gap_cells(found, 3)) == 2 + 3 + 2


def test_a_class_without_rows_has_no_error(chosen):
    """Unknown, not zero."""
    lines = chosen.gap.by_class
    errors = np.array([np.nan, *lines.error[1:]])
    words = np.array(["no rows", *lines.word[1:]])
    found = replace(chosen.gap, by_class=replace(lines, error=errors, word=words))

    assert gap_cells(found, 9)[-1 - np.count_nonzero(found.by_pair.word == "room to improve")][1] == "unknown %"
