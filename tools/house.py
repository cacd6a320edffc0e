"""Print how large the house is: lines, files, functions and comments of each package, beside an earlier commit.

    python tools/house.py [--since COMMIT]

Lines are all lines of a file. A function is as long as its body without the docstring; kernels are left out, because
they are long by design. `__init__` and `__main__` are no files that a reader looks for.
"""

import argparse
import ast
import io
import statistics
import subprocess
import tarfile
import tokenize
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
FACES = ("__init__.py", "__main__.py")
FOLDERS = ("tests", "benchmarks", "docs", "tools")


@dataclass
class Package:
    """What was counted in the files of a package."""

    lines: int = 0
    files: list[int] = field(default_factory=list)
    bodies: list[int] = field(default_factory=list)
    comments: int = 0


def body_length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function's statements."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether Numba compiles a function."""
    return any(ast.unparse(decorator) in ("kernel", "step") for decorator in function.decorator_list)


def count_comments(text: str) -> int:
    """Return the number of lines that have a comment, but for those to tools."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    told = ("# noqa", "# type:", "# pragma")
    return sum(token.type == tokenize.COMMENT and not token.string.startswith(told) for token in tokens)


def measure(sources: dict[str, str]) -> dict[str, Package]:
    """Count in all modules of the package; `sources` are their texts by path."""
    found: dict[str, Package] = {}
    for path, text in sources.items():
        parts = Path(path).parts[2:]
        package = found.setdefault(parts[0] if len(parts) > 1 else "(root)", Package())
        n_lines = len(text.splitlines())
        package.lines += n_lines
        if parts[-1] not in FACES:
            package.files.append(n_lines)
        package.comments += count_comments(text)
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, functions)]
        package.bodies += [body_length(node) for node in nodes if not is_kernel(node)]
    return found


def read_tree() -> dict[str, str]:
    """Return all Python files of the checkout."""
    folders = ("src", *FOLDERS)
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


def read_commit(commit: str) -> dict[str, str]:
    """Return all Python files of a commit."""
    packed = subprocess.run(["git", "-C", str(ROOT), "archive", commit], check=True, capture_output=True).stdout  # noqa: S607
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        files = {member.name: archive.extractfile(member) for member in archive if member.name.endswith(".py")}
        return {name: file.read().decode() for name, file in files.items() if file is not None}


def percentile(values: list[int], share: float) -> int:
    """Return the value below which a share of all values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0


def show(title: str, packages: dict[str, Package]) -> None:
    """Print a table of packages, and the sums."""
    print(f"{title:<12}{'lines':>7}{'files':>7}{'median':>8}{'longest':>9}{'bodies':>8}{'p90':>5}{'comments':>10}")
    everything = Package(
        sum(package.lines for package in packages.values()),
        [size for package in packages.values() for size in package.files],
        [size for package in packages.values() for size in package.bodies],
        sum(package.comments for package in packages.values()),
    )
    for name, package in [*sorted(packages.items()), ("all", everything)]:
        files, bodies = package.files or [0], package.bodies or [0]
        print(
            f"{name:<12}{package.lines:>7,}{len(package.files):>7}{statistics.median(files):>8.0f}{max(files):>9}"
            f"{statistics.median(bodies):>8.0f}{percentile(bodies, 0.9):>5}{package.comments:>10}"
        )


def main() -> None:
    """Measure the checkout and, if asked to, an earlier commit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", metavar="COMMIT", help="also measure this commit")
    since = parser.parse_args().since
    trees = {since: read_commit(since)} if since else {}
    for title, tree in {**trees, "now": read_tree()}.items():
        show(title, measure({path: text for path, text in tree.items() if path.startswith("src/bayesfloor/")}))
        for folder in FOLDERS:
            n_lines = [len(text.splitlines()) for path, text in tree.items() if path.startswith(f"{folder}/")]
            print(f"{folder:<12}{sum(n_lines):>7,}{len(n_lines):>7}")


if __name__ == "__main__":
    main()
