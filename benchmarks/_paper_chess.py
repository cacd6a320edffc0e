"""Chess (kr-vs-k): floors of each class against the rest, and the test errors of two classifiers; PCA to 2.

As in the paper, 70 % of the rows are used to count edges and 30 % to test. The paper's classifier, GenSVM, no longer
builds; a linear one-vs-one SVM replaces it, and a kernel SVM shows the effect of more capacity. A class's confusion
rate is the fraction of all test rows that were wrongly assigned to it, or that belong to it and were assigned to
another class. Floors are the paper's, which its bias correction caps at the proportion of the class, and the
library's. Rates and floors both grow with the size of a class, so the correlation from class sizes alone is also shown.
"""

import numpy as np
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC

from bayesfloor import BayesFloor
from bayesfloor.formulas import henze_penrose
from benchmarks._data import SEED
from benchmarks._paper_searches import linear
from benchmarks._paper_tables import goal_row
from benchmarks._recipes import load
from benchmarks._results import plain

SPLITS = (0, 1, 2)
CELLS = tuple(f"{part}/{split}" for part in ("floors", "rates") for split in SPLITS)
QUICK_CELLS = ("floors/0", "rates/0")
COST, QUICK_ROWS = 100.0, 3000
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
CLASSES = ("draw", *NUMBERS.split())  # moves until the win, in order
ORDER = [sorted(CLASSES).index(name) for name in CLASSES]  # codes are in alphabetical order
RULES = {"linear": "linear machine", "kernel": "kernel machine"}


def read(split, *, quick):
    X, y = load("kr-vs-k", "paper")
    size = {"train_size": QUICK_ROWS, "test_size": QUICK_ROWS} if quick else {"test_size": 0.3}
    return train_test_split(X, y, stratify=y, random_state=split, **size)


def measure(cell, *, quick):
    part, split = cell.split("/")
    found = {"floors": measure_floors, "rates": measure_rates}[part](*read(int(split), quick=quick), quick=quick)
    return {name: [plain(value) for value in np.asarray(values)[ORDER]] for name, values in found.items()}


def measure_floors(X, _test, y, _truth, **_quick):
    """Compute the paper's floors and the library's, for the original rows and in two components."""
    paper, ours = floors_of(X, y)
    paper_two, ours_two = floors_of(PCA(2, random_state=SEED).fit_transform(X), y)
    shares = np.bincount(y) / len(y)
    return {"shares": shares, "paper": paper, "ours": ours, "paper_two": paper_two, "ours_two": ours_two}


def floors_of(X, y):
    """Compute each class's floor against the rest: the corrected HP-estimate, and the midpoint of all bounds."""
    found = BayesFloor(scale=None, interval="fast", random_state=SEED, n_jobs=1).fit(X, y).one_vs_rest_
    sizes = np.bincount(y)
    cross = found.class_rate * (len(y) - 1)
    return henze_penrose(cross, sizes, len(y) - sizes).estimate, found.estimate


def measure_rates(X, test, y, truth, *, quick):
    """Compute the confusion rates of two classifiers."""
    rules = {"linear": OneVsOneClassifier(linear(max_iter=100 if quick else 1000)), "kernel": SVC(C=COST)}
    guesses = {name: rule.fit(X, y).predict(test) for name, rule in rules.items()}
    codes = range(len(CLASSES))
    return {name: [((truth == k) != (guess == k)).mean() for k in codes] for name, guess in guesses.items()}


# Combined results.


def by_split(cases, field):
    """Return the values of a field, one split per row and one class per column; splits without values are left out."""
    part = "rates" if field in RULES else "floors"
    return np.array([cases[f"{part}/{split}"][field] for split in SPLITS if f"{part}/{split}" in cases])


def agreement(cases, field, rule):
    pairs = zip(by_split(cases, field), by_split(cases, rule), strict=False)
    return [float(spearmanr(*pair).statistic) for pair in pairs]


def at_share(cases, field):
    """Count the classes whose floor the correction capped at their proportion, by split."""
    shares = by_split(cases, "shares")
    return (by_split(cases, field) >= 0.999 * shares).sum(axis=1)


def goals(cases):
    found = {text: agreement(cases, "paper", rule) for rule, text in RULES.items()}
    return [
        goal_row(f"kr-vs-k: rank correlation of floors and rates of a {text}", float(np.mean(one)), 18, 0.8)
        for text, one in found.items()
        if one
    ]


def agreement_table(cases):
    fields = {"paper": "the paper's floors", "ours": "the library's floors", "shares": "class sizes alone"}
    yield ("rank correlation with the rates of a", *fields.values())
    for rule, text in RULES.items():
        found = [agreement(cases, field, rule) for field in fields]
        if all(found):
            yield (text, *(f"{np.mean(one):.3f} ({min(one):.3f} to {max(one):.3f})" for one in found))


def table(cases):
    heads = {"shares": "proportion of rows", "paper": "the paper's floor", "paper_two": "after PCA to 2"}
    heads |= {"ours": "the library's floor", "ours_two": "after PCA to 2"} | RULES
    yield ("class", *heads.values())
    columns = [by_split(cases, field) for field in heads]
    if all(map(len, columns)):
        means = [column.mean(axis=0) for column in columns]
        yield from ((name, *(f"{value:.4f}" for value in line)) for name, *line in zip(CLASSES, *means, strict=True))
        ends = {field: f"{at_share(cases, field).mean():.3g} of 18" for field in ("paper", "paper_two")}
        yield ("capped at their proportion", *(ends.get(field, "") for field in heads))


def check(cases):
    for case in cases.values():
        assert all(0 <= value <= 1 for values in case.values() for value in values), case
    assert (by_split(cases, "paper") <= 1.001 * by_split(cases, "shares")).all(), cases
