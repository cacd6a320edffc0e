"""``BudgetDisplay``: where an error goes, as one bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.plotting._display import (
    LIGHT,
    LONGEST,
    MIDDLE,
    SOFT,
    STRONG,
    ResultDisplay,
    in_percent,
    label_texts,
    write_at,
    write_title,
)
from bayesfloor.plotting._forecast_display import learner_name
from bayesfloor.support._errors import InputError
from bayesfloor.support._words import number_text, percent

if TYPE_CHECKING:
    from bayesfloor.decide._budget import Budget

_COLOURS = {"will stay": STRONG, "more rows": MIDDLE, "a better model": LIGHT, "will stay or more rows": STRONG}


@dataclass(eq=False, repr=False)
class BudgetDisplay(ResultDisplay):
    """The parts of an error as one bar: what will stay, what more rows would bring, and what a better model would.

    The line above each part is the 95 % interval of its size, from where the part begins.

    Parameters
    ----------
    result : Budget
        From ``check``.

    Attributes
    ----------
    bars_ : list of Rectangle
        The parts, from left to right.
    intervals_ : LineCollection
        The interval of each part.
    texts_ : list of Annotation
        The name and size of each part.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import bayesfloor
    >>> from bayesfloor.plotting import BudgetDisplay
    >>> found = bayesfloor.check(*load_wine(return_X_y=True), accuracy=0.85, effort="quick")
    >>> display = BudgetDisplay.from_budget(found.budget)
    >>> len(display.bars_) == len(found.budget.parts)
    True
    """

    result: Budget

    @classmethod
    def from_budget(cls, budget: Budget | None, **looks: Any) -> BudgetDisplay:
        """Draw a budget; further arguments go to ``plot``."""
        if budget is None:
            raise InputError("Got None, but expected a budget: no learner could be trained, so no error was measured.")
        return cls(budget).plot(**looks)

    def plot(self, *, ax: Any = None) -> BudgetDisplay:
        """Draw the bar."""
        ax, found = self._start(ax, 6.4, 2.0), self.result
        size = np.array([part.loss for part in found.parts])
        start = np.append(0.0, size.cumsum()[:-1])
        colours = [_COLOURS[part.name] for part in found.parts]
        self.bars_ = list(ax.barh(np.zeros(len(size)), size, 0.5, start, color=colours, linewidth=0))
        low, high = (start + [getattr(part, end) for part in found.parts] for end in ("low", "high"))
        heights = 0.42 + 0.13 * np.arange(len(size))
        self.intervals_ = ax.hlines(heights, low, high, colors=SOFT, linewidth=1.2)
        self.texts_ = [
            write_at(ax, self._told(k), (at, -0.25), (0, -4 - 11 * k), va="top") for k, at in enumerate(start)
        ]
        ax.set_ylim(-1.1, 0.9)
        ax.set_xlim(0.0, max(found.high, found.error, *high, 1e-6))
        ax.set_yticks([])
        if found.metric == "accuracy":
            in_percent(ax.xaxis)
        for side in ("top", "left", "right"):
            ax.spines[side].set_visible(False)
        write_title(ax, f"Where the error goes: {self._whose()}")
        bar = f", {len(size)} parts that add up to it" if len(size) > 1 else ""
        parts = "; ".join(self._told(k) for k in range(len(size)))
        whole = f"The error of {self._whose()}, {self._size(found.error)}"
        self.caption_ = f"{whole}{bar}: {parts}. Lines are 95 % intervals."
        return self

    def _told(self, place: int) -> str:
        part = self.result.parts[place]
        return f"{part.name} {self._size(part.loss)}"

    def _whose(self) -> str:
        return label_texts([learner_name(self.result.of)], LONGEST)[0] if self.result.of else "your model"

    def _size(self, loss: float) -> str:
        return f"{percent(loss)} %" if self.result.metric == "accuracy" else number_text(loss, 2)
