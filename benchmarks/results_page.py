"""The results pages: ``python -m benchmarks.results_page`` makes them from the JSON files, as does a build of the site.

A benchmark has a module of its name with ``tables(results)`` (lines of cells by name, headers first) and
``goals(results)``, and a text in ``benchmarks/pages``, in which ``{{table NAME}}``, ``{{folded NAME | TITLE}}``,
``{{goals}}`` and ``{{about}}`` are replaced by generated content. Results
without a benchmark, which are no longer measured, have a text with their tables.
"""

import json
import re
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from benchmarks._current import PACKAGES, reasons
from benchmarks._results import FOLDER as RESULTS
from benchmarks._results import Goal, code_behind, columns_of_numbers, verdict

TEXTS = Path(__file__).parent / "pages"
_ORDER = (
    "forecast metrics realistic answers messy next_step best_model compare hazards features gates rows known_floor "
    "feebee calibration labels selection paper paper_gap"
)
ORDER = _ORDER.split()
_NOT_YET = "*Not measured yet.*"
_FEW = 12  # goals that a page shows without folding
_PLACE = re.compile(r"^\{\{(\w+) ?([^|}]*?)(?: \| ([^}]*))?\}\}$", re.MULTILINE)
_LONG_NUMBER = re.compile(r"(?<![\d.,e])\d{5,}(?![\d.])")
_TIGHT = "\N{NO-BREAK SPACE}"
_UNIT = re.compile(r"(?<=\d) (?=(s|GB|MB|exponent)\b)")
_SIZE = re.compile(r"(?<=\d) x (?=\d)")


class Benchmark(NamedTuple):
    """Results with the module that makes their tables."""

    name: str
    results: dict
    tables: dict
    goals: list

    def has(self, name):
        return len(self.tables.get(name, ())) > 1

    @property
    def missed(self):
        return [goal for goal in self.goals if goal.met is False]


def read_benchmarks(folder=RESULTS):
    names = [path.stem for path in folder.glob("*.json")]
    return [read_benchmark(folder, name) for name in sorted(names, key=_place)]


def read_benchmark(folder, name):
    results = json.loads((folder / f"{name}.json").read_text())
    kept = [Goal(*one) for one in results.get("goals", ())]  # of parts that are no longer measured
    if name not in PACKAGES:
        return Benchmark(name, results, {}, kept)
    module = import_module(f"benchmarks.{name}")
    judge = getattr(module, "goals", lambda _: [])
    return Benchmark(name, results, module.tables(results), [*judge(results), *kept])


def _place(name):
    return ORDER.index(name) if name in ORDER else len(ORDER), name


# Pieces of a page


def markdown_table(lines):
    """Return lines of cells as a Markdown table."""
    head, *rows = ([_cell(cell) for cell in line] for line in lines)
    rule = ["---:" if is_right else "---" for is_right in columns_of_numbers(lines)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def _cell(text):
    text = _SIZE.sub(f"{_TIGHT}\N{MULTIPLICATION SIGN}{_TIGHT}", text)
    text = _UNIT.sub(_TIGHT, text).replace("<= ", f"≤{_TIGHT}").replace(">= ", f"≥{_TIGHT}")
    text = re.sub(r"([\\|*_$<>`\[\]{}])", r"\\\1", text)
    return "**missed**" if text == "missed" else _LONG_NUMBER.sub(lambda found: f"{int(found[0]):,}", text)


def tell_goals(benchmark):
    """Return goals as a table, missed ones first; if many were met, these are folded."""
    missed, others = benchmark.missed, [goal for goal in benchmark.goals if goal.met is not False]
    if len(others) <= _FEW:
        return markdown_table(goal_lines([*missed, *others]))
    told = markdown_table(goal_lines(missed)) if missed else "No goal was missed."
    return f"{told}\n\n{folded(goal_lines(others), f'{len(others)} goals met')}"


def goal_lines(goals):
    lines = [(goal.measured, goal.figure, goal.goal, verdict(met=goal.met)) for goal in goals]
    return [("what", "measured", "goal", "verdict"), *lines]


def about(benchmark):
    """Describe how the results were made: command, date, machine, versions."""
    results = benchmark.results
    facts = results["machine"]
    versions = facts["versions"] | results.get("versions", {})
    versions |= {name: results[name] for name in ("cleanlab", "pandas") if name in results}
    command = f"`python -m benchmarks.{benchmark.name}`"
    again, code = "with `--show` it prints the saved results", results.get("code")
    if benchmark.name not in PACKAGES:
        again = f"it is no longer here, but in commit {results['last']}"
    lines = {
        "Command": f"{command}; {again}",
        "Measured": f"{results['measured']} (last part), with the code of {code or code_behind(results)}",
        "Machine": f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}, shared with other work",
        "Versions": f"Python {facts['python']}, " + ", ".join(f"{name} {number}" for name, number in versions.items()),
        "Linear algebra": ", ".join(facts["blas"]),
        "Seed": str(results["seed"]),
        "Numbers": f"`docs/results/{benchmark.name}.json`",
    }
    if benchmark.name in reasons():
        lines["Older than the code"] = reasons()[benchmark.name]
    return "\n".join(f"- {key}: {text}" for key, text in lines.items())


