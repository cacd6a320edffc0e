"""MNIST: floors of all pairs of digits on the training images, and a classifier's confusions on the test images.

The classifier is a kernel SVM, which does not use neighbours: one that did would agree with the trees by construction.
The paper shows LeNet-5's 82 errors, which are not part of MNIST.
"""

import numpy as np
from scipy.stats import spearmanr
from sklearn.metrics import confusion_matrix
from sklearn.svm import SVC

from bayesfloor import BayesFloor
from benchmarks._data import SEED
from benchmarks._paper_tables import goal_row
from benchmarks._recipes import load
from benchmarks._results import plain
from benchmarks._timing import seconds_of

CELLS = ("floors", "machine")
COST = 10.0
HARDEST = ((4, 9), (3, 5))  # the paper names them
PAIRS = np.triu_indices(10, 1)
QUICK_ROWS = 3000


def read(name, *, quick):
    """Read images and digits, with original pixels; the first ones in the quick form."""
    X, y = load(name, "paper")
    return (X[:QUICK_ROWS], y[:QUICK_ROWS]) if quick else (X, y)


def measure(cell, *, quick):
    return {"floors": measure_floors, "machine": measure_machine}[cell](quick=quick)


def measure_floors(*, quick):
    """Compute the floors of all pairs, without scaling, as in the paper."""
    X, y = read("mnist_train", quick=quick)
    model = BayesFloor(scale=None, target_width=None, interval="fast", random_state=SEED, n_jobs=1)
    seconds, floor = seconds_of(lambda: model.fit(X, y))
    pairs = floor.pairwise_
    return {
        "rows": len(X),
        "seconds": plain(seconds),
        "overall": plain(floor.overall_.estimate),
        **{name: [plain(value) for value in getattr(pairs, name)[PAIRS]] for name in ("lower", "estimate", "upper")},
    }


def measure_machine(*, quick):
    """Count a kernel SVM's errors on the test images, by true and predicted digit."""
    (X, y), (test, truth) = (read(name, quick=quick) for name in ("mnist_train", "mnist_test"))
    machine = SVC(C=COST, gamma="scale", cache_size=2000)
    seconds, guess = seconds_of(lambda: machine.fit(X / 255, y).predict(test / 255))
    table = confusion_matrix(truth, guess, labels=range(10))
    return {"rows": len(test), "seconds": plain(seconds), "cost": COST, "confusions": table.tolist()}


# Combined results.


def pair_errors(case):
    """Count the test images of each pair of digits that were mistaken for the other."""
    table = np.array(case["confusions"])
    return (table + table.T)[PAIRS]


def hardest(case, count):
    order = np.argsort(case["estimate"])[::-1][:count]
    return [(int(PAIRS[0][place]), int(PAIRS[1][place])) for place in order]


def agreement(cases):
    return float(spearmanr(cases["floors"]["estimate"], pair_errors(cases["machine"])).statistic)


def goals(cases):
    if not set(CELLS) <= set(cases):
        return []
    found = sum(pair in hardest(cases["floors"], 5) for pair in HARDEST)
    return [
        goal_row("MNIST: of 4-9 and 3-5, how many among the five hardest pairs", found, 2, 2),
        goal_row("MNIST: rank correlation of floors and confusions", agreement(cases), 45, 0.7),
    ]


def table(cases):
    yield ("pair of digits", "floor", "bounds", "test images confused")
    if not set(CELLS) <= set(cases):
        return
    floors, errors = cases["floors"], pair_errors(cases["machine"])
    for place in np.argsort(floors["estimate"])[::-1][:10]:
        low, high = floors["lower"][place], floors["upper"][place]
        pair = f"{PAIRS[0][place]} and {PAIRS[1][place]}"
        yield (pair, f"{floors['estimate'][place]:.4f}", f"{low:.4f} to {high:.4f}", str(errors[place]))


def check(cases):
    for low, estimate, high in zip(*(cases["floors"][name] for name in ("lower", "estimate", "upper")), strict=True):
        assert 0 <= low <= estimate <= high <= 0.5, (low, estimate, high)
    assert np.sum(cases["machine"]["confusions"]) == cases["machine"]["rows"], cases["machine"]
