"""Write to the terminal: results to stdout, everything else to stderr."""

from __future__ import annotations

import errno
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from bayesfloor.cli._interrupts import stop_if_asked

_PATIENCE = 0.7  # seconds before a bar appears; quick work needs none
_CODE = re.compile(r"\bBF\d{3}\b")
_WORD = re.compile(
    r"\b(ok|failed|reachable|out of reach|too close to call)\b|^reliability +(good|limited|upper limit only)",
    re.MULTILINE,
)
_EVIDENCE = re.compile("^how we know .*$", re.MULTILINE)  # grey, because it is not a result
_STYLES = {"ok": "green", "reachable": "green", "good": "green", "failed": "bold red", "out of reach": "bold red"}


class ClosedPipeError(Exception):
    """The reader closed the pipe; click would treat a broken pipe as a failure."""


@contextmanager
def _writing() -> Iterator[None]:
    """Escape what the terminal cannot show, and write UTF-8 to files and pipes on Windows too."""
    stop_if_asked()
    plain = os.name == "nt" and not sys.stdout.isatty() and "PYTHONIOENCODING" not in os.environ
    sys.stdout.reconfigure(errors="backslashreplace", **({"encoding": "utf-8"} if plain else {}))  # type: ignore[union-attr]
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EPIPE, errno.EINVAL):  # Windows raises the latter
            raise ClosedPipeError from error
        raise


class Output:
    """Writes results, notes and progress bars to the terminal."""

    def __init__(
        self, *, quiet: bool = False, color: bool = True, progress: bool = True, verbose: bool = False
    ) -> None:
        self.quiet, self.color, self.verbose = quiet, color, verbose
        self.progress = progress and not quiet and sys.stderr.isatty()

    def result(self, text: str) -> None:
        """Print a result, in colour if stdout is a terminal."""
        from rich.console import Console
        from rich.text import Text

        shown = Text(text)
        shown.highlight_regex(_CODE, "cyan")
        for match in _WORD.finditer(text):
            group = match.lastindex or 0
            shown.stylize(_STYLES.get(match[group], "yellow"), *match.span(group))
        shown.highlight_regex(_EVIDENCE, "dim")
        console = Console(highlight=False, soft_wrap=True, no_color=None if self.color else True)
        if not console.is_terminal:
            self.raw(text + "\n")
            return
        with _writing():
            console.print(shown, markup=False, emoji=False)

    def raw(self, text: str) -> None:
        """Print the text unchanged."""
        with _writing():
            sys.stdout.write(text)
            sys.stdout.flush()

    def note(self, text: str) -> None:
        """Print a message to stderr, unless ``quiet``."""
        if not self.quiet:
            sys.stderr.write(text + "\n")

    def bar(self) -> ProgressBar:
        """Make a progress bar for long work."""
        return ProgressBar(shown=self.progress, told=self.verbose)


class ProgressBar:
    """A progress bar with the time remaining; hidden if there is no terminal."""

    def __init__(self, *, shown: bool, told: bool) -> None:
        self._shown, self._told = shown, told
        self._start, self._stage = time.monotonic(), ""
        self._live: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Update the progress; the library calls this."""
        stop_if_asked()
        if self._told and stage != self._stage:
            sys.stderr.write(f"{time.monotonic() - self._start:6.1f} s  {stage}\n")
        if self._shown and time.monotonic() - self._start > _PATIENCE:
            self._draw(stage, done, total)
        self._stage = stage

    def _draw(self, stage: str, done: int, total: int) -> None:
        if self._live is None:
            self._live = _make_bar()
            self._live.start()
        if self._task is None or stage != self._stage:
            if self._task is not None:
                self._live.remove_task(self._task)
            self._task = self._live.add_task(stage, total=total)
        self._live.update(self._task, completed=done, total=total)


def _make_bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
