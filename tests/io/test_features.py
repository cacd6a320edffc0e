"""Sparse, very wide and higher-dimensional input: small is the same as dense, wide is reduced and that is said."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB

from bayesfloor import BayesFloor, Check, check
from bayesfloor.io import open_data
from bayesfloor.io._data import WIDE, recognise
from bayesfloor.io._features import read_any

pytestmark = pytest.mark.usefixtures("linear_alone")
FORMATS = [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix, sparse.lil_matrix]


def words(n, d, seed=0, spread=0.7):
    """Counts of words, the frequent ones telling of two classes; labels; and the Bayes error, as the rows show it."""
    rng = np.random.default_rng(seed)
    often = 60 / np.arange(1, d + 1) ** 0.9 / np.sum(1 / np.arange(1, d + 1) ** 0.9)
    tilt = np.where(np.arange(d) < 400, rng.choice([-1, 0, 1], d), 0) * spread / 2
    rates, y = often * np.exp([-tilt, tilt]), rng.integers(2, size=n)
    X = np.vstack([rng.poisson(rates[code]) for code in y]).astype(float)
    odds = 2 * X @ tilt - (rates[1] - rates[0]).sum()
    return sparse.csr_array(X), y, float(np.mean(1 / (1 + np.exp(np.abs(odds)))))


@pytest.fixture(scope="module")
def small():
    return words(200, 40)


@pytest.fixture(scope="module")
def wide():
    return words(240, 2100)


def told(found):
    """All that a check says."""
    return json.loads(found.to_json())


@pytest.fixture(scope="module")
def plain(small):
    X, y, _ = small
    return check(X.toarray(), y, effort="quick")


@pytest.mark.parametrize("kind", FORMATS)
def test_a_small_sparse_matrix_gives_the_answer_of_the_array(small, plain, kind):
    """To the last digit, whatever the format, and nothing is prepared."""
    X, y, _ = small
    found = check(kind(X), y, effort="quick")

    assert told(found) == told(plain)
    assert not found.prepared


def test_a_small_sparse_matrix_with_gaps_is_filled_as_an_array(small):
    """Gaps have one rule."""
    X, y, _ = small
    holes = X.copy()
    holes.data[:3] = np.nan

    one, two = (BayesFloor().fit(values, y).fitted_.points for values in (holes, holes.toarray()))
    np.testing.assert_array_equal(one, two)


@pytest.mark.slow
def test_a_frame_of_sparse_columns_gives_the_answer_of_a_plain_one(small):
    """Pandas can hold columns either way."""
    X, y, _ = small
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(X), columns=[f"w{j}" for j in range(X.shape[1])])

    assert told(check(frame, y, effort="quick")) == told(check(frame.sparse.to_dense(), y, effort="quick"))


@pytest.fixture(scope="module")
def found(wide):
    X, y, _ = wide
    return check(X, y, effort="quick")


def test_wide_input_is_reduced_and_that_is_said(found):
    """In one line, in the text, and in JSON, which reads back."""
    line = "Prepared: 2,100 columns reduced to 100 components (linear models use all columns)"

    assert str(found.prepared) == line
    assert line in repr(found)
    (column,) = found.prepared.columns
    assert (column.role, column.width, column.lossy) == ("wide", 100, True)
    assert Check.from_json(found.to_json()).prepared == found.prepared
    assert found.facts.n_features == 2100


@pytest.mark.parametrize("kind", [sparse.csc_array, sparse.coo_matrix, lambda X: X.toarray()])
def test_whatever_holds_wide_input_the_answer_is_the_same(wide, found, kind):
    """Only the fingerprint of a large sparse matrix is its own."""
    X, y, _ = wide
    one, two = told(check(kind(X), y, effort="quick")), told(found)

    for each in (one, two):
        del each["facts"]["fingerprint"]
    assert one == two


def test_the_order_of_rows_does_not_matter(wide):
    """Components are found from rows in an order of their own."""
    X, y, _ = wide
    order = np.random.default_rng(1).permutation(len(y))

    one, two = BayesFloor().fit(X, y), BayesFloor().fit(X[order], y[order])
    np.testing.assert_array_equal(one.fitted_.points, two.fitted_.points)
    assert one.answer("quick").errors == two.answer("quick").errors


def test_stored_zeros_and_repeated_entries_do_not_matter(wide):
    """They are ways to write the same matrix."""
    X, y, _ = wide
    coo = X.tocoo()
    data, place = (
        np.concatenate([coo.data / 2, coo.data / 2, [0.0, -0.0]]),
        np.hstack([coo.coords, coo.coords, np.zeros((2, 2))]),
    )
    other = sparse.coo_array((data, tuple(place.astype(int))), shape=X.shape)

    one, two = (BayesFloor().fit(values, y).fitted_.points for values in (other, X))
    np.testing.assert_array_equal(one, two)


def test_equal_rows_are_counted_on_exact_values(wide):
    """Rows that differ in one rare word are not duplicates; copies are."""
    X, y, _ = wide
    dense = X.toarray()
    near = dense[:50].copy()
    near[:, -1] += 1e-9
    both = sparse.csr_array(np.vstack([dense, dense[:30], near]))

    found = check(both, np.concatenate([y, y[:30], y[:50]]), effort="quick")
    assert found.facts.n_distinct == len(np.unique(np.vstack([dense, near]), axis=0))


def test_wide_dense_values_are_reduced_too():
    """Such as genes: more columns than rows, hardly a zero."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    X = 1000 + rng.normal(size=(300, 2500)) * np.geomspace(1, 1e6, 2500) * (1 + 0 * y[:, None])
    X[:, :200] += 0.8 * y[:, None] * np.geomspace(1, 1e6, 2500)[:200]

    found = check(X, y, effort="quick")
    assert found.prepared.columns[0].width == 100
    assert found.answer.errors["linear"] < 0.05


