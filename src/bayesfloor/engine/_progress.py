"""Report the progress of long work through one callback, ``progress(stage, done, total)``."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
