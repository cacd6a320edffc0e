"""``spanning_forest``: exact, whatever the method, the order of rows and the number of threads."""

import dataclasses

import hypothesis.extra.numpy as hnp
import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib.externals.loky import get_reusable_executor
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform
from scipy.stats import ortho_group

from bayesfloor import spanning_forest
from bayesfloor.io import InputError


def test_every_method_equals_the_oracle(cases, method, answer_of):
    """Exact means edge for edge, tree for tree and bit for bit, on any points anyone may bring."""
    wrong = [
        case
        for case, expected in cases
        if answer_of(spanning_forest(case.X, case.n_trees, case.groups, method)) != expected
    ]

    assert wrong == []


def allowed_lengths(forest, X, groups):
    """Distances between the distinct rows, the largest being 1; nan where no edge is allowed."""
    _, first = np.unique(forest.vertex, return_index=True)
    lengths = squareform(pdist(np.ldexp(X[first], -np.frexp(np.abs(X).max())[1])))
    lengths /= lengths.max() or 1
    lengths[np.tril_indices(len(first))] = np.nan
    if groups is not None:
        lengths[groups[first][:, None] == groups[first]] = np.nan
    return lengths


def test_each_tree_weighs_what_scipy_finds_without_the_trees_before(cases):
    """The oracle shares the library's order of ties; SciPy shares nothing."""
    for case, _ in cases[::4]:
        forest = spanning_forest(case.X, case.n_trees, case.groups)
        lengths = allowed_lengths(forest, case.X, case.groups)
        for tree in range(case.n_trees):
            # csgraph takes zeros, and what is under 1e-8, for no edge: so 1 is added to all.
            best = minimum_spanning_tree(np.nan_to_num(lengths + 1))
            edges = forest.a[forest.tree == tree], forest.b[forest.tree == tree]

            assert best.nnz == len(edges[0]), case
            assert best.sum() == pytest.approx((lengths[edges] + 1).sum(), rel=1e-12), case
            lengths[edges] = np.nan


def test_lengths_are_euclidean(cases):
    """The lengths that users see are those of their own rows, of whatever size."""
    for case, expected in cases[::4]:
        _, first = np.unique(spanning_forest(case.X, 1, case.groups).vertex, return_index=True)
        steps = case.X[first[expected.a]] - case.X[first[expected.b]]
        size = np.abs(steps).max(initial=0) or 1

        assert expected.length == pytest.approx(np.linalg.norm(steps / size, axis=1) * size, rel=1e-12, abs=0), case


def test_shuffled_rows_give_the_same_arrays(cases, method, answer_of, rng):
    """An answer that moves when rows are shuffled is none: on ties other tools spread by 15 %."""
    for case, expected in cases[::8]:
        order = rng.permutation(len(case.X))
        groups = None if case.groups is None else case.groups[order]
        forest = spanning_forest(case.X[order], case.n_trees, groups, method)

        assert answer_of(forest) == expected, case
        assert np.array_equal(forest.vertex, spanning_forest(case.X, 1, case.groups).vertex[order]), case


@pytest.mark.parametrize("kind", ["lattice", "signed lattice", "zeros and ones", "one-hot", "line"])
@pytest.mark.parametrize("power", [-450, -1, 1, 3, 450])
def test_powers_of_two_change_nothing_on_tied_data(kind, power, method, draw_points, global_random_seed):
    """Metres or half metres: the order of ties comes from the rows, so it must not see the unit."""
    X = draw_points(np.random.default_rng(global_random_seed), kind, 80, 6)
    plain, scaled = (spanning_forest(np.ldexp(X, k), 3, method=method) for k in (0, power))

    assert np.array_equal(scaled.length, np.ldexp(plain.length, power))
    for field in ("a", "b", "tree", "vertex"):
        assert np.array_equal(getattr(scaled, field), getattr(plain, field))


def edges_between_rows(forest):
    """Edges of a forest without copies, as rows of X: what stays when vertices get other numbers."""
    row = np.argsort(forest.vertex)
    ends = np.sort(np.column_stack([row[forest.a], row[forest.b]]), axis=1)
    return {(*pair, tree) for pair, tree in zip(map(tuple, ends.tolist()), forest.tree.tolist(), strict=True)}


@pytest.mark.parametrize("d", [1, 2, 7, 20])
def test_moving_turning_and_scaling_change_no_edge_of_untied_data(d, method, rng):
    """Distances are all that counts: no origin, no axes, no unit."""
    X = rng.standard_normal((200, d))
    turn = ortho_group(d, seed=rng).rvs() if d > 1 else -np.eye(1)
    edges = edges_between_rows(spanning_forest(X, 3, method=method))

    for moved in (X + 100, X @ turn, X * 0.3, 7e9 * (X @ turn - 1)):
        assert edges_between_rows(spanning_forest(moved, 3, method=method)) == edges


