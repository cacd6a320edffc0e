"""The race: tested on rows that were not seen, on growing parts."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from bayesfloor.answer._learners import BLEND, REGISTRY, Size
from bayesfloor.answer._metrics import brier_score
from bayesfloor.answer._race import PARTS, choose_learners, run_race


def two_gaussians(n=400, d=2, distance=2.0, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 2
    return rng.normal(size=(n, d)) + distance * codes[:, None] * (np.arange(d) == 0), codes


def race(X, codes, learners, cluster=None, seed=0):
    cluster = np.arange(len(codes)) if cluster is None else cluster
    return run_race(X, codes, cluster, learners, "normal", np.random.default_rng(seed))


@pytest.fixture(scope="module")
def found():
    X, codes = two_gaussians()
    return race(X, codes, {"bayes": GaussianNB(), "linear": LogisticRegression()})


def test_every_row_is_tested_once_on_sizes_that_span_eight_times_the_rows(found):
    """Errors are near the Bayes error of .159, and posteriors belong to them."""
    assert found.row.tolist() == list(range(400))
    assert set(found.losses["accuracy"]) == {"bayes", "linear", BLEND}
    assert all(wrong.shape == (len(PARTS), 400) for wrong in found.losses["accuracy"].values())

    assert found.n_train.tolist() == [40, 80, 160, 320]

    assert all(abs(error - 0.159) < 0.05 for error in found.means("accuracy").values())

    for name, eta in found.predicted.items():
        np.testing.assert_array_equal(eta.argmax(axis=1) != found.codes, found.losses["accuracy"][name][-1])
        np.testing.assert_allclose(brier_score(eta, found.codes), found.losses["brier"][name][-1])


def test_the_same_seed_gives_the_same_race(found):
    X, codes = two_gaussians()
    again = race(X, codes, {"bayes": GaussianNB(), "linear": LogisticRegression()})

    for name in found.losses["accuracy"]:
        np.testing.assert_array_equal(again.losses["accuracy"][name], found.losses["accuracy"][name])


def test_with_priors_all_rows_are_tested_and_errors_are_weighted_by_class():
    """Posteriors follow Bayes' rule, plain means of losses are those for the priors, and vary as these do."""
    X, _ = two_gaussians(9000)
    codes = (np.random.default_rng(2).random(9000) < 0.02).astype(int)
    X[:, 0] += 3.0 * codes
    learners, rng = {"bayes": GaussianNB(), "linear": LogisticRegression()}, np.random.default_rng
    priors, cluster = np.array([0.5, 0.5]), np.arange(9000)
    found = run_race(X, codes, cluster, learners, "quick", rng(0), priors=priors)
    plain = run_race(X, codes, cluster, learners, "thorough", rng(0))

    assert len(found.codes) == 9000
    for name, eta in found.predicted.items():
        if name != BLEND:  # whose weights are chosen for the priors
            odds = plain.predicted[name][:, 1] / plain.predicted[name][:, 0] * np.mean(codes == 0) / np.mean(codes == 1)
            np.testing.assert_allclose(eta[:, 1] / eta[:, 0], odds)
        wrong = eta.argmax(axis=1) != codes
        rates, sizes = np.array([wrong[codes == k].mean() for k in (0, 1)]), np.bincount(codes)
        assert found.means("accuracy")[name] == pytest.approx(priors @ rates)
        assert found.losses["accuracy"][name][-1].var() / 9000 == pytest.approx(
            priors**2 @ (rates * (1 - rates) / sizes)
        )
        assert 2 * sizes[1] <= found.n_independent(name) <= 4 * sizes[1] + 1e-6


def test_learners_do_not_see_the_rows_that_they_are_tested_on():
    """Labels that are pure chance cannot be guessed, not even by a model that learns rows by heart."""
    rng = np.random.default_rng(1)
    X, codes = rng.normal(size=(300, 3)), rng.integers(2, size=300)

    found = race(X, codes, {"by heart": SVC(C=1e6, gamma=100)})

    assert 0.4 < found.means("accuracy")["by heart"] < 0.6


