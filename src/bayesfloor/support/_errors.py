"""Errors in an argument or a file, as opposed to bugs in this package.

Users can fix only these errors, so the command line prints their message on one line. Any other error that does not
come from the system is a bug and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """An argument or a file cannot be used. The message says what was passed, what was expected and what to do.

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
    """An argument has a type that cannot be used."""


class MissingPackageError(ModuleNotFoundError, InputError):
    """A required package is not installed."""


@contextmanager
def blame(argument: str) -> Iterator[None]:
    """Name the argument in errors raised by another library or by the user's model."""
    try:
        yield
    except InputError:
        raise
    except (ArithmeticError, TypeError, ValueError) as error:
        kind = InputTypeError if isinstance(error, TypeError) else InputError
        raise kind(f"{argument} cannot be used: {error}") from error
