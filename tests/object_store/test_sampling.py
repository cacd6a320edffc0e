"""A large Parquet folder in a bucket is sampled: few bytes, all classes, and the notes say so."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bayesfloor
from bayesfloor.io import _find_file, open_data
from bayesfloor.support._files import bytes_read

N, GROUP = 300_000, 1500


@pytest.fixture(scope="module", params=["random", "sorted", "text"])
def large(request, s3):
    """A folder of 200 row groups: rows in random order, sorted by class, and with labels that take many bytes."""
    rng = np.random.default_rng(0)
    y = rng.choice(4, p=(0.6, 0.3, 0.0995, 0.0005), size=N)
    y = np.sort(y) if request.param == "sorted" else y
    x = rng.normal(size=(N, 20)) + y[:, None]
    columns = {f"x{i}": x[:, i] for i in range(20)} | {"label": y, "id": np.arange(N)}
    if request.param == "text":
        columns["label"] = [f"class {code}, {'abcdefgh' * 8}" for code in y.tolist()]
    table = pa.table(columns)
    dictionary = [name for name in table.column_names if name != "label"] if request.param == "text" else True
    for part in range(5):
        with s3.open_output_stream(f"bucket/large_{request.param}/{part}.parquet") as stream:
            rows = table[part * N // 5 : (part + 1) * N // 5]
            pq.write_table(rows, stream, row_group_size=GROUP, use_dictionary=dictionary, compression="none")
    return f"s3://bucket/large_{request.param}", table


@pytest.fixture
def _few_are_large(monkeypatch):
    monkeypatch.setattr(_find_file, "_LARGE", 1e6)


@pytest.mark.usefixtures("_few_are_large")
def test_few_bytes_give_all_classes_in_proportion(large):
    """At most 5 % of the bytes, metadata and labels included, and the rows that they claim to be."""
    address, table = large
    before = bytes_read()
    found = open_data(address, "label", ids="id", groups=np.arange(N))
    taken = bytes_read() - before
    told, *more = found.notes
    share = {label: np.mean(found.y == label) for label in np.unique(found.y)}
    labels = table["label"].to_numpy(zero_copy_only=False)

    size = _find_file.find_file(address).size
    assert taken <= 0.05 * size
    pattern = r"read ([\d.]+) of [\d.]+ MB \(([\d.]+) %\), rows from (\d+) of 200 row groups spread over the table"
    n_megabytes, percent, n_groups = map(float, re.match(pattern, told).groups())
    assert n_megabytes == pytest.approx(taken / 1e6, abs=0.06)
    assert percent <= 5
    assert n_groups == len(np.unique(found.drawn // GROUP))
    assert not more  # within a class the rows are in random order
    assert ("class proportions" in told) == address.endswith("text")
    assert np.array_equal(found.ids, found.drawn)
    assert np.array_equal(found.groups, found.drawn)
    assert np.array_equal(found.y, labels[found.drawn])
    assert found.native.equals(table.take(found.drawn).select([f"x{i}" for i in range(20)]))
    assert found.n_rows == N
    if not address.endswith("text"):
        assert all(abs(share[label] - np.mean(labels == label)) < 0.01 for label in np.unique(labels))


@pytest.mark.usefixtures("_few_are_large")
def test_max_rows_reads_more(large):
    """Who asks for more rows gets them."""
    assert len(open_data(large[0], "label", max_rows=60_000).drawn) >= 60_000


@pytest.mark.usefixtures("_few_are_large")
def test_the_check_says_what_was_read(large):
    """The note is part of the result, and the answer holds for all rows."""
    found = bayesfloor.check(large[0], "label", effort="quick")

    assert "row groups" in found.prepared.notes[0]
    assert found.facts.n_rows == N > found.facts.n_used


def write_ordered(s3, name, order):
    """Write two overlapping classes, whose Bayes error is 15.9 %, in row groups of 500."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=100_000)
    x = rng.normal(size=(len(y), 3)) + 2.0 * y[:, None] * [1, 0, 0]
    table = pa.table({**{f"x{i}": x[:, i] for i in range(3)}, "label": y.astype(np.int8)})
    with s3.open_output_stream(f"bucket/{name}/a.parquet") as stream:
        pq.write_table(table.sort_by(order), stream, row_group_size=500)
    return f"s3://bucket/{name}"


