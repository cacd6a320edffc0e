"""Tables with a planted hazard, small enough for every test."""

import numpy as np
import pandas as pd
import pytest

from bayesfloor.answer._labelled_table import label_table
from bayesfloor.io import open_data


@pytest.fixture
def as_table():
    return lambda X, y, roles=None: label_table(open_data(X, np.asarray(y)), roles, "auto")


@pytest.fixture
def patients(global_random_seed):
    """Ten rows each of sixty patients, who have one diagnosis each."""
    rng = np.random.default_rng(global_random_seed)
    patient = np.repeat(np.arange(60), 10)
    sick = rng.permutation(np.arange(60) % 2)
    usual = rng.normal(size=(60, 5)) + 0.5 * sick[:, None]
    table = pd.DataFrame(usual[patient] + 0.2 * rng.normal(size=(600, 5)), columns=list("abcde"))
    return table, sick[patient], patient


@pytest.fixture
def hours(global_random_seed):
    """Slow measurements whose labels depend on a slow cause that is not measured."""
    rng = np.random.default_rng(global_random_seed)
    steps = rng.normal(size=(2000, 5)) * np.sqrt(1 - 0.97**2)
    for row in range(1, 2000):
        steps[row] += 0.97 * steps[row - 1]
    y = (steps[:, 0] + 2 * steps[:, 4] + 0.3 * rng.normal(size=2000) > 0).astype(int)
    return pd.DataFrame(steps[:, :4], columns=list("abcd")), y


@pytest.fixture
def noisy(global_random_seed):
    """Independent rows of two classes that overlap."""
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(0, 2, 1000)
    return pd.DataFrame(rng.normal(size=(1000, 4)) + 0.6 * y[:, None], columns=list("abcd")), y
