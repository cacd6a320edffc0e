"""Memory that was freed goes back."""

import subprocess
import sys

import pytest

CODE = """
import numpy as np, pyarrow
from bayesfloor.leaving.engine_memory import release_memory
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
kept = [np.ones(1000) for _ in range(20_000)]  # small enough for the heap
last = kept[-1]
before = resident()
del kept
release_memory()
assert resident() < before - 100e6, (before, resident())
"""


@pytest.mark.posix
@pytest.mark.process
def test_what_was_freed_goes_back_to_the_system():
    """Arrays small enough for the heap, with one at its end that stays."""
    subprocess.run([sys.executable, "-c", CODE], check=True)
