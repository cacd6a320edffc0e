"""Write results, progress and errors to the terminal."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from types import TracebackType
from typing import Any, Self

import click

from bayesfloor.cli._interrupts import INTERRUPTED, exit_code, stop_if_asked
from bayesfloor.support._errors import InputError
from bayesfloor.support._files import redact
from bayesfloor.support._words import printable

_PATIENCE = 0.7  # seconds before the line appears; quick work needs none
_WIDTH = 15  # of the bar; 40 columns are enough for the bar and the times


class ProgressBar:
    """The progress line, which names the stage of the work; hidden if there is no terminal."""

    def __init__(self, *, shown: bool, told: bool) -> None:
        self._start, self._stage, self._told = time.monotonic(), "preparing", told
        self._live: Any = None
        if shown:
            from rich.console import Console
            from rich.live import Live
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
            from rich.table import Column

            fixed, rest = Column(no_wrap=True), Column(ratio=1, no_wrap=True, overflow="ellipsis")
            stage = TextColumn("{task.description}", markup=False, table_column=rest)
            times = TimeElapsedColumn(fixed.copy()), TimeRemainingColumn(compact=True, table_column=fixed.copy())
            console = Console(stderr=True)
            self._bar = Progress(BarColumn(_WIDTH), *times, stage, console=console, expand=True)
            self._task = self._bar.add_task(self._stage, total=None)
            # Only a thread of rich draws, four times a second: Ctrl-C in the middle of a line would leave half of it.
            self._live = Live(get_renderable=self._draw, console=console, transient=True)

    def __enter__(self) -> Self:
        if self._live is not None:
            try:
                self._live.start()
            except BaseException:  # Ctrl-C while it starts must not leave the cursor hidden
                self._live.stop()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Update the progress; the library calls this."""
        stop_if_asked()
        began = stage != self._stage
        if self._told and began:
            sys.stderr.write(f"{time.monotonic() - self._start:6.1f} s  {stage}\n")
        self._stage = stage
        if self._live is not None:
            if began:  # each stage has its own pace
                self._bar.reset(self._task, description=stage)
            self._bar.update(self._task, completed=done, total=total)

    def _draw(self) -> Any:
        return self._bar.get_renderable() if time.monotonic() - self._start >= _PATIENCE else ""


_CODE = re.compile(r"\bBF\d{3}\b")
_WORD = re.compile(
    r"\b(ok|failed|(?:un)?likely(?: to be reachable)?|(?<!-)open|cannot say|reachable(?= on |$)|out of reach)\b"
    r"|^reliability +(good|limited|upper limit only)",
    re.MULTILINE,
)
_EVIDENCE = re.compile("^how we know .*$", re.MULTILINE)  # grey, because it is not a result
_COMMAND = re.compile(r"^([ \t]*)(?=::|##\[)", re.MULTILINE)  # a line that a CI runner would obey
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

        text = _COMMAND.sub(r"\1\\", text)
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
        """Print the text unchanged, but for a backslash before what a CI runner would take for a command."""
        with _writing():
            sys.stdout.write(_COMMAND.sub(r"\1\\", text))
            sys.stdout.flush()

    def note(self, text: str) -> None:
        """Print a message to stderr, unless ``quiet``."""
        if not self.quiet:
            sys.stderr.write(text + "\n")

    def bar(self) -> ProgressBar:
        """Make a progress bar for long work."""
        return ProgressBar(shown=self.progress, told=self.verbose)


# Advice in the library's messages, which are written for Python, and what to type on the command line instead.
_AS_TYPED = {
    "with strict=True": "with --strict-input",
    "leave out strict": "leave out --strict-input",
    "say what they are with roles=": "tell check or report what they are: --as COLUMN=ROLE",
    "say what it is: roles={'column': 'number'}": "tell check or report what it is: --as COLUMN=number",
}
USAGE, FAULT, ENDED, PIPE = 2, 3, 130, 141


def tell(error: BaseException, words: Sequence[str] = ()) -> int:
    """Print what went wrong and return the exit code; after a signal, every error counts as an interrupt."""
    if (stopped := exit_code()) is not None:
        return _say(INTERRUPTED, stopped)
    if isinstance(error, click.Abort) and isinstance(error.__cause__, EOFError):  # click takes it for Ctrl-D
        error = error.__cause__
    if isinstance(error, SystemExit | click.exceptions.Exit):
        return int(getattr(error, "exit_code", getattr(error, "code", 0)) or 0)
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return _say(INTERRUPTED, ENDED)
    if isinstance(error, BrokenPipeError | ClosedPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # otherwise Python complains at exit
        return PIPE
    if isinstance(error, click.ClickException):
        with redirect_stderr(io.StringIO()) as said:
            error.show(sys.stderr)
        sys.stderr.write(redact(said.getvalue(), *words))  # it may quote an address
        return USAGE
    if isinstance(error, MemoryError):
        return _say("error: out of memory. Try --max-rows 50000.", USAGE)
    if isinstance(error, InputError | OSError):
        return _tell_of_data(error, words)
    sys.stderr.write(redact("".join(traceback.format_exception(error)), *words))
    return _say("internal error: this is a bug in bayesfloor; please report it with the lines above.", FAULT)


def _tell_of_data(error: BaseException, words: Sequence[str]) -> int:
    text = " ".join(str(error).split()) or type(error).__name__
    for said, typed in _AS_TYPED.items():
        text = text.replace(said, typed)
    return _say(f"error: {text}", USAGE, words)


def _say(text: str, code: int, words: Sequence[str] = ()) -> int:
    sys.stderr.write(printable(redact(text, *words)) + "\n")  # file names may contain any character
    return code
