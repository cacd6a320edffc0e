"""Results of a benchmark: table rows, goals, the JSON file that stores them, and the table as text."""

import json
import os
import platform
import re
import subprocess
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks._timing import median_ratio

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


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table: two times from one run, and the figure that the goal is about."""

    measured: str
    figure: float
    unit: str = ""  # of the figure; none for a ratio
    smallest: float | None = None  # over rounds, as is the largest; the figure is then the median
    largest: float | None = None
    goal: float | None = None  # the figure should not be larger
    against: str = ""
    clock: str = ""
    ours: float | None = None
    theirs: float | None = None
    ours_spread: float | None = None
    theirs_spread: float | None = None


def row_of_two(measured, ours, theirs, figure, clock="CPU", **fields):
    """Make the row of a figure that follows from two timings."""
    return Row(
        measured=measured,
        figure=figure,
        clock=clock,
        ours=ours.best,
        theirs=theirs.best,
        ours_spread=ours.spread,
        theirs_spread=theirs.spread,
        **fields,
    )


def ratio_row(measured, ours, theirs, **fields):
    """Make the row of the ratio of two timings."""
    return row_of_two(measured, ours, theirs, ours.best / theirs.best, **fields)


def excess_row(measured, ours, theirs, **fields):
    """Make the row of the difference of two timings."""
    return row_of_two(measured, ours, theirs, ours.best - theirs.best, unit="s", **fields)


def median_row(measured, ours, theirs, clock="CPU", **fields):
    """Make the row of the ratio of two lists of seconds by round: its median, smallest and largest."""
    middle, smallest, largest = median_ratio(ours, theirs)
    return Row(
        measured=measured,
        figure=middle,
        smallest=smallest,
        largest=largest,
        clock=clock,
        ours=median(ours),
        theirs=median(theirs),
        **fields,
    )


def seconds_row(measured, seconds, clock="CPU", **fields):
    """Make the row of a single time of ours."""
    return Row(measured=measured, figure=seconds, unit="s", clock=clock, ours=seconds, **fields)


def record(rows, checked):
    """The result of a case: plain values for the file."""
    return {"rows": [_plain(row) for row in rows], "checked": list(checked)}


def _plain(row):
    fields = {key: _round(value) for key, value in asdict(row).items() if value not in (None, "")}
    if row.goal is not None:
        fields["met"] = bool(row.figure <= row.goal)
    return fields


def _round(value):
    return float(f"{value:.4g}") if isinstance(value, float) else value


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


def code_commit():
    """Return the commit of this checkout, with a plus if its code has changed since; None outside a checkout."""
    git = ["git", "-C", str(Path(__file__).parents[1])]
    status = ["status", "--porcelain", "--untracked-files=no", "--", "src", "benchmarks"]
    try:
        commit, changes = (
            subprocess.run([*git, *words], check=True, capture_output=True, text=True).stdout.strip()
            for words in (["rev-parse", "--short", "HEAD"], status)
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{commit}+" if changes else commit


def code_behind(results):
    """Describe the commits whose code measured the cases."""
    commits = results.get("commits", {})
    counts = Counter(commits.get(name) for name in results["cases"])
    told = {commit: f"commit {commit}" if commit else "a commit that was not recorded" for commit in counts}
    if len(counts) == 1:
        parts = list(told.values())
    else:
        parts = [f"{told[commit]} ({count} of {counts.total()} cases)" for commit, count in counts.items()]
    return "; ".join([", ".join(parts), *_measured_again(results)])


def _measured_again(results):
    """Describe what was measured again inside of cases, and by which commits."""
    pairs = Counter(pair for case in results["cases"].values() for pair in case.get("again", {}).items())
    for (name, commit), count in pairs.items():
        told = f"that of commit {commit}" if commit else "that of a commit that was not recorded"
        yield f"{name} again by {told} ({count} case{'s' * (count > 1)})"


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
            self.results["measured"] = before.get("measured")
            for part in ("commits", "cases"):
                kept = {name: value for name, value in before.get(part, {}).items() if name not in without}
                self.results[part] = kept
        self._write()

    def add(self, name, case, *, derived=False):
        """Add a case with its commit, and the date if it was measured and not derived; write the file."""
        if not derived:
            self.results["measured"] = datetime.now(UTC).date().isoformat()
        self.results["commits"][name] = self.commit
        self.results["cases"][name] = case
        if self.path is not None:
            self._write()

    def add_again(self, name, case, parts):
        """Add a case of which only these parts were measured; they get the commit, and the others keep theirs."""
        self.results["measured"] = datetime.now(UTC).date().isoformat()
        again = case.get("again", {}) | dict.fromkeys(parts, self.commit)
        self.results["cases"][name] = case | {"again": again}
        if self.path is not None:
            self._write()

    def _write(self):
        """Write everything in one step, so that a reader never sees half a file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(".tmp")
        unfinished.write_text(json.dumps(self.results, indent=1) + "\n")
        unfinished.replace(self.path)


