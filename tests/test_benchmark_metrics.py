"""The benchmark of ceilings by other metrics: its truths are true, and its sets have nothing in common."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn import metrics
from sklearn.linear_model import LinearRegression

ROWS = 20_000
SEED = 7  # of no problem of either set
NIGHTLY = pytest.mark.slow(nightly=True)
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


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=NIGHTLY), pytest.param(2, marks=NIGHTLY)])
def test_the_exact_posterior_scores_what_the_truth_says(families, part):
    """By scikit-learn's metrics on drawn labels, for every family; each part has families of both kinds."""
    for family in [*families.LIKELIHOODS, *families.ALL_MAKERS][part::3]:
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


@pytest.mark.slow
def test_every_family_draws_the_same_problem_again(families, monkeypatch):
    """Numbers are numbers, labels are text, and no column is missing."""
    monkeypatch.setattr(families, "TRUTH_ROWS", 500)
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


# Figures.


@pytest.fixture(scope="module")
def bench(benchmark_module):
    return benchmark_module("metrics")


def case_of(truth, lower, upper, chances, *, tested=True):
    """A cell of R^2 whose estimate is .3, and whose targets are .1, .3 and .5."""
    targets = zip((0.1, 0.3, 0.5), chances, strict=True)
    found = {
        "estimate": 0.3,
        "lower": lower,
        "upper": upper,
        "tested": tested,
        "guessing": 1.0,
        "errors": {"forest": 0.4, "blend": 0.35},
        "quantiles": [] if upper is None else [0.2, 0.3, 0.4],
        "asked": [[0, target, chance] for target, chance in targets],
        "truth": truth,
    }
    return {"metrics": {"r2": found}, "population": {"rmse": 1.0}, "seconds": 1.0}


def figures_of(bench, *cases):
    return bench.figures({f"numbers/hinges/{at}": case for at, case in enumerate(cases)}, "r2")


def test_estimates_are_compared_with_the_best_single_model_and_ends_with_the_truth(bench):
    """The blend is no single model; an end that was not tested is no tested end."""
    close = case_of(0.28, None, 0.45, (0.0, 1.0, 1.0))
    far = case_of(0.46, 0.2, 0.45, (None, None, None), tested=False)
    high = case_of(0.19, 0.2, 0.45, (0.0, 0.5, 1.0))
    found = figures_of(bench, close, far, high)

    assert (found["median error"], found["best model: median"]) == (pytest.approx(11), pytest.approx(12))
    assert found["mean error"] == pytest.approx((2 + 16 + 11) / 3)
    assert found["relative mean"] == pytest.approx((2 + 16 + 11) / (12 + 6 + 21))
    assert found["closer"] == pytest.approx(2 / 3)
    assert found["held"] == [True, False, False]
    assert found["lower ends"] == [False, True]
    assert found["tested ends"] == [False, False]
    assert found["Brier score"] == pytest.approx(0.25 / 6)


def test_goals_count_bins_in_which_chances_are_off(bench):
    """Whole races are resampled; where all outcomes are alike, the exact interval for the number of races counts."""
    honest = [case_of(0.28, 0.2, 0.45, (0.05, 0.95, 0.95)) for _ in range(10)]
    vain = [case_of(0.38, 0.2, 0.45, (0.05, 0.95, 0.95)) for _ in range(10)]
    for cases, wrong in ((honest, "0 of 2"), (vain, "1 of 2")):
        goals = list(bench.goals({"cases": {f"numbers/hinges/{at}": case for at, case in enumerate(cases)}}))
        assert [goal.figure for goal in goals if "bins" in goal.measured] == [wrong]

    low, high = bench.interval_of([np.ones(3)] * 10)
    assert (low, high) == (pytest.approx(0.025**0.1), 1.0)


def test_tables_of_some_results_have_lines_of_equal_length(bench):
    cases = {f"numbers/hinges/{at}": case_of(0.28, 0.2, 0.45, (0.05, 0.9, 0.95)) for at in range(3)}
    cases["numbers/hinges/3"] = case_of(0.28, None, None, (None, None, None), tested=False)
    cases["tails/waves/1"] = case_of(0.3, None, None, (None, None, None), tested=False) | {"tail": "t3"}
    tables = bench.tables({"cases": cases})

    assert all(len({len(line) for line in lines}) == 1 for lines in tables.values())
    assert [len(tables[name]) for name in ("closeness", "ranges", "bins", "tails")] == [3, 2, 3, 2]
