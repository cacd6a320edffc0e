"""Trees of classes: arrays that hold together, whatever was nested and whatever the classes are called."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.hierarchy import ClassTree
from bayesfloor.hierarchy._class_tree import NONE

DEEP = 1000

# NumPy's texts end before a NUL, and lone surrogates are no text.
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4)
LABELS = st.sampled_from([st.integers(-50, 50), TEXTS, st.booleans(), st.floats(-5, 5)])


@st.composite
def nested(draw, labels=LABELS, min_size=1):
    """Pairs within pairs, joined at random, of labels of one type."""
    parts = draw(labels.flatmap(lambda kind: st.lists(kind, min_size=min_size, max_size=12, unique=True)))
    while len(parts) > 1:
        one, two = (parts.pop(draw(st.integers(0, len(parts) - 1))) for _ in range(2))
        parts.append([one, two])
    return parts[0]


def as_sets(part):
    """Pairs within pairs as sets within sets."""
    return frozenset(map(as_sets, part)) if isinstance(part, list) else part


def leaves(part):
    return [label for side in part for label in leaves(side)] if isinstance(part, list) else [part]


def prune(part, kept):
    """The same pairs without the labels that are not kept, or None."""
    if not isinstance(part, list):
        return part if part in kept else None
    sides = [side for side in (prune(side, kept) for side in part) if side is not None]
    return sides if len(sides) == 2 else (sides or [None])[0]


def ladder(n):
    """A class split off at each step, from the last to the first."""
    part = 0
    for label in range(1, n):
        part = [part, label]
    return part


@given(nested())
def test_nested_pairs_come_back(sets_of, part):
    """Nothing is lost on the way to arrays."""
    assert sets_of(ClassTree.from_nested(part)) == as_sets(part)


@given(nested())
def test_arrays_of_a_tree_hold_together(part):
    """Parents first, a child without a search, ranges of classes, the first class on the left, whatever was written."""
    tree = ClassTree.from_nested(part)
    splits = tree.splits
    n_below = 2 * (tree.stop - tree.start) - 1

    assert tree.n_nodes == 2 * len(tree.classes) - 1
    assert np.array_equal(tree.left[splits], splits + 1)
    assert np.array_equal(tree.right[splits], splits + 1 + n_below[splits + 1])
    assert np.array_equal(tree.left == NONE, tree.right == NONE)

    splits, left, right = tree.splits, tree.left[tree.splits], tree.right[tree.splits]
    leaf = tree.left == NONE

    assert np.array_equal(np.sort(tree.order), np.arange(len(tree.classes)))
    assert (tree.start[0], tree.stop[0]) == (0, len(tree.classes))
    assert np.array_equal(tree.start[left], tree.start[splits])
    assert np.array_equal(tree.stop[left], tree.start[right])
    assert np.array_equal(tree.stop[right], tree.stop[splits])
    assert (tree.stop[leaf] - tree.start[leaf] == 1).all()

    assert np.array_equal(tree.classes, np.unique(leaves(part)))
    for node in tree.splits.tolist():
        assert tree.members(int(tree.left[node]))[0] == tree.members(node)[0]

    below = np.arange(1, tree.n_nodes)

    assert (tree.parent[0], tree.depth[0]) == (NONE, 0)
    assert all(node in (tree.left[tree.parent[node]], tree.right[tree.parent[node]]) for node in below)
    assert np.array_equal(tree.depth[below], tree.depth[tree.parent[below]] + 1)

    def mirror(part):
        return [mirror(side) for side in reversed(part)] if isinstance(part, list) else part

    tree, other = ClassTree.from_nested(part), ClassTree.from_nested(mirror(part))

    assert tree.to_dict() == other.to_dict()


@given(nested(), st.data())
def test_some_of_the_classes_keep_their_tree(sets_of, part, data):
    """A fold may lack a class; the others part as before."""
    labels = leaves(part)
    kept = data.draw(st.lists(st.sampled_from(labels), min_size=1, unique=True))
    tree = ClassTree.from_nested(part).among(np.array(kept))

    assert np.array_equal(tree.classes, np.unique(kept))
    assert tree.n_nodes == 2 * len(kept) - 1
    assert sets_of(tree) == as_sets(prune(part, kept))


def test_unknown_classes_are_refused_by_name():
    """A tree of other labels, or of texts for numbers, is the usual slip."""
    tree = ClassTree.from_nested([["cat", "dog"], "car"])

    with pytest.raises(ValueError, match=r"Got rows of class 'cow', which is not in the tree, but expected a tree"):
        tree.among(np.array(["cat", "cow"]))
    with pytest.raises(ValueError, match=r"Got rows of class 1, which is not in the tree"):
        ClassTree.from_nested([["1", "2"], "3"]).among(np.array([1, 2]))


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ([["cat", "dog"], "cat"], r"Got class 'cat' more than once, but expected each class in one place"),
        ([1, [2, 1]], r"Got class 1 more than once"),
        ([["a", "b", "c"], "d"], r"Got a list of length 3 in the tree, but expected pairs"),
        ([["a"], "b"], r"Got a list of length 1 in the tree, but expected pairs"),
        ([], r"Got a list of length 0 in the tree, but expected pairs"),
    ],
)
def test_what_is_no_tree_is_refused(part, message):
    """A list too many is easily written."""
    with pytest.raises(ValueError, match=message):
        ClassTree.from_nested(part)


KINDS = {
    "texts": [["cat", "dog"], "car"],
    "tuples": (("cat", "dog"), "car"),
    "numbers": [[3, 1], 2],
    "NumPy's numbers": [[np.int64(3), np.int64(1)], np.int64(2)],
    "floats": [[0.5, -1.0], 7.25],
    "booleans": [True, False],
    "one class": "cat",
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_label_makes_a_tree(kind):
    """Names of classes are whatever the data have."""
    tree = ClassTree.from_nested(KINDS[kind])
    shown = json.loads(json.dumps(tree.to_dict(), allow_nan=False))

    assert shown["classes"] == sorted(leaves(json.loads(json.dumps(KINDS[kind], default=int))))
    assert all(str(label) in tree.to_text() for label in tree.classes.tolist())


def test_balanced_trees_are_drawn_with_branches():
    """Who is whose child must be plain to see, and why; labels come from files that others wrote."""
    tree = ClassTree.from_nested([[["a", "b"], ["\x1b[31mred", "c\nd"]], [["e", "f"], "\u202eg"]])
    tree.reason[1] = "hardest pair e and f"

    assert tree.to_text().splitlines() == [
        "7 classes",
        r"├─ 4 classes: hardest pair e and f",
        r"│  ├─ 2 classes",
        r"│  │  ├─ \x1b[31mred",
        r"│  │  └─ c\nd",
        "│  └─ 2 classes",
        "│     ├─ a",
        "│     └─ b",
        "└─ 3 classes",
        r"   ├─ \u202eg",
        "   └─ 2 classes",
        "      ├─ e",
        "      └─ f",
    ]


@given(nested(st.just(TEXTS), min_size=2))
def test_every_node_is_one_line_that_prints(part):
    """A label with a line break or an escape must not draw a tree of its own."""
    tree = ClassTree.from_nested(part)
    lines = tree.to_text().splitlines()

    assert len(lines) == tree.n_nodes
    assert all(line.isprintable() for line in lines)


@given(nested())
def test_tables_have_a_row_for_each_node_and_all_is_plain_json(part):
    """In a notebook a table is what one wants to see; other programs read JSON, and NaN is none."""
    tree = ClassTree.from_nested(part).linked(np.ones((len(leaves(part)),) * 2))
    frame, shown = tree.frame(), tree.to_dict()

    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == tree.n_nodes
    assert frame["n_classes"].tolist() == [len(classes) for classes in frame["classes"]]
    assert frame["classes"].iloc[0] == tuple(tree.classes.tolist())
    assert {"parent", "left", "right", "depth", "link", "reason"} < set(frame.columns)
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert shown["link"] == [None if child == NONE else 1.0 for child in tree.left]


def test_links_are_means_across_each_split():
    """How alike the two sides are says how hard the split is."""
    matrix = np.array([[0, 0.6, 0.1], [0.6, 0, 0.3], [0.1, 0.3, 0]])
    tree = ClassTree.from_nested([["a", "b"], "c"]).linked(matrix)

    assert tree.link == pytest.approx([0.2, 0.6, np.nan, np.nan, np.nan], nan_ok=True)


def test_a_thousand_classes_in_a_ladder_need_no_deep_stack(shallow):
    """Minimal cuts peel off one class at a time; Python's stack ends about there."""
    tree = ClassTree.from_nested(ladder(DEEP))
    with shallow():
        again = ClassTree.from_nested(ladder(DEEP))
        text, shown, frame = tree.to_text(), json.dumps(tree.to_dict()), tree.frame()
        stored = pickle.loads(pickle.dumps(tree))  # noqa: S301 - our own
        half = tree.among(np.arange(0, DEEP, 2))

    assert tree.depth.max() == DEEP - 1
    assert again.to_dict() == stored.to_dict() == json.loads(shown)
    assert len(text.splitlines()) == len(frame) == 2 * DEEP - 1
    assert max(map(len, text.splitlines())) < 60  # below some depth a ladder, not a staircase
    assert half.depth.max() == DEEP // 2 - 1
