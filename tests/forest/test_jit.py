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
    X = np.random.default_rng(global_random_seed).integers(0, 30, (4500, 3)).astype(float)
    for method in ("kdtree", "matmul"):
        spanning_forest(X, method=method)
    for k in (3, 60):
        class_forests(X, np.arange(len(X)) % k).all()
    names = [module.name for module in pkgutil.iter_modules(bayesfloor.forest.__path__, "bayesfloor.forest.")]
    found = [value for name in names for value in vars(importlib.import_module(name)).values()]
    return {value.py_func.__qualname__: value for value in found if isinstance(value, Dispatcher)}


def test_kernels_return_no_tuples_of_arrays_let_other_threads_run_and_keep_sums_in_order(kernels):
    """Numba crashes where Ctrl-C meets the boxing of a tuple; threads share points; lengths are alike bit for bit."""
    wrong = [
        name
        for name, kernel in kernels.items()
        for signature in kernel.nopython_signatures
        if isinstance(signature.return_type, BaseTuple)
    ]

    assert kernels
    assert wrong == []

    assert [name for name, kernel in kernels.items() if not kernel.targetoptions.get("nogil")] == []

    assert [name for name, kernel in kernels.items() if kernel.targetoptions.get("fastmath")] == []


CALL = """
import numpy as np
from bayesfloor import spanning_forest
print(spanning_forest(np.random.default_rng(0).standard_normal((200, 3)), 1, method="kdtree"))
"""
# A user of containers: no home, no rights but to read, nothing here that can be written to.
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all,+dac_read_search"]
NOBODY += ["--ambient-caps=-all,+dac_read_search", "--bounding-set=-all,+dac_read_search"]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
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


def test_other_errors_of_the_cache_come_out(monkeypatch):
    """Only the one that is understood is passed over."""
    from bayesfloor.forest import _kernels as _jit

    def broken(_function):
        raise RuntimeError("another")

    monkeypatch.setattr(_jit, "_KernelCache", broken)
    with pytest.raises(RuntimeError, match="another"):
        _jit.kernel(lambda: 0)


KERNELS = """
import logging
from bayesfloor.forest._kernels import kernel, step

@step
def twice(x):
    return 2.0 * x

@kernel
def add_up(values):
    total = 0.0
    for value in values:
        total += twice(value)
    return total

if __name__ == "__main__":
    import numpy as np
    logging.basicConfig()
    logging.getLogger("bayesfloor.forest._kernels").setLevel(logging.DEBUG)
    total = add_up(np.arange(10.0))
    print(total, sum(add_up.stats.cache_hits.values()))
"""
DAMAGES = {
    "empty index": ("nbi", lambda content: content[:0]),
    "half of an index": ("nbi", lambda content: content[: len(content) // 2]),
    "garbage as index": ("nbi", lambda content: b"\xff\x00garbage" + content),
    "half of the code": ("nbc", lambda content: content[: len(content) // 2]),
    "a byte flipped in the code": ("nbc", lambda content: bytes([content[0] ^ 0xFF]) + content[1:]),
}


def run_kernels(folder, before=""):
    """Run two kernels in a process of its own: what it printed and logged."""
    path = folder / "kernels.py"
    start = f"{before}\nimport runpy\nrunpy.run_path({str(path)!r}, run_name='__main__')"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "BAYESFLOOR_JIT_CACHE": "1"}
    command = [sys.executable, "-c", start]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.split(), ended.stderr


@pytest.fixture(scope="module")
def cached(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cached")
    (folder / "kernels.py").write_text(KERNELS, encoding="utf-8")
    assert run_kernels(folder) == (["90.0", "0"], "")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "damage"), DAMAGES.values(), ids=DAMAGES)
def test_damaged_files_of_the_cache_are_replaced(cached, suffix, damage):
    """After a crash or a full disk, every run failed until someone deleted the cache."""
    files = list((cached / "cache").rglob(f"*.{suffix}"))
    assert len(files) == 2
    for file in files:
        file.write_bytes(damage(file.read_bytes()))

    said, told = run_kernels(cached)
    assert said == ["90.0", "0"]
    assert told.count("cannot be read") == len(told.splitlines()) == 2
    assert run_kernels(cached) == (["90.0", "1"], "")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
@pytest.mark.slow
def test_a_full_disk_keeps_kernels_in_memory(tmp_path):
    """Nothing needs the files."""
    (tmp_path / "kernels.py").write_text(KERNELS, encoding="utf-8")
    said, told = run_kernels(tmp_path, "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))")

    assert said == ["90.0", "0"]
    assert told.count("cannot be saved") == len(told.splitlines()) == 2
    assert run_kernels(tmp_path) == (["90.0", "0"], "")
