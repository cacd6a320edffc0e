"""The benchmark of ceilings by other metrics: its truths are true, and its sets have nothing in common."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn import metrics
from sklearn.linear_model import LinearRegression

ROWS = 20_000
SEED = 7  # of no problem of either set
NUMBERS = ["r2", "rmse", "mae"]
CLASSES = ["accuracy", "balanced_accuracy", "roc_auc", "log_loss", "brier"]


@pytest.fixture
def families(benchmark_module, monkeypatch):
    """The families of problems, with fewer rows behind each law and truth."""
    module = benchmark_module("_metric_families")
    monkeypatch.setattr(module, "TRUTH_ROWS", 8000)
    monkeypatch.setattr(module, "TUNING_ROWS", 500)
    return module


@pytest.fixture
def known(benchmark_module):
    return benchmark_module("_known")


# Truths.


def test_a_linear_law_with_normal_noise_leaves_what_least_squares_leaves(families, monkeypatch):
    """Without a look at the law: least squares on many rows, and the normal law's ratio of both losses."""
    monkeypatch.setattr(families, "_FREQUENT", {"normal": 1.0})
    for seed in range(5):
        rows = families.number_law("sparse_linear", seed)
        truth, _ = families.best_numbers(*rows(ROWS, np.random.default_rng(1))[1:])
        X, y, *_ = rows(ROWS, np.random.default_rng(2))
        left = y - LinearRegression().fit(X, y).predict(X)
        assert truth["rmse"] == pytest.approx(left.std(), rel=0.04)
        assert truth["r2"] == pytest.approx((left.std() / y.std()) ** 2, rel=0.06)
        assert truth["mae"] == pytest.approx(np.abs(left).mean(), rel=0.04)


def test_two_gaussians_have_the_error_and_the_auc_of_the_closed_forms(families, known):
    _, eta = known.two_gaussians(3, 0.2).law(400_000, np.random.default_rng(0))
    truth, guessing = families.best_classes(eta)

    assert truth["accuracy"] == pytest.approx(0.2, abs=0.002)
    assert truth["balanced_accuracy"] == pytest.approx(0.2, abs=0.002)
    assert truth["roc_auc"] == pytest.approx(norm.sf(known.gap_of(0.2) / np.sqrt(2)), abs=0.002)
    assert guessing["accuracy"] == pytest.approx(0.5, abs=0.002)


@pytest.mark.parametrize("tail", [None, "t3", "outliers"])
def test_numbers_deviate_from_their_mean_as_the_moments_say(families, tail):
    """Noise is of one form after division by its width, so that its median can be measured."""
    for family in families.ALL_MAKERS if tail is None else ["hinges", "waves"]:
        rows = families.number_law(family, SEED, tail)
        _, y, mean, variance, absolute = rows(ROWS, np.random.default_rng(1))
        z = (y - mean) / np.sqrt(variance)
        away = np.sqrt(variance) * np.abs(z - np.median(z))

        assert np.isfinite(y).all(), family
        assert away.mean() == pytest.approx(absolute.mean(), abs=4 * away.std() / np.sqrt(ROWS)), family
        if tail != "t3":  # whose squares have no variance
            squared = (y - mean) ** 2
            assert abs(z.mean()) <= 4 / np.sqrt(ROWS), family
            assert squared.mean() == pytest.approx(variance.mean(), abs=4.5 * squared.std() / np.sqrt(ROWS)), family


def test_the_exact_posterior_scores_what_the_truth_says(families):
    """By scikit-learn's metrics on drawn labels, for every family."""
    for family in [*families.ALL_MAKERS, *families.LIKELIHOODS]:
        _, rows = families.class_law(family, SEED)
        _, codes, eta = rows(ROWS, np.random.default_rng(1))
        truth, guessing = families.best_classes(eta)
        k, shares = eta.shape[1], eta.mean(axis=0)
        chance, positive = (eta, codes) if k > 2 else (eta[:, 1], codes)
        auc = metrics.roc_auc_score(positive, chance, multi_class="ovr", labels=range(k) if k > 2 else None)
        balanced = metrics.balanced_accuracy_score(codes, (eta / shares).argmax(axis=1))
        brier = ((eta - np.eye(k)[codes]) ** 2).sum(axis=1).mean()
        found = [(eta.argmax(axis=1) != codes).mean(), 1 - balanced, 1 - auc, metrics.log_loss(codes, eta), brier]

        assert [*truth] == CLASSES
        tolerances = [0.015, 0.05, 0.03, 0.04, 0.015]  # the rarest class has few rows
        for name, value, tolerance in zip(CLASSES, found, tolerances, strict=True):
            assert value == pytest.approx(truth[name], abs=tolerance), (family, name)
            assert truth[name] <= guessing[name] + 1e-9, (family, name)


# Sets.


def test_every_family_draws_the_same_problem_again(families):
    """Numbers are numbers, labels are text, and no column is missing."""
    for draw, names, losses in (
        (families.draw_numbers, families.ALL_MAKERS, NUMBERS),
        (families.draw_classes, [*families.ALL_MAKERS, *families.LIKELIHOODS], CLASSES),
    ):
        for name in names:
            problem = draw(name, SEED)
            assert [*problem.truth] == losses
            assert np.isfinite(problem.X).all()
            assert 300 <= len(problem.X) == len(problem.y) <= 8000
            assert 1 <= problem.X.shape[1] <= 100
        again = draw(name, SEED)
        np.testing.assert_array_equal(problem.X, again.X)
        np.testing.assert_array_equal(problem.y, again.y)
        assert problem.truth == again.truth


def test_the_sets_share_no_family_and_no_seed(families):
    """The judgement is of laws that no constant was chosen on."""
    sets = [families.TRAINING["numbers"], families.TRAINING["classes"], *families.JUDGING.values(), families.TAILS]
    assert [len(problems) for problems in sets] == [80, 80, 120, 120, 12]
    training, judging = ({one[0] for own in part for one in own} for part in (sets[:2], sets[2:]))
    seeds = [one[1] for own in sets for one in own]

    assert not training & judging
    assert len(seeds) == len(set(seeds))
    assert SEED not in seeds
