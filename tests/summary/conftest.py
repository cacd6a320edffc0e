"""Checks of small data of many kinds, kept as JSON since most tests only look at them.

After a change that moves them: ``python tests/summary/conftest.py`` makes all of them again.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from bayesfloor import BayesFloor, Check, FloorSelector, check, compare_representations
from bayesfloor.floor import _all_rows
from bayesfloor.io import Data, open_rows
from bayesfloor.learners import _registry
from bayesfloor.summary._check import make_check
from bayesfloor.summary._facts import gather_facts

HOSTILE = [
    "<script>alert(1)</script>",
    "\"quotes' and `ticks`",
    "\x1b[2J\x1b[31mred",
    "new\nline\r\ttab",
    "a" * 200,
    "a" * 100 + "b" + "a" * 99,
    "\U0001f600\U0001f469\u200d\U0001f467",
    "漢字" * 10,
    "\u05e9\u05dc\u05d5\u05dd",
    "\u202eright to left",
    "",
    '""',
    "007",
    "7",
    "\\n",
    "\n",
    "| a | b |",
    "$x_1$ **bold** [link](http://example.org)",
    "\ud800",
    "\x00null",
]


LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


def draw(seed, sizes, shift=2.0, d=2):
    """Gaussian classes in a row along the first feature: X, y."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.default_rng(seed).standard_normal((len(y), d))
    X[:, 0] += shift * y
    return X, y


def hostile_labels(y):
    """Classes under hostile names."""
    names = np.empty(len(HOSTILE), dtype=object)
    names[:] = HOSTILE
    return names[y]


def _copied(seed):
    """Near-copies: every row three times, moved by next to nothing."""
    X, y = draw(seed, [40, 40])
    moved = np.random.default_rng(seed).normal(size=(240, 2)) * 1e-6
    return np.repeat(X, 3, axis=0) + moved, np.repeat(y, 3)


def _patients():
    """Ten rows of each patient, and a column that is filled in after the diagnosis."""
    rng = np.random.default_rng(13)
    patient, sick = np.repeat(np.arange(40), 10), np.arange(40) % 2
    usual = rng.normal(size=(40, 3)) + sick[:, None]
    table = pd.DataFrame(usual[patient] + 0.2 * rng.normal(size=(400, 3)), columns=["a", "b", "c"])
    return table.assign(patient_id=[f"P-{p:03d}" for p in patient]), sick[patient]


def _leaked():
    """A column that is made from the label."""
    X, y = draw(14, [150, 150, 150])
    return pd.DataFrame(X, columns=["a", "b"]).assign(closed=y * 3), y


def _fast():
    X, y = draw(0, [60, 60])
    floor = BayesFloor(interval="fast").fit(X, y)
    return make_check(floor, floor.answer(), None, gather_facts(floor, Data(X, y)))


def _flipped():
    """Two classes far apart, with a tenth of the labels wrong."""
    X, y = draw(3, [100, 100], shift=12.0)
    y[::10] = 1 - y[::10]
    return check(X, y)


def _all_suspect():
    """Every row is listed, and the list is full."""
    base = _flipped()
    return replace(base, suspicious=replace(base.suspicious, n_suspect=200, n_conflict=200))


def _all_of_them():
    """The trees of all rows, and 300 drawn for the rest."""
    X, y = draw(7, [900, 600], shift=3.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_all_rows, "_BESIDE_ALL", 300)
        return check(open_rows(X), y, target_width=None)


def _alike():
    """Two classes of one distribution, and one far away."""
    X, y = draw(1, [200, 200, 100], shift=0.0)
    X[y == 2] += 30
    return check(X, y)


def _chosen():
    """With predictions, a selection and a comparison; names of features and representations are hostile."""
    X, y = draw(2, [150, 100, 70], shift=4.0, d=4)
    names = [name for name in HOSTILE if name][:4]
    path = FloorSelector(2).fit(pd.DataFrame(X, columns=names), y).path_
    noise = np.random.default_rng(2).standard_normal(X.shape)
    compared = compare_representations({names[2]: X[:, :1], names[3]: X, "noise": noise}, y)
    found = check(X, y, predictions=np.where(np.arange(len(y)) % 3, y, 1))
    return replace(found, selection=path, comparison=compared)


