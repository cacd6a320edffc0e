"""Whether results were measured on the code of this checkout.

Results depend on the packages of ``src/bayesfloor`` that their benchmark runs. If code there has changed since a case
was measured, the case is older than the code. ``docs/results/older.toml`` marks such files, each with the reason why
they were not measured again, and those whose benchmark is gone ("No longer measured: ..."); ``python -m
benchmarks._current`` lists what has changed since each file was measured.
"""

import ast
import subprocess
import tomllib
from functools import cache

from benchmarks._results import FOLDER, ROOT, commits_behind, git, read_results

_TREES = ("forest", "support")
_FLOOR = (*_TREES, "floor", "formulas")
_ANSWER = (*_FLOOR, "answer", "io")
_CHECK = (*_ANSWER, "decide", "summary")
PACKAGES = {  # that each benchmark runs
    "best_model": _CHECK,
    "calibration": _FLOOR,
    "check": _CHECK,
    "compare": (*_ANSWER, "decide"),
    "features": _CHECK,
    "forecast": _ANSWER,
    "forest": _TREES,
    "gates": (*_CHECK, "cli"),
    "hazards": _CHECK,
    "messy": _CHECK,
    "metrics": _CHECK,
    "next_step": _CHECK,
    "paper": (*_FLOOR, "hierarchy"),
    "rows": _CHECK,
}


def names():
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def reasons():
    """Return the files that are marked as older than the code, each with the reason."""
    return tomllib.loads((FOLDER / "older.toml").read_text("utf-8"))


def changes_since_measured(name):
    """Return the files whose code differs from the code that measured a case; the commit if it is not known."""
    if name not in PACKAGES:
        return ["its benchmark, which is gone"]
    results = read_results(FOLDER / f"{name}.json")
    return sorted(set().union(*(_changed(commit, PACKAGES[name]) for commit in commits_behind(results))))


@cache
def _changed(commit, packages):
    if commit is None:
        return {"a commit that was not recorded"}
    folders = [f"src/bayesfloor/{package}" for package in packages]
    try:
        changed = git("diff", "--name-only", commit, "--", *folders).split()
    except subprocess.CalledProcessError:  # such as one that was measured with changes, or is not on this branch
        return {f"commit {commit}"}
    return {path for path in changed if path.endswith(".py") and _differs(commit, path)}


@cache
def _differs(commit, path):
    try:
        before = git("show", f"{commit}:{path}")
    except subprocess.CalledProcessError:  # it was not there
        return True
    here = ROOT / path
    return not here.exists() or _code(before) != _code(here.read_text("utf-8"))


@cache
def _code(text):
    """Return a module's code without comments, docstrings and layout."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            del body[0]
    return ast.dump(tree)


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


if __name__ == "__main__":
    for name in names():
        changes = changes_since_measured(name)
        print(f"{name}: {len(changes)} changed since" if changes else f"{name}: measured on this code")
        print("".join(f"  {path}\n" for path in changes), end="")
