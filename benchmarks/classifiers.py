"""Multiclass classifiers, compared on the datasets of van den Burg and Hero (2017).

``python -m benchmarks.classifiers`` runs every method on every dataset and saves each result when it is finished;
rerun to resume. ``reduced``, the default, uses fewer splits, folds and costs than the paper; ``full`` uses the
paper's and takes days. ``--quick`` uses small datasets, asserts what must hold, and writes nothing; ``--show`` prints
saved results. Datasets are read from the folder named by ``BAYESFLOOR_DATA``; of the recipes in ``datasets.json``,
"paper" gives the paper's numbers, and "honest" leaves out columns that reveal the class.

Times are CPU seconds of one thread. A method that exceeds the protocol's time limit is stopped and shown as
"cap". Methods below eight seconds are measured three times, in alternation, and the smallest time
counts. Linear SVMs stop after LinearSVC's thousand steps, converged or not, in all methods.
The time limit of the paper's tree also covers a second search, with the floors computed once. The kernels for
the floors are compiled beforehand, as in any process that has already computed one. An RBF SVM on more than
25,000 rows is replaced by a Nystroem map: at 22,000 (kr-vs-k) the map took five times as long and scored less.
Missed goals stay in the results.
"""

import time

import numpy as np

from benchmarks._command import FOLDER, run_command
from benchmarks._compared import BEST_CASES, DATASETS, MANY_GOAL, OVERLAPPING, PAPER_CASES, goals_of, key_of, print_all
from benchmarks._data import SEED
from benchmarks._multiclass import MANY_METHODS, MANY_SPREAD, METHODS, Protocol, linear, make_task, prepare_case
from benchmarks._worker import Worker
from benchmarks.known_floor import plain

RESULTS = {"reduced": FOLDER / "classifiers.json", "full": FOLDER / "classifiers_full.json"}
PROTOCOLS = {
    "quick": Protocol("quick", [0.125, 8.0], [10], 2, 1, 2000, 60, 1),
    "reduced": Protocol("reduced", [2.0**power for power in range(-9, 10, 3)], [1, 10, 100], 3, 3, 20_000, 600, 3),
    "full": Protocol("full", [2.0**power for power in range(-18, 19, 2)], [1, 10, 100], 10, 5, None, 86_400, 3),
}
SHORT = 8.0  # CPU seconds; shorter measurements are repeated, since other work on the machine disturbs them
MANY = (MANY_GOAL, *OVERLAPPING)
QUICK_CASES, QUICK_MANY = (("flare", "paper"), ("segment", "paper"), ("winered", "honest")), ("synthetic-20",)


# Running.


def groups_of(cases, many, splits):
    """Cells that share their rows: a dataset, a recipe and a split; or a dataset of many classes."""
    return [(*case, split) for split in range(splits) for case in cases] + [("many", name) for name in many]


def methods_of(group, chosen):
    """Return the chosen methods that a group has."""
    return [name for name in (MANY_METHODS if group[0] == "many" else METHODS) if name in chosen]


def run_groups(groups, chosen, protocol, file):
    """Run the cells that are not in the file; return those that crashed."""
    broken = []
    for group in groups:
        missing = [name for name in methods_of(group, chosen) if key_of(group, name) not in file.results["cases"]]
        with Worker(prepare_case, group, protocol) as worker:
            broken += run_group(worker, group, missing, protocol, file)
    return broken


def run_group(worker, group, methods, protocol, file):
    """Run the methods in alternation, the fast ones several times, and save each when it is done."""
    found, left = {name: [] for name in methods}, methods
    while left:
        for name in left:
            found[name].append(ask(worker, name, key_of(group, name), protocol.seconds))
            if is_done(found[name], protocol.rounds) and None not in found[name]:
                file.add(key_of(group, name), join_turns(found[name]))
        left = [name for name in left if not is_done(found[name], protocol.rounds)]
    return [key_of(group, name) for name in methods if None in found[name]]


