"""What the page shows, before it is a page."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris

import bayesfloor
from bayesfloor.plotting._class_tree_display import layout
from bayesfloor.summary._figures import grow_class_tree
from bayesfloor.summary._html_drawings import (
    MOST_DRAWN,
    class_table,
    draw_tree,
    evidence_ruler,
    make_matrix,
    make_ruler,
    make_ticks,
    matrix_order,
    matrix_scale,
    pair_table,
    row_cards,
    row_names,
    tree_text,
    values_of,
)
from bayesfloor.summary._text import ruler_end


def clusters(seed, n_classes, each, spread=1.5):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(n_classes), each)
    return spread * rng.normal(size=(n_classes, 3))[codes] + rng.normal(size=(len(codes), 3)), codes


@pytest.fixture(scope="module")
def iris():
    return bayesfloor.check(*load_iris(return_X_y=True), target=0.9)


@pytest.fixture(scope="module")
def many(global_random_seed, quick_check):
    """Fifty classes, more than the matrix takes."""
    return quick_check(*clusters(global_random_seed, 50, 12))


@pytest.mark.parametrize(
    ("most", "guessing", "end"),
    [(0.3, 0.5, 0.5), (0.6, 0.5, 0.6), (0.02, 0.9, 0.03), (0.016, 0.9, 0.025), (0.0, 0.5, 1e-4), (0.0, 0.0, 1e-4)],
)
def test_a_ruler_ends_at_guessing_or_at_a_round_number_before_it(most, guessing, end):
    """Small errors on a ruler up to 90 % would all be one dot."""
    assert ruler_end(most, guessing) == pytest.approx(end)


@pytest.mark.parametrize("end", [1e-9, 1e-4, 0.0005, 0.025, 0.05, 0.3333, 0.5, 0.548, 0.898, 0.95, 1.0])
def test_ticks_are_round_and_do_not_crowd(end):
    """Texts over each other cannot be read, and odd numbers cannot be compared."""
    ticks = make_ticks(end)
    places = [tick.place for tick in ticks]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0.0, 100.0)
    assert (ticks[0].side, ticks[-1].side) == ("start", "end")
    texts = [tick.place for tick in ticks if tick.text]
    assert min(np.diff(texts)) > 17
    assert 3 <= len(ticks) <= 6
    assert len({tick.text for tick in ticks if tick.text}) == len(texts)


def test_a_ruler_has_each_figure_at_its_place(iris):
    """A bar in the wrong place is a wrong number."""
    ruler, answer = make_ruler(iris), iris.answer
    end = ruler_end(0.1, answer.guessing)
    bar, best = ruler.bars
    assert bar.kind == "range"
    assert bar.ends[0] == pytest.approx(100 * answer.lower / end)
    assert bar.ends[1] == pytest.approx(100 * answer.upper / end)
    assert bar.mark == pytest.approx(100 * answer.estimate / end)
    assert best.mark == pytest.approx(100 * min(answer.errors.values()) / end)
    assert ruler.target.place == pytest.approx(100 * 0.1 / end)
    assert ruler.target.text == "90 % accuracy"


def test_the_evidence_has_all_learners_and_the_tree_bounds(iris):
    """Smallest error first, and what is no result last."""
    ruler, answer, overall = evidence_ruler(iris), iris.answer, iris.overall
    end = ruler_end(0.1, answer.guessing)
    first, *points, trees = ruler.bars
    assert first == make_ruler(iris).bars[0]
    assert [point.mark for point in points] == pytest.approx(sorted(100 * e / end for e in answer.errors.values()))
    assert (trees.kind, trees.name) == ("trees", "tree bounds")
    assert trees.ends[1] == pytest.approx(100 * overall.upper / end)


def test_tree_bounds_above_the_best_estimate_are_called_too_high(iris):
    """Two voices that contradict each other are worse than one."""
    high = replace(iris, overall=replace(iris.overall, lower=0.2, upper=0.3))
    assert evidence_ruler(high).bars[-1].note == "20.0 to 30.0 %, too high here"
    low = replace(iris, overall=replace(iris.overall, lower=0.0))
    assert "too high" not in evidence_ruler(low).bars[-1].note


@pytest.mark.parametrize("ends", [{"lower": np.nan}, {"lower": 1e-5, "reliability": "upper limit only"}])
def test_without_a_useful_lower_end_a_range_is_open(iris, ends):
    """A bar that begins at 0 as if it were known would claim what nobody knows."""
    bar = make_ruler(replace(iris, answer=replace(iris.answer, **ends))).bars[0]
    assert (bar.kind, bar.ends[0]) == ("range open", 0.0)
    assert re.fullmatch(r"about [\d.]+ % \(at most [\d.]+ %\)", bar.note)


def test_learners_that_look_alike_stay_different(iris):
    """Users call their models as they like."""
    errors = {"x" * 99 + "1" + "y" * 99: 0.1, "x" * 99 + "2" + "y" * 99: 0.1, "\x1b[31m": 0.1}
    names = [bar.name for bar in evidence_ruler(replace(iris, answer=replace(iris.answer, errors=errors))).bars]
    assert len(set(names)) == 5
    assert all(len(name) < 70 and name.isprintable() for name in names)


@pytest.mark.parametrize(("target", "side"), [(1.0, "start"), (0.999, "start"), (0.8, ""), (0.01, "end")])
def test_the_text_of_a_target_stays_on_the_ruler(iris, target, side):
    """At either end it would stick out of the page."""
    ruler = make_ruler(replace(iris, target=target))
    assert ruler.target.side == side
    assert 0 <= ruler.target.place <= 100


def test_everything_on_a_ruler_is_within_it(iris, many):
    """What is beyond its end would be drawn over the figures beside it."""
    for check in (iris, many, replace(many, target=0.0001), replace(iris, target=None)):
        for bar in make_ruler(check).bars + evidence_ruler(check).bars:
            assert all(0 <= place <= 100.31 for place in bar.ends or ())
            assert bar.mark is None or 0 <= bar.mark <= 100


def test_classes_stand_in_the_order_of_the_tree(iris, many):
    """Only so do hard groups become blocks."""
    assert matrix_order(iris, 40) == layout(iris.tree).rows.tolist()
    shown = matrix_order(many, 40)
    assert len(shown) == 40
    rows = layout(many.tree).rows.tolist()
    assert shown == [k for k in rows if k in set(shown)]


def test_the_classes_with_the_hardest_pairs_are_kept(many):
    """Leaving out the ones that matter would be the worst way to make room."""
    hardest = pair_table(many, 1)[0]
    matrix = make_matrix(many, 2)
    assert sorted(matrix.titles) == sorted([hardest["one"], hardest["two"]])
    relative = float(hardest["relative"].removesuffix(" %"))
    assert float(matrix.rows[0][1].text) == pytest.approx(relative, abs=0.51)
    assert matrix.part


def test_the_matrix_is_symmetric_and_empty_on_its_diagonal(many):
    """A class is not confused with itself, and a pair has no order."""
    rows = make_matrix(many).rows
    for i, row in enumerate(rows):
        assert row[i] == ("", "none", "")
        for j, cell in enumerate(row):
            assert cell.text == rows[j][i].text
            assert cell.kind == rows[j][i].kind


def test_cells_have_figures_colours_and_what_cannot_be_measured(iris):
    """Colour alone says nothing to those who do not see it, and 0.0 would be a claim."""
    matrix = make_matrix(iris)
    place = {label: k for k, label in enumerate(matrix.labels)}
    hard = matrix.rows[place["1"]][place["2"]]
    (step,) = [cell for cell in matrix_scale() if cell.kind == hard.kind]
    low, high = (float(end) for end in step.title.removesuffix(" %").split(" to "))
    assert low <= 100 * iris.pairs.relative[1, 2] < high
    assert float(hard.text) == pytest.approx(100 * iris.pairs.relative[1, 2], abs=0.51)
    assert re.fullmatch(r"(1 and 2|2 and 1): error about [\d.]+ % \([\d.]+ to [\d.]+ %\)", hard.title)
    assert matrix.rows[place["0"]][place["1"]] == ("·", "", "0 and 1: too small to measure")


def test_cells_without_titles_upright_labels_and_colours_are_those_of_all_data(iris, many):
    """In a notebook every byte is kept; turned letters are hard to read; colours compare data sets."""
    assert {cell.title for row in make_matrix(iris, titles=False).rows for cell in row} == {""}

    assert make_matrix(iris).upright
    assert make_matrix(many).upright
    long = replace(iris, pairwise=replace(iris.pairwise, classes=np.array(["setosa", "b", "c"])))
    assert not make_matrix(long).upright

    scale = matrix_scale()
    assert [cell.kind for cell in scale] == [f"s{step}" for step in range(10)]
    assert scale[0].title == "0 to 0.5 %"
    assert scale[-1].title == "75 to 100 %"


def test_pairs_and_classes_are_ranked_and_those_with_few_rows_marked(many, iris):
    """Bars compare pairs, the hardest is the unit; a class of a dozen rows has no figure that one could stand on."""
    table = pair_table(many)
    widths = [row["width"] for row in table]
    assert widths[0] == 100
    assert widths == sorted(widths, reverse=True)
    assert len(table) <= 100

    table, end = class_table(iris)
    assert [row["note"] for row in table] == ["", "", "too small to measure"]
    assert re.fullmatch(r"[\d.]+ %", end)
    for row in table:
        bar = row["bar"]
        assert 0 <= bar.ends[0] <= bar.mark <= bar.ends[1] <= 100.31
    assert sum(float(row["part"].removesuffix(" %")) for row in table) == pytest.approx(100, abs=0.2)
    assert all(row["note"] == "too few rows" for row in class_table(many)[0])


def test_rows_are_called_by_their_number_or_their_id():
    """Whoever looks for a row has one of the two."""
    assert row_names([3, -1, 5], None) == {3: "row 3", 5: "row 5"}
    assert row_names([0, 1, 2], ["a", 7, None]) == {0: "a", 1: "7", 2: "None"}
    assert row_names([0, 1], np.array(["a", "b"])) == {0: "a", 1: "b"}
    assert row_names([0], pa.array(["a"])) == {0: "a"}


def test_rows_of_pandas_are_taken_by_place():
    """After a split, the labels of its index are those of other rows."""
    assert row_names([0, 2], pd.Series(["a", "b", "c"], index=[2, 1, 0])) == {0: "a", 2: "c"}

    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=[2, 1, 0])
    assert values_of(frame, 0, 2) == [("a", "1", "3")]


def test_long_ids_are_cut_but_stay_different_and_equal_ids_stay_equal():
    """Two rows under one name would be looked up once; one row under two names, twice."""
    ids = ["x" * 300 + "1" + "y" * 300, "x" * 300 + "2" + "y" * 300, "same", "same", "", "\x1b[31m\n\u202e"]
    names = row_names(range(6), ids)
    assert len(set(names.values())) == 5
    assert names[2] == names[3] == "same"
    assert names[4] == '""'
    assert all(len(name) < 56 and name.isprintable() for name in names.values())


@pytest.mark.parametrize("kind", [pd.DataFrame, pa.table, "polars", np.array])
def test_values_come_from_any_table(kind):
    """Users pass to the report what they passed to the check."""
    columns = {"weight": [1.23456789, 2.0, 3.5], "<b>kind": ["a", "b", "c"]}
    if kind == "polars":
        kind = pytest.importorskip("polars").DataFrame
    if kind is np.array:
        assert values_of(np.array([[1.23456789, 2], [3, 4]]), 0, 1) == [("0", "1.23457", "3"), ("1", "2", "4")]
        return
    assert values_of(kind(columns), 0, 2) == [("weight", "1.23457", "3.5"), ("<b>kind", "a", "c")]


def test_values_are_few_short_harmless_and_under_names_that_differ():
    """A wide row or a long text must not fill the page; minus one is a place in Python, but not the neighbour's."""
    wide = pa.table({f"c{k}": ["\x1b" * 5000] for k in range(100)})
    shown = values_of(wide, 0, 0)
    assert len(shown) == 30
    assert all(len(own) <= 60 and own.isprintable() for _, own, _ in shown)

    table = pa.table({"x" * 99 + "1" + "y" * 99: [1], "x" * 99 + "2" + "y" * 99: [2], "": [3]})
    assert len({name for name, _, _ in values_of(table, 0, 0)}) == 3

    assert values_of(np.array([[1.0], [2.0]]), 0, -1) == [("0", "1", "")]


