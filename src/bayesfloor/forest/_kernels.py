"""One decorator for every compiled kernel.

Kernels release the GIL, so threads that share the points run them in parallel. They are compiled on
their first call and cached on disk. Set ``BAYESFLOOR_JIT_CACHE=0`` while editing kernels, because a
cached kernel does not notice an edit in another file. Fused multiply-add and reordered sums stay off:
every kernel must compute the same length, bit for bit.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numba.core.caching import FunctionCache

from bayesfloor.forest import _vertices as _edge_order
from bayesfloor.forest._vertices import Keys, Numbers
from bayesfloor.support._types import Floats, Ints

_FunctionCache: Any = FunctionCache  # it has no types
Function = TypeVar("Function", bound=Callable[..., object])

logger = logging.getLogger(__name__)
logger.info("loading the compiled kernels; their first use compiles them")


def kernel(function: Function) -> Function:
    """Compile ``function`` when it is first called."""
    return _compile(function, no_cfunc_wrapper=True)


def step(function: Function) -> Function:
    """Compile ``function`` for kernels to call; Python cannot call it."""
    return _compile(function, no_cfunc_wrapper=True, no_cpython_wrapper=True)


def _compile(function: Function, **options: bool) -> Function:
    # No kernel allocates arrays: without reference counting, they compile in three quarters of the time.
    compiled: Any = njit(nogil=True, error_model="numpy", _nrt=False, **options)(function)  # type: ignore[call-overload]
    if os.environ.get("BAYESFLOOR_JIT_CACHE", "1") != "0":
        _cache(compiled)
    return cast("Function", compiled)


class _KernelCache(_FunctionCache):  # type: ignore[misc]
    """A cache on disk that kernels can do without: damaged files and full disks only cost time."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load a compiled kernel; forget all of its files if one is damaged."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # noqa: BLE001 - unpickling garbage may raise anything
            self._tell("cannot be read from", error)
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled kernel, or keep it in memory only."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # noqa: BLE001 - it reads the index, which may be damaged
            self._tell("cannot be saved in", error)

    def _tell(self, what: str, error: Exception) -> None:
        logger.debug("compiled code of %s %s %s: %r", self._name, what, self.cache_path, error)


def _cache(compiled: Any) -> None:
    """Cache a kernel on disk if a folder is writable; in a container, there may be none."""
    try:
        compiled._cache = _KernelCache(compiled.py_func)  # noqa: SLF001 - as enable_caching does
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        _warn_uncached()


@cache
def _warn_uncached() -> None:
    """Warn once, not for each kernel."""
    logger.warning(
        "Compiled code cannot be cached because no cache folder is writable: every process compiles it again, "
        "which takes about half a minute. Set NUMBA_CACHE_DIR to a writable folder."
    )


# Values for the end of a vertex's reach if the reach is a length and not an edge; see ``_first_fit``.
BEFORE_TIES = -1  # edges of exactly this length may be missing
AFTER_TIES = -2  # all edges of exactly this length are listed

pair_hash = cast("Callable[[int, int], int]", kernel(_edge_order.pair_hash))


@step
def tie_before(key: Keys, rank: Ints, a: int, b: int, c: int, d: int) -> bool:
    """Whether, of two equally long edges, (a, b) comes before (c, d)."""
    one, two = pair_hash(key[a], key[b]), pair_hash(key[c], key[d])
    if one != two:
        return one < two
    low_one, low_two = min(rank[a], rank[b]), min(rank[c], rank[d])
    if low_one != low_two:
        return low_one < low_two
    return max(rank[a], rank[b]) < max(rank[c], rank[d])


@step
def squared_lengths(blocks: Floats, block: int, points: Floats, i: int, out: Floats) -> None:
    """Compute squared distances from the ``i``-th point to the points of a block, two features per pass."""
    d, size = points.shape[1], len(out)
    for p in range(size):
        out[p] = 0.0
    for k in range(0, d - 1, 2):
        one, two = points[i, k], points[i, k + 1]
        for p in range(size):
            step, next_step = blocks[block, k, p] - one, blocks[block, k + 1, p] - two
            out[p] = (out[p] + step * step) + next_step * next_step
    if d % 2:
        one = points[i, d - 1]
        for p in range(size):
            step = blocks[block, d - 1, p] - one
            out[p] += step * step


def edge_lengths(x: Floats, a: Numbers, b: Numbers) -> Floats:
    """Compute the squared lengths of the edges from ``a`` to ``b``."""
    out = np.empty(len(a))
    measure(x, a, b, out)
    return out


@kernel
def measure(x: Floats, a: Numbers, b: Numbers, out: Floats) -> None:
    """Compute four sums at a time: within a sum, every addition has to wait for the one before it."""
    for e in range(0, len(a), 4):
        f, g, h = min(e + 1, len(a) - 1), min(e + 2, len(a) - 1), min(e + 3, len(a) - 1)
        one = two = three = four = 0.0
        for k in range(x.shape[1]):
            step = x[a[e], k] - x[b[e], k]
            one += step * step
            step = x[a[f], k] - x[b[f], k]
            two += step * step
            step = x[a[g], k] - x[b[g], k]
            three += step * step
            step = x[a[h], k] - x[b[h], k]
            four += step * step
        out[h], out[g], out[f], out[e] = four, three, two, one


def distinct_edges(asked: Numbers, other: Numbers, row: Numbers) -> tuple[Numbers, Numbers, Ints]:
    """Return each edge of the short lists once, with its place; ``row`` is -1 for vertices that did not search."""
    a, b, place = np.empty(other.size, np.int32), np.empty(other.size, np.int32), np.empty(other.size, np.int64)
    count = _pick(asked, other, row, a, b, place)
    return a[:count], b[:count], place[:count]


@kernel
def _pick(asked: Numbers, other: Numbers, row: Numbers, a: Numbers, b: Numbers, place: Ints) -> int:
    count, m = 0, other.shape[1]
    for q in range(len(asked)):
        hub = asked[q]
        for c in range(m):
            stranger = other[q, c]
            copy = stranger < 0
            if stranger < hub and not copy and row[stranger] >= 0:
                for p in range(m):
                    copy |= other[row[stranger], p] == hub
            if not copy:
                a[count], b[count], place[count] = min(hub, stranger), max(hub, stranger), q * m + c
                count += 1
    return count
