"""Warnings and logs that are ignored for a while, in a process with threads.

``warnings.catch_warnings`` puts back the filters that it found. Where two threads overlap, one of them finds those of
the other, and puts them back for good; scikit-learn does so in its own threads, and warns of filters that are not
there. Here all threads share one state: the first to come keeps what it finds, the last to go puts it back.
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
_found: list[Any] = []  # filters and showwarning, as they were before the first


@contextmanager
def ignoring(category: type[Warning] = Warning, message: str = "") -> Iterator[None]:
    """Ignore warnings of this category whose text begins with this; all of them by default."""
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
    """Set the filters that are asked for, before those that were found."""
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
    """What a thread warns of while another one has emptied the filters."""


@contextmanager
def logging_only(name: str, level: int) -> Iterator[None]:
    """Let a logger pass nothing below this level, and put back the level that it had."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.setLevel(before)