MAKERS = {
    "two classes": lambda: check(*draw(0, [150, 150], shift=2.5), name="two"),
    "target": lambda: check(*draw(1, [80, 60, 40]), target=0.9, name="three"),
    "wine": lambda: check(*load_wine(return_X_y=True), target=0.98, name="wine"),
    "iris": lambda: check(*load_iris(return_X_y=True), name="iris"),
    "breast cancer": lambda: check(*load_breast_cancer(return_X_y=True), target=0.95),
    "separate": lambda: check(*draw(0, [50, 50, 50], shift=40.0)),
    "noise": lambda: check(*draw(0, [100, 100], shift=0.0), target=0.9),
    "constant": lambda: check(np.ones((80, 2)), np.arange(80) % 2),
    "ties": lambda: check(np.random.default_rng(0).integers(0, 4, (120, 2)), np.arange(120) % 3),
    "groups": lambda: check(*draw(5, [60, 60]), groups=np.arange(120) // 3),
    "copies": lambda: check(*_copied(6), auto_groups=False),
    "near-duplicates": lambda: check(*_copied(6)),
    "patients": lambda: check(*_patients(), target=0.9, name="patients"),
    "leak": lambda: check(*_leaked(), target=0.9),
    "sampled": lambda: check(*draw(7, [25_050, 25_050], shift=3.0), max_rows=300),
    "all rows": _all_of_them,
    "two rows a class": lambda: check(*draw(8, [2, 2, 2])),
    "hundred classes": lambda: check(*draw(9, [3] * 100, shift=4.0)),
    "letters": lambda: check(draw(12, [40] * 26, shift=2.2, d=3)[0], LETTERS[draw(12, [40] * 26)[1]], name="letters"),
    "many refuted": lambda: check(*draw(9, [4] * 30, shift=3.0, d=3)),
    "probabilities": lambda: check(draw(10, [50, 50])[0], np.random.default_rng(0).dirichlet(np.ones(3), 100)),
    "votes": lambda: check(draw(10, [20, 20])[0], np.random.default_rng(0).integers(1, 4, (40, 3))),
    "alike": _alike,
    "chosen": _chosen,
    "suspects": _flipped,
    "all suspects": _all_suspect,
    "fast intervals": _fast,
    "hostile": lambda: check(
        draw(11, [12] * len(HOSTILE), shift=1.5)[0],
        hostile_labels(draw(11, [12] * len(HOSTILE))[1]),
        target=0.5,
        name="<b>\x1b[31m\nname | of `data`",
    ),
}

KEPT = Path(__file__).parent / "checks"
LARGE = "hundred classes"  # not kept, but made when asked for
QUICK = ("two classes", "iris", "suspects", "chosen")


def path_of(kind):
    """Where a check is kept."""
    return KEPT / f"{kind.replace(' ', '_')}.json"


@cache
def make(kind):
    """The check of a kind, made of data."""
    return MAKERS[kind]()


@cache
def recall(kind):
    """The check of a kind as it is kept."""
    return make(kind) if kind == LARGE else Check.from_json(path_of(kind))


@pytest.fixture(scope="session")
def made():
    """Source of checks, to look at only: name of a kind -> Check."""
    return recall


@pytest.fixture(params=[pytest.param(kind, marks=pytest.mark.nightly if kind == LARGE else ()) for kind in MAKERS])
def each(request):
    """A check of each kind."""
    return recall(request.param)


def _tier(kind):
    """Quick, slow or nightly."""
    return () if kind in QUICK else pytest.mark.nightly if kind == LARGE else pytest.mark.slow


@pytest.fixture(params=[pytest.param(kind, marks=_tier(kind)) for kind in MAKERS])
def fresh(request):
    """A check of each kind, made of data."""
    return make(request.param)


@pytest.fixture(params=[pytest.param(kind, marks=pytest.mark.slow) for kind in MAKERS if kind != LARGE])
def fresh_and_kept(request):
    """A check of each kind, made of data and as it is kept."""
    return make(request.param), recall(request.param)


@pytest.fixture(scope="session")
def gaussians():
    """Source of Gaussian classes: (seed, sizes, shift=2.0, d=2) -> X, y."""
    return draw


@pytest.fixture(scope="session")
def hostile_names():
    """Names that classes should not have."""
    return HOSTILE


@pytest.fixture(scope="session")
def altered():
    """Maker of a check with other figures: (check, answer={}, overall={}, ...) -> Check."""

    def alter(found, **parts):
        return replace(found, **{name: replace(getattr(found, name), **values) for name, values in parts.items()})

    return alter


def race_cheaply():
    """Use the learners that tests use, outside of pytest."""
    from runpy import run_path

    for name, values in run_path(str(KEPT.parents[1] / "conftest.py"))["CHEAP_RACE"].items():
        getattr(_registry, name).update(values)


if __name__ == "__main__":
    race_cheaply()
    for name in MAKERS:
        if name != LARGE:
            make(name).to_json(path_of(name))
