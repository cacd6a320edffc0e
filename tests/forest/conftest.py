"""A dense oracle of spanning forests, and sets of points that try to break the library's."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from bayesfloor.forest._vertices import find_vertices, pair_hash


class Case(NamedTuple):
    """A set of points, and how many trees of what groups are asked for."""

    kind: str
    X: np.ndarray
    groups: np.ndarray | None
    n_trees: int

    def __repr__(self):
        grouped = "" if self.groups is None else f", {len(np.unique(self.groups))} groups"
        return f"<{self.kind} {self.X.shape}, {self.n_trees} trees{grouped}>"


@dataclass(frozen=True, eq=False)
class Answer:
    """The arrays of a forest that all ways to it have to agree on, bit for bit."""

    a: np.ndarray
    b: np.ndarray
    length: np.ndarray
    tree: np.ndarray

    def __eq__(self, other):
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in vars(self))

    __hash__ = None


def answer_of(forest):
    return Answer(forest.a, forest.b, forest.length, forest.tree)


def oracle_forest(X, n_trees, groups=None):
    """All pairs of distinct rows in the strict order, each into the first tree where it closes no cycle.

    Of the library it takes the content order of rows and their hashes, and no path to an edge.
    """
    vertices, vertex = find_vertices(X, groups)
    _, first = np.unique(vertex, return_index=True)
    exponent = int(np.frexp(np.abs(X).max())[1])
    x, (a, b) = np.ldexp(X[first], -exponent), np.triu_indices(len(first), 1)
    if groups is not None:
        free = groups[first[a]] != groups[first[b]]
        a, b = a[free], b[free]
    squared = np.zeros(len(a))
    for feature in x.T:
        squared += (feature[a] - feature[b]) ** 2
    order = np.lexsort((b, a, pair_hash(vertices.key[a], vertices.key[b]), squared))
    tree = np.array(_first_fit(len(first), a[order].tolist(), b[order].tolist(), n_trees), dtype=int)
    kept = order[tree >= 0]
    return Answer(a[kept], b[kept], np.ldexp(np.sqrt(squared[kept]), exponent), tree[tree >= 0])


def _first_fit(n, a, b, n_trees):
    """Tree of each edge, or -1: every tree keeps for each vertex the name of its component."""
    component = [list(range(n)) for _ in range(n_trees)]
    members = [[[v] for v in range(n)] for _ in range(n_trees)]
    return [_put(component, members, i, j) for i, j in zip(a, b, strict=True)]


def _put(component, members, i, j):
    for tree, name in enumerate(component):
        if name[i] != name[j]:
            small, large = sorted((name[i], name[j]), key=lambda c: len(members[tree][c]))
            for v in members[tree][small]:
                name[v] = large
            members[tree][large] += members[tree][small]
            return tree
    return -1


# Each draws n points of d features: without ties, with many, far apart, on a line, all the same.
KINDS = {
    "gaussian": lambda rng, n, d: rng.standard_normal((n, d)),
    "lattice": lambda rng, n, d: rng.integers(0, 4, (n, min(d, 5))).astype(float),
    "signed lattice": lambda rng, n, d: -1.0 * rng.integers(-2, 3, (n, min(d, 4))),
    "zeros and ones": lambda rng, n, d: rng.integers(0, 2, (n, d)).astype(float),
    "one-hot": lambda rng, n, d: np.hstack([np.eye(4)[rng.integers(0, 4, n)] for _ in range(-(-d // 4))]),
    "simplex": lambda _, n, __: np.eye(min(n, 60)),  # all edges are tied
    "cross-polytope": lambda _, n, __: np.vstack([np.eye(min(n, 30)), -np.eye(min(n, 30))]),
    "clusters": lambda rng, n, d: rng.standard_normal((n, d)) + 50 * rng.integers(0, 4, (n, 1)),
    "clusters in clusters": lambda rng, n, d: 10.0 ** -rng.integers(0, 9, (n, 1)) * rng.standard_normal((n, d)),
    "powers of two": lambda rng, n, d: 2.0 ** -rng.integers(0, 40, (n, min(d, 3))),
    "line": lambda _, n, d: np.arange(n)[:, None] * np.ones((1, d)),
    "uneven line": lambda rng, n, d: np.sort(rng.random(n) ** 3)[:, None] * np.ones((1, d)),
    "copies": lambda rng, n, d: np.repeat(rng.standard_normal((-(-n // 3), d)), 3, axis=0)[:n],
    "all equal": lambda rng, n, d: np.full((n, d), rng.choice([0.0, -0.0, 1.5])),
}


def draw_points(rng, kind=None, n=None, d=None):
    """Points of one kind; most sets are small, for an oracle that looks at all pairs."""
    kind = kind or rng.choice(list(KINDS))
    n = n or int(rng.integers(1, rng.choice([4, 30, 100, 301], p=[0.1, 0.45, 0.3, 0.15])))
    return KINDS[kind](rng, n, d or int(rng.integers(1, 21)))


def _spread(rng, X):
    """The points as they are, or moved, or of an extreme size."""
    change = rng.choice(["none", "offset", "tiny", "huge", "any size"], p=[0.5, 0.2, 0.1, 0.1, 0.1])
    if change == "offset":
        return X + 1e6
    return X * {"none": 1.0, "tiny": 1e-150, "huge": 1e150, "any size": 10.0 ** rng.uniform(-150, 150)}[change]


def draw_groups(rng, n):
    """Group of each row: few or many of them, one against the rest (a star), numbers or names."""
    shape = rng.choice(["few", "many", "star"])
    numbers = np.arange(n) == 0 if shape == "star" else rng.integers(0, 3 if shape == "few" else n, n)
    return np.char.add("patient ", numbers.astype(int).astype(str)) if rng.random() < 0.3 else numbers.astype(int)


def draw_case(rng, kind=None):
    """A set of points that the oracle can afford, often with ties, copies or groups."""
    kind = kind or str(rng.choice(list(KINDS)))
    X = _spread(rng, draw_points(rng, kind))
    if rng.random() < 0.2:
        X = X[rng.integers(0, len(X), len(X))]
    groups = draw_groups(rng, len(X)) if rng.random() < 0.3 else None
    return Case(kind, X, groups, int(rng.integers(1, 5)))


@pytest.fixture(scope="session", name="answer_of")
def answer_of_fixture():
    """Reader of what of a forest is compared."""
    return answer_of


@pytest.fixture(scope="session", name="oracle_forest")
def oracle_forest_fixture():
    """The dense oracle: (X, n_trees, groups=None) -> Answer."""
    return oracle_forest


@pytest.fixture(scope="session", name="draw_points")
def draw_points_fixture():
    """Source of points: (rng, kind=None, n=None, d=None) -> X."""
    return draw_points


@pytest.fixture(scope="session", params=[150, pytest.param(1100, marks=pytest.mark.slow(nightly=True))])
def cases(request, global_random_seed):
    """Many sets, all kinds in turn, each with the oracle's answer: pairs of Case and Answer."""
    rng, kinds = np.random.default_rng(global_random_seed), list(KINDS)
    drawn = [draw_case(rng, kinds[i % len(kinds)]) for i in range(request.param)]
    return [(case, oracle_forest(case.X, case.n_trees, case.groups)) for case in drawn]


@pytest.fixture(params=["prim", "kdtree", "matmul"])
def method(request):
    """Every way to find a forest; small sets take the first one unless told otherwise."""
    return request.param


@pytest.fixture(params=["kdtree", "matmul"])
def compiled_method(request):
    """The ways that large sets take."""
    return request.param
