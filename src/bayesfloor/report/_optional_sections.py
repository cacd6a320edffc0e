"""Optional sections of the page, each with a table, a chart and a few words."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from io import BytesIO
from typing import Any, NamedTuple

from bayesfloor.engine._quiet import ignoring
from bayesfloor.plotting import ComparisonDisplay, GapDisplay, SelectionDisplay
from bayesfloor.summary._check_parts import Measured
from bayesfloor.summary._optional_tables import Cells, comparison_cells, gap_cells, path_cells, path_notes

_MOST_LINES = 30  # classes, and pairs, in the table of a model
_SHARP = 160  # dots per inch, for high-resolution screens


class Choice(NamedTuple):
    """A section: its anchor, its name in the navigation, its title, a hint, its table and its chart.

    ``notes`` go below the table; ``picture`` is a data URL, empty if matplotlib is missing.
    """

    place: str
    name: str
    title: str
    hint: str
    cells: Cells
    notes: list[str]
    picture: str


def make_choices(check: Measured) -> list[Choice]:
    """Return the optional sections of a check."""
    return [*_gap(check), *_selection(check), *_comparison(check)]


def _gap(check: Measured) -> Iterator[Choice]:
    if check.gap is not None:
        hint = (
            "The model's error compared with the lowest possible error: on all rows, within each class, and for "
            "pairs of classes with room to improve."
        )
        cells, picture = gap_cells(check.gap, _MOST_LINES), _draw(GapDisplay.from_gap, check.gap)
        notes = [finding.text for finding in check.findings if finding.look == "gap"]
        yield Choice("model", "Model", "Your model against the floor", hint, cells, notes, picture)


def _selection(check: Measured) -> Iterator[Choice]:
    path = check.selection
    if path is not None:
        hint = (
            "Features in the order of selection: each step adds the features that lower the tree bounds most. The "
            "interval for each gain allows for having picked the best of all candidates."
        )
        picture = _draw(SelectionDisplay.from_path, path)
        yield Choice("drop", "Features", "What you can drop", hint, path_cells(path), path_notes(path), picture)


def _comparison(check: Measured) -> Iterator[Choice]:
    found = check.comparison
    if found is not None:
        hint = (
            "Representations of the same rows, ranked by their cross-class edges predicted for more rows, fewest "
            "first. The ranking does not say how low the error can go. All intervals hold simultaneously, whichever "
            "representation was picked as the best."
        )
        picture = _draw(ComparisonDisplay.from_comparison, found)
        cells, title = comparison_cells(found), "Representations compared"
        yield Choice("compared", "Comparison", title, hint, cells, [found.text], picture)


def _draw(make: Callable[[Any], Any], result: Any) -> str:
    """Return the chart of a display as a data URL; empty if matplotlib is missing, which the report does not need."""
    if find_spec("matplotlib") is None:
        return ""
    file = BytesIO()
    with ignoring(UserWarning):  # for characters without a font: the table shows them
        make(result).figure_.savefig(file, format="png", dpi=_SHARP)
    return f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
