"""What every compiled kernel has to keep to."""

import importlib
import pkgutil

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from numba.core.types import BaseTuple

import bayesfloor.forest
from bayesfloor import spanning_forest
from bayesfloor.forest import class_forests


@pytest.fixture(scope="module")
def kernels(global_random_seed):
    """All compiled functions by name, after work that compiles them."""
    X = np.random.default_rng(global_random_seed).integers(0, 30, (4500, 3)).astype(float)
    for method in ("kdtree", "matmul"):
        spanning_forest(X, method=method)
    for k in (3, 60):
        class_forests(X, np.arange(len(X)) % k).all()
    names = [module.name for module in pkgutil.iter_modules(bayesfloor.forest.__path__, "bayesfloor.forest.")]
    found = [value for name in names for value in vars(importlib.import_module(name)).values()]
    return {value.py_func.__qualname__: value for value in found if isinstance(value, Dispatcher)}


def test_no_kernel_hands_back_a_tuple_of_arrays(kernels):
    """Numba crashes the interpreter where Ctrl-C meets the boxing of one; single arrays are safe."""
    wrong = [
        name
        for name, kernel in kernels.items()
        for signature in kernel.nopython_signatures
        if isinstance(signature.return_type, BaseTuple)
    ]

    assert kernels
    assert wrong == []


def test_every_kernel_lets_other_threads_run(kernels):
    """Threads share the points; one that holds the lock would make them wait in line."""
    assert [name for name, kernel in kernels.items() if not kernel.targetoptions.get("nogil")] == []


def test_no_kernel_may_reorder_sums(kernels):
    """Lengths have to come out bit for bit alike in all of them."""
    assert [name for name, kernel in kernels.items() if kernel.targetoptions.get("fastmath")] == []
