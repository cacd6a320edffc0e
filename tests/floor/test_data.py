"""What users bring: every kind of table and label, or an error that says what to do."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from bayesfloor import BayesFloor

N = 90


@pytest.fixture
def points(rng, gaussians):
    return gaussians(rng, [50, 40], d=3)


def rate(X, y, **options):
    return BayesFloor(interval="fast", **options).fit(X, y).overall_.cross_rate


def to_polars(X):
    pl = pytest.importorskip("polars")
    return pl.DataFrame(X, schema=["u", "v", "w"])


def test_the_input_stays_as_it_was_and_names_of_columns_are_kept(points):
    """Scaling in place would be felt far away; names are where scikit-learn has them."""
    X, y = points
    before = X.copy(), y.copy()
    BayesFloor(scale="standard").fit(X, y)

    assert np.array_equal(X, before[0])
    assert np.array_equal(y, before[1])

    floor = BayesFloor(interval="fast").fit(pd.DataFrame(X, columns=list("uvw")), y)

    assert floor.feature_names_in_.tolist() == ["u", "v", "w"]
    assert floor.n_features_in_ == 3


TEXTS = {
    "texts": lambda t: pd.DataFrame({"t": t.tolist()}),
    "objects": lambda t: pd.DataFrame({"t": pd.Series(t.tolist(), dtype=object)}),
    "string": lambda t: pd.DataFrame({"t": pd.Series(t.tolist(), dtype="string")}),
    "category": lambda t: pd.DataFrame({"t": pd.Categorical(t)}),
    "category of numbers": lambda t: pd.DataFrame({"t": pd.Categorical(np.unique(t, return_inverse=True)[1])}),
    "unused categories": lambda t: pd.DataFrame({"t": pd.Categorical(t, categories=[*np.unique(t), "never"])}),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_and_categories_are_one_apart(rng, kind):
    """A category is no quantity: any two are as far apart, and as far as two numbers 1 apart."""
    text = rng.choice(["red", "green", "blue"], N)
    y = (text == "red") ^ (rng.random(N) < 0.2)
    indicators = (text[:, None] == np.unique(text)) * np.sqrt(0.5)

    assert rate(TEXTS[kind](text), y) == pytest.approx(rate(indicators, y, scale=None))


def test_categories_are_left_alone_by_scaling_and_identifiers_are_left_out(rng):
    """Standardised, rare categories would be the farthest; a category per row makes all rows equally far apart."""
    n = 60
    frame = pd.DataFrame({"t": rng.choice(["a", "b"], n), "x": rng.normal(0, 100, n)})
    y = np.arange(n) % 2
    floor = BayesFloor(scale="standard").fit(frame, y)
    given = np.column_stack([(frame["t"] == "a") * np.sqrt(0.5), (frame["t"] == "b") * np.sqrt(0.5)])
    x = frame["x"].to_numpy()
    expected = BayesFloor(scale=None).fit(np.column_stack([given, (x - x.mean()) / x.std()]), y)

    assert floor.overall_.cross_rate == pytest.approx(expected.overall_.cross_rate)

    frame = pd.DataFrame({"id": [f"row {i}" for i in range(1001)], "x": rng.normal(size=1001)})

    assert rate(frame, np.arange(1001) % 2) == rate(frame[["x"]], np.arange(1001) % 2)


def test_switches_are_numbers_and_texts_are_told_apart_to_the_end(points):
    """True is 1 in any frame; what NumPy takes for padding is part of a text."""
    X, y = points
    plain = pd.DataFrame({"s": X[:, 0] > 0, "x": X[:, 1]})

    assert rate(plain, y) == rate(plain.astype(float).to_numpy(), y)
    assert rate(plain.astype({"s": "boolean"}), y) == rate(plain, y)

    _, y = points
    text = pd.DataFrame({"t": pd.Series(["a" if one else "a\0" for one in y == 1], dtype=object), "x": np.zeros(N)})

    assert rate(text, y) < 0.1


def bad(X, value):
    X = X.copy()
    X[3, 1] = value
    return X


PREPARED = {
    "NaN in pandas": lambda X: pd.DataFrame(bad(X, np.nan), columns=list("uvw")),
    "NaN in polars": lambda X: to_polars(bad(X, np.nan)),
    "missing Int64": lambda X: pd.DataFrame({"a": pd.array([None] + [1] * (N - 1), dtype="Int64"), "x": X[:, 0]}),
    "missing text": lambda X: pd.DataFrame({"a": [None] + ["u"] * (N - 1), "x": X[:, 0]}),
    "missing category": lambda X: pd.DataFrame({"a": pd.Categorical([None] + ["u"] * (N - 1)), "x": X[:, 0]}),
    "dates": lambda X: pd.DataFrame({"when": pd.date_range("2020", periods=N), "x": X[:, 0]}),
}


@pytest.mark.parametrize("kind", PREPARED)
def test_what_has_to_be_prepared_is_prepared_or_refused_as_asked(points, kind):
    """Whoever wants no guesses gets none."""
    X, y = points
    table = PREPARED[kind](X)

    assert 0 <= rate(table, y) <= 1
    with pytest.raises(ValueError, match=r"1 column that would have to be prepared"):
        BayesFloor(prepare="strict").fit(table, y)


def test_gaps_of_an_array_are_filled_or_refused_as_asked(points):
    """By the median, and a column says where."""
    X, y = points
    filled = np.column_stack([X, np.arange(N) == 3])
    filled[3, 1] = np.median(np.delete(X[:, 1], 3))
    floor = BayesFloor(scale=None).fit(bad(X, np.nan), y)

    assert floor.overall_.cross_rate == BayesFloor(scale=None).fit(filled[:, [0, 1, 3, 2]], y).overall_.cross_rate
    with pytest.raises(ValueError, match="contains NaN"):
        BayesFloor(prepare="strict").fit(bad(X, np.nan), y)


REFUSED = {
    "infinity": (lambda X: bad(X, np.inf), ValueError, r"contains infinity"),
    "infinity in pandas": (
        lambda X: pd.DataFrame(bad(X, np.inf), columns=list("uvw")),
        ValueError,
        r"v: infinite in 1 row",
    ),
    "no columns": (lambda _: pd.DataFrame(index=range(N)), ValueError, r"and no columns, but expected at least one"),
    "no features": (lambda _: np.empty((N, 0)), ValueError, r"0 feature\(s\)"),
    "1-D": (lambda X: X[:, 0], ValueError, r"Expected 2D array, got 1D array instead"),
    "texts in an array": (lambda _: np.full((N, 2), "a"), ValueError, r"expected numbers: .* Pass a data frame"),
    "complex": (lambda X: X + 1j, ValueError, r"Complex data not supported"),
    "infinity in a sparse matrix": (lambda X: sparse.csr_matrix(bad(X, np.inf)), ValueError, r"contains infinity"),
    "1-D sparse": (lambda X: sparse.coo_array(X[:, 0]), ValueError, r"Expected 2D array, got 1D array instead"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_measured_is_refused_with_advice(points, kind):
    """A silent guess here would be a wrong floor later."""
    X, y = points
    make, error, message = REFUSED[kind]

    with pytest.raises(error, match=message):
        rate(make(X), y)


@pytest.mark.parametrize("X", [np.empty((0, 3)), pd.DataFrame({"a": []}), np.ones((1, 3))])
def test_fewer_than_two_rows_are_refused(X):
    with pytest.raises(ValueError, match=r"[01] sample\(s\).*minimum of 2"):
        rate(X, np.zeros(len(X)))


MISSING = {
    "NaN": lambda y: np.r_[np.nan, y[1:]],
    "None": lambda y: np.array([None, *y[1:].astype(str)], dtype=object),
    "Int64": lambda y: pd.Series([None, *y[1:]], dtype="Int64"),
    "category": lambda y: pd.Series(pd.Categorical([None, *y[1:].astype(str)])),
}


@pytest.mark.parametrize("kind", MISSING)
def test_rows_without_a_label_are_left_out(points, kind):
    """A missing label is no class of its own unless the user says so."""
    X, y = points
    floor = BayesFloor().fit(X, MISSING[kind](y))

    assert floor.overall_.cross_rate == rate(X[1:], y[1:])
    assert floor.fitted_.sample.n_unlabelled == 1
    assert 0 not in floor.rows_


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: np.zeros(N), r"Got 1 class, but expected at least 2"),
        (lambda _: None, r"requires y to be passed, but the target y is None"),
        (lambda y: y[:-1], r"inconsistent numbers of samples"),
        (lambda y: y + np.linspace(0, 0.5, N), r"Unknown label type: continuous"),
    ],
)
def test_labels_that_name_no_classes_are_refused(points, change, message):
    """A regression's target or one class alone has no Bayes error."""
    X, y = points

    with pytest.raises(ValueError, match=message):
        rate(X, change(y))


