"""Rows and labels told by where they are: which rows are drawn, and whose labels they get."""

import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayesfloor.io import open_rows
from bayesfloor.leaving import engine_labelled_rows as _labelled_rows
from bayesfloor.leaving.engine_labelled_rows import draw_labelled, open_labelled
from bayesfloor.leaving.engine_runners import make_runner

N = 900
NAMES = np.array(["cat", "dog", "hen"])
CODES = np.arange(N) % 3

# One set of labels as files hold it, and what it is read as.
COLUMNS = {
    "texts": (pa.array(NAMES[CODES]), NAMES[CODES]),
    "large texts": (pa.array(NAMES[CODES].tolist(), pa.large_string()), NAMES[CODES]),
    "categories": (pa.array(NAMES[CODES]).dictionary_encode(), NAMES[CODES]),
    "whole numbers": (pa.array(CODES, pa.int16()), CODES),
    "floats": (pa.array(CODES, pa.float32()), CODES),
    "yes and no": (pa.array(CODES > 0), CODES > 0),
}
KINDS = {"texts": pa.string(), "categories": pa.dictionary(pa.int8(), pa.string()), "ints": pa.int32()}


@pytest.fixture(name="X")
def some_rows(global_random_seed):
    """Rows whose first feature is their number."""
    X = np.random.default_rng(global_random_seed).standard_normal((N, 2))
    X[:, 0] = np.arange(N)
    return X


