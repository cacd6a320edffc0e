"""The checklist of a release, tried on a clone of this repository."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("towncrier", reason="needs the group release")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tools"))

import lowest  # noqa: E402 - their folder is no package
import release  # noqa: E402
import version  # noqa: E402


def git(root, *words):
    who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
    done = subprocess.run(["git", *who, *words], capture_output=True, check=True, cwd=root, text=True)  # noqa: S607
    return done.stdout


@pytest.fixture
def clone(tmp_path):
    """A clone of this repository on its main branch, with a version on its way and something to tell."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs the repository")
    git(tmp_path, "clone", "--quiet", str(ROOT), "clone")
    root = tmp_path / "clone"
    git(root, "checkout", "--quiet", "-B", "main")
    version.write_version(root, "7.1.0.dev0")
    settings = root / "pyproject.toml"
    settings.write_text(settings.read_text("utf-8").replace("OWNER", "somebody"), "utf-8")
    (root / "changelog.d" / "trees.fixed.md").write_text("Trees grow.\n", "utf-8")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "test: a version on its way")
    return root


@pytest.fixture
def quick(monkeypatch):
    """Without the steps that take minutes."""
    for name in ("README", "docs"):
        monkeypatch.setitem(release.REHEARSAL, name, lambda _: "left out")


def told(text):
    """Words of the steps: of each name what came of it."""
    lines = [line for line in text.splitlines() if line.startswith(("ok ", "failed", "not tried", "written"))]
    return {line[10:26].strip(): line[:10].strip() for line in lines}


@pytest.mark.usefixtures("quick")
def test_a_rehearsal_changes_nothing(clone, capsys):
    """All steps are tried, in a copy."""
    before = git(clone, "rev-parse", "HEAD")

    code = release.main(["7.1.0", "--ci-passed"], clone)

    out = capsys.readouterr().out
    assert code == 0, out
    assert set(told(out).values()) == {"ok"}
    assert list(told(out)) == [*release.CHECKS, *release.REHEARSAL]
    assert (git(clone, "rev-parse", "HEAD"), git(clone, "status", "--porcelain", "--ignored")) == (before, "")
    assert "git tag --annotate v7.1.0" in out


@pytest.mark.usefixtures("quick")
def test_a_release_is_written_but_not_tagged(clone, capsys):
    """Version, changelog and files; the rest is a human's."""
    code = release.main(["7.1.0", "--ci-passed", "--write"], clone)

    assert code == 0, capsys.readouterr().out
    assert version.read_version(clone) == "7.1.0"
    assert "\ndate-released: 20" in (clone / "CITATION.cff").read_text("utf-8")
    assert "## 7.1.0 - 20" in (clone / "CHANGELOG.md").read_text("utf-8")
    assert "- Trees grow.\n" in (clone / "CHANGELOG.md").read_text("utf-8")
    assert [path.name for path in (clone / "changelog.d").iterdir()] == ["README.md"]
    assert len(list((clone / "dist").glob("bayesfloor-7.1.0*"))) == 2
    assert git(clone, "tag") == ""


def test_what_is_not_ready_is_told_at_once(clone, capsys):
    """Every quick check is tried, nothing long is."""
    git(clone, "checkout", "--quiet", "-b", "aside")
    git(clone, "tag", "v7.0.0")
    (clone / "README.md").write_text("", "utf-8")
    settings = clone / "pyproject.toml"
    settings.write_text(settings.read_text("utf-8").replace("somebody", "OWNER"), "utf-8")
    for path in (clone / "changelog.d").glob("*.*.md"):
        path.unlink()

    code = release.main(["7.0.0"], clone)

    out = capsys.readouterr().out
    assert code == 1
    assert {name for name, word in told(out).items() if word == "failed"} == set(release.CHECKS)
    assert {name for name, word in told(out).items() if word == "not tried"} == set(release.REHEARSAL)
    assert "7.0.0 comes before 7.1.0.dev0" in out
    assert "nothing was changed" in out


@pytest.mark.parametrize("wrong", ["7.1", "7.1.0.dev1", "v7.1.0", "8"])
def test_a_version_is_three_numbers(clone, capsys, wrong):
    """As promised by semantic versioning."""
    assert release.main([wrong, "--ci-passed"], clone) == 1
    assert told(capsys.readouterr().out)["version"] == "failed"


def test_versions_that_differ_are_told(clone):
    citation = clone / "CITATION.cff"
    citation.write_text(citation.read_text("utf-8").replace("7.1.0.dev0", "7.0.0"), "utf-8")

    with pytest.raises(ValueError, match="different versions"):
        version.read_version(clone)


def test_all_requirements_have_a_lowest_version():
    """A requirement without one would be tried with the newest."""
    pins = lowest.lowest_versions(ROOT)

    assert all(pin.count("==") == 1 for pin in pins)
    assert {"numpy", "matplotlib", "click", "distributed", "pytest"} <= {pin.partition("==")[0] for pin in pins}
