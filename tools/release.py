"""Go through the release checklist: ``python tools/release.py 0.1.0``.

All steps run in a copy of the checkout, so that nothing changes; each step is printed with its result.
With ``--write`` the release is then written: version, changelog and ``dist/``. The script does not set the tag, but
prints the command for it; pushing the tag starts the workflow that publishes.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import distribution
from version import FORM, read_version, write_version


class NotReadyError(Exception):
    """A step that failed, and why."""


@dataclass(frozen=True)
class Release:
    """A version to release from a checkout, and a folder to test it in."""

    root: Path
    version: str
    work: Path
    ci_passed: bool = False
    branch: str = "main"

    @property
    def copy(self) -> Path:
        """The copy of the checkout in which all steps run."""
        return self.work / "copy"

    @property
    def wheel(self) -> Path:
        """The wheel that users would get."""
        return next((self.work / "dist").glob("*.whl"))


Step = Callable[[Release], str]


def check_version(release: Release) -> str:
    """Check that the version has three numbers and is not lower than the development version."""
    given, now = FORM.fullmatch(release.version), read_version(release.root)
    on_its_way = FORM.fullmatch(now)
    if not given or given[4]:
        raise NotReadyError(f"got {release.version}, but expected three numbers such as 0.1.0")
    if not on_its_way or _numbers(given) < _numbers(on_its_way):
        raise NotReadyError(f"{release.version} comes before {now}")
    return f"{release.version} follows {now}"


def _numbers(version: re.Match[str]) -> tuple[int, ...]:
    return tuple(int(version[k]) for k in (1, 2, 3))


def check_tree(release: Release) -> str:
    """Check that everything is committed."""
    if changed := _git(release.root, "status", "--porcelain"):
        raise NotReadyError(f"{len(changed.splitlines())} files are not committed, for example {changed.split()[1]}")
    return _git(release.root, "log", "-1", "--format=%h %s")


def check_branch(release: Release) -> str:
    """Check that this is the main branch."""
    branch = _git(release.root, "branch", "--show-current")
    if branch != release.branch:
        raise NotReadyError(f"got {branch or 'no branch'}, but releases are made from {release.branch}")
    return branch


def check_tag(release: Release) -> str:
    """Check that the version has not been released before."""
    if _git(release.root, "tag", "--list", f"v{release.version}"):
        raise NotReadyError(f"the tag v{release.version} already exists")
    return f"v{release.version} does not exist yet"


def check_fragments(release: Release) -> str:
    """Check that there are changelog fragments, and no entry for this version yet."""
    fragments = list((release.root / "changelog.d").glob("*.*.md"))
    if not fragments:
        raise NotReadyError("no fragments in changelog.d: describe what changes for users")
    if f"\n## {release.version} - " in (release.root / "CHANGELOG.md").read_text("utf-8"):
        raise NotReadyError(f"CHANGELOG.md already has an entry for {release.version}")
    return f"{len(fragments)} fragments"


def check_home(release: Release) -> str:
    """Check that the package page leads to a repository."""
    settings = (release.root / "pyproject.toml").read_text("utf-8")
    home = re.search(r'^Source = "(.+)"$', settings, re.MULTILINE)
    if not home or "/OWNER/" in settings:
        raise NotReadyError("pyproject.toml says OWNER instead of the repository's owner")
    return home[1]


def check_ci(release: Release) -> str:
    """Check that CI passes on this commit."""
    if release.ci_passed:
        return "skipped because of --ci-passed"
    _run(release.root, release.root / ".ci" / "run")
    return ".ci/run passed"


def write_files(release: Release) -> str:
    """Write the version and the changelog in the copy."""
    _git(release.work, "clone", "--quiet", str(release.root), str(release.copy))
    write_release(release.copy, release.version)
    return ", ".join(line.split()[-1] for line in _git(release.copy, "status", "--porcelain", "-uno").splitlines()[:4])


def write_release(root: Path, version: str) -> None:
    """Write the version and collect the fragments into the changelog."""
    day = datetime.now(UTC).date().isoformat()
    write_version(root, version, day)
    _run(root, sys.executable, "-m", "towncrier", "build", "--yes", "--version", version, "--date", day)


def build_files(release: Release) -> str:
    """Build the sdist and the wheel, and check them."""
    built = distribution.build(release.copy, release.work / "dist")
    if faults := distribution.find_faults(release.copy, *built):
        raise NotReadyError("\n".join(faults))
    return ", ".join(f"{path.name} {path.stat().st_size:,} bytes" for path in built[:2])


def try_readme(release: Release) -> str:
    """Run every block of the README with the wheel in an empty environment."""
    python = _make_environment(release.work / "user", f"{release.wheel}[cli,plot]")
    _run(release.work, python, release.copy / "tests" / "readme.py")
    return "every block ran, with the newest dependencies"


def build_docs(release: Release) -> str:
    """Build the site without warnings, and check its links."""
    constraints = ("--constraint", str(release.copy / "constraints.txt"))
    groups = ("--group", f"{release.copy / 'pyproject.toml'}:docs")
    python = _make_environment(release.work / "writer", f"{release.wheel}[cli,plot,dask]", *groups, *constraints)
    _run(release.copy, python, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", release.work / "site")
    _run(release.copy, python, "docs/check_links.py", release.work / "site")
    return "no warnings, no broken links"


CHECKS: dict[str, Step] = {
    "version": check_version,
    "tree": check_tree,
    "branch": check_branch,
    "tag": check_tag,
    "fragments": check_fragments,
    "home": check_home,
}
REHEARSAL: dict[str, Step] = {
    "files": write_files,
    "sdist and wheel": build_files,
    "README": try_readme,
    "docs": build_docs,
    "CI": check_ci,
}


def rehearse(release: Release) -> bool:
    """Run all quick checks, then the long steps up to the first that fails."""
    came = [_attempt(name, step, release) for name, step in CHECKS.items()]
    ready = all(came)
    for name, step in REHEARSAL.items():
        if ready:
            ready = _attempt(name, step, release)
        else:
            _tell("not tried", name)
    return ready


def _attempt(name: str, step: Step, release: Release) -> bool:
    start = time.monotonic()
    try:
        came = step(release)
    except (NotReadyError, RuntimeError, ValueError) as error:
        _tell("failed", name, str(error))
        return False
    seconds = time.monotonic() - start
    _tell("ok", name, came + (f" ({seconds:.0f} s)" if seconds >= 1 else ""))
    return True


def _tell(word: str, name: str, more: str = "") -> None:
    print(f"{word:10}{name:16}{more}".rstrip(), flush=True)


def keep(release: Release) -> None:
    """Write the release into the checkout: version, changelog and ``dist/``."""
    write_release(release.root, release.version)
    target = release.root / "dist"
    target.mkdir(exist_ok=True)
    for path in (release.work / "dist").glob("bayesfloor-*"):
        shutil.copy(path, target)
    _tell("written", "release", "version, CHANGELOG.md and dist/")


def next_commands(version: str, *, written: bool) -> str:
    """Return the commands that are left to a person."""
    commands = [
        "git diff HEAD  # read CHANGELOG.md as a user would",
        f'git commit --all --message "build: release {version}"',
        f'git tag --annotate v{version} --message "bayesfloor {version}"',
        "git push --follow-tags",
        "python tools/version.py NEXT.dev0  # such as 0.2.0.dev0, and commit it",
    ]
    return "next:\n" + "\n".join(commands if written else [f"python tools/release.py {version} --write", *commands])


def main(words: list[str] | None = None, root: Path = Path(__file__).parents[1]) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--dry-run", action="store_true", help="change nothing (default)")
    how.add_argument("--write", action="store_true", help="write the release if all steps are ok")
    parser.add_argument("--ci-passed", action="store_true", help="skip .ci/run: it has already passed on this commit")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as work:
        release = Release(root, given.version, Path(work), given.ci_passed)
        ready = rehearse(release)
        if ready and given.write:
            keep(release)
    print(next_commands(given.version, written=given.write) if ready else "not ready: nothing was changed")
    return 0 if ready else 1


def _make_environment(home: Path, *wanted: str) -> Path:
    """Make an empty environment, install a wheel in it, and return its Python."""
    python = home / "bin" / "python"
    _run(home.parent, sys.executable, "-m", "venv", home)
    _run(home.parent, python, "-m", "pip", "install", "-qq", "--upgrade", "pip")  # groups need a recent one
    _run(home.parent, python, "-m", "pip", "install", "-qq", *wanted)
    return python


def _git(root: Path, *words: str) -> str:
    return _run(root, "git", *words).rstrip()


def _run(root: Path, *words: str | Path) -> str:
    """Run a command and return its output; if it fails, raise with the end of the output as the reason."""
    done = subprocess.run(list(map(str, words)), capture_output=True, check=False, cwd=root, text=True)
    if done.returncode:
        told = (done.stdout + done.stderr).strip().splitlines()[-20:]
        raise NotReadyError("\n".join([f"{' '.join(map(str, words))} failed with exit code {done.returncode}", *told]))
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
