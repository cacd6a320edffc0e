"""``ForestDisplay``: points and the edges of a spanning tree, with cross-class edges highlighted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesfloor.floor._edge_counts import VertexLabels, row_edges
from bayesfloor.floor._sample import Sample
from bayesfloor.forest._spanning_forest import Forest
from bayesfloor.io._labels import hard_shares
from bayesfloor.plotting._display import (
    FAINT,
    INK,
    PAPER,
    SMALL,
    SOFT,
    Display,
    label_style,
    label_texts,
    write_title,
)
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many, percent

_MARKERS = "os^DvPX*<>ph"  # as many as the eye can distinguish; with more classes, names are written on the points
_RASTER = 5_000  # with more points, they are drawn as pixels: vector files would be many megabytes


@dataclass(eq=False, repr=False)
class ForestDisplay(Display):
    """Points in the plane and one of their spanning trees.

    Cross-class edges, whose fraction bounds the Bayes error, are thick and dark.

    Parameters
    ----------
    points : (n, 2) array
        Position of each row in the plot.
    codes : (n,) int array
        Class number of each row.
    classes : (K,) array
        Class labels.
    edges : (m, 2) int array
        The rows that each edge joins.
    tree : int
        Number of the tree, from 0.
    projected : bool
        Whether the points are a projection, in which short edges may look long.
    row : (n,) int array or None
        Input row of each point, for ``frame``; None if they are in the order of ``points``.

    Attributes
    ----------
    within_, cross_ : LineCollection
        Edges within classes, and cross-class edges.
    names_ : list of Text
        Class names written on the points if there are too many classes for markers.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesfloor import spanning_forest
    >>> from bayesfloor.plotting import ForestDisplay
    >>> X, y = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [4.0, 0.5]]), ["a", "a", "b", "b"]
    >>> display = ForestDisplay.from_results(spanning_forest(X, n_trees=1), X, y)
    >>> len(display.within_.get_segments()), len(display.cross_.get_segments())
    (2, 1)
    """

    points: Floats
    codes: Ints
    classes: np.ndarray
    edges: Ints
    tree: int = 0
    projected: bool = False
    row: Ints | None = None

    @classmethod
    def from_estimator(cls, floor: Any, *, tree: int = 0, points: Any = None, **looks: Any) -> ForestDisplay:
        """Draw a tree of a fitted ``BayesFloor``.

        Parameters
        ----------
        floor : BayesFloor
            A fitted floor.
        tree : int, default=0
            Number of the tree to draw, from 0.
        points : array-like of shape (n_rows, 2), default=None
            Where to draw the input rows; by default at their scaled features, or at their
            first two principal components if there are more than two features.
        **looks
            Arguments of ``plot``.
        """
        fit = floor.fitted_
        shown = fit.points if points is None else _given(fit.sample, points)
        drawn = cls._of(fit.forest, fit.labels, shown, floor.classes_, tree)
        made = replace(drawn, row=fit.sample.row, projected=drawn.projected or points is not None)
        return made.plot(**looks)

    @classmethod
    def from_results(cls, forest: Forest, points: Any, y: Any, *, tree: int = 0, **looks: Any) -> ForestDisplay:
        """Draw a tree of a forest.

        Parameters
        ----------
        forest : Forest
            From ``spanning_forest``.
        points : array-like of shape (n_rows, n_features)
            The rows of the forest, or where to draw them.
        y : array-like of shape (n_rows,)
            Labels.
        tree : int, default=0
            Number of the tree to draw, from 0.
        **looks
            Arguments of ``plot``.
        """
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        labels = VertexLabels(forest.vertex, hard_shares(codes, len(classes)), forest.n_vertices)
        return cls._of(forest, labels, np.asarray(points), classes, tree).plot(**looks)

    @classmethod
    def _of(cls, forest: Forest, labels: VertexLabels, points: Any, classes: np.ndarray, tree: int) -> ForestDisplay:
        if not 0 <= tree < forest.n_trees:
            raise InputError(f"Got tree={tree!r}, but expected a number from 0 to {forest.n_trees - 1}.")
        ends = row_edges(_only(forest, tree), labels, np.random.default_rng(0))
        return cls(_plane(points), labels.codes, classes, np.stack(ends, axis=1), tree, points.shape[1] > 2)

    @property
    def crossing(self) -> np.ndarray:
        """Which edges are cross-class edges."""
        return self.codes[self.edges[:, 0]] != self.codes[self.edges[:, 1]]

    def plot(self, *, ax: Any = None, size: float | None = None) -> ForestDisplay:
        """Draw points and edges.

        size : float, default=None
            Marker area in square points; by default, it shrinks as the number of rows grows.
        """
        ax = self._start(ax, 6.4, 6.0)
        texts, many = label_texts(self.classes.tolist()), len(self.points) > _RASTER
        cross = self.crossing
        self.within_ = self._draw_edges(self.edges[~cross], FAINT if many else SOFT, 0.6, many)
        self.cross_ = self._draw_edges(self.edges[cross], INK, 1.8, many)
        handles = self._draw_points(texts, size or float(np.clip(400 / len(self.points) ** 0.5, 3, 22)), many)
        self._draw_axes()
        write_title(ax, self._title(), self._draw_key(handles))
        self.caption_ = self._caption()
        return self

    def _draw_key(self, handles: list[Any]) -> float:
        """Draw the markers of the classes above the axes; return the height in points."""
        if not handles:
            return 0.0
        n_columns = _columns_of(handles)
        place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2, "borderpad": 0.2}
        key = self.ax_.legend(handles=handles, ncols=n_columns, frameon=False, fontsize=SMALL, **place)
        for text in key.get_texts():
            text.set(color=INK, **label_style())
        return 13.0 * -(-len(handles) // n_columns)

    def _title(self) -> str:
        n, crossing = len(self.edges), np.count_nonzero(self.crossing)
        return f"Tree {self.tree + 1}: {crossing:,} of {n:,} edges join two classes ({percent(crossing / max(n, 1))} %)"

    def _caption(self) -> str:
        where = "projected to the plane, so that lengths are not exact" if self.projected else "in the plane"
        number = f"Minimum spanning tree {self.tree + 1}" if self.tree else "The minimum spanning tree"
        return f"{number} of {how_many(len(self.points), 'row')}, {where}. Thick: cross-class edges. {self._title()}."

    def _draw_edges(self, edges: Ints, color: str, width: float, many: bool) -> Any:  # noqa: FBT001
        from matplotlib.collections import LineCollection

        lines = LineCollection(list(self.points[edges]), colors=color, linewidths=width, zorder=1, rasterized=many)
        return self.ax_.add_collection(lines)

    def _draw_points(self, texts: list[str], size: float, many: bool) -> list[Any]:  # noqa: FBT001
        """Draw points by class and return their legend handles."""
        self.names_: list[Any] = []
        style = {"s": size, "edgecolors": INK, "linewidths": 0.3, "zorder": 2, "rasterized": many}
        if len(texts) > len(_MARKERS):
            self.ax_.scatter(*self.points.T, **{**style, "s": size / 2, "color": SOFT})
            self._draw_names(texts)
            return []
        looks = list(zip(_MARKERS, _colors(len(texts)), texts, strict=False))
        for code, (marker, color, _) in enumerate(looks):
            self.ax_.scatter(*self.points[self.codes == code].T, marker=marker, color=[color], **style)
        from matplotlib.lines import Line2D

        edge: dict[str, Any] = {"linestyle": "", "markersize": 5, "markeredgecolor": INK, "markeredgewidth": 0.3}
        return [Line2D([], [], label=text, marker=m, color=c, **edge) for m, c, text in looks]

    def _draw_names(self, texts: list[str]) -> None:
        """Write the name of each class at its median, largest class first; leave out names that would hide another."""
        sizes, taken = np.bincount(self.codes, minlength=len(texts)), []
        for code in np.argsort(-sizes, kind="stable").tolist():
            x, y = np.median(self.points[self.codes == code], axis=0)
            ground = {"facecolor": PAPER, "edgecolor": SOFT, "linewidth": 0.4, "pad": 1.0, "alpha": 0.9}
            name = self.ax_.text(
                x, y, texts[code], size=7, ha="center", va="center", zorder=4, bbox=ground, **label_style()
            )
            taken.append(name)
        self.ax_.autoscale_view()
        self.names_ = _apart(taken)

    def _draw_axes(self) -> None:
        self.ax_.autoscale_view()
        self.ax_.set(xticks=[], yticks=[], aspect="equal")
        self.ax_.set_adjustable("datalim")
        hidden = len(self.classes) - len(self.names_) if self.names_ else 0
        words = ["projected: lengths are not exact"] if self.projected else []
        words += [f"{hidden} class names left out for lack of space"] if hidden else []
        self.ax_.spines[:].set_color(FAINT)
        self.ax_.set_xlabel("; ".join(words), size=SMALL, color=SOFT)

    def _columns(self) -> dict[str, Any]:
        one, two = self.edges.T
        row = np.arange(len(self.points)) if self.row is None else self.row
        return {
            "row_1": row[one],
            "row_2": row[two],
            "class_1": self.classes[self.codes[one]],
            "class_2": self.classes[self.codes[two]],
            "crossing": self.crossing,
        }


def _given(sample: Sample, points: Any) -> Floats:
    """Return the caller's points for the rows used."""
    points, n = np.asarray(points, dtype=np.float64), sample.n_input
    if points.shape != (n, 2):
        raise InputError(f"Got points of shape {points.shape}, but expected ({n}, 2): where to draw each input row.")
    return np.asarray(points[sample.row])


