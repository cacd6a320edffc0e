"""Hazards that make an answer wrong: how often it is confidently wrong, what is found, and what is raised falsely.

``python -m benchmarks.hazards`` runs ``bayesfloor.check`` at quick effort on generated tables whose lowest error is
known (``_hazard_families``: copies, leaks, drift, rare classes, honest discrete tables), on clean tables, on tables
with groups or a time order, on the datasets in all their recipes, on small datasets that come with scikit-learn, and on
the messy files of ``benchmarks.messy``, whose generator ``--make`` or ``BAYESFLOOR_MESSY`` names.

Seeds 3000 to 3999 are for development. Seeds 7000 to 7999 are held back: ``--held-back`` measures them, and they are
looked at once, after the last change of a threshold. ``--only`` selects groups, or families as in
``"copies/one redrawn"``.
"""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from sklearn import datasets as toys

from bayesfloor.io import open_data
from benchmarks._command import FOLDER, measure_once, one_thread, run_command
from benchmarks._hazard_families import CAUSES, FAMILIES, HONEST, draw
from benchmarks._hazard_families import GROUPS as FAMILY_GROUPS
from benchmarks._hazard_sets import CLEAN, PLANTED, make
from benchmarks._judge import faults, is_confidently_wrong, is_named, judge, raised
from benchmarks._recipes import load_frame, manifest
from benchmarks._results import Goal, none_of, print_tables
from benchmarks._told import range_text
from benchmarks.messy import FILES, SEEDS, find_generator, label_of, truth_of, write_files

RESULTS = FOLDER / "hazards.json"
PLANTED_SEED, FIRST_SEED, HELD_BACK = 2000, 3000, 7000
N_PLANTED, N_TABLES, N_CLEAN = 40, 300, 200
DATA, SMALL, FILE, NONE = "datasets", "scikit-learn", "files", "none"
GROUPS = (*FAMILY_GROUPS, NONE, *PLANTED, DATA, SMALL, FILE)
CLEAN_KINDS = (*CLEAN, *HONEST)
MOST_WRONG, LEAST_FOUND, MOST_RAISED = 0.03, 0.9, 0.02
HALVES = ("development", "held back")
# Columns that give the label away, as the datasets' own description says.
KNOWN = {
    "winered/paper": ("quality",),
    "winewhite/paper": ("quality",),
    "fars/paper": ("HISPANIC_ORIGIN", "RACE"),
    "fars/stored": ("HISPANIC_ORIGIN", "RACE"),
}
RELATED = ("winered", "winewhite", "yeast", "segment", "banking77_lsa")  # datasets whose rows are known to be related
PARTS = {"nursery": 0.0, "kr-vs-k": 0.0, "flare": None}  # honest discrete datasets of which parts are checked; truths
PART_SIZES = (500, 2000)
MOST_ROWS, MOST_VALUES = 6000, 600_000  # of a dataset
MESSY = {  # warnings that messy files should have, and their columns
    "patients.csv": ("groups", "patient_id"),
    "time.csv": ("time", "timestamp"),
    "multilabel.csv": ("labels", "tag_sport"),
    "adult.csv": ("weights", "fnlwgt"),
}
REFUSED = ("regression.csv", "multilabel_X.npy")
TARGET = 0.9  # where no truth is known
TOY = ("iris", "wine", "breast_cancer", "digits", "moons", "circles", "blobs")


# Cells.


def measure_family(family, seed):
    drawn = draw(family, seed)
    case = judge(drawn.X, drawn.y, truth=drawn.truth, target=drawn.target, margin=drawn.margin)
    return case | {"columns": drawn.columns, "known": drawn.known, "shape": list(drawn.X.shape)}


def measure_made(kind, seed):
    """Check a table that has a hazard, or none, and whose truth is not known."""
    made = make(kind, seed)
    case = judge(made.table, made.y, truth=(0.0, 1.0), target=TARGET)
    return case | {"column": made.column, "shape": list(made.table.shape)}