def test_classes_of_one_row_are_kept_and_flagged(points):
    """Dropping them would change the problem; trusting them would be worse."""
    X, y = points
    floor = BayesFloor(interval="fast").fit(X, np.r_[7, y[1:]])

    assert floor.classes_.tolist() == [0, 1, 7]
    assert floor.one_vs_rest_.few.tolist() == [False, False, True]
    assert floor.one_vs_rest_.sizes.tolist() == [49, 40, 1]


def test_one_hot_labels_are_hard_labels_and_a_column_is_taken_with_a_warning(points):
    """Two ways to write the same thing, and scikit-learn's words for the third."""
    X, y = points
    hard, soft = BayesFloor().fit(X, y), BayesFloor().fit(X, np.eye(2)[y])

    for name in ("overall_", "pairwise_", "one_vs_rest_", "samples_"):
        assert getattr(hard, name).to_dict() == getattr(soft, name).to_dict(), name

    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        given = rate(X, y[:, None])

    assert given == rate(X, y)


def test_votes_count_as_repeated_rows(rng, points):
    """Three annotators are three labels at one place."""
    X, _ = points
    votes = rng.integers(0, 3, (N, 3))
    votes[np.arange(N), rng.integers(0, 3, N)] += 1
    row, code = np.nonzero(votes)
    times = votes[row, code]
    voted = BayesFloor(scale=None).fit(X, votes)
    repeated = BayesFloor(scale=None).fit(np.repeat(X[row], times, axis=0), np.repeat(code, times))

    assert voted.overall_.cross_rate == repeated.overall_.cross_rate
    assert voted.overall_.conflict == repeated.overall_.conflict
    assert np.array_equal(voted.pairwise_.cross, repeated.pairwise_.cross)
    assert np.array_equal(voted.one_vs_rest_.class_rate, repeated.one_vs_rest_.class_rate)
    assert np.array_equal(voted.samples_.row, np.repeat(np.arange(N), votes.sum(axis=1)))
    assert np.array_equal(voted.rows_, np.arange(N))


