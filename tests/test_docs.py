"""Pages whose blocks run, names that are documented, and the checks of the site."""

import contextlib
import doctest
import importlib.util
import inspect
import pkgutil
import re
import shutil
from dataclasses import dataclass
from importlib import import_module
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bayesfloor import BayesFloor, SmartSVM, check
from bayesfloor.forest._blocks import forest_of
from bayesfloor.forest._first_fit import grow_forest
from bayesfloor.forest._prim import squared_distances
from bayesfloor.forest._vertices import find_vertices

pytestmark = pytest.mark.usefixtures("real_race")  # pages show what users see

DOCS = Path(__file__).parents[1] / "docs"
PACKAGES = import_module("bayesfloor")._HOMES[""].split()
PUBLIC = [f"bayesfloor.{name}" for name in import_module("bayesfloor").__all__] + [
    f"bayesfloor.{package}.{name}" for package in PACKAGES for name in import_module(f"bayesfloor.{package}").__all__
]


OTHERS = {
    "bayesfloor.answer.Basis",  # an enumeration: its signature is Python's own
    "bayesfloor.answer.Stopped",
    "bayesfloor.decide.PartName",
    "bayesfloor.summary.Action",
    "bayesfloor.floor.SampledRowsWarning",
    "bayesfloor.forest.ClassForests",  # made by class_forests, not by users
    "bayesfloor.io.InputError",  # an exception: some Pythons find no signature
    "bayesfloor.decide.LabelsSeenWarning",
}


def find(name):
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last)


def pages_with_blocks():
    """Pages written by hand, but for those with tests of their own."""
    made = re.compile(r"^(_|auto_|generated|drawn|results)")
    pages = (page.relative_to(DOCS) for page in sorted(DOCS.rglob("*.md")))
    written = [page for page in pages if not any(map(made.match, page.parts))]
    own = {"decide.md", "scale.md"}
    return [str(page) for page in written if ">>> " in (DOCS / page).read_text("utf-8") and str(page) not in own]


def load(name):
    """A module of the site, which is no package."""
    spec = importlib.util.spec_from_file_location(Path(name).stem, DOCS / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_blocks(name, folder):
    """Run the Python blocks of a page as one session in a folder: how many there are, and how many examples failed."""
    page = DOCS / name
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.stem, str(page), 0)
    with contextlib.chdir(folder):
        return len(blocks), doctest.DocTestRunner().run(test).failed


@pytest.fixture
def folder(tmp_path):
    from pyarrow import table
    from pyarrow.parquet import write_table

    rng = np.random.default_rng(0)
    (tmp_path / "rows").mkdir()
    for number in range(4):
        label = rng.integers(0, 2, 30_000)
        X = rng.normal(size=(30_000, 2)) + 2 * label[:, None]
        write_table(table({"x0": X[:, 0], "x1": X[:, 1], "label": label}), tmp_path / "rows" / f"{number}.parquet")
    return tmp_path


@pytest.mark.slow(nightly=True)
@pytest.mark.filterwarnings("ignore::bayesfloor.floor.SampledRowsWarning", "ignore:Port .* is already in use")
def test_every_block_of_the_page_on_scale_gives_what_it_shows(folder):
    assert run_blocks("scale.md", folder) == (1, 0)


@pytest.mark.slow
def test_every_block_of_the_page_on_decisions_gives_what_it_shows(tmp_path):
    assert run_blocks("decide.md", tmp_path) == (7, 0)
    assert len(list(tmp_path.glob("*.png"))) == 5


@pytest.mark.slow
@pytest.mark.parametrize("name", pages_with_blocks())
def test_every_block_of_a_page_gives_what_it_shows(name, tmp_path):
    """Readers copy them."""
    blocks, failed = run_blocks(name, tmp_path)
    assert blocks > 0
    assert failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_a_summary_its_parameters_and_an_example(name):
    """Doctest runs the example; here it has to be there."""
    found = find(name)
    doc = pytest.importorskip("numpydoc.docscrape").get_doc_object(found)
    told = {
        one.strip("* ") for part in ("Parameters", "Attributes") for entry in doc[part] for one in entry[0].split(",")
    }
    asked = set() if name in OTHERS else {one for one in inspect.signature(found).parameters if not one.startswith("_")}
    assert doc["Summary"][0].endswith(".")
    assert asked <= told
    assert any(line.startswith(">>> ") for line in doc["Examples"])