def measure_dataset(name, recipe):
    """Check a dataset, or so many of its rows, drawn at random, in their order."""
    X, y = load_frame(name, None if recipe == "stored" or recipe.isdigit() else recipe)
    most = int(recipe) if recipe.isdigit() else min(MOST_ROWS, max(1000, MOST_VALUES // X.shape[1]))
    if len(X) > most:
        rows = np.sort(np.random.default_rng(most).permutation(len(X))[:most])
        X, y = X.iloc[rows].reset_index(drop=True), y[rows]
    truth = PARTS.get(name)
    case = judge(X, y, truth=(0.0, 1.0) if truth is None else truth, target=TARGET)
    return case | {"shape": list(X.shape)}


def measure_toy(name):
    if name in ("moons", "circles"):
        X, y = getattr(toys, f"make_{name}")(1000, noise=0.2, random_state=0)
    elif name == "blobs":
        X, y = toys.make_blobs(1000, cluster_std=3, random_state=0)
    else:
        X, y = getattr(toys, f"load_{name}")(return_X_y=True, as_frame=True)
    return judge(X, np.asarray(y), truth=(0.0, 1.0), target=TARGET) | {"shape": list(X.shape)}


def measure_file(folder, one):
    """Check a messy file, without naming its groups."""
    label, path, truth = label_of(one), folder / one["name"], truth_of(one)
    data = open_data(path, label, labels_file=one["labels_file"] and str(folder / one["labels_file"]))
    case = judge(data, None, truth=(0.0, 1.0) if truth is None else truth, target=TARGET)
    return case | {"truth": truth} if one["name"] in ("patients.csv", "time.csv") else case


def chosen(options):
    seed = HELD_BACK if options.held_back else FIRST_SEED
    # The quick form has one table of each group, and of no hazard.
    families = [next(iter(own)) for own in FAMILY_GROUPS.values()] if options.quick else list(FAMILIES)
    kinds = CLEAN_KINDS[:1] if options.quick else CLEAN_KINDS
    cells = {}
    for i in range(len(families) if options.quick else N_TABLES):
        family, number = families[i % len(families)], seed + i // len(families)
        cells[f"{FAMILIES[family]}/{family}/{number}"] = partial(measure_family, family, number)
    for i in range(len(kinds) if options.quick else N_CLEAN):
        kind, number = kinds[i % len(kinds)], seed + i // len(kinds)
        # Honest families have other tables here than among those above.
        work = partial(measure_family, kind, number + 500) if kind in HONEST else partial(measure_made, kind, number)
        cells[f"{NONE}/{kind}/{number}"] = work
    if not options.held_back:
        cells |= _without_halves(quick=options.quick)
    wanted = set(options.only)
    return {name: work for name, work in cells.items() if not wanted or {name, *_groups_of(name)} & wanted}


def _groups_of(name):
    group, _, rest = name.partition("/")
    return group, f"{group}/{rest.rpartition('/')[0]}"


def _without_halves(*, quick):
    n, first = (1, 1000) if quick else (N_PLANTED, PLANTED_SEED)
    cells = {f"{kind}/{first + i}": partial(measure_made, kind, first + i) for kind in PLANTED for i in range(n)}
    cells |= {f"{SMALL}/{name}": partial(measure_toy, name) for name in (TOY[:1] if quick else TOY)}
    if not quick:
        cells |= {f"{DATA}/{name}/{recipe}": partial(measure_dataset, name, recipe) for name, recipe in _recipes()}
        cells |= {f"{FILE}/{seed}/{name}": None for seed in SEEDS for name in FILES if name not in REFUSED}
    return cells


def _recipes():
    """Yield every dataset with every recipe, as it is stored, and parts of it."""
    for name, facts in manifest().items():
        if name != "banking77":  # its only column is text of one sentence
            parts = [str(size) for size in PART_SIZES] if name in PARTS else []
            yield from ((name, recipe) for recipe in (*facts["recipes"], "stored", *parts))


def run(file, options):
    cells = chosen(options)
    for name, work in cells.items():
        if work is not None:
            measure_once(name, file, work)
    seeds = {name.split("/")[1] for name in cells if name.startswith(FILE) and name not in file.results["cases"]}
    for seed in sorted(seeds):
        with tempfile.TemporaryDirectory() as folder:
            manifest_of = write_files(find_generator(options), Path(folder), int(seed))
            for name in set(manifest_of) - set(REFUSED):
                measure_once(f"{FILE}/{seed}/{name}", file, partial(measure_file, Path(folder), manifest_of[name]))
    if options.quick:
        known = judged(file.results, groups=(*PLANTED, SMALL))
        assert all(is_right(name, case) for name, case in known.items()), known


# Tables and goals.


def cause_of(name):
    """Return the cause that a caution should name; nothing for a table without a hazard."""
    return CAUSES.get(name.partition("/")[0], "")


def half_of(name):
    seed = name.rpartition("/")[2]
    return HALVES[seed.isdigit() and int(seed) >= HELD_BACK]


def judged(results, half=None, groups=tuple(FAMILY_GROUPS)):
    """Return the cases of these groups, of one half or of both."""
    cases = ((name, case) for name, case in results["cases"].items() if name.partition("/")[0] in groups)
    return {name: case for name, case in cases if half in (None, half_of(name))}


def wrong_ones(cases):
    return [name for name, case in cases.items() if is_confidently_wrong(case, cause_of(name))]


def expected(name, case):
    """Return the kind of warning that data without a truth should have, and its columns; None for no warning."""
    group, _, rest = name.partition("/")
    if group in PLANTED:
        return group, (case["column"],)
    if group == FILE:
        kind, *columns = MESSY.get(rest.partition("/")[2], (None,))
        return kind and (kind, columns)
    return ("leak", KNOWN[rest]) if group == DATA and rest in KNOWN else None


def is_right(name, case):
    """Whether data have the one warning that they should have, or none; related rows may be warned of where known."""
    due, related = expected(name, case), name.startswith(DATA) and name.split("/")[1] in RELATED
    told = [one for one in case["warned"] if one[0] != "note"]
    told = [one for one in told if not (related and raised({"warned": [one]}) == ["copies"])]
    if due is None:
        return not told
    kinds, named = {kind for kind, *_ in told}, {column for _, *columns in told for column in columns}
    return kinds == {due[0]} and named >= {column for column in due[1] if column}


def family_table(results):
    yield ("family", "half", "number", "found", "confidently wrong", "reliability good", "CPU s, median", "wrong")
    for family, group in FAMILIES.items():
        for half in HALVES:
            cases = {k: v for k, v in judged(results, half, (group,)).items() if k.split("/")[1] == family}
            if not cases:
                continue
            wrong = wrong_ones(cases)
            found = sum(is_named(case, CAUSES[group]) for case in cases.values()) if group in CAUSES else "-"
            good = sum(case.get("reliability") == "good" for case in cases.values())
            seconds = np.median([case["seconds"] for case in cases.values()])
            seeds = ", ".join(name.rpartition("/")[2] for name in wrong)
            yield (family, half, *map(str, (len(cases), found, len(wrong), good)), f"{seconds:.2g}", seeds)


def honest_table(results):
    """Show how far the estimates of honest discrete tables are from the truth."""
    yield ("tables", "number", "absolute error, median", "largest", "range holds the truth")
    for groups, kinds in ((("honest", NONE), HONEST), ((DATA,), PARTS)):
        for kind in kinds:
            own = [v for name, v in judged(results, groups=groups).items() if name.split("/")[1] == kind]
            own = [v for v in own if "between" in v and v["between"][0] == v["between"][1]]
            if own:
                away = [abs(case["estimate"] - case["between"][0]) for case in own]
                held = sum(not any(fault.startswith("range") for fault in faults(case)) for case in own)
                name = kind if kinds is HONEST else f"{DATA}: {kind}"
                yield (name, str(len(own)), f"{np.median(away):.3f}", f"{max(away):.3f}", str(held))


def raised_table(results):
    yield ("half", "clean tables", "a leak raised", "copies raised", "tables")
    for half in HALVES:
        clean = judged(results, half, (NONE,))
        told = {name: raised(case) for name, case in clean.items()}
        if clean:
            counts = [sum(kind in kinds for kinds in told.values()) for kind in ("leak", "copies")]
            yield (half, *map(str, (len(clean), *counts)), ", ".join(name for name, kinds in told.items() if kinds))


def group_table(results):
    """Count the data with exactly the warning that they should have."""
    yield ("data", "number", "right", "fraction", "wrong")
    for group in (*PLANTED, DATA, SMALL, FILE):
        cases = judged(results, groups=(group,))
        if cases:
            wrong = [name for name, case in cases.items() if not is_right(name, case)]
            right = len(cases) - len(wrong)
            yield (group, str(len(cases)), str(right), f"{right / len(cases):.3f}", ", ".join(wrong))


def warning_table(results):
    yield ("data", "warning", "expected")
    for name, case in judged(results, groups=(DATA, SMALL, FILE)).items():
        if case["warned"] or expected(name, case):
            told = "; ".join(f"{kind}: {', '.join(columns)}" for kind, *columns in case["warned"]) or "none"
            yield (name, told, "yes" if is_right(name, case) else "no")


def file_table(results):
    yield ("file", "truth", "best estimate", "range", "90 % accuracy", "error at random", "error together", "CPU s")
    for name, case in sorted(results["cases"].items()):
        if "truth" in case:
            ends = f"{case['estimate']:.3f}", range_text(case), case["outcome"]
            errors = [f"{error:.3f}" for error in case["two_errors"]] if "two_errors" in case else ["-", "-"]
            yield (name, f"{case['truth']:.3f}", *ends, *errors, f"{case['seconds']:.3g}")


def _rate(measured, flags, goal, *, at_least=False):
    rate = float(np.mean(flags))
    met = rate >= goal if at_least else rate <= goal
    return Goal(measured, f"{rate:.3f} ({len(flags)})", f"{'>=' if at_least else '<='} {goal:g}", met)


def goals(results):
    """Judge what was asked for; held-back tables count, those of development are told for comparison."""
    for half in HALVES:
        cases, clean = judged(results, half), judged(results, half, (NONE,))
        if cases:
            wrong = wrong_ones(cases)
            yield _rate(f"{half}: confidently wrong", [name in wrong for name in cases], MOST_WRONG)
            apart = judged(results, half, ("apart",))
            rest = [name in wrong for name in cases if name not in apart]
            if apart and rest:
                yield _rate(f"{half}: confidently wrong, without those told apart", rest, MOST_WRONG)
        sought = {family: group for family, group in FAMILIES.items() if group in ("copies", "leaks", "drift")}
        for family, group in sought.items():
            own = [is_named(case, CAUSES[group]) for name, case in cases.items() if name.split("/")[1] == family]
            if own:
                yield _rate(f"{half}: found: {family}", own, LEAST_FOUND, at_least=True)
        for kind in ("leak", "copies") if clean else ():
            told = [kind in raised(case) for case in clean.values()]
            yield _rate(f"{half}: {kind} raised on clean tables", told, MOST_RAISED)
    for group in (*PLANTED, DATA, SMALL, FILE):
        right = [is_right(name, case) for name, case in judged(results, groups=(group,)).items()]
        if right and group in PLANTED:
            yield _rate(f"found: {group}", right, LEAST_FOUND, at_least=True)
        elif right:
            yield none_of(f"{group} with a wrong or missing warning", [not is_so for is_so in right])
    whole = [case for case in results["cases"].values() if "truth" in case]
    if whole:
        outside = [not (case["lower"] or 0) <= case["truth"] <= case["upper"] for case in whole]
        yield none_of("patients and time: range without the truth", outside)
        yield none_of("patients and time: 90 % called reachable", [case["outcome"] == "reachable" for case in whole])


def tables(results):
    made = {
        "families": family_table,
        "honest": honest_table,
        "clean": raised_table,
        "found": group_table,
        "warnings": warning_table,
        "files": file_table,
    }
    return {name: list(make(results)) for name, make in made.items()}


def main(arguments=None):
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=(*GROUPS, *(f"{group}/{family}" for family, group in FAMILIES.items())),
        cells=lambda options: list(chosen(options)),
        measure=run,
        show=lambda results, _: print_tables(tables(results), goals(results)),
        around=(one_thread,),
        more={
            "--make": {"metavar": "PATH", "help": "script that writes messy files (default: BAYESFLOOR_MESSY)"},
            "--held-back": {"action": "store_true", "help": "measure the held-back tables instead; look at them once"},
        },
        needs_data=True,
    )


if __name__ == "__main__":
    main()
