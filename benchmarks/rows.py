"""All rows: whether more of them tell the truth, and what they cost in memory, CPU and wall time.

- "auto": tables on which ``rows="auto"`` has to stop at 200,000 rows, or to go on.
- "bare": CPU of a point beside that of LightGBM with the same parameters on the same rows in memory, and its model.
- "memory": peak memory of whole checks of local Parquet, of an S3 server on this machine, of ten classes, of mixed
  columns and of numbers, with at most 20 rounds of boosting; "refused": a table for which memory would not suffice.
- "ahead": what 200,000 rows of a judging family say, with forecasts for 1 and 5 million rows.
- "all": what all rows say of the same tables, and what came.
- "interrupt": Ctrl-C at random moments. "kill": the driver is killed and resumed. "dask": two workers, one is killed.

Each check has a process of its own. Tables are written to ``--data``, by default a temporary folder; 5 GB are needed.
``--only`` selects groups, as in ``all/lattice/701``. Figures are shown with ``--show`` only.
"""

import json
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks._command import FOLDER, measure_once, run_command
from benchmarks._data import SEED
from benchmarks._results import ROOT, Goal, at_least, at_most, none_of, plain, print_tables
from benchmarks._row_families import FAMILIES, JUDGING, write
from benchmarks._row_tasks import AHEAD
from benchmarks._timing import seconds_of

RESULTS = FOLDER / "rows.json"
TASKS = "benchmarks._row_tasks"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ONE_THREAD["OMP_WAIT_POLICY"] = "passive"
HELD = 300_000  # rows that are held out or stopped on, besides those of training
FIRST = 200_000
TABLES = {  # of the memory cells: family, seed, rows, columns, classes
    "numbers": ("numbers", 803, 1_000_000, 20, 1),
    "mixed": ("mixed", 802, 2_000_000, 15, 2),
    "local": ("old lattice", 1, 10_000_000 + HELD, 20, 2),
    "s3": ("old lattice", 1, 5_000_000 + HELD, 20, 2),
    "classes": ("ten classes", 801, 2_000_000, 50, 10),
}
GOES_ON = {"saturated": False, "noise": False, "lattice": True}
NEAR, LEAST_HELD, MOST_WRONG, MOST_RATIO, MOST_EXPONENT = 0.015, 0.8, 0.05, 1.15, 1.1
MOMENTS, KILLS, MOST_SECONDS = 20, 20, 180
FEW_TREES, LIMIT = 20, 1_500_000_000  # rounds where only memory and cost matter, and bytes where memory is scarce
KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}
SUBJECT = ("old lattice", 1)  # of faults


# Tables and processes.


def table_of(folder, family, seed, n):
    """Return the path and the lowest possible loss of a table, which is written if it is not there yet."""
    path = folder / f"{family.replace(' ', '_')}-{seed}-{n}.parquet"
    told = path.with_suffix(".json")
    if not told.exists():
        told.write_text(json.dumps(write(family, seed, n, path)))
    return path, json.loads(told.read_text())


def start(path, work="check_rows", **options):
    """Start a check in a process of its own; its first line says that it is about to check."""
    command = [sys.executable, "-m", "benchmarks._fresh", f"{TASKS}:{work}", json.dumps({"path": str(path), **options})]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | ONE_THREAD, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n", process.wait()
    return process


def stop_at(process, seconds, how):
    """Send a signal after so many CPU seconds of a process, since other work on the machine slows it down."""
    ticks = os.sysconf("SC_CLK_TCK")
    while process.poll() is None:
        used = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        if sum(map(int, used)) / ticks >= seconds:
            process.send_signal(how)
            return
        time.sleep(0.05)


def finish(process, seconds=None):
    """Return the result of a process; None if it was killed."""
    said, _ = process.communicate(timeout=seconds)
    return json.loads(said.splitlines()[-1]) if said and process.returncode == 0 else None


def run(path, **options):
    found = finish(start(path, **options))
    assert found is not None, f"{path}: the process crashed"
    return found


# Cells.


def measure_check(family, seed, n, *, folder, s3=False, **options):
    path, truth = table_of(folder, family, seed, n)
    with bucket_with(path) if s3 else nullcontext(path) as where:
        found = run(where, **options) | {"n": n, "truth": plain(truth)}
    assert "limit" in options or "refused" not in found, found
    return found


