"""Pages whose blocks run, names that are documented, and the checks of the site."""

import contextlib
import doctest
import importlib.util
import inspect
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.real_race  # pages show what users see

DOCS = Path(__file__).parents[1] / "docs"
PACKAGES = import_module("bayesfloor")._HOMES[""].split()
PUBLIC = [f"bayesfloor.{name}" for name in import_module("bayesfloor").__all__] + [
    f"bayesfloor.{package}.{name}" for package in PACKAGES for name in import_module(f"bayesfloor.{package}").__all__
]


OTHERS = {
    "bayesfloor.floor.SampledRowsWarning",
    "bayesfloor.forest.ClassForests",  # made by class_forests, not by users
    "bayesfloor.io.InputError",  # an exception: some Pythons find no signature
    "bayesfloor.selection.LabelsSeenWarning",
}


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
    """The folders that the page speaks of: rows with labels, and numbers alone."""
    from pyarrow import table
    from pyarrow.parquet import write_table

    rng = np.random.default_rng(0)
    for name, n in (("rows", 120_000), ("numbers", 40_000)):
        (tmp_path / name).mkdir()
        for number in range(4):
            label = rng.integers(0, 2, n // 4)
            X = rng.normal(size=(n // 4, 2)) + 2 * label[:, None]
            more = {"label": label} if name == "rows" else {}
            write_table(table({"x0": X[:, 0], "x1": X[:, 1], **more}), tmp_path / name / f"{number}.parquet")
    return tmp_path


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesfloor.floor.SampledRowsWarning", "ignore:Port .* is already in use")
def test_every_block_of_the_page_on_scale_gives_what_it_shows(folder):
    """The page is a test."""
    assert run_blocks("scale.md", folder) == (3, 0)


@pytest.mark.slow
def test_every_block_of_the_page_on_decisions_gives_what_it_shows(tmp_path):
    """And draws a picture."""
    assert run_blocks("decide.md", tmp_path) == (6, 0)
    assert len(list(tmp_path.glob("*.png"))) == 6


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
    module, _, last = name.rpartition(".")
    found = getattr(import_module(module), last)
    doc = pytest.importorskip("numpydoc.docscrape").get_doc_object(found)
    told = {
        one.strip("* ") for part in ("Parameters", "Attributes") for entry in doc[part] for one in entry[0].split(",")
    }
    asked = set() if name in OTHERS else {one for one in inspect.signature(found).parameters if not one.startswith("_")}
    assert doc["Summary"][0].endswith(".")
    assert asked <= told
    assert any(line.startswith(">>> ") for line in doc["Examples"])


def test_the_reference_lists_the_public_names_and_no_others():
    """A name that is not there is not found; one that leads nowhere breaks the page."""
    listed, module = set(), ""
    for line in (DOCS / "api" / "index.rst").read_text("utf-8").partition("On the command line")[0].splitlines():
        module = line.removeprefix(".. currentmodule:: ") if line.startswith(".. currentmodule::") else module
        listed |= {f"{module}.{line.strip()}"} if re.fullmatch(r"   \w+", line) else set()
    again = {
        name
        for name in PUBLIC
        if name.count(".") > 1 and name.rpartition(".")[2] in import_module("bayesfloor").__all__
    }
    assert listed == set(PUBLIC) - again


@pytest.mark.parametrize("page", sorted((DOCS / "contributing").glob("*.md")), ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page):
    """A map that leads to a file that was renamed is worse than none."""
    lines = [line for line in page.read_text("utf-8").splitlines() if "a new file" not in line]
    named = set(re.findall(r"(?<!\w)_[a-z_]+\.py", " ".join(lines)))
    there = {path.name for folder in ("src", "benchmarks") for path in (DOCS.parent / folder).rglob("*.py")}
    assert named <= there


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


def test_formulas_keep_an_index_beside_its_letter_and_braces_small():
    """What docutils does otherwise."""
    pytest.importorskip("sphinx")
    to_mathml = load("_extensions/formulas.py").to_mathml
    assert "<msub>" in to_mathml(r"\hat{G}_n", None)
    assert '<mo stretchy="false" lspace="0" rspace="0">{</mo>' in to_mathml(r"a \{b\} c", None)
    assert "<mo>{</mo>" in to_mathml(r"\left\{b\right\}", None)
    assert to_mathml(r"\begin{align*} a &= b \\ c &= d \end{align*}", None, as_block=True).count("<mtr>") == 2