@pytest.mark.usefixtures("_few_are_large")
def test_a_table_whose_row_groups_would_mislead_is_read_whole(s3):
    """Sorted by class and by feature, a few row groups show classes that seem not to overlap."""
    address = write_ordered(s3, "misleading", [("label", "ascending"), ("x0", "ascending")])
    found = bayesfloor.check(address, "label", effort="quick", rows=10_000)

    assert "resemble each other in 'x0'" in found.prepared.notes[0]
    assert "and in their labels, so the whole table was read" in found.prepared.notes[0]
    assert found.answer.lower < 0.1587 < found.answer.upper


@pytest.mark.usefixtures("_few_are_large")
def test_order_by_a_feature_alone_is_noted(s3):
    """Classes overlap in every row group, so nothing looks separate; intervals may be too narrow."""
    address = write_ordered(s3, "by_feature", [("x1", "ascending")])
    told, more = open_data(address, "label").notes

    assert "row groups spread over the table" in told
    assert more.startswith("rows of the same row group resemble each other in 'x1'")
    assert "intervals may be too narrow" in more


@pytest.mark.usefixtures("_few_are_large")
@pytest.mark.parametrize("kind", ["quarters", "fractions", "text"])
def test_numbers_are_sampled_over_their_whole_range(s3, kind):
    """Whether those of all rows are read first, because they take few bytes, or those of some row groups only."""
    rng, n = np.random.default_rng(0), 100_000
    y = rng.normal(size=n)
    y = np.round(4 * y) / 4 if kind == "quarters" else y
    given = pa.array([None if i % 10 == 0 else value for i, value in enumerate(y.tolist())])
    if kind == "text":
        given = pa.array(["?" if i % 10 == 0 else f"{value:.40f}" for i, value in enumerate(y.tolist())])
    x = rng.normal(size=(n, 12)) + y[:, None]
    table = pa.table({**{f"x{i}": x[:, i] for i in range(12)}, "label": given})
    with s3.open_output_stream(f"bucket/{kind}/a.parquet") as stream:
        pq.write_table(table, stream, row_group_size=500)
    found = open_data(f"s3://bucket/{kind}", "label", task="numbers" if kind == "text" else "auto", max_rows=5000)

    assert (found.task, found.y.dtype, found.n_rows) == ("numbers", np.float64, n)
    assert np.array_equal(found.y, np.where(found.drawn % 10 == 0, np.nan, y[found.drawn]), equal_nan=True)
    assert abs(np.nanmean(found.y)) < 0.1
    assert np.nanstd(found.y) == pytest.approx(1, abs=0.1)
    assert ("assuming that these have the distribution of all rows" in found.notes[0]) == (kind != "quarters")
    if kind != "text":
        assert np.isfinite(found.y).all()
        assert found.n_unlabelled == pytest.approx(n / 10, rel=0.1)


def test_columns_of_folders_are_kept(s3, monkeypatch):
    """A folder named column=value is a column of the sampled rows too."""
    monkeypatch.setattr(_find_file, "_LARGE", 1e4)
    rng = np.random.default_rng(0)
    for day in range(2):
        y = rng.integers(2, size=30_000)
        table = pa.table({"x": rng.normal(size=30_000) + y, "label": y.astype(np.int8)})
        with s3.open_output_stream(f"bucket/days/day={day}/a.parquet") as stream:
            pq.write_table(table, stream, row_group_size=1000)
    found = open_data("s3://bucket/days", "label", max_rows=10_000)

    assert found.native.column_names == ["x", "day"]
    assert np.array_equal(found.native["day"].to_numpy(), found.drawn // 30_000)
