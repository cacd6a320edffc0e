"""How reliable the figures are: coverage, p-values, the paper's two simulations, noise, variance.

The two classes are spherical Gaussians with unit variance, ``gap`` apart along the first axis, with fixed class
sizes. G is the fraction of forest edges that join two classes.
"""

import math
from functools import partial

import numpy as np
from joblib import Parallel, delayed, parallel_config
from scipy.integrate import quad
from scipy.stats import kstest, norm

from bayesfloor import BayesFloor, spanning_forest
from bayesfloor.formulas import henze_penrose
from benchmarks._command import FOLDER, JOBS, Case, group_of, of_cases, one_thread, own_kernel_cache, run_command
from benchmarks._data import SEED
from benchmarks._known import gap_of, two_error
from benchmarks._results import Goal, print_tables, verdict

RESULTS = FOLDER / "calibration.json"

_FORMS = {"subsample": (0.92, 0.98), "fast": (0.92, None)}  # range that the coverage should have
_VALUES = {"lattice": 12, "bits": 2}  # of each feature; 400 rows on 144 points: most have an equal one
_FRESH, _FITTED = 1, 2  # random streams: the truth must not come from the trials that it judges


# Rows, tables and trials


def row(measured, figure, error=None, least=None, most=None):
    """A figure with its standard error, and its goal as a range."""
    entry = {"measured": measured, "figure": _round(figure)}
    if error is not None:
        entry["error"] = _round(error)
    if least is not None or most is not None:
        entry["goal"] = [least if least is None else _round(least), most if most is None else _round(most)]
        entry["met"] = bool((least is None or figure >= least) and (most is None or figure <= most))
    return entry


def _round(value):
    return float(f"{value:.4g}")


def _goal_text(goal):
    least, most = goal
    if least is None:
        return f"<= {most:g}"
    return f">= {least:g}" if most is None else f"{least:g} to {most:g}"


def row_table(results, names):
    lines = [_cells(name, entry) for name in names for entry in results["cases"].get(name, {"rows": []})["rows"]]
    return [("case", "measured", "figure", "s.e.", "goal", "verdict"), *lines]


def _cells(name, entry):
    return (
        name,
        entry["measured"],
        f"{entry['figure']:.4g}",
        f"{entry['error']:.2g}" if "error" in entry else "-",
        _goal_text(entry["goal"]) if "goal" in entry else "-",
        verdict(met=entry.get("met")),
    )


def repeat(trial, n_trials, stream=_FITTED):
    """Run trials; each has its own generator, so that any number of workers gives the same results."""
    seeds = np.random.SeedSequence([SEED, stream]).spawn(n_trials)
    found = np.array(Parallel()(delayed(trial)(np.random.default_rng(seed)) for seed in seeds))
    assert np.isfinite(found).all(), "a trial did not return a number"
    return found


def standard_error(values):
    return values.std(axis=0, ddof=1) / math.sqrt(len(values))


# Data with a known truth


def two_gaussians(rng, sizes, gap, d):
    codes = np.repeat([0, 1], sizes)
    X = rng.normal(size=(len(codes), d))
    X[:, 0] += gap * codes
    return X, codes


def cross_counts(rng, sizes, gap, d, n_trees):
    X, codes = two_gaussians(rng, sizes, gap, d)
    forest = spanning_forest(X, n_trees, method="kdtree", n_jobs=1)
    code = by_vertex(forest, codes)
    return np.bincount(forest.tree[code[forest.a] != code[forest.b]], minlength=n_trees)


def by_vertex(forest, values):
    """Return the values of rows in vertex order, for rows that all differ."""
    ordered = np.empty_like(values)
    ordered[forest.vertex] = values
    return ordered


def limit_rate(gap):
    """Return the limit of G for two equally frequent Gaussians: the mean of 2 eta (1 - eta)."""

    def integrand(x):
        one, two = norm.pdf(x, -gap / 2), norm.pdf(x, gap / 2)
        return one * two / (one + two)

    return quad(integrand, -gap / 2 - 10, gap / 2 + 10, limit=200)[0]


