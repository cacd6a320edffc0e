"""Optional sections of the page, each with a table, a chart and a few words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

from bayesfloor.plotting import ComparisonDisplay, GapDisplay, SelectionDisplay
from bayesfloor.plotting._display import svg_with_css_colours
from bayesfloor.summary._check_result import Measured
from bayesfloor.summary._figures import Cells, comparison_cells, gap_cells, path_cells, path_notes
from bayesfloor.support._tasks import ignoring

_MOST_LINES = 30  # classes, and pairs, in the table of a model


class Choice(NamedTuple):
    """A section with a table and a chart."""

    place: str  # its anchor
    name: str  # in the navigation
    title: str
    hint: str
    cells: Cells
    notes: list[str]  # below the table
    picture: str  # SVG; empty if matplotlib is missing


def make_choices(check: Measured) -> list[Choice]:
    """Return the optional sections of a check."""
    return [*_gap(check), *_selection(check), *_comparison(check)]


def _gap(check: Measured) -> Iterator[Choice]:
    if check.gap is not None:
        hint = (
            "The model's error compared with the lowest possible error: on all rows, within each class, and for "
            "the worst pairs of classes."
        )
        cells, picture = gap_cells(check.gap, _MOST_LINES), _draw(GapDisplay.from_gap, check.gap, "model")
        yield Choice("model", "Model", "Your model against the floor", hint, cells, [check.gap.details], picture)


def _selection(check: Measured) -> Iterator[Choice]:
    path = check.selection
    if path is not None:
        hint = (
            "Features in the order of selection: each step adds those that leave the fewest cross-class edges. The "
            "interval for each gain allows for having picked the best of all candidates."
        )
        picture = _draw(SelectionDisplay.from_path, path, "drop")
        yield Choice("drop", "Features", "What you can drop", hint, path_cells(path), path_notes(path), picture)


def _comparison(check: Measured) -> Iterator[Choice]:
    found = check.comparison
    if found is not None:
        hint = (
            "Representations of the same rows, ranked by their cross-class edges predicted for more rows, fewest "
            "first. The ranking does not say how low the error can go. All intervals hold simultaneously, whichever "
            "representation was picked as the best."
        )
        picture = _draw(ComparisonDisplay.from_comparison, found, "compared")
        cells, title = comparison_cells(found), "Representations compared"
        yield Choice("compared", "Comparison", title, hint, cells, [found.text], picture)


def _draw(make: Callable[[Any], Any], result: Any, name: str) -> str:
    """Return the chart of a display as SVG; empty if matplotlib is missing, which the report does not need."""
    if find_spec("matplotlib") is None:
        return ""
    with ignoring(UserWarning):  # for characters without a font: the browser has its own fonts
        return svg_with_css_colours(make(result).figure_, name)
