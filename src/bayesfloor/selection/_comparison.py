"""What a comparison of representations found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayesfloor.counts._labels import Floats, Ints
from bayesfloor.engine._text import printable
from bayesfloor.floor._results import Result
from bayesfloor.formulas._multiclass import Bounds


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Representations by their floors, the lowest first. Arrays have one entry for each.

    Attributes
    ----------
    names : what they were called.
    how : how each came about: "given", "fitted once" (without labels) or "cross-fitted".
    n_features : number of columns.
    n_rows : rows on which each was measured last; fewer than all for those that were far behind.
    cross_rate : share of edges that join two classes there.
    foretold, std_error : the share with four times as many rows as all, and its standard error; below 1,000
        rows, and of few groups, the share as it is.
    lower, estimate, upper : bounds on the Bayes error that go with what is foretold, and their middle.
    difference, difference_low, difference_high : what is foretold less that of the best from the same rows, and
        its interval. All intervals together hold with the level asked for, whichever was picked as the best.
    p_value : of "no higher than the best" of the round that was its last, adjusted for all pairs and rounds. One that
        went early was compared with the best of that round, while ``difference`` is to the best of all.
    word : "best", "as good" (not shown to be worse) or "worse".
    best_cross_rate : what is foretold of the best, without what it owes to having been picked as the smallest.
    best_bounds : its bounds, the lower at the low end of its interval and the upper at the high end.
    n_folds : parts that the rows were split into, each with trees of its own: 2 where some representation is
        cross-fitted, else 1.
    level : confidence of the intervals.
    rounds : rows, names and cross rates of each round.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from bayesfloor import compare_representations
    >>> X, y = load_wine(return_X_y=True)
    >>> found = compare_representations({"raw": X, "standard": StandardScaler()}, y, X=X)
    >>> found
    Comparison(2 representations, best 'standard', 1 as good)
    >>> dict(zip(found.names, found.word))
    {'standard': 'best', 'raw': 'worse'}
    """

    names: tuple[str, ...]
    how: tuple[str, ...]
    n_features: Ints
    n_rows: Ints
    cross_rate: Floats
    foretold: Floats
    std_error: Floats
    lower: Floats
    estimate: Floats
    upper: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    p_value: Floats
    word: tuple[str, ...]
    best_cross_rate: float
    best_bounds: Bounds
    n_folds: int
    level: float
    rounds: tuple[dict[str, Any], ...] = field(repr=False)

    @property
    def best_(self) -> str:
        """Name of the representation with the lowest floor."""
        return self.names[0]

    @property
    def as_good(self) -> tuple[str, ...]:
        """Names of those that were not shown to be worse than the best, the best included."""
        return tuple(name for name, word in zip(self.names, self.word, strict=True) if word != "worse")

    @property
    def smallest(self) -> str:
        """Name of the one with the fewest features among those as good as the best."""
        good = [place for place, word in enumerate(self.word) if word != "worse"]
        return self.names[min(good, key=lambda place: (self.n_features[place], place))]

    @property
    def text(self) -> str:
        """The comparison in words."""
        low, _, high = (100 * float(bound) for bound in self.best_bounds)
        sure = f"({100 * self.level:g} % confidence)"
        lines = [f"{printable(self.best_)} has the lowest floor: {low:.1f} to {high:.1f} % error {sure}."]
        others = [printable(name) for name in self.as_good[1:]]
        if others:
            lines.append(f"Not shown to be worse: {', '.join(others)}.")
        if self.smallest != self.best_:
            place = self.names.index(self.smallest)
            size = self.n_features[place]
            lines.append(
                f"{printable(self.smallest)} is the smallest of these: {size} feature{'s' if size > 1 else ''}."
            )
        return " ".join(lines)

    def __repr__(self) -> str:
        return f"Comparison({len(self.names)} representations, best {self.best_!r}, {len(self.as_good)} as good)"

    def _columns(self) -> dict[str, Any]:
        names = ("how", "n_features", "n_rows", "cross_rate", "foretold", "std_error", "lower", "estimate", "upper")
        more = ("difference", "difference_low", "difference_high", "p_value", "word")
        return {"representation": self.names, **{name: getattr(self, name) for name in (*names, *more)}}

    def to_dict(self) -> dict[str, Any]:
        """All values as plain Python, ready for JSON."""
        bounds = dict(zip(Bounds._fields, map(float, self.best_bounds), strict=True))
        return {**super().to_dict(), "best": self.best_, "best_bounds": bounds}


def in_order(ranked: Ints, columns: dict[str, Any]) -> dict[str, Any]:
    """All columns in this order."""
    return {
        name: values[ranked] if isinstance(values, np.ndarray) else tuple(values[i] for i in ranked)
        for name, values in columns.items()
    }
