"""Labels that are independent of the rows: how often something is still declared better."""

from functools import partial

import numpy as np

from bayesfloor import FloorSelector
from benchmarks._data import SEED
from benchmarks._results import Goal

_TRIALS, _QUICK_TRIALS, _AT_ONCE = 200, 4, 50
_ROWS, _FEATURES = 600, 20
_KINDS = ("features", "tied features")
_LEVEL = 0.05


def cells(*, quick):
    starts = range(0, _QUICK_TRIALS if quick else _TRIALS, _QUICK_TRIALS if quick else _AT_ONCE)
    return [f"{kind}/{start}" for kind in _KINDS for start in starts]


def measure(cell, *, quick):
    kind, start = cell.split("/")
    trials = range(int(start), int(start) + (_QUICK_TRIALS if quick else _AT_ONCE))
    declared = [_DECLARES[kind](np.random.default_rng([SEED, trial]), trial) for trial in trials]
    return {"trials": len(declared), "declared": int(sum(declared))}


def _features(rng, trial, *, tied=False):
    X, y = rng.normal(size=(_ROWS, _FEATURES)), rng.integers(3, size=_ROWS)
    found = FloorSelector(random_state=trial).fit(np.round(X) if tied else X, y)
    return bool(found.path_.shown.any())


_DECLARES = dict(zip(_KINDS, (_features, partial(_features, tied=True)), strict=True))


def counts_of(results):
    """Return the trials of each kind, and those in which something was declared."""
    for kind in _KINDS:
        found = [cell for key, cell in results.items() if key.startswith(f"{kind}/")]
        if found:
            yield kind, *(sum(cell[name] for cell in found) for name in ("trials", "declared"))


def tables(results):
    lines = [("decision", "trials", "something declared", "share", "s.e.")]
    for kind, trials, declared in counts_of(results):
        share = declared / trials
        error = np.sqrt(share * (1 - share) / trials)
        lines.append((kind, str(trials), str(declared), f"{share:.3f}", f"{error:.3f}"))
    return {"noise": lines}


def goals(results):
    for kind, trials, declared in counts_of(results):
        share = declared / trials
        yield Goal(f"{kind}: noise declared better", f"{share:.3f} of {trials}", f"<= {_LEVEL}", share <= _LEVEL)


def check(results):
    for key, cell in results.items():
        assert cell["declared"] <= cell["trials"] / 2, f"{key}: {cell}"
