"""Figures and tables by name: tables of decisions, and what trackers get."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris

from bayesfloor import BayesFloor, Check, FloorSelector, compare_representations
from bayesfloor.decide import gap
from bayesfloor.summary._figures import (
    comparison_cells,
    enough,
    gap_cells,
    path_cells,
    path_notes,
)
from bayesfloor.summary._html import make_page
from bayesfloor.support._words import about

ANSWER = {"lowest_error_estimate", "lowest_error_lower", "lowest_error_upper"}
OTHERS = {"guessing_error", "best_learner_error", "hardest_pair_error", "hardest_class_error"}
COUNTS = {"suspicious_labels", "rows"}
MODEL = {"model_error", "model_error_low", "model_error_high"}


def test_metrics_are_figures_of_the_answer_and_a_row_of_a_table(each):
    """For a tracker, and for a table of many datasets: numbers only, and none that is not known."""
    found, errors = each.metrics(), each.of_errors

    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["lowest_error_estimate"] == errors.estimate
    assert ("lowest_error_lower" in found) == bool(errors.lower >= 0)
    for answer in {each.answer.metric: each.answer, **each.beside}.values():
        if answer is not errors:
            ends = (found[f"{answer.metric}_shown"], found.get(f"{answer.metric}_limit", np.nan))

            assert found[answer.metric] == answer.score
            np.testing.assert_equal(ends, answer.score_range)
    assert each.frame().iloc[0].to_dict().items() >= {**found, "reliability": each.answer.reliability}.items()


def test_metrics_leave_out_what_nobody_told(made):
    """No learner's error and no pair's; and no warning: a job may turn warnings into errors."""
    found = made("iris")
    none = replace(found, answer=replace(found.answer, errors={}, best=""))
    pairs = replace(found.pairs, estimate=np.full_like(found.pairs.estimate, np.nan))

    assert set(found.metrics()) - set(none.metrics()) == {"best_learner_error"}
    assert set(found.metrics()) - set(replace(found, pairs=pairs).metrics()) == {"hardest_pair_error"}


def test_the_names_are_those_of_the_docstring_and_predictions_add_the_models_figures(made):
    """Charts of old and new runs share them, and follow the model and its floor."""
    found = made("iris").metrics()

    assert set(found) == ANSWER | OTHERS | COUNTS
    assert {type(value) for value in found.values()} == {float}
    assert all(f"``{name}``" in Check.metrics.__doc__ for name in ANSWER | OTHERS | COUNTS | MODEL)

    found, whole = made("chosen").metrics(), made("chosen").gap.overall

    assert set(found) == ANSWER | OTHERS | COUNTS | MODEL
    assert (found["model_error"], found["model_error_low"], found["model_error_high"]) == (
        whole.error,
        whole.low,
        whole.high,
    )


NAMES = ["<script>alert(1)</script>", "new\nline\r\ttab", "a", "b"]


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
    return FloorSelector(2).fit(pd.DataFrame(rows[0], columns=NAMES), rows[1]).path_


@pytest.fixture(scope="module")
def compared(rows):
    """All columns, one of them, and noise."""
    X, y = rows
    noise = np.random.default_rng(2).standard_normal(X.shape)
    return compare_representations({NAMES[0]: X[:, :1], NAMES[1]: X, "noise": noise}, y)


def test_every_row_of_every_table_is_as_long_as_its_head(made, path, compared):
    """Else columns shift, and figures stand under other names."""
    tables = [path_cells(path), comparison_cells(compared), gap_cells(made("chosen").gap, 9)]
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


def test_only_the_best_has_no_difference_and_too_few_rows_an_unknown_gain(compared):
    """All others say how far they are behind; an infinite interval is no number."""
    X, y = load_iris(return_X_y=True)
    path = FloorSelector(1, holdout=0.0).fit(X[45:75], y[45:75]).path_

    assert path_cells(path)[1][4] == "unknown to unknown"

    _, best, *others = comparison_cells(compared)

    assert (best[-4:-2], best[-1]) == (("", ""), "best")
    assert all(row[-4] and " to " in row[-3] for row in others)
    assert others[-1][0] == "noise"
    assert others[-1][-1] == "worse"


def test_a_comparison_shows_errors_today_with_more_rows_and_at_best(compared):
    """As fields and text have them."""
    head, *rows = comparison_cells(compared)

    assert head[2:5] == ("error today", "4 x the rows", "at best")
    for column, errors in ((2, compared.error), (3, compared.error_4x), (4, compared.lowest)):
        assert [row[column] for row in rows] == [compared.tell(error) for error in errors]
    assert compared.text.startswith(f"{rows[0][0]} is best: error {rows[0][2]} with these rows")


@pytest.mark.slow
def test_no_page_shows_where_the_trees_go_with_more_rows(made, altered):
    """Two extrapolations beside each other would be two answers; this one is in Python and JSON only."""
    chosen = made("chosen")
    other = altered(chosen, overall={"limit": 0.4321, "limit_std_error": 0.0123})

    for surface in (repr, Check.to_markdown, Check._repr_html_, make_page):
        assert surface(other) == surface(chosen)
    assert other.answer.to_dict() == chosen.answer.to_dict()
    assert other.answer.chance(0.9) == chosen.answer.chance(0.9)


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


def test_a_class_without_rows_has_no_error(made):
    before = made("chosen").gap
    lines = before.by_class
    found = replace(before, by_class=replace(lines, error=np.array([np.nan, *lines.error[1:]])))
    cells = gap_cells(found, 9)

    assert [row[1] for row in cells[2:]].count("unknown %") == 1
    assert cells[-1 - np.count_nonzero(found.by_pair.word == "room to improve")][1] == "unknown %"