def test_a_card_tells_a_row_its_label_and_its_neighbour(global_random_seed):
    """Enough to find the row and to see what is suspicious about it."""
    X, codes = clusters(global_random_seed, 2, 100, spread=4)
    codes[:3] = 1 - codes[:3]
    check = bayesfloor.check(X, np.array(["cat", "dog"])[codes])
    cards = row_cards(check, 60, None, {0: "data:,"}, None)
    assert len(cards) == min(60, len(check.suspicious))
    for card, row, label in zip(cards, check.suspicious.scores.row, check.suspicious.scores.label, strict=True):
        assert (card["name"], card["label"]) == (f"row {row}", label)
        assert card["near_label"] != card["label"]
        assert card["near"].startswith("row ")
        assert card["picture"] == ("data:," if row == 0 else "")
        assert card["values"] == []


def test_a_drawing_has_a_line_for_each_label_and_a_note_for_each_split(iris):
    """The tree on the page is the tree in the result."""
    drawing = draw_tree(iris)
    assert [label for _, label in drawing.labels] == [iris.labels[k] for k in layout(iris.tree).rows]
    assert len(drawing.notes) == len(iris.tree.splits)
    assert drawing.leads.count("M") == 3
    assert drawing.text == iris.tree.to_text()
    assert any(re.fullmatch(r"[\d.]+ %", note) for _, _, note in drawing.notes)
    assert any(not note for _, _, note in drawing.notes)


