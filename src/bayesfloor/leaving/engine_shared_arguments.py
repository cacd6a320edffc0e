"""Pass large arguments that many tasks share as handles, so that each process reads them once."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, Protocol, TypeVar

from bayesfloor.support._tasks import shares_memory
from bayesfloor.support._words import printable

Value = TypeVar("Value")
Held_co = TypeVar("Held_co", covariant=True)

_READ = 16  # values that a process keeps in memory


class Held(Protocol[Held_co]):
    """A handle to a value."""

    def get(self) -> Held_co:
        """Return the value."""


@dataclass(frozen=True, eq=False)
class Here(Generic[Value]):
    """A value in memory that this process shares with its tasks."""

    value: Value

    def get(self) -> Value:
        """Return the value."""
        return self.value


@dataclass(frozen=True)
class Kept(Generic[Value]):
    """A value in a private file of this run."""

    path: str

    def get(self) -> Value:
        """Return the value, from the file unless this process has read it recently."""
        value: Value = _read(self.path)
        return value


@contextmanager
def holding(n_jobs: int | None) -> Iterator[Callable[[Any], Held[Any]]]:
    """Hold values for tasks while the work lasts: in shared memory if possible, else in a private temporary folder."""
    if shares_memory(n_jobs):
        yield Here
        return
    with TemporaryDirectory(prefix="bayesfloor-") as folder:
        numbers = iter(range(1 << 62))

        def hold(value: Any) -> Held[Any]:
            path = Path(folder) / str(next(numbers))
            with path.open("xb") as file:
                pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)
            return Kept(str(path))

        yield hold


@lru_cache(maxsize=_READ)
def _read(path: str) -> Any:
    try:
        with Path(path).open("rb") as file:
            return pickle.load(file)  # noqa: S301 - written by this run, into its own folder
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"There is no file {printable(path)} on the machine that runs this task. Workers on other machines need a "
            "folder for temporary files that all of them can see: set TMPDIR to one."
        ) from error
