"""First use must not stall: small sets compile nothing, large ones only once."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


CHECK = """
import sys
from sklearn.datasets import load_digits
import bayesfloor

bayesfloor.check(*load_digits(return_X_y=True), effort="quick")
print("numba" in sys.modules)
"""

TWICE = """
import numpy as np
from numba.core.event import install_recorder
from bayesfloor import spanning_forest

X = np.random.default_rng(0).standard_normal((6000, 3))
for _ in range(2):
    with install_recorder("numba:compile") as compiled:
        spanning_forest(X)
        spanning_forest(X, method="matmul")
    print(len(compiled.buffer))
"""


def run_fresh(code, **environment):
    command, env = [sys.executable, "-c", code], {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, check=True, text=True, env=env).stdout.split()


def test_a_check_of_digits_needs_no_compiler():
    """The first result, of all 45 pairs and 1,797 images, decides whether there is a second."""
    assert run_fresh(CHECK) == ["False"]


@pytest.mark.slow(nightly=True)
def test_kernels_are_kept_for_the_next_run(tmp_path):
    """Whoever waited once should not wait again, in this process or in the next."""
    kept = {"NUMBA_CACHE_DIR": str(tmp_path), "BAYESFLOOR_JIT_CACHE": "1"}
    first, again, *later = [int(word) for _ in range(2) for word in run_fresh(TWICE, **kept)]

    assert first > 0
    assert [again, *later] == [0, 0, 0]
