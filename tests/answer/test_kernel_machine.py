"""The RBF machine that tests many rows at once."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.svm import SVC

from bayesfloor.answer import _learners as _kernel_machine
from bayesfloor.answer._learners import KernelMachine


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_digits])
@pytest.mark.parametrize("at_once", [4_000_000, 20_000])
def test_it_decides_as_libsvm_does(load, at_once, monkeypatch):
    """It decides as libsvm does, also if rows are tested in several pieces."""
    monkeypatch.setattr(_kernel_machine, "_AT_ONCE", at_once)
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
    ours, theirs = (machine.fit(X[::2], y[::2]) for machine in (KernelMachine(C=10.0), SVC(C=10.0)))

    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_constant_columns_are_no_problem():
    """Rows without any spread have one decision."""
    machine = KernelMachine().fit(np.zeros((4, 2)), np.array([0, 1, 1, 1]))

    assert machine.predict(np.zeros((2, 2))).tolist() == [1, 1]
