"""What holds for all displays: no global state, no overlaps, numbers of the results, plain errors."""

import re
import subprocess
import sys
import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager

from bayesfloor.answer import Basis, Reason
from bayesfloor.plotting import ClassTreeDisplay, CurveDisplay, ForecastDisplay, PairwiseDisplay
from bayesfloor.plotting import _display as display_file
from bayesfloor.plotting._display import COLOURS, LONGEST, MAP, families, label_style, label_texts
from bayesfloor.plotting._pairwise_display import luminance
from bayesfloor.support._words import show_labels

BY_NAME = ("pairwise", "tree", "ladder", "forecast", "comparison", "gap", "predicted", "budget")
OF_FLOOR = (PairwiseDisplay, ClassTreeDisplay, ForecastDisplay, CurveDisplay)
WITH_MOST = ("pairwise", "comparison", "gap")

# Machado, Oliveira and Fernandes 2009, table 1, severity 1: what a deuteranope sees, in linear RGB.
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
)


def in_new_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.slow
def test_pyplot_is_never_loaded():
    """It keeps figures for ever."""
    code = """
import sys, numpy as np
from bayesfloor.plotting import PairwiseDisplay
display = PairwiseDisplay(np.arange(2), np.eye(2), np.eye(2, dtype=bool), np.arange(2), 9.0)
print(display, display._repr_png_())
print(len(display.plot()._repr_png_()) > 1000, "matplotlib.pyplot" in sys.modules)
"""
    assert in_new_python(code).split("\n") == ["PairwiseDisplay(call plot() to draw) None", "True False"]


@pytest.mark.slow
def test_without_matplotlib_plot_says_what_to_install():
    """One line that can be copied, instead of a traceback from within."""
    code = """
import sys
from types import SimpleNamespace
import numpy as np
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError("No module named 'matplotlib'")
sys.meta_path.insert(0, Blocker())
from bayesfloor.plotting import CurveDisplay, ForecastDisplay, PairwiseDisplay
forecast = SimpleNamespace(n_rows=1, quantiles=lambda levels, rows: np.zeros(5))
for display in (
    PairwiseDisplay(np.arange(2), np.eye(2), np.eye(2, dtype=bool), np.arange(2), 9.0),
    ForecastDisplay(SimpleNamespace(forecast=forecast)),
    CurveDisplay(None),
):
    try:
        display.plot()
    except ImportError as error:
        print(error)
"""
    assert in_new_python(code).split("\n") == ['plot() needs matplotlib: python -m pip install "bayesfloor[plot]"'] * 3