def read_results(path):
    """Read results as they were written."""
    if not path.exists():
        raise SystemExit(f"There are no results at {path} yet.")
    return json.loads(path.read_text())


def format_results(results, names):
    """Return the table of these cases, what was checked, and the machine."""
    return "\n".join([*align(row_table(results, names)), "", *all_checked(results, names), "", *_describe(results)])


def row_table(results, names):
    """Return the cells of these cases' rows, headers first."""
    return [_COLUMNS, *(_cells(name, row) for name, case in _those(results, names) for row in case["rows"])]


def all_checked(results, names):
    """Return what was checked in these cases."""
    return [f"{name}: {text}" for name, case in _those(results, names) for text in case["checked"]]


def as_notes(texts):
    """Return a table without goals."""
    return [("notes",), *((text,) for text in texts)]


def row_goals(results, names):
    """Return the goals of these cases' rows."""
    for name, case in _those(results, names):
        for row in case["rows"]:
            if "goal" in row:
                against = f", against {row['against']}" if "against" in row else ""
                _, *_, goal, _, figure = _cells(name, row)
                yield Goal(f"{name}: {row['measured']}{against}", figure, f"<= {goal}", row["met"])


def _those(results, names):
    return [(name, results["cases"][name]) for name in names if name in results["cases"]]


def _describe(results):
    facts = results["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return [
        f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}, Python {facts['python']}; seed {results['seed']}",
        f"{versions}; {', '.join(facts['blas'])}",
        "Times are the smallest of several alternating rounds; +x% is how much longer the slowest took.",
    ]


def _cells(name, row):
    unit = f" {row['unit']}" if "unit" in row else ""
    return (
        name,
        row["measured"],
        row.get("against", "-"),
        row.get("clock", "-"),
        _time(row, "ours"),
        _time(row, "theirs"),
        f"{row['goal']:g}{unit}" if "goal" in row else "-",
        verdict(met=row.get("met")),
        f"{row['figure']:.3g}{unit}{_range(row)}",
    )


def _range(row):
    return f" ({row['smallest']:.3g} to {row['largest']:.3g})" if "smallest" in row else ""


def verdict(*, met):
    """Return a word for whether a goal was met."""
    return {True: "met", False: "missed", None: "-"}[met]


def _time(row, side):
    if side not in row:
        return "-"
    spread = f" +{row[f'{side}_spread']:.0%}" if f"{side}_spread" in row else ""
    return f"{row[side]:.3g} s{spread}"


def align(lines):
    """Return lines of cells as text."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = [">" if is_right else "<" for is_right in columns_of_numbers(lines)]
    return ["  ".join(f"{c:{s}{w}}" for c, s, w in zip(line, sides, widths, strict=True)).rstrip() for line in lines]


def columns_of_numbers(lines):
    """Return for each column whether all its cells are figures or empty; the first line has the headers."""
    head, *rows = lines
    columns = zip(*rows, strict=True) if rows else [()] * len(head)
    return [all(map(_NUMBER.match, column)) and any(map(_HAS_DIGIT.search, column)) for column in columns]
