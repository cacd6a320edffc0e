"""What a user meets first: the import, the command, the README."""

import importlib.util
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("jinja2", "joblib", "matplotlib", "numba", "numpy", "pandas", "pyarrow", "rich", "scipy", "sklearn")


def run_fresh(code):
    """Output of a fresh interpreter that no environment variable or current folder touches."""
    command = [sys.executable, "-I", "-c", code]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "needed"), [("import bayesfloor", set()), ("from bayesfloor.plotting import *", {"numpy", "scipy"})]
)
def test_import_leaves_heavy_packages_alone(code, needed):
    """Only those who compute should wait for the machinery."""
    loaded = run_fresh(f"{code}\nimport sys; print(*sys.modules)").split()

    assert "bayesfloor" in loaded
    assert set(loaded) & set(HEAVY) == needed


HELP = """
import sys
from bayesfloor.cli._entry import main
sys.argv[1:] = ["--help"]
try:
    main()
finally:
    print(*sys.modules)
"""


@pytest.mark.slow
def test_help_leaves_heavy_packages_alone():
    """Whoever asks for help is already waiting."""
    loaded = run_fresh(HELP).splitlines()[-1].split()

    assert "bayesfloor" in loaded
    assert set(loaded) & set(HEAVY) == set()


def load_readme():
    path = Path(__file__).with_name("readme.py")
    spec = importlib.util.spec_from_file_location("readme", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow(nightly=True)
@pytest.mark.usefixtures("real_race")
def test_every_block_of_the_readme_gives_what_it_shows():
    """The first thing people try has to work."""
    readme = load_readme()

    assert readme.blocks("python")
    assert readme.blocks("console")
    assert readme.run_all(exact=True) == []


def test_the_readme_has_no_block_that_nobody_runs_and_its_pictures_are_there():
    """Python or commands, but for the line that installs; a broken picture is the first thing a visitor sees."""
    readme = load_readme()

    assert readme.kinds() == {"python", "console", "sh"}
    assert readme.blocks("sh") == ['python -m pip install ".[cli,plot]"\n']

    root = readme.README.parent

    assert all((root / path).is_file() for path in readme.pictures())


@pytest.fixture
def evidence(monkeypatch):
    pytest.importorskip("matplotlib")
    pytest.importorskip("sphinx")
    root = Path(__file__).parents[1]
    monkeypatch.syspath_prepend(root)
    monkeypatch.syspath_prepend(root / "docs")
    return importlib.import_module("figures.evidence")


def test_the_chart_of_the_readme_shows_the_results_of_today(evidence):
    """A chart of older results would be a false claim: run ``PYTHONPATH=docs python -m figures.evidence``."""
    assert evidence.digest() in evidence.PICTURE.read_text("utf-8")


def test_the_words_around_the_chart_are_those_of_the_results(evidence):
    """Medians in the picture's text for those who cannot see it, and the problems where another came closer."""
    text = " ".join(load_readme().README.read_text("utf-8").split())
    sizes = [abs(points) for points in evidence.errors_by_method().values()]
    ours, best, forest, neighbours = sizes

    assert all(f" {statistics.median(points):.1f}" in text for points in sizes)
    assert f"Each dot is one of {len(ours)} problems" in text
    assert f"forests were trained on {len(forest)} of them, nearest neighbours on {len(neighbours)}" in text
    assert f"On {sum(best < ours)} problems the best cross-validated model came closer" in text
