"""Rows that are copies of others, exact or changed, and honest rows that only look so."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import bayesfloor
from bayesfloor.answer._related_rows import COPIES, SYNTHETIC, UNDECIDED, find_related

N = 250


@pytest.fixture
def rng(global_random_seed):
    """A generator of its own for each seed."""
    return np.random.default_rng([global_random_seed, 7])


def copied(rng, n_copies=3, n_columns=8):
    """Return coin flips for labels, and every row several times, shuffled."""
    row = rng.permutation(np.repeat(np.arange(N), n_copies))
    return rng.normal(size=(N, n_columns))[row], rng.integers(0, 2, N)[row]


def redrawn(X, rng, column=0):
    """Return rows with one column drawn anew."""
    return np.column_stack([np.delete(X, column, axis=1), rng.normal(size=len(X))])


CHANGES = {
    "not at all": lambda X, _: X,
    "one column drawn anew": redrawn,
    "two columns drawn anew": lambda X, rng: redrawn(redrawn(X, rng), rng),
    "one more column": lambda X, rng: np.column_stack([X, rng.normal(size=len(X))]),
    "a little": lambda X, rng: X + 1e-6 * rng.normal(size=X.shape),
    "clearly": lambda X, rng: X + 0.2 * rng.normal(size=X.shape),
    "categories": lambda X, rng: (
        pd.DataFrame(np.round(X[:, :5] * 2)).astype(str).assign(paid=rng.lognormal(size=len(X)))
    ),
}


@pytest.mark.parametrize("n_copies", [2, 3, 6])
@pytest.mark.parametrize("change", CHANGES)
def test_copies_are_found_however_they_were_changed(change, n_copies, rng, as_table):
    """With coin flips for labels, a copy among training rows is all that a model can recognise."""
    X, y = copied(rng, n_copies)
    found = find_related(as_table(CHANGES[change](X, rng), y), 0)

    assert found.kind == COPIES
    assert found.agree > found.others_agree + 0.2
    assert 0.8 * N < len(np.unique(found.kin)) < 1.3 * N


def test_copies_of_sparse_and_of_wide_rows_are_found(rng, as_table):
    """Wide data are reduced to fewer columns, which keep equal rows equal."""
    X, y = copied(rng, 3, 400)

    for values in (X, csr_array(X * (np.abs(X) > 1.5))):
        assert find_related(as_table(values, y), 0).kind == COPIES


def test_copies_of_texts_with_a_word_changed_are_found(rng, as_table):
    """Texts are compared by their words."""
    words = np.array(["".join(rng.choice(list("abcdefgh"), 6)) for _ in range(300)])
    row = rng.permutation(np.repeat(np.arange(N), 3))
    texts = words[rng.integers(0, 300, (N, 12))][row]
    texts[np.arange(len(row)), rng.integers(0, 12, len(row))] = words[rng.integers(0, 300, len(row))]
    table = pd.DataFrame({"text": [" ".join(each) for each in texts]})

    assert find_related(as_table(table, rng.integers(0, 2, N)[row]), 0).kind == COPIES


def small_table(rng, rows):
    """Return rows of all combinations of three columns, with one label for each combination."""
    every = np.array([[a, b, c] for a in range(4) for b in range(4) for c in range(5)])
    return every[rows], rng.integers(0, 2, len(every))[rows]


def test_even_counts_are_copies_and_uneven_ones_could_be_cases(rng, as_table):
    """In a small table most combinations occur: only counts can tell, and an exact rule looks like copies."""
    even, uneven = rng.permutation(np.repeat(np.arange(80), 8)), rng.integers(0, 80, 640)

    assert find_related(as_table(*small_table(rng, even)), 0).kind == COPIES
    assert find_related(as_table(*small_table(rng, uneven)), 0).kind == UNDECIDED


def test_rows_between_others_are_synthetic(rng, as_table):
    """SMOTE draws rows on the lines between rows of a class."""
    X, y = rng.normal(size=(600, 6)), (rng.random(600) < 0.2).astype(int)
    rare = X[y == 1]
    one, two = rng.integers(0, len(rare), (2, 300))
    made = rare[one] + rng.random((300, 1)) * (rare[two] - rare[one])

    assert find_related(as_table(np.vstack([X, made]), np.append(y, np.ones(300, dtype=int))), 0).kind == SYNTHETIC


HONEST = {
    "Gaussians": lambda rng: rng.normal(size=(900, 8)),
    "heavy tails": lambda rng: np.exp(1.5 * rng.normal(size=(900, 6))),
    "whole numbers": lambda rng: rng.poisson(3, (900, 5)).astype(float),
    "survey": lambda rng: rng.integers(1, 6, (900, 6)).astype(float),
    "blobs": lambda rng: 5 * rng.normal(size=(9, 6))[rng.integers(0, 9, 900)] + rng.normal(size=(900, 6)),
}


@pytest.mark.parametrize("kind", HONEST)
def test_independent_rows_are_cases(kind, rng, as_table):
    """Equal rows by chance, heavy tails and clusters are no copies."""
    X = HONEST[kind](rng)
    score = X @ rng.normal(size=X.shape[1]) + X.std() * rng.normal(size=len(X))
    y = (score > np.median(score)).astype(int)

    assert find_related(as_table(X, y), 0) is None


def test_copies_with_labels_of_their_own_are_harmless(rng, as_table):
    """If labels are drawn for each version anew, a near-duplicate gives nothing away."""
    X = np.repeat(rng.normal(size=(300, 6)), 4, axis=0) + 0.02 * rng.normal(size=(1200, 6))

    assert find_related(as_table(X, (X[:, 0] + rng.normal(size=1200) > 0).astype(int)), 0) is None


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_real_data_without_copies_are_cases(load, as_table):
    """Measurements of flowers, wines and cells."""
    assert find_related(as_table(*load(return_X_y=True)), 0) is None


def test_the_verdict_allows_for_both_until_someone_says_which(rng):
    """If nobody can know, an answer for one of the two would be wrong half of the time."""
    X, y = small_table(rng, rng.integers(0, 80, 640))
    unsure, cases, copies = (
        bayesfloor.check(X, y, 0.9, effort="quick", duplicates=each) for each in (None, "cases", "copies")
    )

    assert unsure.outcome == "cannot say"
    assert {"BF118"} <= {finding.code for finding in unsure.findings}
    assert cases.outcome == "reachable"
    assert copies.outcome != "reachable"
    assert unsure.answer.upper == pytest.approx(max(cases.answer.upper, copies.answer.upper), abs=0.1)
    assert bayesfloor.Check.from_json(unsure.to_json()).answer.as_cases == unsure.answer.as_cases


def test_copies_of_coin_flips_promise_nothing(rng):
    """No model can predict a coin: not the answer, and not the p-value of the trees."""
    found = bayesfloor.check(*copied(rng, 5), 0.9, effort="quick")

    assert found.outcome != "reachable"
    assert found.answer.upper > 0.4
    assert found.overall.p_value > 0.001
    assert found.dependence.kind == "duplicates"
