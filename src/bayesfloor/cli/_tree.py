"""The tree of classes, in the forms that others read."""

from __future__ import annotations

import json
import warnings
from typing import Any

from bayesfloor.cli._work import preparing
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._text import printable
from bayesfloor.hierarchy._tree import ClassTree
from bayesfloor.io._data import Data


def grow(data: Data, given: dict[str, Any], cut: str, progress: Progress) -> ClassTree:
    """The tree of a file's classes."""
    from bayesfloor.floor._bayes_floor import BayesFloor
    from bayesfloor.floor._sample import SampledRowsWarning
    from bayesfloor.summary._check import grow_class_tree

    floor = BayesFloor(
        n_trees=given["trees"],
        scale=given["scale"],
        max_rows=given["max_rows"] or None,
        target_width=None if given["max_rows"] == 0 else 0.01,
        n_jobs=given["jobs"],
        random_state=given["seed"],
        progress=progress,
        **preparing(given, data),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SampledRowsWarning)
        floor.fit(data.X, data.y, groups=data.groups)
    return grow_class_tree(floor.pairwise_, cut)


def format_tree(tree: ClassTree, form: str) -> str:
    """The tree as text, JSON or Newick."""
    if form == "json":
        return json.dumps(tree.to_dict(), allow_nan=False, default=str) + "\n"
    return _newick(tree) + "\n" if form == "newick" else tree.to_text()


def _newick(tree: ClassTree) -> str:
    """Nested brackets, as programs for phylogenies read them; without recursion, since a chain may be long."""
    made: dict[int, str] = {}
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        if tree.left[node] < 0:
            name = printable(tree.classes[tree.order[tree.start[node]]]).replace("'", "''")
            made[node] = f"'{name}'"
        else:
            made[node] = f"({made.pop(int(tree.left[node]))},{made.pop(int(tree.right[node]))})"
    return made[0] + ";"