def listed_names():
    """The names in the tables of the reference, in the order of its pages."""
    lines = [line for page in sorted((DOCS / "api").glob("*.rst")) for line in page.read_text("utf-8").splitlines()]
    places = [i for i, line in enumerate(lines) if line.startswith(".. autosummary::")]
    tables = [takewhile(lambda line: line[:3] in ("", "   "), lines[i + 1 :]) for i in places]
    names = [line.strip().removeprefix("~") for table in tables for line in table if re.fullmatch(r"   ~?[\w.]+", line)]
    return [f"bayesfloor.{name}" for name in names]


def test_the_reference_lists_every_public_name_once_and_no_others():
    """A name that is not there is not found; one that leads nowhere breaks the page."""
    at_top = import_module("bayesfloor").__all__
    again = {name for name in PUBLIC if name.count(".") > 1 and name.rpartition(".")[2] in at_top}
    assert sorted(listed_names()) == sorted(set(PUBLIC) - again)


def own_classes():
    package = import_module("bayesfloor")
    names = [each.name for each in pkgutil.walk_packages(package.__path__, "bayesfloor.")]
    modules = [import_module(name) for name in names if not name.endswith("__main__")]  # which would run
    classes = [(name, it) for module in modules for name, it in vars(module).items() if inspect.isclass(it)]
    return {name: it for name, it in classes if it.__module__.startswith("bayesfloor.")}


def promised(found):
    """What a public function, or a public method or attribute of a public class, says that it returns or holds."""
    if not inspect.isclass(found):
        return [inspect.get_annotations(found).get("return", "")]
    held = [kind for name, kind in inspect.get_annotations(found).items() if not name.startswith("_")]
    members = [getattr(it, "fget", getattr(it, "func", getattr(it, "__func__", it))) for _, it in public_members(found)]
    return held + [inspect.get_annotations(it).get("return", "") for it in members if inspect.isfunction(it)]


def public_members(found):
    """The public members of a class that the package itself defines, unbound."""
    owners = [each for each in found.__mro__ if each.__module__.startswith("bayesfloor")]
    return [(name, it) for each in owners for name, it in vars(each).items() if not name.startswith("_")]


def test_what_a_public_name_returns_has_a_page():
    """A reader who gets an object looks it up."""
    public, own = {name.rpartition(".")[2] for name in PUBLIC}, own_classes()
    records = {"bayesfloor.floor.Counts", "bayesfloor.floor.Fit"}  # their own pages describe their parts
    kinds = [(name, str(kind)) for name in set(PUBLIC) - records for kind in promised(find(name))]
    words = {(word, name) for name, kind in kinds for word in re.findall(r"\b[A-Z]\w+", kind)}
    assert {(word, name) for word, name in words if word in own and word not in public} == set()


def test_what_a_check_and_a_fitted_floor_hold_has_a_page():
    X, y = load_iris(return_X_y=True)
    held = [*values_of(check(X, y, 0.9, effort="quick", predictions=y)), *values_of(BayesFloor().fit(X, y))]
    kinds = {type(it) for it in held if type(it).__module__.startswith("bayesfloor")}
    assert len(kinds) > 12
    assert {kind.__name__ for kind in kinds} <= {name.rpartition(".")[2] for name in PUBLIC}


def values_of(result):
    """The values of the public attributes of a result, and what is in their lists."""
    values = [getattr(result, name) for name in dir(result) if not name.startswith("_") and name != "metadata_routing"]
    return values + [it for value in values if isinstance(value, (list, tuple)) for it in value]


@pytest.mark.parametrize("page", sorted((DOCS / "contributing").glob("*.md")), ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page):
    """A map that leads to a file that was renamed is worse than none."""
    lines = [line for line in page.read_text("utf-8").splitlines() if "a new file" not in line]
    named = set(re.findall(r"(?<!\w)_[a-z_]+\.py", " ".join(lines)))
    there = {path.name for folder in ("src", "benchmarks") for path in (DOCS.parent / folder).rglob("*.py")}
    assert named <= there


@pytest.fixture(scope="module")
def added():
    """What the page on extending adds, by name: each block, run inside the file that its section speaks of."""
    page = (DOCS / "contributing" / "extending.md").read_text("utf-8")
    places = ("formulas._bounds", "hierarchy._cuts", "plotting._display", "forest._neighbours")
    names = {"dataclass": dataclass, "squared_distances": squared_distances}
    for block, place in zip(re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL), places, strict=True):
        inside = names | vars(import_module(f"bayesfloor.{place}"))
        exec(f"from __future__ import annotations\n{block}", inside, names)  # noqa: S102 - a page of ours
    return names


