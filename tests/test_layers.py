"""The layers of the package, and a check that no import goes up."""

import ast
import importlib.util
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

# A layer may import any on an earlier line; those on one line do not know each other.
LEVELS = (
    {"support"},
    {"io"},
    {"forest", "formulas"},
    {"floor"},
    {"answer"},
    {"hierarchy", "decide"},
    {"plotting"},
    {"summary"},
    {"cli"},
)
LEVEL = {layer: i for i, level in enumerate(LEVELS) for layer in level}
# Names for annotations, and the errors that every layer raises: even formulas may use them.
COMMON = ("bayesfloor.support._types.", "bayesfloor.support._errors.")

# Arrows that may go up, as (importing module, imported layer), each with its reason.
EXCEPTIONS: set[tuple[str, str]] = {
    ("bayesfloor.floor._bayes_floor", "answer")  # BayesFloor.answer: the estimator is below the race
}


def imported_modules(source, package):
    """Full names of all modules that a source imports, late imports included.

    `package` is the importing file's package, for relative imports. `from a import b` may name a
    module or an attribute; it counts as `a.b`, which has the same layer either way.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1]
            prefix = [*base, node.module] if node.level else [node.module]
            yield from (".".join(filter(None, [*prefix, alias.name])) for alias in node.names)


def allowed(layer, target):
    """Whether a module of `layer` may import `target`, a full module name."""
    top, _, rest = target.partition(".")
    if layer == "formulas" and top != "bayesfloor":
        plain = top in sys.stdlib_module_names or top == "numpy"
        return plain or target.startswith("scipy.stats")
    if top != "bayesfloor":
        return True
    other = rest.partition(".")[0]
    if other == layer or target.startswith(COMMON):
        return True
    # The package itself and unknown layers are above all.
    return layer != "formulas" and LEVEL.get(other, len(LEVELS)) < LEVEL[layer]


def bad_arrows(module, source, *, is_package=False):
    """Imports of a source that go up, as (module, imported module)."""
    layer = module.split(".")[1]
    package = module if is_package else module.rpartition(".")[0]
    return [
        (module, target)
        for target in imported_modules(source, package)
        if not allowed(layer, target) and (module, ".".join(target.split(".")[1:2])) not in EXCEPTIONS
    ]


def layer_files():
    """All files inside layers of the package that tests run against: (module, path) pairs.

    The package's own `__init__.py` is left out: it stands above all and may name anything.
    """
    spec = importlib.util.find_spec("bayesfloor")
    root = Path(spec.submodule_search_locations[0])
    for path in sorted(root.glob("*/**/*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        yield ".".join(parts).removesuffix(".__init__"), path


def test_no_import_goes_up_and_every_folder_is_a_known_layer():
    """One direction keeps geometry free of labels, formulas free of points, start-up cheap."""
    found = list(layer_files())
    bad = [
        arrow
        for module, path in found
        for arrow in bad_arrows(module, path.read_text("utf-8"), is_package=path.name == "__init__.py")
    ]

    assert found
    assert bad == []

    layers = {module.split(".")[1] for module, _ in layer_files()}

    assert layers <= set(LEVEL)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("bayesfloor.forest._prim", "from bayesfloor.floor import pair_counts"),
        ("bayesfloor.forest._prim", "from bayesfloor import floor"),
        ("bayesfloor.forest._prim", "from bayesfloor import spanning_forest"),
        ("bayesfloor.forest._prim", "import bayesfloor.floor._pair_counts as p"),
        ("bayesfloor.forest._prim", "from ..floor import pair_counts"),
        ("bayesfloor.forest._prim", "def f():\n    from bayesfloor.cli import main"),
        ("bayesfloor.support._tasks", "import bayesfloor.forest"),
        ("bayesfloor.hierarchy._class_tree", "import bayesfloor.decide"),
        ("bayesfloor.formulas._bounds", "import bayesfloor.support"),
        ("bayesfloor.formulas._bounds", "import sklearn"),
        ("bayesfloor.formulas._bounds", "from scipy import spatial"),
        ("bayesfloor.floor._pair_counts", "import bayesfloor.novelty"),
    ],
)
def test_an_arrow_that_goes_up_is_caught(module, source):
    assert len(bad_arrows(module, source)) == 1


def test_a_package_file_resolves_its_own_relative_imports():
    """In `__init__.py` one dot is the package itself, elsewhere the package around the module."""
    assert bad_arrows("bayesfloor.forest", "from ._prim import prim", is_package=True) == []
    assert len(bad_arrows("bayesfloor.forest", "from ..floor import x", is_package=True)) == 1


def find_circle(sources, packages=()):
    """Modules of a circle of imports among these sources, late and type-only ones included; empty if there is none.

    `packages` are those of the modules whose relative imports start at themselves.
    """

    def file_of(name):
        return name if name in sources or not name else file_of(name.rpartition(".")[0])

    graph = {}
    for module, source in sources.items():
        package = module if module in packages else module.rpartition(".")[0]
        graph[module] = {file_of(name) for name in imported_modules(source, package)} - {module, ""}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_circle_of_files():
    """A file in a circle cannot be read, moved or tried alone, even where late imports hide it from Python."""
    found = dict(layer_files())
    packages = {module for module, path in found.items() if path.name == "__init__.py"}
    sources = {module: path.read_text("utf-8") for module, path in found.items()}

    assert "bayesfloor.forest._prim" in sources
    assert find_circle(sources, packages) == []


def test_circles_of_late_imports_and_for_types_alone_are_caught():
    """Inside functions circles do no harm at once, which is how they come to stay; types need one to be read, too."""
    late = {"benchmarks.a": "def f():\n    from benchmarks.b import g", "benchmarks.b": "from benchmarks import a"}

    assert set(find_circle(late)) == set(late)

    head = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from bayesfloor.floor._a import A"
    sources = {"bayesfloor.floor._a": "from ._b import b", "bayesfloor.floor._b": head, "bayesfloor.floor": ""}

    assert set(find_circle(sources, {"bayesfloor.floor"})) == {"bayesfloor.floor._a", "bayesfloor.floor._b"}


ADAPTER = "bayesfloor.support._parameters"


def private_imports(source, package):
    """Names that scikit-learn or joblib keeps private; all that is public of joblib stands at its top."""
    for name in imported_modules(source, package):
        top, *rest = name.split(".")
        if (top == "sklearn" and any(part.startswith("_") for part in rest)) or (top == "joblib" and len(rest) > 1):
            yield name


def test_private_names_of_others_stand_in_one_file():
    """They break without notice, and are then mended in one place."""
    found = {
        module: list(private_imports(path.read_text("utf-8"), module.rpartition(".")[0]))
        for module, path in layer_files()
    }

    assert {module for module, names in found.items() if names} == {ADAPTER}
    assert len(found[ADAPTER]) == len(set(found[ADAPTER]))


@pytest.mark.parametrize(
    "source",
    [
        "from sklearn.utils import _safe_indexing",
        "from sklearn.linear_model._base import LinearClassifierMixin",
        "import sklearn.utils._mask as m",
        "def f():\n    from joblib.parallel import get_active_backend",
        "from joblib.externals import loky",
    ],
)
def test_a_private_import_is_caught(source):
    """By an underscore anywhere, and below the top of joblib."""
    assert len(list(private_imports(source, "bayesfloor.floor"))) == 1
