"""Hostile files: each gives an answer, or one line that refuses it. No crash, no hang, no error from deep inside.

A mutant is made from its kind, seed and number alone. Those that ever failed are kept in ``corpus``, and read again
every time.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
sys.path.append(str(HERE))  # for mutants.py

from mutants import judge, kept, make_file  # noqa: E402 - beside this file

KINDS = ("arrow", "parquet", "npy", "npz", "csv")
SEED = 22
RUNS = [(0, 60), pytest.param((60, 2000), marks=pytest.mark.slow(nightly=True))]  # of each kind: first, and beyond


def read_mutants(kind, first, stop, folder):
    """Return what came of each mutant: {number: what}; a process that dies is followed by another."""
    found = {}
    while first < stop:
        command = [sys.executable, HERE / "mutants.py", kind, SEED, first, stop, folder]
        ended = subprocess.run([*map(str, command)], check=False, capture_output=True, text=True, timeout=3600)
        lines = [json.loads(line) for line in ended.stdout.splitlines()]
        found |= dict(lines)
        first = max((number for number, _ in lines), default=first) + 1
        if ended.returncode:
            assert lines, ended.stderr
            found[first - 1] = f"ended by {ended.returncode}: {ended.stderr.strip()[-200:]}"
    return found


def failures(found):
    return {number: what for number, what in found.items() if what not in ("answered", "refused")}


@pytest.mark.slow
def test_files_that_failed_once(tmp_path):
    found = read_mutants("corpus", 0, len(kept()), tmp_path)

    assert failures(found) == {}
    assert len(found) == len(kept()) > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_sound_files_are_read(kind, tmp_path):
    """Or mutants would be refused for nothing."""
    for number in range(4):
        content, label = make_file(kind, np.random.default_rng(number), change=lambda content, _: content)
        path = tmp_path / f"sound.{kind}"
        path.write_bytes(content)
        assert judge(str(path), label) == "answered"


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS, ids=["some", "many"])
@pytest.mark.parametrize("kind", KINDS)
def test_mutated_files(kind, run, tmp_path):
    first, stop = run
    found = read_mutants(kind, first, stop, tmp_path)

    assert failures(found) == {}
    assert len(found) == stop - first
