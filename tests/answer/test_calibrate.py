"""Scores as posteriors."""

import numpy as np
import pytest
from scipy.special import softmax

from bayesfloor.answer._race import calibrate, class_scores


def drawn(n, sharpness, seed=0):
    """Scores that are too sharp by a known factor, labels from the true chances, and folds."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, 3))
    chances = softmax(logits, axis=1)
    codes = (rng.random((n, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    return chances, sharpness * logits, codes, rng.integers(5, size=n)


@pytest.mark.parametrize("sharpness", [0.3, 1.0, 5.0])
def test_the_right_temperature_is_found(sharpness):
    chances, scores, codes, fold = drawn(5000, sharpness)

    assert np.abs(calibrate(scores, codes, fold) - chances).mean() < 0.03


def test_a_row_s_own_label_has_no_say_its_answer_stays_and_a_single_fold_is_halved():
    """As posteriors of rows that were not seen."""
    _, scores, codes, fold = drawn(500, 2.0)

    assert (calibrate(scores, codes, fold).argmax(axis=1) == scores.argmax(axis=1)).all()

    _, scores, codes, fold = drawn(60, 1.0)
    other = codes.copy()
    other[fold == 2] = (codes[fold == 2] + 1) % 3

    same = calibrate(scores, codes, fold)[fold == 2]
    np.testing.assert_array_equal(calibrate(scores, other, fold)[fold == 2], same)

    chances, scores, codes, _ = drawn(5000, 5.0)

    assert np.abs(calibrate(scores, codes, np.zeros(5000, dtype=int)) - chances).mean() < 0.03


class Bare:
    """A model with what it is given."""

    def __init__(self, **methods):
        self.classes_ = np.array([0, 1])
        self.__dict__.update(methods)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (Bare(predict_proba=lambda _: np.array([[0.25, 0.75]])), np.log([[0.25, 0.75]])),
        (Bare(decision_function=lambda _: np.array([2.0])), [[-2.0, 2.0]]),
        (Bare(decision_function=lambda _: np.array([[1.0, 3.0]])), [[1.0, 3.0]]),
        (Bare(predict=lambda _: np.array([1])), [[0.0, 1.0]]),
    ],
)
def test_scores_of_any_model(model, expected):
    np.testing.assert_allclose(class_scores(model, np.zeros((1, 1))), expected)
