"""Other estimates of the Bayes error, reimplemented from their papers, behind one signature.

Each takes standardised rows, class codes and a random generator, and returns a ``Guess``. The formulas are
reimplemented here and not imported, so that all methods use the same rows and the same exact trees.
"""

from typing import NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import NearestNeighbors

from bayesfloor import spanning_forest
from bayesfloor.forest import class_forests

MOST_NEIGHBOURS = 101
FOLDS = 5
PARTS = (1, 2, 4, 8)  # number of parts of the rows, to see how an error falls with more rows


class Guess(NamedTuple):
    """An estimate of the Bayes error, with its bounds if the method has them."""

    estimate: float
    lower: float | None = None
    upper: float | None = None


def standardise(X):
    """Standardise columns to mean zero and variance one; constant ones become zero."""
    centred = X - X.mean(axis=0)
    scale = centred.std(axis=0)
    return centred / np.where(scale > 0, scale, 1)


# Spanning trees.


def cross_counts(forest, codes):
    """Return the cross-class edges of each tree; equal rows share a vertex and count by their expectation."""
    _, vertex = np.unique(forest.vertex, return_inverse=True)
    counts = np.zeros((vertex.max() + 1, codes.max() + 1))
    np.add.at(counts, (vertex, codes), 1)
    size = counts.sum(axis=1)
    inside = (size - (counts**2).sum(axis=1) / size).sum()
    a, b = (np.searchsorted(np.unique(forest.vertex), ends) for ends in (forest.a, forest.b))
    crossing = 1 - (counts[a] * counts[b]).sum(axis=1) / (size[a] * size[b])
    return inside + np.bincount(forest.tree, weights=crossing, minlength=forest.n_trees)


def cross_edges(X, codes, n_trees):
    """Return the mean number of cross-class edges over the first trees."""
    return cross_counts(spanning_forest(X, n_trees, n_jobs=1), codes).mean()


def cover_hart_lower(rate, k):
    """Return the smallest Bayes error with this cross rate (Cover & Hart 1967)."""
    return (k - 1) / k * (1 - np.sqrt(max(0.0, 1 - k / (k - 1) * rate)))


def between_bounds(rate, k):
    """Return the midpoint of Cover and Hart's bounds."""
    lower, upper = cover_hart_lower(rate, k), min(rate, 1 - 1 / k)
    return Guess((lower + upper) / 2, lower, upper)


def two_class_bounds(crossing, codes):
    """Return the bounds of Berisha, Wisler, Hero & Spanias (2016) for two classes."""
    share = np.bincount(codes).min() / len(codes)
    u = max(0.0, 1 - 2 * crossing / len(codes))
    return min(share, 0.5 - np.sqrt(u) / 2), min(share, 0.5 - u / 2)


def two_class_estimate(crossing, codes):
    """Return the HP-estimate with bias correction (van den Burg & Hero, Fast Meta-Learning)."""
    n, share = len(codes), np.bincount(codes).min() / len(codes)
    most = n * (2 * share - 0.75 + np.sqrt(9 - 16 * share) / 4)
    u = max(0.0, 1 - 2 * min(most, crossing) / n)
    return 0.5 - np.sqrt(u) / 4 - u / 4


def henze_penrose(X, codes, n_trees):
    """Return the HP-estimate of van den Burg & Hero; above two classes the midpoint of Cover and Hart's bounds."""
    k, crossing = codes.max() + 1, cross_edges(X, codes, n_trees)
    if k > 2:
        return between_bounds(crossing / (len(codes) - 1), k)
    return Guess(two_class_estimate(crossing, codes), *two_class_bounds(crossing, codes))


def hp_pairs(X, codes, _rng):
    """Bound by Berisha et al. (2016) for each pair's tree: their sum above, 2/K of it below; return the midpoint."""
    n, k = len(codes), codes.max() + 1
    forests = class_forests(X, codes, n_trees=1, n_jobs=1)
    bounds = [pair_bounds(forests.pair(i, j), codes) for i in range(k) for j in range(i + 1, k)]
    lower, upper = (sum(size * bound[side] for size, *bound in bounds) / n for side in (0, 1))
    upper = min(upper, 1 - 1 / k)
    lower = min(lower * 2 / k, upper)
    return Guess((lower + upper) / 2, lower, upper)


