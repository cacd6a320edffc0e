"""Tuned classifiers of five families: the error that a careful user reaches.

Settings are picked in three folds of at most ``PICK_ROWS`` rows; the picked one is then cross-validated in five other
folds of all rows. The best family is chosen by that same error, which makes it slightly too low. Equal rows stay in
one fold: they may be duplicates, which a model would recognise.
"""

import warnings
from functools import partial

import numpy as np
from sklearn import preprocessing
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.model_selection import PredefinedSplit, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from benchmarks._data import SEED

PICK_ROWS, PICK_FOLDS, FOLDS = 3000, 3, 5
MOST_COLUMNS_TIMES_CLASSES = 3000  # above this, boosting, which grows a tree per class, takes too long
_SCALERS = ("StandardScaler", "MinMaxScaler")


def _scaled(make, *settings):
    """Return every setting after each of two ways to scale columns."""
    return [(make, scaler, setting) for scaler in _SCALERS for setting in settings]


_svc, _neighbours = partial(SVC, cache_size=500), partial(KNeighborsClassifier, n_jobs=1)
_boosting = partial(HistGradientBoostingClassifier, random_state=SEED)
_trees = partial(ExtraTreesClassifier, 200, random_state=SEED, n_jobs=1)
_network = partial(MLPClassifier, (200,), early_stopping=True, n_iter_no_change=15, random_state=SEED)
FAMILIES = {
    "svc": _scaled(_svc, *({"C": cost} for cost in (1, 10, 100))),
    "boosting": [(_boosting, None, {"max_leaf_nodes": leaves}) for leaves in (7, 31)],
    "trees": [(_trees, None, {"max_features": part}) for part in ("sqrt", 0.25)],
    "network": _scaled(_network, *({"alpha": alpha} for alpha in (1e-4, 0.1))),
    "neighbours": _scaled(_neighbours, *({"n_neighbors": k} for k in (1, 4, 10))),
}


def suits(family, n_columns, n_classes):
    return family != "boosting" or n_columns * n_classes <= MOST_COLUMNS_TIMES_CLASSES


def tuned_error(X, y, family):
    """Return the cross-validated error of a family's best setting, and the setting."""
    rows = np.random.default_rng([SEED, 1]).permutation(len(y))[:PICK_ROWS]
    tried = [_cv_error(one, X[rows], y[rows], PICK_FOLDS, SEED + 1) for one in FAMILIES[family]]
    best = FAMILIES[family][int(np.argmin(tried))]
    _, scaler, setting = best
    return _cv_error(best, X, y, FOLDS, SEED), setting | ({"scaler": scaler} if scaler else {})


def _cv_error(one, X, y, folds, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer rows than folds, networks that did not converge
        split = PredefinedSplit(deal_folds(X, y, folds, seed))
        return float(np.mean(cross_val_predict(_made(*one), X, y, cv=split) != y))


def deal_folds(X, y, n_folds, seed):
    """Return the fold of each row: classes spread evenly, equal rows together."""
    _, first, vertex = np.unique(X, axis=0, return_index=True, return_inverse=True)
    fold = np.empty(len(first), dtype=np.int64)
    parts = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(first, y[first])
    for number, (_, tested) in enumerate(parts):
        fold[tested] = number
    return fold[vertex.ravel()]


def _made(make, scaler, setting):
    return make_pipeline(getattr(preprocessing, scaler)(), make(**setting)) if scaler else make(**setting)
