"""No command writes over what it reads."""

import os

import numpy as np
import pytest


@pytest.fixture
def folder(tmp_path):
    """A small table, a link to it, and a folder of such tables."""
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{'no' if a < 0 else 'yes'}" for a, b in rng.normal(size=(60, 2))]
    text = "\n".join(["u,v,label", *lines]) + "\n"
    (tmp_path / "good.csv").write_text(text, "utf-8")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.csv").write_text(text, "utf-8")
    os.link(tmp_path / "good.csv", tmp_path / "again.csv")
    return tmp_path


@pytest.mark.parametrize(
    "args",
    [
        ("samples", "good.csv", "-y", "label", "-o", "good.csv"),
        ("samples", "good.csv", "-y", "label", "-o", "again.csv"),
        ("samples", "parts", "-y", "label", "-o", "parts/one.csv"),
        ("check", "good.csv", "-y", "label", "--json", "good.csv"),
        ("check", "good.csv", "-y", "label", "--markdown", "./good.csv"),
        ("report", "good.csv", "-y", "label", "-o", "good.csv"),
        ("features", "good.csv", "-y", "label", "-o", "good.csv"),
        ("compare", "good.csv", "again.csv", "-y", "label", "--json", "good.csv"),
        ("compare", "parts/one.csv", "again.csv", "-y", "label", "--json", "parts/one.csv"),
    ],
    ids=" ".join,
)
def test_a_file_that_is_read_is_never_written(run, folder, args):
    """It is gone otherwise, and nobody is told."""
    before = {path: path.read_bytes() for path in folder.rglob("*.csv")}
    found = run(*args, cwd=folder)

    assert found.code == 2
    assert "is an input of this command, and the output would overwrite it. Choose another file name." in found.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*.csv")} == before


def test_a_new_file_beside_what_is_read_is_written(run, folder):
    """Nor is anything refused that is safe."""
    found = run("samples", "good.csv", "-y", "label", "-o", "odd.csv", cwd=folder)

    assert found.code == 0
    assert (folder / "odd.csv").exists()
