"""Tests of tables that become numbers."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from tables import KINDS, WORDS, tables

from bayesfloor.io import TablePreparer
from bayesfloor.io._encoders import ONE_HOT, Column
from bayesfloor.io._table_preparer import Prepared, summarize

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=200).tolist()
NAMES = ["Braund, Mr. Owen Harris", "Heikkinen, Miss. Laina", "Allen, Mrs. William Henry", "Palsson, Master. Gosta"]


def prepare(values, name="c", **options):
    """A column beside plain numbers, prepared: what became of it, and its numbers."""
    frame = pd.DataFrame({"plain": RNG.normal(size=len(values)), name: values})
    preparer = TablePreparer(**options)
    numbers = preparer.fit_transform(frame)
    return preparer.columns_[1], numbers[:, 1:]


def kind(name, n=200):
    return KINDS[name][1](np.random.default_rng(1), n)


def with_gaps(values, every=5):
    return [None if i % every == 0 else value for i, value in enumerate(values)]


@given(tables())
def test_frames_of_any_kind_and_order(table):
    """The same table gives the same numbers, bit for bit, by every kind of frame and in any order."""
    first = TablePreparer()
    expected = first.fit_transform(table.pyarrow())
    assert expected.flags.c_contiguous
    assert expected.dtype == np.float64
    assert np.isfinite(expected).all()
    assert len(first.quantity_) == len(first.code_) == len(first.source_) == len(first.get_feature_names_out())
    for frame in table.frames().values():
        preparer = TablePreparer().fit(frame)
        assert preparer.transform(frame).tobytes() == expected.tobytes()
        assert preparer.columns_ == first.columns_
    rows = np.random.default_rng(0).permutation(table.n_rows)
    preparer = TablePreparer()
    assert preparer.fit_transform(table.take(rows).pyarrow()).tobytes() == expected[rows].tobytes()
    assert preparer.columns_ == first.columns_
    names = list(table.columns)[::-1]
    preparer = TablePreparer()
    turned = preparer.fit_transform(table.select(names).pyarrow())
    assert preparer.columns_ == first.columns_[::-1]
    back = np.concatenate([np.flatnonzero(preparer.source_ == j) for j in reversed(range(len(names)))])
    assert turned[:, back].tobytes() == expected.tobytes()
    assert first.transform(table.select(names).pyarrow()).tobytes() == expected.tobytes()


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_digits])
@pytest.mark.parametrize("as_frame", [False, True])
def test_clean_numbers_stay_as_they_are(load, as_frame):
    """Tables of numbers are not touched, dark pixels included, and nothing is said."""
    data = load(as_frame=as_frame).data
    preparer = TablePreparer(strict=True)
    np.testing.assert_array_equal(preparer.fit_transform(data), np.asarray(data))
    assert summarize(preparer.columns_) == ""


def test_clean_categories_are_the_indicators_they_always_were():
    """Up to 40 categories, numbers in object columns and truth values as before."""
    frame = pd.DataFrame(
        {
            "few": kind("category"),
            "40": [f"level {i % 40}" for i in range(200)],
            "objects": pd.Series(NUMBERS, dtype=object),
            "flags": kind("boolean"),
            "dictionary": pd.Categorical(kind("dictionary")),
        }
    )
    preparer = TablePreparer()
    numbers = preparer.fit_transform(frame)
    blocks = [_by_hand(frame[name]) for name in frame]
    assert numbers.tobytes() == np.ascontiguousarray(np.hstack(blocks)).tobytes()
    widths = [block.shape[1] for block in blocks]
    np.testing.assert_array_equal(preparer.source_, np.repeat(np.arange(len(blocks)), widths))
    np.testing.assert_array_equal(preparer.quantity_, np.repeat([_is_number(frame[name]) for name in frame], widths))
    assert all(column.as_is for column in preparer.columns_)


def _is_number(column):
    return all(isinstance(value, int | float | np.number | np.bool_) for value in column.tolist())


def _by_hand(column):
    """Numbers as they are; of categories, in the order of their texts, an indicator each."""
    if _is_number(column):
        return column.to_numpy(dtype=np.float64)[:, None]
    texts = column.astype(str).to_numpy()
    return (texts[:, None] == np.array(sorted(set(texts), key=lambda text: text + "|"))) * ONE_HOT


def test_missing_numbers_are_medians_and_marked():
    """By a column that is no quantity; where all values are equal, only where they are missing is told."""
    column, numbers = prepare([5, None, 5, 5])
    np.testing.assert_array_equal(numbers, [[0], [1], [0], [0]])
    assert (column.role, column.width, column.n_missing) == ("number", 1, 1)

    assert np.isfinite(prepare([1.7e308, 1.6e308, None, -1.7e308, 1.7e308])[1]).all()

    preparer = TablePreparer()
    numbers = preparer.fit_transform(pd.DataFrame({"age": [20, None, 30, 22]}))
    np.testing.assert_array_equal(numbers, [[20, 0], [22, 1], [30, 0], [22, 0]])
    assert preparer.quantity_.tolist() == [True, False]
    assert (
        preparer.columns_[0].treatment == "filled 1 missing value with the median 22, and added a column that marks it"
    )
    assert list(preparer.get_feature_names_out()) == ["age", "age missing"]


def test_missing_categories_have_a_level_of_their_own_unless_marks_are_levels():
    """None, marks and blanks are one level, the last; a mark beside a single other text is as good as that."""
    column, numbers = prepare(["a", None, "b", "?", "N/A", " ", "a"])
    np.testing.assert_array_equal(numbers[:, 2], np.array([0, 1, 0, 1, 1, 1, 0]) * ONE_HOT)
    assert column.n_missing == 4
    assert not column.as_is

    column, numbers = prepare(["+", "-"] * 10)
    assert (column.n_missing, column.width, column.as_is) == (0, 2, True)
    assert numbers.any(axis=0).all()


@pytest.mark.parametrize(
    ("name", "role", "width"),
    [
        ("whole", "number", 1),
        ("dollars", "number", 1),
        ("euros", "number", 1),
        ("percent", "number", 1),
        ("marked", "number", 2),
        ("decimal", "number", 1),
        ("yes or no", "boolean", 1),
        ("boolean", "boolean", 1),
        ("category", "category", 6),
        ("many", "category", 30),
        ("prose", "text", 30),
        ("date text", "date", 4),
        ("moment text", "date", 5),
        ("moment", "date", 5),
        ("clock text", "date", 1),
        ("time", "date", 1),
        ("duration", "date", 1),
        ("list", "list", 3),
        ("code", "code", 1),
        ("ticket", "id", 0),
        ("counter", "counter", 0),
        ("constant", "constant", 0),
        ("empty", "empty", 0),
    ],
)
def test_kinds_of_columns(name, role, width):
    """Each kind gets its role, beside a column that does not stay as it is."""
    frame = pd.DataFrame({"c": pd.Series(kind(name), dtype=object), "gaps": with_gaps(NUMBERS)})
    preparer = TablePreparer().fit(frame)
    assert (preparer.columns_[0].role, preparer.columns_[0].width) == (role, width)


def test_dates_tell_what_differs():
    """Elapsed days, year, month, weekday and hour; those that are the same everywhere are left out."""
    column, numbers = prepare(["2024-01-01", "2024-01-03", None, "2024-02-05"])
    np.testing.assert_array_equal(numbers, [[0, 1, 0, 0], [2, 1, 2, 0], [2, 1, 0, 1], [35, 2, 0, 0]])
    assert column.lossy
    assert "days, month, weekday" in column.treatment
    assert prepare(["2024-01-01"] * 3 + [None])[1].tolist() == [[0], [0], [0], [1]]
    assert prepare(pd.to_datetime(["2024-01-01"] * 3))[0].role == "constant"
    assert prepare(pd.to_datetime([None] * 3))[0].role == "empty"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("region", lambda n: RNG.choice(RNG.integers(10_000, 99_999, 100), n), "code"),
        ("customer_id", lambda n: RNG.integers(1, 80, n), "code"),
        ("plz", lambda n: [f"{v:05d}" for v in RNG.choice(RNG.integers(0, 99_999, 100), n)], "code"),
        ("built", lambda n: RNG.integers(1900, 2024, n), "number"),
        ("price", lambda n: RNG.integers(300, 800, n) * 1000, "number"),
        ("rent", lambda n: RNG.choice([499, 549, 599, 699, 799, 999], n) + 100 * RNG.integers(0, 9, n), "number"),
        ("weight", lambda n: RNG.integers(10_000, 99_999, n), "number"),
        ("age", lambda n: RNG.integers(18, 90, n), "number"),
        ("gain", lambda n: np.where(RNG.random(n) < 0.9, 0, RNG.integers(100, 99_999, n)), "number"),
        ("id", lambda n: RNG.permutation(10 * n)[:n], "id"),
        ("pressure", lambda n: RNG.permutation(10 * n)[:n], "number"),
        ("pressure", lambda n: RNG.permutation(n) + 7000, "counter"),
        ("id", lambda n: RNG.normal(size=n), "number"),
    ],
)
def test_whole_numbers(name, values, role):
    """Codes occur again and again, far apart; ids and counters never twice; quantities are smooth or rounded."""
    assert prepare(list(values(600)), name)[0].role == role


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("hash", [f"{v:032x}" for v in np.random.default_rng(2).integers(2**60, 2**62, 100).tolist()], "id"),
        ("booking", [f"{'ABC'[v % 3]}/5 {v * 37}" for v in range(100)], "id"),
        ("mail", [f"{a}{b}@example.org" for a in "abcdefghij" for b in "klmnopqrst"], "id"),
        ("passenger", NAMES * 25, "id"),
        ("name", [f"{a}nna {b}erg" for a in "ABCDEFGHIJ" for b in "KLMNOPQRST"], "id"),
        ("colour", [f"{a}nna {b}erg" for a in "ABCDEFGHIJ" for b in "KLMNOPQRST"], "category"),
        ("word", [a + b + c for a in "bdfg" for b in "aeiou" for c in "klmnp"], "category"),
        (
            "formula",
            ["C" * (i % 9 + 1) + f"(=O){i}" + "N=1" * (i % 7) + "O2" * (i % 11) for i in range(100)],
            "category",
        ),
        ("item", [f"{'Rr'[v % 2]}ow {v}" for v in range(100)], "id"),
        ("note", [f"patient {v} seen, result {('fine', 'bad')[v % 2]} at {v % 24}h" for v in range(100)], "text"),
        ("review", [" ".join(RNG.choice(WORDS, 6)) for _ in range(30)], "text"),
        ("household", ["2-3", "4-5", "6+", "1"] * 25, "category"),
        ("cabin", [f"C{i}" if i % 5 == 0 else None for i in range(500)], "category"),
        ("日本", ["この商品はとても良いです。また買います" + c * 4 for c in "あいうえおかきくけこさしす"], "text"),
    ],
)
def test_texts(name, values, role):
    """Marks of rows and names of people are left out; words, formulas and prose are used."""
    assert prepare(values, name)[0].role == role


def test_codes():
    """Codes are their places in order, missing ones a code more, and new ones -1."""
    values = np.repeat(RNG.permutation(90_000)[:50] + 10_000, 8).astype(float)
    values[0] = np.nan
    frame = pd.DataFrame({"zip": values})
    preparer = TablePreparer()
    numbers = preparer.fit_transform(frame)[:, 0]
    np.testing.assert_array_equal(np.argsort(np.unique(values[1:])), np.unique(numbers[1:]))
    assert numbers[0] == 50
    assert preparer.code_.tolist() == preparer.quantity_.tolist() == [True]
    assert preparer.transform(pd.DataFrame({"zip": [5, None, values[1]]})).ravel().tolist() == [-1, 50, numbers[1]]


ODD = {
    "number": [f"{number:.2f}" for number in NUMBERS],
    "euros": [f"{number:.2f} €".replace(".", ",") for number in NUMBERS],
    "date": [f"{day.date()}" for day in pd.date_range("2020-01-01", periods=200)],
    "time": [f"{i // 60:02d}:{i % 60:02d}" for i in range(200)],
    "zip": [f"{10_000 + 997 * (i % 50)}" for i in range(200)],
}


@pytest.mark.parametrize(
    ("name", "role", "told"),
    [
        ("number", "number", "3 cells that are not numbers ('<5', 'error') count as missing; read text as numbers; "),
        ("euros", "number", "3 cells that are not numbers ('<5', 'error') count as missing; read text as numbers ("),
        ("date", "date", "3 cells that are not dates ('<5', 'error') count as missing; read text as dates; "),
        ("time", "date", "3 cells that are not times of day ('<5', 'error') count as missing; read text as times "),
        (
            "zip",
            "code",
            "3 cells that are not numbers ('<5', 'error') count as missing; 50 codes, numbered, and one code for 3 ",
        ),
    ],
)
def test_odd_cells_count_as_missing(name, role, told):
    """A few odd texts are as good as gaps, named, and missing in new rows, too; others are refused there."""
    values = pd.Series(ODD[name])
    values[[3, 70, 150]] = ["<5", "error", "error"]
    frame = pd.DataFrame({name: values})
    preparer, other = TablePreparer(), TablePreparer()
    numbers = preparer.fit_transform(frame)
    column = preparer.columns_[0]
    assert (column.role, column.n_missing, column.lossy, column.as_is) == (role, 3, True, False)
    assert column.treatment.startswith(told)
    gaps = frame.replace({"<5": None, "error": None})
    np.testing.assert_array_equal(numbers, other.fit_transform(gaps))
    assert list(preparer.get_feature_names_out()) == list(other.get_feature_names_out())
    np.testing.assert_array_equal(preparer.quantity_, other.quantity_)
    np.testing.assert_array_equal(preparer.code_, other.code_)
    np.testing.assert_array_equal(preparer.transform(frame[60:80]), numbers[60:80])
    with pytest.raises(ValueError, match=r"that would have to be prepared.*error"):
        TablePreparer(strict=True).fit(frame)
    if role == "code":
        assert preparer.transform(pd.DataFrame({name: ["broken"]})).tolist() == [[-1]]
    else:
        with pytest.raises(ValueError, match="broken is not"):
            preparer.transform(pd.DataFrame({name: ["broken"]}))
        assert TablePreparer(roles={name: role}).fit(frame).columns_ == preparer.columns_


@pytest.mark.parametrize(
    "values",
    [
        ODD["number"][:195] + ["<5"] * 5,
        ODD["number"][:194] + [f"<{i}" for i in range(6)],
        [f"{i % 19}" for i in range(199)] + ["error"],
        [f"{i:05d}" for i in range(199)] + ["error"],
        [f"10.0.{i}.{i}" for i in range(199)] + ["error"],
        [f"{1000 + i}" for i in range(198)] + ["error", "007"],
    ],
)
def test_more_odd_cells_make_a_column_text(values):
    """Too many of them, too few numbers, and codes with leading zeros or of several points stay what they were."""
    column, _ = prepare(values)
    assert column.role not in ("number", "date")
    assert "count" not in column.treatment
    with pytest.raises(ValueError, match="are not numbers"):
        prepare(values, roles={"c": "number"})


def test_odd_cells_are_named_in_short():
    """The one line says so, one cell is singular, and hostile ones are short and printable."""
    frame = pd.DataFrame({"c": [*ODD["number"], "\x1b[2J" + "x" * 500]})
    preparer = TablePreparer().fit(frame)
    assert summarize(preparer.columns_) == "Prepared: cells that are not numbers read as missing in c"
    told = preparer.columns_[0].treatment
    assert told.startswith("1 cell that is not a number ('\\x1b[2Jxx")
    assert len(told) < 200
    assert told.isprintable()


def test_text_beside_an_embedding_is_left_out():
    """The embedding speaks for texts, unless these are asked for."""
    frame = pl.DataFrame({"e": kind("list"), "text": kind("prose"), "ticket": kind("ticket"), "sort": kind("category")})
    preparer = TablePreparer().fit(frame)
    assert [column.width for column in preparer.columns_] == [3, 0, 0, 6]
    assert summarize(preparer.columns_) == "Prepared: ticket left out (id); text left out (text beside an embedding)"
    assert TablePreparer(roles={"text": "text"}).fit(frame).columns_[1].width == 30
    assert list(preparer.get_feature_names_out())[:3] == ["e[0]", "e[1]", "e[2]"]


def test_ngrams_put_rows_as_far_apart_as_categories():
    """Two rows are 1 apart on average, and like texts nearer than others."""
    _, numbers = prepare(kind("many"))
    apart = ((numbers[:, None] - numbers[None]) ** 2).sum(axis=2)
    assert apart.mean() == pytest.approx(1)
    _, numbers = prepare(["grey cat", "grey cats", "blue dog"] * 4 + ["red fox"], roles={"c": "text"})
    assert np.linalg.norm(numbers[0] - numbers[1]) < np.linalg.norm(numbers[0] - numbers[2])


@pytest.mark.parametrize(
    ("role", "values", "width"),
    [
        ("number", ["1,5", "2,5"] * 10, 1),
        ("number", kind("code"), 1),
        ("number", ["yes", "no"], 1),
        ("number", list(range(20)), 1),
        ("category", kind("code"), 45),
        ("category", [1.5, None, 2], 3),
        ("category", [f"{i}" for i in range(1001)], 30),
        ("code", ["b", "a"] * 10, 1),
        ("code", ["10", "9"] * 10, 1),
        ("date", kind("date text"), 4),
        ("date", kind("clock text"), 1),
        ("date", kind("duration"), 1),
        ("date", kind("moment"), 5),
        ("text", ["grey cat", "blue dog", "?"] * 4, 2),
        ("text", ["?", "blue dog"] * 4, 1),
        ("text", kind("ticket"), 30),
        ("category", [None, None], 0),
        ("text", [None, None], 0),
        ("number", [None, None], 0),
        ("id", NUMBERS, 0),
        ("group", NUMBERS, 0),
        (["never", "rarely", "often"], ["often", "never", "rarely", None], 2),
        ([3, 1, 2], [1, 2, 3, 3], 1),
    ],
)
def test_roles_given(role, values, width):
    """A role that is given is obeyed, and holds for new rows."""
    frame = pd.DataFrame({"plain": RNG.normal(size=len(values)), "c": values})
    preparer = TablePreparer(roles={"c": role})
    numbers = preparer.fit_transform(frame)
    assert preparer.columns_[1].width == width
    if preparer.columns_[1].role != "empty":
        assert preparer.columns_[1].role == (role if isinstance(role, str) else "ordered")
    np.testing.assert_array_equal(preparer.transform(frame), numbers)
    np.testing.assert_array_equal(preparer.transform(frame.iloc[1:3]), numbers[1:3])


def test_a_given_order():
    column, numbers = prepare(["often", "never", "rarely"], roles={"c": ["never", "rarely", "often"]})
    assert numbers.ravel().tolist() == [2, 0, 1]
    assert column.treatment == "numbered in the given order"


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"d": "number"}, "Got roles for columns d, but expected names among plain, c"),
        ({"c": "colour"}, "Got role 'colour' for column c, but expected one of number, category"),
        ({"c": []}, r"Got role \[\] for column c"),
        ({"c": "number"}, "c: it has values that are not numbers, such as a"),
        ({"c": "date"}, "c: it has values that are not dates in one format, such as a"),
        ({"plain": "date"}, "plain: .* is not a date"),
        ({"c": "ordered"}, "c: an order is needed: list its levels"),
        ({"c": ["a"]}, "c: b is not among the given levels, a"),
    ],
)
def test_roles_that_do_not_fit_are_refused(roles, words):
    """Roles of no column, of no kind, or that the values do not have."""
    with pytest.raises(ValueError, match=words):
        prepare(["a", "b"], roles=roles)


def test_new_rows():
    """New categories have no indicator, gaps are as they were, other formats are refused with all columns."""
    fitted = pd.DataFrame({"a": [1.0, 2, 4], "b": ["x", None, "y"], "c": ["u", "v", "u"], "d": ["1,5", "2,5", "3,5"]})
    preparer = TablePreparer().fit(fitted)
    new = pd.DataFrame({"a": [None], "b": [None], "c": [None], "d": ["?"]})
    np.testing.assert_array_equal(preparer.transform(new), [[2, 0, 0, ONE_HOT, 0, 0, 2.5]])
    new = pd.DataFrame({"d": [7.5], "c": ["w"], "b": ["?"], "a": [3]})
    np.testing.assert_array_equal(preparer.transform(new), [[3, 0, 0, ONE_HOT, 0, 0, 7.5]])
    new = pd.DataFrame({"a": ["many"], "b": ["x"], "c": ["u"], "d": ["1.5"]})
    with pytest.raises(
        ValueError, match=r"Got 2 columns that cannot be turned into numbers .*a: many is not .*; d: 1.5 is not"
    ):
        preparer.transform(new)
    with pytest.raises(ValueError, match="without columns d and with new columns e"):
        preparer.transform(new.rename(columns={"d": "e"}))


def test_new_rows_of_dates_and_lists():
    """Dates may come typed or as text; lists must have their length."""
    frame = pl.DataFrame({"when": kind("moment"), "list": kind("list")})
    preparer = TablePreparer().fit(frame)
    assert preparer.transform(frame.head(1)).shape == (1, 8)
    as_text = frame.with_columns(pl.col("when").dt.to_string("%Y-%m-%d %H:%M:%S"))
    np.testing.assert_array_equal(preparer.transform(as_text), preparer.transform(frame))
    nothing = pd.DataFrame({"when": [None], "list": [None]})
    assert np.isfinite(preparer.transform(nothing)).all()
    with pytest.raises(ValueError, match=r"when: 5 is not a date.*list: got 2 numbers per row instead of 3"):
        preparer.transform(pl.DataFrame({"when": [5], "list": [[1.0, 2.0]]}))


def test_strict_infinite_and_empty_tables_are_refused_with_all_columns():
    """One message names them, what became of them, and what to type."""
    frame = pd.DataFrame({"age": [1, None, 2], "when": ["2020-01-01", "2021-01-01", "2022-01-01"], "sex": list("mfm")})
    with pytest.raises(
        ValueError, match=r"Got 2 columns .*: age \(filled 1 missing .*\); when \(read text as dates.*\)"
    ):
        TablePreparer(strict=True).fit(frame)
    assert TablePreparer(strict=True).fit(frame[["sex"]]).columns_[0].as_is

    with pytest.raises(ValueError, match=r"no usable columns .*a left out: it only numbers the rows.*roles="):
        TablePreparer().fit(pd.DataFrame({"a": range(20), "b": [None] * 20}))
    with pytest.raises(ValueError, match="columns and no rows"):
        TablePreparer().fit(pd.DataFrame({"a": []}))

    frame = pd.DataFrame({"a": [1, np.inf], "b": ["-inf", "2"], "c": [1, 2]})
    with pytest.raises(
        ValueError,
        match=r"a: infinite in 1 row, the first is row 2 \(counted from 1\); b: infinite in 1 row, the first is row 1 ",
    ):
        TablePreparer().fit(frame)
    with pytest.raises(ValueError, match="c: infinite in 1 row"):
        TablePreparer().fit(frame[["c"]]).transform(pd.DataFrame({"c": [np.inf]}))


def test_summary():
    frame = pd.DataFrame(
        {
            "age": with_gaps(NUMBERS),
            "paid": kind("euros"),
            "port": with_gaps(kind("category")),
            "date": kind("date text"),
            "town": kind("many"),
            "note": kind("prose"),
            "zip": kind("code"),
            "ticket": kind("ticket"),
            "row\n": kind("counter"),
            "plain": NUMBERS,
            "q": ["low", "high"] * 100,
        }
    )
    preparer = TablePreparer(roles={"q": ["low", "high"]}).fit(frame)
    assert summarize(preparer.columns_) == (
        "Prepared: ticket left out (id); row\\n left out (row counter); missing values filled in age; missing values "
        "kept as a category in port; text read as numbers in paid; dates turned into numbers in date; free text turned "
        "into numbers in note; codes replaced by class rates in zip; many categories compared by spelling in town; "
        "levels numbered in q"
    )
    assert preparer.columns_[9].to_dict() == {
        "name": "plain",
        "role": "number",
        "treatment": "used as it is",
        "width": 1,
        "n_missing": 0,
        "lossy": False,
        "as_is": True,
    }


@pytest.mark.parametrize("name", ["\x1b[31mred", "a\u202eb", "  ", "=1+1", "<b>", 7])
def test_hostile_names(name):
    """Names of any kind are kept, and printed without harm."""
    frame = pd.DataFrame({name: ["1", "x" * 300, None], "plain": [1, 2, 3]})
    assert TablePreparer().fit(frame).columns_[0].name == str(name)
    with pytest.raises(ValueError, match="would have to be prepared") as caught:
        TablePreparer(strict=True).fit(frame)
    assert str(caught.value).isprintable()


def test_arrays_of_numbers():
    """Numbers in an array are numbers whatever they look like; only gaps are filled."""
    array = np.column_stack([np.arange(20.0), np.ones(20), NUMBERS[:20]])
    preparer = TablePreparer()
    np.testing.assert_array_equal(preparer.fit_transform(array), array)
    array[3, 2] = np.nan
    assert preparer.fit_transform(array).shape == (20, 4)
    assert not hasattr(preparer, "feature_names_in_")
    with pytest.raises(ValueError, match="X has 2 features, but TablePreparer is expecting 3"):
        preparer.transform(array[:, :2])


def test_estimator():
    frame = pd.DataFrame({"a": with_gaps(NUMBERS), "b": kind("many"), "c": kind("dollars")})
    preparer = TablePreparer(roles={"b": "category"}, random_state=3)
    assert clone(preparer).get_params() == {"roles": {"b": "category"}, "strict": False, "random_state": 3}
    preparer.set_params(roles=None)
    with pytest.raises(NotFittedError):
        preparer.transform(frame)
    numbers = preparer.fit_transform(frame)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(preparer)).transform(frame), numbers)  # noqa: S301
    assert list(preparer.feature_names_in_) == ["a", "b", "c"]
    assert preparer.n_features_in_ == 3
    named = clone(preparer).set_output(transform="pandas").fit_transform(frame)
    assert list(named.columns[:3]) == ["a", "a missing", "b 0"]
    labels = np.array(NUMBERS) > 0
    model = make_pipeline(TablePreparer(), LogisticRegression(max_iter=5000)).fit(frame, labels)
    assert model.score(frame, labels) > 0.7
    assert not hasattr(preparer.fit(np.ones((3, 2)) * [[1], [2], [3]]), "feature_names_in_")


@parametrize_with_checks([TablePreparer()])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_many_columns_with_the_same_treatment_share_a_line():
    """Two hundred lines that differ only in their numbers hide the others."""
    filled = "filled {} missing values with the median -{}.5e-3"
    columns = [
        *(Column(f"s{i}", "number", filled.format(i + 10, i), 2, i) for i in range(12)),
        Column("when", "date", "split into 5 numbers", 5),
        Column("used", "number", "", 1, as_is=True),
    ]
    example = "66 missing values in all; for example s0: filled 10 missing values with the median -0.5e-3"

    assert list(Prepared(tuple(columns)).lines()) == [
        ("12 columns", "number", example),
        ("when", "date", "split into 5 numbers"),
    ]
    assert len(list(Prepared(tuple(columns[:10])).lines())) == 10
