"""Vertices: distinct rows, in an order that is theirs alone, and what is said about unfit input."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csc_matrix, csr_array

from bayesfloor import spanning_forest
from bayesfloor.forest import _vertices, class_forests
from bayesfloor.forest._blocks import forest_of, join, reduce_edges
from bayesfloor.forest._vertices import find_vertices, row_keys


def contents(X, groups=None):
    labels = [None] * len(X) if groups is None else np.asarray(groups).tolist()
    return list(zip(map(tuple, (np.asarray(X) + 0.0).tolist()), labels, strict=True))


def test_vertices_are_the_distinct_rows_and_hold_them(cases):
    """Of one group; scaled by a power of two, so that squares of 1e150 stay finite and of 1e-150 above zero."""
    for case, _ in cases[::3]:
        vertices, vertex = find_vertices(case.X, case.groups)
        pairs = set(zip(vertex.tolist(), contents(case.X, case.groups), strict=True))

        assert len(pairs) == len(vertices) == len(set(contents(case.X, case.groups))), case
        assert np.array_equal(np.unique(vertex), np.arange(len(vertices)))

    for case, _ in cases[::3]:
        vertices, vertex = find_vertices(case.X, case.groups)

        assert np.array_equal(np.ldexp(vertices.x[vertex], vertices.exponent), case.X), case
        assert not case.X.any() or 0.5 <= np.abs(vertices.x).max() < 1, case


def test_a_subset_keeps_the_order_of_its_rows(cases, rng):
    """A class, a pair and a block must break ties as the whole does."""
    for case, _ in cases[::3]:
        rows = np.flatnonzero(rng.random(len(case.X)) < 0.5)
        if len(rows):
            _, alone = find_vertices(case.X[rows], None if case.groups is None else case.groups[rows])
            _, number = np.unique(find_vertices(case.X, case.groups)[1][rows], return_inverse=True)

            assert np.array_equal(alone, number), case


def test_a_negative_zero_is_a_zero():
    """They are equal, and a hash of bytes would tell them apart."""
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, -1.0], [-0.0, -1.0], [0.0, -0.0], [-0.0, 0.0]])
    vertices, vertex = find_vertices(X)

    assert len(vertices) == 3
    assert np.array_equal(vertex[::2], vertex[1::2])


def test_rows_are_hashed_apart():
    """A hash that takes many rows for one leaves ties to the order of the values; and (1, 2) is not (2, 1)."""
    bits = (np.arange(4096)[:, None] >> np.arange(12)) & 1
    for X in (bits[1:], np.eye(50), np.eye(50) - 1, bits[1:] * 2.0 - 1, 3.0 * bits[1:] + 1):
        assert len(np.unique(row_keys(np.asarray(X, dtype=float))[0])) == len(X)

    keys, _ = row_keys(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 0.0], [0.0, 1.0]]))

    assert len(np.unique(keys)) == 4


@pytest.mark.parametrize("power", [-400, -1, 2, 400])
def test_powers_of_two_keep_every_key(power, global_random_seed):
    """Another unit must not break ties in another way."""
    X = np.random.default_rng(global_random_seed).integers(-3, 4, (200, 3)) * 1.1

    assert np.array_equal(row_keys(np.ldexp(X, power))[0], row_keys(X)[0])


def test_a_key_depends_on_its_row_alone(global_random_seed):
    """Rows are hashed where they lie, so many at a time."""
    X = np.random.default_rng(global_random_seed).standard_normal((70_000, 5))
    keys, exponents = row_keys(X)

    for rows in (slice(0, 1), slice(17, 23), slice(50_000, 60_000), slice(69_999, None)):
        assert np.array_equal(row_keys(X[rows])[0], keys[rows])
        assert np.array_equal(row_keys(X[rows])[1], exponents[rows])


@pytest.fixture(params=["hashes", "hashes and sizes"])
def collisions(request, monkeypatch):
    """Every row has the same hash, and even the same size: a hash of 64 bits collides once in a lifetime."""

    def constant(rows):
        same = np.full(len(rows), 7, dtype=np.uint64)
        return same, row_keys(rows)[1] if request.param == "hashes" else 0 * same

    if request.param != "none":
        monkeypatch.setattr(_vertices, "row_keys", constant)


@pytest.mark.usefixtures("collisions")
def test_forests_are_exact_when_hashes_collide(cases, method, oracle_forest, answer_of):
    """Correctness does not hang on luck."""
    for case, _ in cases[::20]:
        found = spanning_forest(case.X, case.n_trees, case.groups, method)

        assert answer_of(found) == oracle_forest(case.X, case.n_trees, case.groups), case


@pytest.mark.parametrize("collisions", ["none", "hashes", "hashes and sizes"], indirect=True)
@pytest.mark.usefixtures("collisions")
def test_numbers_do_not_depend_on_the_order_of_rows(cases, rng):
    """Row numbers differ between files, shuffles and machines; where hashes collide, the rows' own values decide."""
    for case, _ in cases[::5]:
        order = rng.permutation(len(case.X))
        groups = None if case.groups is None else case.groups[order]
        vertices, vertex = find_vertices(case.X, case.groups)

        assert len(vertices) == len(set(contents(case.X, case.groups))), case
        assert np.array_equal(find_vertices(case.X[order], groups)[1], vertex[order]), case


