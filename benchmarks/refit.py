"""How the constants of the forecast were earned: races of learners, and what other constants would have given on them.

``python -m benchmarks.refit FOLDER`` runs a race at quick effort on each design of ``_known`` at three sizes, on the
development problems of ``realistic``, and on problems of a file that ``--generators`` names. Each race is saved in
FOLDER; rerun to resume. None of these problems is one of ``benchmarks.forecast``. The table has the figures of every
combination of a few constants. For "without its own family", the constants for each family are those with the smallest
CRPS on all other families, so that none is judged by what was chosen on it.
"""

import argparse
import json
import runpy
import tempfile
import time
import zlib
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bayesfloor import BayesFloor
from bayesfloor.answer import _forecast
from bayesfloor.answer._curve_ends import LEVEL, Ends
from bayesfloor.answer._forecast import make_forecast
from bayesfloor.answer._metrics import ACCURACY, BRIER
from bayesfloor.answer._race import Race
from bayesfloor.formulas._learning_curves import ERRORS, Prior, weighted_quantiles
from bayesfloor.formulas._limits import lower_limit
from benchmarks._before import quantiles_before
from benchmarks._data import SEED
from benchmarks._known import DESIGNS
from benchmarks._realistic_sets import DEVELOPMENT
from benchmarks._results import align
from benchmarks.forecast import LEVELS, MARGINS, POINTS, between, figures, gained, interval_of, judged, measured, scores

SIZES, MOST_ROWS, SEEDS = (300, 1000, 3000), 3000, range(3)
STREAM = 77  # of random numbers: other samples of the designs than elsewhere
EXPONENTS = ((0.28, 0.4), (0.45, 0.8))  # of curves: middle and spread
SIGMOIDS, FAST, STRETCHES = (0.03, 0.1), (0.0, 0.7), (0.8, 0.9, 1.0, 1.5)
HIDDEN = {"no": -np.inf, "yes": _forecast.HIDDEN}  # log odds at half of guessing's error
FINE = np.arange(1, 10_001) / 10_000  # levels that stand for a whole distribution
SHOWN = ("CRPS", "80 % intervals that hold", "95 % intervals that hold", "median error", "Brier skill")
CALLED = [
    f"{what}: {points} points, placed by the truth" for points, what in product((5, 10), ("called", "wrong calls"))
]


class Setting(NamedTuple):
    """Constants of the curves' prior and of the forecast."""

    exponent: tuple
    sigmoid: float
    fast: float
    stretch: float
    hidden: str

    def __str__(self):
        middle, spread = self.exponent
        curves = f"exponent {middle:g}, {spread:g}; sigmoid {self.sigmoid:g}; fast {self.fast:g}"
        return f"{curves}; stretch {self.stretch:g}; hidden {self.hidden}"


IN_USE = Setting((ERRORS.exponent, ERRORS.spread), ERRORS.sigmoid, ERRORS.fast, _forecast.STRETCH, "yes")
OTHERS = [Setting(*each) for each in product(EXPONENTS, SIGMOIDS, FAST, STRETCHES, HIDDEN)]
GRID = list(dict.fromkeys([IN_USE, *OTHERS]))


# Races.


def problems(generators):
    """Return functions that draw a problem (rows, labels, Bayes error), by family and name."""
    found = {}
    for n, (name, design) in product(SIZES, DESIGNS.items()):
        found[f"design {name.partition('-')[0]}/{name}-{n}"] = lambda n=n, one=design: (
            *one.draw(n, np.random.default_rng([SEED, zlib.crc32(one.name.encode()), n, STREAM])),
            one.bayes_error,
        )
    for one in DEVELOPMENT:
        if one.n_rows <= MOST_ROWS and one.family != "planted noise":  # whose truth is a band
            found[f"development {one.family}/{one.name}"] = lambda one=one: (*one.draw(0), one.truth.low)
    if generators:
        names = runpy.run_path(generators)
        for seed, family in product(SEEDS, names["FAMILIES"]):
            found[f"generated {family}/{seed}"] = partial(_generated, names["draw_problem"], family, seed)
    return found


