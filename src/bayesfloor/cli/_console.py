"""Write to the terminal: results to stdout, everything else to stderr."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bayesfloor.cli._interrupts import stop_if_asked
from bayesfloor.cli._progress_bar import Plan, ProgressBar
from bayesfloor.cli._so_far import SoFar

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

    def bar(self, so_far: SoFar | None = None, plan: Plan | None = None) -> ProgressBar:
        """Make a progress bar for long work; a check also shows what is known so far, and plans its stages."""
        return ProgressBar(so_far, plan, shown=self.progress, told=self.verbose)
