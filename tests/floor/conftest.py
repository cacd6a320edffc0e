"""Sets of points with known answers, and tables of the kinds that users bring."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array

from bayesfloor import BayesFloor, spanning_forest
from bayesfloor.floor._edge_counts import VertexLabels
from bayesfloor.io._labels import hard_shares


@pytest.fixture(scope="session")
def read_table(data_dir):
    """Reader of datasets as they are stored, texts included: (name, n_rows=None) -> (data frame, labels).

    Of a set cut to ``n_rows``, the rows are taken at even distances, so that every class keeps some.
    """

    def read(name, n_rows=None):
        import pandas as pd

        table = pd.read_parquet(data_dir / f"{name}.parquet")
        if n_rows is not None:
            table = table.iloc[np.linspace(0, len(table) - 1, n_rows).astype(int)].reset_index(drop=True)
        return table.drop(columns="target"), table["target"].to_numpy()

    return read


def draw_gaussians(rng, sizes, shift=1.0, d=2):
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.standard_normal((len(y), d))
    X[:, 0] += shift * y
    return X, y


@pytest.fixture(scope="session")
def gaussians():
    """Source of Gaussian classes: (rng, sizes, shift=1.0, d=2) -> X, y."""
    return draw_gaussians


@pytest.fixture(scope="session")
def fitted(global_random_seed):
    X, y = draw_gaussians(np.random.default_rng(global_random_seed), [120, 100, 80])
    return BayesFloor().fit(X, y)


class Labelled(NamedTuple):
    """Rows, their codes and their groups, with the forest and its labels."""

    X: np.ndarray
    codes: np.ndarray
    groups: np.ndarray | None
    forest: object
    labels: VertexLabels


def label(forest, codes, n_classes=None, weight=None, *, joined=True):
    """Labels of a forest's rows, from codes or from a matrix of chances."""
    given = np.asarray(codes)
    if given.ndim == 1:
        shares = hard_shares(given, n_classes or int(given.max()) + 1)
    else:
        shares = csr_array(given.astype(float))
    return VertexLabels(forest.vertex, shares, forest.n_vertices, weight, joined)


def draw_labelled(rng, n_trees=3, n=60, n_classes=3, *, equal=True, grouped=False):
    """A set in a plane, with equal rows or none, in groups or none; every class has a row."""
    X = rng.integers(0, 5, (n, 2)).astype(float) if equal else rng.standard_normal((n, 2))
    codes = rng.permutation(np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]))
    groups = rng.integers(0, n // 3, n) if grouped else None
    forest = spanning_forest(X, n_trees, groups, method="prim")
    return Labelled(X, codes, groups, forest, label(forest, codes, n_classes, joined=groups is None))


def draw_edges(rng, forest, labels):
    """Pairs of rows: each edge ends at any of its vertices' rows, each tree runs through equal rows as a path."""
    rows = [np.flatnonzero(labels.vertex == v) for v in range(labels.n_vertices)]
    between = [(rng.choice(rows[a]), rng.choice(rows[b])) for a, b in zip(forest.a, forest.b, strict=True)]
    paths = [rng.permutation(members) for members in rows for _ in range(forest.n_trees)] if labels.joined else []
    return np.array([*between, *(pair for path in paths for pair in pairwise(path))]).T


@pytest.fixture(scope="session", name="label")
def label_fixture():
    """Maker of labels: (forest, codes or chances, n_classes=None, weight=None, joined=True) -> VertexLabels."""
    return label


@pytest.fixture(scope="session", name="draw_labelled")
def draw_labelled_fixture():
    """Source of sets: (rng, n_trees, n, n_classes, equal=, grouped=) -> Labelled."""
    return draw_labelled


@pytest.fixture(scope="session", name="draw_edges")
def draw_edges_fixture():
    """Source of edges between rows, as counts expect them: (rng, forest, labels) -> two arrays of rows."""
    return draw_edges


@pytest.fixture(params=["distinct rows", "equal rows", "groups", "one tree"])
def labelled(request, global_random_seed):
    rng, kind = np.random.default_rng(global_random_seed), request.param
    return draw_labelled(rng, 1 if kind == "one tree" else 3, equal=kind != "distinct rows", grouped=kind == "groups")