def _generated(draw_problem, family, seed):
    one = draw_problem(family, seed, MOST_ROWS)
    return one.X, one.y, one.truth


def run_race(draw):
    """Run the race of a problem; return its arrays and what else the forecast depends on."""
    X, y, truth = draw()
    floor = BayesFloor(n_jobs=1).fit(X, np.asarray(y).astype(str))
    answer = floor.answer("quick")
    race, n = answer.race, len(np.unique(floor.fitted_.sample.cluster))
    facts = {
        "truth": truth,
        "upper": answer.upper,
        "guessing": answer.guessing,
        "measured": min(measured(answer), answer.upper),
        "proved": float(lower_limit(floor.overall_.conflict * n, n, LEVEL)),
        "n_classes": answer.n_classes,
        "n_columns": floor.fitted_.points.shape[1],
        "learners": race.curves,
        "errors": race.means(ACCURACY.name),
    }
    arrays = {
        kind: np.array([race.losses[kind][name] for name in race.curves], np.float32)
        for kind in (ACCURACY.name, BRIER.name)
    }
    return {"facts": json.dumps(facts), "codes": race.codes, "cluster": race.cluster, "n_train": race.n_train, **arrays}


def run_races(folder, draws):
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in draws.items():
        path = path_of(folder, name)
        if not path.exists():
            start, unfinished = time.process_time(), path.with_suffix(".tmp.npz")
            np.savez_compressed(unfinished, **run_race(draw))
            unfinished.replace(path)
            print(f"{name}: {time.process_time() - start:.1f} s", flush=True)


def path_of(folder, name):
    return folder / f"{name.replace('/', ' ')}.npz"


def read_race(path):
    """Return a race and the other facts, without learners that have no learning curve."""
    with np.load(path) as saved:
        facts, rows = json.loads(str(saved["facts"])), np.arange(len(saved["codes"]))
        losses = {
            kind: dict(zip(facts["learners"], saved[kind].astype(float), strict=True))
            for kind in (ACCURACY.name, BRIER.name)
        }
        nothing = dict.fromkeys(facts["learners"], rows)
        return Race(rows, saved["codes"], rows, saved["cluster"], saved["n_train"], losses, nothing, {}), facts


# Figures.


def curve_ends(race, facts, setting):
    """Return quantiles of the errors at which curves level off, with the constants of a setting."""
    metric = replace(ACCURACY, prior=Prior(*setting.exponent, sigmoid=setting.sigmoid, fast=setting.fast))
    ends = Ends(race, facts["n_classes"], facts["n_columns"], np.random.default_rng([0, 13]), metric, facts["guessing"])
    return weighted_quantiles(*ends.at(np.inf), FINE)


def forecast_of(ends, facts, setting):
    highest = min(facts["upper"], facts["guessing"])
    shape = {"stretch": setting.stretch, "hidden": HIDDEN[setting.hidden]}
    limits = {
        "measured": facts["measured"],
        "guessing": facts["guessing"],
        "ends": (min(facts["proved"], highest), highest),
    }
    return make_forecast(1, lambda _: (ends, np.ones(len(ends))), **limits, **shape)


def judge(forecast, before, facts):
    """Return a cell as ``benchmarks.forecast`` judges it."""
    truth, least, guessing = facts["truth"], facts["measured"], facts["guessing"]
    asked = between({point: least + point / 100 for point in POINTS}, guessing)
    near = between({side * margin: truth + side * margin for side, margin in product((-1, 1), MARGINS)}, guessing)
    return {
        "truth": truth,
        "upper": facts["upper"],
        "asked": [[point, error, forecast.chance(error), ""] for point, error in asked.items()],
        "near": [[margin, error, forecast.chance(error)] for margin, error in near.items()],
        "forecast": judged(forecast.lowest, forecast.quantiles([0.5])[0], truth),
        "before": before,
    }


