"""Floors of representations, compared with the error of the best of three tuned classifiers on each."""

import numpy as np
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.random_projection import GaussianRandomProjection

from bayesfloor import compare_representations
from benchmarks._data import SEED, read_rows
from benchmarks._results import at_least, at_most
from benchmarks._scaled_svc import ScaledSVC
from benchmarks._timing import seconds_of

# File, and sizes of PCA; twice the middle one is the size of the random projection.
_SETS = {
    "mnist": ("mnist_test", (2, 20, 100)),
    "letter": ("letter", (2, 5, 10)),
    "satimage": ("satimage", (2, 6, 18)),
    "optdigits": ("optdigits", (2, 8, 32)),
}
_QUICK = ("satimage",)
_QUICK_ROWS, _LANDMARKS, _FOLDS = 1500, 100, 3
_MODELS = ("svm", "neighbours", "logistic")
_CORRELATION, _TIME, _WITHIN = 0.8, 0.1, 0.005  # goals


def cells(*, quick):
    names = _QUICK if quick else _SETS
    return [f"{name}/{what}" for name in names for what in ("floors", *candidates(*_SETS[name][1], 1, None))]


def candidates(small, middle, large, n_features, raw):
    """Return the representations by name; ``raw`` means the rows themselves."""
    pca = {f"pca-{size}": PCA(size, random_state=SEED) for size in (small, middle, large)}
    landmarks = Nystroem(gamma=1 / n_features, n_components=_LANDMARKS, random_state=SEED)
    return {
        "raw": raw,
        "standard": StandardScaler(),
        **pca,
        f"random-{2 * middle}": GaussianRandomProjection(2 * middle, random_state=SEED),
        "nystroem": make_pipeline(StandardScaler(), landmarks),
        "lda": LinearDiscriminantAnalysis(),
    }


def measure(cell, *, quick):
    """Compute the floors of all representations, or the error of tuned classifiers on one; both with their time."""
    name, what = cell.split("/")
    file, sizes = _SETS[name]
    X, y = read_rows(file)
    if quick:
        chosen = np.random.default_rng(SEED).choice(len(y), _QUICK_ROWS, replace=False)
        X, y = X[chosen], y[chosen]
    given = candidates(*sizes, X.shape[1], X)
    return _floors(given, X, y) if what == "floors" else _tune(given[what], X, y)


def _floors(given, X, y):
    compare_representations({"few": X[:200]}, y[:200])  # kernels are compiled beforehand
    seconds, found = seconds_of(lambda: compare_representations(given, y, X=X))
    return {"seconds": seconds, "table": found.frame().to_dict("records"), "best": found.best_}


def _tune(candidate, X, y):
    """Return each classifier's cross-validated error with its best parameters, and the time of its search."""
    found = {name: seconds_of(lambda search=search: search.fit(X, y)) for name, search in _searches(candidate).items()}
    errors = {name: 1 - search.best_score_ for name, (_, search) in found.items()}
    seconds = {name: seconds for name, (seconds, _) in found.items()}
    return {"error": min(errors.values()), "errors": errors, "seconds": seconds}


def _searches(candidate):
    """Make searches over the parameters of three classifiers on top of a representation."""
    first = "passthrough" if isinstance(candidate, np.ndarray) else candidate
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=SEED)
    models = {
        "svm": (make_pipeline(first, ScaledSVC()), {"scaledsvc__C": (3.0, 30.0), "scaledsvc__width": (1.0, 3.0)}),
        "neighbours": (make_pipeline(first, KNeighborsClassifier()), {"kneighborsclassifier__n_neighbors": (1, 5, 15)}),
        "logistic": (
            make_pipeline(first, StandardScaler(), LogisticRegression(max_iter=300)),
            {"logisticregression__C": (0.1, 1.0, 10.0)},
        ),
    }
    return {name: GridSearchCV(model, grid, cv=folds, refit=False) for name, (model, grid) in models.items()}


def tables(results):
    lines = lines_of(results)
    table = [("dataset", "rank correlation", "time ratio", "pick above best", "picked", "best"), *map(_text, lines)]
    if lines:
        table.append(("mean", *(f"{value:.3f}" for value in means_of(lines)), "", ""))
    details = [line for name in _SETS if _whole(name, results) for line in _details(name, results)]
    return {"representations": table, "representations, all": [_DETAILS, *details]}


def goals(results):
    lines = lines_of(results)
    correlation, share, above = means_of(lines)
    return [
        at_least("rank correlation of floors and tuned errors", correlation, _CORRELATION),
        at_most("time of floors / of tuning", share, _TIME),
        at_most("error of the pick above the best", above, _WITHIN, ".4f"),
    ]


def lines_of(results):
    """Return the figures of each completely measured dataset."""
    return [_line(name, results) for name in _SETS if _whole(name, results)]


def means_of(lines):
    """Return the means over the datasets of the figures that goals are about."""
    return np.mean([line[1:4] for line in lines], axis=0).tolist()


def points_of(results):
    """Return the fractions of cross-class edges and the tuned errors of each dataset's representations."""
    for name in _SETS:
        if _whole(name, results):
            rows, tuned = results[f"{name}/floors"]["table"], _errors(name, results)
            yield name, [(row, tuned[row["representation"]]["error"]) for row in rows]


def _text(line):
    return (line[0], *(f"{value:.3f}" for value in line[1:4]), *line[4:])


def _whole(name, results):
    return f"{name}/floors" in results and len(_errors(name, results)) == len(results[f"{name}/floors"]["table"])


def _errors(name, results):
    return {key.split("/")[1]: cell for key, cell in results.items() if key.startswith(f"{name}/") and "error" in cell}


def _line(name, results):
    floors, tuned = results[f"{name}/floors"], _errors(name, results)
    ranked = [row["representation"] for row in floors["table"]]
    errors = [tuned[each]["error"] for each in ranked]
    correlation = spearmanr(range(len(ranked)), errors).statistic
    seconds = sum(sum(cell["seconds"].values()) for cell in tuned.values())
    best = min(tuned, key=lambda each: tuned[each]["error"])
    return name, correlation, floors["seconds"] / seconds, errors[0] - min(errors), floors["best"], best


_DETAILS = ("dataset", "representation", "cross edges", "rows", "word", "tuned error", *_MODELS, "tuning, CPU s")


def _details(name, results):
    floors, tuned = results[f"{name}/floors"], _errors(name, results)
    for row in floors["table"]:
        cell = tuned[row["representation"]]
        errors = [f"{cell['errors'][model]:.4f}" for model in _MODELS]
        figures = (f"{row['cross_rate']:.4f}", str(row["n_rows"]), row["word"], f"{cell['error']:.4f}", *errors)
        yield (name, row["representation"], *figures, f"{sum(cell['seconds'].values()):.0f}")


def check(results):
    for key, cell in results.items():
        if key.endswith("/floors"):
            assert all(0 <= row["predicted"] <= 1 for row in cell["table"])
            assert cell["table"][0]["word"] == "best"
