"""What holds for all displays: no global state, no overlaps, numbers of the results, plain errors."""

import re
import subprocess
import sys

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.figure import Figure

from bayesfloor import plotting
from bayesfloor.plotting import (
    AnswerDisplay,
    ClassTreeDisplay,
    CurveDisplay,
    ForestDisplay,
    OneVsRestDisplay,
    PairwiseDisplay,
    SampleScoreDisplay,
)
from bayesfloor.plotting._display import LIGHT, MAP, MIDDLE, STRONG, svg_with_css_colours
from bayesfloor.plotting._pairwise_display import luminance

BY_NAME = ("pairwise", "one_vs_rest", "tree", "ladder", "answer", "comparison", "selection", "gap")
OF_FLOOR = (
    PairwiseDisplay,
    OneVsRestDisplay,
    ClassTreeDisplay,
    SampleScoreDisplay,
    ForestDisplay,
    AnswerDisplay,
    CurveDisplay,
)


def in_new_python(code):
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.process
def test_importing_displays_imports_neither_matplotlib_nor_pandas_nor_scikit_learn():
    """A terminal that only prints a table should not wait for a drawing library."""
    code = (
        "import sys, bayesfloor.plotting; print([n for n in ('matplotlib', 'pandas', 'sklearn') if n in sys.modules])"
    )

    assert in_new_python(code) == "[]"


@pytest.mark.process
def test_drawing_leaves_pyplot_alone():
    """Pyplot keeps figures for ever and picks a backend: a library has no business there."""
    code = (
        "import sys, numpy as np; from bayesfloor.plotting import SampleScoreDisplay\n"
        "d = SampleScoreDisplay(np.arange(3.0), np.zeros(3, dtype=bool)).plot()\n"
        "print(len(d._repr_png_()) > 1000, 'matplotlib.pyplot' in sys.modules)"
    )

    assert in_new_python(code) == "True False"


@pytest.mark.process
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
from bayesfloor.plotting import AnswerDisplay, CurveDisplay, PairwiseDisplay, SampleScoreDisplay
for display in (
    PairwiseDisplay(np.arange(2), np.eye(2), np.eye(2, dtype=bool), np.arange(2), 9.0),
    SampleScoreDisplay(np.arange(3.0), np.zeros(3, dtype=bool)),
    AnswerDisplay(SimpleNamespace(errors={})),
    CurveDisplay(None),
):
    try:
        display.plot()
    except ImportError as error:
        print(error)
