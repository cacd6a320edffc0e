"""The ``BayesFloor`` estimator and its results.

Input: ``Data``.
Output: a frozen ``Fit``; ``BayesFloor`` and its results, which are the paper's tree bounds.
Must not know about: classifiers, plots and the wording of messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.support._names import load_late

if TYPE_CHECKING:
    from bayesfloor.floor._bayes_floor import BayesFloor
    from bayesfloor.floor._fit import Counts, Fit
    from bayesfloor.floor._results import Floor, OneVsRestFloor, PairwiseFloor, SampleScores
    from bayesfloor.floor._sample import SampledRowsWarning

__all__ = [
    "BayesFloor",
    "Counts",
    "Fit",
    "Floor",
    "OneVsRestFloor",
    "PairwiseFloor",
    "SampleScores",
    "SampledRowsWarning",
]

_HOMES = {
    "._bayes_floor": "BayesFloor",
    "._fit": "Counts Fit",
    "._results": "Floor OneVsRestFloor PairwiseFloor SampleScores",
    "._sample": "SampledRowsWarning",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
