"""Spanning trees and their cross-class edges."""

import numpy as np

from bayesfloor import spanning_forest
from bayesfloor.forest import class_forests
from bayesfloor.formulas import henze_penrose
from figures.drawing import draw_edges, draw_points, draw_tree, panels, row_ends


def two_classes(gap, n=40, seed=3):
    """Make two round classes with this gap between their centres."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n)
    return rng.normal(size=(2 * n, 2)) + gap * y[:, None] * [1, 0], y


def three_classes(n=22, seed=5):
    """Make three classes, one between the other two."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n)
    return rng.normal(size=(3 * n, 2)) + np.array([[0, 0], [3.0, 0], [1.5, 0.6]])[y], y


def near_and_far(ink):
    """Draw two classes far apart, and the same classes close together."""
    figure, axes = panels(2, height=3.2)
    for ax, gap in zip(axes, (6, 2.2), strict=True):
        X, y = two_classes(gap)
        cross = draw_tree(ax, X, y, row_ends(spanning_forest(X, n_trees=1)), ink)
        draw_points(ax, X, y, ink)
        found = henze_penrose(cross, 40, 40)
        ax.set_title(f"cross-class edges: {cross} of 79\nbounds: {100 * found.lower:.1f} to {100 * found.upper:.1f} %")
    return figure


def three_trees(ink):
    """Draw the first, second and third tree of the same points; no edge is used twice."""
    figure, axes = panels(3, height=2.9)
    X, y = two_classes(2.0, n=22, seed=8)
    forest = spanning_forest(X, n_trees=3)
    for tree, ax in enumerate(axes):
        cross = draw_tree(ax, X, y, row_ends(forest, tree), ink)
        draw_points(ax, X, y, ink, size=22)
        length = forest.length[forest.tree == tree].mean()
        ax.set_title(f"tree {tree + 1}: {cross} of 43 edges cross\nmean length {length:.2f}")
    return figure


def forced_edges(ink):
    """Draw classes that do not touch, and the edges that still have to join them."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 14)
    X = rng.normal(size=(42, 2)) * 0.6 + np.array([[0, 0], [5, 0.4], [9.5, -0.2]])[y]
    figure, (ax,) = panels(1, height=1.9)
    cross = draw_tree(ax, X, y, row_ends(spanning_forest(X, n_trees=1)), ink)
    draw_points(ax, X, y, ink)
    ax.set_title(f"three separate classes, {cross} cross-class edges: a tree has to join them somewhere")
    return figure


def equal_rows(ink):
    """Draw five rows, three of them equal, and their expected cross-class edges."""
    figure, axes = panels(2, height=2.4)
    places, y = np.array([[0, 0], [2.2, 0.9], [2.2, -0.9]]), [[0, 0, 1], [0], [1]]
    spread = np.array([[-0.16, -0.1], [0.16, -0.1], [0, 0.18]])
    for ax in axes:
        draw_edges(ax, places, np.array([[0, 1], [0, 2]]), colors=ink.faint, linewidths=1.2)
        ax.scatter(*places[0], s=1500, facecolor="none", edgecolor=ink.faint, linestyle="--", zorder=2)
        for place, codes in zip(places, y, strict=True):
            at = place + (spread if len(codes) > 1 else 0)
            draw_points(ax, np.atleast_2d(at), np.array(codes), ink)
        ax.set(xlim=(-1, 3.6), ylim=(-1.4, 1.4))
    axes[0].set_title("three equal rows are one vertex")
    axes[1].set_title("expected cross-class edges")
    for at, text in (((1.25, 0.72), "1/3"), ((1.25, -0.8), "2/3"), ((-0.2, -0.75), "inside 4/3 of 2")):
        axes[1].text(*at, text, ha="center", va="center")
    return figure


def pair_in_all(ink):
    """Draw the spanning tree of three classes, and that of two of them."""
    figure, axes = panels(2, height=3.4)
    X, y = three_classes()
    forests = class_forests(X, y, n_trees=1)
    whole, pair = row_ends(forests.all()), row_ends(forests.pair(0, 1))
    kept = whole[(y[whole] < 2).all(axis=1)]
    in_whole = {tuple(sorted(edge)) for edge in kept.tolist()}
    new = np.array([edge for edge in pair.tolist() if tuple(sorted(edge)) not in in_whole])
    draw_tree(axes[0], X, y, whole, ink)
    draw_points(axes[0], X, y, ink)
    axes[0].set_title("spanning tree of three classes")
    draw_tree(axes[1], X, y, kept, ink)
    draw_edges(axes[1], X, new, colors=ink.ink, linewidths=1.6, linestyles=(0, (2, 1.5)), zorder=2)
    draw_points(axes[1], X[y < 2], y[y < 2], ink)
    axes[1].set(xlim=axes[0].get_xlim(), ylim=axes[0].get_ylim())
    axes[1].set_title(f"spanning tree of two of them:\n{len(kept)} edges stay, {len(new)} are new (dashed)")
    return figure


PICTURES = (near_and_far, three_trees, forced_edges, equal_rows, pair_in_all)
