"""All rows, read in pieces, are the rows of the table: prepared as in a small one, whatever file they are in."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from sklearn.preprocessing import StandardScaler

from bayesfloor.io import InputError, open_data
from bayesfloor.io._all_rows import Rows, open_rows
from bayesfloor.io._features import read_any
from bayesfloor.io._messages import DataError
from bayesfloor.io._row_groups import draw, places
from bayesfloor.io._table_preparer import TablePreparer

N, AT_MOST = 140_000, 10_000


@pytest.fixture(scope="module")
def table():
    """Columns of all kinds, in the order of time, with gaps, rows without a label and a category that comes late."""
    rng = np.random.default_rng(0)
    kind = rng.choice(list("abc"), N)
    kind[-3:] = "late"
    made = pd.DataFrame(
        {
            "a": rng.normal(size=N).astype(np.float32),
            "gaps": np.where(rng.random(N) < 0.1, np.nan, rng.normal(size=N)),
            "kind": kind,
            "zip": rng.choice([f"{i:05d}" for i in range(200)], N),
            "city": rng.choice([f"city {i}" for i in range(100)], N),
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N) // 100, "D"),
            "id": [f"row-{i}" for i in range(N)],
            "same": 1,
            "y": np.where(rng.random(N) < 0.4, "no", "yes"),
        }
    )
    made.loc[rng.random(N) < 0.03, "y"] = None
    made.loc[N - 2, "y"] = "seldom"
    return pa.Table.from_pandas(made, preserve_index=False)


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    """The table as files."""
    made = tmp_path_factory.mktemp("rows")
    pq.write_table(table, made / "one.parquet", row_group_size=30_000)
    for part in range(4):
        place = made / "many" / f"sub{part % 2}"
        place.mkdir(parents=True, exist_ok=True)
        pq.write_table(table[part * 40_000 : (part + 1) * 40_000], place / f"{part}.parquet", row_group_size=17_000)
    pyarrow.feather.write_feather(table, made / "one.arrow")
    pc.write_csv(table, made / "one.csv")
    return made


def opened(X, y="y", *, groups=(), prepare="auto", **how):
    """The sample, and all rows as its features."""
    data = open_data(X, y, at_most=AT_MOST, **how)
    return data, open_rows(data, read_any(data, prepare), groups=groups)


def order_of(folder, name):
    """The table as pandas, in the order in which files of a folder are read."""
    files = sorted((folder / "many").rglob("*.parquet")) if name == "many" else [folder / "one.parquet"]
    return pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)


@pytest.mark.parametrize("name", ["one.parquet", "many", "one.arrow", "one.csv"])
def test_pieces_are_the_rows_of_the_table(folder, name):
    """The same numbers as if the whole table were prepared by what was fitted on the sample."""
    data, rows = opened(str(folder / name))
    whole = order_of(folder, name)
    given = whole["y"].notna().to_numpy()
    features = read_any(data)
    preparer = features.steps[0]
    if name == "one.csv":  # types are found in the text
        whole["same"] = whole["same"].astype(str)
    X = whole.drop(columns="y")
    X = X if name != "one.csv" else X.assign(when=X["when"].astype(str))
    expected = preparer.transform_any(pa.Table.from_pandas(X, preserve_index=False))[given]
    found, y, place = rows.take(0.0, 1.0)

    assert len(data.y) == AT_MOST
    assert data.n_rows == N
    assert data.n_unlabelled == N - given.sum()
    assert {"id", "same"} & {features.prepared[i].name for i in np.unique(features.source)} == set()
    assert np.allclose(found, expected, rtol=1e-6)
    assert rows.classes.tolist() == ["no", "seldom", "yes"]  # also one that the sample lacks
    assert np.array_equal(rows.classes[y], whole["y"][given])
    assert rows.n == len(found) == sum(rows.pieces)
    assert rows.n_columns == found.shape[1] == len(features.quantity)
    assert np.array_equal(place, rows.place)


def test_frames_and_streams_are_read_like_files(table, folder):
    """A frame of any library, and a stream that can be read only once."""
    expected = opened(str(folder / "one.parquet"))[1].take(0.0, 1.0)
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())

    for X in (table, table.to_pandas(), pl.from_arrow(table), reader):
        for one, two in zip(opened(X)[1].take(0.0, 1.0), expected, strict=True):
            assert np.array_equal(one, two)


def test_ranges_are_random_subsets_that_nest(folder):
    """Every piece has its part of them, in order, and nothing is read twice or left out."""
    rows = opened(str(folder / "one.parquet"))[1]
    X, _, place = rows.take(0.0, 1.0)

    for low, high in ((0.0, 0.1), (0.1, 0.35), (0.35, 1.0)):
        inside = (place >= low) & (place < high)
        assert abs(inside.mean() - (high - low)) < 0.01
        assert np.array_equal(rows.take(low, high)[0], X[inside])
        backwards = [rows.read(piece, low, high) for piece in reversed(range(len(rows.pieces)))]
        assert np.array_equal(np.concatenate(backwards[::-1]), X[inside])
    assert len(rows.take(0.5, 0.5)[0]) == 0


def test_the_sample_is_spread_over_all_rows_and_leaves_some_to_test_on(folder):
    """It is no prefix; and the rows with the smallest places are new to what was made from it."""
    data, rows = opened(str(folder / "one.parquet"))
    place = rows.place[np.isin(rows.row_of(np.arange(rows.n)), data.drawn)]

    assert np.histogram(data.drawn, 10, (0, N))[0].min() > 0.08 * len(data.drawn)
    assert place.min() > 0.15
    assert len(place) == len(data.y)


def test_groups_stay_whole(table):
    """Rows of a group share a place; groups are given with the data, or are columns of theirs."""
    frame = table.to_pandas()
    frame["who"] = np.random.default_rng(1).integers(0, 5000, N)
    given = frame["y"].notna().to_numpy()
    one = opened(frame, groups=("who",))[1]
    two = opened(frame.drop(columns="who"))[1]
    three = open_data(frame, "y", groups="who", at_most=AT_MOST)
    three = open_rows(three, read_any(three))

    assert one.grouped
    assert three.grouped
    assert not two.grouped
    for rows in (one, three):
        spread = pd.Series(rows.place).groupby(frame["who"][given].to_numpy()).nunique()
        assert (spread == 1).all()
        assert len(np.unique(rows.place)) > 4900
    assert np.array_equal(one.place, three.place)


@pytest.mark.parametrize("by_column", [False, True])
def test_npy_is_read_in_pieces(tmp_path, by_column):
    """Labels in a column or in a file of their own; gaps stay gaps if the sample has none."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(N, 4)), rng.integers(0, 3, N)
    X[N - 1, 2] = np.nan
    whole = np.c_[X, y]
    np.save(tmp_path / "whole.npy", np.asfortranarray(whole) if by_column else whole)
    np.save(tmp_path / "x.npy", np.asfortranarray(X) if by_column else X)
    np.save(tmp_path / "y.npy", y)
    made = [
        opened(str(tmp_path / "whole.npy"), "-1")[1],
        opened(str(tmp_path / "x.npy"), str(tmp_path / "y.npy"))[1],
        opened(X, y)[1],
        opened(str(tmp_path / "x.npy"), y, drop=["x1"])[1],
    ]

    for rows in made:
        found, own, _ = rows.take(0.0, 1.0)
        expected = X if rows is not made[-1] else X[:, [0, 2, 3]]
        assert np.array_equal(found, expected.astype(np.float32), equal_nan=True)
        assert np.array_equal(rows.classes[own], y)