def pair_bounds(forest, codes):
    """Return the rows of a pair, and the bounds on its own Bayes error."""
    pair = np.unique(codes[forest.rows], return_inverse=True)[1]
    return len(pair), *two_class_bounds(cross_counts(forest, pair)[0], pair)


def ghp(X, codes, _rng):
    """Return the midpoint of the bounds of Sekeh, Oselio & Hero (2018) as in DataEval's ``ber_mst``.

    Since January 2026 it subtracts the K - 1 edges that any tree needs between K classes. It does not cap the upper
    bound at the error of guessing.
    """
    k = len(np.unique(codes))
    rate = max(0.0, cross_edges(X, codes, 1) - (k - 1)) / len(codes)  # an expectation may be rounded to below K - 1
    lower = cover_hart_lower(rate, k)
    return Guess((lower + rate) / 2, lower, rate)


# Neighbours.


def neighbours(X, most):
    """Return the nearest other rows of each row, nearest first."""
    return NearestNeighbors(n_neighbors=most, n_jobs=1).fit(X).kneighbors(return_distance=False)


def nearest_error(X, codes):
    return float(np.mean(codes[neighbours(X, 1)[:, 0]] != codes))


def one_nearest(X, codes, _rng):
    """Return the midpoint of Cover and Hart's (1967) bounds at the 1-NN error; DataEval's ``ber_knn``, k = 1."""
    return between_bounds(nearest_error(X, codes), codes.max() + 1)


def vote_errors(X, codes, most):
    """Return the errors of the vote of the 1, 3, 5, ... nearest other rows; ties go to the nearest row's side."""
    labels = codes[neighbours(X, most)]
    votes = np.zeros((len(codes), codes.max() + 1))
    errors = []
    for k in range(most):
        # A nearer row weighs slightly more, which breaks ties and changes nothing else.
        votes[np.arange(len(codes)), labels[:, k]] += 1 - 1e-6 * k
        if k % 2 == 0:
            errors.append(np.mean(votes.argmax(axis=1) != codes))
    return errors


def best_vote(X, codes, _rng):
    """Return the leave-one-out error of kNN (Cover & Hart 1967) with the best odd k, picked on the same errors."""
    most = min(MOST_NEIGHBOURS, len(codes) // 5)
    return Guess(float(min(vote_errors(X, codes, most))))


def extrapolated(X, codes, rng):
    """Extrapolate the 1-NN error by e + c n^(-2/d) (Snapp & Venkatesh 1998); return the Cover-Hart lower bound."""
    order, k = rng.permutation(len(codes)), codes.max() + 1
    splits = [np.array_split(order, parts) for parts in PARTS]
    errors = [np.mean([nearest_error(X[rows], codes[rows]) for rows in split]) for split in splits]
    shrinking = (len(codes) / np.array(PARTS)) ** (-2 / X.shape[1])
    limit = np.polynomial.Polynomial.fit(shrinking, errors, 1)(0.0)
    return Guess(cover_hart_lower(float(np.clip(limit, 0, 1 - 1 / k)), k))


# A learner.


def forest_cv(X, codes, rng):
    """Return the cross-validated error of a random forest (Breiman 2001): an upper bound in expectation."""
    seed = int(rng.integers(2**31))
    forest = RandomForestClassifier(n_estimators=100, n_jobs=1, random_state=seed)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    return Guess(float(np.mean(cross_val_predict(forest, X, codes, cv=folds) != codes)))


RIVALS = {
    "hp-1": lambda X, codes, _rng: henze_penrose(X, codes, 1),
    "hp-3": lambda X, codes, _rng: henze_penrose(X, codes, 3),  # as van den Burg & Hero use it
    "hp-pairs": hp_pairs,
    "ghp / dataeval-mst": ghp,
    "1nn / dataeval-knn": one_nearest,
    "knn-best": best_vote,
    "knn-extrapolate": extrapolated,
    "forest-cv": forest_cv,
}
