"""How the constants of curves and forecasts by other metrics were earned: on problems that nothing is judged on.

``python -m benchmarks.metric_refit FOLDER`` runs a race at quick effort on each training problem of
``_metric_families``, saves it in FOLDER (rerun to resume), and then chooses constants metric by metric: one constant
after the other, by the ranked probability score (CRPS) of the forecast, relative to guessing. For "without its own
family", the constants for each family are those chosen on all other families.
"""

import argparse
import pickle
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

import bayesfloor
from bayesfloor.answer._curve_ends import Ends
from bayesfloor.answer._forecast import LEVELS, make_forecast
from bayesfloor.answer._metrics import METRICS
from bayesfloor.formulas._learning_curves import Prior, weighted_quantiles
from benchmarks._metric_families import TRAINING, draw_classes, draw_numbers
from benchmarks._results import align
from benchmarks.forecast import ranked_score
from benchmarks.metrics import METRICS as OF_TASK

GRIDS = {
    "exponent": (0.2, 0.28, 0.45, 0.7),
    "spread": (0.4, 0.8),
    "ratio": ((2.0, 0.7), (2.9, 0.7), (2.9, 0.5), (4.0, 0.7), (4.0, 0.5)),
    "misfit": (0.005, 0.01, 0.02),
    "fast": (0.0, 0.7),
    "power": (0.0, 1.0, 1.38, 1.8),
    "stretch": (0.9, 1.1, 1.3, 1.6, 2.0),
    "hidden": (-4.0, -3.0, -2.0),
}
OF_PRIOR = ("exponent", "spread", "ratio", "misfit", "fast")
NOW = {"power": 1.38, "stretch": 0.9, "hidden": -3.0, **{name: getattr(Prior(), name) for name in OF_PRIOR}}
FINE = (np.arange(2000) + 0.5) / 2000  # levels that stand for a whole distribution
LESS = 0.005  # a constant changes only for a score that is smaller by this fraction


def run_races(folder):
    """Save the race of each training problem, with what else the forecast depends on."""
    folder.mkdir(parents=True, exist_ok=True)
    for task, problems in TRAINING.items():
        for family, seed in problems:
            path = folder / f"{task} {family} {seed}.pickle"
            if path.exists():
                continue
            problem = (draw_classes if task == "classes" else draw_numbers)(family, seed)
            with threadpool_limits(limits=1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = bayesfloor.check(
                    problem.X, problem.y, metric=OF_TASK[task], task=task, effort="quick", n_jobs=1
                )
            answers = {answer.metric: answer for answer in (found.answer, *found.beside.values())}
            facts = {
                name: {"upper": each.upper, "guessing": each.guessing, "truth": problem.truth[name]}
                for name, each in answers.items()
            }
            saved = {"race": found.answer.race, "n_columns": problem.X.shape[1], "facts": facts, "family": family}
            unfinished = path.with_suffix(".tmp")
            unfinished.write_bytes(pickle.dumps(saved))
            unfinished.replace(path)
            print(path.stem, flush=True)


def curve_ends(saved, name, constants):
    """Return the lowest measured loss, that of guessing, the unit of both, and quantiles of where curves level off."""
    of_curves = tuple(constants[each] for each in (*OF_PRIOR, "power"))
    known = saved.setdefault("ends", {})
    if (name, of_curves) not in known:
        prior = Prior(**{each: constants[each] for each in OF_PRIOR})
        metric = replace(METRICS[name], prior=prior, power=constants["power"])
        race = saved["race"]
        ends = Ends(race, len(np.unique(race.codes)), saved["n_columns"], np.random.default_rng([0, 13]), metric)
        least, fine = min(ends.means.values()), weighted_quantiles(*ends.at(np.inf), FINE)
        known[name, of_curves] = least, ends.guessing, ends.one, fine.astype(np.float32)
    return known[name, of_curves]


def forecast_with(saved, name, constants):
    """Return quantiles of the lowest possible loss, and the truth, relative to guessing."""
    facts = saved["facts"][name]
    raw = np.square if name == "rmse" else np.asarray  # squares are what the race has
    least, guessing, one, fine = curve_ends(saved, name, constants)
    upper, truth = float(raw(facts["upper"])), float(raw(facts["truth"]))
    made = make_forecast(
        1,
        lambda _: (fine, np.ones(len(fine))),
        measured=min(least, upper, guessing) / one,
        guessing=guessing / one,
        ends=(0.0, upper / one),
        stretch=constants["stretch"],
        hidden=constants["hidden"],
    )
    shown = np.sqrt if name == "rmse" else np.asarray
    guess = shown(guessing / one)
    return shown(made.lowest) / guess, shown(truth / one) / guess


def scores(races, name, constants):
    """Return the CRPS of each race, the error of the median, and where the truth lies in the forecast."""
    found = []
    for saved in races:
        quantiles, truth = forecast_with(saved, name, constants)
        place = np.searchsorted(quantiles, truth) / len(LEVELS)
        found.append((ranked_score(quantiles, truth), abs(np.interp(0.5, LEVELS, quantiles) - truth), place))
    return np.array(found)


def choose(table, keep, grids):
    """Return the constants after one pass, by the mean score of the races to keep."""
    best, least = dict(NOW), table(NOW)[keep, 0].mean()
    for name, options in grids.items():
        for option in options:
            trial = {**best, name: option}
            score = table(trial)[keep, 0].mean()
            if score < least * (1 - LESS):
                best, least = trial, score
    return best


def judge(races, name):
    """Print the chosen constants, and figures with them, with those of errors, and without the own family."""
    cache = {}

    of_brier = METRICS[name].power > 0
    grids = {each: options for each, options in GRIDS.items() if each != "power" or of_brier}
    start = NOW if of_brier else NOW | {"power": 0.0}

    def table(constants):
        constants = constants if of_brier else constants | {"power": 0.0}
        key = tuple(constants.items())
        if key not in cache:
            cache[key] = scores(races, name, constants)
        return cache[key]

    families = np.array([saved["family"] for saved in races])
    everything = np.ones(len(races), dtype=bool)
    chosen, apart = choose(table, everything, grids), np.empty((len(races), 3))
    for family in np.unique(families):
        own = families == family
        apart[own] = table(choose(table, ~own, grids))[own]
    rows = [("", "CRPS", "median error", "mean error", "90 % holds", "95 % holds")]
    for words, found in (
        ("constants of errors", table(start)),
        ("chosen", table(chosen)),
        ("without its family", apart),
    ):
        within = [np.mean(np.abs(found[:, 2] - 0.5) <= part / 2) for part in (0.9, 0.95)]
        shown = (found[:, 0].mean(), np.median(found[:, 1]), found[:, 1].mean(), *within)
        rows.append((words, *(f"{each:.4f}" for each in shown)))
    print(f"\n{name}: {chosen}")
    print("\n".join(align(rows)), flush=True)


def main():
    """Run the races and choose."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--metrics", nargs="*", default=[name for names in OF_TASK.values() for name in names])
    given = parser.parse_args()
    run_races(given.folder)
    for task, names in OF_TASK.items():
        races = [pickle.loads(path.read_bytes()) for path in sorted(given.folder.glob(f"{task} *.pickle"))]  # noqa: S301 - our own
        for name in names:
            if name in given.metrics:
                judge(races, name)


if __name__ == "__main__":
    main()
