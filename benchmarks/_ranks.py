"""Mean ranks of methods over datasets, and which of them do not differ significantly (Demsar 2006)."""

import numpy as np

LEVEL = 0.05


def mean_ranks(table):
    """Return the mean rank of each column of a cost table, one dataset per row; equal costs share their ranks."""
    from scipy.stats import rankdata

    return rankdata(table, axis=1).mean(axis=0)


def critical_difference(n_methods, n_datasets):
    """Return Nemenyi's critical difference: mean ranks closer than this do not differ significantly."""
    from scipy.stats import studentized_range

    quantile = studentized_range.ppf(1 - LEVEL, n_methods, np.inf) / np.sqrt(2)
    return quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def friedman_p(table):
    """Return the p-value of Friedman's test that all methods have the same mean rank."""
    from scipy.stats import friedmanchisquare

    return friedmanchisquare(*np.transpose(table)).pvalue


def joined(ranks, difference):
    """Return the ends of the longest runs of sorted ranks that do not differ significantly."""
    last = [np.flatnonzero(ranks <= rank + difference).max() for rank in ranks]
    runs = [(i, j) for i, j in enumerate(last) if j > i]
    return [(i, j) for i, j in runs if not any(a < i and j <= b for a, b in runs)]
