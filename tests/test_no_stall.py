"""First use must not stall: small sets compile nothing, large ones only once."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

DIGITS = """
import sys
from sklearn.datasets import load_digits
from bayesfloor import spanning_forest
from bayesfloor.forest import class_forests

X, y = load_digits(return_X_y=True)
forests = class_forests(X, y)
pairs = [forests.pair(i, j) for i in range(10) for j in range(i)]
whole = forests.all()
spanning_forest(X)
print(len(pairs), whole.n_vertices, "numba" in sys.modules)
"""

CANCER = """
import sys
from sklearn.datasets import load_breast_cancer
from bayesfloor import BayesFloor

BayesFloor().fit(*load_breast_cancer(return_X_y=True))
print("numba" in sys.modules)
"""

CHECK = """
import sys
from sklearn.datasets import load_digits
import bayesfloor

bayesfloor.check(*load_digits(return_X_y=True))
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
    """Words printed by a fresh interpreter."""
    command, env = [sys.executable, "-c", code], {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, check=True, text=True, env=env).stdout.split()


def test_digits_need_no_compiler():
    """All 45 pairs and the whole of 1,797 images: what a first try in a notebook looks like."""
    assert run_fresh(DIGITS) == ["45", "1797", "False"]


def test_a_small_fit_needs_no_compiler():
    """Bounds, pairs, intervals and samples of 569 rows: the README's first lines."""
    assert run_fresh(CANCER) == ["False"]


@pytest.mark.slow(nightly=True)
def test_a_check_of_digits_needs_no_compiler():
    """The first result decides whether there is a second."""
    assert run_fresh(CHECK) == ["False"]


@pytest.mark.slow(nightly=True)
def test_kernels_are_kept_for_the_next_run(tmp_path):
    """Whoever waited once should not wait again, in this process or in the next."""
    kept = {"NUMBA_CACHE_DIR": str(tmp_path), "BAYESFLOOR_JIT_CACHE": "1"}
    first, again, *later = [int(word) for _ in range(2) for word in run_fresh(TWICE, **kept)]

    assert first > 0
    assert [again, *later] == [0, 0, 0]
