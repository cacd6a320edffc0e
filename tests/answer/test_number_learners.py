"""The learners that race on numbers, and their blend."""

import numpy as np
import pytest
from sklearn import kernel_ridge
from sklearn.base import is_regressor
from sklearn.neighbors import KNeighborsRegressor

from bayesfloor.answer import _number_learners as learners
from bayesfloor.answer._learners import WEIGHTS, Size
from bayesfloor.answer._number_learners import REGRESSORS, KernelRidge, NeighbourMean, stack
from bayesfloor.support._tasks import ignoring

SIZES = [Size(100, 4, 1), Size(2000, 384, 1), Size(16_000, 16, 1, effort="quick")]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def wave(rng):
    """Rows of two columns, and a noisy wave along the first one, of mean 0 and standard deviation 1."""
    X = rng.normal(size=(500, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 0] + 0.3 * rng.normal(size=500)
    return X, (y - y.mean()) / y.std()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", REGRESSORS)
def test_every_learner_is_a_regressor_with_a_cost_and_a_part_of_the_level(name, size):
    learner = REGRESSORS[name]

    assert is_regressor(learner.make(size, 0))
    assert 0 < learner.cost(size) < learner.cost(size._replace(n_rows=4 * size.n_rows)) < np.inf
    assert WEIGHTS[name] > 0


@pytest.mark.parametrize("name", REGRESSORS)
def test_every_learner_learns_on_columns_of_any_size_and_the_same_with_the_same_seed(name, wave):
    X, y = wave
    X = 1e4 * X + 1e5

    models = [REGRESSORS[name].make(Size(400, 2, 1), 3) for _ in range(2)]
    with ignoring():  # as in a race: the network has few epochs
        one, two = (model.fit(X[:400], y[:400]).predict(X[400:]) for model in models)

    np.testing.assert_array_equal(one, two)
    assert np.mean((one - y[400:]) ** 2) < 0.5


def test_a_kernel_for_many_rows_is_not_offered():
    """Its matrix would fill the memory."""
    assert REGRESSORS["kernel"].suits(Size(2000, 500, 1))
    assert not REGRESSORS["kernel"].suits(Size(2001, 1, 1))
    assert REGRESSORS["forest"].suits(Size(1_000_000, 1, 1))


def test_the_kernel_is_that_of_scikit_learn(wave):
    X, y = wave
    ours = KernelRidge().fit(X[:400], y[:400])
    theirs = kernel_ridge.KernelRidge(alpha=ours.alpha_, kernel="rbf", gamma=ours.gamma_)
    theirs.fit(X[:400], y[:400] - y[:400].mean())

    np.testing.assert_allclose(ours.predict(X[400:]), theirs.predict(X[400:]) + y[:400].mean(), atol=1e-8)


def test_the_kernel_has_the_lowest_leave_one_out_error(wave):
    """Of all widths and penalties, by training without each row in turn."""
    X, y = wave[0][:30], wave[1][:30]
    ours = KernelRidge().fit(X, y)
    apart = ((X[:, None] - X) ** 2).sum(axis=2)
    typical = np.median(apart[np.triu_indices(30, 1)])

    def error(gamma, alpha):
        kernel, middle = np.exp(-gamma * apart) + alpha * np.eye(30), y - y.mean()
        rests = [np.arange(30) != i for i in range(30)]
        duals = [np.linalg.solve(kernel[np.ix_(rest, rest)], middle[rest]) for rest in rests]
        return np.mean([(middle[i] - kernel[i, rests[i]] @ duals[i]) ** 2 for i in range(30)])

    tried = [(1 / (2 * width * typical), penalty) for width in learners._WIDTHS for penalty in learners._PENALTIES]
    gamma, alpha = min(tried, key=lambda each: error(*each))

    assert ours.gamma_ == pytest.approx(gamma)
    assert ours.alpha_ == alpha


def test_pure_noise_gives_a_large_penalty_and_no_noise_a_small_one(wave, rng):
    X, y = wave

    assert KernelRidge().fit(X, rng.permutation(y)).alpha_ > 1
    assert KernelRidge().fit(X, np.sin(X[:, 0])).alpha_ < 0.01


@pytest.mark.parametrize("make", [KernelRidge, NeighbourMean])
def test_equal_rows_and_equal_numbers_are_no_problem(make):
    assert make().fit(np.zeros((8, 2)), np.full(8, 3.0)).predict(np.zeros((2, 2))) == pytest.approx([3, 3])
    assert make().fit(np.arange(2.0)[:, None], np.array([0.0, 1.0])).predict(np.zeros((1, 1))) <= 0.5


def test_neighbours_are_those_of_scikit_learn_with_the_chosen_number(wave):
    X, y = wave
    ours = NeighbourMean().fit(X[:400], y[:400])
    theirs = KNeighborsRegressor(ours.k_).fit(X[:400], y[:400])

    np.testing.assert_allclose(ours.predict(X[400:]), theirs.predict(X[400:]))


def test_the_number_of_neighbours_has_the_lowest_leave_one_out_error(wave, rng):
    """Each row without itself; pure noise asks many."""
    X, y = wave[0][:60], wave[1][:60]

    apart = ((X[:, None] - X) ** 2).sum(axis=2) + np.diag(np.full(60, np.inf))
    nearest = apart.argsort(axis=1)

    def error(k):
        return np.mean((y[nearest[:, :k]].mean(axis=1) - y) ** 2)

    assert NeighbourMean().fit(X, y).k_ == min((1, 3, 5, 7, 11, 15, 21, 31, 45), key=error)

    assert NeighbourMean().fit(wave[0], rng.permutation(wave[1])).k_ > 10
    assert NeighbourMean().fit(wave[0], 100.0 * (wave[0][:, 0] > 0)).k_ < 10


@pytest.fixture
def members(rng):
    """Numbers, and predictions: two that see different halves of the signal, one of noise and a constant."""
    signal = rng.normal(size=(2, 2000))
    y = signal.sum(axis=0) + 0.3 * rng.normal(size=2000)
    noisy = 2 * signal + 0.3 * rng.normal(size=(2, 2000)) + 5
    return y, [*noisy, rng.normal(size=2000), np.full(2000, 7.0)]


@pytest.mark.parametrize("n_parts", [2, 5])
def test_the_blend_is_better_than_its_members(members, n_parts):
    """Also if these are shifted and stretched; what knows nothing gets next to no weight."""
    y, found = members

    blend, weights = stack(found, y, np.arange(2000) % n_parts)

    assert np.mean((blend - y) ** 2) < 0.5 * min(np.var(y - each) for each in found)
    assert blend.mean() == pytest.approx(y.mean(), abs=0.1)
    assert (weights >= 0).all()
    assert weights[:2] == pytest.approx([0.5, 0.5], abs=0.05)
    assert weights[2] < 0.05
    assert weights[3] == 0


def test_a_part_does_not_see_its_own_numbers(members, rng):
    """Other numbers in a part change the predictions in all parts except that one."""
    y, found = members
    part = np.arange(2000) % 5
    shuffled = np.where(part == 0, 3 * rng.permutation(y), y)

    before, after = (stack(found, numbers, part)[0] for numbers in (y, shuffled))

    np.testing.assert_array_equal(before[part == 0], after[part == 0])
    assert (before[part != 0] != after[part != 0]).all()


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_the_unit_of_the_numbers_does_not_matter(members, scale):
    y, found = members
    part = np.arange(2000) % 5

    blend, weights = stack([each * scale for each in found], y * scale, part)

    np.testing.assert_allclose(blend / scale, stack(found, y, part)[0], rtol=1e-6)
    assert weights == pytest.approx(stack(found, y, part)[1], rel=1e-6)


@pytest.mark.parametrize("spread", [0.0, 1e-16, 1e-12])
def test_members_that_are_nearly_constant_or_the_same_have_no_huge_weights(members, rng, spread):
    """Rounding errors in them may go along with the numbers by chance."""
    y, found = members
    nearly = [0.1 + spread * y, *(found[0] + spread * rng.normal(size=2000) for _ in range(20))]

    blend, weights = stack(nearly, y, np.arange(2000) % 5)

    assert np.mean((blend - y) ** 2) < y.var()
    assert weights.sum() < 1

    assert stack([found[0]], np.full(2000, 0.1), np.arange(2000) % 5)[0] == pytest.approx(0.1)
    assert stack([np.zeros(10), np.ones(10)], np.arange(10.0), np.arange(10) % 2)[1].tolist() == [0, 0]
