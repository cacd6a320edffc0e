"""``class_forests``: the forest of any classes is that of their rows alone."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from bayesfloor import spanning_forest
from bayesfloor.forest import _class_forests, _pair_joins, class_forests


def draw_codes(rng, n):
    """Codes of up to six classes of uneven sizes; equal rows may fall into different classes."""
    k = int(rng.integers(1, 7))
    return np.unique(np.minimum(rng.integers(0, k, n), rng.integers(0, k, n)), return_inverse=True)[1]


def is_forest_of(forest, rows, X, n_trees, groups=None):
    """Whether a forest of some rows of X equals the one that these rows have alone.

    Rows alone keep their order, so that their vertices are those of the forest, numbered anew.
    """
    alone = spanning_forest(X[rows], n_trees, None if groups is None else groups[rows], "prim")
    numbers = np.unique(forest.vertex)
    return (
        np.array_equal(forest.rows, rows)
        and np.array_equal(np.searchsorted(numbers, forest.vertex), alone.vertex)
        and np.array_equal(forest.a, numbers[alone.a])
        and np.array_equal(forest.b, numbers[alone.b])
        and np.array_equal(forest.length, alone.length)
        and np.array_equal(forest.tree, alone.tree)
    )


def draw_sets(rng, k):
    """All classes, all pairs and single classes, and some other sets of k classes."""
    some = [tuple(np.flatnonzero(rng.random(k) < 0.5)) for _ in range(3)]
    return {tuple(range(k)), *combinations(range(k), 2), *combinations(range(k), 1), *filter(None, some)}


@pytest.mark.slow
@pytest.mark.usefixtures("way")
def test_forests_of_any_classes_are_those_of_their_rows_alone(cases, global_random_seed):
    """A pair's floor may not depend on what other classes there are, nor on how it was computed."""
    rng, wrong = np.random.default_rng(global_random_seed), []
    for case, _ in cases[::13]:
        codes = draw_codes(rng, len(case.X))
        forests = class_forests(case.X, codes, case.n_trees, case.groups)
        for classes in draw_sets(rng, forests.n_classes):
            rows = np.flatnonzero(np.isin(codes, classes))
            if not is_forest_of(forests.of(classes), rows, case.X, case.n_trees, case.groups):
                wrong.append((case, classes, forests.n_classes))

    assert wrong == []


@pytest.mark.usefixtures("way")
def test_all_classes_give_the_forest_of_all_rows(cases, answer_of, rng):
    """The global tree comes free with the pairs, against the oracle itself."""
    for case, expected in cases[3::13]:
        forest = class_forests(case.X, draw_codes(rng, len(case.X)), case.n_trees, case.groups).all()

        assert answer_of(forest) == expected, case


@pytest.mark.usefixtures("way")
def test_classes_may_share_all_their_rows(answer_of, global_random_seed):
    """Where labels are noise, the same rows carry every label."""
    X = np.random.default_rng(global_random_seed).integers(0, 3, (40, 3)).astype(float)
    X, codes = np.tile(X, (3, 1)), np.repeat([0, 1, 2], 40)
    forests, alone = class_forests(X, codes), answer_of(spanning_forest(X[:40]))

    for classes in ([0], [0, 1], [1, 2], [0, 1, 2]):
        assert answer_of(forests.of(classes)) == alone


@pytest.mark.usefixtures("way")
def test_names_of_classes_do_not_matter(draw_points, answer_of, rng):
    """Data is often sorted by class, and classes by name: neither may decide a tie."""
    X, codes, name = draw_points(rng, "zeros and ones", 90, 6), rng.integers(0, 4, 90) % 4, rng.permutation(4)
    codes[:4] = np.arange(4)
    plain, renamed = class_forests(X, codes), class_forests(X, name[codes])

    assert answer_of(plain.all()) == answer_of(renamed.all())
    for i, j in combinations(range(4), 2):
        assert answer_of(plain.pair(i, j)) == answer_of(renamed.pair(name[j], name[i]))


@pytest.mark.slow
@pytest.mark.usefixtures("way")
def test_threads_do_not_matter(answer_of, rng):
    """From eight classes on the threads take pairs, before that parts of pairs."""
    X = rng.integers(0, 5, (300, 3)).astype(float)
    for k in (3, 9):
        codes = np.arange(300) % k
        one, two = (class_forests(X, codes, n_jobs=n_jobs) for n_jobs in (1, 2))

        assert answer_of(one.pair(0, 2)) == answer_of(two.pair(0, 2))
        assert answer_of(one.all()) == answer_of(two.all()) == answer_of(spanning_forest(X))


