"""The metrics: against scikit-learn, a bootstrap, and laws whose truth is known; and targets in their units."""

import re

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    brier_score_loss,
    log_loss,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)

from bayesfloor import check
from bayesfloor.answer._curve_ends import Ends
from bayesfloor.answer._metrics import CLASSES, METRICS, NUMBERS, check_metric, choose_metrics
from bayesfloor.answer._race import Race
from bayesfloor.support._errors import InputError

UNEVEN = {2: (0.85, 0.15), 4: (0.5, 0.3, 0.12, 0.08)}


def draw(rng, n_classes, n=600):
    """Labels of unequal classes, and posteriors that know something of them; many rows are tied."""
    codes = rng.choice(n_classes, n, p=UNEVEN[n_classes])
    scores = np.log(UNEVEN[n_classes]) + 1.5 * np.eye(n_classes)[codes] + rng.normal(size=(n, n_classes)).round(1)
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True), codes


def draw_numbers(rng, n=600):
    signal = rng.normal(size=n)
    return 3 + signal, 3 + signal + rng.exponential(size=n)


def losses(name, predicted, truth, fold=None):
    return METRICS[name].losses(predicted, truth, np.zeros(len(truth), dtype=int) if fold is None else fold)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_mean_losses_for_classes_are_those_of_scikit_learn(rng, n_classes):
    """One fold; of four classes, AUC is the mean over each class against the others."""
    eta, codes = draw(rng, n_classes)
    evenly = (eta / np.bincount(codes)).argmax(axis=1)  # the rule that is best if all classes count equally
    scores = eta[:, 1] if n_classes == 2 else eta
    squares = brier_score_loss(codes, eta, scale_by_half=False, labels=range(n_classes))
    truths = {
        "accuracy": 1 - accuracy_score(codes, eta.argmax(axis=1)),
        "balanced_accuracy": 1 - balanced_accuracy_score(codes, evenly),
        "roc_auc": 1 - roc_auc_score(codes, scores, multi_class="ovr", average="macro"),
        "log_loss": log_loss(codes, eta, labels=range(n_classes)),
        "brier": squares,
    }

    assert set(truths) == {name for name, metric in METRICS.items() if metric.task == CLASSES}
    for name, truth in truths.items():
        assert losses(name, eta, codes).mean() == pytest.approx(truth), name


def test_mean_losses_for_numbers_are_those_of_scikit_learn(rng):
    """The mean absolute error is that of predictions shifted to the median residual of the other folds."""
    predicted, y = draw_numbers(rng)
    fold = np.arange(len(y)) % 3
    shift = [np.median((y - predicted)[fold != number]) for number in range(3)]

    assert losses("r2", predicted, y).mean() == pytest.approx(1 - r2_score(y, predicted))
    assert np.sqrt(losses("rmse", predicted, y).mean()) == pytest.approx(root_mean_squared_error(y, predicted))
    assert losses("mae", predicted, y).mean() == pytest.approx(mean_absolute_error(y, predicted))
    assert losses("mae", predicted, y, fold).mean() == pytest.approx(
        mean_absolute_error(y, predicted + np.array(shift)[fold])
    )


@pytest.mark.parametrize(
    ("name", "n_classes"),
    [("balanced_accuracy", 2), ("balanced_accuracy", 4), ("roc_auc", 2), ("roc_auc", 4), ("r2", 0)],
)
def test_losses_vary_as_the_metric_does(rng, name, n_classes):
    """A metric that is no mean over rows has the variance of its losses, as a bootstrap finds it."""
    predicted, truth = draw(rng, n_classes, 900) if n_classes else draw_numbers(rng, 900)
    found = losses(name, predicted, truth)
    drawn = [
        losses(name, predicted[rows], truth[rows]).mean() for rows in rng.integers(len(truth), size=(800, len(truth)))
    ]

    assert found.std() / np.sqrt(len(truth)) == pytest.approx(np.std(drawn), rel=0.15)


def test_rows_are_ranked_within_their_fold_only(rng):
    """Folds have different models, whose scores cannot be compared; a fold of one class ranks nothing."""
    eta, codes = draw(rng, 2)
    fold = np.arange(len(codes)) % 3
    codes[fold == 2] = 0
    moved = eta.copy()
    moved[fold == 1] = np.column_stack([1 - eta[fold == 1, 1] ** 3, eta[fold == 1, 1] ** 3])
    areas = [roc_auc_score(codes[fold == number], eta[fold == number, 1]) for number in (0, 1)]

    np.testing.assert_allclose(losses("roc_auc", moved, codes, fold), losses("roc_auc", eta, codes, fold))
    assert losses("roc_auc", eta, codes, fold).mean() == pytest.approx(1 - np.mean(areas))
    assert losses("roc_auc", moved, codes).mean() != pytest.approx(1 - np.mean(areas), abs=0.01)


