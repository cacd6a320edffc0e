"""Cheap classifiers beside the trees: their errors and posteriors out of fold."""

from __future__ import annotations

import logging
import warnings
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.counts._labels import Floats, Ints
from bayesfloor.engine._held import Held, holding
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._tasks import one_blas_thread, one_openmp_thread, run_tasks

logger = logging.getLogger(__name__)

_NEIGHBOURS = (1, 3, 5, 7, 11, 15, 21, 31, 45, 65, 91, 131)
_COMPONENTS = 300  # of the kernel's map
_BOOSTED_CLASSES, _BOOSTED_FEATURES = 10, 100  # at most: boosting grows a tree for each class at every step


class OutOfFold(NamedTuple):
    """Posteriors of each learner for rows that it was not trained on."""

    codes: Ints
    fold: Ints
    eta: dict[str, Floats]

    def wrong(self, name: str) -> np.ndarray:
        """Rows that the learner gets wrong."""
        return self.eta[name].argmax(axis=1) != self.codes


def default_learners(n_features: int, n_classes: int, random_state: int) -> dict[str, Any]:
    """A linear, a quadratic and a kernel model, a forest and, for few classes, boosted trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    boosting = HistGradientBoostingClassifier(max_leaf_nodes=15, early_stopping=False, random_state=random_state)
    few = n_classes <= _BOOSTED_CLASSES and n_features <= _BOOSTED_FEATURES
    kernel = Nystroem(gamma=1 / n_features, n_components=_COMPONENTS, random_state=random_state)
    return {
        **cheap_learners(random_state),
        "kernel": make_pipeline(StandardScaler(), kernel, LogisticRegression(C=10, max_iter=200)),
        "forest": RandomForestClassifier(100, min_samples_leaf=3, random_state=random_state),
        **({"boosting": boosting} if few else {}),
    }


def cheap_learners(random_state: int) -> dict[str, Any]:
    """A linear and a quadratic model and a small forest: of use beside neighbours, and done in a second."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)),
        "quadratic": make_pipeline(StandardScaler(), QuadraticDiscriminantAnalysis(reg_param=0.05)),
        "forest": ExtraTreesClassifier(20, min_samples_leaf=3, random_state=random_state),
    }


def check_learners(learners: Any) -> None:
    """Refuse what are no classifiers by name."""
    from sklearn.base import is_classifier

    if not isinstance(learners, dict):
        raise TypeError(f"Got learners of type {type(learners).__name__}, but expected a dict of name -> classifier.")
    for name, learner in learners.items():
        if name in ("neighbours", "blend"):
            raise ValueError(f"Got a learner named {name!r}, a name in use. Call it otherwise.")
        if not is_classifier(learner):
            raise TypeError(f"Got {learner!r} as learner {name!r}, but expected a classifier.")


def out_of_fold(
    X: Floats,
    codes: Ints,
    n_classes: int,
    cluster: Ints,
    cv: int,
    learners: dict[str, Any],
    n_jobs: int | None,
    random_state: int,
    progress: Progress | None = None,
) -> OutOfFold:
    """Posteriors out of fold of each learner, and of nearest neighbours under the name "neighbours"."""
    fold = make_folds(codes, cluster, cv, random_state)
    K = n_classes
    # Entered once: filters of warnings are the whole process's, not a thread's.
    with one_blas_thread(), warnings.catch_warnings(), holding(n_jobs) as hold:
        warnings.simplefilter("ignore")  # of convergence and collinearity: a poor learner only loses
        held = hold((X, codes, fold))
        tasks = [(held, f, learner, K) for learner in [None, *learners.values()] for f in range(fold.max() + 1)]
        results = run_tasks(_predict, tasks, n_jobs=n_jobs, progress=progress, stage="classifiers", total=len(tasks))
        parts = list(results)
    eta = {}
    for number, name in enumerate(["neighbours", *learners]):
        own = parts[number * (fold.max() + 1) :][: fold.max() + 1]
        if all(part is not None for part in own):
            eta[name] = np.empty((len(codes), K))
            for f, part in enumerate(own):
                eta[name][fold == f] = part
    return OutOfFold(codes, fold, eta)


def make_folds(codes: Ints, cluster: Ints, cv: int, random_state: int) -> Ints:
    """Fold of each row; every class spread over the folds, clusters whole."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    alone = len(np.unique(cluster)) == len(cluster)
    kind = StratifiedKFold if alone else StratifiedGroupKFold
    cv = max(2, min(cv, int(np.bincount(codes).max()), len(np.unique(cluster))))
    if np.bincount(codes).max() < 2:  # nothing to spread
        return np.unique(cluster, return_inverse=True)[1] % 2
    fold = np.empty(len(codes), dtype=np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # small classes are flagged by the floor itself
        for f, (_, test) in enumerate(kind(cv, shuffle=True, random_state=random_state).split(codes, codes, cluster)):
            fold[test] = f
    return fold


def _predict(held: Held[tuple[Floats, Ints, Ints]], number: int, learner: Any, n_classes: int) -> Floats | None:
    """Posteriors for the rows of a fold, or None where the learner cannot be trained on the others."""
    X, codes, fold = held.get()
    test = fold == number
    with one_openmp_thread():
        if learner is None:
            return _neighbours(X[~test], codes[~test], X[test], n_classes)
        return _train_and_predict(X, codes, test, learner, n_classes)


def _train_and_predict(X: Floats, codes: Ints, test: np.ndarray, learner: Any, n_classes: int) -> Floats | None:
    from sklearn.base import clone

    try:
        model = clone(learner).fit(X[~test], codes[~test])
        found = np.nan_to_num(_probabilities(model, X[test]))
    except (ValueError, np.linalg.LinAlgError) as error:
        logger.info("left out %s: %s", type(learner).__name__, error)
        return None
    eta = np.zeros((np.count_nonzero(test), n_classes))
    eta[:, model.classes_] = found
    return eta


def _probabilities(model: Any, X: Floats) -> Floats:
    """Posteriors, or a single 1 for the answer of a model that has none."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)
    return (model.predict(X)[:, None] == model.classes_).astype(np.float64)


def _neighbours(X: Floats, codes: Ints, Z: Floats, n_classes: int) -> Floats:
    """Shares of classes among the k nearest; k is the best for the training rows, each left out."""
    from sklearn.neighbors import NearestNeighbors

    grid = np.array([k for k in _NEIGHBOURS if k < len(X)] or [1])
    search = NearestNeighbors(n_neighbors=max(1, min(int(grid[-1]), len(X) - 1))).fit(X)
    k = 1
    if len(X) > 2:  # fewer are too few to choose by
        inside = codes[search.kneighbors(return_distance=False)]
        k = int(grid[np.argmin([np.mean(_vote(inside[:, :k], n_classes).argmax(axis=1) != codes) for k in grid])])
    return _vote(codes[search.kneighbors(Z, n_neighbors=k, return_distance=False)], n_classes) / k


def _vote(neighbours: Ints, n_classes: int) -> Floats:
    """Number of neighbours of each class."""
    n = len(neighbours)
    place = np.arange(n)[:, None] * n_classes + neighbours
    return np.bincount(place.ravel(), minlength=n * n_classes).reshape(n, n_classes).astype(np.float64)
