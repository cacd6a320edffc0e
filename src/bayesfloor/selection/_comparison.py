"""The result of comparing representations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayesfloor.engine._result import Result
from bayesfloor.engine._show import printable, show_labels
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.selection._selection_path import NO_DIFFERENCE


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Representations of the same rows, fewest cross-class edges first; arrays have one entry per representation.

    Cross-class edges rank representations. They are not errors: run ``check`` on one to see how low its error can go.

    Attributes
    ----------
    names : names of the representations.
    how : how each was made: "given", "fitted once" (without labels) or "cross-fitted".
    n_features : number of columns.
    n_rows : rows in the last round that measured it; fewer than all rows if it dropped out early.
    cross_rate : fraction of cross-class edges in that round.
    predicted, std_error : the fraction predicted for four times as many rows, and its standard error. With fewer than
        1,000 rows, or with few groups, the measured fraction.
    difference, difference_low, difference_high : the predicted fraction minus that of the best on the same rows, and
        its interval. All intervals hold simultaneously at ``level``, whichever representation was picked as the best.
    p_value : of the hypothesis "its rate is no higher than that of the best", from its last round, adjusted for all
        pairs and rounds. A representation that dropped out early was tested against the best of that round;
        ``difference`` is always relative to the overall best.
    word : "best", "no significant difference" or "worse".
    best_cross_rate : the predicted fraction of the best, corrected for having been picked as the smallest.
    n_folds : number of folds, each with its own trees: 2 if any representation is cross-fitted, else 1.
    level : confidence level of the intervals.
    rounds : rows, names and cross rates of each round.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from bayesfloor import compare_representations
    >>> X, y = load_wine(return_X_y=True)
    >>> found = compare_representations({"raw": X, "standard": StandardScaler()}, y, X=X)
    >>> found
    Comparison(2 representations, best standard, 1 significantly worse)
    >>> dict(zip(found.names, found.word))
    {'standard': 'best', 'raw': 'worse'}
    """

    names: tuple[str, ...]
    how: tuple[str, ...]
    n_features: Ints
    n_rows: Ints
    cross_rate: Floats
    predicted: Floats
    std_error: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    p_value: Floats
    word: tuple[str, ...]
    best_cross_rate: float
    n_folds: int
    level: float
    rounds: tuple[dict[str, Any], ...] = field(repr=False)

    @property
    def best_(self) -> str:
        """Name of the representation with the fewest cross-class edges."""
        return self.names[0]

    @property
    def not_worse(self) -> tuple[str, ...]:
        """Names of the best and of all others with no significant difference from it."""
        return tuple(name for name, word in zip(self.names, self.word, strict=True) if word != "worse")

    @property
    def smallest(self) -> str:
        """Name of the representation with the fewest features among those that are not significantly worse."""
        kept = [place for place, word in enumerate(self.word) if word != "worse"]
        return self.names[min(kept, key=lambda place: (self.n_features[place], place))]

    @property
    def text(self) -> str:
        """The comparison in words."""
        ahead = "" if np.array_equal(self.predicted, self.cross_rate) else ", predicted for more rows"
        lines = [f"{printable(self.best_)} is best: it has the fewest cross-class edges{ahead}."]
        others = [printable(name) for name in self.not_worse[1:]]
        if others:
            lines.append(f"{NO_DIFFERENCE.capitalize()}: {', '.join(others)}.")
        if self.smallest != self.best_:
            place = self.names.index(self.smallest)
            size = self.n_features[place]
            lines.append(
                f"{printable(self.smallest)} is the smallest of these, with {size} feature{'s' if size > 1 else ''}."
            )
        return " ".join([*lines, f"For the lowest possible error with {printable(self.best_)}, run check on it."])

    def _summary(self) -> str:
        best, n_worse = show_labels(self.names)[0], len(self.names) - len(self.not_worse)
        return f"{len(self.names)} representations, best {best}, {n_worse} significantly worse"

    def _columns(self) -> dict[str, Any]:
        names = ("how", "n_features", "n_rows", "cross_rate", "predicted", "std_error")
        more = ("difference", "difference_low", "difference_high", "p_value", "word")
        return {"representation": self.names, **{name: getattr(self, name) for name in (*names, *more)}}

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain Python objects, ready for JSON."""
        return {**super().to_dict(), "best": self.best_}


def ranked_best_first(ranked: Ints, columns: dict[str, Any]) -> dict[str, Any]:
    """Return all columns reordered by rank."""
    return {
        name: values[ranked] if isinstance(values, np.ndarray) else tuple(values[i] for i in ranked)
        for name, values in columns.items()
    }
