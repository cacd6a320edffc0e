"""Memory that was freed goes back to the system.

Allocators keep what they think they will need again. A Dask worker that is above 80 % of its memory takes
no more tasks until it has less: what an allocator keeps would stop it for good.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any


def release_memory() -> None:
    """Hand back what is free: NumPy's by the C library, pyarrow's by its own pool."""
    arrow: Any = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """The C library's ``malloc_trim``, which only glibc has."""
    import ctypes

    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
