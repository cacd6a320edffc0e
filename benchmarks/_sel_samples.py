"""How well a quarter of the rows foretells the share of cross edges of all of them."""

import time

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks._compared import DATASETS, HONEST
from benchmarks._recipes import load
from benchmarks._results import Goal

LEVELS, DRAWS = (0.95, 0.9), 5
HOLDS, WIDTH = 0.85, 0.05  # goals: share of intervals that hold what all rows show, and their median width


def cells(*, quick):
    """A cell for each dataset of the paper, the largest last."""
    return (
        ["segment"] if quick else [*(name for name in DATASETS if name not in ("shuttle", "fars")), "shuttle", "fars"]
    )


def measure(cell, *, quick):
    """Predictions from some quarters, each beside what all rows show under the quarter's scale."""
    X, y = load(cell, "honest" if cell in HONEST else "paper")
    whole = {}
    return {"rows": len(X), "draws": [_foretell(X, y, draw, whole) for draw in range(1 if quick else DRAWS)]}


def _foretell(X, y, draw, whole):
    from bayesfloor import BayesFloor
    from bayesfloor.selection._learning import learning_curve

    part, _, labels, _ = train_test_split(X, y, train_size=len(X) // 4, stratify=y, random_state=draw)
    start = time.perf_counter()
    floor = BayesFloor(interval="fast", target_width=None).fit(part, labels)
    fitted = time.perf_counter()
    curve = learning_curve(floor)
    found, narrow = (curve.predict(len(X), level) for level in LEVELS)
    done = time.perf_counter()
    if floor.scale_ not in whole:
        whole[floor.scale_] = _cross_rate(X, y, floor.scale_)
    return {
        "scale": floor.scale_,
        "quarter": floor.overall_.cross_rate,
        "predicted": found.cross_rate,
        "low": found.low,
        "high": found.high,
        "narrow": [narrow.low, narrow.high],
        "measured": whole[floor.scale_],
        "limit": [curve.limit, *curve.limit_interval()],
        "seconds": [fitted - start, done - fitted],
    }


def _cross_rate(X, y, scale):
    """G of all rows, without pairs, intervals and tests."""
    from bayesfloor.counts._edges import class_edges
    from bayesfloor.counts._labels import Labels, hard_shares
    from bayesfloor.floor._data import Features
    from bayesfloor.floor._scale import apply_scale
    from bayesfloor.floor._trees import grow

    forest = grow(apply_scale(Features(X, np.ones(X.shape[1], dtype=bool)), scale), 3, None)
    return class_edges(forest, Labels(forest.vertex, hard_shares(y, int(y.max()) + 1), forest.n_vertices)).cross_rate


def tables(results):
    """A line for each dataset, and how all intervals did."""
    lines = [_COLUMNS]
    for name, cell in results.items():
        held, width = (
            [holds(draw) for draw in cell["draws"]],
            np.median([draw["high"] - draw["low"] for draw in cell["draws"]]),
        )
        shares = [f"{np.mean([d[k] for d in cell['draws']]):.4f}" for k in ("quarter", "predicted", "measured")]
        spread = np.std([draw["predicted"] for draw in cell["draws"]])
        fit, curve = np.median([draw["seconds"] for draw in cell["draws"]], axis=0)
        counts = (f"{sum(held)} of {len(held)}", f"{width:.4f}", f"{spread:.4f}")
        lines.append((name, str(cell["rows"]), *shares, *counts, f"{curve:.1f}", f"{fit:.1f}"))
    return {"samples": lines, "samples, all": [_LEVEL_COLUMNS, *(_level_line(results, level) for level in LEVELS)]}


_COLUMNS = (
    "dataset",
    "rows",
    "cross edges of a quarter",
    "foretold for all",
    "found in all",
    "intervals that hold it",
    "median width",
    "sd of foretold",
    "curve, wall s",
    "fit, wall s",
)
_LEVEL_COLUMNS = ("level", "intervals", "hold what all rows show", "s.e.", "median width")


def goals(results):
    """Intervals hold what all rows show, and are not too wide."""
    for level in LEVELS:
        held, widths = held_and_widths(results, level)
        share, width = float(np.mean(held)), float(np.median(widths))
        yield Goal(f"{level:.0%} intervals that hold what all rows show", f"{share:.3f}", f">= {HOLDS}", share >= HOLDS)
        yield Goal(f"{level:.0%} intervals, median width", f"{width:.4f}", f"<= {WIDTH}", width <= WIDTH)


def held_and_widths(results, level):
    """Whether each interval of a level holds what all rows show, and its width."""
    draws = [draw for cell in results.values() for draw in cell["draws"]]
    if level != LEVELS[0]:
        draws = [{**draw, "low": draw["narrow"][0], "high": draw["narrow"][1]} for draw in draws]
    return [holds(draw) for draw in draws], [draw["high"] - draw["low"] for draw in draws]


def _level_line(results, level):
    held, widths = held_and_widths(results, level)
    share = np.mean(held)
    spread = np.sqrt(share * (1 - share) / len(held))
    return (f"{level:.0%}", str(len(held)), f"{share:.1%}", f"{spread:.1%}", f"{np.median(widths):.4f}")


def holds(draw):
    """Whether the interval of a draw holds what all rows show."""
    return draw["low"] <= draw["measured"] <= draw["high"]


def check(results):
    """Intervals are in order, hold the prediction, and no curve is foretold to rise."""
    for cell in results.values():
        for draw in cell["draws"]:
            assert 0 <= draw["low"] <= draw["predicted"] <= draw["high"] <= 1
            assert draw["predicted"] <= draw["quarter"] + 0.01
            assert draw["limit"][1] <= draw["limit"][0] <= draw["limit"][2]
