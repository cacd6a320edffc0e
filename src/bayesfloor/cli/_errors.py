"""Turn an error into one line and an exit code."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr

import click

from bayesfloor.cli._console import ClosedPipeError
from bayesfloor.cli._interrupts import INTERRUPTED, exit_code
from bayesfloor.engine._address_text import redact
from bayesfloor.engine._errors import InputError
from bayesfloor.engine._show import printable
from bayesfloor.engine._tasks import WorkerDiedError, WorkersPausedError

# Advice in the library's messages, which are written for Python, and what to type on the command line instead.
_AS_TYPED = {
    "Got checkpoint=": "Got --checkpoint ",
    "checkpoint='run'": "--checkpoint run",
    "with strict=True": "with --strict-input",
    "leave out strict": "leave out --strict-input",
    "say what they are with roles=": "tell check or report what they are: --as COLUMN=ROLE",
    "say what it is: roles={'column': 'number'}": "tell check or report what it is: --as COLUMN=number",
    "open_rows(path, columns=[...])": "-x, --drop or --embedding",
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
    if isinstance(error, InputError | OSError | WorkerDiedError | WorkersPausedError):
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