def test_small_and_large_pairs_may_mix(monkeypatch, answer_of, rng):
    """Real classes differ in size by orders of magnitude."""
    X = rng.standard_normal((900, 4))
    codes = np.repeat(np.arange(7), [600, 150, 100, 46, 2, 1, 1])
    monkeypatch.setattr(_class_forests, "is_plain", lambda _: False)
    forests = class_forests(X, codes)

    assert answer_of(forests.all()) == answer_of(spanning_forest(X))
    for classes in combinations(range(7), 2):
        assert is_forest_of(forests.pair(*classes), np.flatnonzero(np.isin(codes, classes)), X, 3), classes


@pytest.mark.usefixtures("way")
def test_many_edges_are_reduced_in_several_steps(monkeypatch, answer_of, global_random_seed):
    """With a thousand classes they would not fit into memory at once."""
    monkeypatch.setattr(_class_forests, "_REDUCED_AT_ONCE", 50)
    X = np.random.default_rng(global_random_seed).integers(0, 9, (200, 3)).astype(float)
    forests = class_forests(X, np.arange(200) % 12)

    assert answer_of(forests.all()) == answer_of(spanning_forest(X))


def check_real_data(X, codes, sets):
    """The whole, and some sets of classes, against their rows alone."""
    forests = class_forests(X, codes)

    assert is_forest_of(forests.all(), np.arange(len(X)), X, 3)
    for classes in sets:
        assert is_forest_of(forests.of(classes), np.flatnonzero(np.isin(codes, classes)), X, 3), classes


@pytest.mark.slow
@pytest.mark.usefixtures("way")
def test_digits_compose():
    """Small images, many ties between their integers."""
    check_real_data(*load_digits(return_X_y=True), [(0, 1), (3, 8), (1, 7, 9), (0, 2, 4, 6, 8)])


# 26 classes with ties everywhere, classes of a thousand rows, and classes of a few dozen rows beside one of thousands.
STORED = {
    "letter": [(0, 1), (4, 25), (8, 9), (3, 14, 16), range(0, 26, 5)],
    "pendigits": [(0, 1), (5, 9), (1, 7, 9), range(1, 10, 2)],
    "pageblocks": [*combinations(range(5), 2), (1, 2, 4)],
}


@pytest.mark.slow(nightly=True)
@pytest.mark.parametrize("name", STORED)
def test_stored_sets_compose(dataset, name):
    """At the sizes people have, by the paths that only such sizes take."""
    check_real_data(*dataset(name), STORED[name])


X = [[0.0], [1.0], [3.0]]


@pytest.mark.usefixtures("way")
def test_one_class_is_enough(answer_of):
    """There are no pairs then, but a forest."""
    assert answer_of(class_forests(X, [0, 0, 0]).all()) == answer_of(spanning_forest(X))


@pytest.mark.parametrize("classes", [[], [-1, 0], [0, 3]])
def test_unknown_classes_are_refused(classes):
    """A class that is not there would silently count as empty."""
    with pytest.raises(ValueError, match=r"Got classes \[.*\], but expected at least one of 0 to 2\."):
        class_forests(X, [0, 1, 2]).of(classes)


NO_CODES = r"Expected integer codes 0 to K - 1.*np\.unique\(y, return_inverse=True\)\[1\]"
NO_SHAPE = r"Got codes of shape \(.*\), but expected one code for each of 3 rows\."
REFUSED = [([0, 1], NO_SHAPE), ([[0, 1, 1]], NO_SHAPE), (0, NO_SHAPE)]
REFUSED += [(codes, NO_CODES) for codes in ([0, 2, 2], [-1, 0, 1], [1, 1, 1], [0.0, 1.0, 1.0], ["a", "b", "b"])]
REFUSED += [([True, False, True], NO_CODES), (np.array([0, 1, 2**64 - 1], dtype=np.uint64), NO_CODES)]
REFUSED += [([0, 1, 10**15], NO_CODES)]  # to count up to this would take all memory


@pytest.mark.parametrize(("codes", "message"), REFUSED, ids=str)
def test_labels_that_are_no_codes_are_refused(codes, message):
    """The message says how to get codes from labels."""
    with pytest.raises(ValueError, match=message):
        class_forests(X, codes)


def test_numbers_of_trees_are_checked_here_too():
    with pytest.raises(ValueError, match=r"Got n_trees=0, but expected an integer from 1 to 100\."):
        class_forests(X, [0, 1, 1], n_trees=0)


def test_runs_of_classes_cover_every_pair_that_fits_once(monkeypatch):
    """A pair in no run would be joined slowly, and one in two runs twice."""
    monkeypatch.setattr(_pair_joins, "PRODUCTS", 100)
    monkeypatch.setattr(_pair_joins, "_PRODUCTS_AT_ONCE", 150)
    size = np.array([5, 20, 21, 3, 30, 1, 7])
    pairs = [(i, j) for i, start, stop in _pair_joins._find_runs(size) for j in range(start, stop)]

    assert sorted(pairs) == [(i, j) for i, j in combinations(range(7), 2) if size[i] * size[j] <= 100]