def test_the_bound_and_the_cut_of_the_page_on_extending_work(added, monkeypatch):
    """Whoever copies them starts from code that runs."""
    assert added["conflict_limit"]([0.001, 0.5], 300).tolist() == [0, pytest.approx(0.4293, abs=1e-4)]

    monkeypatch.setitem(import_module("bayesfloor.hierarchy._cuts").CUTS, "lightest_class", added["lightest_class"])
    X, y = load_iris(return_X_y=True)
    assert SmartSVM(cut="lightest_class").fit(X, y).score(X, y) > 0.9


def test_the_display_of_the_page_on_extending_works(added):
    pytest.importorskip("matplotlib")
    floor = BayesFloor().fit(*load_iris(return_X_y=True))
    assert len(added["SoftConfusionDisplay"].from_estimator(floor).frame()) == 3


def test_the_finder_of_the_page_on_extending_leads_to_the_same_forest(added, rng):
    for X, groups in ((rng.normal(size=(300, 3)), None), (rng.integers(0, 5, (300, 3)), rng.integers(0, 9, 300))):
        vertices, _ = find_vertices(X.astype(float), groups)
        edges = grow_forest(vertices, added["BruteFinder"](vertices), 3, 8)
        assert all(map(np.array_equal, edges, forest_of(vertices, 3, "matmul").edges))


GOOD = '<html><head><link rel="stylesheet" href="a.css"></head><body id="top"><p id="here">{}</p></body></html>'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<a href="b.html#there">', None),
        ('<a href="https://example.org">', None),
        ('<a href="c.html">', "broken link: c.html"),
        ('<a href="b.html#nowhere">', "broken link: b.html#nowhere"),
        ('<a href="#nowhere">', "broken link: #nowhere"),
        ('<img src="c.png">', "loads a missing file: c.png"),
        ('<script src="https://example.org/a.js">', "loads from another site: https://example.org/a.js"),
        ('<img src="//example.org/a.png">', "loads from another site: //example.org/a.png"),
    ],
)
def test_the_check_of_the_site_sees_what_leads_nowhere_or_comes_from_elsewhere(tmp_path, capsys, text, fault):
    """A reader without a network sees the whole site, and no link is dead."""
    (tmp_path / "a.css").write_text("p {}", "utf-8")
    (tmp_path / "a.html").write_text(GOOD.format(text), "utf-8")
    (tmp_path / "b.html").write_text(GOOD.format('<b id="there">'), "utf-8")
    assert load("check_links.py").main(tmp_path) == (fault is not None)
    assert fault is None or f"a.html: {fault}" in capsys.readouterr().out


def test_the_check_of_the_site_sees_styles_that_load_from_elsewhere(tmp_path):
    """Fonts are the usual way to call home."""
    (tmp_path / "a.css").write_text('@font-face { src: url("https://example.org/a.woff2"); }', "utf-8")
    assert load("check_links.py").main(tmp_path)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("style", "fault"),
    [
        ("", "the page scrolls sideways"),
        ("overflow-x: hidden", "pre. shows"),
        ("overflow-x: auto", None),
        ("white-space: pre-wrap; overflow-wrap: anywhere", None),
    ],
)
def test_the_check_of_widths_sees_what_is_cut_off(tmp_path, capsys, style, fault):
    """On a phone, what readers can scroll is not cut off."""
    pytest.importorskip("playwright")
    if shutil.which("chromium") is None:
        pytest.skip("needs chromium on the PATH")
    (tmp_path / "a.html").write_text(f'<body><pre class="" style="{style}">{"x" * 500}</pre></body>', "utf-8")

    assert load("check_fit.py").main(tmp_path, [390]) == (fault is not None)
    assert fault is None or f"a.html at 390: {fault}" in capsys.readouterr().out


def test_formulas_keep_an_index_beside_its_letter_and_braces_small():
    pytest.importorskip("sphinx")
    to_mathml = load("_extensions/formulas.py").to_mathml
    assert "<msub>" in to_mathml(r"\hat{G}_n", None)
    assert '<mo stretchy="false" lspace="0" rspace="0">{</mo>' in to_mathml(r"a \{b\} c", None)
    assert "<mo>{</mo>" in to_mathml(r"\left\{b\right\}", None)
    assert to_mathml(r"\begin{align*} a &= b \\ c &= d \end{align*}", None, as_block=True).count("<mtr>") == 2
