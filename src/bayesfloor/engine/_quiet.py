"""Ignore warnings and logs for a while, in a process with threads.

``warnings.catch_warnings`` restores the filters that it found. If two threads overlap, one of them may find the filters
of the other and restore those for good. scikit-learn uses this function in its own threads, and warns if it finds no
filters. Here all threads share one state: the first one to enter saves the filters, the last to leave restores them.
"""

from __future__ import annotations

import logging
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_active: Counter[tuple[str, type[Warning]]] = Counter()
_found: list[Any] = []  # filters and showwarning, as they were before the first thread entered


@contextmanager
def ignoring(category: type[Warning] = Warning, message: str = "") -> Iterator[None]:
    """Ignore warnings of this category whose text starts with ``message``; by default, ignore all warnings."""
    key = (message, category)
    with _lock:
        if not _active:
            _found[:] = [warnings.filters, warnings.showwarning]
        _active[key] += 1
        _apply()
    try:
        yield
    finally:
        with _lock:
            _active[key] -= 1
            if not _active[key]:
                del _active[key]
            _apply()


def _apply() -> None:
    """Restore the saved filters, and put the active ones in front of them."""
    module: Any = warnings
    module.filters, module.showwarning = _found
    if not _active:
        _found.clear()
        return
    module.filters = list(module.filters)
    for message, category in _active:
        warnings.filterwarnings("ignore", message, category)
    if ("", Warning) in _active:
        module.showwarning = _drop


def _drop(*_: Any, **__: Any) -> None:
    """Drop a warning that a thread raises while another thread has emptied the filters."""


@contextmanager
def logging_only(name: str, level: int) -> Iterator[None]:
    """Set a logger's level for a while, and restore the old one afterwards."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.setLevel(before)