LARGE = ["gaussian", "lattice", "clusters", "uneven line"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE)
def test_one_thread_and_two_give_the_same_edges(kind, compiled_method, draw_points, answer_of, global_random_seed):
    """Threads may finish in any order."""
    X = draw_points(np.random.default_rng(global_random_seed), kind, 6000, 5)
    X = X + np.arange(6000)[:, None] // 100 if kind == "lattice" else X  # few distinct rows otherwise
    one, two = (spanning_forest(X, 3, method=compiled_method, n_jobs=n_jobs) for n_jobs in (1, 2))

    assert one.n_vertices > 4096
    assert answer_of(one) == answer_of(two)


@pytest.mark.slow
def test_tasks_give_the_same_edges_in_processes_of_their_own(compiled_method, answer_of, global_random_seed):
    """Under the user's own backend a task sees copies only: it may not lean on shared memory."""
    X = np.random.default_rng(global_random_seed).standard_normal((9000, 3))
    here = spanning_forest(X, 3, method=compiled_method)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        there = spanning_forest(X, 3, method=compiled_method)
    get_reusable_executor().shutdown()

    assert answer_of(here) == answer_of(there)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE)
def test_methods_agree_where_work_is_cut_into_parts(kind, draw_points, answer_of, global_random_seed):
    """Small sets fit into one task; what goes wrong at its edges shows in large ones only."""
    X = draw_points(np.random.default_rng(global_random_seed), kind, 22_000, 4)
    X = X + np.arange(22_000)[:, None] // 60 if kind == "lattice" else X
    by_tree, by_product = (answer_of(spanning_forest(X, 3, method=m, n_jobs=2)) for m in ("kdtree", "matmul"))

    assert by_tree == by_product


@pytest.mark.slow
def test_methods_agree_on_large_sets_with_groups(draw_points, answer_of, rng):
    """A vertex whose whole neighbourhood is its own group has to look far."""
    X = draw_points(rng, "clusters", 5000, 4)
    groups = X.mean(axis=1) // 10
    plain = answer_of(spanning_forest(X, 2, groups, "prim"))

    for method in ("auto", "kdtree", "matmul"):
        assert answer_of(spanning_forest(X, 2, groups, method)) == plain


@pytest.mark.slow
@pytest.mark.parametrize("n", [4096, 4097, 5000])
def test_auto_changes_its_method_unseen(n, answer_of, global_random_seed):
    """One row more may change how long it takes, never what comes out."""
    X = np.random.default_rng(global_random_seed).standard_normal((n, 3))

    assert answer_of(spanning_forest(X, 2)) == answer_of(spanning_forest(X, 2, method="prim"))


@pytest.mark.parametrize("n_trees", [1, 2, 5, 12, 100])
def test_any_number_of_trees_is_exact(n_trees, method, oracle_forest, answer_of, rng):
    """More trees than a set has edges for are asked for sooner or later."""
    for X in (rng.standard_normal((24, 3)), rng.integers(0, 3, (60, 3)).astype(float)):
        forest = spanning_forest(X, n_trees, method=method)

        assert answer_of(forest) == oracle_forest(X, n_trees)
        assert len(forest.tree_sizes) == n_trees


