"""``samples_for``: how many rows a model needs to reach an accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.answer._answer import OUT_OF_REACH, REACHABLE, TOO_CLOSE, Answer, check_target
from bayesfloor.decide._gap import answer_of
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats
from bayesfloor.support._words import two_digits

if TYPE_CHECKING:
    from bayesfloor.floor._bayes_floor import BayesFloor  # which loads scikit-learn

ENOUGH, MORE = "enough", "more rows"


@dataclass(frozen=True, eq=False, repr=False)
class SamplesNeeded(Result):
    """How many training rows the best learner needs to reach a target accuracy.

    Attributes
    ----------
    target : the target accuracy.
    n_rows : number of training rows behind the learner's cross-validated error.
    needed : training rows at which it is expected to reach the target; infinite if more than 64 times ``n_rows``.
    low, high : 95 % interval for ``needed``; ``low`` may equal the rows at hand, and ``high`` may be infinite.
    word : "enough", "more rows", "out of reach" or "too close to call".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.decide import samples_for
    >>> samples_for(BayesFloor().fit(*load_iris(return_X_y=True)), target=0.9).word
    'enough'
    """

    target: float
    n_rows: int
    needed: float
    low: float
    high: float
    word: str

    @property
    def text(self) -> str:
        """The answer in words."""
        wish = f"{100 * self.target:.6g} % accuracy"
        if self.word == ENOUGH:
            return f"{wish} is reachable with the rows at hand ({self.n_rows:,} training rows)."
        if self.word == MORE:
            worst = f"at most {two_digits(self.high):,}" if np.isfinite(self.high) else "possibly never enough"
            ends = f"at least {two_digits(self.low):,}; {worst}"
            return f"{wish} needs about {two_digits(self.needed):,} training rows ({ends}); you have {self.n_rows:,}."
        if self.word == OUT_OF_REACH:
            return f"{wish} is out of reach for the kinds of model tried, even with more rows."
        return f"These data cannot say how many rows {wish} needs: {self._open_end()}."

    def _open_end(self) -> str:
        if self.needed <= self.n_rows:
            return f"the {self.n_rows:,} training rows at hand may be enough, but are too few to confirm it"
        if not np.isfinite(self.low):
            return "the learning curves do not reach it"
        return f"at least {two_digits(self.low):,} training rows, possibly never enough"

    def _summary(self) -> str:
        return self.text.rstrip(".")


def samples_for(floor: BayesFloor | Answer, target: float) -> SamplesNeeded:
    """Estimate how many training rows a model needs to reach an accuracy.

    The number comes from the learning curve of the answer's best learner, which is cross-validated up to the rows at
    hand and extrapolated to up to 64 times as many.

    Parameters
    ----------
    floor : BayesFloor or Answer
        A fitted floor, or its answer.
    target : float
        Accuracy in (0, 1].

    Returns
    -------
    SamplesNeeded
        "enough" if the answer's verdict is "reachable", "out of reach" if that is the verdict, "more rows" if
        the extrapolated curve reaches the target, else "too close to call".

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.decide import samples_for
    >>> X, y = load_digits(return_X_y=True)
    >>> samples_for(BayesFloor().fit(X, y), target=0.9).word
    'enough'
    """
    check_target(target)
    answer = floor if isinstance(floor, Answer) else answer_of(floor)
    curve, error = answer.curve, 1 - float(target)
    here = int(curve.n_rows[curve.measured][-1]) if len(curve.n_rows) else 0
    needed, low, high = (_first_below(curve.n_rows, each, error) for each in (curve.error, curve.low, curve.high))
    outcome = answer.verdict(target)
    if outcome == REACHABLE:
        return SamplesNeeded(float(target), here, min(needed, here), min(low, here), float(here), ENOUGH)
    if outcome == OUT_OF_REACH:
        return SamplesNeeded(float(target), here, np.inf, np.inf, np.inf, OUT_OF_REACH)
    word = MORE if here < needed < np.inf else TOO_CLOSE
    return SamplesNeeded(float(target), here, needed, low, high, word)


def _first_below(n_rows: Any, errors: Floats, error: float) -> float:
    """Return the number of rows at which a falling curve reaches an error, interpolated on a logarithmic scale."""
    if not len(errors):
        return np.inf
    falling = np.minimum.accumulate(errors)
    if falling[-1] > error:
        return np.inf
    after = int(np.argmax(falling <= error))
    if after == 0:
        return float(n_rows[0])
    part = (falling[after - 1] - error) / (falling[after - 1] - falling[after])
    return float(n_rows[after - 1] * (n_rows[after] / n_rows[after - 1]) ** part)
