"""Find columns whose names and values suggest that they are not features: further labels and sampling weights."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bayesfloor.engine._result import Result
from bayesfloor.engine._show import join_labels
from bayesfloor.hazards._labelled_table import LabelledTable

LABELS, WEIGHTS = "labels", "weights"
_STEM = re.compile(r"(.*[^\W_])[\W_]+[^\W_]*$")  # "tag" in "tag_sport"
_WEIGHT = re.compile(r"(fnl|final|sample|sampling|survey|p)[\W_]*(weights?|wgt|wt)", re.IGNORECASE)
_FEW = 10  # a label with more distinct values is not compared with other columns


@dataclass(frozen=True, repr=False)
class DoubtfulColumns(Result):
    """Columns that are used as features but probably should not be.

    Attributes
    ----------
    kind : "labels" for further labels of the same rows, "weights" for sampling weights.
    columns : their names.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import bayesfloor
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"size": rng.normal(size=200), "tag_art": rng.integers(0, 2, 200)})
    >>> table["tag_sport"] = (table["size"] > 0).astype(int)
    >>> bayesfloor.check(table, "tag_sport", effort="quick").doubtful[0].columns
    ('tag_art',)
    """

    kind: str
    columns: tuple[str, ...]

    def _summary(self) -> str:
        what = "further labels" if self.kind == LABELS else "sampling weights"
        return f"probably {what}: {join_labels(self.columns)}"


def find_doubtful(table: LabelledTable, label: str) -> tuple[DoubtfulColumns, ...]:
    """Return columns with the label's values and a similar name, and columns named like sampling weights."""
    found = {LABELS: _siblings(table, label), WEIGHTS: [name for name in table.names if _WEIGHT.fullmatch(name)]}
    return tuple(DoubtfulColumns(kind, tuple(names)) for kind, names in found.items() if names)


def _siblings(table: LabelledTable, label: str) -> list[str]:
    stem = _STEM.match(label)
    own = {str(value) for value in table.classes.tolist()}
    if stem is None or len(own) > _FEW:
        return []
    like = [each for each in table.columns_at_first if (one := _STEM.match(each.name)) and one[1] == stem[1]]
    return [values.name for values in like if _distinct(values.as_texts().levels, own)]


def _distinct(levels: tuple[str, ...], own: set[str]) -> bool:
    """Whether a column has the label's values, however they are written."""
    return len(levels) > 1 and {_plain(level) for level in levels} == {_plain(level) for level in own}


def _plain(value: str) -> str:
    """Return a value in a normal form, in which "1", "1.0", "yes" and "true" are the same."""
    text = value.strip().casefold()
    text = {"true": "1", "false": "0", "yes": "1", "no": "0"}.get(text, text)
    try:
        return f"{float(text):g}"
    except ValueError:
        return text
