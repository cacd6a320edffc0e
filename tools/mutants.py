"""Put random small bugs into the package, with a fixed seed, and check that the tests notice them.

``python tools/mutants.py RESULTS.json --tests .coverage [--seed 0] [--count 60] [-- PYTEST OPTIONS]``

A bug ("fault") changes one comparison, arithmetic operator, boolean operator, number, condition or result in
one place. Each is put into a copy of the checkout, where tests then run until the first failure. The data of
``pytest --cov --cov-context=test`` determine which tests run: first those that cover the line, then all tests in
their files and in the folder of the same name, since coverage counts a shared fixture only for its first user.
The tests of all four packages must first pass without a fault. Results are saved after each fault; rerun the
command to resume.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from coverage import CoverageData

ROOT = Path(__file__).parents[1]
PACKAGES = ("forest", "floor", "summary", "cli")
COMPARE = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not"}
KERNEL = re.compile(r"^@(kernel|step)$", re.MULTILINE)
ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "/", ast.Mod: "*"}


class Fault(NamedTuple):
    """One place in one file, and its replacement."""

    file: str
    line: int
    start: int
    end_line: int
    end: int
    text: str

    @property
    def name(self) -> str:
        """A unique name, the same on every machine."""
        return f"{self.file}:{self.line}:{self.start} {self.text}"


def _replaced(node: ast.AST) -> str | None:
    """Return the replacement of an expression, or None if it is left alone."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARE:
            return f"{ast.unparse(left)} {COMPARE[type(op)]} {ast.unparse(right)}"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC and not _is_text(left, right):
            return f"({ast.unparse(left)}) {ARITHMETIC[type(op)]} ({ast.unparse(right)})"
        case ast.BoolOp(op=ast.And(), values=values):
            return " or ".join(f"({ast.unparse(value)})" for value in values)
        case ast.BoolOp(op=ast.Or(), values=values):
            return " and ".join(f"({ast.unparse(value)})" for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ast.unparse(operand)
        case ast.Constant(value=bool(value)):
            return str(not value)
        case ast.Constant(value=int(value)) | ast.Constant(value=float(value)):
            return repr(value + 1)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return f"{ast.unparse(body)} if not ({ast.unparse(test)}) else {ast.unparse(orelse)}"
    return None


def _is_text(*nodes: ast.expr) -> bool:
    return any(isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str) for node in nodes)


def _inside(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions in function bodies: no annotations, decorators or defaults."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                yield from (part for part in ast.walk(statement) if isinstance(part, ast.expr))


def draw_faults(count: int, seed: int) -> list[Fault]:
    """Choose ``count`` random faults, the same number from each package."""
    rng, out = random.Random(seed), []  # noqa: S311
    for number, package in enumerate(PACKAGES):
        found = []
        for path in sorted((ROOT / "src" / "bayesfloor" / package).rglob("*.py")):
            file = path.relative_to(ROOT).as_posix()
            unique = {(n.lineno, n.col_offset): n for n in _inside(ast.parse(path.read_text("utf-8"))) if _replaced(n)}
            found += [
                Fault(file, n.lineno, n.col_offset, n.end_lineno or 0, n.end_col_offset or 0, _replaced(n) or "")
                for n in unique.values()
            ]
        out += rng.sample(found, count // len(PACKAGES) + (number < count % len(PACKAGES)))
    return out


def put_in(fault: Fault, root: Path) -> None:
    """Write the fault into a copy of the checkout; columns are UTF-8 bytes, as in ast."""
    path = root / fault.file
    lines = path.read_bytes().splitlines(keepends=True)
    head, tail = lines[fault.line - 1][: fault.start], lines[fault.end_line - 1][fault.end :]
    lines[fault.line - 1 : fault.end_line] = [head + f"({fault.text})".encode() + tail]
    path.write_bytes(b"".join(lines))
    ast.parse(path.read_text("utf-8"))


def tests_of(fault: Fault, covered: CoverageData) -> list[list[str]]:
    """Return three lists: tests in the package's folder that cover the line, others that do, all of folder and files.

    Coverage cannot see compiled kernels: for these only the folder is used.
    """
    path = next((path for path in covered.measured_files() if Path(path).as_posix().endswith(fault.file)), fault.file)
    lines = covered.contexts_by_lineno(path)
    names = {name for line in range(fault.line, fault.end_line + 1) for name in lines.get(line, []) if name}
    tests = sorted({name.partition("|")[0].partition("[")[0] for name in names})
    folder = f"tests/{Path(fault.file).parts[2]}"
    files = {name.partition("::")[0] for name in tests}
    own = [name for name in tests if name.startswith(folder)]
    others = [name for name in tests if not name.startswith(folder)]
    return [own, others, [folder, *sorted(file for file in files if not file.startswith(folder))]]


def is_caught(fault: Fault | None, tests: list[str], options: list[str], slot: Path) -> bool:
    """Whether a test fails in a copy of the checkout that contains the fault.

    Copies in one slot have the same path and so share compiled kernels, unless the fault is in a file with kernels.
    """
    if not tests:
        return False
    root, cache = slot / "copy", slot / "numba"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".git", "_build", "*.egg-info"))
    if fault is not None:
        put_in(fault, root)
        if KERNEL.search((root / fault.file).read_text("utf-8")):
            cache = Path(tempfile.mkdtemp(dir=slot))
    variables = {**os.environ, "PYTHONPATH": str(root / "src"), "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", "-n", "0"]
    ended = subprocess.run(
        [*command, *options, *tests], cwd=root, env=variables, check=False, capture_output=True, text=True
    )
    if ended.returncode == 4:  # for example, a test that does not exist
        raise RuntimeError(ended.stdout[-2000:] + ended.stderr[-2000:])
    return ended.returncode not in (0, 5)  # 1: a test failed; 2, 3: the run crashed; below 0: it was killed


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--tests", required=True, help="coverage data with a context per test")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2, help="number of faults tested in parallel")
    parser.add_argument("--only", type=Path, help="earlier results: test only their survivors")
    words = [*sys.argv[1:], "--"]
    asked, options = parser.parse_args(words[: words.index("--")]), words[words.index("--") + 1 : -1]
    covered = CoverageData(asked.tests)
    covered.read()
    results = json.loads(asked.results.read_text("utf-8")) if asked.results.exists() else {}
    left = None if asked.only is None else json.loads(asked.only.read_text("utf-8"))

    chosen = {fault: tests_of(fault, covered) for fault in draw_faults(asked.count, asked.seed)}

    def fails(fault: Fault | None, lists: list[list[str]]) -> bool:
        slot = slots.get()
        try:
            return any(is_caught(fault, tests, options, slot) for tests in lists)
        finally:
            slots.put(slot)

    def judge(fault: Fault) -> None:
        if fault.name in results or (left is not None and left[fault.name]):
            return
        results[fault.name] = fails(fault, chosen[fault])
        print("caught  " if results[fault.name] else "SURVIVED", fault.name, flush=True)
        asked.results.write_text(json.dumps(results, indent=1), encoding="utf-8")

    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(asked.jobs) as pool:
        slots: queue.Queue[Path] = queue.Queue()
        for number in range(asked.jobs):
            slots.put(Path(work) / str(number))
            (Path(work) / str(number)).mkdir()
        if not results and any(pool.map(lambda package: fails(None, [[f"tests/{package}"]]), PACKAGES)):
            parser.error("the tests already fail without a fault")
        list(pool.map(judge, chosen))
    print(f"{sum(results.values())} of {len(results)} caught")


if __name__ == "__main__":
    main()
