"""Representations compared: who is best and by what, what picking costs, and which rows and folds count."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bayesfloor import check, compare_representations
from bayesfloor.floor import SampledRowsWarning


def two_classes(n, rng, distance=2.0, noise=6):
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 1 + noise))
    X[:, 0] += distance * y
    return X, y


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X, y = X[:900], y[:900]
    given = {"raw": X, "pca-2": PCA(2), "pca-30": PCA(30), "noise": np.random.default_rng(0).normal(size=(len(y), 3))}
    return compare_representations(given, y, X=X)


def test_the_best_comes_first_and_noise_last_in_tables_and_words(digits):
    """With words for each, which agree with the numbers."""
    frame = digits.frame()
    assert frame["representation"].tolist() == list(digits.names) == list(digits.answers)
    assert json.loads(json.dumps(digits.to_dict()))["best"] == digits.best_
    assert repr(digits).startswith("Comparison(4 representations")

    assert set(digits.not_worse) == {"raw", "pca-30"}
    assert digits.names[-1] == "noise"
    assert digits.word[0] == "best"
    assert digits.word[2:] == ("worse", "worse")
    assert digits.smallest == "pca-30"
    assert (digits.difference_low <= digits.difference).all()
    assert (digits.difference_low[2:] > 0).all()
    assert (digits.p_value[:2] > 0.05).all()
    assert (digits.seconds > 0).all()

    assert f"{digits.best_} is best: error {100 * digits.error[0]:.1f} % with these rows" in digits.text
    assert f"at best about {digits.tell(digits.lowest[0])}" in digits.text
    assert "No clear difference: " in digits.text


def test_more_rows_never_make_an_error_larger(digits):
    """Today, four times as many, any number: the same story in every row."""
    assert not (digits.error_4x > np.maximum(digits.error, digits.lowest)).any()
    assert not (digits.lowest > digits.error_4x).any()
    assert not (digits.lowest_low > digits.lowest).any()
    assert (digits.lowest <= digits.lowest_high).all()


def test_a_ceiling_is_that_of_a_check(rng):
    """On other folds; but the same learners, curves and limits."""
    X, y = two_classes(600, rng)
    answer = compare_representations({"raw": X, "one": X[:, :1]}, y).answers["raw"]
    alone = check(X, y, effort="quick").answer
    assert set(answer.errors) == set(alone.errors)
    assert answer.guessing == alone.guessing
    assert answer.n_rows == alone.n_rows == 600
    assert answer.estimate == pytest.approx(alone.estimate, abs=0.03)


def test_all_are_tested_on_the_same_rows_in_the_same_folds(rng):
    """Whatever their own content, copies and columns; also what is fitted with labels."""
    X, y = two_classes(400, rng)
    given = {"raw": X, "coarse": np.round(X[:, :1]), "lda": LinearDiscriminantAnalysis()}
    races = [answer.evidence() for answer in compare_representations(given, y, X=X).answers.values()]
    for race in races[1:]:
        for name in ("row", "fold", "cluster", "unit_fold"):
            np.testing.assert_array_equal(getattr(race, name), getattr(races[0], name))


def test_the_order_of_rows_and_threads_have_no_say(rng):
    X, y = two_classes(300, rng)
    order = rng.permutation(len(y))
    given = {"raw": X, "standard": StandardScaler()}
    first = compare_representations(given, y, X=X)
    again = compare_representations({**given, "raw": X[order]}, y[order], X=X[order], n_jobs=2)
    assert first.names == again.names
    np.testing.assert_allclose(first.error, again.error)
    np.testing.assert_allclose(first.lowest, again.lowest)
    np.testing.assert_allclose(first.difference_low, again.difference_low)


def test_what_is_fitted_with_labels_does_not_flatter_itself(rng):
    """The best 2 of 200 features of noise look good on the rows used to select them, and on no others."""
    X, y = rng.normal(size=(200, 200)), rng.integers(2, size=200)
    flattered = LinearDiscriminantAnalysis(solver="svd").fit(X, y).transform(X)
    cheated = compare_representations({"raw": X, "fitted here": flattered}, y)
    assert cheated.best_ == "fitted here"
    assert cheated.word[1] == "worse"
    found = compare_representations({"raw": X, "lda": LinearDiscriminantAnalysis(), "k": SelectKBest(k=2)}, y, X=X)
    assert found.p_value.min() > 1e-3
    assert found.error.min() > 0.35


@pytest.mark.slow
@pytest.mark.usefixtures("linear_alone")
def test_noise_labels_make_no_difference(rng):
    """Beyond the level."""
    declared = 0
    for _ in range(20):
        X, y = rng.normal(size=(150, 5)), rng.integers(3, size=150)
        declared += "worse" in compare_representations({"raw": X, "two": X[:, :2], "pca": PCA(2)}, y, X=X).word
    assert declared <= 3  # 0.05 of 20, and two standard errors


def test_rows_of_a_group_and_copies_are_in_one_fold(rng, real_race):  # noqa: ARG001
    """Copies would otherwise give away the labels of test rows; equal in one representation alone is no copy."""
    base, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    many, labels, groups = np.repeat(base, 10, axis=0), np.repeat(y, 10), np.repeat(np.arange(60), 10)
    near = many + 1e-3 * rng.normal(size=many.shape)
    assert compare_representations({"raw": near}, labels, groups=groups).error[0] > 0.3
    X, y = np.repeat(rng.normal(size=(80, 3)), 4, axis=0), np.repeat(rng.integers(2, size=80), 4)
    assert compare_representations({"raw": X, "two": X[:, :2]}, y).error.min() > 0.3


def test_numbers_and_other_metrics_are_compared_in_their_own_unit(rng):
    """Also with a transformer that needs numbers."""
    X = rng.normal(size=(250, 4))
    y = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=250)
    given = {"one": [0], "two": [0, 1], "chosen": SelectKBest(f_regression, k=2)}
    found = compare_representations(given, y, X=X, metric="rmse")
    assert found.metric == "rmse"
    assert found.names[-1] == "one"
    assert found.word[-1] == "worse"
    assert found.error[0] == pytest.approx(0.3, abs=0.05)
    assert found.difference[-1] == pytest.approx(found.error[-1] - found.error[0])
    assert "RMSE 0.3" in found.text

    codes = (y > 0).astype(int)
    ranked = compare_representations({"one": X[:, :1], "two": X[:, :2]}, codes, metric="roc_auc")
    assert ranked.best_ == "two"
    assert f"AUC {1 - ranked.error[0]:.3f}" in ranked.text


def test_many_rows_are_drawn_from(rng):
    """The same for all."""
    X, y = two_classes(600, rng)
    with pytest.warns(SampledRowsWarning, match="of 600 rows"):
        found = compare_representations({"raw": X, "lda": LinearDiscriminantAnalysis()}, y, X=X, max_rows=200)
    assert found.n_rows == pytest.approx(200, abs=2)


def test_what_only_transformers_can_read_is_compared(rng):
    """Missing values are for the imputer; rows without a label are left out."""
    X, y = two_classes(120, rng)
    X[0, 0] = np.nan
    labels = y.astype(float)
    labels[3] = np.nan
    found = compare_representations({"filled": make_pipeline(SimpleImputer(), PCA(2))}, labels, X=pd.DataFrame(X))
    assert found.names == ("filled",)
    assert found.n_rows == 119


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y": None}, "y"),
        ({"y": [0] * 40}, "one class|1 class"),
        ({"y": [0, 1] * 19}, "40 rows, but expected 38"),
        ({"level": 2}, "level"),
        ({"effort": "much"}, "effort"),
        ({"metric": "odd"}, "metric"),
        ({"task": "odd"}, "task"),
        ({"max_rows": 0}, "max_rows"),
        ({"scale": "odd"}, "scale"),
        ({"groups": [1] * 40}, "group"),
    ],
)
def test_what_cannot_be_compared_is_refused(change, words):
    X = np.random.default_rng(0).normal(size=(40, 2))
    given = {"y": [0, 1] * 20, **change}
    with pytest.raises(ValueError, match=words):
        compare_representations({"raw": X}, given.pop("y"), **given)
