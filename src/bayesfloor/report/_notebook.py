"""Show a check in a notebook: verdict, ruler, reliability, findings, matrix, class tree and evidence, below 60 KB."""

from __future__ import annotations

from html import escape

from bayesfloor.report._curve_drawing import draw_curve
from bayesfloor.report._page import main_findings, rests_on, standing, why_reliable
from bayesfloor.report._templates import render
from bayesfloor.report._view import (
    MOST_DRAWN,
    evidence_ruler,
    make_matrix,
    make_ruler,
    matrix_scale,
    pair_table,
    tree_text,
)
from bayesfloor.summary._check_parts import Measured
from bayesfloor.summary._figures import answer_figures, head_line, settings_line
from bayesfloor.summary._next_step import next_step
from bayesfloor.summary._text import unmeasured

_CELLS, _PAIRS = 20, 10  # classes in the matrix, and pairs in the list
_TITLED, _MOST = 12, 58_000  # most classes with tooltips, and most bytes in total
_TREE = 12_000  # most bytes for the class tree; a longer one is only in the report


def to_notebook(check: Measured) -> str:
    """Return the part of the report that a notebook shows, without tooltips if they take too much space."""
    page = _render(check, titles=len(check.labels) <= _TITLED)
    return page if len(page.encode("utf-8", "backslashreplace")) <= _MOST else _render(check, titles=False)


def _render(check: Measured, *, titles: bool) -> str:
    return render(
        "notebook.html",
        check=check,
        standing=standing(check),
        next_step=next_step(check),
        head=f"{head_line(check)} · {settings_line(check)}",
        ruler=make_ruler(check),
        figures=[figure for figure in answer_figures(check) if figure[0] not in ("reliability", "next")],
        reliability=why_reliable(check),
        findings=main_findings(check),
        many=len(check.labels) > 2,
        matrix=make_matrix(check, _CELLS, titles=titles),
        scale=matrix_scale(),
        pairs=pair_table(check, _PAIRS),
        unmeasured=unmeasured(check),
        tree=_short_tree(check),
        curve=draw_curve(check.answer),
        evidence=evidence_ruler(check),
        rests_on=rests_on(check),
    )


def _short_tree(check: Measured) -> str:
    if len(check.labels) > MOST_DRAWN:
        return ""
    text = tree_text(check)
    return text if len(escape(text).encode("utf-8", "backslashreplace")) <= _TREE else ""
