"""What a user meets first: the import, the command, the README."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("jinja2", "joblib", "matplotlib", "numba", "numpy", "pandas", "pyarrow", "rich", "scipy", "sklearn")
COMMAND = Path(sys.executable).with_name("bayesfloor")
TRIES = 3  # the smallest counts: the others were disturbed by whatever else the machine did


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


def cpu_seconds(command, **environment):
    """CPU seconds of a process of its own, its children's included."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True, env={**os.environ, **environment})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.posix
def test_help_costs_under_a_quarter_of_a_second():
    """Whoever asks for help is already waiting."""
    assert min(cpu_seconds([COMMAND, "--help"]) for _ in range(TRIES)) < 0.25


@pytest.mark.posix
def test_digits_are_checked_from_a_cold_start_in_five_seconds(tmp_path):
    """The first result decides whether there is a second: imports, empty caches and all.

    A shared machine has moments in which everything takes half as long again. Importing scikit-learn tells: of five
    seconds it takes a good quarter.
    """
    start = "from sklearn.datasets import load_digits"
    code = f"{start}; import bayesfloor; bayesfloor.check(*load_digits(return_X_y=True))"
    caches = {"NUMBA_CACHE_DIR": str(tmp_path), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    imports, checks = zip(
        *([cpu_seconds([sys.executable, "-c", text], **caches) for text in (start, code)] for _ in range(TRIES)),
        strict=True,
    )

    assert min(checks) < max(5, 3.5 * min(imports))
    assert not list(tmp_path.iterdir())  # nothing was compiled


def load_readme():
    """The script that runs the README."""
    path = Path(__file__).with_name("readme.py")
    spec = importlib.util.spec_from_file_location("readme", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_block_of_the_readme_gives_what_it_shows():
    """The first thing people try has to work."""
    readme = load_readme()

    assert readme.blocks("python")
    assert readme.blocks("console")
    assert readme.run_all(exact=True) == []


def test_the_readme_has_no_block_that_nobody_runs():
    """All are Python or commands, but for the line that installs."""
    readme = load_readme()

    assert readme.kinds() == {"python", "console", "sh"}
    assert readme.blocks("sh") == ['python -m pip install ".[cli,plot]"\n']


def test_pictures_of_the_readme_are_there():
    """A broken picture is the first thing a visitor sees."""
    readme = load_readme()
    root = readme.README.parent

    assert all((root / path).is_file() for path in readme.pictures())
