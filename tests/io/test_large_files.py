"""Files too large to be read whole: a sample of the rows that have a label, which keep their numbers."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from bayesfloor import BayesFloor, Check
from bayesfloor.cli._commands import run
from bayesfloor.floor import SampledRowsWarning
from bayesfloor.io import InputError, _find_file, open_data

N, DRAWN = 300, 100


@pytest.fixture
def set_large(monkeypatch):
    """Setter of the size from which on files are large: of these, only 100 rows are read."""
    monkeypatch.setattr(_find_file, "_LEAST", DRAWN)
    monkeypatch.setattr(_find_file, "_POOL", DRAWN)
    return lambda size: monkeypatch.setattr(_find_file, "_LARGE", size)


@pytest.fixture
def columns():
    """Two overlapping classes: features, a text and the label, which one row lacks."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    X = np.round(rng.normal(size=(N, 3)) + 2 * y[:, None] * [1, 0, 0], 4)
    label = np.array(["cat", "dog"])[y].tolist()
    return {f"x{k}": X[:, k] for k in range(3)} | {"note": [f"n{k % 5}" for k in range(N)], "label": [None, *label[1:]]}


@pytest.fixture(params=["a.csv", "a.parquet", "folder"])
def place(request, columns, tmp_path):
    """The table in a file or in a folder of three."""
    table, path = pa.table(columns), tmp_path / request.param
    if path.suffix == ".csv":
        pacsv.write_csv(table, path)
    elif path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        path.mkdir()
        for part in range(3):
            pq.write_table(table.slice(part * DRAWN, DRAWN), path / f"part-{part}.parquet")
    return path


def test_rows_of_a_large_table_are_drawn_and_keep_their_numbers(place, set_large):
    """A sample has to be one of the rows that have a label, and of nothing else."""
    set_large(100)
    drawn = open_data(place, "label")
    set_large(1e9)
    whole = open_data(place, "label")

    assert (len(drawn.y), drawn.n_rows, drawn.n_unlabelled) == (DRAWN, N, 1)
    assert drawn.X.to_native().equals(whole.X.to_native().take(drawn.drawn))
    assert drawn.y.tolist() == whole.y[drawn.drawn].tolist()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(N, 6), (N, 2, 3)])
@pytest.mark.parametrize("kind", ["f4", ">f8", "u1"])
def test_rows_of_a_large_array_are_drawn_and_keep_their_numbers(order, shape, kind, tmp_path, set_large):
    """Whatever the order and the type of the numbers; labels are in memory or in another file."""
    X, y = (np.arange(6 * N) % 251).reshape(shape).astype(kind), np.arange(N) % 7 % 2
    np.save(tmp_path / "x.npy", np.asarray(X, order=order))
    np.save(tmp_path / "y.npy", y)
    set_large(100)

    for labels in (y, tmp_path / "y.npy"):
        found = open_data(tmp_path / "x.npy", labels, features=["x1", "x4"])
        assert (len(np.unique(found.drawn)), found.n_rows) == (DRAWN, N)
        assert np.array_equal(found.X, X.reshape(N, -1)[found.drawn][:, [1, 4]])
        assert np.array_equal(found.y, y[found.drawn])


def test_labels_of_a_large_array_are_counted(tmp_path, set_large):
    """All rows need one, even if they are not read."""
    np.save(tmp_path / "x.npy", np.zeros((N, 2)))
    set_large(100)
    with pytest.raises(InputError, match="y has 299 values, but there are 300 rows of features"):
        open_data(tmp_path / "x.npy", np.arange(N - 1) % 2)


def test_values_in_memory_follow_the_sample(place, set_large):
    """They come with one for each row of the file, and only those of the sample are needed."""
    set_large(100)
    groups = np.arange(N) // 3
    found = open_data(place, "label", groups=groups)

    assert found.groups.tolist() == groups[found.drawn].tolist()
    with pytest.raises(InputError, match="groups has 299 values, but there are 300 rows of features"):
        open_data(place, "label", groups=groups[1:])


@pytest.mark.slow
def test_a_check_of_a_large_table_says_how_many_rows_there_are(place, set_large, capsys):
    """Rows without a label are left out of the sample and counted."""
    set_large(100)
    assert run(["check", str(place), "-y", "label", "--effort", "quick", "--rows", "all", "--json", "-"]) == 0
    found = Check.from_json(capsys.readouterr().out)

    assert (found.facts.n_rows, found.facts.n_used) == (N - 1, DRAWN)
    assert "100 of 299 rows" in next(trait.text for trait in found.traits if trait.code == "BF206")
    with pytest.warns(
        SampledRowsWarning, match="100 of 300 rows are used: the file is large, so only a sample of it is read"
    ):
        BayesFloor().fit(place, "label")
