"""The class tree, in the formats that other programs read."""

from __future__ import annotations

import json

from bayesfloor.cli._settings import Settings, without_warning
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._show import printable
from bayesfloor.hierarchy._class_tree import ClassTree
from bayesfloor.io._data import Data


def grow_file_tree(data: Data, settings: Settings, cut: str, progress: Progress) -> ClassTree:
    """Return the class tree of a file."""
    from bayesfloor.answer._pairs_and_classes import pair_answers
    from bayesfloor.floor._bayes_floor import BayesFloor
    from bayesfloor.summary._check import grow_class_tree

    floor = BayesFloor(**settings.method(progress), **settings.drawing(), **settings.preparing(data))
    with without_warning():
        floor.fit(data.X, data.y, groups=data.groups)
    return grow_class_tree(floor.pairwise_, cut, pair_answers(floor.answer(), floor.classes_))


def format_tree(tree: ClassTree, form: str) -> str:
    """Return the tree as text, JSON or Newick."""
    if form == "json":
        return json.dumps(tree.to_dict(), allow_nan=False, default=str) + "\n"
    return _newick(tree) + "\n" if form == "newick" else tree.to_text()


def _newick(tree: ClassTree) -> str:
    """Return nested brackets, the format of phylogeny programs; without recursion, since a chain may be long."""
    made: dict[int, str] = {}
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        if tree.left[node] < 0:
            name = printable(tree.classes[tree.order[tree.start[node]]]).replace("'", "''")
            made[node] = f"'{name}'"
        else:
            made[node] = f"({made.pop(int(tree.left[node]))},{made.pop(int(tree.right[node]))})"
    return made[0] + ";"