def ask(worker, name, key, most):
    """Return the record of one run, including whether it took too long; None if the process crashed."""
    start = time.perf_counter()
    try:
        record = worker.ask(name, most)
    except TimeoutError:
        record = {"hit": True, "most_seconds": most}
    except (EOFError, OSError):
        record = None
    print(f"{key}: {time.perf_counter() - start:.1f} s {describe(record)}", flush=True)
    return record


def describe(record):
    """Describe a record in a word."""
    if record is None:
        return "broke down"
    if "hit" in record:
        return "cap"
    return "skipped" if "skipped" in record else f"ARI {record['ari']:.4f}"


def is_done(turns, rounds):
    """Whether a method has had all its runs: a long one has only one."""
    last = turns[-1]
    return len(turns) == rounds or last is None or last.get("seconds", SHORT) >= SHORT


def join_turns(turns):
    """Combine all runs into one record: the smallest times, and how much longer the slowest run took."""
    through = [turn for turn in turns if "seconds" in turn]
    if len(through) < 2:
        return turns[0]
    best = {key: min(turn[key] for turn in through) for key in turns[0] if key.endswith("seconds")}
    slowest = max(turn["seconds"] for turn in through)
    return turns[0] | best | {"turns": len(through), "spread": plain(slowest / best["seconds"] - 1)}


# The command line.


def check_records(keys, results):
    """Assert that every method ran, and that its scores are in range."""
    for key in keys:
        one = results["cases"].get(key, {})
        assert "seconds" in one, f"{key}: {one}"
        assert -1 <= one["ari"] <= 1, f"{key}: {one}"
        assert 0 <= one["accuracy"] <= 1, f"{key}: {one}"
        assert (one["log_loss"] or 0) >= 0, f"{key}: {one}"


def check_two_classes(protocol):
    """Assert that with two classes the paper's tree equals its base SVM."""
    from bayesfloor import SmartSVM

    task = make_task("segment", "paper", SEED, protocol)
    two = task.y < 2
    X, y = task.X[two], task.y[two]
    alone, tree = linear().fit(X, y), SmartSVM(linear()).fit(X, y)
    assert np.array_equal(alone.predict(task.test), tree.predict(task.test)), "SmartSVM differs from its base"


def run(file, options):
    """Run all selected cells; the quick form asserts what must hold."""
    protocol, groups = protocol_of(options), chosen_groups(options)
    broken = run_groups(groups, options.methods, protocol, file)
    if options.quick:
        check_records(chosen_cells(options), file.results)
        check_two_classes(protocol)
    file.finish(summary={"goals": goals_of(file.results)})
    return broken


def protocol_of(options, protocols=PROTOCOLS):
    """Return the selected protocol."""
    return protocols["quick" if options.quick else options.protocol]


def chosen_groups(options):
    """Return the selected groups."""
    splits, names = protocol_of(options).splits, options.only or [*DATASETS, *MANY]
    if options.quick:
        return groups_of(QUICK_CASES, QUICK_MANY, splits)
    cases = [case for case in (*PAPER_CASES, *BEST_CASES) if case[0] in names]
    return groups_of(dict.fromkeys(cases), [name for name in MANY if name in names], splits)


def chosen_cells(options):
    """Return the names of the selected cells."""
    return [key_of(group, name) for group in chosen_groups(options) for name in methods_of(group, options.methods)]


def main(arguments=None):
    """Run the command line."""
    every = list(dict.fromkeys([*METHODS, *MANY_METHODS]))
    methods = {"nargs": "+", "default": every, "metavar": "NAME", "choices": every, "help": "these methods"}
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=[*DATASETS, *MANY],
        cells=chosen_cells,
        measure=run,
        show=lambda results, options: print_all(results, judged=not options.quick),
        header=lambda options: {"sizes": protocol_of(options)._asdict() | {"many_spread": MANY_SPREAD}},
        more={"--methods": methods},
        needs_data=True,
    )


if __name__ == "__main__":
    main()
