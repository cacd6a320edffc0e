"""Sets of rows to measure on, the same in every process: sizes and one seed make them."""

import numpy as np

SEED = 0


def gaussian(n, d):
    """Rows of a standard normal distribution."""
    return np.random.default_rng(SEED).normal(size=(n, d))


def clusters(n, d):
    """Rows of ten clusters far apart."""
    return labelled(even_sizes(n, 10), d, spread=5.0)[0]


def integers(n, d):
    """Rows of integers 0 to 10, with many ties and some equal rows."""
    return np.random.default_rng(SEED).integers(0, 11, size=(n, d)).astype(np.float64)


def labelled(sizes, d, spread):
    """Rows of classes of these sizes, unit noise around normal centres, and their codes."""
    rng = np.random.default_rng(SEED)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    centres = spread * rng.normal(size=(len(sizes), d))
    return centres[codes] + rng.normal(size=(len(codes), d)), codes


def even_sizes(n, k):
    """Sizes of k classes, as even as n rows allow."""
    return np.bincount(np.arange(n) % k).tolist()


SETS = {"gaussian": gaussian, "clusters": clusters, "integers": integers}