BY_HAND = {
    "more trees than edges": ([[0.0], [1.0], [3.0], [7.0]], None, 3, [1, 2, 3, 4, 6, 7], [0, 0, 1, 0, 1, 1]),
    "a hub against a group": ([[0.0], [1.0], [2.0], [4.0]], ["hub", "leaf", "leaf", "leaf"], 2, [1, 2, 4], [0, 0, 0]),
    "one group": (np.arange(30.0).reshape(10, 3), np.zeros(10), 3, [], []),
    "two vertices": ([[0.0, 0.0], [3.0, 4.0], [0.0, -0.0], [3.0, 4.0]], None, np.int64(3), [5], [0]),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_small_forests_are_those_drawn_by_hand(case, method):
    """Neither the library's order of ties nor the oracle's has a part in them."""
    X, groups, n_trees, lengths, trees = BY_HAND[case]
    forest = spanning_forest(X, n_trees, groups, method)

    assert (forest.length.tolist(), forest.tree.tolist()) == (lengths, trees)
    assert forest.tree_sizes.tolist() == np.bincount(trees, minlength=n_trees).tolist()


@pytest.mark.parametrize("X", [[[2.0, 3.0]], [[0.0]] * 5, np.full((7, 3), 1e150)])
def test_one_vertex_has_no_edges(X, method):
    """Neither a single row nor its copies have anything to join."""
    forest = spanning_forest(X, method=method)

    assert forest.n_vertices == 1
    assert forest.vertex.tolist() == [0] * len(X)
    assert len(forest.a) == len(forest.length) == 0


FORMS = {
    "list": np.ndarray.tolist,
    "columns first": np.asfortranarray,
    "frame": pd.DataFrame,
    "single precision": lambda X: X.astype(np.float32),
    "small integers": lambda X: X.astype(np.int8),
    "objects": lambda X: X.astype(object),
    "slice": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
}


@pytest.mark.parametrize("form", FORMS)
def test_any_form_of_the_same_numbers_gives_the_same_forest(form, method, answer_of, global_random_seed):
    """People bring lists, frames and slices."""
    X = np.random.default_rng(global_random_seed).integers(0, 9, (50, 3)).astype(float)

    assert answer_of(spanning_forest(FORMS[form](X), method=method)) == answer_of(spanning_forest(X))


def test_input_is_left_as_it_was(method, global_random_seed):
    """X belongs to its owner, who may have locked it."""
    X = np.random.default_rng(global_random_seed).standard_normal((50, 3))
    X[::7] = -0.0
    before = X.copy()
    X.flags.writeable = False
    spanning_forest(X, method=method)

    assert X.tobytes() == before.tobytes()


def can_be_squared(X):
    """Whether all differences can: tiny values beside huge ones are refused, or would be lost."""
    sizes = np.abs(X[X != 0])
    return not sizes.size or sizes.min() / sizes.max() > 1e-120


points = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 30), st.integers(1, 4)),
    elements=st.one_of(st.integers(-2, 2).map(float), st.floats(-1e150, 1e150, allow_subnormal=False)),
).filter(can_be_squared)


@given(X=points, n_trees=st.integers(1, 4), data=st.data())
def test_any_points_have_the_forest_of_the_oracle(X, n_trees, data, oracle_forest, answer_of):
    """Of any size, and with values of all sizes beside each other."""
    groups = data.draw(st.none() | hnp.arrays(int, len(X), elements=st.integers(0, 3)))

    assert answer_of(spanning_forest(X, n_trees, groups)) == oracle_forest(X, n_trees, groups)


@pytest.mark.parametrize("X", [[[0.0], [1.0], [3.0], [1e170]], [[8e149], [1.9e-12], [3e-12], [0.0]]])
def test_rows_too_close_to_be_squared_are_refused(X, method):
    """Their lengths came out as 0, and edges in any order."""
    with pytest.raises(InputError, match="closer together than 1e-144 times the largest value"):
        spanning_forest(X, method=method)


def test_lengths_beyond_64_bits_are_refused():
    with pytest.raises(InputError, match="too far apart"):
        spanning_forest([[1.7e308], [-1.7e308], [0.0]])


def test_tiny_values_beside_large_ones_are_fine_where_the_rows_differ_otherwise(method):
    """Probabilities have them, and their squares matter to nobody."""
    forest = spanning_forest([[1.0, 1e-300], [0.5, 0.0], [0.25, 1e-200]], n_trees=1, method=method)

    assert forest.length.tolist() == [0.25, 0.5]


def test_forest_says_what_it_is_and_is_frozen():
    """In a notebook the last line of a cell is all one sees; a result that can be changed is not a result."""
    forest = spanning_forest([[0.0], [1.0], [3.0], [3.0]], n_trees=3)

    assert repr(forest) == "Forest(4 rows, 3 distinct, 3 trees of 2 + 1 + 0 edges)"

    forest = spanning_forest([[0.0], [1.0]])

    with pytest.raises(dataclasses.FrozenInstanceError):
        forest.n_trees = 2


@pytest.mark.parametrize("n_trees", [0, -1, 101, True, 1.5, 2.0, "3", None])
def test_wrong_numbers_of_trees_are_refused(n_trees):
    """A float or a flag in this place is a mistake that would go on unseen."""
    with pytest.raises(ValueError, match=f"Got n_trees={n_trees!r}, but expected an integer from 1 to 100."):
        spanning_forest([[0.0], [1.0]], n_trees)


@pytest.mark.parametrize("method", ["boruvka", "", None, "Prim"])
def test_unknown_methods_are_refused(method):
    with pytest.raises(
        ValueError, match=f"Got method={method!r}, but expected one of 'auto', 'prim', 'kdtree', 'matmul'."
    ):
        spanning_forest([[0.0], [1.0]], method=method)
