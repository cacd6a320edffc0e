"""Estimates against known Bayes errors, for the README and the site.

``PYTHONPATH=docs python -m figures.evidence`` writes the README's picture; the site draws its own, light and dark.
"""

import hashlib
import json
from pathlib import Path

import matplotlib as mpl
import numpy as np

from benchmarks._figures import LIGHT
from benchmarks.realistic import SETS, problems_of
from figures.drawing import panels, save

DOCS = Path(__file__).parents[1]
RESULTS = DOCS / "results" / "realistic.json"
PICTURE = DOCS / "pictures" / "evidence.svg"
OURS = "bayesfloor, best estimate"
HIDDEN = "hidden"  # part of the names of families whose pattern no model finds


def errors_by_method():
    """Return signed errors in points by method, one per problem, and which problems have a hidden pattern.

    Only the first draw of a problem has all methods. If the truth is a band, the error is the distance to it.
    """
    results = json.loads(RESULTS.read_text("utf-8"))
    names = [problem.name for problem in SETS["held-back"]]
    cells = [draws[0] for draws in problems_of(results, names)]
    methods = {
        OURS: lambda cell: cell["answer"]["estimate"],
        "best of 5 to 7 models,\ncross-validated": lambda cell: min(cell["before"]["learners"].values()),
        "nearest neighbours,\ncross-validated": lambda cell: cell["before"]["learners"]["neighbours"],
        "random forest,\ncross-validated": lambda cell: cell["before"]["learners"]["forest"],
        "minimum spanning trees,\nvan den Burg and Hero 2017": lambda cell: cell["before"]["trees"]["estimate"],
    }
    errors = {
        name: np.array([_points(value(cell), cell["truth"]) for cell in cells]) for name, value in methods.items()
    }
    return errors, np.array([HIDDEN in cell["truth"]["family"] for cell in cells])


def _points(estimate, truth):
    return 100 * (max(0.0, estimate - truth["high"]) - max(0.0, truth["low"] - estimate))


def evidence(ink):
    """Draw each method's errors as dots, one per problem, with their median size."""
    errors, is_hidden = errors_by_method()
    figure, (ax,) = panels(1, width=8.4, height=3.9)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    spread = 0.26 * np.random.default_rng(0).uniform(-1, 1, size=len(is_hidden))
    for place, (name, points) in enumerate(errors.items()):
        color = ink.ours if name == OURS else ink.theirs[0]
        looks = {"s": 20, "linewidth": 1, "edgecolor": color}
        ax.scatter(points[~is_hidden], (place + spread)[~is_hidden], facecolor=color, alpha=0.65, **looks)
        ax.scatter(points[is_hidden], (place + spread)[is_hidden], facecolor="none", **looks)
        weight = "bold" if name == OURS else "normal"
        ax.text(53, place, f"{np.median(np.abs(points)):.1f}", ha="center", va="center", weight=weight, size=11)
    ax.axvline(0, color=ink.ink, linewidth=1, zorder=0)
    ax.text(53, -0.55, "median\nerror", ha="center", va="bottom")
    ax.text(0, -0.55, "exact", ha="center", va="bottom")
    ax.text(41, -0.55, "pattern not found", ha="center", va="bottom")
    ax.set_yticks(range(len(errors)), errors, size=9.5)
    ax.get_yticklabels()[0].set_weight("bold")
    ax.set_xticks(range(-10, 51, 10), [f"{x:+d}" if x else "0" for x in range(-10, 51, 10)])
    ax.set(xlim=(-12, 56), ylim=(len(errors) - 0.5, -0.5))
    ax.set_xlabel("estimate minus true Bayes error, in percentage points", size=9.5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x", color=ink.faint, linewidth=0.5, alpha=0.6)
    ax.set_axisbelow(True)
    return figure


PICTURES = (evidence,)


def digest():
    """Return a hash of everything that the picture shows; the file stores it."""
    errors, is_hidden = errors_by_method()
    shown = {name: points.round(6).tolist() for name, points in errors.items()}
    return hashlib.sha256(json.dumps([shown, is_hidden.tolist()]).encode()).hexdigest()


def main():
    """Write the README's picture with a white background, so that it is readable on dark pages too."""
    with mpl.rc_context({"savefig.facecolor": "white"}):
        save(evidence, LIGHT, PICTURE, transparent=False, description=digest())


if __name__ == "__main__":
    main()
