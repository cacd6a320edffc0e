"""No test outside test_speed.py reads a clock: a slow machine must not turn a run red.

A wait is a loop of so many looks with a sleep between them, a minute in all; a hang is excluded by a timeout of a
minute at least. Speed is asserted in test_speed.py, against a rival in the same run.
"""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
MAY_READ = {"test_speed.py", "test_no_clocks.py"}
GENEROUS = 60  # seconds

# As they stand in code, and in texts that other processes run.
CLOCKS = re.compile(
    r"\b(?:process_time|perf_counter|thread_time|monotonic)(?:_ns)?\b|\bclock_gettime\b|\bgetrusage\b|\btimeit\b"
    r"|\bcpu_times\b|\bos\.times\b|\btime\.time(?:_ns)?\b|\bfrom time import [^\n]*\btime\b"
)


def find_clocks(text):
    """Lines that read a clock or lose patience early: (number, what)."""
    tree = ast.parse(text)
    clocks = [
        (node.lineno, found)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name | ast.ImportFrom)
        or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        for found in CLOCKS.findall(node.value if isinstance(node, ast.Constant) else ast.unparse(node))
    ]
    return sorted({*clocks, *_find_hurry(tree)})


def _find_hurry(tree):
    """Timeouts of less than a minute, as numbers: of processes, threads, futures and tests."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        given = [word.value for word in node.keywords if word.arg == "timeout"]
        if ast.unparse(node.func) == "pytest.mark.timeout":
            given += node.args
        for value in given:
            if isinstance(value, ast.Constant) and isinstance(value.value, int | float) and value.value < GENEROUS:
                yield node.lineno, f"timeout {value.value}"


@pytest.mark.slow
def test_no_test_reads_a_clock():
    """Not even to be fair to slow machines, nor again until it fits."""
    paths = [path for path in TESTS.rglob("*.py") if path.name not in MAY_READ]
    found = {path.relative_to(TESTS).as_posix(): find_clocks(path.read_text("utf-8")) for path in paths}

    assert {name: lines for name, lines in found.items() if lines} == {}


SEEN = {
    "assert time.perf_counter() - start < 3": "perf_counter",
    "seconds = now() - start; from time import process_time as now": "process_time",
    "from time import sleep, time": "from time import sleep, time",
    "before = resource.getrusage(resource.RUSAGE_CHILDREN)": "getrusage",
    "run('from time import perf_counter_ns as t; print(t())')": "perf_counter_ns",
    "run(f'import time; print(time.time() - {start})')": "time.time",
    "process.communicate(timeout=30)": "timeout 30",
    "pytest.mark.timeout(9.5)(test)": "timeout 9.5",
}


@pytest.mark.parametrize("code", SEEN)
def test_a_clock_is_seen(code):
    """In an assertion, under another name, in the text of another process; and so is a short timeout."""
    assert (1, SEEN[code]) in find_clocks(code)