@pytest.mark.usefixtures("collisions")
def test_forests_compose_when_hashes_collide(compiled_method, answer_of, draw_points, rng):
    """Blocks have to agree on the order of rows that only their values tell apart."""
    for kind in ("lattice", "zeros and ones", "powers of two", "gaussian"):
        X = draw_points(rng, kind, 90, 5)
        split = np.arange(40), np.arange(35, 70), np.arange(60, 90)
        vertices, number = find_vertices(X)
        blocks = [forest_of(vertices.take(np.unique(number[rows])), 3, compiled_method) for rows in split]
        joins = [join(one, two, 3, compiled_method).edges for one, two in combinations(blocks, 2)]
        edges, whole = reduce_edges(vertices, joins, 3), spanning_forest(X)

        assert np.array_equal(np.column_stack(edges[:2]), np.column_stack([whole.a, whole.b]))
        assert np.array_equal(edges.tree, whole.tree)
        assert answer_of(class_forests(X, np.arange(90) % 3).all()) == answer_of(whole)


def test_equal_rows_of_different_groups_are_joined_at_length_zero(method):
    """Two patients with the same values are two vertices, as near as can be."""
    X, groups = [[1.0], [1.0], [1.0], [4.0]], ["ann", "ann", "bob", "bob"]
    forest = spanning_forest(X, 1, groups, method)

    assert forest.n_vertices == 3
    assert forest.vertex[0] == forest.vertex[1] != forest.vertex[2]
    assert forest.length.tolist() == [0.0, 3.0]


def test_groups_of_a_block_keep_their_labels_in_the_hash():
    """A block that lacks some groups numbers the others differently, yet its ties must not move."""
    X, groups = np.zeros((4, 1)), np.array([10, 20, 30, 40])
    whole, part = find_vertices(X, groups)[0], find_vertices(X[1:3], groups[1:3])[0]

    assert set(part.key) < set(whole.key)
    assert len(set(whole.key)) == 4


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "function", [spanning_forest, lambda X: class_forests(X, [0, 0, 1])], ids=["forest", "classes"]
)
def test_missing_and_infinite_numbers_are_refused(bad, function):
    """They would reach a kernel and come out as an answer; the message says in which columns."""
    X = np.arange(12.0).reshape(3, 4)
    X[1, 2] = bad

    with pytest.raises(ValueError, match=r"Got NaN or infinity in column\(s\) \[2\] of X.*SimpleImputer"):
        function(X)


NO_NUMBERS = "Expected X to be a matrix of numbers: .*"
SPARSE = r"Got a sparse {}.*X\.toarray\(\).*TruncatedSVD"
UNFIT = [
    ([1.0, 2.0], ValueError, r"Got X with 1 dimension\(s\), but expected 2.*reshape\(-1, 1\)"),
    (3.0, ValueError, r"Got X with 0 dimension\(s\), but expected 2"),
    (np.zeros((2, 2, 2)), ValueError, r"Got X with 3 dimension\(s\), but expected 2"),
    (np.empty((0, 3)), ValueError, r"Got X of shape \(0, 3\), but expected at least one row and one feature"),
    (np.empty((3, 0)), ValueError, r"Got X of shape \(3, 0\), but expected at least one row and one feature"),
    ([["a"], ["b"]], TypeError, f"{NO_NUMBERS} Encode text first"),
    (np.array([["x", "y"]]), TypeError, f"{NO_NUMBERS} Encode text first"),
    (pd.DataFrame({"c": ["red", "blue"]}), TypeError, f"{NO_NUMBERS} Encode text first"),
    ([[{}]], TypeError, f"{NO_NUMBERS} Encode text first"),
    ([[1.0, 2.0], [3.0]], TypeError, f"{NO_NUMBERS}inhomogeneous"),
    *((form(np.eye(3)), TypeError, SPARSE.format(form.__name__)) for form in (csr_array, csc_matrix, coo_array)),
]


@pytest.mark.parametrize(("X", "error", "message"), UNFIT)
def test_what_is_no_matrix_of_numbers_is_refused(X, error, message):
    """The message says what to do: one feature is reshaped, texts are encoded, sparse rows would fill the memory."""
    with pytest.raises(error, match=message):
        spanning_forest(X)


@pytest.mark.parametrize("groups", [[0, 1], [[0, 1, 2]], 0, []])
def test_groups_of_a_wrong_shape_are_refused(groups):
    with pytest.raises(ValueError, match=r"Got groups of shape \(.*\), but expected one group for each of 3 rows"):
        spanning_forest([[0.0], [1.0], [3.0]], groups=groups)