@contextmanager
def bucket_with(path):
    """Yield the address of a copy of a file in a bucket on this machine."""
    from moto.server import ThreadedMotoServer
    from pyarrow.fs import FileSystem, copy_files

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        os.environ |= KEYS | {"AWS_ENDPOINT_URL": "http://{}:{}".format(*server.get_host_and_port())}
        store, _ = FileSystem.from_uri("s3://rows?allow_bucket_creation=true")
        store.create_dir("rows")
        copy_files(str(path), f"rows/{path.name}", destination_filesystem=store)
        yield f"s3://rows/{path.name}"
    finally:
        server.stop()


def measure_bare(family, seed, n, *, folder, trees):
    path, _ = table_of(folder, family, seed, n)
    return run(path, work="compare_with_bare", n=AHEAD[0], trees=trees)


def measure_interrupts(folder, n, moments):
    """Interrupt a check of all rows at random moments; smaller points come from a folder."""
    path, _ = table_of(folder, *SUBJECT, n)
    rng, ends = np.random.default_rng(SEED), []
    with tempfile.TemporaryDirectory(dir=folder) as work:
        before, after = Path(work) / "before", Path(work) / "after"
        run(path, rows=AHEAD[0], effort="quick", resume=str(before))
        for number in range(moments + 1):
            shutil.rmtree(after, ignore_errors=True)
            shutil.copytree(before, after)
            if number == 0:
                whole = run(path, rows="all", effort="quick", resume=str(after))
                continue
            process = start(path, rows="all", effort="quick", resume=str(after))
            stop_at(process, rng.uniform(0, whole["cpu"]), signal.SIGINT)
            seconds, found = seconds_of(partial(finish, process), "wall")
            ends.append({"seconds": plain(seconds), "said": found and found.get("stopped"), "crashed": found is None})
            ends[-1]["partial"] = partial_files(after)
    last = whole["points"][-1]
    return {"ends": ends, "tree": plain(last["seconds"] / max(last["n_trees"], 1)), "wall": whole["wall"]}


def measure_kills(folder, n, kills, per_run=4):
    """Kill the driver at random moments, resume it, and compare the points with those of an untouched run."""
    path, _ = table_of(folder, *SUBJECT, n)
    rng, same = np.random.default_rng(SEED), []
    whole = run(path, rows="all", effort="quick")
    for _ in range(0, kills, per_run):
        with tempfile.TemporaryDirectory(dir=folder) as work:
            for _ in range(per_run):
                process = start(path, rows="all", effort="quick", resume=work)
                stop_at(process, rng.uniform(0, whole["cpu"]), signal.SIGKILL)
                process.communicate()
            found = run(path, rows="all", effort="quick", resume=work)
            same.append(same_points(found, whole) and not partial_files(Path(work)))
    return {"kills": kills, "same": same, "wall": whole["wall"]}


def partial_files(folder):
    """Return how many files of a folder are not whole."""
    bad = 0
    for path in folder.rglob("*"):
        try:
            json.loads(path.read_text())
        except ValueError:
            bad += 1
    return bad


def same_points(one, other):
    """Return whether two results are the same but for their times."""
    texts = [re.sub(r'"\w*(seconds|wall|cpu|peak)": [^,}]*', "", json.dumps(each)) for each in (one, other)]
    return texts[0] == texts[1]


def measure_dask(folder, n, moments):
    """Compare two workers with one process, and kill one of them at some moments."""
    path, _ = table_of(folder, *SUBJECT, n)
    alone, whole, ends = run(path, rows="all"), run(path, rows="all", workers=2), []
    for number in range(moments):
        process = start(path, rows="all", workers=2)
        victim = int(process.stdout.readline())
        time.sleep((number + 0.5) / moments * whole["wall"])
        os.kill(victim, signal.SIGKILL)
        try:
            seconds, found = seconds_of(partial(finish, process, whole["wall"] + MOST_SECONDS), "wall")
            ends.append({"seconds": plain(seconds), "said": "crashed"})
            if found is not None:
                ends[-1]["said"] = found.get("refused") or ("finished" if same_points(found, whole) else "other points")
        except subprocess.TimeoutExpired:
            process.kill()
            ends.append({"seconds": whole["wall"] + MOST_SECONDS, "said": "hangs"})
    return {"ends": ends, "wall": whole["wall"], "same": same_points(alone, whole)}


