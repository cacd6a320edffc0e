"""Gates against a baseline: each way to break the data or the call must not end in green, and fresh draws must.

``python -m benchmarks.gates`` checks a table of 600 rows, keeps it as a baseline, and runs ``bayesfloor check`` again
on data, baselines and options that were broken one way each. "before" is the exit code before anything was done about
these ways; today it should not be 0. Then it draws the table anew from the same law, 200 times, against the same
baseline: hardly any may be red. ``--only`` selects data, baselines, calls or draws.
"""

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks._command import FOLDER, measure_once, one_thread, run_command
from benchmarks._results import Goal, none_of, print_tables

RESULTS = FOLDER / "gates.json"
N_ROWS, N_DRAWS, MOST_RED = 600, 200, 0.02
GROUPS = ("data", "baselines", "calls", "draws")
COLUMNS, CLASSES = list("abcd"), np.array(["cat", "dog", "cow"])
BASELINE = ("--baseline", "base.json")
QUICK = ("-y", "label", "--effort", "quick", "--no-progress")
QUICK_WAYS = ("data/worse", "data/other dataset", "baselines/half a file", "baselines/priors", "calls/target 95")


class Way(NamedTuple):
    """One way to break something: a change of worse or good rows, an edit of the baseline, or options.

    ``before`` is the exit code of commit 3b2d936, before anything was done about these ways.
    """

    before: int
    change: object = None
    edit: object = None
    options: tuple = BASELINE
    worse: bool = True


# The law of the rows. "Worse" rows have three times the noise.


def _rows(seed, noise=1.0):
    """Return rows of the law, their codes and a stream for what follows."""
    centres = np.random.default_rng(5).normal(size=(3, 4)) * 2.2
    rng = np.random.default_rng([6, seed])
    y = rng.integers(3, size=N_ROWS)
    table = pd.DataFrame(centres[y] + noise * rng.normal(size=(N_ROWS, 4)), columns=COLUMNS)
    return table.assign(label=CLASSES[y]), y, rng


def _other(*_):
    rng = np.random.default_rng(7)
    y = rng.integers(3, size=N_ROWS)
    X = np.eye(4)[y] * 5 + rng.normal(size=(N_ROWS, 4))
    return pd.DataFrame(X, columns=list("wxyz")).assign(label=np.array(list("pqr"))[y])


def _same(table, *_):
    return table


def _leaking(table, y, rng):
    return table.assign(e=y + 0.01 * rng.normal(size=len(y)))


def _hard(table, y):
    """Return the half of the rows that is farther from the centre of its class."""
    X = table[COLUMNS].to_numpy()
    away = np.linalg.norm(X - np.array([X[y == k].mean(axis=0) for k in range(3)])[y], axis=1)
    return away > np.median(away)


def _augmented(table, _, rng):
    more = table.loc[np.repeat(np.arange(len(table)), 6)].reset_index(drop=True)
    return more.assign(**{name: more[name] + 0.3 * rng.normal(size=len(more)) for name in COLUMNS})


def _nearly_gone(table, y, rng):
    gone = (y == 2) & (rng.random(len(y)) < 0.96)
    return table.assign(label=table["label"].where(~gone, "cat"))