def judge_race(race, facts):
    """Return the cell of every setting; those that differ in the forecast alone share their curves."""
    quantiles = quantiles_before(race, LEVELS, guessing=facts["guessing"], highest=facts["measured"])
    before = judged(quantiles, np.interp(0.5, LEVELS, quantiles), facts["truth"])
    ends, found = {}, {}
    for setting in GRID:
        if setting[:3] not in ends:
            ends[setting[:3]] = curve_ends(race, facts, setting)
        found[setting] = judge(forecast_of(ends[setting[:3]], facts, setting), before, facts)
    return found


def best_elsewhere(cells):
    """Return for each family the setting with the smallest mean CRPS on the other families."""
    crps = {
        setting: {name: [case["forecast"]["crps"] for case in own] for name, own in families.items()}
        for setting, families in cells.items()
    }

    def elsewhere(setting, family):
        return np.mean([value for name, own in crps[setting].items() if name != family for value in own])

    return {family: min(GRID, key=lambda setting: elsewhere(setting, family)) for family in cells[IN_USE]}


def table(cells):
    """Return the figures of all settings, the smallest CRPS first; before them, what was said and what is in use."""
    best = best_elsewhere(cells)
    rows = {
        "in use": cells[IN_USE],
        "before": {name: [{**one, "forecast": one["before"]} for one in own] for name, own in cells[IN_USE].items()},
        "without its own family": {family: cells[setting][family] for family, setting in best.items()},
    }
    found = {name: figures(families) for name, families in rows.items()}
    # The calls of the method before were not saved: its verdicts did not rest on probabilities.
    found["before"] |= dict.fromkeys([*CALLED, "Brier skill"], np.nan)
    own = {str(setting): figures(families) for setting, families in cells.items()}
    times = {str(setting): list(best.values()).count(setting) for setting in GRID}
    yield ("constants", "best for", *SHOWN, *(name.removesuffix(", placed by the truth") for name in CALLED))
    for name, each in [*found.items(), *sorted(own.items(), key=lambda one: one[1]["CRPS"])]:
        shown = [each[figure] for figure in (*SHOWN, *CALLED)]
        yield (name, str(times.get(name, "-")), *("-" if np.isnan(value) else f"{value:.4f}" for value in shown))


def show(folder, names):
    """Print the table of the races that are saved."""
    cells = {setting: {} for setting in GRID}
    for name in names:
        race, facts = read_race(path_of(folder, name)) if path_of(folder, name).exists() else (None, None)
        if race is not None and race.curves:
            for setting, case in judge_race(race, facts).items():
                cells[setting].setdefault(name.partition("/")[0], []).append(case)
    families = cells[IN_USE]
    print(f"\n{sum(map(len, families.values()))} races of {len(families)} families\n")
    print("\n".join(align(list(table(cells)))))
    low, high = interval_of(families, scores, gained)
    print(f"\nCRPS in use less that of before, families resampled: {low:.4f} to {high:.4f}")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.refit", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="where the races are saved")
    parser.add_argument("--generators", metavar="FILE", help="Python file with FAMILIES and draw_problem")
    parser.add_argument("--quick", action="store_true", help="a few small races, saved nowhere")
    parser.add_argument("--show", action="store_true", help="print the table of the saved races, run nothing")
    options = parser.parse_args(arguments)
    draws = problems(options.generators)
    with tempfile.TemporaryDirectory() as empty:
        folder = Path(empty) if options.quick else options.folder
        if folder is None:
            parser.error("got no folder for the races")
        if options.quick:
            draws = {name: draw for name, draw in draws.items() if name.endswith("-d2-300")}
        if not options.show:
            run_races(folder, draws)
        show(folder, draws)


if __name__ == "__main__":
    main()
