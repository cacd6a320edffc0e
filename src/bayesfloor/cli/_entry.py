"""Where the command starts: it needs an extra, and says so in a line."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from bayesfloor.cli._interrupts import INTERRUPTED, exit_code, listening

_NEEDED = ("click", "rich", "jinja2", "pyarrow")


def main() -> None:
    """Run the command line."""
    with listening():
        code = _run()
    sys.exit(code)


def _run() -> int:
    """The exit code of the command."""
    try:
        return _run_verb()
    except BaseException:  # while modules were imported, which may turn an interrupt into an ImportError
        if (stopped := exit_code()) is None:
            raise
        sys.stderr.write(f"{INTERRUPTED}\n")
        return stopped


def _run_verb() -> int:
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        sys.stderr.write(f'bayesfloor: {", ".join(missing)} not found. python -m pip install "bayesfloor[cli]"\n')
        return 2
    from bayesfloor.cli._commands import run

    return run()