@pytest.fixture
def write(tmp_path, X):
    """Writer of a folder of three files: (label=column, other columns) -> its path."""

    def write_folder(**columns):
        table = pa.table({"u": X[:, 0], "v": X[:, 1], **columns})
        for part in range(3):
            rows = table.slice(part * N // 3, N // 3)
            pq.write_table(rows, tmp_path / f"part-{part}.parquet", row_group_size=130)
        return tmp_path

    return write_folder


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks of 64 rows of two features."""
    monkeypatch.setattr(_labelled_rows, "_CHUNK", 1 << 10)


def draw_some(X, y, n_drawn=N // 3, seed=0, client=None):
    """Some rows, drawn here or by Dask."""
    return draw_labelled(open_labelled(X, y), n_drawn, seed, make_runner(client, None), None)


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.usefixtures("small_chunks")
def test_labels_of_any_kind_stay_with_their_rows(write, X, kind):
    """A label one row off is worse than none."""
    column, expected = COLUMNS[kind]
    drawn = draw_some(write(label=column), "label")

    np.testing.assert_array_equal(drawn.y, expected[drawn.row])
    np.testing.assert_array_equal(drawn.x, X[drawn.row])
    np.testing.assert_array_equal(drawn.x[:, 0], drawn.row)
    assert (len(drawn.row), drawn.n_rows) == (N // 3, N)


@pytest.mark.parametrize("n_drawn", [1, 7, 8, 899, 900])
@pytest.mark.usefixtures("small_chunks")
def test_so_many_rows_are_drawn_as_asked_for_and_none_twice(write, n_drawn):
    """Chunks give their shares, which need not be whole numbers."""
    row = draw_some(write(label=CODES), "label", n_drawn).row

    assert len(row) == n_drawn
    assert (np.diff(row) > 0).all()
    assert 0 <= row[0] <= row[-1] < N


@pytest.mark.usefixtures("small_chunks")
def test_all_rows_are_drawn_in_their_order(write, X):
    """Then nothing is left to chance."""
    drawn = draw_some(write(label=CODES), "label", N)

    np.testing.assert_array_equal(drawn.row, np.arange(N))
    np.testing.assert_array_equal(drawn.x, X)


@pytest.mark.usefixtures("small_chunks")
def test_a_seed_draws_the_same_rows_again_and_another_seed_others(write):
    """What is said of a sample must be repeatable; chunks must not all draw alike."""
    folder = write(label=CODES)
    one, again, other = (draw_some(folder, "label", seed=seed).row for seed in (0, 0, 1))
    in_chunk = [set(one[one // 64 == chunk] % 64) for chunk in (0, 1)]

    np.testing.assert_array_equal(one, again)
    assert set(one) != set(other)
    assert in_chunk[0] != in_chunk[1]


def test_every_row_is_as_likely_as_any_other(write):
    """Else what is drawn says nothing of the rest; the first and the last rows are the ones a slip would miss."""
    folder = write(label=CODES)
    times = np.bincount(np.concatenate([draw_some(folder, "label", seed=seed).row for seed in range(60)]), minlength=N)

    assert times.min() > 3
    assert times.max() < 40


@pytest.mark.usefixtures("small_chunks")
def test_all_holders_and_engines_draw_the_same_rows(dask_client, write, X, tmp_path):
    """Whoever moves from arrays to files, or to a cluster, must see the same answer."""
    folder = write(label=CODES)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", CODES)
    given = [
        (str(folder), "label"),
        (open_rows(folder, ["u", "v"]), CODES.tolist()),
        (open_rows(folder, ["u", "v"]), tmp_path / "y.npy"),
        (tmp_path / "X.npy", str(tmp_path / "y.npy")),
        (X, CODES),
    ]
    drawn = [draw_some(*each, client=client) for each in given for client in (None, dask_client)]

    for each in drawn[1:]:
        np.testing.assert_array_equal(each.row, drawn[0].row)
        np.testing.assert_array_equal(each.x, drawn[0].x)
        assert each.y.tolist() == drawn[0].y.tolist()


@pytest.mark.parametrize("how", ["path", "handle of all columns", "handle without it"])
def test_the_label_is_never_a_feature(write, how):
    """With the answer among the features every floor would be zero."""
    folder = write(label=CODES)
    X = {"path": folder, "handle of all columns": open_rows(folder)}.get(how, open_rows(folder, ["u", "v"]))
    data = open_labelled(X, "label")

    assert data.rows.shape == (N, 2)
    assert data.rows.columns == ("u", "v")
    np.testing.assert_array_equal(data.read_labels(), CODES)
    np.testing.assert_array_equal(data.rows.take(np.array([5]))[0, 0], 5)


def test_a_handle_of_rows_and_labels_can_be_sent_to_others(write):
    """Tasks are told no more than where to read."""
    data = open_labelled(write(label=NAMES[CODES]), "label")

    assert len(pickle.dumps(data)) < 2000


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("small_chunks")
def test_a_missing_label_is_refused_by_the_number_of_its_row_even_if_it_is_not_drawn(write, kind):
    """A gap that only some seeds find would come and go."""
    folder, seen = write(label=CODES), set()
    seen.update(draw_some(folder, "label").row.tolist())
    gap = next(row for row in range(500, N) if row not in seen)
    values = [None if row == gap else CODES[row] if kind == "ints" else NAMES[CODES[row]] for row in range(N)]
    folder = write(label=pa.array(values, KINDS[kind]))

    with pytest.raises(ValueError, match=rf"1 missing label in column label, the first in row {gap} "):
        draw_some(folder, "label")
    with pytest.raises(ValueError, match=rf"row {gap} \(counted from 0\)"):
        open_labelled(folder, "label").read_labels()


def test_numbers_that_are_none_are_missing_labels(write):
    """NaN is what many programs write for a gap."""
    for column in (np.where(np.arange(N) == 7, np.nan, CODES), pa.array([None if k == 7 else k for k in range(N)])):
        with pytest.raises(ValueError, match="the first in row 7 "):
            draw_some(write(label=column), "label")


# What is given in the place of labels, and what is said of it.
WRONG = {
    "a name that is none": ("lable", ValueError, "no column lable in .* Its columns are u, v, label"),
    "nothing": (None, ValueError, "y is None"),
    "too few": (CODES[:5], ValueError, r"shape \(5,\), but expected one label for each of the 900"),
    "votes": (np.eye(3)[CODES], ValueError, r"shape \(900, 3\)"),
    "one for all": (3, ValueError, r"shape \(\)"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_no_label_is_told_before_anything_is_read(write, kind):
    """A wrong name is the first mistake that everybody makes."""
    y, error, message = WRONG[kind]

    with pytest.raises(error, match=message):
        open_labelled(write(label=CODES), y)


def test_a_missing_label_is_told_before_texts_among_features(write):
    """The text that is said not to be a number may be the label whose name was misspelt."""
    with pytest.raises(ValueError, match="no column Label in"):
        open_labelled(write(label=NAMES[CODES]), "Label")


def test_labels_without_features_are_refused(tmp_path):
    """There is nothing to measure."""
    pq.write_table(pa.table({"label": CODES}), tmp_path / "only.parquet")

    for X in (tmp_path, open_rows(tmp_path)):
        with pytest.raises(ValueError, match="The only column is label, the label, but expected at least one feature"):
            open_labelled(X, "label")


def test_a_column_of_rows_in_no_parquet_file_is_refused(X, tmp_path):
    """A ``.npy`` file has no names."""
    np.save(tmp_path / "X.npy", X)
    for rows in (tmp_path / "X.npy", X):
        with pytest.raises(TypeError, match="column name label, but the rows do not come from Parquet files"):
            draw_some(rows, "label")


def test_labels_of_objects_in_a_file_are_refused_in_plain_words(X, tmp_path):
    """Reading them could run any code."""
    np.save(tmp_path / "y.npy", NAMES[CODES].astype(object), allow_pickle=True)
    with pytest.raises(
        ValueError, match=r"y\.npy cannot be read as labels: .* Save them as an array of numbers or text"
    ):
        open_labelled(X, tmp_path / "y.npy")
    with pytest.raises(FileNotFoundError, match=r"gone\.npy"):
        open_labelled(X, str(tmp_path / "gone.npy"))


def test_a_list_of_labels_is_taken_as_it_is(X):
    """NumPy would make texts of all, and one class of 1 and '1'."""
    labels = [[1, "1", "b"][code] for code in CODES]

    assert open_labelled(X, labels).labels.tolist() == labels
    assert draw_some(X, labels, N).y.tolist() == labels
