"""The large one: trees of 20,000 points against quitefastmst, a second program."""

import os

import numpy as np
import pytest

from bayesfloor import spanning_forest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def quitefastmst():
    """The peer on one thread, like us; its number of threads is put back after."""
    if os.environ.get("CI") != "true":
        pytest.importorskip("quitefastmst", reason="needs quitefastmst, of the dependency group bench")
    import quitefastmst

    before = quitefastmst.omp_set_num_threads(1)
    yield quitefastmst
    quitefastmst.omp_set_num_threads(before)


@pytest.mark.parametrize(
    ("d", "algorithm", "methods"),
    [
        (2, "auto", ("auto", "kdtree", "matmul")),
        (8, "auto", ("auto", "kdtree", "matmul")),
        (16, "brute", ("auto", "matmul")),
        pytest.param(64, "brute", ("auto", "matmul"), marks=pytest.mark.slow(nightly=True)),
    ],
)
def test_first_tree_weighs_what_quitefastmst_finds(d, algorithm, methods, quitefastmst, answer_of, global_random_seed):
    """At the sizes people have, by the paths that only such sizes take."""
    X = np.random.default_rng(global_random_seed).standard_normal((20_000, d))
    weights, _ = quitefastmst.mst_euclid(X, M=0, algorithm=algorithm)
    forests = [spanning_forest(X, 2, method=method) for method in methods]

    for forest in forests:
        assert forest.length[forest.tree == 0].sum() == pytest.approx(weights.sum(), rel=1e-12)
        assert answer_of(forest) == answer_of(forests[0])
