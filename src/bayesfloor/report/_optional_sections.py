"""Sections of the page that are there only where they were asked for: each a table, a picture and a few words."""

from __future__ import annotations

import warnings
from base64 import b64encode
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from io import BytesIO
from typing import Any, NamedTuple

from bayesfloor.plotting import ComparisonDisplay, GapDisplay, SelectionDisplay
from bayesfloor.summary._check_parts import Measured
from bayesfloor.summary._optional_tables import Cells, comparison_cells, gap_cells, path_cells, path_notes

_MOST_LINES = 30  # classes, and as many pairs, that a model is compared on
_SHARP = 160  # dots per inch: phones have more than one per pixel


class Choice(NamedTuple):
    """A section: its place, its name in the navigation, its title, what it is about, its table and its picture.

    ``notes`` stand below the table; ``picture`` is a data URL, empty where nothing can draw it.
    """

    place: str
    name: str
    title: str
    hint: str
    cells: Cells
    notes: list[str]
    picture: str


def make_choices(check: Measured) -> list[Choice]:
    """The sections that this check has."""
    return [*_gap(check), *_selection(check), *_comparison(check)]


def _gap(check: Measured) -> Iterator[Choice]:
    if check.gap is not None:
        hint = (
            "The model's error beside the lowest possible one: of all rows, within each class, and between the "
            "classes of pairs with room to improve."
        )
        cells, picture = gap_cells(check.gap, _MOST_LINES), _draw(GapDisplay.from_gap, check.gap)
        notes = [finding.text for finding in check.findings if finding.look == "gap"]
        yield Choice("model", "Model", "Your model against the floor", hint, cells, notes, picture)


def _selection(check: Measured) -> Iterator[Choice]:
    path = check.selection
    if path is not None:
        hint = (
            "Features in the order in which they lower the tree bounds most; the interval of each gain allows for "
            "having picked the best of all that were tried."
        )
        picture = _draw(SelectionDisplay.from_path, path)
        yield Choice("drop", "Features", "What you can drop", hint, path_cells(path), path_notes(path), picture)


def _comparison(check: Measured) -> Iterator[Choice]:
    found = check.comparison
    if found is not None:
        hint = (
            "Representations of the same rows by their cross-class edges, predicted for more rows, the fewest first. "
            "This ranks them; it does not say how low the error can go. All intervals hold together, whichever was "
            "picked as the best."
        )
        picture = _draw(ComparisonDisplay.from_comparison, found)
        yield Choice("compared", "Compared", "Compared", hint, comparison_cells(found), [found.text], picture)


def _draw(make: Callable[[Any], Any], result: Any) -> str:
    """The picture of a display; empty without matplotlib, which the report does not need."""
    if find_spec("matplotlib") is None:
        return ""
    file = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of letters that no font has: the table shows them
        make(result).figure_.savefig(file, format="png", dpi=_SHARP)
    return f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
