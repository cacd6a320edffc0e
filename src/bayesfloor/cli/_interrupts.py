"""Handle Ctrl-C and SIGTERM, from the first line of the command to its last.

Python turns Ctrl-C into an exception at whatever line happens to run. Inside a callback of C code, or in the
initialisation of a compiled module, that exception is printed and dropped, or becomes an ImportError. So the signal
itself is remembered: the next progress report or output stops the work, and any error counts as an interrupt.
"""

from __future__ import annotations

import atexit
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

INTERRUPTED = "interrupted; no partial files are left"
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Asked:
    """The signal that asked the command to stop, or 0."""

    number = 0


@contextmanager
def listening() -> Iterator[None]:
    """Remember signals while the command runs. Signals that are ignored, as with nohup, stay ignored."""
    _Asked.number = 0
    here = threading.current_thread() is threading.main_thread()
    before: dict[signal.Signals, Any] = {number: signal.getsignal(number) for number in _SIGNALS if here}
    heard = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    for number in heard:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])
        atexit.register(_end_at_once, heard)


def _stop(number: int, _frame: FrameType | None) -> None:
    _Asked.number = number
    raise KeyboardInterrupt


def _end_at_once(heard: list[signal.Signals]) -> None:
    """Let signals end the process at once while it exits, where an exception would be printed and dropped."""
    for number in heard:
        signal.signal(number, signal.SIG_DFL)


def stop_if_asked() -> None:
    """Stop the work if a signal came but its exception was lost."""
    if _Asked.number:
        raise KeyboardInterrupt


def exit_code() -> int | None:
    """Return the exit code for the signal, as in shells, or None if there was none."""
    return 128 + _Asked.number if _Asked.number else None
