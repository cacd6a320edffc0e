"""y as numbers: when it is, how it is read from any source, and what is refused."""

import json
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as any_array

from bayesfloor import BayesFloor
from bayesfloor.decide import gap
from bayesfloor.io import InputError, _find_file, open_data
from bayesfloor.io._numbers import read_numbers, task_of, tenths

N = 300
QUARTERS = np.arange(N) % 40 / 4
MILES = 1000 * (np.arange(N) % 150)


@pytest.fixture(name="X")
def rows(rng):
    return rng.normal(size=(N, 2))


def first_missing(values):
    return [None, *values[1:]]


# The decision


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (QUARTERS, "numbers"),
        (np.arange(N) % 21 / 8, "numbers"),
        (np.arange(N) % 20 / 8, "classes"),
        (MILES, "numbers"),
        (MILES.astype(np.float32), "numbers"),
        (MILES % 101_000, "numbers"),
        (MILES % 100_000, "classes"),
        (np.arange(N), "classes"),  # without gaps: names of products, or row numbers
        (np.repeat(MILES, 20), "classes"),  # enough rows of each
        ([Decimal(int(i)) / 4 for i in range(N)], "numbers"),
        (first_missing(QUARTERS.tolist()), "numbers"),
        (QUARTERS.astype(str), "classes"),
        (QUARTERS.astype(str).tolist(), "classes"),
        (np.datetime64("2020-01-01") + MILES, "classes"),
        (MILES.astype("timedelta64[s]"), "classes"),
        (MILES > 9000, "classes"),
        ([None] * N, "classes"),
        (QUARTERS + 1j, "classes"),
        (np.full((N, 3), 1 / 3), "classes"),
        (np.column_stack([QUARTERS, QUARTERS]), "classes"),
        (QUARTERS[:, None], "numbers"),
    ],
)
def test_many_fractions_or_very_many_whole_numbers_with_gaps_are_numbers(X, y, task):
    """Anything else, such as ratings, ages in years and votes, stays classes, and as it was passed."""
    data = open_data(np.resize(X, (len(y), 2)), y, task="auto")

    assert task_of(y) == data.task == task
    assert data.task_guessed
    if task == "numbers":
        assert data.y.dtype == np.float64
        assert data.y.shape == (N,)
    else:
        assert data.y is y


def test_without_a_task_nothing_is_decided(X):
    """Estimators of classes see what was passed, and refuse it as before."""
    data = open_data(X, QUARTERS)

    assert (data.task, data.task_guessed) == ("classes", False)
    assert data.y is QUARTERS
    with pytest.raises(InputError, match="task='regression', but expected one of 'auto', 'classes', 'numbers'"):
        open_data(X, QUARTERS, task="regression")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", None])
def test_whole_numbers_that_were_guessed_to_be_classes_are_not_refused_later(name, X, write_as):
    """Fifty grades in steps of ten have gaps and few rows each, which looks like regression to others."""
    y = np.sort(10 * (np.arange(N) % 50))
    source = pd.DataFrame(X, columns=["u", "v"]).assign(label=y)
    if name:
        source = write_as(name, pa.table(source))
    data = open_data(source, "label", task="auto")
    floor = BayesFloor(interval="fast", scale=None).fit(data)

    assert (data.task, data.y.tolist()) == ("classes", y.tolist())
    assert floor.classes_.tolist() == [10 * i for i in range(50)]
    assert gap(floor, y, np.roll(y, 1)).sizes.tolist() == [6] * 50
    with pytest.raises(InputError, match="looks like regression"):
        open_data(source, "label") if name else BayesFloor().fit(source, "label")


# The ways out, which errors name

CLASSES, NUMBERS = (f'pass task="{task}" or --task {task}' for task in ("classes", "numbers"))


def test_errors_about_quantities_say_how_to_get_numbers(X, write_as, message):
    """Some numbers look like classes or ids, and some classes have too few rows."""
    for y in (QUARTERS, np.arange(N) % 9 / 4, np.arange(N), np.repeat(10 * np.arange(30), 10)):
        with pytest.raises(InputError, match=NUMBERS):
            BayesFloor().fit(X, y)
    with pytest.raises(InputError, match=rf"Got 50 different labels in 60 rows.*{NUMBERS}"):
        BayesFloor().fit(open_data(X[:60], 10 * (np.arange(60) % 50), task="auto"))
    for y in (QUARTERS, np.arange(N), MILES):
        assert NUMBERS in message(write_as("a.csv", pa.table({"u": X[:, 0], "label": y})))


