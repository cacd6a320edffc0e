"""Names that benchmarks, pages and tools import from the package are there: most of them import late."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [path for folder in ("benchmarks", "docs", "tools") for path in sorted((ROOT / folder).rglob("*.py"))]


def missing_names(source):
    """What a source imports from the package, late imports included, and is not there."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "bayesfloor":
            module = import_module(node.module)
            names = (alias.name for alias in node.names if not hasattr(module, alias.name))
            yield from (name for name in names if find_spec(f"{node.module}.{name}") is None)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_imported_late_is_there(path):
    """A benchmark that runs for an hour must not end with an ImportError."""
    assert list(missing_names(path.read_text("utf-8"))) == []


def test_a_name_that_is_gone_is_found():
    """A guard that never barks guards nothing."""
    assert list(missing_names("def late():\n    from bayesfloor.forest import oak, spanning_forest")) == ["oak"]
