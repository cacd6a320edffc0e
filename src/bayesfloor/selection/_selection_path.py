"""The result of selecting features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.engine._result import Result
from bayesfloor.engine._show import printable
from bayesfloor.engine._types import Floats, Ints

NO_DIFFERENCE = "no significant difference"


@dataclass(frozen=True, eq=False, repr=False)
class HoldOut(Result):
    """The selected features measured on rows that were not used to select them.

    Attributes
    ----------
    n_rows : number of held-out rows.
    cross_rate, lower, estimate, upper : fraction of cross-class edges, and tree bounds on the Bayes error, on these
        rows.
    optimistic : cross rate on the same number of selection rows; if it is lower than ``cross_rate``, the selection rows
        are optimistic.
    all_cross_rate : cross rate of all features on the held-out rows.
    difference, difference_low, difference_high : cross rate of the selected features minus that of all features, and
        its paired interval.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from bayesfloor import FloorSelector
    >>> holdout = FloorSelector(n_features=2).fit(*load_wine(return_X_y=True, as_frame=True)).path_.holdout
    >>> holdout.word
    'no significant difference'
    """

    n_rows: int
    cross_rate: float
    lower: float
    estimate: float
    upper: float
    optimistic: float
    all_cross_rate: float
    difference: float
    difference_low: float
    difference_high: float

    @property
    def word(self) -> str:
        """How the selected features compare with all: "worse", "better" or "no significant difference"."""
        if self.difference_low > 0:
            return "worse"
        return "better" if self.difference_high < 0 else NO_DIFFERENCE

    @property
    def text(self) -> str:
        """The result in a sentence."""
        against = f"{self.word} {'from' if self.word == NO_DIFFERENCE else 'than'} all features"
        bounds = f"{100 * self.lower:.1f} to {100 * self.upper:.1f} %"
        return f"On {self.n_rows:,} held-out rows: {against} (tree bounds {bounds})."

    def _summary(self) -> str:
        return self.text.rstrip(".")


@dataclass(frozen=True, eq=False, repr=False)
class SelectionPath(Result):
    """Features in the order in which they were selected, one entry per step.

    Attributes
    ----------
    added : names of the features added in each step, one or two.
    n_features : number of features after the step.
    value : criterion after the step: the overall cross rate, or the mean or worst over pairs, relative to chance.
    cross_rate, lower, estimate, upper : overall cross rate and tree bounds on the Bayes error. They are optimistic,
        because the same rows were used to select the features.
    gain, gain_low, gain_high : how much the criterion fell, and its interval, which allows for having
        picked the best of ``n_candidates``.
    shown : whether the gain is significant: its interval is above zero.
    n_candidates : number of additions tried in the step.
    criterion : the quantity that was minimised: "overall", "mean" or "worst".
    level : confidence level of the intervals.
    all_cross_rate, n_all : overall cross rate of all features, and their number.
    n_rows : number of rows used for the selection.
    holdout : the selected features measured on held-out rows; None if no rows were held out.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from bayesfloor import FloorSelector
    >>> path = FloorSelector(n_features=2).fit(*load_wine(return_X_y=True, as_frame=True)).path_
    >>> path.added
    (('flavanoids',), ('color_intensity',))
    """

    added: tuple[tuple[str, ...], ...]
    n_features: Ints
    value: Floats
    cross_rate: Floats
    lower: Floats
    estimate: Floats
    upper: Floats
    gain: Floats
    gain_low: Floats
    gain_high: Floats
    shown: np.ndarray
    n_candidates: Ints
    criterion: str
    level: float
    all_cross_rate: float
    n_all: int
    n_rows: int
    holdout: HoldOut | None

    @property
    def text(self) -> str:
        """The selection in words."""
        names = [printable(name) for step in self.added for name in step]
        low, high = 100 * self.lower[-1], 100 * self.upper[-1]
        lines = [f"{len(names)} of {self.n_all} features: {', '.join(names)}."]
        if not self.shown.any():
            return f"{lines[0]} No feature helps significantly: these rows cannot distinguish the features from noise."
        lines.append(f"Tree bounds with them: {low:.1f} to {high:.1f} %, on the rows used for the selection.")
        return " ".join([*lines, *([] if self.holdout is None else [self.holdout.text])])

    def _summary(self) -> str:
        return f"{self.n_features[-1]} of {self.n_all} features in {len(self.added)} steps"

    def _columns(self) -> dict[str, Any]:
        names = ("n_features", "value", "cross_rate", "lower", "estimate", "upper", "gain", "gain_low", "gain_high")
        columns = {name: getattr(self, name) for name in (*names, "shown", "n_candidates")}
        return {"added": [" + ".join(names) for names in self.added], **columns}
