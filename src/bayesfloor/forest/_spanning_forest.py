"""``spanning_forest``: the first t orthogonal Euclidean minimum spanning trees of a set of rows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesfloor.engine._errors import InputError
from bayesfloor.engine._parameters import check_choice, check_folder, check_n_jobs
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._row_handles import is_place, open_rows
from bayesfloor.engine._tasks import one_blas_thread
from bayesfloor.forest._edge_lists import Edges
from bayesfloor.forest._forest import Forest, check_n_trees, make_forest
from bayesfloor.forest._prim import Distances, prim_forest
from bayesfloor.forest._vertices import Vertices, find_vertices

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
    *,
    client: Any = None,
    checkpoint: str | Path | None = None,
    block_rows: int | None = None,
) -> Forest:
    """Compute the first t orthogonal Euclidean minimum spanning trees.

    Tree 1 is the minimum spanning tree of the rows. Tree j is that of the complete graph without the
    edges of the trees before it. The result is exact and the same for every method, number of threads
    and order of rows; ties are broken by the content of the rows, which includes the order of the columns.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features), str, path or Rows
        Finite numbers. Equal rows become one vertex; different rows closer together than 1e-144 times the
        largest value raise an error. For rows that may not fit in memory, pass a ``.npy`` file, a ``.parquet``
        file, a folder of ``.parquet`` files, or the result of ``open_rows``.
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
    client : distributed.Client, default=None
        Run the work on this Dask cluster, in blocks of rows that fit in the memory of its workers. Without
        a client, ``joblib.parallel_config`` decides where blocks run.
    checkpoint : str or path, default=None
        Folder for finished pieces of the work: rerun the same call to resume. Workers on several machines
        need a folder that all of them can access.
    block_rows : int, default=None
        Number of rows per block. By default, as many as fit in the workers' memory.

    Returns
    -------
    Forest
        If the rows were processed in blocks, its arrays are mapped from an unnamed temporary file.

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
    if client is not None or checkpoint is not None or block_rows is not None or is_place(X):
        return _forest_in_blocks(X, n_trees, groups, method, n_jobs, progress, client, checkpoint, block_rows)
    vertices, vertex = find_vertices(X, groups)
    if method == "prim" or (method == "auto" and is_plain(len(vertices))):
        edges = prim_forest(Distances(vertices, keep=len(vertices) <= PLAIN_UP_TO), n_trees, progress)
    else:
        edges = _compiled_forest(vertices, n_trees, method, n_jobs, progress)
    return make_forest(edges, vertices, vertex, np.arange(len(vertex)), n_trees)


def _forest_in_blocks(
    X: Any,
    n_trees: int,
    groups: ArrayLike | None,
    method: str,
    n_jobs: int | None,
    progress: Progress | None,
    client: Any,
    checkpoint: str | Path | None,
    block_rows: int | None,
) -> Forest:
    from bayesfloor.engine._runners import make_runner
    from bayesfloor.forest._out_of_core import AT_ONCE, Beyond, forest_beyond

    if groups is not None or method != "auto":
        raise InputError(
            "groups and method do not work with rows in blocks. "
            "Pass X as an array, without client, checkpoint and block_rows."
        )
    _check_block_rows(block_rows)
    check_folder(checkpoint)
    rows = open_rows(X)
    if client is None and checkpoint is None and block_rows is None and rows.shape[0] <= AT_ONCE:
        return spanning_forest(rows.read(), n_trees, None, method, n_jobs, progress)
    how = Beyond(make_runner(client, n_jobs), progress, checkpoint, block_rows)
    return forest_beyond(rows, n_trees, how)[0]


def _check_block_rows(block_rows: object) -> None:
    if block_rows is None:
        return
    if not isinstance(block_rows, (int, np.integer)) or isinstance(block_rows, bool) or block_rows < 1:
        raise InputError(f"Got block_rows={block_rows!r}, but expected a whole number of at least 1.")


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
    from bayesfloor.forest._neighbour_finders import Run

    with one_blas_thread():
        return forest_of(vertices, n_trees, method, Run(n_jobs, progress)).by_rank()