def test_columns_of_votes_name_the_classes(rng, points):
    """A table of votes has them in its head."""
    X, _ = points
    votes = pd.DataFrame(1 + rng.integers(0, 3, (N, 2)), columns=["cat", "dog"])

    assert BayesFloor(interval="fast").fit(X, votes).classes_.tolist() == ["cat", "dog"]


def test_probabilities_give_every_result(points):
    """A labelling model's doubts are data; here some rows are equal, too."""
    X, _ = points
    X = np.vstack([X, X[:5]])
    p = 1 / (1 + np.exp(-X[:, 0]))
    floor = BayesFloor(interval="fast").fit(X, np.column_stack([p, 1 - p]))

    assert 0 < floor.overall_.lower <= floor.overall_.estimate <= floor.overall_.upper < 0.5
    assert floor.pairwise_.cross[0, 1] == pytest.approx(floor.overall_.cross_rate * (N + 4))
    assert floor.one_vs_rest_.sizes == pytest.approx([p.sum(), (1 - p).sum()])
    assert floor.soft_confusion_.sum() == pytest.approx(1)
    assert np.array_equal(floor.samples_.row, np.arange(N + 5))
    assert np.array_equal(floor.samples_.label, (p < 0.5).astype(int))
    assert floor.relabel((p < 0.5).astype(int)).overall_.cross_rate < floor.overall_.cross_rate


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v - 5, r"Got negative or missing numbers in y, but expected votes or probabilities"),
        (lambda v: v * np.nan, r"Got negative or missing numbers in y"),
        (lambda v: v * 0.3, r"rows add up to .* but expected probabilities .* or votes"),
        (lambda v: v * (np.arange(N) > 0)[:, None], r"but expected probabilities .* or votes .* at least one per row"),
        (lambda v: np.c_[v, np.zeros(N)], r"Got no vote for class .*, but expected at least one in every column"),
        (lambda v: v[:-1], r"Got y with 89 rows and X with 90, but expected the same number"),
    ],
)
def test_votes_that_make_no_sense_are_refused(rng, points, change, message):
    """Percentages and half votes are the usual slips."""
    X, _ = points
    votes = 1.0 + rng.integers(0, 3, (N, 2))

    with pytest.raises(ValueError, match=message):
        rate(X, change(votes))


