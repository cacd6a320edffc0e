"""Tables as people have them: ``check`` prepares them, and says what it did to every column."""

import ast
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bayesfloor
from bayesfloor.cli._terminal import _AS_TYPED

pytestmark = pytest.mark.usefixtures("linear_alone")

N = 150
CODES = np.repeat([0, 1], N // 2)
SIZE = np.round(np.random.default_rng(0).normal(size=N) + 3 * CODES, 3)
GREEK = ["alpha", "beta", "gamma", "delta", "omega", "kappa"]

# One column of each kind as it stands in a CSV, its role, how many columns it becomes, and what -v says of it.
COLUMNS = {
    "size": (SIZE.astype(str).tolist(), "number", 1, None),
    "age": (["" if i % 10 == 3 else f"{20 + i % 37}" for i in range(N)], "number", 2, "filled 15 missing values with"),
    "hue": (
        ["" if i % 7 == 2 else "rgb"[i % 3] for i in range(N)],
        "category",
        4,
        "one indicator each, and one for 22 missing values",
    ),
    "paid": ([f"${1000 + 13 * i:,}.50" for i in range(N)], "number", 1, "amounts in $, thousands comma"),
    "kilos": ([f"{i % 17},{i % 10}" for i in range(N)], "number", 1, "decimal comma"),
    "marked": (["?" if i % 50 == 7 else f"{i % 19}.5" for i in range(N)], "number", 2, "filled 3 missing values"),
    "seen": ([f"{1 + i % 28:02}.{1 + i % 12:02}.20{10 + i % 10}" for i in range(N)], "date", 4, "dates, day first"),
    "ok": ([("yes", "no")[i % 2] for i in range(N)], "boolean", 1, "read yes and no as 1 and 0"),
    "note": ([" ".join(GREEK[i * j % 6] for j in (1, 2, 3, 5)) + f" {i}" for i in range(N)], "text", 30, "n-grams"),
    "town": ([f"Town of {'abcdefghij'[i % 10]}{'vwxyz'[i // 10 % 5]}y" for i in range(N)], "category", 30, "50 diff"),
    "zip": ([f"{10115 + 137 * (i % 45)}" for i in range(N)], "code", 1, "45 codes, numbered"),
    "customer": ([f"K-{10000 + 7 * i}" for i in range(N)], "id", 0, "left out: nearly every row has its own value"),
    "row": ([str(i) for i in range(N)], "counter", 0, "left out: it only numbers the rows"),
    "same": (["1"] * N, "constant", 0, "left out: all its values are equal"),
    "none": ([""] * N, "empty", 0, "left out: it is empty"),
}
NAMES = [("Cat" if i % 10 == 5 else "cat", "dog")[code] for i, code in enumerate(CODES)]
LABELS = ["" if i % 50 == 1 else name for i, name in enumerate(NAMES)]
TOLD = ("--as", "zip=number", "--as", "town=id", "--clean-labels")


def write_csv(path, columns, encoding="utf-8"):
    """Every field in quotes."""
    rows = [columns, *zip(*columns.values(), strict=True)]
    path.write_text("".join(",".join(f'"{field}"' if field else "" for field in row) + "\n" for row in rows), encoding)
    return path


def unwrap(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def messy(tmp_path_factory):
    """A CSV with a column of each kind."""
    columns = {name: given[0] for name, given in COLUMNS.items()}
    return write_csv(tmp_path_factory.mktemp("messy") / "messy.csv", {**columns, "label": LABELS})


@pytest.fixture(scope="module")
def checked(run, messy):
    """What the command says of it with -v, and its JSON."""
    args = ("-y", "label", "-v", "--effort", "quick", "--json", "now.json")
    return run("check", messy.name, *args, cwd=messy.parent), json.loads(messy.with_name("now.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def told(run, messy):
    """The same where the user says more of it."""
    args = ("-y", "label", *TOLD, "-v", "--effort", "quick", "--json", "told.json")
    return run("check", messy.name, *args, cwd=messy.parent), json.loads(
        messy.with_name("told.json").read_text("utf-8")
    )


@pytest.mark.parametrize("name", COLUMNS)
def test_each_kind_of_column_is_prepared_and_told(checked, name):
    """Who does not see what was done cannot trust the number."""
    _, role, width, words = COLUMNS[name]
    ended, found = checked
    column = next(column for column in found["prepared"]["columns"] if column["name"] == name)
    lines = re.findall(rf"^{name} +{role} +\S.*(?:\n {{9}}.*)*", ended.stdout, re.MULTILINE)

    assert (column["role"], column["width"]) == (role, width)
    assert [column["treatment"] in unwrap(line) for line in lines] == [True] * (not column["as_is"])
    assert (words or "") in column["treatment"]


def test_one_line_sums_it_up(checked):
    """Thirteen columns are too many for whoever did not ask."""
    ended, found = checked

    assert ended.code == 0
    assert (
        "Prepared: customer left out (id); row left out (row counter); same left out (constant); none left out (empty)"
        "; missing values filled in age, marked; missing values kept as a category in hue; text read as numbers in "
        "paid, kilos, ok; dates turned into numbers in seen; free text turned into numbers in note; codes replaced by "
        "class rates in zip; many categories compared by spelling in town; 3 rows without a label left out"
    ) in unwrap(ended.stdout)
    assert (
        "BF106 2 labels look like spellings of 1 class: merge them with --clean-labels, or clean_labels=True."
        in unwrap(ended.stdout)
    )
    assert "BF107 1 column of whole numbers looks like codes" in unwrap(ended.stdout)
    assert found["prepared"]["n_unlabelled"] == 3
    assert (found["facts"]["n_rows"], found["facts"]["n_classes"]) == (N - 3, 3)


def test_what_the_user_says_of_columns_and_labels_goes_first(told):
    """Only they know that a zip code is a number here."""
    ended, found = told
    roles = {column["name"]: (column["role"], column["width"]) for column in found["prepared"]["columns"]}

    assert (roles["zip"], roles["town"]) == (("number", 1), ("id", 0))
    assert found["facts"]["n_classes"] == 2
    assert not {"BF106", "BF107"} & {finding["code"] for finding in found["findings"]}
    assert "town      id        left out: it identifies rows" in ended.stdout


def test_the_next_commands_say_it_again(run, told, messy):
    """Else the report would be of other data."""
    commands = [
        shlex.split(line) for line in re.findall(r"bayesfloor report .*?(?=$|  )", told[0].stdout, re.MULTILINE)
    ]
    ended = run(*commands[0][1:], "--json", "again.json", cwd=messy.parent)
    again = json.loads(messy.with_name("again.json").read_text("utf-8"))

    assert commands[0][-len(TOLD) :] == list(TOLD)
    assert ended.code == 0
    assert (again["prepared"], again["verdict"]) == (told[1]["prepared"], told[1]["verdict"])


def test_a_table_of_numbers_is_clean_and_has_nothing_to_tell(run, files):
    ended = run("check", files / "easy.csv", "-y", "label", "-v", "--effort", "quick")

    assert ended.code == 0
    assert "Prepared" not in ended.stdout
    assert "read as" not in ended.stdout

    ended = run("check", files / "easy.csv", "-y", "label", "--strict-input", "--effort", "quick")

    assert (ended.code, ended.stderr) == (0, "")
    assert f"bayesfloor report {files / 'easy.csv'} -y label --effort quick --strict-input" in ended.stdout


def test_strict_input_refuses_all_columns_in_one_line(run, messy):
    """A job that must not guess is told everything at once."""
    ended = run("check", messy.name, "-y", "label", "--strict-input", cwd=messy.parent)

    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.startswith(
        "error: Got 14 columns that would have to be prepared, but with --strict-input expected numbers"
    )
    assert [name for name in COLUMNS if name != "size" and f" {name} (" not in ended.stderr] == []
    assert ended.stderr.endswith("Prepare or drop them, or leave out --strict-input.\n")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("said", _AS_TYPED)
def test_advice_that_is_told_as_typed_is_still_given(said):
    """Were a message worded anew, the terminal would show what only Python understands."""
    texts = [
        node.value
        for package in ("support", "io")
        for path in (Path(bayesfloor.__file__).parent / package).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]

    assert any(said in text for text in texts)


def test_a_column_may_have_an_equals_sign(run, tmp_path):
    """The role is what stands behind the last one."""
    path = write_csv(tmp_path / "a.csv", {"a=b": COLUMNS["zip"][0], "size": COLUMNS["size"][0], "label": LABELS})
    ended = run("check", path, "-y", "label", "--as", "a=b=id", "--effort", "quick")

    assert ended.code == 0
    assert "a=b left out (id)" in ended.stdout


def test_hostile_names_have_a_line_each(run, tmp_path):
    """A name with a line break must not look like two columns."""
    names = ["<b>x</b>", "one\ntwo", "\x1b[31mred\x1b[0m", "\u202eevil\u202c", "标签", ""]
    pq.write_table(with_gaps(names), tmp_path / "a.parquet")
    ended = run("check", "a.parquet", "-y", "label", "-v", "--effort", "quick", cwd=tmp_path)
    lines = [line for line in ended.stdout.splitlines() if "filled 1 missing value" in line]

    assert ended.code == 0
    assert len(lines) == len(names)
    assert all(line.isprintable() for line in ended.stdout.splitlines())


def with_gaps(names):
    """A table whose columns of these names have a gap each."""
    gaps = pa.array([None, *(i % 7 for i in range(1, N))], pa.float64())
    columns = [pa.array(SIZE), *[gaps] * len(names), pa.array(CODES)]
    return pa.table(columns, names=["size", *names, "label"])


def test_other_verbs_prepare_as_they_are_told_too(run, messy):
    """What a column is does not depend on the question."""
    told = ("-y", "label", "--as", "row=id", "--clean-labels")
    found = run("samples", messy.name, *told, cwd=messy.parent)
    grown = run("tree", messy.name, *told, "--format", "json", cwd=messy.parent)
    strict = run("tree", messy.name, "-y", "label", "--strict-input", cwd=messy.parent)

    assert found.code == 0
    assert found.stdout == f"None of {N - LABELS.count('')} labels disagrees with its neighbours\n"
    assert json.loads(grown.stdout)["classes"] == ["cat", "dog"]
    assert strict.code == 2


def test_a_selection_knows_the_roles_it_is_told(run, messy):
    """An id is never chosen."""
    args = ("features", messy.name, "-y", "label", "-x", "size", "-x", "age", "--as", "size=id", "--json", "-")
    path = json.loads(run(*args, cwd=messy.parent).stdout)

    assert "size" not in json.dumps(path)
    assert "age" in json.dumps(path)


def test_files_with_rows_without_a_label_are_compared_by_the_others(run, messy):
    """One label that is missing must not stop anyone."""
    write_csv(messy.parent / "other.csv", {"age": COLUMNS["age"][0], "label": LABELS})
    write_csv(messy.parent / "size.csv", {"size": COLUMNS["size"][0], "label": LABELS})
    ended = run("compare", "size.csv", "other.csv", "-y", "label", "--json", "-", cwd=messy.parent)

    assert ended.code == 0, ended.stderr
    assert "size.csv" in ended.stdout
