"""Displays of results, in scikit-learn's manner; matplotlib is imported when one is drawn.

Comes in: results.
Goes out: displays.
Must not know: fitting, words of the report.
"""

from bayesfloor.plotting._answer import AnswerDisplay
from bayesfloor.plotting._bounds import BoundsDisplay
from bayesfloor.plotting._class_tree import ClassTreeDisplay
from bayesfloor.plotting._comparison import ComparisonDisplay
from bayesfloor.plotting._curve import CurveDisplay
from bayesfloor.plotting._forest import ForestDisplay
from bayesfloor.plotting._gap import GapDisplay
from bayesfloor.plotting._one_vs_rest import OneVsRestDisplay
from bayesfloor.plotting._pairwise import PairwiseDisplay
from bayesfloor.plotting._scores import SampleScoreDisplay
from bayesfloor.plotting._selection import SelectionDisplay
from bayesfloor.plotting._trees import TreesDisplay

__all__ = [
    "AnswerDisplay",
    "BoundsDisplay",
    "ClassTreeDisplay",
    "ComparisonDisplay",
    "CurveDisplay",
    "ForestDisplay",
    "GapDisplay",
    "OneVsRestDisplay",
    "PairwiseDisplay",
    "SampleScoreDisplay",
    "SelectionDisplay",
    "TreesDisplay",
]
