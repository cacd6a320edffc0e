"""The pages of results: all that was measured is told, losses first, and what is older than the code says so."""

import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(benchmark_module):
    return benchmark_module("results_page")


@pytest.fixture(scope="module")
def folder(page, tmp_path_factory):
    """All pages."""
    made = tmp_path_factory.mktemp("pages")
    page.write_pages(made)
    return made


@pytest.fixture(scope="module")
def read(page):
    """Reader of a benchmark's results, which are judged once."""
    return cache(lambda name: page.read_benchmark(RESULTS, name))


NAMES = sorted(path.stem for path in RESULTS.glob("*.json"))


@pytest.mark.parametrize("name", NAMES)
def test_every_file_of_results_has_a_page_that_tells_what_made_it(folder, read, name):
    """A figure without its machine, versions, day and command cannot be checked."""
    text = (folder / "pages" / f"{name}.md").read_text("utf-8")
    results = read(name).results
    facts = results["machine"]
    told = (f"python -m benchmarks.{name}", facts["cpu"], facts["python"], results["measured"])
    assert all(part in text for part in told)
    assert all(f"{package} {number}" in text for package, number in facts["versions"].items())
    assert "{{" not in text


@pytest.mark.parametrize("name", NAMES)
def test_every_missed_goal_stands_on_the_index_before_those_that_were_met(folder, page, read, name):
    """Losses are not hidden."""
    missed = (folder / "index.md").read_text("utf-8").partition("## Goals met")[0]
    for goal in read(name).missed:
        assert f"(pages/{name}.md) | {page._cell(goal.measured)} |" in missed


# Results that are older than the code


@pytest.fixture(scope="module")
def current(benchmark_module):
    """The module that compares commits, in a checkout that has all of them."""
    module = benchmark_module("_current")
    try:
        shallow = benchmark_module("_results").git("rev-parse", "--is-shallow-repository").strip()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs the repository")
    if shallow == "true":
        pytest.skip("needs all commits")
    return module


def test_results_are_of_this_code_or_marked_as_older(current):
    changed = {name: current.changes_since_measured(name) for name in current.names()}
    marked = current.reasons()

    assert {name: paths[:5] for name, paths in changed.items() if paths and name not in marked} == {}
    assert [name for name in marked if not changed[name]] == [], "marked as older, but measured on this code"
    assert all(len(reason) > 20 for reason in marked.values())


def test_every_benchmark_says_what_it_runs(current, benchmark_module):
    folders = {
        path.name for path in (benchmark_module("_results").ROOT / "src" / "bayesfloor").iterdir() if path.is_dir()
    }

    gone = {name for name, reason in current.reasons().items() if reason.startswith("No longer measured")}
    assert set(current.PACKAGES) == set(current.names()) - gone
    assert {package for packages in current.PACKAGES.values() for package in packages} <= folders
