"""What a user meets first: the import and the README's example."""

import doctest
import subprocess
import sys
from pathlib import Path

HEAVY = ("joblib", "matplotlib", "numba", "numpy", "pandas", "scipy", "sklearn")


def run_fresh(code):
    """Output of a fresh interpreter that no environment variable or current folder touches."""
    command = [sys.executable, "-I", "-c", code]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def test_import_leaves_heavy_packages_alone():
    """Only those who compute should wait for the machinery."""
    loaded = run_fresh("import sys, bayesfloor; print(*sys.modules)").split()

    assert "bayesfloor" in loaded
    assert set(loaded) & set(HEAVY) == set()


def test_import_costs_under_a_tenth_of_a_second():
    """Asking for a version or for help must feel instant."""
    code = "from time import process_time as t; s = t(); import bayesfloor; print(t() - s)"
    seconds = [float(run_fresh(code)) for _ in range(5)]

    # The smallest: the others were disturbed by whatever else the machine did.
    assert min(seconds) < 0.1


def test_readme_example_gives_what_it_shows():
    """The first thing people try has to work."""
    readme = Path(__file__).parents[1] / "README.md"
    result = doctest.testfile(str(readme), module_relative=False)

    assert result.attempted > 0
    assert result.failed == 0
