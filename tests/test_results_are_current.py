"""Results belong to the code of this checkout, or say that they are older."""

import subprocess

import pytest

pytestmark = [pytest.mark.process, pytest.mark.slow]


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
    """Results are of this code, or marked as older with a reason."""
    changed = {name: current.changes_since_measured(name) for name in current.names()}
    marked = current.reasons()

    assert {name: paths[:5] for name, paths in changed.items() if paths and name not in marked} == {}
    assert [name for name in marked if not changed[name]] == [], "marked as older, but measured on this code"
    assert all(len(reason) > 20 for reason in marked.values())


def test_every_benchmark_says_what_it_runs(current, benchmark_module):
    """Every benchmark says which packages it runs."""
    folders = {
        path.name for path in (benchmark_module("_results").ROOT / "src" / "bayesfloor").iterdir() if path.is_dir()
    }

    gone = {name for name, reason in current.reasons().items() if reason.startswith("No longer measured")}
    assert set(current.PACKAGES) == set(current.names()) - gone
    assert {package for packages in current.PACKAGES.values() for package in packages} <= folders


def test_words_and_layout_are_not_code(current):
    """Docstrings, comments and layout may change."""
    code = current._code

    assert code('"""Add."""\n\ndef add(a, b):\n    """Return a sum."""\n    return (a +\n            b)\n') == code(
        "def add(a, b):  # adds\n    return a + b\n"
    )
    assert code("def add(a, b):\n    return a - b\n") != code("def add(a, b):\n    return a + b\n")


def test_a_commit_that_is_not_known_is_older(current):
    """A commit that git does not know, or that had changes, measured other code."""
    assert current._changed("0000000+", ("forest",)) == {"commit 0000000+"}
    assert current._changed(None, ("forest",)) == {"a commit that was not recorded"}