@pytest.mark.parametrize("kind", ["hostile", pytest.param("plain", marks=pytest.mark.slow(nightly=True))])
@pytest.mark.parametrize(
    "K",
    [
        10,
        *(pytest.param(K, marks=pytest.mark.slow(nightly=True)) for K in (2, 26)),
        pytest.param(100, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("name", BY_NAME)
def test_no_text_touches_another_or_the_edge(name, K, kind, make, overlaps, outside):
    """A label on a label is no label, with two classes as with a hundred, whatever they are called."""
    if name == "forecast":
        K = min(K, 26)  # learners, not classes
    display = make(name, K, kind).plot()

    assert overlaps(display.figure_) == []
    assert outside(display.figure_) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pairwise", "comparison"])
def test_all_classes_fit_where_all_are_asked_for(name, make, overlaps):
    """``most=None`` draws sixty rows, more than are drawn otherwise, and each can still be read."""
    display = make(name, 60).plot(most=None)

    assert sum(text.get_text().startswith("class ") for text in display.ax_.get_yticklabels()) == 60
    assert overlaps(display.figure_) == []


@pytest.mark.parametrize(
    ("name", "most", "told"),
    [
        ("pairwise", 40, {"40 hardest of 60 classes"}),
        ("comparison", 40, {"40 best of 60 representations"}),
        ("gap", 5, {"5 worst of 60 classes (of their rows)", "5 worst of 1,770 pairs (of their rows)"}),
    ],
)
def test_of_many_the_hardest_are_drawn(name, most, told, make):
    """A hundred rows do not fit on a page; title or heads say what was left out."""
    display = make(name, 60).plot(most=most)
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    hardest = {
        "pairwise": lambda: set(np.argsort(-np.where(display.too_small, -1, display.relative).max(axis=1))[:40]),
        "comparison": lambda: set(range(40)),
        "gap": lambda: set(range(55, 60)),
    }[name]()

    assert told <= {display.ax_.get_title(loc="left"), *(text.get_text() for text in display.ax_.texts)}
    assert {int(text.removeprefix("class ")) for text in names if re.fullmatch(r"class \d+", text)} == hardest


def test_a_range_claims_no_more_than_the_words(answer):
    """Without a lower end it fades out at zero, towards an extrapolated one it fades, and a proved one is solid."""
    cases = {"lower": np.nan}, {}, {"why_lower": Reason(Basis.EQUAL_ROWS)}
    drawn = [CurveDisplay.from_answer(replace(answer, **case)) for case in cases]
    start = [each.range_.get_y() for each in drawn]
    opacity = [each.range_.get_facecolor()[3] for each in drawn]

    assert opacity[0] < 0.1 < opacity[1] < 0.5 < opacity[2] == 1.0
    assert start == pytest.approx([0.0, answer.lower, answer.lower])
    assert ["fades out" in each.caption_ for each in drawn] == [True, False, False]
    assert ["extrapolated" in each.caption_ for each in drawn] == [False, True, False]
    assert "(at most 20.0 %)" in drawn[0].caption_


@pytest.mark.parametrize("display", OF_FLOOR)
def test_a_display_of_a_fit_draws_where_it_is_told_and_gives_its_data(display, floor, overlaps, outside):
    """Several in one figure, which a notebook then shows; the same once more is the same picture."""
    figure = Figure()
    ax = figure.add_subplot()
    drawn, alone, again = display.from_estimator(floor, ax=ax), *(display.from_estimator(floor) for _ in range(2))

    assert (drawn.ax_, drawn.figure_, drawn._repr_png_()) == (ax, figure, None)
    assert len(drawn.frame()) > 0
    assert isinstance(drawn.to_dict(), dict)
    assert alone._repr_png_() == again._repr_png_()
    assert overlaps(alone.figure_) + outside(alone.figure_) == []


@pytest.mark.parametrize("K", [2, 10])
@pytest.mark.parametrize("name", BY_NAME)
def test_a_caption_says_what_is_drawn(name, K, make):
    """In plain sentences, with how many rows are behind it; trees have classes, and a budget has parts."""
    caption = make(name, K).plot().caption_

    assert re.fullmatch(r"[A-Z0-9].*\.", caption)
    assert re.search(r"\d rows|\d classes|\d parts", caption)
    assert "  " not in caption


@pytest.mark.parametrize("most", [0, 1, 2.5, "all"])
@pytest.mark.parametrize("name", WITH_MOST)
def test_a_most_that_is_no_number_of_rows_is_refused(name, most, make):
    """An empty picture would hide the slip."""
    with pytest.raises(ValueError, match="expected None or a whole number of at least 2"):
        make(name, 5).plot(most=most)


def rgb(colour):
    return np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def linear(colour):
    """Light, as a screen emits it."""
    values = rgb(colour)
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one, two):
    """Contrast as WCAG 2 defines it, from 1 to 21."""
    low, high = sorted(luminance(np.array([rgb(one), rgb(two)])))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("page", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_on_its_page_and_fills_differ_for_colour_blind_eyes(page):
    """Contrast of 4.5 for text and 3 for marks (WCAG 2.2, 1.4.3 and 1.4.11); no hue is needed."""
    paper = COLOURS["paper"][page]

    assert all(contrast(COLOURS[name][page], paper) > 4.5 for name in ("ink", "soft", "strong"))
    assert contrast(COLOURS["strong"][page], COLOURS["light"][page]) > 3

    fills = [COLOURS[name][page] for name in ("paper", "light", "middle", "strong")]
    seen = [(DEUTERANOPIA @ linear(fill)).clip(0, 1) @ [0.2126, 0.7152, 0.0722] for fill in fills]
    shades = luminance(np.array([rgb(fill) for fill in fills]))

    assert min(contrast(*pair) for pair in combinations(fills, 2)) > 1.25
    assert all(np.diff(shades) * np.diff(seen) > 0)
    assert (np.diff(luminance(colormaps[MAP](np.linspace(0, 1, 64)))) < 0).all()


def test_letters_in_no_font_are_written_as_escapes_with_one_warning(monkeypatch):
    """Boxes in place of letters make all classes look alike, and matplotlib warns once a letter."""
    monkeypatch.setattr(display_file, "families", lambda: ["DejaVu Sans"])
    with pytest.warns(UserWarning, match="4 characters in labels are not in any installed font") as caught:
        texts = label_texts(["\u4e2d\u6587", "\u6807\u7b7e", "plain"])

    assert len(caught) == 1
    assert texts == ["\\u4e2d\\u6587", "\\u6807\\u7b7e", "plain"]
    assert show_labels(["\u4e2d" * 20], LONGEST, missing={"\u4e2d"}) == ["\\u4e2d\\u4e2d…\\u4e2d"]  # no half escape


def test_labels_draw_without_a_warning_in_installed_fonts_and_never_as_formulas():
    """Checked letter by letter beforehand; a class called $x_1$ would come out as an x with an index."""
    figure, hostile = Figure(), ["\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627", "$\\frac{", "a_b^c"]
    drawn = [figure.text(0.1, at / 5, text, **label_style()) for at, text in enumerate(label_texts(hostile))]

    assert not any(text.get_parse_math() for text in drawn)
    assert set(families()[1:]) <= {font.name for font in fontManager.ttflist}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.draw_without_rendering()
