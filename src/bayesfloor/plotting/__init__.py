"""Displays of results in the style of scikit-learn; matplotlib is imported only when a display is drawn.

Input: results.
Output: displays.
Must not know about: fitting, and the report's wording.
"""

from bayesfloor.leaving.plotting_forest_display import ForestDisplay
from bayesfloor.leaving.plotting_one_vs_rest_display import OneVsRestDisplay
from bayesfloor.leaving.plotting_sample_score_display import SampleScoreDisplay
from bayesfloor.leaving.plotting_selection_display import SelectionDisplay
from bayesfloor.plotting._answer_display import AnswerDisplay
from bayesfloor.plotting._class_tree_display import ClassTreeDisplay
from bayesfloor.plotting._comparison_display import ComparisonDisplay
from bayesfloor.plotting._curve_display import CurveDisplay
from bayesfloor.plotting._gap_display import GapDisplay
from bayesfloor.plotting._pairwise_display import PairwiseDisplay

__all__ = [
    "AnswerDisplay",
    "ClassTreeDisplay",
    "ComparisonDisplay",
    "CurveDisplay",
    "ForestDisplay",
    "GapDisplay",
    "OneVsRestDisplay",
    "PairwiseDisplay",
    "SampleScoreDisplay",
    "SelectionDisplay",
]
