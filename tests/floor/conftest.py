"""Sets of points with known answers, and tables of the kinds that users bring."""

import numpy as np
import pytest

from bayesfloor import BayesFloor


@pytest.fixture(scope="session")
def read_table(data_dir):
    """Reader of datasets as they are stored, texts included: (name, n_rows=None) -> (data frame, labels).

    Of a set cut to ``n_rows``, the rows are taken at even distances, so that every class keeps some.
    """

    def read(name, n_rows=None):
        import pandas as pd

        table = pd.read_parquet(data_dir / f"{name}.parquet")
        if n_rows is not None:
            table = table.iloc[np.linspace(0, len(table) - 1, n_rows).astype(int)].reset_index(drop=True)
        return table.drop(columns="target"), table["target"].to_numpy()

    return read


def draw_gaussians(rng, sizes, shift=1.0, d=2):
    """Gaussian classes in a row along the first feature, ``shift`` apart: X, y."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.standard_normal((len(y), d))
    X[:, 0] += shift * y
    return X, y


@pytest.fixture(scope="session")
def gaussians():
    """Source of Gaussian classes: (rng, sizes, shift=1.0, d=2) -> X, y."""
    return draw_gaussians


@pytest.fixture
def rng(global_random_seed):
    """Source of random data."""
    return np.random.default_rng(global_random_seed)


@pytest.fixture(scope="session")
def fitted(global_random_seed):
    """A fitted floor of three overlapping classes; tests only look at it."""
    X, y = draw_gaussians(np.random.default_rng(global_random_seed), [120, 100, 80])
    return BayesFloor().fit(X, y)
