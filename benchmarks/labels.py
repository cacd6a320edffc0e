"""How well flipped labels are found, and how fast, compared with cleanlab in the same run.

``python -m benchmarks.labels`` flips a tenth of the labels of six datasets with three seeds. cleanlab ranks by the
out-of-fold probabilities of a logistic model and of nearest neighbours, with two scores each. For each dataset its best
of the four is compared with ours, with the time of the folds and the scoring of that one. The time of both models is
also shown, since it is not known in advance which one is better. Kernels are compiled beforehand.
"""

import math
from functools import partial
from importlib.metadata import version

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bayesfloor.decide import suspicious_labels
from bayesfloor.forest._spanning_forest import prepare_kernels
from benchmarks._command import FOLDER, Case, of_cases, one_thread, own_kernel_cache, run_command
from benchmarks._data import SEED, read_rows
from benchmarks._results import Goal, print_tables, verdict
from benchmarks._timing import seconds_of

RESULTS = FOLDER / "labels.json"
DATASETS = ("digits", "letter", "pendigits", "optdigits", "satimage", "segment")
SEEDS = (0, 1, 2)

_FLIPPED = 0.1
_FOLDS = 5
_SCORES = ("self_confidence", "normalized_margin")
DECLARED = 0.05  # fraction of false discoveries that ``suspect`` promises
_AUC_MARGIN, _TIME_RATIO = 0.005, 0.25


# Data


def flip(codes, seed):
    """Move a tenth of the codes to any other class; return the codes and a mask."""
    rng = np.random.default_rng([SEED, seed])
    flipped = np.zeros(len(codes), dtype=bool)
    flipped[rng.choice(len(codes), round(_FLIPPED * len(codes)), replace=False)] = True
    n_classes = codes.max() + 1
    steps = rng.integers(1, n_classes, len(codes))
    return np.where(flipped, (codes + steps) % n_classes, codes), flipped


# One dataset, one seed


def measure_labels(name, seed):
    X, codes = read_rows(name)
    given, flipped = flip(codes, seed)
    prepare_kernels()  # small datasets would otherwise compile nothing
    find_ours(X, given)  # compiles what these rows need
    seconds, samples = seconds_of(partial(find_ours, X, given))
    ours = {"seconds": seconds, "auc": auc(flipped, samples.score)}
    theirs = {key: one for model in models() for key, one in measure_cleanlab(model, X, given, flipped).items()}
    found = {"ours": ours, "cleanlab": theirs, "list": describe_list(samples.suspect, flipped)}
    return {"dataset": name, "n": len(X), "d": X.shape[1], "classes": int(codes.max()) + 1, **found, "rows": []}


def find_ours(X, given):
    """Return scores and suspicious labels, on one thread; ``BayesFloor.samples_`` has the same after a whole fit."""
    return suspicious_labels(X, given, n_jobs=1)


def auc(flipped, score):
    """Return the fraction of pairs, one flipped and one not, in which the flipped one is more suspicious."""
    return float(roc_auc_score(flipped, score))


def models():
    return {"logistic": LogisticRegression(max_iter=1000), "neighbours": KNeighborsClassifier(n_neighbors=10)}


def measure_cleanlab(model, X, given, flipped):
    """Return AUC and CPU seconds of cleanlab with one model, by model and score."""
    from cleanlab.rank import get_label_quality_scores

    folding, probabilities = seconds_of(partial(out_of_fold, model, X, given))
    found = {}
    for score in _SCORES:
        scoring, quality = seconds_of(partial(get_label_quality_scores, given, probabilities, method=score))
        found[f"{model}, {score}"] = {"seconds": folding + scoring, "auc": auc(flipped, -quality)}
    return found


def out_of_fold(model, X, given):
    learner = make_pipeline(StandardScaler(), models()[model])
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=SEED)
    return cross_val_predict(learner, X, given, cv=folds, method="predict_proba")


def describe_list(suspect, flipped):
    """Return the length of the list, its false fraction with standard error, and the power."""
    listed = int(suspect.sum())
    false = float((suspect & ~flipped).sum() / max(listed, 1))
    error = math.sqrt(false * (1 - false) / max(listed, 1))
    return {"listed": listed, "false": false, "error": error, "power": float(suspect[flipped].mean())}


# Tables


