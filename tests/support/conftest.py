"""Tasks that workers of other processes can run, although they cannot import the tests."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

TMPFS = ["-t", "tmpfs", "-o", "size=1m", "tmpfs"]

# Functions inside functions are sent to workers as they are, and not by the name of a module.


@pytest.fixture
def square():
    """A task that works."""

    def task(x, seconds=0.0):
        time.sleep(seconds)
        return x * x

    return task


@pytest.fixture
def deadly(tmp_path):
    """A task that kills its worker the first so many times it is run; results are as of any other."""
    folder = tmp_path / "deaths"
    folder.mkdir()

    def task(number, deaths):
        time.sleep(0.02)
        seen = Path(folder, str(number))
        before = len(seen.read_bytes()) if seen.exists() else 0
        if before < deaths:
            seen.write_bytes(b"x" * (before + 1))
            time.sleep(0.1)  # Dask gives up a worker that dies before its nanny knows that it is up
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        return -number

    return task


@pytest.fixture
def faulty():
    """A task that fails at one number."""

    def task(number, at):
        time.sleep(0.01)
        if number == at:
            raise KeyError("no such key")
        return number

    return task


@pytest.fixture
def small_disk(tmp_path):
    """A disk of its own with room for a megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if not mount or not umount or subprocess.run([mount, *TMPFS, folder], check=False, capture_output=True).returncode:
        pytest.skip("needs the right to mount a disk")
    yield folder
    subprocess.run([umount, "--lazy", folder], check=True)