def test_guessing_is_what_needs_no_features(rng):
    """The most frequent class, the proportions, any ranking; the mean, and for distances the median."""
    _, codes = draw(rng, 4)
    y, shares = rng.exponential(size=500), np.bincount(codes) / len(codes)
    known = {
        "accuracy": 1 - shares.max(),
        "balanced_accuracy": 0.75,
        "roc_auc": 0.5,
        "log_loss": -(shares * np.log(shares)).sum(),
        "brier": 1 - (shares**2).sum(),
        "r2": 1.0,
        "rmse": y.var(),
        "mae": np.abs(y - np.median(y)).mean(),
    }

    assert set(known) == set(METRICS)
    for name, truth in known.items():
        assert METRICS[name].guess(codes if METRICS[name].task == CLASSES else y).mean() == pytest.approx(truth), name


def exact_posteriors(rng, n_rare, n=600, distance=2.0):
    codes = (np.arange(n) >= n - n_rare).astype(int)
    log_odds = distance * (rng.normal(size=n) + distance * (codes - 0.5)) + np.log(n_rare / (n - n_rare))
    second = 1 / (1 + np.exp(-log_odds))
    return np.column_stack([1 - second, second]), codes


def end(name, predicted, truth, level=0.95):
    return METRICS[name].limit(losses(name, predicted, truth), truth, np.arange(len(truth)), level)


@pytest.mark.parametrize(("name", "truth"), [("roc_auc", norm.sf(np.sqrt(2))), ("balanced_accuracy", norm.sf(1))])
def test_tested_ends_need_60_rows_of_the_rarest_class_and_are_then_wrong_as_seldom_as_they_say(name, truth):
    """Below that, an interval of so few rows is worth nothing."""
    rng = np.random.default_rng(0)
    ends = [end(name, *exact_posteriors(rng, 60)) for _ in range(300)]

    assert end(name, *exact_posteriors(rng, 59)) == 1
    assert max(ends) < 1
    assert np.mean(np.array(ends) < truth) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
    assert np.median(ends) < truth + 0.12


@pytest.mark.parametrize("name", ["balanced_accuracy", "roc_auc"])
def test_a_class_without_tested_rows_leaves_no_end(rng, name):
    """It counts as much as the others, and nothing is known of it."""
    eta, codes = draw(rng, 4, 2000)

    def end_without(*absent):
        rows = np.flatnonzero(~np.isin(codes, absent))
        of_rows = losses(name, eta[rows], codes[rows])
        race = Race(rows, codes[rows], 0 * rows, rows, np.array([1600]), {name: {"one": of_rows[None]}}, {}, {})
        return Ends(race, 4, 2, rng, METRICS[name]).limit("one", 0.95)

    assert end_without() < 0.5
    assert end_without(1) == end_without(3) == 1


@pytest.mark.parametrize("name", ["brier", "log_loss"])
@pytest.mark.parametrize("often", [0.0, 0.001, 0.003, 0.01])
def test_rows_without_a_surprise_do_not_prove_that_there_are_none(name, often):
    """Classes that hardly overlap: of 400 rows perhaps none is far off, but it costs as much as it can."""
    rng, codes, most = np.random.default_rng(0), np.zeros(400, dtype=int), METRICS[name].most
    ends = [METRICS[name].limit(most * (rng.random(400) < often), codes, np.arange(400), 0.95) for _ in range(400)]

    assert np.mean(np.array(ends) < often * most) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert min(ends) < 0.01 * most


@pytest.mark.parametrize(
    ("name", "targets", "expected"),
    [
        ("accuracy", (0, 1.5, "x", True, np.nan), "an accuracy above 0 and up to 1, such as 0.95."),
        ("balanced_accuracy", (0, 80), "a balanced accuracy above 0 and up to 1, such as 0.95."),
        ("roc_auc", (1.01, -1), "an AUC above 0 and up to 1, such as 0.95."),
        ("log_loss", (0, "0.3", np.inf), "a log loss above 0, such as 0.3."),
        ("brier", (-0.1, None), "a Brier score above 0, such as 0.2."),
        ("r2", (2, np.nan), "an R² above 0 and up to 1, such as 0.95."),
        ("rmse", (0, -12, np.inf, False), "an RMSE above 0, such as 12."),
        ("mae", (0, [1]), "an MAE above 0, such as 12."),
    ],
)
def test_targets_that_nothing_can_reach_are_refused_in_the_unit_of_the_metric(name, targets, expected):
    """Before any work, with what was passed and what was expected."""
    for target in targets:
        with pytest.raises(InputError, match=re.escape(f"Got target={target!r}, but expected {expected}")):
            METRICS[name].check_target(target)
    METRICS[name].check_target(METRICS[name].example)
    with pytest.raises(InputError, match=r"expected an? "):
        check([], [], -1, metric=[name, name])


