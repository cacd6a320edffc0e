"""A check of numbers: the answers are true, every surface tells them, and what makes them too good is found."""

import numpy as np
import pandas as pd
import pytest

from bayesfloor import Check, assert_reachable, check
from bayesfloor.answer import Basis
from bayesfloor.summary._text import to_full_text
from bayesfloor.support._errors import InputError

NOISE = 0.5


def surface(X):
    return np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3]


def rows_with_noise(n=1000, seed=0, noise=NOISE):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, surface(X) + noise * rng.normal(size=n)


@pytest.fixture(scope="module")
def found():
    X, y = rows_with_noise()
    return check(X, y, 0.6, metric=["rmse", "r2", "mae"], effort="thorough", predictions=surface(X))


def test_the_truth_is_in_every_range_and_near_the_estimate(found):
    X, _ = rows_with_noise(100_000, 1)
    truths = {"rmse": NOISE, "r2": NOISE**2 / (NOISE**2 + surface(X).var()), "mae": NOISE * np.sqrt(2 / np.pi)}
    answers = {found.answer.metric: found.answer, **found.beside}

    assert list(answers) == ["rmse", "r2", "mae"]
    for name, truth in truths.items():
        answer = answers[name]
        assert answer.lower < truth < answer.upper < answer.guessing
        assert answer.estimate == pytest.approx(truth, abs=0.12 * answer.guessing)
    assert answers["r2"].score == 1 - answers["r2"].estimate
    assert answers["rmse"].score_range == (answers["rmse"].upper, answers["rmse"].lower)


def test_every_surface_has_the_same_figures(found):
    """And what is about classes is None."""
    told = f"RMSE of 0.6 is {'reachable' if found.outcome == 'reachable' else 'likely'}"
    estimate = f"{found.answer.score:.3f}"

    assert found.task == "numbers"
    assert found.pairs is found.classes is found.tree is found.suspicious is None
    assert told in found.verdict or "open" in found.verdict
    for text in (repr(found), to_full_text(found), found.to_markdown(), found._repr_html_()):
        assert estimate in text.replace("\\", "")
    assert "y as numbers" in repr(found)
    assert found.metrics()["rmse"] == found.answer.score
    assert "lowest_error_estimate" not in found.metrics()


def test_a_check_of_numbers_comes_back_from_json(found):
    again = Check.from_json(found.to_json())

    assert repr(again) == repr(found)
    assert again.to_json() == found.to_json()
    assert [gate.word for gate in again.gates(baseline=found)] == [found.gates()[0].word, "ok"]


def test_a_perfect_model_leaves_no_room_and_a_poor_one_does(found):
    X, y = rows_with_noise()
    poor = check(X, y, effort="quick", predictions=X[:, 3])

    assert found.model_score.word != "room to improve"
    assert found.model_score.score == pytest.approx(NOISE, abs=0.03)
    assert poor.model_score.word == "room to improve"
    assert "leaves room to improve" in poor.verdict


@pytest.mark.usefixtures("real_race")
def test_gates_judge_in_the_unit_of_the_metric(found):
    X, y = rows_with_noise()
    with pytest.raises(AssertionError, match=r"RMSE of 0\.2"):
        assert_reachable(X, y, 0.2, metric="rmse", effort="quick")
    with pytest.raises(InputError, match="y holds numbers"):
        found.gates(max_error=0.1)
    worse = check(X, y + 3 * np.random.default_rng(5).normal(size=len(y)), metric="rmse", effort="thorough")
    assert worse.gates(baseline=found)[-1].word == "failed"


def test_a_class_metric_is_no_metric_of_numbers_and_priors_need_classes():
    X, y = rows_with_noise(300)
    with pytest.raises(InputError, match="expected one of auto, r2, rmse, mae"):
        check(X, y, metric="roc_auc")
    with pytest.raises(InputError, match="class proportions need classes"):
        check(X, y, priors="balanced")
    with pytest.raises(InputError, match="expected an RMSE above 0"):
        check(X, y, -1.0, metric="rmse")


@pytest.mark.usefixtures("real_race")
def test_outliers_in_y_take_the_range_of_squares_but_not_that_of_the_mean_absolute_error():
    X, y = rows_with_noise()
    rng = np.random.default_rng(3)
    y[rng.permutation(len(y))[:15]] += 15
    found = check(X, y, 0.5, effort="quick")

    assert found.answer.has(Basis.OUTLIERS)
    assert found.outcome == "cannot say"
    assert np.isnan(found.answer.lower)
    assert found.beside["mae"].lower < NOISE * np.sqrt(2 / np.pi) < found.beside["mae"].upper
    assert "mean absolute error" in found.verdict


def test_without_a_signal_there_is_no_range():
    rng = np.random.default_rng(0)
    found = check(rng.normal(size=(600, 3)), rng.normal(size=600), effort="quick")

    assert found.answer.has(Basis.NO_SIGNAL)
    assert found.verdict.startswith("No signal found")
    assert np.isnan(found.answer.useful_lower)


def test_groups_copies_and_leaks_are_found_as_for_classes():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(60), 15)
    usual, effect = rng.normal(size=(60, 3)), rng.normal(size=60)
    table = pd.DataFrame(usual[group] + 0.1 * rng.normal(size=(900, 3)), columns=list("abc"))
    of_groups = check(table.assign(patient=group), effect[group] + 0.2 * rng.normal(size=900), effort="quick")
    X, y = rows_with_noise(600)
    copied = rng.integers(600, size=1200)
    copies = check(X[copied], y[copied], effort="quick")
    leaking = pd.DataFrame(X, columns=list("abcd")).assign(total=2 * y + 1)
    leak = check(leaking, y, effort="quick")

    assert of_groups.dependence.column == "patient"
    assert of_groups.answer.upper > 0.9
    assert copies.dependence.kind == "duplicates"
    assert copies.beside["rmse"].upper > NOISE
    assert leak.leaks[0].columns == ("total",)
    assert "total may give the label away" in leak.verdict


def test_equal_rows_with_other_numbers_prove_a_lower_end():
    """Rows that only have few values: the noise between equal rows is the lowest possible error."""
    rng = np.random.default_rng(1)
    X = rng.integers(4, size=(2000, 3)).astype(float)
    found = check(X, X @ [1, 2, 0] + rng.normal(size=2000), metric=["rmse", "mae"], effort="quick")

    assert found.answer.proved
    assert 0.93 < found.answer.lower < 1 < found.answer.upper
    assert found.beside["mae"].lower < np.sqrt(2 / np.pi)


def test_the_rule_of_the_task_can_be_changed():
    """Many whole numbers with gaps are numbers, and can be classes; few are classes, and can be numbers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    few = np.clip(np.round(3 * X[:, 0] + rng.normal(size=400)), -6, 6).astype(int)

    assert check(X, few, effort="quick").task == "classes"
    assert check(X, few, task="numbers", effort="quick").task == "numbers"


def test_errors_that_grow_with_the_prediction_are_a_finding():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    found = check(X, np.exp(X[:, 0]) * (1 + 0.3 * rng.normal(size=2000)), metric="mae", effort="quick")

    assert "BF123" in [finding.code for finding in found.findings]
    assert found.by_prediction.error.argmax() == 4