def summarize(cells):
    """Summarise one dataset over its seeds: mean AUC, total time, and cleanlab's best setting."""
    ways = {way: np.mean([cell["cleanlab"][way]["auc"] for cell in cells]) for way in cells[0]["cleanlab"]}
    best = max(ways, key=ways.get)
    return {
        "best": best,
        "auc": (np.mean([cell["ours"]["auc"] for cell in cells]), ways[best]),
        "seconds": (
            sum(cell["ours"]["seconds"] for cell in cells),
            sum(cell["cleanlab"][best]["seconds"] for cell in cells),
            sum(_seconds_of_both(cell) for cell in cells),
        ),
    }


def _seconds_of_both(cell):
    """Return the time of trying both models with one score: it is not known in advance which is better."""
    return sum(cell["cleanlab"][f"{model}, {_SCORES[0]}"]["seconds"] for model in models())


def by_dataset(results):
    cells = list(results["cases"].values())
    names = dict.fromkeys(cell["dataset"] for cell in cells)
    return {name: [cell for cell in cells if cell["dataset"] == name] for name in names}


def ranking_table(results):
    times = ("our CPU s", "cleanlab's", "ours / its", "both its models", "ours / both")
    lines = [("dataset", "cleanlab's best", "our AUC", "cleanlab's", *times)]
    summaries = {name: summarize(cells) for name, cells in by_dataset(results).items()}
    lines += [_ranking_cells(name, one["best"], one["auc"], one["seconds"]) for name, one in summaries.items()]
    lines.append(_ranking_cells("all", "mean AUC, sum of seconds", *totals(summaries.values())))
    return lines


def totals(summaries):
    """Return mean AUC and total seconds, ours first."""
    pairs = [(one["auc"], one["seconds"]) for one in summaries]
    return np.mean([auc for auc, _ in pairs], axis=0), np.sum([seconds for _, seconds in pairs], axis=0)


def _ranking_cells(name, best, aucs, seconds):
    ours, *theirs = seconds
    times = [f"{figure:.3g}" for their in theirs for figure in (their, ours / their)]
    return (name, best, f"{aucs[0]:.4f}", f"{aucs[1]:.4f}", f"{ours:.3g}", *times)


def list_table(results):
    lines = [("dataset and seed", "listed", "false share", "s.e.", "power", "goal", "verdict")]
    for name, cell in results["cases"].items():
        one = cell["list"]
        figures = (str(one["listed"]), f"{one['false']:.3f}", f"{one['error']:.3f}", f"{one['power']:.3f}")
        lines.append((name, *figures, *(("-", "-") if results["quick"] else _list_goal(cell))))
    return lines


def _list_goal(cell):
    most = most_false(cell)
    return f"<= {most:.3f}", verdict(met=bool(cell["list"]["false"] <= most))


def most_false(cell):
    """Return the largest false fraction that does not contradict the declared one."""
    return DECLARED + 2 * cell["list"]["error"]


def tables(results):
    return {"ranking": ranking_table(results), "lists": list_table(results)}


def goals(results):
    (ours, theirs), seconds = totals([summarize(cells) for cells in by_dataset(results).values()])
    ratio = seconds[0] / seconds[1]
    broken = sum(cell["list"]["false"] > most_false(cell) for cell in results["cases"].values())
    near = bool(ours >= theirs - _AUC_MARGIN)
    return [
        Goal("mean AUC - cleanlab's", f"{ours - theirs:+.4f}", f">= {-_AUC_MARGIN}", near),
        Goal("CPU time / cleanlab's", f"{ratio:.3g}", f"<= {_TIME_RATIO}", bool(ratio <= _TIME_RATIO)),
        Goal(f"lists above the declared {DECLARED} by 2 s.e.", str(broken), "0", bool(broken == 0)),
    ]


# Command line


def make_cases(names, seeds):
    sizes = {f"{name}/{seed}": {"name": name, "seed": seed} for name in names for seed in seeds}
    return [Case(name, measure_labels, some, some) for name, some in sizes.items()]


CASES, QUICK_CASES = make_cases(DATASETS, SEEDS), make_cases(("digits", "segment"), SEEDS[:1])


def show(results, options):
    """Print everything; the quick form asserts that each of our rankings is better than chance."""
    if options.quick:
        for name, cell in results["cases"].items():
            assert 0.5 < cell["ours"]["auc"] <= 1, f"{name}: AUC {cell['ours']['auc']}"
    print_tables(tables(results), () if results["quick"] else goals(results))


def main(arguments=None):
    run_command(
        arguments,
        __doc__,
        RESULTS,
        **of_cases(CASES, QUICK_CASES),
        show=show,
        header=lambda options: {"quick": options.quick, "cleanlab": version("cleanlab")},
        around=(own_kernel_cache, one_thread),
        needs_data=True,
    )


if __name__ == "__main__":
    main()