def test_scores_and_losses_are_two_sides_of_a_target():
    """1 - 0.9 alone would be slightly less than 0.1, and then what reaches it would not."""
    assert [METRICS[name].loss(0.9) for name in ("accuracy", "roc_auc", "r2")] == [0.1] * 3
    assert METRICS["rmse"].loss(12.4) == METRICS["rmse"].score(12.4) == 12.4
    assert METRICS["r2"].score(1.5) == -0.5


def test_metrics_are_chosen_by_name_and_others_stand_beside_if_a_class_is_rare():
    """Rare is less than a tenth of the rows, and half of an equal share: of 26 letters, none is."""

    def chosen(metric, sizes=(50, 50), task=CLASSES):
        return [each.name for each in choose_metrics(metric, task, np.repeat(np.arange(len(sizes)), sizes))]

    beside = ["accuracy", "balanced_accuracy", "roc_auc"]
    assert chosen("auto") == chosen("auto", (900, 100)) == chosen("auto", [40] * 26) == ["accuracy"]
    assert chosen("auto", (901, 99)) == chosen("auto", (0, 901, 99)) == chosen("auto", [100] * 9 + [40]) == beside
    assert chosen("auto", [100] * 9 + [60]) == ["accuracy"]
    assert chosen("auto", task=NUMBERS) == ["r2", "rmse", "mae"]
    assert chosen("roc_auc") == ["roc_auc"]
    assert chosen(["brier", "log_loss", "brier"]) == ["brier", "log_loss"]
    with pytest.raises(InputError, match="metric='rmse', but the labels are classes: expected one of auto, accuracy"):
        chosen("rmse")
    for wrong in ("auc", ["accuracy", "auc"], [], ["auto", "accuracy"], None):
        with pytest.raises(InputError, match=r"Got metric=.*expected"):
            check_metric(wrong, None)


@pytest.fixture(scope="module")
def answers():
    """Answers by all metrics, of overlapping classes and of noisy numbers."""
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(800, 2)), np.repeat([0, 1], [600, 200])
    of_classes = check(
        X + 1.5 * codes[:, None], codes, effort="quick", metric=["roc_auc", "balanced_accuracy", "log_loss", "brier"]
    )
    of_numbers = check(X, 20 + 5 * X[:, 0] + 3 * rng.normal(size=800), effort="quick", metric=["r2", "rmse", "mae"])
    found = (of_classes, of_numbers)
    return {name: each for one in found for name, each in {one.answer.metric: one.answer, **one.beside}.items()}


@pytest.mark.parametrize("name", METRICS)
def test_scores_chances_and_verdicts_agree_in_the_unit_of_the_metric(answers, name):
    """What was shown is reachable, nothing beyond it is; and what is harder is less likely."""
    answer = answers[name]
    better = 1 if METRICS[name].is_score else -1
    shown, other = answer.score_range
    step = 1e-6 * shown
    harder = np.linspace(shown, answer.score + better * (0.999 if better > 0 else 1) * abs(1 - answer.score), 9)

    assert better * shown < better * answer.score
    assert np.isnan(other) or better * answer.score < better * other
    assert (answer.verdict(shown - better * step), answer.verdict(shown + better * step)) == ("reachable", "likely")
    assert answer.chance(shown - better * step) >= 0.95
    chances = [answer.chance(target) for target in harder if METRICS[name].loss(target) > 0]
    assert chances == sorted(chances, reverse=True)
    assert answer.chance(answer.score) == pytest.approx(0.5, abs=0.03)
    assert answer.verdict(answer.score) == "open"


def test_two_metrics_of_squares_are_one_race_in_two_units(answers):
    """R^2 is 1 - (RMSE / spread)^2, learner by learner."""
    squares = {name: rmse**2 for name, rmse in answers["rmse"].errors.items()}
    ratios = [squares[name] / error for name, error in answers["r2"].errors.items()]

    assert ratios == pytest.approx([ratios[0]] * len(ratios))
    assert np.sqrt(ratios[0]) == pytest.approx(answers["rmse"].guessing)
    assert answers["r2"].guessing == pytest.approx(1)
