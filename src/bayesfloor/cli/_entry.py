"""The command's entry point, which imports nothing else before it listens for Ctrl-C and looks for the extra."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from importlib.util import find_spec

from bayesfloor.cli._interrupts import INTERRUPTED, exit_code, listening

_NEEDED = ("click", "rich", "jinja2", "pyarrow")


def main() -> None:
    """Run the command line."""
    atexit.register(_end_as_asked)  # first, to be called last
    with listening():
        code = _run()
    sys.exit(code)


def _end_as_asked() -> None:
    """End with the signal's exit code; after an interrupt inside an import, Python would end itself with SIGINT."""
    if (stopped := exit_code()) is not None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # a closed pipe
                stream.flush()
        os._exit(stopped)


def _run() -> int:
    try:
        missing = [name for name in _NEEDED if find_spec(name) is None]
        if missing:
            names = ", ".join(missing)
            sys.stderr.write(f'bayesfloor: {names} not installed. Run: python -m pip install "bayesfloor[cli]"\n')
            return 2
        from bayesfloor.cli._commands import run

        return run()
    except BaseException:  # an import may turn an interrupt into an ImportError
        if (stopped := exit_code()) is None:
            raise
        sys.stderr.write(f"{INTERRUPTED}\n")
        return stopped
