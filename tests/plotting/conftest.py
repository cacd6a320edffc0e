"""Small fits, and displays of any number of classes without one."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.answer._answer import Answer, Basis, Curve, Reason
from bayesfloor.answer._forecast import GROWTH, LEVELS, Forecast
from bayesfloor.decide._budget import Budget, Part, PartName
from bayesfloor.decide._gap import Gap, GapLines, TooGood
from bayesfloor.decide._number_rows import odd_numbers
from bayesfloor.decide._representations import NO_DIFFERENCE, Comparison
from bayesfloor.hierarchy._cuts import class_tree
from bayesfloor.plotting import (
    BudgetDisplay,
    ClassTreeDisplay,
    ComparisonDisplay,
    ForecastDisplay,
    GapDisplay,
    PairwiseDisplay,
    PredictedDisplay,
)

HOSTILE = [
    *("a" * 200, "a" * 99 + "b" + "a" * 100, "$x_1$", "$\\frac{", "<b>bold</b>", "new\nline", "", " ", "100%"),
    *("\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627", "\u202eright to left"),
]


@pytest.fixture(scope="session")
def floor():
    rng = np.random.default_rng(0)
    y = np.repeat(list("abcde"), [60, 60, 60, 60, 12])
    centre = {"a": (0, 0), "b": (1.5, 0), "c": (9, 9), "d": (9.5, 8), "e": (0, 2)}
    X = np.array([centre[label] for label in y]) + rng.normal(size=(len(y), 2))
    return BayesFloor(interval="fast").fit(X, y)


def _similar(K):
    """Floors of pairs, higher where class numbers are close; far ones are too small to measure."""
    far = np.abs(np.subtract.outer(np.arange(K), np.arange(K)))
    matrix = np.exp(-far / 3.0) * (1 - 0.3 * np.sin(np.arange(K)) * np.sin(np.arange(K))[:, None])
    np.fill_diagonal(matrix, 0.0)
    return matrix, (far > 6) & (far > 0)


def _ladder(K):
    """A matrix whose minimal cuts split off one class at a time."""
    weight = np.minimum.outer(np.arange(1, K + 1), np.arange(1, K + 1)) / K
    np.fill_diagonal(weight, 0.0)
    return weight


def _names(K, kind="plain"):
    if kind == "hostile":
        return np.sort(np.array([f"{HOSTILE[i % len(HOSTILE)]}{i // len(HOSTILE) or ''}" for i in range(K)]))
    return np.array([f"class {i:03d}" for i in range(K)])


def _comparison(names):
    """So many representations: the best, some no clear difference from it, the others worse."""
    K = len(names)
    error, zero = np.linspace(0.1, 0.6, K), np.zeros(K)
    difference, reach = error - error[0], 0.1 * (np.arange(K) > 0)
    low = difference - reach
    return Comparison(
        names=tuple(names),
        how=("given",) * K,
        n_features=np.arange(1, K + 1) * 300,
        n_rows=2_000,
        metric="accuracy",
        error=error,
        error_low=error - 0.02,
        error_high=error + 0.02,
        error_4x=0.8 * error,
        lowest=0.6 * error,
        lowest_low=zero,
        lowest_high=error,
        difference=difference,
        difference_low=low,
        difference_high=difference + reach,
        p_value=zero,
        overtakes=zero,
        seconds=zero + 0.1,
        word=tuple("best" if i == 0 else "worse" if low[i] > 0 else NO_DIFFERENCE for i in range(K)),
        effort="quick",
        level=0.95,
        answers={},
    )


def _lines(n, words):
    """A model with more and more errors beside a floor that stays; n is how many, or None for one number."""
    size = (n,) if n else ()
    error, one = np.linspace(0.02, 0.4, n or 1).reshape(size), np.ones(size)
    word = np.array(words)[np.linspace(0, len(words) - 1, n or 1).round().astype(int)].reshape(size)
    rows = (1000 * one).astype(int)
    lower = np.where(error > 0.2, np.nan, 0.05 * one)
    return GapLines(rows, error, 0.8 * error, 1.3 * error, 0.08 * one, lower, 0.15 * one, word)


def _gap(classes):
    K = len(classes)
    words = ["below the floor", "at the floor", "no room shown", "room to improve"]
    return Gap(
        classes=classes,
        sizes=np.arange(1, K + 1) * 10,
        level=0.95,
        overall=_lines(None, ["no room shown"]),
        by_class=_lines(K, words),
        by_pair=_lines(K * (K - 1) // 2, ["no room shown", "room to improve"]),
        reliability="limited",
        reasons=("few rows",),
        proportions_p_value=0.5,
        too_good=TooGood(0.5, proved=False, n_equal=0, n_right=0, expected=0.0, equal_p_value=1.0),
    )


def _answer(errors, ends, guessing):
    """An answer without a race having been run."""
    n_rows, error = 100 * 2 ** np.arange(10), ends[1] + 0.2 * 0.7 ** np.arange(10)
    lower, estimate, upper = ends
    lowest = np.interp(LEVELS, (0.025, 0.5, 0.975), ends)
    return Answer(
        estimate=estimate,
        lower=lower,
        upper=upper,
        why_lower=Reason(Basis.CURVES),
        why_upper=Reason(Basis.NEIGHBOUR),
        reliability="limited",
        reasons=(Reason(Basis.WIDE, (0.15,)),),
        guessing=guessing,
        best=min(errors, key=errors.get),
        errors=errors,
        curve=Curve(n_rows, error, 0.8 * error, 1.2 * error, np.arange(10) < 4),
        left_out={},
        effort="normal",
        n_rows=1000,
        n_independent=dict.fromkeys(errors, 1000.0),
        n_classes=5,
        forecast=Forecast(lowest, tuple(lowest + 0.1 * 0.7**k for k in range(len(GROWTH))), 800),
    )


def _answer_of_numbers(names, n_rows):
    """An answer for so many numbers with normal noise of 10, and one typing error; the first learner is the best."""
    rng = np.random.default_rng(0)
    predicted = rng.uniform(50, 400, n_rows)
    y = predicted + rng.normal(0, 10, n_rows)
    y[3] *= 10
    errors = dict(zip(names, np.linspace(10, 11, len(names)).tolist(), strict=True))
    race = SimpleNamespace(row=np.arange(n_rows) + 7, y=y, predicted=dict.fromkeys(names, predicted))
    return replace(_answer(errors, (8.0, 9.0, 11.0), 100.0), metric="rmse", race=race, n_rows=n_rows)


def _make(name, K, kind="plain"):
    classes, (matrix, unseen) = _names(K, kind), _similar(K)
    if name == "pairwise":
        order = class_tree(classes, matrix, "average").order
        return PairwiseDisplay(classes, matrix, unseen, order, 50.0 * K)
    if name == "comparison":
        return ComparisonDisplay(_comparison(classes.tolist()))
    if name == "gap":
        return GapDisplay(_gap(classes))
    if name == "budget":  # a learner may have any name
        parts = [("will stay", 0.05), ("more rows", 0.002), ("a better model", 0.06)]
        own = tuple(Part(PartName(each), loss, loss / 2, 2 * loss) for each, loss in parts)
        return BudgetDisplay(Budget("accuracy", str(classes[0]), 0.112, 0.1, 0.13, own))
    if name == "tree":
        return ClassTreeDisplay(class_tree(classes, matrix, "average"))
    if name == "ladder":
        return ClassTreeDisplay(class_tree(classes, _ladder(K), "min_cut"))
    if name == "predicted":
        answer = _answer_of_numbers(classes.tolist(), 50 * K)
        return PredictedDisplay(answer, odd_numbers(answer))
    errors = dict(zip(classes.tolist(), np.linspace(0.0005, 0.01, K).tolist(), strict=True))
    return ForecastDisplay(_answer(errors, (0.0, 0.001, 0.002), 0.9), 0.999)


def _texts_of(figure):
    """All texts that can be seen."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    hidden = {text for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) for text in _beyond(axis)}
    found = set(figure.findobj(Text)) - hidden
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def _beyond(axis):
    """Labels of ticks outside the axis, which matplotlib keeps and does not draw."""
    low, high = sorted(axis.get_view_interval())
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    return [text for tick in ticks if not low <= tick.get_loc() <= high for text in (tick.label1, tick.label2)]


