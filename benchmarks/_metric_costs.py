"""CPU time of checks by other metrics, beside accuracy alone and beside a cross-validated forest of 100 trees."""

import time
import warnings
from statistics import median

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import cross_val_predict
from threadpoolctl import threadpool_limits

import bayesfloor
from benchmarks._recipes import load_frame

ROUNDS = 3
OF_CLASSES = ("satimage", "winered", "letter")
OF_NUMBERS = ("abalone", "winewhite", "friedman")
ALL = ["accuracy", "balanced_accuracy", "roc_auc", "log_loss", "brier"]


def load(name):
    """Return the rows of a table as numbers, and its labels or numbers."""
    if name == "friedman":
        return make_friedman1(4000, 20, noise=2.0, random_state=0)
    X, y = load_frame(name)  # as stored: other recipes merge classes
    y = np.asarray(y)
    if name == "abalone":
        X = X.assign(**{column: X[column].astype("category").cat.codes for column in X.select_dtypes(exclude="number")})
    return np.asarray(X, dtype=float), y.astype(float) if name in OF_NUMBERS else y.astype(str)


def cost_of(name, *, rows=None):
    """Return the median CPU seconds of each way, measured in turns."""
    X, y = load(name)
    X, y = X[:rows], y[:rows]
    numbers = name in OF_NUMBERS
    forest = (RandomForestRegressor if numbers else RandomForestClassifier)(100, random_state=0, n_jobs=1)

    def check(effort, metric):
        return lambda: bayesfloor.check(
            X, y, metric=metric, task="numbers" if numbers else "classes", effort=effort, n_jobs=1, auto_groups=False
        )

    ways = {"forest": lambda: cross_val_predict(forest, X, y, cv=5)}
    if numbers:
        ways |= {"quick": check("quick", "auto"), "normal": check("normal", "auto")}
    else:
        ways |= {"accuracy": check("quick", "accuracy"), "all metrics": check("quick", ALL)}
    seconds = {way: [] for way in ways}
    for _ in range(1 if rows else ROUNDS):
        for way, work in ways.items():
            with threadpool_limits(limits=1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                start = time.process_time()
                work()
                seconds[way].append(time.process_time() - start)
    found = {way: round(median(each), 3) for way, each in seconds.items()}
    spread = {way: round(max(each) / min(each) - 1, 3) for way, each in seconds.items()}
    return {"n": len(X), "d": X.shape[1], "cpu": found, "spread": spread, "seconds": sum(map(sum, seconds.values()))}