# Intervals


def measure_intervals(n, d, error, n_fresh, n_trials):
    sizes, gap = (n // 2, n // 2), gap_of(error)
    counts = repeat(partial(cross_counts, sizes=sizes, gap=gap, d=d, n_trees=3), n_fresh, stream=_FRESH)
    fresh, limit = counts.mean(axis=1) / (n - 1), limit_rate(gap)
    rows = [row("mean of G at this n", fresh.mean(), standard_error(fresh)), row("limit of G", limit)]
    for form in _FORMS:
        trial = partial(interval_trial, sizes=sizes, gap=gap, d=d, form=form)
        # In more dimensions the extrapolation has no goal.
        rows += _interval_rows(form, repeat(trial, n_trials), fresh, limit, 0.92 if d == 2 else None)
    return {"rows": rows}


def interval_trial(rng, sizes, gap, d, form):
    """Return both intervals, the standard error and the extrapolation for one sample."""
    X, codes = two_gaussians(rng, sizes, gap, d)
    seed = int(rng.integers(2**31))
    whole = BayesFloor(n_trees=3, scale=None, interval=form, n_jobs=1, random_state=seed).fit(X, codes).overall_
    return *whole.interval(), *whole.limit_interval(), whole.std_error, whole.limit


def interval_table(results):
    """Tabulate one line per setting and form of the intervals, on the same rows."""
    heads = dict.fromkeys(text for _, form, rows in by_form(results) for text in rows)
    yield ("setting", "interval", *heads)
    for name, form, rows in by_form(results):
        yield (name.replace(",", ", "), form, *(_with_error(rows[head]) for head in heads))


def by_form(results):
    """Return the rows of each setting and form, by what was measured."""
    for name, case in results["cases"].items():
        if name.startswith("intervals/"):
            rows = {entry["measured"]: entry for entry in case["rows"]}
            for form in _FORMS:
                other = tuple(f"{one}: " for one in _FORMS if one != form)
                kept = {key: entry for key, entry in rows.items() if not key.startswith(other)}
                yield name.partition("/")[2], form, {key.removeprefix(f"{form}: "): one for key, one in kept.items()}


def _with_error(entry):
    error = f" ±{entry['error']:.2g}" if "error" in entry else ""
    return f"{entry['figure']:.3g}{error}"


def _interval_rows(form, found, fresh, limit, limit_goal):
    low, high, limit_low, limit_high, std_error, extrapolated = found.T
    least, most = _FORMS[form]
    bias = extrapolated - limit
    return [
        coverage_row(f"{form}: interval covers the mean", low, high, fresh.mean(), least, most),
        coverage_row(f"{form}: interval covers the limit", low, high, limit),
        coverage_row(f"{form}: limit_interval covers the limit", limit_low, limit_high, limit, limit_goal),
        row(f"{form}: mean std_error / true sd", std_error.mean() / fresh.std(ddof=1)),
        row(f"{form}: mean of limit - true limit", bias.mean(), standard_error(bias)),
    ]


def coverage_row(measured, low, high, truth, least=None, most=None):
    share = ((low <= truth) & (truth <= high)).mean()
    return row(measured, share, math.sqrt(share * (1 - share) / len(low)), least, most)


# p-values when the classes do not differ


def measure_picked_null(kind, d, sizes, n_trials):
    """Measure whether small p-values are as rare as they claim when the labels picked the scale."""
    p = repeat(partial(null_trial, kind=kind, d=d, sizes=sizes, scale="auto"), n_trials)
    return {"rows": [_level_row(p, level, most) for level, most in ((0.05, 0.065), (0.01, 0.016))]}


def measure_null(kind, d, sizes, n_trials):
    """Measure whether p-values are uniform when both classes have the same distribution."""
    p = repeat(partial(null_trial, kind=kind, d=d, sizes=sizes), n_trials)
    rows = [_level_row(p, level, most) for level, most in ((0.05, 0.064), (0.01, 0.016))]
    # Counts on a lattice take few values, and so do p-values: no test for a continuous distribution applies.
    uniform = row("Kolmogorov-Smirnov p", kstest(p, "uniform").pvalue, least=0.01 if kind == "normal" else None)
    return {"rows": [*rows, uniform, row("different p-values", len(np.unique(p)))]}


def _level_row(p, level, most):
    share = (p <= level).mean()
    return row(f"p <= {level:.2g}".replace("0.", "."), share, math.sqrt(share * (1 - share) / len(p)), most=most)


def null_trial(rng, kind, d, sizes, scale=None):
    """Return the p-value of two classes that do not differ; columns differ in spread if the scale is picked."""
    n = sum(sizes)
    X = rng.normal(size=(n, d)) if kind == "normal" else rng.integers(0, _VALUES[kind], size=(n, d)).astype(float)
    if scale is not None:
        X *= 3.0 ** np.arange(d)
    floor = BayesFloor(n_trees=3, scale=scale, interval="fast", n_jobs=1, random_state=0)
    return floor.fit(X, np.repeat([0, 1], sizes)).pairwise_.p_values[0, 1]


# The paper's two simulations


def measure_bias(p, n, gaps, n_trials):
    """Repeat the paper's bias correction: mean estimates with and without it, along a path of gaps."""
    sizes = (round(p * n), n - round(p * n))
    trials = [partial(cross_counts, sizes=sizes, gap=gap, d=2, n_trees=3) for gap in gaps]
    counts = np.stack([repeat(trial, n_trials).mean(axis=1) for trial in trials], axis=1)
    raw = henze_penrose(counts, *sizes, bias_correction=False).estimate
    corrected = henze_penrose(counts, *sizes, bias_correction=True).estimate
    truth = np.array([two_error(gap, sizes[0] / n) for gap in gaps])
    curve = {
        "gap": gaps,
        "truth": truth,
        "bhattacharyya": math.sqrt(p * (1 - p)) * np.exp(-np.square(gaps) / 8),
        "raw": raw.mean(axis=0),
        "raw_error": standard_error(raw),
        "corrected": corrected.mean(axis=0),
        "corrected_error": standard_error(corrected),
    }
    rows = _bias_rows(raw, corrected, truth, min(sizes) / n)
    return {"rows": rows, "p": p, "curve": {name: [_round(value) for value in curve[name]] for name in curve}}


def _bias_rows(raw, corrected, truth, p):
    off_raw, off = np.abs(raw.mean(axis=0) - truth), np.abs(corrected.mean(axis=0) - truth)
    above = raw.mean(axis=0) > p
    farther = off > off_raw + 2 * standard_error(raw - corrected)
    return [
        row("largest distance from the Bayes error, raw", off_raw.max()),
        row("largest distance from the Bayes error, corrected", off.max()),
        row("gaps where the correction is farther by 2 s.e.", farther.sum(), most=0),
        row("gaps where raw exceeds the smaller share", above.sum()),
        row("of these, where the correction is not closer", (above & (off >= off_raw)).sum(), most=0),
    ]


def measure_trees(n, p, gaps, n_trees, n_trials):
    """Repeat the paper's orthogonal trees: the variance of the estimate with one to ten trees."""
    sizes = (round(p * n), n - round(p * n))
    variance = np.array([_variance_by_trees(sizes, gap, n_trees, n_trials) for gap in gaps])
    ratio = (variance / variance[:, :1]).mean(axis=0)
    rows = [row(f"variance with {t} trees / with 1, mean over gaps", ratio[t - 1]) for t in (2, 3, 5, n_trees)]
    more = (variance[:, 2] > variance[:, 0]).sum()
    rows.append(row("gaps where 3 trees vary more than 1", more, most=0))
    return {"rows": rows, "gap": list(gaps), "variance": [[_round(value) for value in line] for line in variance.T]}


def _variance_by_trees(sizes, gap, n_trees, n_trials):
    counts = repeat(partial(cross_counts, sizes=sizes, gap=gap, d=2, n_trees=n_trees), n_trials)
    means = counts.cumsum(axis=1) / np.arange(1, n_trees + 1)
    # The correction would hide the variance where the classes overlap most: it is constant there.
    return henze_penrose(means, *sizes, bias_correction=False).estimate.var(axis=0, ddof=1)


# Cases


def _interval_cases():
    tiny = {"n": 100, "n_fresh": 20, "n_trials": 2}
    return [
        Case(
            f"intervals/d={d},n={n},error={error:g}",
            measure_intervals,
            {"n": n, "d": d, "error": error, "n_fresh": 2000, "n_trials": 400},
            {"d": d, "error": error, **tiny},
        )
        for d in (2, 5)
        for n in (500, 2000)
        for error in (0.05, 0.15, 0.3)
    ]


_NULL = {
    "d=2": {"kind": "normal", "d": 2, "sizes": (200, 200)},
    "d=5": {"kind": "normal", "d": 5, "sizes": (200, 200)},
    "unbalanced": {"kind": "normal", "d": 2, "sizes": (300, 100)},
    "lattice": {"kind": "lattice", "d": 2, "sizes": (200, 200)},
    "one bit": {"kind": "bits", "d": 1, "sizes": (200, 200)},
    "three bits": {"kind": "bits", "d": 3, "sizes": (40, 360)},
}


def _null_cases(piece, measure, n_trials):
    return [
        Case(f"{piece}/{name}", measure, {**some, "n_trials": n_trials}, {**some, "n_trials": 5})
        for name, some in _NULL.items()
    ]


def _bias_case(name, p):
    path = {"p": p, "n": 1000, "gaps": np.linspace(0, 4, 17).tolist(), "n_trials": 200}
    return Case(f"paper-bias/p={name}", measure_bias, path, {**path, "gaps": [0.0, 1.0, 2.0], "n_trials": 5})


_TREES = {"n": 1000, "p": 0.33, "gaps": np.linspace(0, 4, 17).tolist(), "n_trees": 10, "n_trials": 500}

CASES = [
    *_interval_cases(),
    *_null_cases("null", measure_null, 1000),
    *_null_cases("picked-null", measure_picked_null, 2000),
    _bias_case(".15", 0.15),
    _bias_case("1/3", 1 / 3),
    Case("paper-trees", measure_trees, _TREES, {**_TREES, "gaps": [0.0, 1.0, 2.0], "n_trials": 10}),
]


def tables(results):
    pieces = dict.fromkeys(group_of(case) for case in CASES if group_of(case) != "intervals")
    return {"intervals": [*interval_table(results)]} | {
        piece: row_table(results, [case.name for case in CASES if group_of(case) == piece]) for piece in pieces
    }


def goals(results):
    for name, case in results["cases"].items():
        for entry in case["rows"]:
            if "goal" in entry:
                _, measured, figure, _, goal, _ = _cells(name, entry)
                yield Goal(f"{name}: {measured}", figure, goal, entry["met"])


def main(arguments=None):
    cases = of_cases(CASES)

    def measure(file, options):
        with parallel_config("loky", n_jobs=options.jobs):
            cases["measure"](file, options)

    run_command(
        arguments,
        __doc__,
        RESULTS,
        **cases | {"measure": measure},
        show=lambda results, options: print_tables({"rows": row_table(results, cases["cells"](options))}),
        header=lambda options: {"quick": options.quick},
        more=JOBS,
        around=(own_kernel_cache, one_thread),
    )


if __name__ == "__main__":
    main()