def folded(lines, title):
    """Return texts, or a table, folded under a title."""
    is_text = len(lines[0]) == 1
    inside = "\n".join(f"- {_cell(text)}" for (text,) in lines[1:]) if is_text else markdown_table(lines)
    return f":::{{dropdown}} {title}\n{inside}\n:::"


def fill(benchmark, text):
    def put(found):
        kind, name, words = found.groups()
        if kind == "table":
            return markdown_table(benchmark.tables[name]) if benchmark.has(name) else _NOT_YET
        if kind == "folded":
            return folded(benchmark.tables[name], words) if benchmark.has(name) else ""
        return {"goals": lambda: tell_goals(benchmark), "about": lambda: about(benchmark)}[kind]()

    return _PLACE.sub(put, text)


# All pages


def write_pages(folder=RESULTS, results=RESULTS):
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    found = read_benchmarks(results)
    texts = {one.name: (TEXTS / f"{one.name}.md").read_text() for one in found}
    for one in found:
        (folder / "pages" / f"{one.name}.md").write_text(fill(one, texts[one.name]))
    titles = {name: text.partition("\n")[0].removeprefix("# ") for name, text in texts.items()}
    (folder / "index.md").write_text(index(found, titles))


def index(found, titles):
    """Return the index: all benchmarks and all goals, missed ones first."""
    parts = {
        "{{pages}}": markdown_links(found, titles),
        "{{missed}}": judged_table(found, titles, missed=True),
        "{{met}}": judged_table(found, titles, missed=False),
        "{{contents}}": "\n".join(f"pages/{one.name}" for one in found),
    }
    text = (TEXTS / "index.md").read_text()
    for key, part in parts.items():
        text = text.replace(key, part)
    return text


def markdown_links(found, titles):
    lines = ["| benchmark | goals met | goals missed | measured on |", "| --- | ---: | ---: | --- |"]
    for one in found:
        met, missed = sum(goal.met is True for goal in one.goals), len(one.missed)
        lines.append(f"| [{titles[one.name]}](pages/{one.name}.md) | {met} | {missed} | {one.results['measured']} |")
    return "\n".join(lines)


def judged_table(found, titles, *, missed):
    """Return the goals of all benchmarks, either the missed ones or all others."""
    lines = ["| benchmark | what | measured | goal |", "| --- | --- | ---: | ---: |"]
    for one in found:
        page = f"[{titles[one.name]}](pages/{one.name}.md)"
        cells = [map(_cell, goal[:3]) for goal in one.goals if (goal.met is False) == missed]
        lines += [f"| {page} | {' | '.join(line)} |" for line in cells]
    return "\n".join(lines)


if __name__ == "__main__":
    write_pages()
