"""Files of every kind become features and labels, or one line that says what to do."""

import gzip
import io
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, ipc

from bayesfloor import BayesFloor
from bayesfloor.cli import _files
from bayesfloor.cli._files import DataError, read_data

N = 40
HOSTILE = {
    "HTML": "<script>alert('x')</script>",
    "newline": "one\ntwo",
    "terminal escape": "\x1b[31mred\x1b[0m",
    "long": "n" * 200,
    "emoji": "🐧",
    "CJK": "标签",
    "right to left": "\u202eevil\u202c",
    "Hebrew": "תווית",
    "quotes": 'say "hi", it\'s',
    "blank": " ",
    "glob": "[abc]*?",
    "empty": "",
}


@pytest.fixture
def table(global_random_seed):
    """Two numbers, a colour, and two classes."""
    rng = np.random.default_rng(global_random_seed)
    return pa.table(
        {
            "u": rng.normal(size=N),
            "v": rng.normal(size=N),
            "colour": ["red", "blue"] * (N // 2),
            "label": ["cat"] * (N // 2) + ["dog"] * (N // 2),
        }
    )


def add(table, name, values):
    """The table with one more column."""
    return table.append_column(name, values if isinstance(values, pa.Array) else pa.array(values))


def write_stream(table, path):
    """Arrow's stream format."""
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


def write_file(table, path):
    """Arrow's file format."""
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def write_tsv(table, path):
    """Tabs between fields."""
    pacsv.write_csv(table, path, pacsv.WriteOptions(delimiter="\t"))


def write_packed(table, path):
    """A CSV in gzip."""
    buffer = io.BytesIO()
    pacsv.write_csv(table, buffer)
    Path(path).write_bytes(gzip.compress(buffer.getvalue()))


WRITERS = {
    "a.csv": pacsv.write_csv,
    "a.CSV": pacsv.write_csv,
    "a.txt": pacsv.write_csv,
    "b.txt": write_tsv,
    "a.tsv": write_tsv,
    "a.csv.gz": write_packed,
    "a.Csv.GZ": write_packed,
    "a.parquet": pq.write_table,
    "a.arrow": write_file,
    "stream.arrow": write_stream,
    "a.ipc": write_stream,
    "a.feather": feather.write_feather,
}


def write(path, table):
    """A table in the format of its name; the path as text."""
    WRITERS.get(path.name, pq.write_table if path.suffix == ".parquet" else pacsv.write_csv)(table, str(path))
    return str(path)


def message(path, label="label", **options):
    """The one line that a file is refused with."""
    with pytest.raises(DataError) as caught:
        read_data(str(path), label, **options)
    text = str(caught.value)
    assert text.isprintable()
    assert len(text) < 1000
    return text


def text_file(tmp_path, text, name="a.csv"):
    """A file with this text; the path as text."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def feed(monkeypatch, content):
    """Put bytes on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


# Formats


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_data(tmp_path, table, name):
    """Nobody should have to convert a file to use the command."""
    data = read_data(write(tmp_path / name, table), "label")
    same = read_data(write(tmp_path / "same.parquet", table), "label")

    assert data.name == name
    assert data.label == "label"
    assert data.feature_names == ("u", "v", "colour")
    assert data.X.column("u").to_pylist() == table.column("u").to_pylist()
    assert data.y.tolist() == table.column("label").to_pylist()
    assert data.ids is data.groups is data.images is None
    assert data.fingerprint == same.fingerprint


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_is_read_from_standard_input(tmp_path, table, name, monkeypatch):
    """A pipe has no suffix: the first bytes say what comes."""
    content = Path(write(tmp_path / name, table)).read_bytes()
    feed(monkeypatch, content)

    data = read_data("-", "label")

    assert data.name == "stdin"
    assert data.y.tolist() == table.column("label").to_pylist()
    assert data.feature_names == ("u", "v", "colour")


def test_the_data_fit_the_estimator(tmp_path, table):
    """What is read is there to be fitted, texts included."""
    data = read_data(write(tmp_path / "a.csv", add(table, "flag", [True, False] * (N // 2))), "label")

    fit = BayesFloor(interval="fast").fit(data.X, data.y)

    assert fit.n_features_in_ == 4
    assert fit.classes_.tolist() == ["cat", "dog"]


def test_a_folder_of_parquet_files_is_one_table(tmp_path, table):
    """Large tables come in parts, beside other files."""
    folder = tmp_path / "parts"
    (folder / "more").mkdir(parents=True)
    pq.write_table(table.slice(0, 15), folder / "a.parquet")
    pq.write_table(table.slice(15), folder / "more" / "b.parquet")
    (folder / "README.md").write_text("hello")

    data = read_data(str(folder), "label")

    assert data.name == "parts"
    assert data.y.tolist() == table.column("label").to_pylist()


def test_folders_may_be_named_after_the_class(tmp_path, table):
    """Spark writes a folder for each value."""
    for name in ("cat", "dog"):
        folder = tmp_path / f"label={name}"
        folder.mkdir()
        pq.write_table(table.select(["u", "v"]), folder / "a.parquet")

    data = read_data(str(tmp_path), "label")

    assert data.feature_names == ("u", "v")
    assert sorted(set(data.y)) == ["cat", "dog"]


def test_a_file_with_a_byte_order_mark_and_semicolons_is_read(tmp_path):
    """Excel writes such files."""
    path = text_file(tmp_path, b"\xef\xbb\xbfu;label\r\n1.5;a\r\n2.5;b\r\n3.5;a\r\n")

    data = read_data(path, "label")

    assert data.feature_names == ("u",)
    assert data.X.column("u").to_pylist() == [1.5, 2.5, 3.5]


def test_separators_inside_quotes_do_not_count(tmp_path):
    """A name such as "a;b;c" says nothing about the separator."""
    path = text_file(tmp_path, '"a;b\n;c",u,label\n1,2,x\n2,2,y\n3,1,x\n')

    assert read_data(path, "label").feature_names == ("a;b\n;c", "u")


def test_arrow_types_become_ones_that_can_be_fitted(tmp_path, table):
    """Frames of other tools bring types of their own."""
    numbers = list(range(N))
    table = add(table, "category", pa.array(["s", "t"] * (N // 2)).dictionary_encode())
    table = add(table, "decimal", pa.array([Decimal(i) / 4 for i in numbers]))
    table = add(table, "half", pa.array(np.arange(N, dtype=np.float16)))
    table = add(table, "small", pa.array(numbers, pa.uint8()))
    table = add(table, "large", pa.array(["s", "t"] * (N // 2), pa.large_string()))
    table = add(table, "view", pa.array(["s", "t"] * (N // 2), pa.string_view()))

    data = read_data(write(tmp_path / "a.arrow", table), "label")

    assert data.X.column("decimal").to_pylist()[:3] == [0, 0.25, 0.5]
    assert BayesFloor(interval="fast").fit(data.X, data.y).n_features_in_ == 9


def test_an_arrow_file_is_not_copied(tmp_path, table):
    """A large file should be in memory once, or not at all."""
    path = write(tmp_path / "a.arrow", table)
    before = pa.total_allocated_bytes()

    data = read_data(path, "label", drop=("colour",))

    assert pa.total_allocated_bytes() - before < data.X.nbytes


def test_an_extension_type_is_what_it_stores(tmp_path, table):
    """Tensors of one row are embeddings."""
    kind = pa.fixed_shape_tensor(pa.float32(), [3])
    stored = pa.array([[1.0, 2.0, i] for i in range(N)], pa.list_(pa.float32(), 3))
    table = table.select(["label"]).append_column("tensor", pa.ExtensionArray.from_storage(kind, stored))

    assert read_data(write(tmp_path / "a.arrow", table), "label").X.shape == (N, 3)


# Columns


def test_columns_with_a_part_of_their_own_are_no_features(tmp_path, table):
    """An id among the features makes nonsense of any distance."""
    table = add(table, "key", [f"r{i}" for i in range(N)])
    table = add(table, "patient", [i // 4 for i in range(N)])
    table = add(table, "picture", [f"img/{i}.png" for i in range(N)])

    data = read_data(write(tmp_path / "a.csv", table), "label", id_column="key", groups="patient", image="picture")

    assert data.feature_names == ("u", "v", "colour")
    assert data.ids.tolist() == [f"r{i}" for i in range(N)]
    assert data.groups.tolist() == [i // 4 for i in range(N)]
    assert data.images[3] == str(tmp_path / "img" / "3.png")


def test_addresses_and_whole_paths_of_pictures_stay(tmp_path):
    """Only a relative path needs the folder."""
    path = text_file(tmp_path, "u,label,pic\n1,a,/x/y.png\n2,b,https://e.org/a.png\n3,a,z.png\n")

    data = read_data(path, "label", image="pic")

    assert data.images == ["/x/y.png", "https://e.org/a.png", str(tmp_path / "z.png")]


def test_patterns_choose_columns(tmp_path):
    """Hundreds of pixels cannot be named one by one."""
    path = text_file(tmp_path, "p1,p2,p[1],q,label\n1,2,3,4,a\n2,3,4,5,b\n3,4,5,7,a\n")

    assert read_data(path, "label", features=("p*",)).feature_names == ("p1", "p2", "p[1]")
    assert read_data(path, "label", features=("p*",), drop=("p[1]",)).feature_names == ("p2",)
    assert read_data(path, "label", features=("*",)).feature_names == ("p1", "p2", "p[1]", "q")
    assert read_data(path, "label", drop=("q", "label")).feature_names == ("p1", "p2", "p[1]")


def test_a_dot_in_a_name_is_no_path(tmp_path, table):
    """Parquet writes dots for what lies inside of a column."""
    table = table.rename_columns(["iris.u", "iris.v", "colour", "the.label"])

    data = read_data(write(tmp_path / "a.parquet", table), "the.label")

    assert data.feature_names == ("iris.u", "iris.v", "colour")


def test_what_is_not_chosen_may_hold_anything(tmp_path, table):
    """A dropped column cannot be wrong."""
    table = add(table, "when", pa.array([0] * N, pa.timestamp("s")))
    table = add(table, "gaps", pa.array([None] * N, pa.float64()))

    data = read_data(write(tmp_path / "a.parquet", table), "label", drop=("when", "gaps"))

    assert data.feature_names == ("u", "v", "colour")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_are_read_and_shown_in_one_line(tmp_path, table, name, hostile):
    """Names are text of strangers: they must neither break the reader nor the terminal."""
    text = HOSTILE[hostile]
    gaps = pa.array([None, *range(1, N)], pa.float64())
    table = pa.table([table["u"], gaps, table["label"]], names=["u", text, "label"])
    path = write(tmp_path / name, table)

    found = message(path)
    assert found.startswith("missing values in column '")
    assert "the first in row 1)" in found
    assert len(found) < 250
    assert message(path, "lable").startswith("no column 'lable'. Did you mean 'label'? Columns: 'u', ")
    assert read_data(path, "label", drop=(text,)).feature_names == ("u",)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_labels_and_label_columns_are_kept_as_they_are(tmp_path, name, hostile):
    """A class may be called anything, and keeps its name."""
    text = HOSTILE[hostile]
    table = pa.table([pa.array([0.5, 2.0, 1.0, 0.0]), pa.array([text, "b", text, "b"])], names=["u", text])

    data = read_data(write(tmp_path / name, table), text)

    assert data.label == text
    assert data.y.tolist() == [text, "b", text, "b"]


def test_an_empty_file_name_is_a_line_too():
    """A variable of the shell that is not set comes as an empty name."""
    assert message("", "y").startswith("the name of the file is empty.")


# Labels


def test_labels_of_a_csv_are_not_merged(tmp_path):
    """1, 01 and 1.0 are three names."""
    path = text_file(tmp_path, "u,label\n1,1\n2,01\n3,1.0\n4,1\n")

    assert read_data(path, "label").y.tolist() == ["1", "01", "1.0", "1"]


def test_whole_numbers_of_a_csv_are_numbers(tmp_path):
    """Class 10 comes after class 9."""
    y = read_data(text_file(tmp_path, "u,label\n1,10\n2,9\n3,-1\n4,9\n"), "label").y

    assert y.dtype == np.int64
    assert y.tolist() == [10, 9, -1, 9]


@pytest.mark.parametrize("text", ["+1", "-0", "1e3", "00", "\uff11", "99999999999999999999", " 1"])
def test_other_spellings_of_numbers_stay_text(tmp_path, text):
    """Only what is written back the same way may become a number."""
    assert read_data(text_file(tmp_path, f"u,label\n1,{text}\n2,2\n3,2\n"), "label").y.tolist() == [text, "2", "2"]


def test_words_for_nothing_are_classes_in_the_label(tmp_path):
    """NA is Namibia, and null may be a class; a quoted nothing is the empty name."""
    path = text_file(tmp_path, 'u,label\n1,NA\n2,nan\n3,null\n4,""\n5,NA\n')

    assert read_data(path, "label").y.tolist() == ["NA", "nan", "null", "", "NA"]


@pytest.mark.parametrize("word", ["", "NA", "nan", "null", "NULL", "n/a", "#N/A", '""'])
def test_words_for_nothing_are_missing_among_features(tmp_path, word):
    """As a category or a zero they would mislead."""
    for values in ("1.5,2.5", "red,blue"):
        first, second = values.split(",")
        path = text_file(tmp_path, f"u,w,label\n1,{first},a\n2,{word},b\n3,{second},a\n4,{first},b\n")
        found = message(path)

        assert found == (
            "missing values in column 'w' (1 in 'w', the first in row 2). Fill them first, or pass --drop w"
        )


def test_labels_may_be_booleans_categories_numbers_or_dates(tmp_path, table):
    """Whatever repeats can be a class."""
    half = N // 2
    table = add(table, "bool", [True, False] * half)
    table = add(table, "category", pa.array(["s", "t"] * half).dictionary_encode())
    table = add(table, "small", pa.array([1, 2] * half, pa.uint8()))
    table = add(table, "float", [1.0, 2.0] * half)
    table = add(table, "broken", [0.5, 1.5] * half)
    table = add(table, "day", pa.array([0, 1] * half, pa.date32()))
    path = write(tmp_path / "a.parquet", table)

    def first(label):
        return read_data(path, label, features=("u", "v")).y.tolist()[:2]

    assert first("bool") == [True, False]
    assert first("category") == ["s", "t"]
    assert first("small") == [1, 2]
    assert first("float") == [1.0, 2.0]
    assert first("broken") == ["0.5", "1.5"]
    assert first("day") == ["1970-01-01", "1970-01-02"]


def test_without_a_label_likely_columns_are_named(tmp_path, table):
    """The first thing that people forget."""
    table = add(table, "sex", ["m", "f", "x", "m"] * (N // 4)).rename_columns(["u", "v", "colour", "species", "sex"])
    table = add(table, "year", [2007, 2008, 2009, 2010] * (N // 4))
    path = write(tmp_path / "a.csv", table)

    assert message(path, None) == (
        "which column is the label? Use -y. Candidates with few values: species (2), colour (2), sex (3), year (4)"
    )


def test_without_a_label_or_candidates_columns_are_named(tmp_path):
    """Even then there is something to choose from."""
    path = text_file(tmp_path, "u,v\n1.5,2.5\n2.5,3.5\n3.5,5.5\n")

    assert message(path, None) == "which column is the label? Use -y. No column has few values; there are 'u', 'v'."


def test_a_mistyped_label_is_recognised(tmp_path, table):
    """Most wrong names are nearly right."""
    path = write(tmp_path / "a.csv", table)

    assert message(path, "lable") == ("no column 'lable'. Did you mean 'label'? Columns: 'u', 'v', 'colour', 'label'.")
    assert message(path, "LABEL").startswith("no column 'LABEL'. Did you mean 'label'?")
    assert message(path, "zzz") == "no column 'zzz'. Columns: 'u', 'v', 'colour', 'label'."
    assert message(path, id_column="colur").startswith("no column 'colur'. Did you mean 'colour'?")
    assert message(path, embedding="emb").startswith("no column 'emb'.")


def test_a_label_that_is_none_is_refused(tmp_path, table, global_random_seed):
    """A quantity or an id gives a floor that means nothing."""
    rng = np.random.default_rng(global_random_seed)
    table = add(table, "price", rng.normal(size=N))
    table = add(table, "key", [f"r{i}" for i in range(N)])
    table = add(table, "count", [*range(N - 1), 0])
    table = add(table, "one", ["same"] * N)
    for name in ("a.csv", "a.parquet"):
        path = write(tmp_path / name, table)
        assert message(path, "price").startswith(
            "column 'price' has 40 values in 40 rows and looks like a quantity, not a class."
        )
        assert message(path, "count").startswith("column 'count' has 39 values in 40 rows and looks like a quantity")
        assert message(path, "key").startswith("column 'key' has as many values as rows, 40, and looks like an id")
        assert message(path, "one") == (
            "column 'one' holds one value only, 'same', but expected at least 2 classes. Name another column with -y."
        )


def test_missing_labels_are_counted(tmp_path):
    """Unlabelled rows are common, and must not become a class unseen."""
    csv = text_file(tmp_path, "u,label\n1,a\n2,\n3,b\n4,\n5,a\n")
    parquet = write(tmp_path / "a.parquet", pa.table({"u": [1, 2, 3, 4], "label": [1.0, float("nan"), None, 1.0]}))
    expected = (
        "column 'label' has 2 missing values, the first in row 2. "
        "Drop these rows, or fill them with a value of their own."
    )

    assert message(csv) == expected
    assert message(parquet) == expected


def test_a_label_of_lists_or_of_novels_is_refused(tmp_path):
    """A class has a name, not a text."""
    table = pa.table({"u": [1, 2, 3], "lists": [[1], [2], [1]], "novel": ["a" * 5000, "b", "b"], "inf": [1, 2, np.inf]})
    path = write(tmp_path / "a.parquet", table)

    assert message(path, "lists") == "column 'lists' holds list<element: int64>, but expected texts or numbers."
    assert message(path, "novel").startswith("column 'novel' has a label of 5,000 characters, 'aaa")
    assert message(path, "inf").startswith("column 'inf' has infinite labels.")


def test_labels_that_numpy_would_merge_are_refused(tmp_path):
    """NumPy drops zero bytes at the end of a text, and with them a class."""
    path = write(tmp_path / "a.parquet", pa.table({"u": [1, 2, 3], "label": ["a", "a\0", "a"]}))

    assert "trailing zero bytes" in message(path)


def test_a_label_that_is_also_the_groups_is_refused(tmp_path, table):
    """All edges inside a class forbidden: any floor would be a lie."""
    path = write(tmp_path / "a.csv", table)

    assert message(path, groups="label") == (
        "column 'label' is given as -y and as --groups. Name another column for one."
    )


# Features that cannot be used


def test_missing_and_infinite_numbers_name_their_columns(tmp_path, table):
    """Which column, how many, what to do."""
    gaps = {f"g{i}": pa.array([1.0, None, float("nan")] + [1.0] * (N - 3)) for i in range(7)}
    many = pa.table({**gaps, "label": table["label"]})
    wild = add(table, "w", [1.0, float("inf"), -float("inf")] + [0.0] * (N - 3))

    assert message(write(tmp_path / "a.parquet", many)) == (
        "missing values in columns 'g0', 'g1', 'g2', 'g3', 'g4' and 2 more (2 in 'g0', the first in row 2). "
        "Fill them first, or pass --drop NAME"
    )
    assert message(write(tmp_path / "b.parquet", wild)) == (
        "infinite values in column 'w', the first in row 2. Replace them first, or pass --drop w"
    )


def test_texts_that_are_no_categories_are_refused(tmp_path, table):
    """A thousand columns of zeros and ones drown every other feature."""
    n = 3000
    many = pa.table({"u": range(n), "word": [f"w{i % 1001}" for i in range(n)], "label": ["a", "b"] * (n // 2)})
    names = add(add(table, "name", [f"r{i}" for i in range(N)]), "full name", [f"s{i % 38}" for i in range(N)])

    assert message(write(tmp_path / "many.csv", many)) == (
        "column 'word' with too many different texts to be categories (1,001 in 3,000 rows): encode or embed first, "
        "or pass --drop word"
    )
    assert message(write(tmp_path / "a.csv", names)) == (
        "columns 'name', 'full name' with too many different texts to be categories (40 in 40 rows): "
        "encode or embed first, or pass --drop name --drop 'full name'"
    )


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_dates_and_nested_types_are_refused(tmp_path, table, name):
    """A date has no distance until someone says in what."""
    dates = add(table, "when", pa.array(range(N), pa.date32()))

    assert message(write(tmp_path / name, dates)) == (
        "column 'when' with dates or times: turn them into numbers first, or pass --drop when"
    )
    if name == "a.parquet":
        nested = add(table, "box", [{"a": 1}] * N)
        assert message(write(tmp_path / name, nested)) == (
            "column 'box' with struct<a: int64>, but expected numbers or texts: encode or embed first, or pass "
            "--drop box"
        )


@pytest.mark.parametrize("odd", ["?", "1;2", "missing"])
def test_a_text_among_numbers_is_refused(tmp_path, odd):
    """A question mark would turn a column of numbers into categories."""
    path = text_file(tmp_path, f"u,w,label\n1,1,a\n2,{odd},b\n3,1,a\n4,1,b\n")

    assert message(path).startswith(f"column 'w' holds numbers, but also the text '{odd}' in row 2.")


def test_decimal_commas_are_refused(tmp_path):
    """As categories 1,5 and 1,6 would be as far apart as 1,5 and 900."""
    path = text_file(tmp_path, "u;label\n1,5;a\n2,5;b\n1,5;a\n")

    assert "column 'u' holds numbers, but also the text '1,5' in row 1. Write numbers as 1.5" in message(path)


@pytest.mark.parametrize("column", ["", "Unnamed: 0", "id", "index"])
def test_numbers_of_rows_are_no_feature(tmp_path, column):
    """Where rows are sorted by class, their numbers tell the class."""
    path = text_file(tmp_path, f"{column},u,label\n0,1,a\n1,3,a\n2,2,b\n3,5,b\n")

    assert "only counts the rows and is no feature" in message(path)
    assert read_data(path, "label", id_column=column).ids.tolist() == [0, 1, 2, 3]
    assert read_data(path, "label", drop=(column,)).feature_names == ("u",)


def test_patterns_that_match_nothing_are_refused(tmp_path, table):
    """A silent typo would change what is measured."""
    path = write(tmp_path / "a.csv", table)

    assert message(path, drop=("colur",)) == (
        "no column matches --drop 'colur'. Did you mean 'colour'? Columns: 'u', 'v', 'colour', 'label'."
    )
    assert message(path, features=("pixel*",)).startswith("no column matches --features 'pixel*'. Columns: 'u', ")
    assert message(path, drop=("*",)).startswith("no columns are left as features")


@pytest.mark.parametrize("name", ["a.csv", "a.arrow"])
def test_columns_of_one_name_are_refused(tmp_path, table, name):
    """One of the two would be lost."""
    path = write(tmp_path / name, table.rename_columns(["u", "u", "colour", "label"]))

    assert message(path) == f"{name} has several columns named 'u'. Rename them first."


# Files that cannot be used


def test_a_file_that_is_not_there_names_close_ones(tmp_path, table):
    """Most wrong paths are nearly right."""
    write(tmp_path / "train.csv", table)

    assert message(tmp_path / "trian.csv").endswith("trian.csv'. Did you mean 'train.csv'?")
    assert "There is no folder" in message(tmp_path / "no" / "train.csv")
    assert message(tmp_path / "x.npy").endswith("Check the path.")
    assert "cannot be opened" in message(tmp_path / ("n" * 300 + ".csv"))


def test_folders_without_tables_are_refused(tmp_path):
    """Folders of pictures are for another tool."""
    assert message(tmp_path).endswith("holds no .parquet files. It is empty.")
    (tmp_path / "b.jpg").touch()
    assert message(tmp_path).endswith("holds no .parquet files. It has 'b.jpg'. Name one file.")


def test_an_unknown_suffix_lists_those_known(tmp_path):
    """So that one knows what to convert to."""
    found = message(text_file(tmp_path, "x", "a.xlsx"))

    assert found.startswith("a.xlsx is of no known kind. Expected a name that ends in .csv, .tsv, ")
    assert ".parquet" in found


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.parquet", "a.arrow", "a.npz", "a.npy"])
def test_empty_files_are_refused(tmp_path, name):
    """A download that failed."""
    assert message(text_file(tmp_path, "", name)) == (f"{name} is empty. Expected columns of features and labels.")


def test_empty_standard_input_is_refused(monkeypatch):
    """The command before the pipe failed."""
    feed(monkeypatch, b"")

    assert message("-").startswith("standard input is empty.")


def test_blank_text_is_refused(tmp_path):
    """Lines without fields are no table."""
    assert message(text_file(tmp_path, "\n\n\n")) == "a.csv is empty. Expected columns of features and labels."


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.arrow", "a.feather", "a.ipc"])
@pytest.mark.parametrize("label", ["label", None])
def test_tables_without_rows_are_refused(tmp_path, table, name, label):
    """A filter that let nothing through."""
    path = write(tmp_path / name, table.slice(0, 0))

    assert message(path, label) == f"{name} has columns but no rows. Expected a row for every sample."


def test_a_header_without_an_end_has_no_rows(tmp_path):
    """What pyarrow says here speaks of blocks."""
    assert "has columns but no rows" in message(text_file(tmp_path, "u,label"))


@pytest.mark.parametrize(
    ("name", "kind"), [("a.parquet", "Parquet"), ("a.arrow", "Arrow"), ("a.npz", "npz"), ("a.csv.gz", "CSV")]
)
def test_broken_contents_name_the_format(tmp_path, table, name, kind):
    """Half a download, or a wrong suffix."""
    whole = tmp_path / "whole.npz"
    np.savez(whole, X=np.zeros((50, 3)), y=np.arange(50) % 2)
    content = (whole if kind == "npz" else Path(write(tmp_path / name, table))).read_bytes()
    path = text_file(tmp_path, content[: len(content) // 2], name)

    assert message(path).startswith(f"{name} cannot be read as {kind}: ")
    if kind != "CSV":
        assert f"{name} " in message(text_file(tmp_path, "nonsense" * 10, name))


def test_text_in_other_encodings_is_refused(tmp_path):
    """Guessing an encoding would guess the classes' names."""
    latin = "u,label\n1,café\n2,b\n3,b\n".encode("latin-1")
    wide = "u,label\n1,a\n2,b\n".encode("utf-16")

    assert message(text_file(tmp_path, latin)) == "a.csv is not UTF-8 text. Save it as UTF-8 first."
    assert message(text_file(tmp_path, wide)) == "a.csv is not UTF-8 text. Save it as UTF-8 first."


def test_bytes_that_are_no_text_far_down_are_refused(tmp_path):
    """The reader of the header sees the beginning only."""
    rows = b"".join(b"1,a,x\n2,b,y\n" for _ in range(20_000))
    label = text_file(tmp_path, b"u,label,w\n" + rows + b"1,\xff,x\n")
    feature = text_file(tmp_path, b"u,label,w\n" + rows + b"1,a,\xff\n", "b.csv")

    assert "UTF" in message(label)
    assert "column 'w' with binary" in message(feature)


def test_ragged_rows_are_named_by_their_line(tmp_path):
    """A comma inside of a text is the usual cause; lines are what an editor shows."""
    path = text_file(tmp_path, 'u,label\n1,"a\nb"\n\n2,b\n3,c,d\n4,b\n')

    assert message(path) == (
        "line 6 of a.csv has 3 fields, but expected 2 as in the header. "
        "Mend the line, or put quotes around texts that hold the separator."
    )


def test_a_table_without_names_is_refused(tmp_path):
    """Else the first row would go lost, and the label have a strange name."""
    path = text_file(tmp_path, "5.1,3.5,1.4,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n")

    assert message(path, None).startswith(
        "the first line of a.csv holds numbers, such as '5.1', but expected the names"
    )


def test_numbers_may_be_names(tmp_path):
    """Tables made from arrays have columns 0, 1, 2."""
    assert read_data(text_file(tmp_path, "0,1,2\n1,2,1\n2,3,0\n4,4,1\n"), "2").feature_names == ("0", "1")


def test_hostile_file_names_are_shown_in_one_line(tmp_path):
    """A file may be called anything, too."""
    for text in HOSTILE.values():
        if text and "/" not in text:
            message(text_file(tmp_path, "x", f"{text[:100]}.xls"))
            message(tmp_path / f"{text[:100]}.csv")


# Embeddings

LISTS = [[0.5, 1.0], [1.5, 2.0], [2.5, 3.0], [3.5, 4.0]]
KINDS = {
    "list": pa.list_(pa.float32()),
    "large list": pa.large_list(pa.float64()),
    "fixed size": pa.list_(pa.float32(), 2),
    "half": pa.list_(pa.float16()),
}


def embedded(values, kind=None, **more):
    """A table of lists and labels."""
    n = len(values)
    return pa.table({"emb": pa.array(values, kind), "label": (["a", "b"] * n)[:n], **more})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("embedding", ["emb", None])
def test_a_column_of_lists_is_an_array(tmp_path, kind, embedding):
    """Embeddings are stored like that."""
    values = pa.array([[float(x) for x in row] for row in LISTS], pa.list_(pa.float32())).cast(KINDS[kind])
    table = embedded(LISTS).set_column(0, "emb", values)
    data = read_data(write(tmp_path / "a.arrow", table), "label", embedding=embedding)

    assert data.X.tolist() == LISTS
    assert data.X.dtype in (np.float32, np.float64)
    assert data.feature_names == ("emb[0]", "emb[1]")


def test_lists_in_several_pieces_are_one_array(tmp_path):
    """Large files come in groups of rows."""
    path = tmp_path / "a.parquet"
    pq.write_table(embedded(LISTS * 5), path, row_group_size=3)

    assert read_data(str(path), "label").X.tolist() == LISTS * 5


def test_whole_numbers_in_lists_become_floats(tmp_path):
    """Counts are embeddings as well."""
    data = read_data(write(tmp_path / "a.parquet", embedded([[1, 2], [3, 4], [5, 6]])), "label")

    assert data.X.dtype == np.float64


def test_ids_beside_the_lists_do_not_matter_but_features_do(tmp_path):
    """What could be meant otherwise must be asked."""
    ids = embedded(LISTS, name=["r", "s", "t", "u"])
    rival = embedded(LISTS, age=[1, 2, 2, 4])
    two = embedded(LISTS, other=LISTS)

    assert read_data(write(tmp_path / "a.parquet", ids), "label").X.shape == (4, 2)
    assert message(write(tmp_path / "b.parquet", rival)) == (
        "column 'emb' with lists of numbers beside 'age': pass --embedding emb to use the lists, or --drop emb to use "
        "the rest"
    )
    assert message(write(tmp_path / "c.parquet", two)).startswith("columns 'emb', 'other' with lists of numbers: pass")
    assert read_data(str(tmp_path / "b.parquet"), "label", embedding="emb").X.shape == (4, 2)
    assert read_data(str(tmp_path / "b.parquet"), "label", drop=("emb",)).feature_names == ("age",)


def test_lists_that_are_no_rows_name_the_first_bad_one(tmp_path):
    """One broken row in a million must be found."""

    def refused(values, kind=None):
        return message(write(tmp_path / "a.parquet", embedded(values, kind)), embedding="emb")

    assert refused([[1.0, 2.0], [1.0], [1.0, 3.0]]) == (
        "column 'emb' has a list of 1 in row 2, but expected 2 numbers as in other rows (1 such row). "
        "Mend or drop them."
    )
    assert refused([None, [1.0, 2.0], [1.0, 2.0]]).startswith("column 'emb' has no list in row 1, but expected 2")
    assert refused([None, [1.0, 2.0], [1.0, 2.0]], pa.list_(pa.float32(), 2)).startswith("column 'emb' has no list in")
    assert refused([[1.0, 2.0], [1.0, 2.0], [1.0, None]]).startswith(
        "column 'emb' has a missing number in the list of row 3."
    )
    assert refused([[1.0, 2.0], [1.0, float("nan")], [1.0, 1.0]]).startswith(
        "column 'emb' has missing or infinite numbers in 1 row, the first in row 2."
    )
    assert refused([[], [], []], pa.list_(pa.float32())).startswith("column 'emb' holds empty lists only")


def test_a_missing_number_in_a_later_piece_has_the_right_row(tmp_path):
    """Rows count from the start of the file, not of the piece."""
    path = str(tmp_path / "a.arrow")
    good = embedded(LISTS)
    bad = embedded([*LISTS[:2], [None, 1.0]])
    write_file(pa.concat_tables([good, bad]), path)

    assert "the list of row 7." in message(path)


def test_lists_written_as_text_are_parsed_when_named(tmp_path):
    """A CSV has no lists of its own."""
    text = 'emb,label\n"[0.5, 1]",a\n"[1.5, 2]",b\n"[2.5, 3e0]",a\n'
    path = text_file(tmp_path, text)

    assert read_data(path, "label", embedding="emb").X.tolist() == [[0.5, 1.0], [1.5, 2.0], [2.5, 3.0]]
    assert "encode or embed first, pass --embedding emb, or pass --drop emb" in message(path)


def test_rows_longer_than_a_block_are_read(tmp_path, monkeypatch):
    """A list of a large embedding may be longer than what is read at a time."""
    monkeypatch.setattr(_files, "_BLOCK", 500)
    long = str([0.5] * 400)
    path = text_file(tmp_path, f'emb,label\n"{long}",a\n"{long}",b\n"{long}",a\n')

    assert read_data(path, "label", embedding="emb").X.shape == (3, 400)


@pytest.mark.parametrize("text", ["oops", "", "[0.5", "[1, null]", "{}", "7", '["x"]', "[[1], [2]]"])
def test_text_that_is_no_list_names_its_row(tmp_path, text):
    """JSON can be many things."""
    quoted = text.replace('"', '""')
    path = text_file(tmp_path, f'emb,label\n"[0.5, 1]",a\n"{quoted}",b\n"[2.5, 3]",a\n')

    assert message(path, embedding="emb").startswith(f"column 'emb' holds '{text}' in row 2, but expected a list")


def test_a_named_embedding_must_be_lists(tmp_path, table):
    """Else it is a plain column, and the name a mistake."""
    path = write(tmp_path / "a.parquet", table)

    assert message(path, embedding="u") == "column 'u' holds double, but --embedding expects lists of numbers."
    assert message(path, embedding="u", features=("v",)).startswith("--features and --embedding are both given")
    assert message(path, embedding="label").startswith("column 'label' is given as -y and as --embedding.")


# NumPy


@pytest.fixture
def arrays(global_random_seed):
    """Features and labels."""
    rng = np.random.default_rng(global_random_seed)
    return rng.normal(size=(N, 3)), np.arange(N) % 2


def save(path, **arrays):
    """A .npz; the path as text."""
    np.savez(path, **arrays)
    return str(path)


def test_a_npz_has_x_and_y(tmp_path, arrays, monkeypatch):
    """The usual names need no flags, from a pipe as well."""
    X, y = arrays
    path = save(tmp_path / "a.npz", X=X, y=y, key=np.arange(N), pic=np.array(["p.png"] * N))

    data = read_data(path, None, id_column="key", groups="key", image="pic")

    assert np.array_equal(data.X, X)
    assert data.y.tolist() == y.tolist()
    assert data.feature_names == ("x0", "x1", "x2")
    assert data.label == "y"
    assert data.ids.tolist() == data.groups.tolist() == list(range(N))
    assert data.images[0] == str(tmp_path / "p.png")
    feed(monkeypatch, Path(path).read_bytes())
    assert read_data("-", None).fingerprint == data.fingerprint


def test_arrays_of_other_names_are_found_or_asked_for(tmp_path, arrays):
    """Two arrays are clear, four are not."""
    X, y = arrays
    two = save(tmp_path / "two.npz", data=X, target=y)
    four = save(tmp_path / "four.npz", train=X, y_train=y, test=X, y_test=y)

    assert read_data(two, None).label == "target"
    assert message(four, None) == (
        "which array holds the features? Use --embedding. "
        "Arrays: train (40, 3), y_train (40,), test (40, 3), y_test (40,)"
    )
    assert message(four, None, embedding="train").startswith("which array holds the labels? Use -y. Arrays: train")
    assert message(four, "y_trian", embedding="train").startswith("no array 'y_trian'. Did you mean 'y_train'? Arrays:")
    assert read_data(four, "y_train", embedding="train").X.shape == (N, 3)


def test_arrays_of_pictures_are_laid_flat(tmp_path, arrays):
    """Pixels are features; bytes and texts are labels."""
    path = save(tmp_path / "a.npz", X=np.arange(N * 4, dtype=np.uint8).reshape(N, 2, 2), y=np.array([b"a", b"b"] * 20))

    data = read_data(path, None, drop=("x0",))

    assert data.X.shape == (N, 3)
    assert data.y.tolist()[:2] == ["a", "b"]
    assert arrays


def test_pickles_are_never_read(tmp_path, arrays):
    """A pickle runs what its author wants."""
    X, y = arrays
    path = save(tmp_path / "a.npz", X=X, y=y.astype(object))
    np.save(tmp_path / "a.npy", X.astype(object))

    assert message(path, None) == (
        "array 'y' holds Python objects, which are not read. Save it again as numbers or texts."
    )
    assert message(tmp_path / "a.npy", "0").startswith("a.npy holds Python objects, which are not read.")


def test_arrays_that_do_not_fit_are_refused(tmp_path, arrays):
    """Shapes are the usual mistake."""
    X, y = arrays
    wild = X.copy()
    wild[4, 1] = np.nan
    path = tmp_path / "a.npz"

    assert message(save(path, X=X, y=y[:-1]), None) == (
        "there are 39 labels, but there are 40 rows of features. Expected as many, in the same order."
    )
    assert message(save(path, X=X, y=y, key=y[:3]), None, id_column="key").startswith("array 'key' has 3 values, but")
    assert message(save(path, X=X[:, 0], y=y), None).startswith("array 'X' has shape (40,), but expected rows and")
    assert message(save(path, X=X.astype(str), y=y), None).startswith("array 'X' holds <U32, but expected numbers.")
    assert message(save(path, X=X, y=np.eye(N)), None).startswith("array 'y' has shape (40, 40) and type float64, but")
    assert message(save(path, X=wild, y=y), None).startswith("array 'X' has missing or infinite numbers in 1 row, the")
    assert message(save(path, X=X, y=np.where(y, np.nan, 1)), None).startswith("column 'y' has 20 missing values")


@pytest.mark.parametrize("label", ["3", "-1"])
def test_a_npy_may_hold_its_labels_in_a_column(tmp_path, arrays, label):
    """One matrix is the simplest file there is."""
    X, y = arrays
    np.save(tmp_path / "a.npy", np.column_stack([X, y]))

    data = read_data(str(tmp_path / "a.npy"), label)

    assert np.array_equal(data.X, X)
    assert data.y.dtype == np.int64
    assert data.y.tolist() == y.tolist()
    assert data.label == label


def test_a_npy_without_labels_says_how_to_give_them(tmp_path, arrays):
    """It has no names to choose from."""
    np.save(tmp_path / "a.npy", arrays[0])
    path = tmp_path / "a.npy"

    assert message(path, None) == (
        "which column is the label? a.npy has no names: pass its number, such as -y -1 for the last, "
        "or the labels' own file with --labels-file"
    )
    assert message(path, "3") == (
        "no column '3'. a.npy has no names: expected a number from 0 to 2, or -1 for the last."
    )
    assert message(path, "1").startswith("column '1' has 40 values in 40 rows and looks like a quantity, not a class.")
    assert message(path, "1", id_column="key").startswith("a.npy has no columns with names, so --id cannot be used.")
    assert "so --embedding cannot be used" in message(path, "1", embedding="key")


@pytest.mark.parametrize("name", ["y.npy", "y.npz", "y.txt", "y.csv", "named.csv", "table.csv", "y.parquet"])
def test_labels_may_have_a_file_of_their_own(tmp_path, arrays, name):
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
        save(tmp_path / name, animal=words)
    elif name == "y.parquet":
        pq.write_table(pa.table({"animal": words}), tmp_path / name)
    else:
        text_file(tmp_path, contents[name], name)

    label = "animal" if name == "table.csv" else None
    data = read_data(path, label, labels_file=str(tmp_path / name))

    assert data.y.tolist() == words.tolist()
    assert data.X.shape == (N, 3)


def test_a_labels_file_of_another_length_is_refused(tmp_path, arrays):
    """Labels that slip by one row are wrong everywhere."""
    np.save(tmp_path / "X.npy", arrays[0])
    path = str(tmp_path / "X.npy")

    def refused(lines):
        return message(path, None, labels_file=text_file(tmp_path, "\n".join(lines), "y.txt"))

    assert refused(["a", "b"] * 30) == (
        "y.txt has 60 labels, but there are 40 rows of features. Expected as many, in the same order."
    )
    assert refused(["a", "b"] * 20 + ["a"]).startswith("y.txt has 41 labels, but there are 40 rows")
    assert refused(["a", ""] * 20 + ["a"]).startswith("column 'label' has 20 missing values, the first in row 2.")
    assert message(path, None, labels_file=str(tmp_path / "z.txt")).endswith("Did you mean 'y.txt'?")


def test_a_labels_file_serves_tables_as_well(tmp_path, table):
    """All columns are features then."""
    path = write(tmp_path / "a.csv", table.select(["u", "v"]))

    data = read_data(path, None, labels_file=text_file(tmp_path, "a\nb\n" * (N // 2), "y.txt"))

    assert data.feature_names == ("u", "v")
    assert data.y.tolist() == ["a", "b"] * (N // 2)


# Fingerprints


def test_the_fingerprint_changes_with_what_is_used_and_nothing_else(tmp_path, table):
    """Two results may be compared only if they speak of the same data."""
    path = write(tmp_path / "a.csv", table)
    more = write(tmp_path / "more.csv", add(table, "extra", range(N)))
    swapped = write(tmp_path / "b.csv", table.set_column(3, "label", [table["label"].to_pylist()[::-1]]))
    first = read_data(path, "label").fingerprint

    assert len(first) == 64
    assert read_data(more, "label", drop=("extra",)).fingerprint == first
    assert read_data(more, "label").fingerprint != first
    assert read_data(swapped, "label").fingerprint != first
    assert read_data(path, "colour").fingerprint != first
    assert read_data(path, "label", drop=("colour",)).fingerprint != first


def test_missing_pyarrow_says_what_to_install(tmp_path, table, monkeypatch):
    """It comes with an extra that may have been left out."""
    path = write(tmp_path / "a.csv", table)
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    assert message(path).endswith("python -m pip install 'bayesfloor[cli]'")
