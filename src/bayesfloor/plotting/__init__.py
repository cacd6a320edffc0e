"""Displays of results, in scikit-learn's manner; matplotlib is imported when one is drawn."""

from bayesfloor.plotting._bounds import BoundsDisplay
from bayesfloor.plotting._class_tree import ClassTreeDisplay
from bayesfloor.plotting._curve import FloorCurveDisplay
from bayesfloor.plotting._envelope import EnvelopeDisplay
from bayesfloor.plotting._forest import ForestDisplay
from bayesfloor.plotting._layout import TreeLayout, layout
from bayesfloor.plotting._one_vs_rest import OneVsRestDisplay
from bayesfloor.plotting._pairwise import PairwiseDisplay
from bayesfloor.plotting._scores import SampleScoreDisplay
from bayesfloor.plotting._trees import TreesDisplay

__all__ = [
    "BoundsDisplay",
    "ClassTreeDisplay",
    "EnvelopeDisplay",
    "FloorCurveDisplay",
    "ForestDisplay",
    "OneVsRestDisplay",
    "PairwiseDisplay",
    "SampleScoreDisplay",
    "TreeLayout",
    "TreesDisplay",
    "layout",
]