DATA = {
    "worse": Way(1, _same),
    "worse, and strict": Way(1, _same, options=(*BASELINE, "--strict")),
    "worse, other effort": Way(1, _same, options=(*BASELINE, "--effort", "normal")),
    "worse, one more column": Way(1, lambda t, _, r: t.assign(e=0.5 * r.normal(size=len(t)))),
    "worse, a column that leaks": Way(0, _leaking),
    "worse, gaps that leak": Way(0, lambda t, y, *_: t.assign(e=np.where(y == 1, np.nan, y))),
    "worse, two columns that leak": Way(
        0, lambda t, y, r: t.assign(e=(b := r.integers(3, size=len(t))), f=(b + y) % 3)
    ),
    "worse, a third of the rows": Way(1, lambda t, *_: t.iloc[:200]),
    "worse, each row three times": Way(1, lambda t, *_: pd.concat([t, t, t])),
    "worse, augmented six-fold": Way(1, _augmented),
    "worse, a class nearly gone": Way(1, _nearly_gone),
    "worse, a class with one row": Way(0, lambda t, y, *_: pd.concat([t[y != 2], t[y == 2].iloc[:1]])),
    "worse, a class gone": Way(0, lambda t, y, *_: t[y != 2]),
    "worse, hard labels blank": Way(1, lambda t, y, *_: t.assign(label=t["label"].mask(_hard(t, y), ""))),
    "worse, hard rows gone": Way(1, lambda t, y, *_: t[~_hard(t, y)]),
    "worse, easy rows repeated": Way(1, lambda t, y, *_: pd.concat([t, *[t[~_hard(t, y)]] * 4])),
    "labels of half the rows shuffled": Way(
        1, lambda t, _, r: t.assign(label=np.r_[t["label"][:300], r.permutation(t["label"][300:])]), worse=False
    ),
    "two columns empty": Way(1, lambda t, *_: t.assign(a=np.nan, b=np.nan), worse=False),
    "two columns gone": Way(1, lambda t, *_: t.drop(columns=["a", "b"]), worse=False),
    "columns of other rows": Way(
        1, lambda t, _, r: t.assign(a=r.permutation(t["a"]), b=r.permutation(t["b"])), worse=False
    ),
    "other class names": Way(0, lambda t, y, *_: t.assign(label=np.array(list("xyz"))[y]), worse=False),
    "other column names": Way(0, lambda t, *_: t.rename(columns=dict(zip("abcd", "wxyz", strict=True))), worse=False),
    "other dataset": Way(0, _other),
    "other dataset, strict": Way(0, _other, options=(*BASELINE, "--strict")),
    "leak, target": Way(0, _leaking, options=("--target", "95%")),
    "leak, target, strict": Way(0, _leaking, options=("--target", "95%", "--strict")),
}


# Edited baselines, against worse data.


def _set(part, **fields):
    def edit(text):
        saved = json.loads(text)
        saved[part].update(fields) if part else saved.update(fields)
        return json.dumps(saved)

    return edit


def _each(part, field, value):
    def edit(text):
        saved = json.loads(text)
        saved[part][field] = dict.fromkeys(saved[part][field], value)
        return json.dumps(saved)

    return edit


