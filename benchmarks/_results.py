"""Results of a benchmark: table rows, goals, the JSON file that stores them, and the table as text."""

import json
import os
import platform
import re
import subprocess
from collections import Counter
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from benchmarks._timing import median_ratio

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "results"
_COLUMNS = ("case", "measured", "compared with", "clock", "ours", "theirs", "goal", "verdict", "figure")
_HAS_DIGIT = re.compile(r"\d")
# A figure, perhaps with its unit, spread or count, but not a text that happens to begin with one.
_NUMBER = re.compile(r"(?!.*\b(?!counted|exponent)[A-Za-z]{5})((<= |>= )?[-+(]?\.?\d|-?$|cap|not run)")
_PACKAGES = ("joblib", "numba", "numpy", "quitefastmst", "scikit-learn", "scipy", "threadpoolctl")


class Goal(NamedTuple):
    """A figure and its goal, as text; ``met`` is None if nothing was counted."""

    measured: str
    figure: str
    goal: str
    met: bool | None


def at_most(measured, value, most, form=".3f"):
    return Goal(measured, f"{value:{form}}", f"<= {most:g}", bool(value <= most))


def at_least(measured, value, least, form=".3f"):
    return Goal(measured, f"{value:{form}}", f">= {least:g}", bool(value >= least))


def none_of(measured, flags):
    return Goal(measured, f"{sum(flags)} of {len(flags)}", "<= 0", not any(flags))


def row(measured, figure, *, goal=None, **fields):
    """Return a line of the table as it is saved; the figure should not be larger than the goal.

    Further fields are the figure's unit, its smallest and largest value over rounds if it is their median, what it is
    compared ``against``, the clock, and two times of one run with their spread: ours and theirs.
    """
    found = {"measured": measured, "figure": figure, "goal": goal, **fields}
    found = {key: _round(value) for key, value in found.items() if value not in (None, "")}
    return found if goal is None else {**found, "met": bool(figure <= goal)}


def _round(value):
    return float(f"{value:.4g}") if isinstance(value, float) else value


def row_of_two(measured, ours, theirs, figure, clock="CPU", **fields):
    """Return the row of a figure that follows from two timings."""
    times = {"clock": clock, "ours": ours.best, "theirs": theirs.best}
    return row(measured, figure, **times, ours_spread=ours.spread, theirs_spread=theirs.spread, **fields)


def ratio_row(measured, ours, theirs, **fields):
    return row_of_two(measured, ours, theirs, ours.best / theirs.best, **fields)


def median_row(measured, ours, theirs, clock="CPU", **fields):
    """Return the row of the ratio of two lists of seconds by round: its median, smallest and largest."""
    middle, smallest, largest = median_ratio(ours, theirs)
    ends = {"smallest": smallest, "largest": largest, "clock": clock}
    return row(measured, middle, **ends, ours=median(ours), theirs=median(theirs), **fields)


def seconds_row(measured, seconds, clock="CPU", **fields):
    return row(measured, seconds, unit="s", clock=clock, ours=seconds, **fields)


def record(rows, checked):
    return {"rows": list(rows), "checked": list(checked)}


def machine():
    """Return everything except the code that the figures depend on."""
    from threadpoolctl import threadpool_info

    import bayesfloor

    blas = [info for info in threadpool_info() if info["user_api"] == "blas"]
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": sorted({f"{info['internal_api']} {info['version']} {info.get('architecture')}" for info in blas}),
        "versions": {"bayesfloor": bayesfloor.__version__, **{name: _version(name) for name in _PACKAGES}},
    }


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        raise SystemExit(
            f"{name} is not installed. Benchmarks need it; install it with: python -m pip install --group bench"
        ) from None


def _cpu_model():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def git(*words):
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout


def code_commit():
    """Return the commit of this checkout, with a plus if its code has changed since; None outside a checkout."""
    try:
        commit = git("rev-parse", "--short", "HEAD").strip()
        changes = git("status", "--porcelain", "--untracked-files=no", "--", "src", "benchmarks").strip()
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{commit}+" if changes else commit


def code_behind(results):
    """Describe the commits whose code measured the cases, and parts of cases again."""
    commits = results.get("commits", {})
    counts = Counter(commits.get(name) for name in results["cases"])
    told = {commit: f"commit {commit}" if commit else "a commit that was not recorded" for commit in counts}
    parts = [f"{told[commit]} ({count} of {counts.total()} cases)" for commit, count in counts.items()]
    again = Counter(pair for case in results["cases"].values() for pair in case.get("again", {}).items())
    return "; ".join(
        [
            ", ".join(told.values() if len(counts) == 1 else parts),
            *(
                f"{name} again by that of {f'commit {commit}' if commit else 'a commit that was not recorded'} "
                f"({count} case{'s' * (count > 1)})"
                for (name, commit), count in again.items()
            ),
        ]
    )


def commits_behind(results):
    """Return all commits whose code measured a case or a part of one; None for those that are not known."""
    commits = {results.get("commits", {}).get(name) for name in results["cases"]}
    return commits.union(*(case.get("again", {}).values() for case in results["cases"].values()))


_PER_CASE = ("measured", "commits", "cases")  # fields of a file other than those that describe how it was made