def all_cells(*, quick):
    """Return the measurements by name, cheap and important ones first."""
    n, short, small = AHEAD[-1] + HELD, AHEAD[0] + HELD, 250_000
    if quick:
        asked, one = {"auto": "auto", "ahead": 100_000, "all": "all"}, partial(measure_check, "linear", 11, small)
        cells = {f"{group}/linear/11": partial(one, rows=rows) for group, rows in asked.items()}
        return cells | {"kill/driver": partial(measure_kills, n=small, kills=1)}
    cells = {"bare/lattice": partial(measure_bare, *SUBJECT, short, trees=100)}
    cells["refused/memory"] = partial(measure_check, *SUBJECT, TABLES["local"][2], rows="all", limit=LIMIT)
    for name, (family, seed, rows, *_) in TABLES.items():
        how = {"rows": "all", "trees": FEW_TREES, "task": "numbers" if name == "numbers" else "auto"}
        cells[f"memory/{name}"] = partial(measure_check, family, seed, rows, s3=name == "s3", **how)
    for family, seed in JUDGING:
        if family in GOES_ON:
            cells[f"auto/{family}/{seed}"] = partial(measure_check, family, seed, short, rows="auto")
    for family, seed in JUDGING:
        cells[f"ahead/{family}/{seed}"] = partial(measure_check, family, seed, n, rows=FIRST)
    cells |= {
        "dask/workers": partial(measure_dask, n=short, moments=5),
        "kill/driver": partial(measure_kills, n=600_000, kills=KILLS),
        "interrupt/driver": partial(measure_interrupts, n=2_000_000, moments=MOMENTS),
    }
    for family, seed in JUDGING:
        cells[f"all/{family}/{seed}"] = partial(measure_check, family, seed, n, rows="all")
    return cells


def chosen(options):
    cells = all_cells(quick=options.quick)
    wanted = set(options.only)
    return {name: work for name, work in cells.items() if not wanted or wanted & set(prefixes(name))}


def prefixes(name):
    words = name.split("/")
    return ["/".join(words[: at + 1]) for at in range(len(words))]


def measure(file, options):
    with tempfile.TemporaryDirectory() as own:
        folder = options.data or Path(own)
        for name, work in chosen(options).items():
            measure_once(name, file, partial(work, folder=folder))


# Tables and goals.


def cases_of(results, group):
    return {name.partition("/")[2]: case for name, case in results["cases"].items() if name.startswith(f"{group}/")}


def best_at(case, n):
    """Return the lowest loss measured with about so many training rows; None if there is none."""
    losses = [point["loss"] for point in case.get("points", ()) if abs(point["n_rows"] / n - 1) < 0.1]
    return min(losses, default=None)


def forecasts(results):
    """Yield the table, rows, forecast and what came, of forecasts that were made from 200,000 rows."""
    came = cases_of(results, "all")
    for name, case in cases_of(results, "ahead").items():
        for n in AHEAD:
            found = best_at(came.get(name, {}), n)
            if found is not None and str(n) in case["ahead"]:
                yield name, n, case["ahead"][str(n)], found


def is_wrong(case, *, proven=True):
    """Return whether an end is on the wrong side of the truth: a proven one, or any."""
    low = case["lower"] if case["proved"] or not proven else None
    high = case["upper"] if case["tested"] or not proven else None
    return bool((low is not None and low > case["truth"]) or (high is not None and high < case["truth"]))


def allowed(name, case):
    """Return the peak memory in MB that a table may take."""
    *_, columns, classes = TABLES[name]
    return max(750.0, 500 + case["n"] * (columns + 16 * classes + 60) / 1e6)


def percent(value):
    return "-" if value is None else f"{100 * value:.2f} %"


def tables(results):
    answers = [["table", "rows", "truth", "estimate", "lower", "upper", "best learner", "from 50000", "CPU", "stopped"]]
    for group in ("ahead", "auto", "all"):
        for name, case in cases_of(results, group).items():
            least = min((point["loss"] for point in case["points"]), default=None)
            first = case["first"] and case["first"][0]
            figures = (case["truth"], case["estimate"], case["lower"], case["upper"], least, first)
            end = (f"{case['cpu']:.0f} s", case["stopped"])
            answers.append((f"{group} {name}", str(case["n_used"]), *map(percent, figures), *end))
    ahead = [("table", "rows", "forecast", "95 % interval", "came")]
    for name, n, (low, middle, high), came in forecasts(results):
        ahead.append((name, str(n), percent(middle), f"{percent(low)} to {percent(high)}", percent(came)))
    costs = [["table", "learner", "training rows", "loss", "trees", "leaves", "CPU", "peak", "allowed"]]
    for name, case in cases_of(results, "memory").items():
        for one in case["points"]:
            trees = f"{one['n_trees']}{', cap' if one['capped'] else ''}"
            sizes = (str(one["n_rows"]), f"{one['loss']:.4f}", trees, str(one["n_leaves"]))
            costs.append((name, one["learner"], *sizes, f"{one['cpu_seconds']:.1f} s", "", ""))
        peaks = (f"{case['cpu']:.0f} s", f"{case['peak']:.0f} MB", f"{allowed(name, case):.0f} MB")
        costs.append((name, "the whole check", str(case["n"]), "", "", "", *peaks))
    return {"answers": answers, "ahead": ahead, "costs": costs}