def _overlaps(figure):
    """Pairs of texts that touch by more than half a pixel."""
    boxes = [(text.get_text(), text.get_window_extent()) for text in _texts_of(figure)]
    return [
        (one, two)
        for i, (one, a) in enumerate(boxes)
        for two, b in boxes[:i]
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 and min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5
    ]


def _outside(figure):
    """Texts that the edge of the picture cuts."""
    width, height = figure.bbox.size
    boxes = [(text.get_text(), text.get_window_extent()) for text in _texts_of(figure)]
    return [name for name, box in boxes if min(box.x0, box.y0, width - box.x1, height - box.y1) < -1]


@pytest.fixture
def answer():
    return _answer({"linear": 0.12, "blend": 0.11}, (0.05, 0.1, 0.2), 0.76)


@pytest.fixture
def answer_of_numbers():
    """Maker of an answer for numbers: (names of learners, number of rows) -> answer."""
    return _answer_of_numbers


@pytest.fixture
def make():
    """Maker of a display of K classes: (name, K, kind of labels) -> display."""
    return _make


@pytest.fixture
def overlaps():
    return _overlaps


@pytest.fixture
def outside():
    return _outside


@pytest.fixture(params=["bushy", "chain"])
def cut_tree(request):
    """Maker of a class tree of K classes: bushy, or one that splits off class by class."""
    if request.param == "bushy":
        return lambda K: class_tree(np.arange(K), _similar(K)[0], "average")
    return lambda K: class_tree(np.arange(K), _ladder(K), "min_cut")
