"""Anything people have becomes one Data: what was asked for is held against the names there are."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayesfloor import BayesFloor
from bayesfloor.io import open_data

N = 40  # rows of the table and of the arrays


def test_the_data_fit_the_estimator(table, add, write_as):
    """What is read is there to be fitted, texts included."""
    data = open_data(write_as("a.csv", add(table, "flag", [True, False] * (N // 2))), "label")

    fit = BayesFloor(interval="fast").fit(data.X, data.y)

    assert fit.n_features_in_ == 4
    assert fit.classes_.tolist() == ["cat", "dog"]


def test_columns_with_a_part_of_their_own_are_no_features(tmp_path, table, add, write_as):
    """An id among the features makes nonsense of any distance."""
    table = add(table, "key", [f"r{i}" for i in range(N)])
    table = add(table, "patient", [i // 4 for i in range(N)])
    table = add(table, "picture", [f"img/{i}.png" for i in range(N)])

    data = open_data(write_as("a.csv", table), "label", ids="key", groups="patient", images="picture")

    assert data.feature_names == ("u", "v", "colour")
    assert data.ids.tolist() == [f"r{i}" for i in range(N)]
    assert data.groups.tolist() == [i // 4 for i in range(N)]
    assert data.images[3] == str(tmp_path / "img" / "3.png")


def test_addresses_and_whole_paths_of_pictures_stay(tmp_path, text_file):
    """Only a relative path needs the folder."""
    path = text_file("u,label,pic\n1,a,/x/y.png\n2,b,https://e.org/a.png\n3,a,z.png\n")

    data = open_data(path, "label", images="pic")

    assert data.images == ["/x/y.png", "https://e.org/a.png", str(tmp_path / "z.png")]


def test_what_is_not_chosen_may_hold_anything(table, add, write_as):
    """A dropped column cannot be wrong."""
    table = add(table, "when", pa.array([0] * N, pa.timestamp("s")))
    table = add(table, "gaps", pa.array([None] * N, pa.float64()))

    data = open_data(write_as("a.parquet", table), "label", drop=("when", "gaps"))

    assert data.feature_names == ("u", "v", "colour")


# What is asked for is held against the names there are


def test_patterns_choose_columns(text_file):
    """Hundreds of pixels cannot be named one by one."""
    path = text_file("p1,p2,p[1],q,label\n1,2,3,4,a\n2,3,4,5,b\n3,4,5,7,a\n")

    assert open_data(path, "label", features=("p*",)).feature_names == ("p1", "p2", "p[1]")
    assert open_data(path, "label", features=("p*",), drop=("p[1]",)).feature_names == ("p2",)
    assert open_data(path, "label", features=("*",)).feature_names == ("p1", "p2", "p[1]", "q")
    assert open_data(path, "label", drop=("q", "label")).feature_names == ("p1", "p2", "p[1]")


def test_patterns_that_match_nothing_are_refused(table, write_as, message):
    """A silent typo would change what is measured."""
    path = write_as("a.csv", table)

    assert message(path, drop=("colur",)) == (
        "no column matches --drop 'colur'. Did you mean 'colour'? Columns: 'u', 'v', 'colour', 'label'."
    )
    assert message(path, features=("pixel*",)).startswith("no column matches --features 'pixel*'. Columns: 'u', ")
    assert message(path, drop=("*",)).startswith("no columns are left as features")


def test_a_label_that_is_also_the_groups_is_refused(table, write_as, message):
    """All edges inside a class forbidden: any floor would be a lie."""
    path = write_as("a.csv", table)

    assert message(path, groups="label") == (
        "column 'label' is given as -y and as --groups. Pass two different columns."
    )


# Features of a table are handed over as they stand: preparing them is the work of another

N = 40  # rows of the table


def test_columns_of_any_kind_are_handed_over_as_they_stand(add, table, write_as):
    """Gaps, dates and lists have a meaning that only the whole table tells."""
    table = add(table, "gaps", pa.array([None, float("nan"), *range(2, N)], pa.float64()))
    table = add(table, "when", pa.array(range(N), pa.date32()))
    table = add(table, "lists", [[1.0, 2.0]] * N)
    table = add(table, "row", list(range(N)))

    X = open_data(write_as("a.parquet", table), "label").native

    assert X.column_names == ["u", "v", "colour", "gaps", "when", "lists", "row"]
    assert str(X.schema.field("when").type) == "date32[day]"
    assert X.column("gaps").null_count == 1


def test_fields_of_a_csv_that_are_not_plain_numbers_stay_text(text_file):
    """Decimal commas, signs of money and question marks are read where the whole column is seen."""
    path = text_file('u,price,comma,gap,label\n1,$7.50,"1,5",?,a\n2,$8.50,"2,5",3,b\n3,,"1,5",4,a\n')

    X = open_data(path, "label").native

    assert X.column("u").to_pylist() == [1, 2, 3]
    assert X.column("price").to_pylist() == ["$7.50", "$8.50", None]
    assert X.column("comma").to_pylist() == ["1,5", "2,5", "1,5"]
    assert X.column("gap").to_pylist() == ["?", "3", "4"]


# Labels, ids and groups stay as they stand in the file


def test_labels_of_a_csv_are_not_merged_whole_numbers_are_numbers_and_words_are_classes(text_file):
    """1, 01 and 1.0 are three names; class 10 comes after class 9; NA is Namibia, and null may be a class."""
    path = text_file("u,label\n1,1\n2,01\n3,1.0\n4,1\n")

    assert open_data(path, "label").y.tolist() == ["1", "01", "1.0", "1"]

    y = open_data(text_file("u,label\n1,10\n2,9\n3,-1\n4,9\n"), "label").y

    assert y.dtype == np.int64
    assert y.tolist() == [10, 9, -1, 9]

    path = text_file('u,label\n1,NA\n2,nan\n3,null\n4,""\n5,NA\n')

    assert open_data(path, "label").y.tolist() == ["NA", "nan", "null", "", "NA"]


@pytest.mark.parametrize("text", ["+1", "-0", "1e3", "00", "\uff11", "99999999999999999999", " 1"])
def test_other_spellings_of_numbers_stay_text(text, text_file):
    """Only what is written back the same way may become a number."""
    assert open_data(text_file(f"u,label\n1,{text}\n2,2\n3,2\n"), "label").y.tolist() == [text, "2", "2"]


def test_labels_may_be_booleans_categories_numbers_or_dates(table, add, write_as):
    """Whatever repeats can be a class."""
    half = N // 2
    table = add(table, "bool", [True, False] * half)
    table = add(table, "category", pa.array(["s", "t"] * half).dictionary_encode())
    table = add(table, "small", pa.array([1, 2] * half, pa.uint8()))
    table = add(table, "float", [1.0, 2.0] * half)
    table = add(table, "broken", [0.5, 1.5] * half)
    table = add(table, "day", pa.array([0, 1] * half, pa.date32()))
    path = write_as("a.parquet", table)

    def first(label):
        return open_data(path, label, features=("u", "v")).y.tolist()[:2]

    assert first("bool") == [True, False]
    assert first("category") == ["s", "t"]
    assert first("small") == [1, 2]
    assert first("float") == [1.0, 2.0]
    assert first("broken") == ["0.5", "1.5"]
    assert first("day") == ["1970-01-01", "1970-01-02"]


def test_missing_labels_are_none(write_as, text_file):
    """Unlabelled rows are common, and must not become a class unseen; whole numbers beside them stay whole."""
    texts = text_file("u,label\n1,a\n2,\n3,b\n4,\n5,a\n")
    whole = text_file("u,label\n1,1\n2,\n3,2\n4,2\n", "whole.csv")
    floats = write_as("a.parquet", pa.table({"u": [1, 2, 3, 4, 5], "label": [1.0, float("nan"), None, 1.0, 2.0]}))

    assert open_data(texts, "label").y.tolist() == ["a", None, "b", None, "a"]
    assert str(open_data(whole, "label").y.tolist()) == "[1, None, 2, 2]"
    assert str(open_data(floats, "label").y.tolist()) == "[1, None, None, 1, 2]"


@pytest.mark.parametrize("role", ["ids", "groups", "images", "predictions"])
def test_other_columns_have_no_gaps(role, message, text_file):
    """Rows without a group belong to none, or to one: nobody can tell."""
    path = text_file("u,key,label\n1,a,a\n2,,b\n3,b,a\n")

    assert message(path, **{role: "key"}) == (
        "column 'key' has 1 missing value, the first in row 2. Drop these rows, or fill them with a value of their own."
    )


# Labels may have a file of their own


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


# Messages are one line, and guess what was meant


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.arrow"])
def test_hostile_names_and_labels_are_kept_and_shown_in_one_line(table, name, hostile, write_as, message):
    """Names are text of strangers: they must neither break the reader nor the terminal."""
    gaps = pa.array([None, *range(1, N)], pa.float64())
    path = write_as(name, pa.table([table["u"], gaps, table["label"]], names=["u", hostile, "label"]))

    found = message(path, ids=hostile)
    assert found.startswith("column '")
    assert "has 1 missing value, the first in row 1." in found
    assert len(found) < 250
    data = open_data(path, "label")
    assert data.feature_names == ("u", hostile)
    assert data.native.column(hostile).to_pylist() == gaps.to_pylist()
    assert open_data(path, "label", drop=(hostile,)).feature_names == ("u",)

    classes = pa.table([pa.array([0.5, 2.0, 1.0, 0.0]), pa.array([hostile, "b", hostile, "b"])], names=["u", hostile])
    data = open_data(write_as(name, classes), hostile)
    assert (data.label, data.y.tolist()) == (hostile, [hostile, "b", hostile, "b"])


def test_a_mistyped_label_is_recognised(table, write_as, message):
    """Most wrong names are nearly right."""
    path = write_as("a.csv", table)

    assert message(path, "lable") == ("no column 'lable'. Did you mean 'label'? Columns: 'u', 'v', 'colour', 'label'.")
    assert message(path, "LABEL").startswith("no column 'LABEL'. Did you mean 'label'?")
    assert message(path, "zzz") == "no column 'zzz'. Columns: 'u', 'v', 'colour', 'label'."
    assert message(path, ids="colur").startswith("no column 'colur'. Did you mean 'colour'?")
    assert message(path, embedding="emb").startswith("no column 'emb'.")