def test_up_to_the_limit_nothing_is_reduced():
    """All learners see all columns."""
    X = np.random.default_rng(0).normal(size=(30, WIDE + 1))

    assert read_any(recognise(X[:, :-1])).exact is None
    assert read_any(recognise(X)).exact is not None


@pytest.mark.slow
def test_wide_tables_are_prepared_and_then_reduced():
    """Columns that were filled are still listed."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2100))).add_prefix("gene ")
    whole = read_any(recognise(frame))
    frame.iloc[3, 5] = np.nan
    found = check(frame, np.arange(60) % 2, effort="quick")

    assert [column.role for column in whole.prepared] == ["wide"]
    assert str(found.prepared).startswith(
        "Prepared: missing values filled in gene 5; 2,101 columns reduced to 59 components"
    )
    assert found.facts.n_features == 2100


def test_what_a_transformer_makes_may_be_sparse_and_wide():
    """Texts to word counts, by the user's own vectorizer."""
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{number}" for number in rng.integers(3000, size=30)) for _ in range(120)]

    counts = make_column_transformer((CountVectorizer(), "text"))
    found = check(pd.DataFrame({"text": texts}), np.arange(120) % 2, prepare=counts, effort="quick")
    assert found.prepared.columns[-1].role == "wide"


@pytest.mark.parametrize(("value", "message"), [(np.nan, r"1 missing values"), (np.inf, r"1 infinite values")])
def test_wide_sparse_input_without_numbers_is_refused(wide, value, message):
    """With what to type."""
    X, y, _ = wide
    holes = X.copy()
    holes.data[0] = value

    with pytest.raises(ValueError, match=rf"Got {message}.*nan_to_num"):
        check(holes, y)
    with pytest.raises(ValueError, match="Got roles for a large sparse matrix"):
        check(X, y, roles={"x0": "category"})


def test_a_matrix_without_values_is_taken():
    """Nothing can be learned from it, and nothing fails."""
    found = check(sparse.csr_array((80, 5000)), np.arange(80) % 2, effort="quick")

    assert found.answer.upper == 0.5


def test_learners_of_the_user_see_exact_values_if_they_can(wide):
    """Naive Bayes of counts takes sparse matrices and no negative numbers; that of gaussians takes components."""
    X, y, _ = wide
    found = check(X, y, learners={"counts": MultinomialNB(), "gaussians": GaussianNB()}, effort="quick")

    assert {"counts", "gaussians"} <= set(found.answer.errors)


@pytest.mark.slow
def test_the_range_holds_the_truth_of_word_counts():
    """The best learner is as good as logistic regression on the sparse matrix."""
    X, y, truth = words(2500, 6000, spread=0.4)
    found = check(X, y)
    logistic = 1 - cross_val_score(LogisticRegression(max_iter=500), X, y, cv=5).mean()

    assert not found.answer.lower > truth
    assert truth <= found.answer.upper
    assert min(found.answer.errors.values()) < logistic + 0.02


@pytest.mark.parametrize("shape", [(8, 8), (4, 4, 4)])
def test_pictures_are_laid_flat_and_that_is_said(shape):
    """The answer is that of the flat array."""
    y = np.arange(80) % 2
    X = np.random.default_rng(0).normal(size=(80, 64)) + y[:, None] / 3
    found, plain = check(X.reshape(80, *shape), y, effort="quick"), check(X, y, effort="quick")

    assert str(found.prepared) == f"Prepared: flattened {' x '.join(map(str, shape))} numbers per row"
    one, two = told(found), told(plain)
    del one["prepared"], two["prepared"]
    assert one == two
    assert Check.from_json(found.to_json()).prepared == found.prepared


def test_pictures_in_a_file_are_laid_flat_and_that_is_said(tmp_path):
    """The same note as for an array."""
    np.savez(tmp_path / "pictures.npz", X=np.arange(96.0).reshape(6, 4, 4), y=np.arange(6) % 2)
    np.save(tmp_path / "pictures.npy", np.arange(96.0).reshape(6, 4, 4))

    for found in (open_data(tmp_path / "pictures.npz"), open_data(tmp_path / "pictures.npy", np.arange(6) % 2)):
        assert found.X.shape == (6, 16)
        assert found.notes == ("flattened 4 x 4 numbers per row",)