def test_numbers_keep_their_values(tmp_path):
    """A row without a number is left out."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(N, 3)), rng.normal(size=N)
    y[7] = np.nan
    table = pa.table({**{f"x{i}": X[:, i] for i in range(3)}, "y": y})
    pq.write_table(table, tmp_path / "t.parquet")
    data, rows = opened(str(tmp_path / "t.parquet"), task="numbers")

    assert (rows.task, rows.classes, data.task) == ("numbers", None, "numbers")
    assert np.array_equal(rows.y, np.delete(y, 7))
    assert np.allclose(rows.take(0.0, 1.0)[0], np.delete(X, 7, axis=0), rtol=1e-6)


def test_a_list_column_is_a_matrix(tmp_path):
    """An embedding, alone or beside other columns."""
    X = np.random.default_rng(0).normal(size=(N, 8)).astype(np.float32)
    lists = pa.FixedSizeListArray.from_arrays(X.ravel(), 8)
    pq.write_table(pa.table({"v": lists, "w": X[:, 0], "y": np.arange(N) % 2}), tmp_path / "t.parquet")

    assert np.array_equal(opened(str(tmp_path / "t.parquet"), embedding="v")[1].take(0.0, 1.0)[0], X)
    assert opened(str(tmp_path / "t.parquet"))[1].n_columns == 9


def test_a_transformer_of_the_user_is_fitted_on_the_sample():
    """Its statistics are those of the sample, and gaps that it leaves are filled."""
    X = np.random.default_rng(0).normal(size=(N, 3))
    data, rows = opened(X, np.arange(N) % 2, prepare=StandardScaler())
    expected = StandardScaler().fit(X[data.drawn]).transform(X)

    assert np.allclose(rows.take(0.0, 1.0)[0], expected, atol=1e-5)


def test_what_the_sample_did_not_show_is_read_as_in_a_small_table():
    """New categories have no indicator, new codes are -1, unreadable cells are missing."""
    train = pd.DataFrame({"k": list("ab") * 200, "zip": [f"{i % 90:05d}" for i in range(400)], "n": ["1,5", "2"] * 200})
    other = pd.DataFrame({"k": ["c", "a"], "zip": ["99999", "00003"], "n": ["2.5 km", "2"]})
    preparer = TablePreparer(roles={"zip": "code", "n": "number"}).fit(train)
    found = preparer.transform_piece(other)

    assert found.dtype == np.float32
    assert np.allclose(found, preparer.transform_any(other), rtol=1e-6)
    assert found[0, :3].tolist() == [0, 0, -1]


def test_large_numbers_stay_finite():
    """Single precision ends at 3.4e38."""
    X = np.random.default_rng(0).normal(size=(N, 2))
    X[5] = 1e100, -1e100
    found = opened(X, np.arange(N) % 2)[1].take(0.0, 1.0)[0]

    assert np.isfinite(found).all()
    assert found[5, 0] == -found[5, 1] == np.finfo(np.float32).max


def test_spellings_are_those_of_the_sample(tmp_path):
    """Cleaned labels name the same classes in both."""
    y = np.array(["yes", "no"] * (N // 2), dtype=object)
    y[::7] = "Yes "
    pq.write_table(pa.table({"x": np.arange(N) % 97 * 1.0, "y": y}), tmp_path / "t.parquet")
    data, rows = opened(str(tmp_path / "t.parquet"), clean_labels=True)

    assert rows.classes.tolist() == sorted(set(data.y.tolist())) == ["no", "yes"]


def test_another_process_opens_the_same_rows(folder, table):
    """From the path alone; data in memory cannot be sent."""
    rows = opened(str(folder / "one.parquet"))[1]
    again = Rows(pickle.loads(pickle.dumps(rows.spec())))  # noqa: S301 - our own

    assert again.fingerprint == rows.fingerprint
    for one, two in zip(again.take(0.1, 0.2), rows.take(0.1, 0.2), strict=True):
        assert np.array_equal(one, two)
    with pytest.raises(InputError, match="write them to Parquet and pass the path"):
        opened(table)[1].spec()


def test_the_fingerprint_knows_labels_features_and_preparation(table):
    """A finished point of other data must not be taken for one of these."""
    seen = {opened(table)[1].fingerprint}
    for column, value in (("a", 9.0), ("y", "seldom")):
        changed = table.to_pandas()
        changed.loc[N - 9 :, column] = value
        seen.add(opened(changed)[1].fingerprint)
    data = open_data(table, "y", at_most=AT_MOST)
    seen.add(open_rows(data, read_any(data, roles={"zip": "category"})).fingerprint)
    seen.add(open_rows(data, read_any(data), random_state=1).fingerprint)

    assert len(seen) == 5


def test_small_data_are_read_whole():
    """Without a sample, all rows are those of the data."""
    X, y = np.random.default_rng(0).normal(size=(500, 2)), np.arange(500) % 2
    data, rows = opened(X, y)

    assert data.source is None
    assert np.array_equal(rows.take(0.0, 1.0)[0], X.astype(np.float32))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data, features: (data, replace(features, steps=None)), "expected at most 2,000"),
        (lambda data, features: (replace(data, y=np.eye(2)[data.y]), features), "several labels per row"),
    ],
)
def test_what_cannot_be_read_in_pieces_is_refused(change, told):
    """In one sentence that says what to do."""
    data = open_data(np.random.default_rng(0).normal(size=(500, 2)), np.arange(500) % 2)
    with pytest.raises(InputError, match=told) as error:
        open_rows(*change(data, read_any(data)))

    assert "Pass rows=50_000" in str(error.value)


def test_infinite_numbers_and_files_that_change_are_told(tmp_path):
    """With the rows in which they are."""
    x = np.random.default_rng(0).normal(size=N)
    path = tmp_path / "t.parquet"
    drawn = draw(np.zeros(N, dtype=bool), AT_MOST, 0)
    x[np.setdiff1d(np.arange(100_000, N), drawn)[0]] = np.inf
    pq.write_table(pa.table({"x": x, "y": np.arange(N) % 2}), path)
    rows = opened(str(path))[1]
    with pytest.raises(InputError, match=r"In rows 65,537 to 131,072: .*x: infinite in 1 row"):
        rows.take(0.0, 1.0)

    pc.write_csv(pa.table({"x": np.arange(N) % 89, "y": np.arange(N) % 2}), tmp_path / "t.csv")
    rows = opened(str(tmp_path / "t.csv"))[1]
    pc.write_csv(pa.table({"x": np.arange(9), "y": np.arange(9) % 2}), tmp_path / "t.csv")
    with pytest.raises(DataError, match=r"t\.csv has fewer rows than before"):
        rows.take(0.0, 1.0)


def test_places_are_uniform_and_differ_between_seeds():
    """Also for the numbers of groups, which start at 0."""
    for seed in (0, 1, 2**31):
        place = places(N, seed)
        assert 0 <= place.min() < place.max() < 1
        assert np.abs(np.histogram(place, 10, (0, 1))[0] / N - 0.1).max() < 0.005
        assert abs(np.corrcoef(place[:-1], place[1:])[0, 1]) < 0.02
    assert abs(np.corrcoef(places(N, 0), places(N, 1))[0, 1]) < 0.02


def test_of_very_many_rows_the_first_places_are_in_a_few_row_groups():
    """A small sample is then found without reading the whole table."""
    stretches = np.full(500, N // 500)
    place = places(N, 0, None, stretches, many=N - 1)
    held = np.unique(np.flatnonzero(place < 0.01) // (N // 500))

    assert 30 < len(held) <= 64
    assert np.diff(held).max() < 40  # spread over the table
    assert np.abs(np.histogram(place, 10, (0, 1))[0] / N - 0.1).max() < 0.01
    assert np.array_equal(places(N, 0, None, stretches), places(N, 0))


def test_a_draw_takes_labelled_rows_only():
    """About as many as asked for; None if there are no more."""
    missing = np.arange(N) % 3 == 0
    drawn = draw(missing, 10_000, 0)

    assert len(drawn) == 10_000
    assert not missing[drawn].any()
    assert draw(missing, N, 0) is None