def test_errors_about_other_labels_do_not(X, write_as, message):
    """Text and dates are no numbers."""
    days = np.datetime64("2020-01-01") + np.arange(N)
    with pytest.raises(InputError, match="Got 300 different labels") as caught:
        BayesFloor().fit(X, days)
    assert "--task" not in str(caught.value)
    assert "--task" not in message(write_as("a.parquet", pa.table({"u": X[:, 0], "label": days.astype(str)})))


@pytest.mark.parametrize(
    ("y", "found", "advice"),
    [
        (["cat", "dog", 1.5] * 100, "'cat' in y", CLASSES),
        (np.array(["1.5", "2.5x", "?"] * 100), "'2.5x' in y", CLASSES),
        (["1,234.5", "1.234,5", "2"] * 100, "numbers in several formats in y", CLASSES),
        (MILES > 9000, "booleans in y", CLASSES),
        ((np.datetime64("2020-01-01") + MILES).tolist(), "dates in y", CLASSES),
        (MILES.astype("timedelta64[s]"), "durations in y", CLASSES),
        (QUARTERS + 1j, "complex numbers in y", CLASSES),
        (np.full((N, 3), 1 / 3), "y of shape (300, 3)", CLASSES),
        (np.where(QUARTERS > 5, np.inf, QUARTERS), "infinite numbers in y", "drop or correct these rows"),
        (np.full(N, 7), "1 different number in y", "nothing to predict"),
        ([None] * N, "0 different numbers in y", "nothing to predict"),
    ],
)
def test_what_is_no_number_is_refused_in_one_sentence(X, y, found, advice):
    """It says what came, what was expected and what to do."""
    with pytest.raises(InputError) as caught:
        open_data(X, y, task="numbers")
    text = str(caught.value)

    assert text.startswith(f"Got {found}, but expected ")
    assert advice in text
    assert text.isprintable()
    assert text.replace("2.5x", "").count(". ") == 0


def test_a_column_of_a_file_that_is_no_number_is_refused_by_name(write_as, message):
    """The same words, with the name of the column."""
    table = {
        "u": range(4),
        "kind": ["cat", "dog", "cat", "cow"],
        "flag": [True, False] * 2,
        "one": [1.0, 1.0, 1.0, None],
    }
    table |= {"far": [1.5, 2.5, np.inf, 3.5]}
    path = write_as("a.parquet", pa.table(table))

    assert message(path, "kind", task="numbers") == (
        f"Got 'cat' in column 'kind', but expected one number per row: correct or drop these rows, or {CLASSES}."
    )
    assert message(path, "flag", task="numbers").startswith("Got booleans in column 'flag', but expected one number")
    assert message(path, "one", task="numbers") == (
        "Got 1 different number in column 'one', but expected at least 2: there is nothing to predict."
    )
    assert message(path, "far", task="numbers").startswith("Got infinite numbers in column 'far'")


def test_each_row_needs_a_number_or_a_gap(X):
    """A column of another length belongs to another table."""
    with pytest.raises(InputError, match="y has 299 values, but there are 300 rows of features"):
        open_data(X, QUARTERS[1:], task="auto")


# The same numbers from any source

