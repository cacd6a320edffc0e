"""Shared style of all figures: colours for light and dark pages, and the look of points and edges."""

from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from bayesfloor.plotting._display import COLOURS

MODULES = ("trees", "curves", "layers", "evidence")
MARKERS = "os^D"


class Look(NamedTuple):
    """The colours of a page."""

    ink: str
    faint: str
    ours: str
    theirs: tuple


# Most people with colour blindness can distinguish these colours; markers distinguish them in greyscale.
_THEIRS = (
    ("#0072b2", "#00795a", "#8a5a00", "#a3437d"),
    ("#6cc3f5", "#3fcf9f", "#e8b64a", "#ef9ac6"),
)
LIGHT, DARK = (
    Look(*(COLOURS[name][page] for name in ("ink", "faint", "strong")), (*_THEIRS[page], COLOURS["soft"][page]))
    for page in (0, 1)
)
INKS = {"light": LIGHT, "dark": DARK}


def draw_all(folder):
    """Draw every figure that is missing from the folder or older than its script."""
    folder.mkdir(exist_ok=True)
    for name in MODULES:
        module = import_module(f"figures.{name}")
        for draw in module.PICTURES:
            for page, ink in INKS.items():
                file = folder / f"{draw.__name__}-{page}.svg"
                if not is_newer(file, Path(module.__file__), Path(__file__)):
                    save(draw, ink, file)


def is_newer(file, *scripts):
    """Whether a file exists and is newer than these scripts."""
    return file.exists() and file.stat().st_mtime > max(script.stat().st_mtime for script in scripts)


def save(draw, ink, file, *, transparent=True, description=None):
    """Draw one figure; the same script gives the same file."""
    looks = {
        "svg.hashsalt": file.name,
        "font.size": 9,
        "text.color": ink.ink,
        "axes.edgecolor": ink.faint,
        "axes.labelcolor": ink.ink,
        "xtick.color": ink.ink,
        "ytick.color": ink.ink,
        "axes.titlesize": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(looks):
        draw(ink).savefig(file, transparent=transparent, metadata={"Date": None, "Description": description})


def panels(n_columns, width=7.2, height=3.0, n_rows=1):
    """Return a figure and a flat list of its axes."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, np.atleast_1d(figure.subplots(n_rows, n_columns)).ravel()


def draw_points(ax, X, y, ink, size=30):
    """Draw the points of each class with its own marker and colour."""
    for code in np.unique(y):
        looks = {"facecolor": ink.theirs[code] if code % 2 == 0 else "none", "edgecolor": ink.theirs[code]}
        ax.scatter(*X[y == code].T, s=size, marker=MARKERS[code], linewidth=1.4, zorder=3, **looks)
    ax.set_aspect("equal")
    ax.set_axis_off()


def draw_edges(ax, X, ends, **looks):
    """Draw lines between points."""
    ax.add_collection(LineCollection(X[ends], **{"zorder": 1, **looks}))


def draw_tree(ax, X, y, ends, ink):
    """Draw the edges of a tree, thin within a class and thick between two; return the number of cross-class edges."""
    cross = y[ends[:, 0]] != y[ends[:, 1]]
    draw_edges(ax, X, ends[~cross], colors=ink.faint, linewidths=1.0)
    draw_edges(ax, X, ends[cross], colors=ink.ink, linewidths=2.4, zorder=2)
    return int(cross.sum())


def row_ends(forest, tree=None):
    """Return the two rows of each edge, for data without equal rows."""
    row = np.empty(forest.n_vertices, dtype=int)
    row[forest.vertex] = forest.rows
    chosen = slice(None) if tree is None else forest.tree == tree
    return np.column_stack([row[forest.a[chosen]], row[forest.b[chosen]]])
