"""``bayesfloor tree``: the classes, in the forms that people and programs read."""

import json

import numpy as np
import pytest

pytestmark = pytest.mark.slow

NAMES = [f"class {k:02d}" for k in range(39)] + ["it's"]


@pytest.fixture(scope="module")
def many(tmp_path_factory, write):
    """Forty classes in pairs that overlap."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(40), 12)
    X = rng.normal(size=(len(codes), 2)) + np.column_stack([30.0 * (codes // 2), 1.5 * (codes % 2)])
    return write(tmp_path_factory.mktemp("many") / "many.csv", X, np.array(NAMES)[codes])


@pytest.fixture(scope="module")
def grown(run, many):
    """The tree in every form, one of them by two threads; the drawing by the cut of the paper."""
    asked = {"text": ("--cut", "min_cut"), "json": ("--format", "json"), "threads": ("--format", "json", "-j", "2")}
    ended = {form: run("tree", many, "-y", "label", "--trees", "1", *args) for form, args in asked.items()}
    assert all((end.code, end.stderr) == (0, "") for end in ended.values())
    return {form: end.stdout for form, end in ended.items()}


def leaves(tree):
    return [tree] if isinstance(tree, str) else [name for part in tree for name in leaves(part)]


def nested(tree, node=0):
    if tree["left"][node] < 0:
        return tree["classes"][tree["order"][tree["start"][node]]]
    return nested(tree, tree["left"][node]), nested(tree, tree["right"][node])


def test_each_class_is_a_leaf_of_the_drawing_by_the_cut_of_the_paper(grown):
    """Forty classes are too many for a table, which is why there is a tree, and the paper is compared with."""
    drawn = [line.lstrip("│├└─ ") for line in grown["text"].splitlines()]

    assert sorted(line for line in drawn if "classes: " not in line) == sorted(NAMES)
    assert drawn[0].startswith("40 classes: ")


def test_json_tells_the_tree_whatever_the_threads(grown):
    assert sorted(leaves(nested(json.loads(grown["json"])))) == sorted(NAMES)
    assert grown["threads"] == grown["json"]
