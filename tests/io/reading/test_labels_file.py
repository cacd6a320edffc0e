"""Labels may have a file of their own."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayesfloor.io import open_data

N = 40  # rows of the table and of the arrays


@pytest.mark.parametrize("name", ["y.npy", "y.npz", "y.txt", "y.csv", "named.csv", "table.csv", "y.parquet"])
def test_labels_may_have_a_file_of_their_own(tmp_path, arrays, name, text_file):
    """Embeddings in one file, labels in the other, is common."""
    X, y = arrays
    words = np.where(y, "dog", "cat")
    path = str(tmp_path / "X.npy")
    np.save(path, X)
    lines = "\n".join(words)
    contents = {"y.txt": lines, "y.csv": lines + "\n\n", "named.csv": f"animal\n{lines}\n"}
    contents["table.csv"] = "n,animal\n" + "".join(f"{i},{word}\n" for i, word in enumerate(words))
    if name == "y.npy":
        np.save(tmp_path / name, words)
    elif name == "y.npz":
        np.savez(tmp_path / name, animal=words)
    elif name == "y.parquet":
        pq.write_table(pa.table({"animal": words}), tmp_path / name)
    else:
        text_file(contents[name], name)

    label = "animal" if name == "table.csv" else None
    data = open_data(path, label, labels_file=str(tmp_path / name))

    assert data.y.tolist() == words.tolist()
    assert data.X.shape == (N, 3)


def test_a_labels_file_of_another_length_is_refused(tmp_path, arrays, message, text_file):
    """Labels that slip by one row are wrong everywhere."""
    np.save(tmp_path / "X.npy", arrays[0])
    path = str(tmp_path / "X.npy")

    def refused(lines):
        return message(path, None, labels_file=text_file("\n".join(lines), "y.txt"))

    assert refused(["a", "b"] * 30) == (
        "y.txt has 60 labels, but there are 40 rows of features. Expected one per row, in the same order."
    )
    assert refused(["a", "b"] * 20 + ["a"]).startswith("y.txt has 41 labels, but there are 40 rows")
    assert refused(["a"] * 10).startswith("y.txt has 10 labels, but there are 40 rows")
    assert refused(["a", ""] * 20 + ["a"]).startswith("y.txt has 41 labels, but there are 40 rows")
    assert message(path, None, labels_file=str(tmp_path / "z.txt")).endswith("Did you mean 'y.txt'?")


def test_a_labels_file_of_blank_lines_is_refused(tmp_path, arrays, message, text_file):
    """The command that should have written it failed."""
    np.save(tmp_path / "X.npy", arrays[0])
    path = text_file("\n\n", "y.txt")

    assert message(tmp_path / "X.npy", None, labels_file=path).startswith("y.txt is empty.")


def test_a_labels_file_serves_tables_as_well(table, write_as, text_file):
    """All columns are features then."""
    path = write_as("a.csv", table.select(["u", "v"]))

    data = open_data(path, None, labels_file=text_file("a\nb\n" * (N // 2), "y.txt"))

    assert data.feature_names == ("u", "v")
    assert data.y.tolist() == ["a", "b"] * (N // 2)