def _only(forest: Forest, tree: int) -> Forest:
    """Return one tree of a forest as a forest."""
    own = forest.tree == tree
    parts = {name: getattr(forest, name)[own] for name in ("a", "b", "length")}
    return replace(forest, **parts, tree=np.zeros(np.count_nonzero(own), dtype=np.int64), n_trees=1)


def _plane(points: Floats) -> Floats:
    """Return two columns: the given ones padded with zeros, or the first two principal components of more."""
    points = np.asarray(points, dtype=np.float64)
    if points.shape[1] <= 2:
        return np.pad(points, ((0, 0), (0, 2 - points.shape[1])))
    centred = points - points.mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred)[1][:, :-3:-1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])  # the same orientation on every machine
    return centred @ axes


def _colors(n: int) -> Any:
    """Return colours from dark to light that also differ in greyscale."""
    from matplotlib import colormaps

    return colormaps["cividis"](np.linspace(0.05, 0.98, n))


def _apart(names: list[Any]) -> list[Any]:
    """Keep the labels that do not overlap an earlier one; remove the others."""
    kept: list[Any] = []
    boxes: list[Any] = []
    for name in names:
        box = name.get_window_extent().padded(2)
        if any(box.overlaps(other) for other in boxes):
            name.remove()
        else:
            kept.append(name)
            boxes.append(box)
    return kept


def _columns_of(handles: list[Any]) -> int:
    """Return how many columns fit in a legend, given its longest entry."""
    longest = max(len(handle.get_label()) for handle in handles)
    return max(1, min(6, 90 // (longest + 7)))
