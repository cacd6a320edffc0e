"""One run at a time in a checkpoint folder."""

import errno
import os
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest

from bayesfloor import spanning_forest
from bayesfloor.leaving import engine_folder_lock as _folder_lock
from bayesfloor.leaving.engine_checkpoint import CheckpointError
from bayesfloor.leaving.engine_folder_lock import FolderInUseError, hold_folder

HOLDER = """
import sys
from pathlib import Path
from bayesfloor.leaving.engine_folder_lock import hold_folder
with hold_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_the_second_run_is_told_who_has_the_folder(tmp_path):
    """In this process too, where two threads may try."""
    holder = f"process {os.getpid()} on {socket.gethostname()}"
    with (
        hold_folder(tmp_path),
        pytest.raises(FolderInUseError, match=rf"{tmp_path.name} is in use by {holder}\. Wait until"),
        hold_folder(tmp_path),
    ):
        pass
    with hold_folder(tmp_path):  # released
        pass


def test_a_forest_holds_its_folder(tmp_path):
    """Until it is done, or fails."""
    X = np.random.default_rng(0).random((200, 2))
    refused = []

    def disturb(stage, done, total):  # noqa: ARG001
        if not refused:
            with pytest.raises(CheckpointError, match="is in use by process"):
                spanning_forest(X, 3, checkpoint=tmp_path / "kept", block_rows=100)
            refused.append(stage)

    found = spanning_forest(X, 3, checkpoint=tmp_path / "kept", block_rows=100, progress=disturb)

    assert refused
    assert np.array_equal(found.a, spanning_forest(X, 3, checkpoint=tmp_path / "kept").a)


def test_hostile_words_in_the_file_stay_in_their_line(tmp_path):
    """Anybody may have written it."""
    with hold_folder(tmp_path):
        (tmp_path / "bayesfloor.lock").write_bytes(b"\x1b[2J\n\xff" + b"x" * 9999)
        with pytest.raises(FolderInUseError) as failure, hold_folder(tmp_path):
            pass

    assert str(failure.value).isprintable()
    assert len(str(failure.value)) < 1000


@pytest.mark.posix
def test_a_file_system_without_locks_is_told(tmp_path, monkeypatch):
    """Work goes on."""

    def fail(_):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(_folder_lock, "_lock", fail)
    with pytest.warns(UserWarning, match="cannot be locked on this file system"), hold_folder(tmp_path):
        pass


@pytest.mark.posix
@pytest.mark.process
def test_a_process_that_is_killed_lets_go(tmp_path):
    """However it dies."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], **pipes) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(FolderInUseError, match=f"in use by process {other.pid} on"), hold_folder(tmp_path):
            pass
        other.send_signal(signal.SIGKILL)
        other.wait(60)
    with hold_folder(tmp_path):
        pass