EDITS = {
    "estimate .9": (1, _set("answer", estimate=0.9, lower=0.9, upper=0.9)),
    "estimate not a number": (2, _set("answer", estimate=float("nan"))),
    "estimate outside its range": (1, _set("answer", lower=0.9, upper=0.95)),
    "errors of all learners .5": (1, _each("answer", "errors", 0.5)),
    "unknown learner": (1, _set("answer", errors={"nope": 0.1}, best="nope", n_independent={"nope": 1.0})),
    "a billion rows": (1, _set("answer", n_rows=10**9)),
    "no independent rows": (1, _each("answer", "n_independent", 1e-9)),
    "number of classes": (2, _set("facts", n_classes=4)),
    "number of columns": (1, _set("facts", n_features=99)),
    "unknown scale": (2, _set("facts", scale="zzz")),
    "priors": (0, _set("facts", priors=[0.1, 0.2, 0.7])),
    "other schema": (2, _set("", schema_version=5.0)),
    "a field twice": (1, lambda text: text.replace('"lower":', '"estimate": 0.9, "lower":', 1)),
    "empty file": (2, lambda _: ""),
    "half a file": (2, lambda text: text[: len(text) // 2]),
    "deep brackets": (2, lambda _: "[" * 10**5),
}
TARGETS = {"95": 2, "0.95%": 0, "1e-9%": 0, "1_0%": 0, "0.0_5": 0, "nan": 2, "inf": 2, "0": 2, "0,95": 2, "９５%": 1}  # noqa: RUF001
LIMITS = {
    "--max-error 0.05%": 1,
    "--max-error 5": 2,
    "--max-error nan": 2,
    "--max-error-rise nan --baseline base.json": 2,
}
WAYS = {
    **{f"data/{name}": way for name, way in DATA.items()},
    **{f"baselines/{name}": Way(before, _same, edit) for name, (before, edit) in EDITS.items()},
    **{f"calls/target {text}": Way(before, _same, options=("--target", text)) for text, before in TARGETS.items()},
    **{f"calls/{text}": Way(before, _same, options=tuple(text.split())) for text, before in LIMITS.items()},
}


# Cells.


def call(folder, *words):
    """Run the command; return its exit code and the lines that say why."""
    said = subprocess.run(
        [sys.executable, "-m", "bayesfloor", "check", *words],
        cwd=folder,
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "COLUMNS": "100"},
    )
    lines = [line.strip() for line in (said.stdout + said.stderr).splitlines()]
    told = [line for line in lines if "BF30" in line or "error:" in line.lower()]
    return {"code": said.returncode, "told": told[:3]}


def measure_way(folder, name):
    way = WAYS[name]
    rows = _rows(1, noise=3.0) if way.worse else _rows(0)
    way.change(*rows).to_csv(folder / "now.csv", index=False)
    text = (folder / "good.json").read_text("utf-8")
    (folder / "base.json").write_text(way.edit(text) if way.edit else text, "utf-8")
    return call(folder, "now.csv", *QUICK, *way.options)


def measure_draw(folder, seed):
    _rows(seed)[0].to_csv(folder / "now.csv", index=False)
    (folder / "base.json").write_text((folder / "good.json").read_text("utf-8"), "utf-8")
    return call(folder, "now.csv", *QUICK, *BASELINE)


def chosen(options):
    """Return the selected cells by name; the baseline itself has seed 0, worse rows have 1."""
    ways = QUICK_WAYS if options.quick else WAYS
    cells = {name: partial(measure_way, name=name) for name in ways}
    cells |= {f"draws/{i}": partial(measure_draw, seed=2 + i) for i in range(2 if options.quick else N_DRAWS)}
    return {name: work for name, work in cells.items() if not options.only or group_of(name) in options.only}


def run(file, options):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _rows(0)[0].to_csv(folder / "good.csv", index=False)
        made = call(folder, "good.csv", *QUICK, "--json", "good.json")
        assert made["code"] == 0, made
        for cell, work in chosen(options).items():
            measure_once(cell, file, partial(work, folder))
    if options.quick:
        cases = file.results["cases"]
        assert all(case["code"] for name, case in cases.items() if name in WAYS and WAYS[name].before), cases


# Tables and goals.


def group_of(name):
    return name.partition("/")[0]


def way_table(results):
    yield ("way", "exit code before", "now", "told")
    for name, case in results["cases"].items():
        if name in WAYS:
            yield (name, str(WAYS[name].before), str(case["code"]), " ".join(case["told"])[:160] or "-")


def count_table(results):
    yield ("group", "number", "green before", "green now")
    for group in GROUPS:
        cases = {name: case for name, case in results["cases"].items() if group_of(name) == group}
        if cases:
            before = str(sum(WAYS[name].before == 0 for name in cases)) if group != "draws" else "-"
            yield (group, str(len(cases)), before, str(sum(case["code"] == 0 for case in cases.values())))


def goals(results):
    """No broken data, baseline or call may be green, and at most 2 % of draws from the same law may be red."""
    green = [case["code"] == 0 for name, case in results["cases"].items() if name in WAYS]
    red = [case["code"] != 0 for name, case in results["cases"].items() if group_of(name) == "draws"]
    if green:
        yield none_of("broken and green", green)
    if red:
        rate = float(np.mean(red))
        yield Goal("drawn anew and red", f"{rate:.3f} ({len(red)})", f"<= {MOST_RED}", rate <= MOST_RED)


def tables(results):
    return {"counts": list(count_table(results)), "ways": list(way_table(results))}


def main(arguments=None):
    run_command(
        arguments,
        __doc__,
        RESULTS,
        names=GROUPS,
        cells=lambda options: list(chosen(options)),
        measure=run,
        show=lambda results, _: print_tables(tables(results), goals(results)),
        around=(one_thread,),
    )


if __name__ == "__main__":
    main()
