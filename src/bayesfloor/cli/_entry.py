"""Where the command starts: it needs an extra, and says so in a line."""

from __future__ import annotations

import sys
from importlib.util import find_spec

_NEEDED = ("click", "rich", "jinja2", "pyarrow")


def main() -> None:
    """Run the command line."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        sys.stderr.write(f'bayesfloor: {", ".join(missing)} not found. python -m pip install "bayesfloor[cli]"\n')
        sys.exit(2)
    from bayesfloor.cli._commands import run

    sys.exit(run())
