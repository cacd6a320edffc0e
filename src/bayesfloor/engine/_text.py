"""Labels as text that neither a terminal nor a reader can be misled by."""

from __future__ import annotations

from collections.abc import Sequence


def printable(label: object) -> str:
    """A label as text, with whatever does not print written as an escape."""
    text = str(label)
    return text if text.isprintable() else repr(text)[1:-1]


def join_labels(labels: Sequence[object], most: int = 6) -> str:
    """Some labels in a line, and how many more there are."""
    shown = ", ".join(printable(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"
