"""Errors of ours and bugs of ours are two things."""

import ast
import pickle
from pathlib import Path

import pytest

import bayesfloor
from bayesfloor.support._errors import InputError, InputTypeError, MissingPackageError

PLAIN = {"ValueError", "TypeError", "ImportError", "ModuleNotFoundError"}


def raised(source):
    """Names of the classes that a source raises by calling them, and their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
            yield node.exc.func.id, node.lineno


def test_every_refusal_is_of_our_own_class():
    """The command line cannot tell a ValueError of ours from one that a bug raised; a guard has to bark, too."""
    files = sorted(Path(bayesfloor.__file__).parent.rglob("*.py"))
    plain = [f"{file}:{line}" for file in files for name, line in raised(file.read_text("utf-8")) if name in PLAIN]

    assert files
    assert plain == []

    assert list(raised("if x:\n    raise ValueError('x') from None")) == [("ValueError", 2)]


@pytest.mark.parametrize("kind", [InputError, InputTypeError, MissingPackageError])
def test_our_errors_are_value_errors_that_travel(kind):
    """Whoever catches ValueError goes on catching them, and workers send them home."""
    error = pickle.loads(pickle.dumps(kind("Got x=1, but expected 2.")))  # noqa: S301 - of our own

    assert type(error) is kind
    assert isinstance(error, ValueError)
    assert str(error) == "Got x=1, but expected 2."


def test_our_errors_keep_the_kind_that_python_gives_them():
    """A wrong type is a TypeError, a package that is missing an ImportError."""
    assert issubclass(InputTypeError, TypeError)
    assert issubclass(MissingPackageError, ImportError)
