"""Moments of R given the points, against the sum over all labelings."""

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array

from bayesfloor.formulas import _permutation_null as _variance
from bayesfloor.formulas._permutation_null import conditional_variance, cross_chance

GRAPHS = {
    "path": ([0, 1, 2, 3, 4], [1, 2, 3, 4, 5]),
    "star": ([0, 0, 0, 0, 0], [1, 2, 3, 4, 5]),
    "tree": ([0, 0, 1, 1, 4], [1, 2, 3, 4, 5]),
    "triangles": ([0, 1, 0, 2, 3, 2, 4], [1, 2, 2, 3, 4, 4, 5]),  # of several trees together
    "no edge": ([], []),
}


@pytest.fixture(params=GRAPHS)
def edges(request):
    """Ends of the edges of a graph on six vertices."""
    return tuple(np.array(end, dtype=np.int64) for end in GRAPHS[request.param])


@pytest.fixture
def eta(global_random_seed):
    """Posteriors of three classes at six vertices, some of them certain."""
    drawn = np.random.default_rng(global_random_seed).dirichlet(np.ones(3), 6)
    drawn[3] = [0, 1, 0]
    drawn[5] = [0.5, 0.5, 0]
    return drawn


def enumerate_cross(edges, eta):
    """Mean and variance of the cross edges over all labelings, each as likely as it is."""
    labelings = np.array(list(product(range(eta.shape[1]), repeat=len(eta))))
    chance = eta[np.arange(len(eta)), labelings].prod(axis=1)
    cross = (labelings[:, edges[0]] != labelings[:, edges[1]]).sum(axis=1)
    mean = (chance * cross).sum()
    return mean, (chance * (cross - mean) ** 2).sum()


def test_mean_and_variance_are_those_of_all_labelings(edges, eta):
    """Exact for any graph, dense or sparse; edges that share an end are not independent."""
    assert cross_chance(*edges, eta).sum() == pytest.approx(enumerate_cross(edges, eta)[0])

    assert conditional_variance(*edges, eta) == pytest.approx(enumerate_cross(edges, eta)[1], abs=1e-12)

    sparse = csr_array(eta)

    assert cross_chance(*edges, sparse) == pytest.approx(cross_chance(*edges, eta))
    assert conditional_variance(*edges, sparse) == pytest.approx(conditional_variance(*edges, eta))


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_large_graphs_agree_dense_and_in_parts(kind, monkeypatch, rng):
    """Edges are gathered so many at a time."""
    eta = rng.dirichlet(np.full(7, 0.3), 400)
    eta[eta < 0.05] = 0
    eta /= eta.sum(axis=1, keepdims=True)
    a, b = np.unique(np.sort(rng.integers(0, 400, (1200, 2)), axis=1), axis=0).T
    a, b = a[a < b], b[a < b]
    whole = cross_chance(a, b, eta), conditional_variance(a, b, eta)
    monkeypatch.setattr(_variance, "_AT_ONCE", 50)

    assert cross_chance(a, b, kind(eta)) == pytest.approx(whole[0])
    assert conditional_variance(a, b, kind(eta)) == pytest.approx(whole[1])


def test_certain_labels_do_not_vary(edges):
    """One posterior is one at every vertex: R is known."""
    eta = np.eye(3)[[0, 1, 1, 2, 0, 0]]

    assert conditional_variance(*edges, eta) == pytest.approx(0, abs=1e-12)


def test_the_variance_agrees_with_labels_drawn(rng):
    """What it is used for: how far R would be off with other labels at the same points."""
    eta, a = rng.dirichlet(np.ones(3), 60), np.arange(59)
    b = rng.integers(a + 1, 60)
    labels = (rng.random((5000, 60, 1)) > np.cumsum(eta, axis=1)[:, :2]).sum(axis=2)
    cross = (labels[:, a] != labels[:, b]).sum(axis=1)
    squared = (cross - cross.mean()) ** 2

    assert conditional_variance(a, b, eta) == pytest.approx(cross.var(), abs=6 * squared.std() / np.sqrt(5000))