GAPPED = np.where(np.arange(N) == 0, np.nan, QUARTERS)
CONTAINERS = {
    "array": lambda: GAPPED,
    "big endian": lambda: GAPPED.astype(">f4"),
    "column": lambda: GAPPED[:, None],
    "masked": lambda: np.ma.array(QUARTERS, mask=np.isnan(GAPPED)),
    "list": lambda: first_missing(QUARTERS.tolist()),
    "list of decimals": lambda: first_missing([Decimal(int(4 * value)) / 4 for value in QUARTERS]),
    "objects": lambda: np.array(first_missing(QUARTERS.tolist()), dtype=object),
    "text": lambda: np.array(first_missing(QUARTERS.astype(str).tolist()), dtype=object),
    "text with words for gaps": lambda: ["n/a", *QUARTERS.astype(str)[1:].tolist()],
    "pandas": lambda: pd.Series(GAPPED),
    "pandas nullable": lambda: pd.Series(first_missing(QUARTERS.tolist()), dtype="Float64"),
    "pandas Arrow": lambda: pd.Series(first_missing(QUARTERS.tolist()), dtype="double[pyarrow]"),
    "pandas frame": lambda: pd.DataFrame({"y": GAPPED}),
    "polars": lambda: pl.Series(first_missing(QUARTERS.tolist())),
    "polars decimals": lambda: pl.Series(first_missing(QUARTERS.tolist())).cast(pl.Decimal(10, 2)),
    "pyarrow": lambda: pa.chunked_array([first_missing(QUARTERS.tolist())]),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_any_container_gives_floats_with_gaps(X, container):
    """Missing numbers are NaN, whatever they were."""
    y = CONTAINERS[container]()
    data = open_data(X, y, task="numbers")

    assert data.y.dtype == np.dtype(np.float64)
    assert np.array_equal(data.y, GAPPED, equal_nan=True)
    if "text" not in container:
        assert np.array_equal(open_data(X, y, task="auto").y, GAPPED, equal_nan=True)


def test_whole_numbers_with_gaps_are_floats(X):
    """Nullable integers are objects to NumPy."""
    y = pd.Series(first_missing(MILES.tolist()), dtype="Int64")

    assert np.array_equal(open_data(X, y, task="auto").y[1:], MILES[1:])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_frames_are_read_by_name(X, library):
    """Predictions too."""
    table = pa.table({"u": X[:, 0], "y": first_missing(QUARTERS.tolist()), "model": MILES})
    frame = {"pandas": pa.Table.to_pandas, "polars": pl.from_arrow, "pyarrow": lambda table: table}[library](table)
    data = open_data(frame, "y", predictions="model", task="auto")

    assert data.task == "numbers"
    assert np.array_equal(data.y, GAPPED, equal_nan=True)
    assert (data.predictions.dtype, data.predictions.tolist()) == (np.float64, MILES.tolist())
    assert list(data.X.columns) == ["u"]


def texts(form):
    return ["", *(form(value) for value in QUARTERS[1:])]


COLUMNS = {
    "a.csv": texts("{:.2f}".format),
    "whole.csv": texts("{:g}".format),
    "money.csv": texts("${:.2f}".format),
    "gap.csv": ["?", *texts("{:.2f}".format)[1:]],
    "comma.csv": texts(lambda value: f"{value:.2f}".replace(".", ",")),
    "a.csv.gz": texts("{:.2f}".format),
    "a.parquet": pa.array(first_missing(QUARTERS.tolist())),
    "single.parquet": pa.array(GAPPED.astype(np.float32)),
    "decimal.parquet": pa.array(first_missing(QUARTERS.tolist())).cast(pa.decimal128(10, 2)),
    "a.feather": pa.array(first_missing(QUARTERS.tolist())),
    "a.arrow": pa.array(first_missing(QUARTERS.tolist())),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_any_file_gives_floats_with_gaps(X, write_as, name):
    """Text of a CSV is numbers if all of it is, with decimal commas and signs of money too."""
    table = pa.table({"u": X[:, 0], "price": COLUMNS[name], "flag": ["a", "b"] * (N // 2)})
    path = write_as(name, table)

    for task in ("auto", "numbers"):
        data = open_data(path, "price", task=task)
        assert (data.task, data.task_guessed, data.label) == ("numbers", task == "auto", "price")
        assert data.y.dtype == np.float64
        assert np.array_equal(data.y, GAPPED, equal_nan=True)
        assert data.notes == ()
    assert open_data(path, "flag", task="auto").y.tolist() == ["a", "b"] * (N // 2)


def test_typed_text_is_numbers_only_if_that_is_asked_for(X, write_as, message):
    """Its writer chose text; a CSV has no other way to write anything."""
    path = write_as("a.parquet", pa.table({"u": X[:, 0], "price": QUARTERS.astype(str)}))

    assert NUMBERS in message(path, "price", task="auto")
    assert np.array_equal(open_data(path, "price", task="numbers").y, QUARTERS)


def test_codes_of_a_csv_are_numbers_only_if_that_is_asked_for(X, text_file):
    """A leading zero shows that nobody calculates with them."""
    codes = [f"{i % 9:03}" for i in range(N)]
    path = text_file("u,code\n" + "".join(f"{u},{code}\n" for u, code in zip(X[:, 0], codes, strict=True)))

    assert open_data(path, "code", task="auto").y.tolist() == codes
    assert open_data(path, "code", task="numbers").y.tolist() == [i % 9 for i in range(N)]


def test_numpy_files_give_floats_with_gaps(tmp_path, X):
    """From a column, an array, or another file."""
    np.save(tmp_path / "both.npy", np.column_stack([X, GAPPED]))
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", GAPPED)
    np.savez(tmp_path / "a.npz", X=X, y=GAPPED, model=MILES, flag=MILES > 9000)
    found = [
        open_data(tmp_path / "both.npy", "-1", task="auto"),
        open_data(tmp_path / "X.npy", tmp_path / "y.npy", task="auto"),
        open_data(tmp_path / "X.npy", first_missing(QUARTERS.tolist()), task="auto"),
        open_data(tmp_path / "a.npz", predictions="model", task="auto"),
    ]

    for data in found:
        assert (data.task, data.y.dtype) == ("numbers", np.float64)
        assert np.array_equal(data.X, X)
        assert np.array_equal(data.y, GAPPED, equal_nan=True)
    assert (found[-1].predictions.dtype, found[-1].predictions.tolist()) == (np.float64, MILES.tolist())
    with pytest.raises(InputError, match="Got booleans in column 'flag'"):
        open_data(tmp_path / "a.npz", "flag", task="numbers")


@pytest.mark.parametrize("name", ["y.npy", "y.npz", "y.txt", "named.csv", "table.csv", "y.parquet"])
def test_numbers_may_have_a_file_of_their_own(tmp_path, X, write_as, text_file, name):
    """As labels may."""
    np.save(tmp_path / "X.npy", X)
    lines = texts("{:.2f}".format)
    if name == "y.npy":
        np.save(tmp_path / name, GAPPED)
    elif name == "y.npz":
        np.savez(tmp_path / name, price=GAPPED)
    elif name == "y.parquet":
        write_as(name, pa.table({"price": GAPPED}))
    elif name == "table.csv":
        text_file("n,price\n" + "".join(f"{i},{line}\n" for i, line in enumerate(lines)), name)
    else:
        text_file("\n".join(["price"] * (name == "named.csv") + lines), name)
    label = "price" if name == "table.csv" else None

    for task in ("auto", "numbers"):
        data = open_data(tmp_path / "X.npy", label, labels_file=str(tmp_path / name), task=task)
        assert (data.task, data.y.dtype) == ("numbers", np.float64)
        assert np.array_equal(data.y, GAPPED, equal_nan=True)


def test_spellings_of_numbers_are_not_merged(X):
    """Numbers have none."""
    assert open_data(X, QUARTERS, task="auto", clean_labels=True).y.dtype == np.float64


# Predictions


@pytest.mark.parametrize(
    ("predictions", "found"),
    [
        (first_missing(QUARTERS.tolist()), "missing values in predictions"),
        (["cat"] * N, "'cat' in predictions"),
        (np.full((N, 2), 0.5), r"predictions of shape \(300, 2\)"),
        (np.full(N, np.inf), "infinite numbers in predictions"),
    ],
)
def test_predictions_of_numbers_are_one_number_per_row(X, predictions, found):
    """A model that predicts text was trained for something else."""
    with pytest.raises(InputError, match=f"Got {found}"):
        open_data(X, QUARTERS, predictions=predictions, task="auto")
    with pytest.raises(InputError, match="predictions has 299 values"):
        open_data(X, QUARTERS, predictions=QUARTERS[1:], task="auto")


def test_predictions_in_a_csv_need_not_be_among_the_numbers(X, write_as):
    """Whole numbers and numbers with fractions alike."""
    table = pa.table({"u": X[:, 0], "label": QUARTERS, "model": QUARTERS + 0.01, "whole": MILES})
    path = write_as("a.csv", table)

    assert open_data(path, "label", predictions="model", task="auto").predictions.tolist() == (QUARTERS + 0.01).tolist()
    assert open_data(path, "label", predictions="whole", task="auto").predictions.tolist() == MILES.tolist()


# Large files


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_rows_of_a_large_table_are_sampled(X, write_as, monkeypatch, name):
    """Only rows with a number, and predictions follow; the decision sees all rows."""
    monkeypatch.setattr(_find_file, "_LARGE", 100)
    monkeypatch.setattr(_find_file, "_LEAST", 100)
    monkeypatch.setattr(_find_file, "_POOL", 100)
    table = {"u": X[:, 0], "v": X[:, 1], "label": first_missing(QUARTERS.tolist()), "model": MILES}
    data = open_data(write_as(name, pa.table(table)), "label", predictions="model", task="auto")

    assert (data.task, len(data.y), data.n_rows, data.n_unlabelled) == ("numbers", 100, N, 1)
    assert data.y.dtype == np.float64
    assert np.array_equal(data.y, GAPPED[data.drawn])
    assert np.array_equal(data.predictions, MILES[data.drawn])


def test_rows_of_a_large_array_are_sampled(tmp_path, X, monkeypatch):
    """Their numbers are in another file or in memory."""
    monkeypatch.setattr(_find_file, "_LARGE", 100)
    monkeypatch.setattr(_find_file, "_LEAST", 100)
    monkeypatch.setattr(_find_file, "_POOL", 100)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", MILES)
    for y in (MILES, tmp_path / "y.npy"):
        data = open_data(tmp_path / "X.npy", y, task="auto")

        assert (data.task, data.y.dtype) == ("numbers", np.float64)
        assert np.array_equal(data.y, MILES[data.drawn])


# Tenths


def test_tenths_are_equally_frequent():
    """To within a row."""
    y = np.random.default_rng(0).normal(size=1003)
    codes = tenths(y)

    assert set(np.bincount(codes)) <= {100, 101}
    assert (np.diff(codes[np.argsort(y)]) >= 0).all()
    assert np.array_equal(tenths(np.exp(y)), codes)


def test_tenths_keep_equal_numbers_together_and_gaps_apart():
    """Half of all rows are zero: they are one class, and the others share the rest."""
    y = np.r_[np.zeros(50), np.arange(1, 51), np.nan]
    codes = tenths(y)

    assert codes.tolist() == [0] * 50 + [i // 10 + 1 for i in range(50)] + [-1]
    assert tenths(np.array([7.0, 7.0, np.nan])).tolist() == [0, 0, -1]
    assert tenths(np.array([np.nan])).tolist() == [-1]


@given(any_array(np.float64, st.integers(1, 60), elements=st.sampled_from([-1.5, -0.0, 0.0, 2, 7, 1e300, np.nan])))
def test_tenths_of_any_numbers_are_in_order_and_two_if_any_differ(y):
    """Folds need two classes."""
    codes, known = tenths(y), ~np.isnan(y)

    assert np.array_equal(codes < 0, ~known)
    assert set(codes[known]) == set(range(codes.max() + 1))
    assert codes.max() < 10
    for one, code in zip(y[known], codes[known], strict=True):
        assert (codes[known][y[known] == one] == code).all()
        assert (codes[known][y[known] > one] >= code).all()
    assert (codes.max() > 0) == (len(np.unique(y[known])) > 1)


def test_numbers_are_read_under_the_name_that_errors_use():
    """As other parts of the package need."""
    assert read_numbers(["1.5", None]).tolist()[0] == 1.5
    with pytest.raises(InputError, match="Got 'x' in baseline"):
        read_numbers(["1.5", "x"], "baseline")


# Real datasets and messy files


def test_no_dataset_of_classes_changes_its_task(data_dir):
    """Those of the paper and the others; names, digits and quality scores are classes."""
    from pyarrow import parquet

    found = {}
    for path in sorted(data_dir.glob("*.parquet")):
        column = parquet.read_schema(path).names[0]
        data = open_data(path, "target", features=(column,), task="auto")
        target = parquet.read_table(path, columns=["target"]).column("target")
        found[path.stem] = {data.task, task_of(target), task_of(target.to_pandas()), task_of(target.to_pylist())}
        assert data.y.tolist() == open_data(path, "target", features=(column,)).y.tolist()

    assert len(found) >= 20
    assert [name for name, tasks in found.items() if tasks != {"classes"}] == []


@pytest.mark.slow
def test_of_the_messy_files_only_the_prices_are_numbers(data_dir, benchmark_module, tmp_path):
    """And what is refused as several labels per row still is."""
    make = benchmark_module("_data").file_generator()
    if make is None:
        pytest.skip(f"needs the generator of messy files next to {data_dir}")
    subprocess.run([sys.executable, make, tmp_path], check=True, stdout=subprocess.DEVNULL)
    found = {}
    for one in json.loads((tmp_path / "manifest.json").read_text("utf-8"))["files"]:
        label = one["label"][0] if isinstance(one["label"], list) else one["label"]
        options = {"labels_file": str(tmp_path / one["labels_file"])} if one["labels_file"] else {}
        try:
            found[one["name"]] = open_data(tmp_path / one["name"], label, task="auto", **options).task
        except InputError as error:
            found[one["name"]] = str(error)

    assert len(found) == 25
    assert "several labels per row" in found.pop("multilabel_X.npy")
    assert found.pop("regression.csv") == "numbers"
    assert [name for name, task in found.items() if task != "classes"] == []