class ResultsFile:
    """Results by case, written one by one, so that an interrupted run can be resumed."""

    def __init__(self, path, header):
        """Save results at ``path``, or nowhere if it is None, under a header that says how they were made."""
        self.path, self.results = path, {**header, "measured": None, "commits": {}, "cases": {}}
        self.commit = code_commit()

    def resume(self, *, without=()):
        """Load the file if it was made in the same way, except the cases to measure again."""
        if self.path is None or not self.path.exists():
            return
        before = read_results(self.path)
        alike = all(before.get(key) == value for key, value in self.results.items() if key not in _PER_CASE)
        if not alike and not without:
            raise SystemExit(f"{self.path} comes from another machine, version or size; pass --fresh to measure again.")
        if alike:
            self.results |= {name: before[name] for name in ("measured", "last", "goals") if name in before}
            for part in ("commits", "cases"):
                kept = {name: value for name, value in before.get(part, {}).items() if name not in without}
                self.results[part] = kept
        self._write()

    def add(self, name, case):
        """Add a case with its commit and the date, and write the file."""
        self.results["commits"][name] = self.commit
        self.results["measured"] = datetime.now(UTC).date().isoformat()
        self.results["cases"][name] = case
        self._write()

    def finish(self, **parts):
        """Add what was computed from the cases, and write the file."""
        self.results.update(parts)
        self._write()

    def _write(self):
        """Write everything in one step, so that a reader never sees half a file.

        Each case has a line of its own: there are many numbers, and a diff should show where one changed.
        """
        if self.path is None:
            return
        head = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in self.results.items() if key != "cases"]
        cases = [
            f"{json.dumps(key)}: {json.dumps(case, separators=(',', ':'))}"
            for key, case in self.results["cases"].items()
        ]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(".tmp")
        unfinished.write_text("{\n" + ",\n".join([*head, '"cases": {\n' + ",\n".join(cases) + "\n}"]) + "\n}\n")
        unfinished.replace(self.path)


def read_results(path):
    if not path.exists():
        raise SystemExit(f"There are no results at {path} yet.")
    return json.loads(path.read_text())


def plain(value):
    """Round a value for the file: four digits are more than the noise leaves."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    return float(f"{float(value):.4g}") if isinstance(value, (float, np.floating)) else value


def format_results(results, names):
    """Return the table of these cases, what was checked, and the machine."""
    facts = results["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    parts = [
        *align(row_table(results, names)),
        "",
        *all_checked(results, names),
        "",
        f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}, Python {facts['python']}; seed {results['seed']}",
        f"{versions}; {', '.join(facts['blas'])}",
        "Times are the smallest of several alternating rounds; +x% is how much longer the slowest took.",
    ]
    return "\n".join(parts)


def row_table(results, names):
    """Return the cells of these cases' rows, headers first."""
    return [_COLUMNS, *(_cells(name, row) for name, case in _those(results, names) for row in case["rows"])]


def all_checked(results, names):
    return [f"{name}: {text}" for name, case in _those(results, names) for text in case["checked"]]


def as_notes(texts):
    return [("notes",), *((text,) for text in texts)]


def row_goals(results, names):
    for name, case in _those(results, names):
        for row in case["rows"]:
            if "goal" in row:
                against = f", against {row['against']}" if "against" in row else ""
                _, *_, goal, _, figure = _cells(name, row)
                yield Goal(f"{name}: {row['measured']}{against}", figure, f"<= {goal}", row["met"])


def _those(results, names):
    return [(name, results["cases"][name]) for name in names if name in results["cases"]]


def _cells(name, row):
    unit = f" {row['unit']}" if "unit" in row else ""
    ends = f" ({row['smallest']:.3g} to {row['largest']:.3g})" if "smallest" in row else ""
    return (
        name,
        row["measured"],
        row.get("against", "-"),
        row.get("clock", "-"),
        _time(row, "ours"),
        _time(row, "theirs"),
        f"{row['goal']:g}{unit}" if "goal" in row else "-",
        verdict(met=row.get("met")),
        f"{row['figure']:.3g}{unit}{ends}",
    )


def verdict(*, met):
    return {True: "met", False: "missed", None: "-"}[met]


def print_tables(tables, goals=()):
    """Print tables that have more than their headers, and goals."""
    for lines in tables.values():
        if len(lines) > 1:
            print("\n".join(["", *align(lines)]))
    print()
    for one in goals:
        print(f"{one.measured}: {one.figure}, goal {one.goal}: {verdict(met=one.met)}")


def _time(row, side):
    if side not in row:
        return "-"
    spread = f" +{row[f'{side}_spread']:.0%}" if f"{side}_spread" in row else ""
    return f"{row[side]:.3g} s{spread}"


def align(lines):
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = [">" if is_right else "<" for is_right in columns_of_numbers(lines)]
    return ["  ".join(f"{c:{s}{w}}" for c, s, w in zip(line, sides, widths, strict=True)).rstrip() for line in lines]


def columns_of_numbers(lines):
    """Return for each column whether all its cells are figures or empty; the first line has the headers."""
    head, *rows = lines
    columns = zip(*rows, strict=True) if rows else [()] * len(head)
    return [all(map(_NUMBER.match, column)) and any(map(_HAS_DIGIT.search, column)) for column in columns]
