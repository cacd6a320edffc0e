"""How estimates follow injected label noise: the protocol of FeeBee (Renggli et al. 2021).

Labels of a real dataset are reassigned uniformly with a growing rate rho. The Bayes error then lies
between rho Gmax and s + rho (Gmax - s), where s is the best known error and Gmax = 1 - 1/K. The score is the
area by which an estimate lies outside this band. ``python -m benchmarks.feebee`` saves its results after
each dataset and rate; ``--again RIVAL`` renews only the estimates of this rival, on the same labels, in the cells that
are saved; ``--quick`` uses a few rows and writes nothing; ``--show`` prints saved results.

Datasets are read from the folder named by ``BAYESFLOOR_DATA``.
"""

from typing import NamedTuple

import numpy as np

from benchmarks._command import FOLDER, JOBS, run_command
from benchmarks._data import SEED, read_rows
from benchmarks._results import align
from benchmarks._rivals import RIVALS, standardise
from benchmarks.known_floor import (
    AGAIN,
    CompactFile,
    check_shares,
    format_goals,
    goal_row,
    judge_rows,
    need_cells,
    our_methods,
    parts_again,
    rerun_rivals,
    run_ours,
    run_rivals,
)

RESULTS = FOLDER / "feebee.json"
RATES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
MOST_ROWS = 10_000
QUICK = {"name": "optdigits", "rows": 600, "rates": (0.0, 0.4)}


class Dataset(NamedTuple):
    """A file and the best error that we assume for it."""

    file: str
    best: float
    scaled: bool = True  # columns are standardised; pixels that are nearly always blank would grow too large


# Rounded by hand from what tuned kernel SVMs and boosted trees are commonly reported to reach on datasets
# of this size; they were not measured here. They set the upper edge of the band, so scores depend on them.
DATASETS = {
    "letter": Dataset("letter", 0.02),
    "pendigits": Dataset("pendigits", 0.005),
    "optdigits": Dataset("optdigits", 0.008),
    "satimage": Dataset("satimage", 0.08),
    "mnist": Dataset("mnist_train", 0.025, scaled=False),
}


def read_dataset(name, most):
    """Return rows and codes, at most this many, the same ones in every run."""
    X, codes = read_rows(DATASETS[name].file)
    kept = np.random.default_rng(SEED).permutation(len(codes))[:most]
    X = X[kept]
    return (standardise(X) if DATASETS[name].scaled else X), codes[kept]


def add_noise(codes, rho):
    """Reassign labels uniformly at rate rho, possibly to the same class."""
    rng = np.random.default_rng([SEED, round(100 * rho)])
    noise = rng.integers(codes.max() + 1, size=len(codes))
    return np.where(rng.random(len(codes)) < rho, noise, codes)


def run_cell(name, rho, most):
    """Run all methods once on one dataset at one rate."""
    from threadpoolctl import threadpool_limits

    X, codes = read_dataset(name, most)
    noisy = add_noise(codes, rho)
    with threadpool_limits(limits=1):
        methods = run_rivals(X, noisy, SEED) | run_ours(X, noisy, SEED)[1]
    return {"n_classes": int(codes.max()) + 1, "methods": methods}


def run_cases(cells, most, file, jobs):
    """Run the cells that are not in the file, and save each when it is finished."""
    from joblib import Parallel, delayed

    missing = [(name, rho) for name, rho in cells if f"{name}/{rho}" not in file.results["cases"]]
    found = Parallel(n_jobs=jobs, return_as="generator")(delayed(run_cell)(*cell, most) for cell in missing)
    for (name, rho), case in zip(missing, found, strict=True):
        file.add(f"{name}/{rho}", case)
        print(f"{name}/{rho}: {sum(one['seconds'] for one in case['methods'].values()):.1f} s", flush=True)


def run_again(file, rivals, cells, most):
    """Renew the estimates of these rivals in the saved cells among these."""
    keys = [(name, rho) for name, rho in cells if f"{name}/{rho}" in file.results["cases"]]
    need_cells(keys)
    for name, rho in keys:
        case = file.results["cases"][f"{name}/{rho}"]
        X, codes = read_dataset(name, most)
        methods = rerun_rivals(case["methods"], X, add_noise(codes, rho), SEED, rivals)
        file.add_again(f"{name}/{rho}", case | {"methods": methods}, parts_again(rivals))
        print(f"{name}/{rho}: {', '.join(rivals)}", flush=True)


