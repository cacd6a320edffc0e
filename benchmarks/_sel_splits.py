"""Whether duplicates and shifts between two samples are found, and clean splits are not declared different."""

from functools import cache

import numpy as np

from bayesfloor.decide._two_samples import two_samples
from bayesfloor.forest._spanning_forest import prepare_kernels
from benchmarks._data import SEED
from benchmarks._recipes import load
from benchmarks._results import Goal

LEVEL, ROWS, COPIES = 0.05, 2000, 20
TRIALS, POWER_TRIALS = 200, 50
CLEAN = [
    f"clean {name} {split}" for name in ("normal-5", "normal-30", "letter", "nursery") for split in ("even", "90/10")
]
PLANTED = ["copies", "rounded copies", "mean", "left-out class", "scaled feature"]


def cells(*, quick):
    return ["clean normal-5 even", "copies", "mean"] if quick else [*CLEAN, *PLANTED]


def measure(cell, *, quick):
    prepare_kernels()  # hundreds of forests
    trials = 5 if quick else TRIALS if cell in CLEAN else POWER_TRIALS
    rng = np.random.default_rng([SEED, len(cell)])
    found = [_try(cell, rng) for _ in range(trials)]
    return {key: [trial[key] for trial in found] for key in found[0]}


def _try(cell, rng):
    A, B, planted = _clean(cell, rng) if cell in CLEAN else _PLANT[cell](rng)
    found = two_samples(A, B, level=LEVEL)
    copied, suspects = set(found.copies[:, 1].tolist()), set(found.suspects.tolist())
    return {
        "word": found.word,
        "copies": len(copied),
        "copies_found": len(copied & planted),
        "suspects": len(suspects),
        "suspects_planted": len(suspects & planted),
        "planted": len(planted),
    }


def _clean(cell, rng):
    _, name, split = cell.split()
    X = rng.permutation(_ROWS[name](rng))
    n_b = len(X) // 10 if split == "90/10" else len(X) // 2
    return X[n_b:], X[:n_b], set()


def _normal(rng, d=10, n=ROWS):
    return rng.normal(size=(n, d))


@cache
def _read(name):
    """Return rows, codes, the kind of each row, and the number of rows of each kind."""
    X, y = load(name, "paper")
    return X, y, *np.unique(X, axis=0, return_inverse=True, return_counts=True)[1:]


def _letter(rng):
    """Make a split in which about half of the rows have equal rows."""
    X, _, kind, times = _read("letter")
    several = rng.permutation(np.flatnonzero(times > 1))[:400]
    equal = np.flatnonzero(np.isin(kind, several))
    return np.concatenate([X[equal], X[rng.choice(np.flatnonzero(times[kind] == 1), ROWS - len(equal), replace=False)]])


def _nursery(rng):
    X = _read("nursery")[0]
    return X[rng.choice(len(X), ROWS, replace=False)]


_ROWS = {
    "normal-5": lambda rng: _normal(rng, 5),
    "normal-30": lambda rng: _normal(rng, 30),
    "letter": _letter,
    "nursery": _nursery,
}


def _copies(rng, dtype=np.float64):
    X = _normal(rng)
    A, B = X[: ROWS // 2], X[ROWS // 2 :]
    B[:COPIES] = A[:COPIES].astype(dtype)
    return A, B, set(range(COPIES))


def _mean(rng):
    X = _normal(rng)
    X[ROWS // 2 :, :3] += 0.5
    return X[: ROWS // 2], X[ROWS // 2 :], set(range(ROWS // 2))


def _left_out(rng):
    """Make a split in which A has no row of a digit that makes up a tenth of B."""
    X, y, _, _ = _read("pendigits")
    order = rng.permutation(len(X))
    A, B = order[y[order] > 0][: ROWS // 2], order[-(ROWS // 2) :]
    B = np.setdiff1d(B, A)
    return X[A], X[B], set(np.flatnonzero(y[B] == 0).tolist())


def _scaled(rng):
    X = _normal(rng)
    X[ROWS // 2 :, 0] *= 2
    return X[: ROWS // 2], X[ROWS // 2 :], set(range(ROWS // 2))


_PLANT = {
    "copies": _copies,
    "rounded copies": lambda rng: _copies(rng, np.float32),
    "mean": _mean,
    "left-out class": _left_out,
    "scaled feature": _scaled,
}
_RIGHT = {"copies": "leaking", "rounded copies": "leaking"}  # the others are shifts


def tables(results):
    planted = "of the planted rows"
    lines = [("splits", "trials", "declared different", "s.e.", "shifted", "leaking", "right word", planted)]
    for name, cell in results.items():
        words = np.array(cell["word"])
        declared, n = declared_share(cell), len(words)
        error = np.sqrt(declared * (1 - declared) / n)
        shift, leak = (np.mean(np.isin(words, [word, "both"])) for word in ("shifted", "leaking"))
        right = np.mean(words == ("no difference shown" if name in CLEAN else _RIGHT.get(name, "shifted")))
        shares = [f"{share:.1%}" for share in (declared, error, shift, leak, right)]
        lines.append((name, str(n), *shares, _planted(name, cell)))
    return {"splits": lines}


def declared_share(cell):
    return float(np.mean(np.array(cell["word"]) != "no difference shown"))


def goals(results):
    for name in CLEAN:
        if name in results:
            share = declared_share(results[name])
            yield Goal(f"{name}: declared different", f"{share:.1%}", f"<= {LEVEL:.0%}", share <= LEVEL)


def _planted(name, cell):
    if name in CLEAN:
        return "-"
    planted, suspects = sum(cell["planted"]), sum(cell["suspects"])
    if name in _RIGHT:
        return (
            f"{sum(cell['copies_found']) / planted:.1%} listed, {sum(cell['copies']) - sum(cell['copies_found'])} more"
        )
    right = sum(cell["suspects_planted"])
    return f"{right / planted:.1%} suspect; {right / max(suspects, 1):.1%} of the suspicious rows were planted"


def check(results):
    for name in set(results) & set(_RIGHT):
        assert results[name]["copies_found"] == results[name]["planted"] == results[name]["copies"]
        assert all(word in ("leaking", "both") for word in results[name]["word"])
    for name in set(results) & {"mean"}:
        assert all(word == "shifted" for word in results[name]["word"])
