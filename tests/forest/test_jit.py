"""What every compiled kernel has to keep to."""

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys

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


CALL = """
import numpy as np
from bayesfloor import spanning_forest
print(spanning_forest(np.random.default_rng(0).standard_normal((200, 3)), 1, method="kdtree"))
"""
# A user of containers: no home, no rights but to read, nothing here that can be written to.
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all,+dac_read_search"]
NOBODY += ["--ambient-caps=-all,+dac_read_search", "--bounding-set=-all,+dac_read_search"]


@pytest.mark.posix
@pytest.mark.process
@pytest.mark.slow
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="only root can become another user",
)
def test_without_a_folder_to_write_to_kernels_are_compiled_and_not_kept():
    """A container's user without a home could not use more than 4,096 rows."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    ended = subprocess.run(
        [*NOBODY, sys.executable, "-c", CALL], env=kept, cwd="/", capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stdout) == (0, "Forest(200 rows, 200 distinct, 1 tree of 199 edges)\n"), ended
    assert ended.stderr.count("Compiled code cannot be cached") == len(ended.stderr.splitlines()) == 1


def test_other_errors_of_the_cache_come_out():
    """Only the one that is understood is passed over."""
    from bayesfloor.forest import _jit

    class Broken:
        def enable_caching(self):
            raise RuntimeError("another")

    with pytest.raises(RuntimeError, match="another"):
        _jit._cache(Broken())
