"""Errors that say what is wrong with an argument or a file, as opposed to errors in this package.

Only these are the user's to solve: the command line prints their message in one line. Any other error that is not the
system's is a bug, and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """An argument or a file that cannot be used. The message says what came, what was expected and what to do.

    Examples
    --------
    >>> from bayesfloor import spanning_forest
    >>> from bayesfloor.io import InputError
    >>> try:
    ...     spanning_forest([[0.0], [1.0]], n_trees=0)
    ... except InputError as error:
    ...     print(error)
    Got n_trees=0, but expected an integer from 1 to 100.
    """


class InputTypeError(InputError, TypeError):
    """An argument of a type that cannot be used."""


class MissingPackageError(ModuleNotFoundError, InputError):
    """A package that is needed here and not installed."""


@contextmanager
def blame(argument: str) -> Iterator[None]:
    """Say which argument it is that another library, or a model of the user's, does not accept."""
    try:
        yield
    except InputError:
        raise
    except (ArithmeticError, TypeError, ValueError) as error:
        kind = InputTypeError if isinstance(error, TypeError) else InputError
        raise kind(f"{argument} cannot be used: {error}") from error