@pytest.mark.parametrize("cut", ["average", "min_cut"])
def test_lines_and_texts_of_a_drawing_stay_inside(many, cut):
    """A chain of fifty is as deep as a tree gets."""
    drawing = draw_tree(replace(many, tree=grow_class_tree(many.pairwise, cut, many.pairs)))
    numbers = np.array(re.findall(r"[ML](-?\d+) (-?\d+)", drawing.leads + drawing.path), dtype=int)
    assert (numbers >= 0).all()
    assert (numbers < [drawing.width, drawing.height]).all()
    assert max(x for x, _, _ in drawing.notes) + 100 <= drawing.text_at
    assert max(y for y, _ in drawing.labels) < drawing.height


@pytest.mark.slow
def test_more_classes_than_can_be_drawn_are_text(global_random_seed, quick_check):
    """A drawing of hundreds is a smear."""
    check = quick_check(*clusters(global_random_seed, MOST_DRAWN + 1, 3))
    drawing = draw_tree(check)
    assert drawing.width == 0
    assert drawing.text.startswith(f"{MOST_DRAWN + 1} classes")


def test_the_tree_as_text_has_the_short_labels(iris):
    """A label of a thousand signs would be there as often as it is split."""
    classes = np.array(["a" * 500, "b" * 500, "c"])
    check = replace(iris, pairwise=replace(iris.pairwise, classes=classes), tree=replace(iris.tree, classes=classes))
    text = tree_text(check)
    assert "a" * 40 not in text
    assert all(label in text for label in check.labels)