"""
    assert in_new_python(code).split("\n") == ['plot() needs matplotlib: python -m pip install "bayesfloor[plot]"'] * 4


@pytest.mark.parametrize("kind", ["hostile", pytest.param("plain", marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    "K", [10, *(pytest.param(K, marks=pytest.mark.nightly) for K in (2, 26)), pytest.param(100, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", BY_NAME)
def test_no_text_touches_another_or_the_edge(name, K, kind, make, overlaps, outside):
    """A label on a label is no label, with two classes as with a hundred, whatever they are called."""
    if name == "answer":
        K = min(K, 26)  # learners, not classes
    display = make(name, K, kind).plot()

    assert overlaps(display.figure_) == []
    assert outside(display.figure_) == []


@pytest.mark.slow
def test_all_classes_fit_where_all_are_asked_for(make, overlaps):
    """``most=None`` draws sixty rows, more than are drawn otherwise, and each can still be read."""
    for name in ("pairwise", "one_vs_rest", "comparison", "selection"):
        display = make(name, 60).plot(most=None)

        assert sum(text.get_text().startswith("class ") for text in display.ax_.get_yticklabels()) == 60
        assert overlaps(display.figure_) == []


@pytest.mark.slow
@pytest.mark.parametrize("display", OF_FLOOR)
def test_displays_of_a_fit_have_no_overlaps(display, floor, overlaps, outside):
    """The same of what a fit really finds."""
    drawn = display.from_estimator(floor)

    assert overlaps(drawn.figure_) == []
    assert outside(drawn.figure_) == []


@pytest.mark.slow
@pytest.mark.parametrize("display", OF_FLOOR)
def test_the_same_display_twice_is_the_same_picture(display, floor):
    """Reports are compared byte by byte."""
    assert display.from_estimator(floor)._repr_png_() == display.from_estimator(floor)._repr_png_()


@pytest.mark.parametrize("display", OF_FLOOR)
def test_a_display_draws_where_it_is_told(display, floor):
    """Several in one figure; a notebook shows that figure, not each display once more."""
    figure = Figure()
    ax = figure.add_subplot()
    drawn = display.from_estimator(floor, ax=ax)

    assert drawn.ax_ is ax
    assert drawn.figure_ is figure
    assert drawn._repr_png_() is None


@pytest.mark.parametrize("display", OF_FLOOR)
def test_a_display_gives_its_data_as_a_table_and_as_plain_values(display, floor):
    """What is drawn can be checked, or drawn by something else."""
    drawn = display.from_estimator(floor)

    assert len(drawn.frame()) > 0
    assert isinstance(drawn.to_dict(), dict)


@pytest.mark.parametrize("K", [2, 10])
@pytest.mark.parametrize("name", BY_NAME)
def test_a_caption_says_what_is_drawn(name, K, make):
    """In plain sentences, with how many rows are behind it; trees have classes only."""
    caption = make(name, K).plot().caption_

    assert re.fullmatch(r"[A-Z0-9].*\.", caption)
    assert re.search(r"\d rows|\d classes", caption)
    assert "  " not in caption


@pytest.mark.parametrize("name", [name for name in BY_NAME if name not in ("pairwise", "tree", "ladder")])
def test_a_display_has_only_named_colours(name, make):
    """Each of them follows the page: an unnamed one would vanish on a dark page."""
    svg = svg_with_css_colours(make(name, 10, "hostile").plot().figure_)
    used = set(re.findall(r"#[0-9a-f]{6}\b", re.sub(r"<text.*?</text>|var\(.*?\)", "", svg)))

    assert used == set()


def test_a_display_that_is_not_drawn_shows_nothing(make):
    """Notebooks ask every object for a picture."""
    display = make("pairwise", 3)

    assert display._repr_png_() is None
    assert repr(display) == "PairwiseDisplay(call plot() to draw)"


def test_colours_run_from_light_to_dark():
    """A page printed in grey, or read by a colour-blind eye, says the same."""
    shades = luminance(colormaps[MAP](np.linspace(0, 1, 64)))
    own = luminance(np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in (LIGHT, MIDDLE, STRONG)]))

    assert (np.diff(shades) < 0).all()
    assert (np.diff(own) < -0.1).all()


def test_labels_are_never_formulas(make):
    """A class called $x_1$ would come out as an x with an index, and half a formula not at all."""
    display = make("one_vs_rest", 12, "hostile").plot()
    texts = [text.get_text() for text in display.ax_.get_yticklabels()]

    assert "$x_1$" in texts
    assert not any(text.get_parse_math() for text in display.ax_.get_yticklabels())


@pytest.mark.parametrize("most", [0, 1, 2.5, "all"])
@pytest.mark.parametrize("name", ["pairwise", "one_vs_rest", "comparison", "selection", "gap"])
def test_a_most_that_is_no_number_of_rows_is_refused(name, most, make):
    """An empty picture would hide the slip."""
    with pytest.raises(ValueError, match="expected None or a whole number of at least 2"):
        make(name, 5).plot(most=most)


def test_every_public_name_is_there():
    """``from bayesfloor.plotting import *`` gives what the page lists."""
    assert all(hasattr(plotting, name) for name in plotting.__all__)
    assert set(OF_FLOOR) <= {getattr(plotting, name) for name in plotting.__all__}
