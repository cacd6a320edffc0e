"""Changes are told in fragments that a release can gather."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("towncrier", reason="needs the group release")
ROOT = Path(__file__).parents[1]
FRAGMENTS = sorted((ROOT / "changelog.d").glob("*.*.md"))


def build_draft(root):
    """What towncrier makes of the fragments."""
    command = [sys.executable, "-m", "towncrier", "build", "--draft"]
    return subprocess.run(command, capture_output=True, check=False, cwd=root, text=True, encoding="utf-8")


@pytest.fixture
def copy(tmp_path):
    """A project with our settings and one good fragment."""
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (tmp_path / "src").symlink_to(ROOT / "src")
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d" / "tree.fixed.md").write_text("Trees grow.", "utf-8")
    return tmp_path


@pytest.mark.slow
def test_all_fragments_are_in_the_draft():
    """What towncrier skipped would be lost at a release."""
    done = build_draft(ROOT)

    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert [path.name for path in FRAGMENTS if " ".join(path.read_text("utf-8").split()) not in told] == []


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["tree.mended.md", "fixed"])
def test_a_fragment_of_a_wrong_name_is_an_error(copy, name):
    """Rather than left out without a word."""
    (copy / "changelog.d" / name).write_text("Trees grow taller.", "utf-8")

    done = build_draft(copy)

    assert done.returncode != 0
    assert name in done.stderr + done.stdout


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_a_fragment_is_a_point_not_a_list(path):
    """A list inside a point reads badly."""
    assert not path.read_text("utf-8").startswith(("-", "*", "#"))