def goals(results):
    for name, case in cases_of(results, "memory").items():
        yield at_most(f"peak memory, MB: {name}", case["peak"], allowed(name, case), ".0f")
    for case in cases_of(results, "refused").values():
        said = case.get("refused", "trained")
        yield Goal("memory that would not suffice", said, "refused with the number", "MB" in said)
    yield from cost_goals(results)
    yield from judging_goals(results)
    for name, case in cases_of(results, "auto").items():
        goes_on, must = max(point["n_rows"] for point in case["points"]) > 1.5 * FIRST, GOES_ON[name.split("/")[0]]
        words = {True: "goes on", False: "stops at 200,000"}
        yield Goal(f'rows="auto": {name}', words[goes_on], words[must], goes_on == must)
    yield from fault_goals(results)


def cost_goals(results):
    """Yield the exponent of the cost of trees: their number grows until they no longer help, not with the rows."""
    local = cases_of(results, "memory").get("local")
    if local:
        kept = [point for point in local["points"] if point["n_trees"] and point["n_rows"] >= 0.9 * FIRST]
        for words, divide in (("of a tree", True), ("of a point", False)):
            costs = [point["cpu_seconds"] / (point["n_trees"] if divide else 1) for point in kept]
            slope = np.polyfit(np.log([point["n_rows"] for point in kept]), np.log(costs), 1)[0]
            yield at_most(f"exponent of the CPU {words}, 200,000 to 10 million rows", slope, MOST_EXPONENT)
    for name, case in cases_of(results, "bare").items():
        yield at_most(f"CPU of a point relative to LightGBM in memory: {name}", case["ratio"], MOST_RATIO)
        yield Goal(f"same model as LightGBM in memory: {name}", str(case["same"]), "True", case["same"])


def judging_goals(results):
    cases = cases_of(results, "all")
    if cases:
        close = {name: abs(case["estimate"] - case["truth"]) <= NEAR for name, case in cases.items()}
        families = [all(ok for name, ok in close.items() if name.startswith(f"{own}/")) for own in FAMILIES]
        yield at_least(f"families within {100 * NEAR:g} points, of {len(cases)} tables", sum(families), 5, "d")
        others = [is_wrong(cases[name], proven=False) for name, ok in close.items() if not ok]
        yield none_of("other tables whose interval misses the truth", others)
    held = [low <= came <= high for *_, (low, _, high), came in forecasts(results)]
    if held:
        yield at_least(f"forecasts that held, of {len(held)} made from 200,000 rows", np.mean(held), LEAST_HELD, ".2f")
    judged = [*cases_of(results, "ahead").values(), *cases.values()]
    wrong = [is_wrong(case) for case in judged if case["tested"] or case["proved"]]
    if wrong:
        yield at_most(f"proven ends that are wrong, of {len(wrong)}", np.mean(wrong), MOST_WRONG)


def fault_goals(results):
    for case in cases_of(results, "dask").values():
        yield Goal("two workers give the answer of one process", str(case["same"]), "True", case["same"])
        for at, one in enumerate(case["ends"]):
            told = f"{one['said']}, {one['seconds']:.0f} s"
            ok = (
                one["said"] not in ("crashed", "hangs", "other points")
                and one["seconds"] <= MOST_SECONDS + case["wall"]
            )
            yield Goal(f"a worker killed, moment {at + 1}", told, "finishes, or says why", ok)
    for case in cases_of(results, "kill").values():
        yield none_of(f"resumed runs with other points, after {case['kills']} kills", [not one for one in case["same"]])
    for case in cases_of(results, "interrupt").values():
        slow = [one["seconds"] > case["tree"] + 2 for one in case["ends"]]
        yield none_of("interrupts that took longer than a tree and 2 s", slow)
        yield none_of(
            "interrupts that left a partial file, or crashed",
            [one["partial"] or one["crashed"] for one in case["ends"]],
        )


def main(arguments=None):
    every = {**all_cells(quick=False), **all_cells(quick=True)}
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=[part for name in every for part in prefixes(name)],
        cells=chosen,
        measure=measure,
        show=lambda results, options: print_tables(tables(results), () if options.quick else goals(results)),
        more={"--data": {"type": Path, "help": "folder for tables (default: a temporary one)"}},
        around=(),
    )


if __name__ == "__main__":
    main()
