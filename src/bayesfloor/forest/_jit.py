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
from typing import TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])

logging.getLogger(__name__).info("loading the compiled kernels; their first use compiles them")


def kernel(function: Function) -> Function:
    """Compile ``function`` when it is first called."""
    return _compile(function, no_cfunc_wrapper=True)


def step(function: Function) -> Function:
    """Compile ``function`` for kernels to call; Python cannot call it."""
    return _compile(function, no_cfunc_wrapper=True, no_cpython_wrapper=True)


def _compile(function: Function, **options: bool) -> Function:
    cache = os.environ.get("BAYESFLOOR_JIT_CACHE", "1") != "0"
    compiled: object = njit(nogil=True, cache=cache, error_model="numpy", **options)(function)  # type: ignore[call-overload]
    return cast("Function", compiled)