def test_groups_stay_whole():
    """Near-copies in the same group cannot help."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(60), 5)
    X, codes = rng.normal(size=(60, 2))[group] + 1e-6 * rng.normal(size=(300, 2)), rng.integers(2, size=60)[group]

    found = race(X, codes, {"by heart": SVC(C=1e6, gamma=100)}, group)

    assert found.means("accuracy")["by heart"] > 0.3
    assert all(len(set(found.fold[group == g])) == 1 for g in range(60))


class Picky(GaussianNB):
    """Refuses fewer than 100 rows."""

    def fit(self, X, y):
        if len(X) < 100:
            raise ValueError("too few\nfor me")
        return super().fit(X, y)


def test_a_learner_that_needs_many_rows_has_no_curve():
    X, codes = two_gaussians()
    found = race(X, codes, {"picky": Picky(), "bayes": GaussianNB(), "linear": LogisticRegression()})

    assert "picky" in found.means("accuracy")
    assert found.curves == ["bayes", "linear", BLEND]
    assert np.isnan(found.losses["accuracy"]["picky"][0]).all()
    assert found.left_out == {}


def test_a_learner_that_never_works_is_left_out():
    X, codes = two_gaussians(60)
    found = race(X, codes, {"picky": Picky(), "bayes": GaussianNB()})

    assert found.left_out == {"picky": "could not be trained: too few"}
    assert list(found.means("accuracy")) == ["bayes"]


def test_a_learner_far_behind_drops_out_after_a_quarter_of_the_rows():
    """A learner that is far behind and of no use to the blend drops out; a user's own learner never does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    codes = (X[:, 0] * X[:, 1] > 0).astype(int)  # a linear model is at chance
    learners = {name: REGISTRY[name].make(Size(1000, 2, 2), 0) for name in ("linear", "kernel", "forest")}

    found = race(X, codes, {**learners, "mine": LogisticRegression()})

    assert found.left_out == {"linear": "far behind other learners on a quarter of the rows"}
    assert found.curves == ["kernel", "forest", "mine", BLEND]
    assert not np.isnan(found.losses["accuracy"]["linear"][:2]).any()
    assert np.isnan(found.losses["accuracy"]["linear"][2:]).all()


def test_two_kinds_of_learners_stay_in_the_race():
    """A single kind of learner would be no confirmation."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    codes = (X[:, 0] * X[:, 1] > 0).astype(int)
    learners = {name: REGISTRY[name].make(Size(1000, 2, 2), 0) for name in ("linear", "kernel")}

    assert race(X, codes, learners).left_out == {}


def test_many_rows_are_tested_in_part():
    X, codes = two_gaussians(10_000)
    found = race(X, codes, {"constant": DummyClassifier()})

    assert len(found.row) == 4000
    assert found.n_train[-1] == 8000


@pytest.mark.usefixtures("real_race")
def test_effort_pays_for_more_learners():
    chosen = [choose_learners(Size(3000, 30, 4, effort=effort), 0)[0] for effort in ("quick", "normal", "thorough")]

    assert set(chosen[0]) <= set(chosen[1]) <= set(chosen[2])
    assert len(chosen[0]) < len(chosen[2])


@pytest.mark.usefixtures("real_race")
@pytest.mark.parametrize("size", [Size(150, 4, 3), Size(1000, 384, 2), Size(20_000, 16, 26), Size(50_000, 784, 10)])
def test_normal_effort_has_unlike_learners(size):
    chosen, left_out = choose_learners(size, 0)

    assert len({REGISTRY[name].kind for name in chosen}) >= 2
    assert set(chosen) | set(left_out) == set(REGISTRY)


def test_many_columns_are_not_for_a_quadratic_model():
    _, left_out = choose_learners(Size(5000, 200, 2, effort="thorough"), 0)

    assert left_out["quadratic"] == "too many rows or columns for this learner"
