"""What a contributor installs holds all that the code beside the package imports."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("tests", "benchmarks", "tools", "docs")


def spelled(name):
    """A package as an index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared():
    """Packages that pyproject.toml names for users and developers."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        said = tomllib.load(file)
    project = said["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values(), *said["dependency-groups"].values()]
    return {spelled(re.match(r"[\w.-]+", one)[0]) for each in lists for one in each if isinstance(one, str)}


def imported(folder):
    """Names of packages that files of a folder import, wherever in the file."""
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from (name.name.partition(".")[0] for name in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                yield node.module.partition(".")[0]


def _modules(folder):
    return [path.stem for path in (ROOT / folder).glob("*.py")]


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_import_is_declared(folder):
    """What comes by way of another package goes when that one changes its mind."""
    own = {"bayesfloor", "benchmarks", "figures", "tables", *_modules("tools"), *_modules("docs/_extensions")}
    others = set(imported(folder)) - own - sys.stdlib_module_names
    homes = packages_distributions()
    assert [
        name for name in sorted(others) if not {spelled(home) for home in homes.get(name, [name])} & declared()
    ] == []


def test_contributing_installs_every_extra_and_the_group_dev():
    """The line that people copy."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (line,) = re.findall(r'^    python -m pip install .*--editable "\.\[(.*)\]" --group dev$', page, re.MULTILINE)
    assert set(line.split(",")) == set(extras)
