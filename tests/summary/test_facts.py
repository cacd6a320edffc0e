"""Facts: what was looked at, and a fingerprint that knows it again."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayesfloor
from bayesfloor import check
from bayesfloor.floor._fit import gap_length
from bayesfloor.io import open_data
from bayesfloor.summary import _facts

X = np.arange(12.0).reshape(4, 3) ** 2
Y = [0, 1, 0, 1]
SAME = {
    "list": lambda X: X.tolist(),
    "Fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "float32": lambda X: X.astype(np.float32),
    "int": lambda X: X.astype(int),
    "objects": lambda X: X.astype(object),
    "pandas": pd.DataFrame,
    "pandas with names": lambda X: pd.DataFrame(X, columns=list("abc"), index=[9, 8, 7, 6]),
    "pandas of ints": lambda X: pd.DataFrame(X.astype(int)),
    "pandas Float64": lambda X: pd.DataFrame(X).astype("Float64"),
    "pandas Int64": lambda X: pd.DataFrame(X.astype(int)).astype("Int64"),
    "polars": pl.DataFrame,
    "pyarrow": lambda X: pa.table({name: X[:, i] for i, name in enumerate("abc")}),
}


def fingerprint(X, y):
    return _facts.fingerprint(open_data(X, y))


LABELS = {
    "array": np.array,
    "floats": lambda y: np.array(y, dtype=float),
    "booleans": lambda y: np.array(y, dtype=bool),
    "objects": lambda y: np.array(y, dtype=object),
    "column": lambda y: np.array(y)[:, None],
    "pandas": pd.Series,
    "pandas Int64": lambda y: pd.Series(y, dtype="Int64"),
    "pandas category": lambda y: pd.Series(pd.Categorical(y)),
    "polars": pl.Series,
    "pyarrow": pa.array,
}


NAMES = {
    "array": np.array,
    "objects": lambda y: np.array(y, dtype=object),
    "pandas": pd.Series,
    "pandas category": lambda y: pd.Series(pd.Categorical(y)),
    "polars": pl.Series,
    "polars category": lambda y: pl.Series(y, dtype=pl.Categorical),
    "pyarrow": pa.array,
    "pyarrow dictionary": lambda y: pa.array(y).dictionary_encode(),
}


WORDS = ["cat", "dog", "cat", "ä"]


@pytest.mark.parametrize("kind", SAME)
def test_equal_values_have_one_fingerprint(kind):
    """Whatever holds them: the same data are known again tomorrow, read by another library."""
    assert fingerprint(SAME[kind](X), Y) == fingerprint(X, Y)


@pytest.mark.parametrize(("made", "y"), [*((of, Y) for of in LABELS.values()), *((of, WORDS) for of in NAMES.values())])
def test_equal_labels_have_one_fingerprint(made, y):
    """Numbers are numbers; texts and categories are the same names."""
    assert fingerprint(X, made(y)) == fingerprint(X, y)


def test_texts_among_features_have_one_fingerprint():
    """In every library, as text or as category."""
    frame = pd.DataFrame({"t": ["a", "b", "a", "ü"], "x": [1.0, 2, 3, 4]})
    others = [pl.from_pandas(frame), pa.Table.from_pandas(frame), frame.astype({"t": "category"})]

    assert {fingerprint(other, Y) for other in others} == {fingerprint(frame, Y)}


def test_one_value_or_one_label_makes_another_fingerprint():
    """Each of them, by as little as there is; identifiers have more digits than a float."""
    for i, j in np.ndindex(X.shape):
        other, labels = X.copy(), list(Y)
        other[i, j] = np.nextafter(other[i, j], np.inf)
        labels[i] = 1 - labels[i]

        assert fingerprint(other, Y) != fingerprint(X, Y)
        assert fingerprint(X, labels) != fingerprint(X, Y)
    assert fingerprint(X, [2**60, 2**60 + 1, 2**60, 2**60]) != fingerprint(X, [2**60, 2**60, 2**60, 2**60 + 1])


CHANGES = {
    "columns": lambda X: X[:, [1, 0, 2]],
    "rows": lambda X: X[[1, 0, 2, 3]],
    "fewer rows": lambda X: X[:3],
    "fewer columns": lambda X: X[:, :2],
    "shape": lambda X: X.reshape(3, 4),
    "transposed": lambda X: X.T.reshape(4, 3),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_other_arrangements_have_other_fingerprints(kind):
    """Two columns that swap are other data."""
    assert fingerprint(CHANGES[kind](X), Y) != fingerprint(X, Y)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (["ab", "c", "a", "b"], ["a", "bc", "a", "b"]),  # spelt alike from row to row
        ([0, 1, 0, 1], ["0", "1", "0", "1"]),  # a number is not its text
        (["a", "a", "b", "b"], ["a", "a\0", "b", "b"]),  # NumPy drops what it takes for padding
    ],
)
def test_values_that_look_alike_have_other_fingerprints(one, two):
    """Categories called 0 and 1 are as far apart as any; numbers are not."""
    assert fingerprint(pd.DataFrame({"t": one}), Y) != fingerprint(pd.DataFrame({"t": two}), Y)
    assert fingerprint(X, ["1:a", "b", "c", "d"]) != fingerprint(X, ["1:a1", ":b", "c", "d"])


def test_minus_zero_is_zero_and_odd_labels_have_fingerprints():
    """No distance tells zeros apart; half a character is none in UTF-8; votes are a matrix in any container."""
    assert fingerprint(-0.0 * X, Y) == fingerprint(0.0 * X, Y)

    votes = np.array([[1, 0], [0, 1], [1, 1], [2, 0]])

    assert len(fingerprint(X, ["\ud800", "b", "c", "d"])) == 40
    assert fingerprint(X, ["\ud800", "b", "c", "d"]) != fingerprint(X, ["\ud801", "b", "c", "d"])
    assert fingerprint(X, votes) == fingerprint(X, pd.DataFrame(votes)) == fingerprint(X, votes.tolist())
    assert fingerprint(X, votes) != fingerprint(X, votes[:, ::-1])


def test_facts_say_what_was_looked_at(gaussians):
    """For the report's first lines, and for who repeats it."""
    X, y = gaussians(0, [40, 41], d=3)
    facts = check(X, y, groups=np.arange(81) // 3, n_trees=2, random_state=5, name="mine", learners={}).facts

    assert (facts.name, facts.label, facts.n_rows, facts.n_used, facts.n_distinct) == ("mine", "", 81, 81, 81)
    assert (facts.n_features, facts.n_classes, facts.n_groups) == (3, 2, 27)
    assert (facts.n_trees, facts.random_state, facts.version) == (2, 5, bayesfloor.__version__)
    assert facts.fingerprint == fingerprint(X, y)
    assert facts.scale in facts.scale_rates
    assert facts.frame()["n_rows"].tolist() == [81]


def test_equal_rows_are_counted_once_and_a_scale_asked_for_has_no_rates(gaussians):
    """Distinct rows are what trees are grown of, and a group makes no row another one."""
    X, y = gaussians(0, [30, 30])
    given = np.vstack([X, X[:9]]), np.r_[y, y[:9]]
    facts = check(*given, scale="standard", learners={}).facts

    assert (facts.n_rows, facts.n_distinct) == (69, 60)
    assert (facts.scale, facts.scale_rates) == ("standard", {})
    assert check(*given, groups=np.arange(69) // 3, learners={}).facts.n_distinct == 60


def test_near_duplicates_are_a_clear_gap(made, rng):
    """Edges that are far shorter than the others, with hardly any between; a long tail is no gap."""
    usual = rng.uniform(0.5, 2, 900)

    assert 1e-6 < gap_length(np.r_[usual, np.full(100, 1e-6)]) < usual.min()
    assert 0.04 < gap_length(np.r_[usual, rng.uniform(0.01, 0.04, 100)]) < usual.min()
    assert gap_length(np.r_[usual, np.full(20, 1e-6)]) == 0
    assert gap_length(usual) == 0
    assert gap_length(np.empty(0)) == 0
    assert gap_length(rng.lognormal(0, 3, 1000)) == 0
    assert made("copies").facts.near_duplicates > 0.5
    assert made("iris").facts.near_duplicates == 0


@pytest.mark.slow
def test_rounded_values_are_no_tiny_fraction():
    """Equal rows have no length; the rest are a step apart."""
    points = np.random.default_rng(0).integers(0, 30, (200, 2)).astype(float)

    assert check(points, np.arange(200) % 2, learners={}).facts.near_duplicates == 0
