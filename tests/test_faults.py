"""Real faults: full disks, folders that cannot be written to, killed processes, and files that get shorter.

An error says which file it is about, nothing half-written is left, and what was there before stays whole.
"""

import errno
import os
import shutil
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import load_iris

import bayesfloor
from bayesfloor.io import InputError, _find_file, open_data

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="needs POSIX"), pytest.mark.slow]


@pytest.fixture(scope="module")
def checked():
    """A check, whose page takes some tens of kilobytes."""
    return bayesfloor.check(*load_iris(return_X_y=True), effort="quick")


# Disks that are full or cannot be written to.


def call_mount(*words):
    """Run mount as root."""
    return subprocess.run([shutil.which("mount") or "mount", *words], check=False, capture_output=True, text=True)


def remount(place, options):
    """Change a disk that is in use."""
    done = call_mount("-o", f"remount,{options}", str(place))
    assert done.returncode == 0, done.stderr


@pytest.fixture
def disk(tmp_path):
    """A maker of small disks: size in bytes -> where it is mounted."""
    if shutil.which("mount") is None:
        pytest.skip("needs mount")
    place = tmp_path / "disk"
    place.mkdir()

    def make(size):
        done = call_mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place))
        if done.returncode:
            pytest.skip(f"mount is not allowed here: {done.stderr.strip()}")
        return place

    yield make
    if place.is_mount():
        subprocess.run([shutil.which("umount"), "--lazy", str(place)], check=True)


WRITERS = {"page.html": "to_html", "found.json": "to_json"}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_file(name, disk, checked):
    """It is still the last good one, and with more room the same call replaces it."""
    folder, write = disk(4 * 1024), getattr(checked, WRITERS[name])
    (folder / name).write_text("old")
    with pytest.raises(OSError, match="No space left") as caught:
        write(folder / name)

    assert caught.value.errno == errno.ENOSPC
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_text() == "old"
    remount(folder, "size=64m")
    write(folder / name)
    assert (folder / name).stat().st_size > 4 * 1024


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_that_cannot_be_written_to(name, disk, checked):
    """The error is about that folder."""
    folder = disk(1 << 20)
    remount(folder, "ro")
    with pytest.raises(OSError, match=str(folder)) as caught:
        getattr(checked, WRITERS[name])(folder / name)

    assert caught.value.errno == errno.EROFS
    assert list(folder.iterdir()) == []


def test_the_command_says_in_one_line_that_the_disk_is_full(disk, tmp_path):
    """Not as a bug of the program."""
    folder = disk(8 * 1024)
    iris = load_iris(as_frame=True).frame
    pq.write_table(pa.Table.from_pandas(iris), tmp_path / "iris.parquet")
    command = [sys.executable, "-m", "bayesfloor", "report", str(tmp_path / "iris.parquet"), "-y", "target"]
    done = subprocess.run(
        [*command, "--effort", "quick", "-o", str(folder / "page.html")], check=False, capture_output=True, text=True
    )

    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "No space left" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(folder.iterdir()) == []


# Processes that are killed.


# Files that get shorter, or are gone.


@pytest.fixture(params=["C", "F"])
def large_array(request, tmp_path, monkeypatch):
    """A file of which a sample of 100 rows is read."""
    for name, value in {"_LARGE": 100, "_POOL": 100, "_LEAST": 100}.items():
        monkeypatch.setattr(_find_file, name, value)
    X = np.random.default_rng(0).normal(size=(5_000, 4)) + (np.arange(5_000) % 2)[:, None]
    np.save(tmp_path / "x.npy", np.asarray(X, order=request.param))
    return tmp_path / "x.npy"


def test_an_array_that_gets_shorter_is_an_error(large_array):
    """If it were mapped into memory, the process would die."""
    y = np.arange(5_000) % 2
    assert len(open_data(large_array, y).y) == 100
    os.truncate(large_array, large_array.stat().st_size // 2)

    with pytest.raises(InputError, match=r"x\.npy cannot be read as npy: .*shorter than its header says"):
        open_data(large_array, y)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.95])
def test_a_truncated_part_of_a_folder_is_named(share, tmp_path):
    """Which of a hundred files is broken is what has to be known."""
    table = pa.table({"x": np.arange(60.0), "label": ["cat", "dog"] * 30})
    for number in range(3):
        pq.write_table(table, tmp_path / f"part-{number}.parquet")
    part = tmp_path / "part-1.parquet"
    os.truncate(part, int(part.stat().st_size * share))

    with pytest.raises(InputError, match=r"part-1\.parquet"):
        open_data(tmp_path, "label")
