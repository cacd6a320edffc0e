"""A check in a notebook: verdict, ruler, findings, matrix and tree, in less than 60 KB."""

from __future__ import annotations

from bayesfloor.report._templates import render
from bayesfloor.report._view import make_matrix, make_ruler, pair_table
from bayesfloor.summary._check import Check
from bayesfloor.summary._text import head_line, unmeasured

_CELLS, _PAIRS, _TREE = 20, 10, 60  # classes in the matrix, pairs, classes in the tree


def to_notebook(check: Check) -> str:
    """The part of the report that a notebook shows."""
    return render(
        "notebook.html",
        check=check,
        head=head_line(check),
        ruler=make_ruler(check),
        matrix=make_matrix(check, _CELLS, titles=len(check.labels) <= 12),
        pairs=pair_table(check, _PAIRS),
        unmeasured=unmeasured(check),
        tree=check.tree.to_text() if len(check.labels) <= _TREE else "",
    )
