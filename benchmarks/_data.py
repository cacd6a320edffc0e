"""Datasets to measure on, the same in every process: generated from sizes and one seed, or read from files."""

import os
from pathlib import Path

import numpy as np

SEED = 0


def gaussian(n, d):
    """Sample rows from a standard normal distribution."""
    return np.random.default_rng(SEED).normal(size=(n, d))


def clusters(n, d):
    """Sample rows from ten clusters far apart."""
    return labelled(even_sizes(n, 10), d, spread=5.0)[0]


def integers(n, d):
    """Sample rows of integers 0 to 10, with many ties and some equal rows."""
    return np.random.default_rng(SEED).integers(0, 11, size=(n, d)).astype(np.float64)


def labelled(sizes, d, spread):
    """Sample rows of classes of these sizes, with unit noise around normal centres; return them with their codes."""
    rng = np.random.default_rng(SEED)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    centres = spread * rng.normal(size=(len(sizes), d))
    return centres[codes] + rng.normal(size=(len(codes), d)), codes


def manifold(n):
    """Sample rows near a curved surface of 12 dimensions in 384 columns, of 77 classes; the lowest error is 10 %."""
    from scipy.special import softmax

    rng, spread = np.random.default_rng([1, 77, 12, 384, 900]), 0.6464677658766367
    centres = rng.normal(size=(154, 12))
    wave, phase = rng.normal(size=(12, 48)) / np.sqrt(12), rng.uniform(0, 2 * np.pi, 48)
    mix = rng.normal(size=(60, 384)) / np.sqrt(12)

    def near(n, rng):
        return centres[rng.integers(154, size=n)] + spread * rng.normal(size=(n, 12))

    def lift(z):
        return np.hstack([z, 1.5 * np.sin(1.5 * (z @ wave) + phase)]) @ mix

    noise, rng = (
        0.1 * lift(near(2000, np.random.default_rng(41))).std(),
        np.random.default_rng([SEED, *f"embedded_blobs-K77-m12-d384-error0.1-n{n}-900".encode()]),
    )
    z = near(n, rng)
    X = lift(z) + noise * rng.normal(size=(n, 384))
    away = (z**2).sum(axis=1)[:, None] - 2 * z @ centres.T + (centres**2).sum(axis=1)
    chance = softmax(-away / (2 * spread**2), axis=1) @ np.equal.outer(np.arange(154) // 2, np.arange(77))
    return X, (rng.random(n)[:, None] > np.cumsum(chance, axis=1)).sum(axis=1).clip(max=76)


def even_sizes(n, k):
    """Return the sizes of k classes, as even as n rows allow."""
    return np.bincount(np.arange(n) % k).tolist()


def data_folder():
    folder = os.environ.get("BAYESFLOOR_DATA", "")
    if not Path(folder or "missing").is_dir():
        raise SystemExit(
            f"Got BAYESFLOOR_DATA={folder!r}, but expected a folder of datasets; "
            "`python -m benchmarks.datasets FOLDER` fetches them."
        )
    return Path(folder)


def file_generator(path=None):
    """Return the script that writes messy files: this, as BAYESFLOOR_MESSY says, or next to the datasets; or None."""
    beside = Path(os.environ.get("BAYESFLOOR_DATA", "")).absolute().parent / "messy" / "make.py"
    script = Path(path or os.environ.get("BAYESFLOOR_MESSY") or beside)
    return script if script.is_file() else None


def read_rows(name, most=None):
    """Read at most this many rows of a dataset, and their codes; digits come with scikit-learn."""
    if name == "classes":
        return labelled([50] * (most // 50), 64, 1.0)
    if name == "digits":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        return X[:most], y[:most]
    from pyarrow.parquet import read_table

    table = read_table(data_folder() / f"{name}.parquet")
    codes = np.unique(table["target"].to_numpy(), return_inverse=True)[1][:most]
    columns = [column for column in table.column_names if column != "target"]
    X = np.empty((len(codes), len(columns)))
    for place, column in enumerate(columns):
        X[:, place] = table[column].to_numpy()[:most]
    return X, codes


SETS = {"gaussian": gaussian, "clusters": clusters, "integers": integers}
