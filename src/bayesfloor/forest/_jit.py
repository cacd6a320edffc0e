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

from numba import njit
from numba.core.caching import FunctionCache

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
