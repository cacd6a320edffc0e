"""Displays of results in the style of scikit-learn; matplotlib is imported only when a display is drawn.

Input: results.
Output: displays.
Must not know about: fitting, and the report's wording.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.support._names import load_late

if TYPE_CHECKING:
    from bayesfloor.plotting._budget_display import BudgetDisplay
    from bayesfloor.plotting._class_tree_display import ClassTreeDisplay
    from bayesfloor.plotting._comparison_display import ComparisonDisplay
    from bayesfloor.plotting._curve_display import CurveDisplay
    from bayesfloor.plotting._forecast_display import ForecastDisplay
    from bayesfloor.plotting._gap_display import GapDisplay
    from bayesfloor.plotting._pairwise_display import PairwiseDisplay
    from bayesfloor.plotting._predicted_display import PredictedDisplay

__all__ = [
    "BudgetDisplay",
    "ClassTreeDisplay",
    "ComparisonDisplay",
    "CurveDisplay",
    "ForecastDisplay",
    "GapDisplay",
    "PairwiseDisplay",
    "PredictedDisplay",
]

_HOMES = {
    "._budget_display": "BudgetDisplay",
    "._class_tree_display": "ClassTreeDisplay",
    "._comparison_display": "ComparisonDisplay",
    "._curve_display": "CurveDisplay",
    "._forecast_display": "ForecastDisplay",
    "._gap_display": "GapDisplay",
    "._pairwise_display": "PairwiseDisplay",
    "._predicted_display": "PredictedDisplay",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
