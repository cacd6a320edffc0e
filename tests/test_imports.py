"""Names that benchmarks, pages, tools and code in texts import from the package are there: most import late."""

import ast
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [path for folder in ("benchmarks", "docs", "tests", "tools") for path in sorted((ROOT / folder).rglob("*.py"))]


def missing_names(source):
    """What a source imports from the package, late imports included, and is not there."""
    for home, name in imported_names(source):
        if not hasattr(import_module(home), name) and find_spec(f"{home}.{name}") is None:
            yield name


def imported_names(source):
    """Modules and names of all imports, and of those in texts, which other processes run."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "bayesfloor":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"from (bayesfloor[\w.]*) import (\w+)", node.value)


# What is wrong on purpose: these texts are read and never run.
WRONG = {"test_imports.py", "test_layers.py"}


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.name not in WRONG], ids=lambda path: str(path.relative_to(ROOT))
)
def test_what_is_imported_late_is_there(path):
    """A benchmark that runs for an hour must not end with an ImportError."""
    assert list(missing_names(path.read_text("utf-8"))) == []


def test_a_name_that_is_gone_is_found():
    late = "def late():\n    from bayesfloor.forest import oak, spanning_forest"
    text = "run('from bayesfloor import elm; elm()')"
    assert [list(missing_names(source)) for source in (late, text)] == [["oak"], ["elm"]]