# Scores.


def band(rho, best, k):
    """Return the band that contains the Bayes error after noise of this rate."""
    most = 1 - 1 / k
    return rho * most, best + rho * (most - best)


def curve(results, name):
    """Return the rates of a dataset that were run, in order, with their cases."""
    found = {
        float(key.rpartition("/")[2]): case for key, case in results["cases"].items() if key.startswith(f"{name}/")
    }
    return dict(sorted(found.items()))


def outside(case, method, rho, best):
    """Return how far an estimate lies outside the band."""
    low, high = band(rho, best, case["n_classes"])
    estimate = case["methods"][method]["estimate"]
    return max(0.0, low - estimate, estimate - high)


def score(results, name, method):
    """Return the area between a method's estimates and the band."""
    cases = curve(results, name)
    leaving = [outside(case, method, rho, DATASETS[name].best) for rho, case in cases.items()]
    return float(np.trapezoid(leaving, list(cases)))


def all_scores(results):
    """Return the scores of all methods on each dataset with at least two rates, and their mean."""
    names = [name for name in DATASETS if len(curve(results, name)) > 1]
    methods = [*RIVALS, *our_methods(list(results["cases"].values()))] if names else []
    scores = {method: {name: score(results, name, method) for name in names} for method in methods}
    return {method: {**one, "mean": float(np.mean(list(one.values())))} for method, one in scores.items()}


def goals_of(scores):
    """Compare our mean score with the paper's and the best rival's."""
    if not scores:
        return []
    *_, ours = scores
    mean, count = {method: one["mean"] for method, one in scores.items()}, len(scores[ours]) - 1
    best = min(RIVALS, key=mean.get)
    figure = mean[ours] / mean[best] if mean[best] > 0 else None
    return [goal_row(f"area outside the band, {ours} / {best} (best rival)", figure, count, 1, at_least=False)]


def score_table(scores):
    """Tabulate areas by method and dataset."""
    names = list(next(iter(scores.values()), {}))
    yield ("area outside the band", *names)
    for method, one in scores.items():
        yield (method, *(f"{one[name]:.4f}" for name in names))


def tables(results):
    """Return the tables by name."""
    best = [("dataset", "best error"), *((name, f"{one.best:g}") for name, one in DATASETS.items())]
    return {"areas": [*score_table(all_scores(results))], "best": best}


def goals(results):
    """Return every figure that has a goal."""
    return judge_rows(goals_of(all_scores(results)))


def print_scores(scores, *, judged=True):
    """Print areas by method and dataset, then the goals."""
    print("\n".join(["", *align([*score_table(scores)]), "", *format_goals(goals_of(scores), judged=judged)]))


# The command line.


def run(file, options):
    """Run everything that is selected; the quick form asserts the order."""
    if options.again:
        run_again(file, options.again, cells_of(options), MOST_ROWS)
        save_summary(file)
    elif options.quick:
        run_cases([(QUICK["name"], rho) for rho in QUICK["rates"]], QUICK["rows"], file, options.jobs)
        for key, case in file.results["cases"].items():
            check_shares(key, case["methods"])
    else:
        run_cases(cells_of(options), MOST_ROWS, file, options.jobs)
        save_summary(file)


def save_summary(file):
    """Add the scores to the file."""
    scores = all_scores(file.results)
    file.finish(summary={"scores": scores, "goals": goals_of(scores)})


def cells_of(options):
    """Return the selected datasets and rates."""
    return [(name, rho) for name in options.only or DATASETS for rho in RATES]


def main(arguments=None):
    """Run the command line."""
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=list(DATASETS),
        cells=lambda options: [] if options.again else [f"{name}/{rho}" for name, rho in cells_of(options)],
        measure=run,
        show=lambda results, options: print_scores(all_scores(results), judged=not options.quick),
        header=lambda _: {"sizes": {"rates": list(RATES), "most_rows": MOST_ROWS}},
        more=JOBS | AGAIN,
        around=(),
        kind=CompactFile,
    )


if __name__ == "__main__":
    main()
