"""Bounds become results: the estimator, and what it finds.

Comes in: ``Data``.
Goes out: a frozen ``Fit``; ``BayesFloor`` and its results, the paper's tree bounds.
Must not know: classifiers, pictures, words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.floor._bayes_floor import BayesFloor
    from bayesfloor.floor._results import Floor, LabelClaims, OneVsRestFloor, PairwiseFloor, SampleScores
    from bayesfloor.floor._sample import SampledRowsWarning

__all__ = [
    "BayesFloor",
    "Floor",
    "LabelClaims",
    "OneVsRestFloor",
    "PairwiseFloor",
    "SampleScores",
    "SampledRowsWarning",
]

_HOMES = {
    "BayesFloor": "bayesfloor.floor._bayes_floor",
    "Floor": "bayesfloor.floor._results",
    "LabelClaims": "bayesfloor.floor._results",
    "OneVsRestFloor": "bayesfloor.floor._results",
    "PairwiseFloor": "bayesfloor.floor._results",
    "SampleScores": "bayesfloor.floor._results",
    "SampledRowsWarning": "bayesfloor.floor._sample",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