ALIKE = {
    "a number and its text": [1, "1"],
    "a number with a point and its text": [1.0, "1.0"],
    "a switch and a number": [True, 1],
    "a switch and no": [False, 0],
    "a switch of NumPy and a number": [np.True_, 1],
    "a switch and its text": [True, "True"],
    "an end that cannot be seen": ["a", "a\0"],
    "nothing and what cannot be seen": ["", "\0"],
    "numbers beyond a float": [2**53, 2**53 + 1, 0.5],
}


@pytest.mark.parametrize("holder", ["array", "list", "pandas"])
@pytest.mark.parametrize("kind", ALIKE)
def test_labels_that_would_become_one_are_refused_never_merged(points, kind, holder):
    """NumPy turns them into one class without a word, and the floor of another problem comes out."""
    X, y = points
    given = ALIKE[kind]
    labels = [given[k % len(given)] for k in range(len(y))]
    if holder == "array":
        labels = np.fromiter(labels, dtype=object, count=len(labels))
    if holder == "pandas":
        labels = pd.Series(labels, dtype=object)
    try:
        floor = BayesFloor(interval="fast").fit(X, labels)
    except ValueError as error:
        assert "Got labels that differ only in type" in str(error)  # noqa: PT017 - refused or told apart
    else:
        assert len(floor.classes_) == len(given)


@pytest.mark.parametrize("names", [[1, "1"], ["a", "a\0"], [True, 1]])
def test_columns_of_votes_that_would_become_one_are_refused(rng, points, names):
    """Two columns are two classes."""
    X, _ = points
    votes = pd.DataFrame(1 + rng.integers(0, 3, (N, 2)))
    votes.columns = pd.Index(names, dtype=object)
    try:
        floor = BayesFloor(interval="fast").fit(X, votes)
    except ValueError as error:
        assert "Got" in str(error)  # noqa: PT017 - refused or told apart
    else:
        assert len(set(floor.classes_.tolist())) == 2


@pytest.mark.parametrize("labels", [["a", "b "], ["1", "01"], [-1, 1], ["A", "a"], ["\u00e9", "e\u0301"]])
def test_labels_that_differ_are_told_apart(points, labels):
    X, y = points
    given = np.fromiter((labels[k] for k in y), dtype=object, count=len(y))

    assert len(BayesFloor(interval="fast").fit(X, given).classes_) == 2


@pytest.mark.parametrize("labels", [[1, 1.0], [np.int64(1), 1], [np.str_("a"), "a"]])
def test_labels_that_are_equal_are_one_class(points, labels):
    """1 and 1.0 are one number."""
    X, _ = points
    given = np.fromiter(
        ([*labels, *([0] if labels[0] == 1 else ["b"])][k % 3] for k in range(N)), dtype=object, count=N
    )

    assert len(BayesFloor(interval="fast").fit(X, given).classes_) == 2
