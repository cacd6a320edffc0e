"""Return freed memory to the system.

Allocators keep freed memory that they expect to need again. A Dask worker that uses more than 80 % of its memory
takes no new tasks until it uses less, so memory kept by an allocator could stop the worker for good.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any


def release_memory() -> None:
    """Return free memory to the system: NumPy's through the C library, pyarrow's through its own pool."""
    arrow: Any = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """Return the C library's ``malloc_trim``, or None: only glibc has it."""
    import ctypes

    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
