"""``Forest``: edges of the first t orthogonal Euclidean minimum spanning trees, as users see them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesfloor.forest._edges import Edges
from bayesfloor.forest._prim import Distances, prim_forest
from bayesfloor.forest._vertices import Vertices, find_vertices
from bayesfloor.support._errors import InputError
from bayesfloor.support._parameters import check_choice, check_n_jobs
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import Progress, one_blas_thread
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many

# Shortest edge, as a fraction of the largest value: the squares of shorter edges lose digits, or even underflow.
SHORTEST = 2.0**-480
MOST_TREES = 100  # tree numbers are kept in one byte
_SHOWN_TREES = 4


@dataclass(frozen=True, eq=False, repr=False)
class Forest(Result):
    """Edges of the first t orthogonal minimum spanning trees.

    The vertices are the distinct rows, numbered in the order of their content, so shuffled rows give
    the same ``a``, ``b``, ``length`` and ``tree``. Edges are in increasing order.

    Attributes
    ----------
    a, b : (n_edges,) int arrays
        The vertices that each edge joins, ``a < b``.
    length : (n_edges,) float array
        Euclidean length of each edge.
    tree : (n_edges,) int array
        Tree of each edge, 0 to ``n_trees - 1``.
    vertex : (n_rows,) int array
        Vertex of each row; equal rows (of the same group) are one vertex.
    rows : (n_rows,) int array
        The input rows in this forest: all rows, unless the forest is limited to some classes.
    n_vertices : number of distinct rows in the whole input.
    n_trees : number of trees requested. Some trees may not span all vertices, or may be empty: see ``tree_sizes``.

    Examples
    --------
    >>> from bayesfloor import spanning_forest
    >>> forest = spanning_forest([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]], n_trees=1)
    >>> forest
    Forest(3 rows, 3 distinct, 1 tree of 2 edges)
    >>> forest.length
    array([1., 2.])
    """

    a: Ints
    b: Ints
    length: Floats
    tree: Ints
    vertex: Ints
    rows: Ints
    n_vertices: int
    n_trees: int

    @property
    def tree_sizes(self) -> Ints:
        """Number of edges of each tree: ``n - 1`` for n vertices if the tree spans them."""
        return np.bincount(self.tree, minlength=self.n_trees)

    @property
    def n_spanned(self) -> int:
        """Number of distinct vertices among ``rows``."""
        return len(np.unique(self.vertex))

    def _summary(self) -> str:
        sizes = [f"{size:,}" for size in self.tree_sizes]
        few = sizes if len(sizes) <= _SHOWN_TREES else [*sizes[: _SHOWN_TREES - 1], "...", sizes[-1]]
        trees = how_many(self.n_trees, "tree")
        return f"{len(self.rows):,} rows, {self.n_spanned:,} distinct, {trees} of {' + '.join(few)} edges"

    def _columns(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "length": self.length, "tree": self.tree}


def make_forest(edges: Edges, vertices: Vertices, vertex: Ints, rows: Ints, n_trees: int) -> Forest:
    """Turn edges into the public ``Forest``; their ends are ranks of ``vertices``."""
    with np.errstate(over="ignore"):
        length = np.ldexp(np.sqrt(edges.squared), vertices.exponent)
    # Zero-length edges between equal rows of different groups come first.
    n = int(np.searchsorted(edges.squared, 0.0, side="right")) if len(vertices.group) else 0
    apart = (vertices.x[edges.a[:n]] != vertices.x[edges.b[:n]]).any(axis=1)
    check_lengths(length[int(apart.argmax()) if apart.any() else n :], vertices.exponent)
    return Forest(
        a=edges.a.astype(np.int64),
        b=edges.b.astype(np.int64),
        length=length,
        tree=edges.tree.astype(np.int64),
        vertex=vertex,
        rows=rows,
        n_vertices=len(vertices),
        n_trees=n_trees,
    )


def check_lengths(ascending: Floats, exponent: int) -> None:
    """Raise if distances between rows are too small or too large for 64-bit numbers.

    The first tree contains the shortest edge of all, so its length is among these lengths.
    """
    if not len(ascending):
        return
    if np.ldexp(ascending[0], -exponent) < SHORTEST:
        raise InputError(
            "Got rows of X that are closer together than 1e-144 times the largest value, but expected distances that "
            "can be squared. Remove the outliers, or scale X first, for example with RobustScaler."
        )
    if not np.isfinite(ascending[-1]):
        raise InputError("Got values in X that are too far apart for 64-bit numbers. Scale X first: X / 1e10.")


def check_n_trees(n_trees: object) -> None:
    if not isinstance(n_trees, (int, np.integer)) or isinstance(n_trees, bool) or not 1 <= n_trees <= MOST_TREES:
        raise InputError(f"Got n_trees={n_trees!r}, but expected an integer from 1 to {MOST_TREES}.")


METHODS = ("auto", "prim", "kdtree", "matmul")

# Largest number of vertices for plain Prim with one distance matrix (134 MB at most):
# with this many, it takes about as long as compiling the kernels.
PLAIN_UP_TO = 4096

_PLAIN_WHEN_COMPILED, _BLOCKS = 32, "bayesfloor.forest._blocks"


def spanning_forest(
    X: Any,
    n_trees: int = 3,
    groups: ArrayLike | None = None,
    method: str = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Forest:
    """Compute the first t orthogonal Euclidean minimum spanning trees.

    Tree 1 is the minimum spanning tree of the rows. Tree j is that of the complete graph without the
    edges of the trees before it. The result is exact and the same for every method, number of threads
    and order of rows; ties are broken by the content of the rows, which includes the order of the columns.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Finite numbers. Equal rows become one vertex; different rows closer together than 1e-144 times the
        largest value raise an error.
    n_trees : int, default=3
        Number of trees.
    groups : array-like of shape (n_rows,), default=None
        Rows of the same group (a patient, a video) are never joined.
    method : {"auto", "prim", "kdtree", "matmul"}, default="auto"
        How to find neighbours: plain Prim (small sets; nothing is compiled), a kd-tree (few
        dimensions) or matrix products (many dimensions). "auto" estimates which one is fastest.
    n_jobs : int, default=None
        Number of threads, as in joblib.
    progress : callable, default=None
        Called as ``progress(stage, done, total)`` during the work.

    Returns
    -------
    Forest

    Examples
    --------
    >>> from bayesfloor import spanning_forest
    >>> forest = spanning_forest([[0.0], [1.0], [3.0], [3.0]], n_trees=2)
    >>> forest
    Forest(4 rows, 3 distinct, 2 trees of 2 + 1 edges)
    >>> forest.length
    array([1., 2., 3.])
    """
    check_n_trees(n_trees)
    check_choice("method", method, METHODS)
    check_n_jobs(n_jobs)
    vertices, vertex = find_vertices(X, groups)
    if method == "prim" or (method == "auto" and is_plain(len(vertices))):
        edges = prim_forest(Distances(vertices, keep=len(vertices) <= PLAIN_UP_TO), n_trees, progress)
    else:
        edges = _compiled_forest(vertices, n_trees, method, n_jobs, progress)
    return make_forest(edges, vertices, vertex, np.arange(len(vertex)), n_trees)


def is_plain(n_vertices: int) -> bool:
    """Whether to use plain Prim: for small sets until the compiled kernels are loaded, then only for tiny ones."""
    return n_vertices <= (_PLAIN_WHEN_COMPILED if _BLOCKS in sys.modules else PLAIN_UP_TO)


def prepare_kernels() -> None:
    """Load the compiled kernels, for callers that grow many forests; then all but tiny sets use them."""
    from importlib import import_module

    import_module(_BLOCKS)


def _compiled_forest(
    vertices: Vertices, n_trees: int, method: str, n_jobs: int | None, progress: Progress | None
) -> Edges:
    from bayesfloor.forest._blocks import forest_of
    from bayesfloor.forest._neighbours import Run

    with one_blas_thread():
        return forest_of(vertices, n_trees, method, Run(n_jobs, progress)).by_rank()
