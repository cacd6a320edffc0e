"""Results of a benchmark: rows of a table, the JSON file that keeps them, the table as text."""

import json
import os
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

_COLUMNS = ("case", "measured", "against", "clock", "ours", "theirs", "goal", "verdict", "ratio")
_RIGHT = {"ours", "theirs", "goal", "ratio"}
_PACKAGES = ("joblib", "numba", "numpy", "quitefastmst", "scikit-learn", "scipy", "threadpoolctl")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table: two times in one run, and the figure that the goal is about."""

    measured: str
    figure: float
    unit: str = ""  # of the figure; none for a ratio
    goal: float | None = None  # the figure should not be larger
    against: str = ""
    clock: str = ""
    ours: float | None = None
    theirs: float | None = None
    ours_spread: float | None = None
    theirs_spread: float | None = None


def row_of_two(measured, ours, theirs, figure, clock="CPU", **fields):
    """Row of a figure that two timings give."""
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
    """Row of the ratio of two timings."""
    return row_of_two(measured, ours, theirs, ours.best / theirs.best, **fields)


def excess_row(measured, ours, theirs, **fields):
    """Row of the difference of two timings."""
    return row_of_two(measured, ours, theirs, ours.best - theirs.best, unit="s", **fields)


def seconds_row(measured, seconds, clock="CPU", **fields):
    """Row of a time of ours alone."""
    return Row(measured=measured, figure=seconds, unit="s", clock=clock, ours=seconds, **fields)


def record(rows, checked):
    """What a case leaves behind: plain values for the file."""
    return {"rows": [_plain(row) for row in rows], "checked": list(checked)}


def _plain(row):
    fields = {key: _round(value) for key, value in asdict(row).items() if value not in (None, "")}
    if row.goal is not None:
        fields["met"] = bool(row.figure <= row.goal)
    return fields


def _round(value):
    return float(f"{value:.4g}") if isinstance(value, float) else value


def machine():
    """What the figures depend on besides the code."""
    from threadpoolctl import threadpool_info

    import bayesfloor

    blas = [info for info in threadpool_info() if info["user_api"] == "blas"]
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": sorted({f"{info['internal_api']} {info['version']} {info.get('architecture')}" for info in blas}),
        "versions": {"bayesfloor": bayesfloor.__version__, **{name: version(name) for name in _PACKAGES}},
    }


def _cpu_model():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


class ResultsFile:
    """Results by case, written as each comes, so that a killed run goes on where it was."""

    def __init__(self, path, header):
        """Keep results at ``path``, or nowhere if it is None, under a header that says what made them."""
        self.path, self.results = path, {**header, "cases": {}}

    def resume(self, *, without=()):
        """Take over what the file has, if it was made alike, except the cases to be measured anew."""
        if self.path is None or not self.path.exists():
            return
        before = read_results(self.path)
        alike = all(before.get(key) == value for key, value in self.results.items() if key != "cases")
        if not alike and not without:
            raise SystemExit(f"{self.path} is of another machine, version or size; --fresh measures anew.")
        if alike:
            self.results["cases"] = {name: case for name, case in before["cases"].items() if name not in without}
        self._write()

    def add(self, name, case):
        """Put a case in, and write the file."""
        self.results["cases"][name] = case
        if self.path is not None:
            self._write()

    def _write(self):
        """Write all in one step: a reader never sees half a file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(".tmp")
        unfinished.write_text(json.dumps(self.results, indent=1) + "\n")
        unfinished.replace(self.path)


def read_results(path):
    """Results as they were written."""
    if not path.exists():
        raise SystemExit(f"There are no results at {path} yet.")
    return json.loads(path.read_text())


def format_results(results, names):
    """The table of these cases, what was checked, and on what machine."""
    cases = {name: results["cases"][name] for name in names if name in results["cases"]}
    lines = [_cells(name, row) for name, case in cases.items() for row in case["rows"]]
    checked = [f"{name}: {text}" for name, case in cases.items() for text in case["checked"]]
    return "\n".join([*_align([_COLUMNS, *lines]), "", *checked, "", *_describe(results)])


def _describe(results):
    facts = results["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return [
        f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}, Python {facts['python']}; seed {results['seed']}",
        f"{versions}; {', '.join(facts['blas'])}",
        "Times are the smallest of some rounds that took turns; +x% is how much longer the slowest took.",
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
        {True: "met", False: "missed"}.get(row.get("met"), "-"),
        f"{row['figure']:.3g}{unit}",
    )


def _time(row, side):
    if side not in row:
        return "-"
    spread = f" +{row[f'{side}_spread']:.0%}" if f"{side}_spread" in row else ""
    return f"{row[side]:.3g} s{spread}"


def _align(lines):
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = [">" if name in _RIGHT else "<" for name in _COLUMNS]
    return ["  ".join(f"{c:{s}{w}}" for c, s, w in zip(line, sides, widths, strict=True)).rstrip() for line in lines]
