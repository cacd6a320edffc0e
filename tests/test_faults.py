"""Real faults: workers and drivers are killed, disks are full, files are damaged or gone.

Each time the same call, when the trouble is mended, finds the same edges; and until then an error says
which file it is about, and nothing half-written is left.
"""

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from itertools import pairwise

import joblib
import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayesfloor import spanning_forest
from bayesfloor.leaving.engine_checkpoint import CheckpointError
from bayesfloor.leaving.engine_runners import ON_THIS_MACHINE

distributed = pytest.importorskip("distributed", reason="needs Dask")

pytestmark = [pytest.mark.posix, pytest.mark.process, pytest.mark.slow]

BLOCK_ROWS = 100


def sweep(values, *daily):
    """All of these as parameters: some are tried every day, the others at night."""
    return [pytest.param(value, marks=() if value in daily else pytest.mark.nightly) for value in values]


@pytest.fixture(scope="module", name="X")
def rows(global_random_seed):
    """Enough for a dozen blocks, some of them tied."""
    rng = np.random.default_rng(global_random_seed)
    return np.vstack([rng.standard_normal((900, 2)), rng.integers(-3, 4, (300, 2)) / 2])


@pytest.fixture(scope="module")
def expected(X):
    """The forest in memory."""
    return spanning_forest(X, 3)


def assert_same(found, expected):
    """All that a forest has is alike, bit for bit."""
    for name in ("a", "b", "length", "tree", "vertex", "rows"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    assert found.n_vertices == expected.n_vertices


def assert_whole(folder):
    """Nothing half-written is left, when tasks that an error left running have come to their end."""
    for _ in range(1200):
        if not (left := [*folder.rglob("*.part"), *folder.rglob(".*")]):
            break
        time.sleep(0.05)

    assert left == []


def assert_each_piece_once(calls):
    """Every stage rises by one to its total: no result is lost, none comes twice."""
    assert calls[-1][1] == calls[-1][2]
    for (stage, done, total), (next_stage, next_done, next_total) in pairwise(calls):
        if done < total:
            assert (next_stage, next_done, next_total) == (stage, done + 1, total)
        else:
            assert next_done == 1


# Engines whose workers are killed.


class Processes:
    """Processes of joblib."""

    def __init__(self):
        self.options = {}

    @contextmanager
    def running(self):
        """For as long as work is done."""
        with joblib.parallel_config("loky", n_jobs=2):
            yield

    def workers(self):
        """Numbers of the processes that work."""
        children = psutil.Process().children(recursive=True)
        return [child.pid for child in children if "loky" in "".join(child.cmdline()) and _works(child)]


def _works(process):
    return "resource_tracker" not in "".join(process.cmdline())


class Dask:
    """A cluster on this machine, which starts workers again when they die."""

    def __init__(self):
        self.cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=10**9, **ON_THIS_MACHINE
        )
        self.client = distributed.Client(self.cluster, set_as_default=False)
        self.options = {"client": self.client}

    @contextmanager
    def running(self):
        """For as long as work is done."""
        yield

    def is_whole(self):
        """Whether both workers are there, or come back soon: Dask loses one that comes back too soon."""
        for _ in range(150):
            if len(self.workers()) == 2:
                return True
            time.sleep(0.1)
        return False

    def workers(self):
        """Numbers of the processes that work."""
        found = self.client.run(os.getpid, on_error="ignore").values()
        return [pid for pid in found if psutil.pid_exists(pid)]

    def close(self):
        """Stop the workers."""
        self.client.close()
        self.cluster.close()


@pytest.fixture(scope="module")
def clusters():
    """Clusters for this file alone, since their workers are killed; the last one is in use."""
    made = []
    yield made
    for cluster in made:
        cluster.close()


@pytest.fixture
def dask(clusters):
    """A cluster with two workers."""
    if not clusters or not clusters[-1].is_whole():
        clusters.append(Dask())
    return clusters[-1]


@pytest.fixture(params=["processes", pytest.param("Dask", marks=pytest.mark.dask)])
def engine(request):
    """Both engines that have workers to kill."""
    return Processes() if request.param == "processes" else request.getfixturevalue("dask")


STAGES = ["looking at rows", "sorting rows", "blocks", "joins", "edges"]


@pytest.mark.parametrize("stage", sweep(STAGES, "blocks", "joins"))
def test_a_worker_that_is_killed_changes_nothing(stage, engine, X, expected, tmp_path, global_random_seed):
    """At any moment: what it had in hand is done again by others."""
    rng, calls, killed = np.random.default_rng([global_random_seed, len(stage)]), [], []
    moment = rng.random()

    def kill(now, done, total):
        calls.append((now, done, total))
        if not killed and now == stage and done >= moment * (total - 1):
            killed.append(rng.choice(engine.workers()))
            os.kill(killed[0], signal.SIGKILL)

    with engine.running():
        found = spanning_forest(
            X, 3, block_rows=BLOCK_ROWS, checkpoint=tmp_path / "kept", progress=kill, **engine.options
        )

    assert killed
    assert_same(found, expected)
    assert_each_piece_once(calls)
    assert_whole(tmp_path)
    assert len(list((tmp_path / "kept").glob("block-*"))) == len(X) // BLOCK_ROWS


def test_what_was_half_written_goes_away(kept, X, expected):
    """A worker that is killed cannot clear up; whoever goes on does."""
    (kept / ".0123.part").write_bytes(b"half")

    assert_same(spanning_forest(X, 3, checkpoint=kept), expected)
    assert_whole(kept)


# A driver that is killed.

DRIVER = """
import os, signal, sys
import joblib, numpy as np, psutil
from bayesfloor import spanning_forest

rows, folder, address, stage, moment = sys.argv[1:]

def progress(now, done, total):
    if now == stage and done >= float(moment) * total:
        print(*(child.pid for child in psutil.Process().children(recursive=True)), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

options = {"block_rows": 100, "checkpoint": folder, "progress": progress}
if __name__ == "__main__":
    if address == "loky":
        with joblib.parallel_config("loky", n_jobs=2):
            spanning_forest(np.load(rows), 3, **options)
    else:
        import distributed
        spanning_forest(np.load(rows), 3, client=distributed.Client(address), **options)
"""


def run_driver(tmp_path, *words):
    """Let a driver be killed; its workers, if they are its own, follow when they have ended what they had in hand."""
    (tmp_path / "driver.py").write_text(DRIVER)
    command = [sys.executable, str(tmp_path / "driver.py"), *map(str, words)]
    with (tmp_path / "said").open("w+") as said:
        ended = subprocess.run(command, check=False, stdout=said, stderr=subprocess.DEVNULL, timeout=300)
        said.seek(0)
        orphans = said.read().split()
    wait_until_quiet(tmp_path)
    for pid in orphans:
        if psutil.pid_exists(int(pid)):
            os.kill(int(pid), signal.SIGKILL)
    return ended.returncode


def wait_until_quiet(folder):
    """Until no file has changed for a while."""
    before, now = None, state_of(folder)
    while before != now:
        time.sleep(0.8)
        before, now = now, state_of(folder)


def state_of(folder):
    """When each file was written."""
    found = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    return {path: written for path, written in found.items() if path.name != "bayesfloor.lock"}


@pytest.fixture(scope="module")
def n_joins(X, tmp_path_factory):
    """Joins that an undisturbed run takes."""
    calls = []
    options = {"checkpoint": tmp_path_factory.mktemp("kept"), "block_rows": BLOCK_ROWS}
    spanning_forest(X, 3, progress=lambda *call: calls.append(call), **options)
    return sum(stage == "joins" for stage, _, _ in calls)


@pytest.mark.parametrize(("stage", "moment"), [("blocks", 0.5), ("joins", 0.4)])
def test_a_driver_that_is_killed_goes_on(stage, moment, engine, X, expected, n_joins, tmp_path):
    """From its checkpoint: what was finished is not computed again."""
    np.save(tmp_path / "X.npy", X)
    folder, calls = tmp_path / "kept", []
    address = "loky" if isinstance(engine, Processes) else engine.cluster.scheduler_address
    code = run_driver(tmp_path, tmp_path / "X.npy", folder, address, stage, moment)
    before = state_of(folder)
    with engine.running():
        found = spanning_forest(X, 3, checkpoint=folder, progress=lambda *call: calls.append(call), **engine.options)
    after = state_of(folder)
    kinds = {path: path.name.split("-")[0] for path in before}
    told = {kind: sum(call[0] == kind for call in calls) for kind in ("blocks", "joins")}

    assert code == -signal.SIGKILL
    assert_same(found, expected)
    assert all(after[path] == before[path] for path, kind in kinds.items() if kind in {"block", "cells.arrays", "rank"})
    assert sum(kind == "block" for kind in kinds.values()) >= moment * len(X) // BLOCK_ROWS
    assert told["blocks"] == len(X) // BLOCK_ROWS - sum(kind == "block" for kind in kinds.values())
    assert told["joins"] == n_joins - sum(kind == "join" for kind in kinds.values())
    assert_whole(folder)


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


@pytest.fixture(params=["threads", "processes", pytest.param("Dask", marks=pytest.mark.dask)])
def any_engine(request):
    """Where to run, and what to pass: (context, options)."""
    if request.param == "threads":
        return joblib.parallel_config("threading", n_jobs=2), {}
    if request.param == "processes":
        return joblib.parallel_config("loky", n_jobs=2), {}
    dask = request.getfixturevalue("dask")
    return dask.running(), dask.options


@pytest.mark.parametrize("kilobytes", [16, 160])
def test_a_full_disk(kilobytes, disk, any_engine, X, expected):
    """The error names the file; with more room the same call goes on."""
    (where, options), folder = any_engine, disk(kilobytes * 1024)
    options = {"checkpoint": folder / "kept", "block_rows": BLOCK_ROWS, **options}
    with where:
        with pytest.raises(OSError, match=f"disk is full: {folder}") as caught:
            spanning_forest(X, 3, **options)
        assert_whole(folder)
        remount(folder, "size=64m")
        found = spanning_forest(X, 3, **options)

    assert caught.value.errno == errno.ENOSPC
    assert "Free some space and run again" in str(caught.value)
    assert_same(found, expected)


@pytest.mark.parametrize("pages", sweep(range(1, 160, 6), 1, 25, 49, 73, 97))
def test_a_disk_that_is_full_at_any_moment(pages, disk, X, expected):
    """From the first file to the last one."""
    folder = disk(pages * 4096)
    options = {"checkpoint": folder / "kept", "block_rows": 400}
    try:
        spanning_forest(X, 3, **options)
    except OSError as error:
        assert error.errno == errno.ENOSPC  # noqa: PT017 - with enough room there is none
        assert str(folder) in str(error)  # noqa: PT017
    assert_whole(folder)
    remount(folder, "size=64m")

    assert_same(spanning_forest(X, 3, **options), expected)


@pytest.mark.parametrize(
    ("what", "kilobytes"), [("pieces", 16), ("pieces", 400), ("answer", 16), ("answer", 64), ("written", 16)]
)
def test_a_full_disk_of_temporary_files(what, kilobytes, disk, X, expected, tmp_path, monkeypatch):
    """Neither pieces without a checkpoint nor the answer itself may take the process with them."""
    if what == "written":  # as on systems that cannot reserve space
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    folder = disk(kilobytes * 1024)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    options = {"block_rows": BLOCK_ROWS, "checkpoint": None if what == "pieces" else tmp_path / "kept"}
    with pytest.raises(OSError, match=str(folder)) as caught:
        spanning_forest(X, 3, **options)
    left = list(folder.iterdir())
    remount(folder, "size=64m")

    assert caught.value.errno == errno.ENOSPC
    assert left == []
    assert_same(spanning_forest(X, 3, **options), expected)


def test_a_folder_that_cannot_be_written_to(disk, any_engine, X, expected):
    """Told at once, before any work."""
    (where, options), folder, calls = any_engine, disk(1 << 26), []
    options = {"checkpoint": folder / "kept", "block_rows": BLOCK_ROWS, **options}
    remount(folder, "ro")
    with where:
        with pytest.raises(OSError, match=f"{folder}/kept.* could not be written") as caught:
            spanning_forest(X, 3, progress=lambda *call: calls.append(call), **options)
        remount(folder, "rw")
        found = spanning_forest(X, 3, **options)

    assert caught.value.errno == errno.EROFS
    assert calls == []
    assert_same(found, expected)


@pytest.mark.parametrize("stage", ["sorting rows", "blocks", "joins"])
def test_a_folder_that_can_no_longer_be_written_to(stage, disk, X, expected):
    """In the middle of the work; what was finished before is read from it later."""
    folder = disk(1 << 26)
    options = {"checkpoint": folder / "kept", "block_rows": BLOCK_ROWS}

    def protect(now, done, total):
        if now == stage and done == total // 2:
            remount(folder, "ro")

    with pytest.raises(OSError, match=rf"{folder}/kept/\w+-\d.*\.arrays could not be written") as caught:
        spanning_forest(X, 3, progress=protect, **options)
    assert_whole(folder)
    remount(folder, "rw")

    assert caught.value.errno == errno.EROFS
    assert_same(spanning_forest(X, 3, **options), expected)


# Files that are damaged, of another run, or gone.


@pytest.fixture(scope="module")
def finished(X, tmp_path_factory):
    """The checkpoint of a run that came to its end."""
    folder = tmp_path_factory.mktemp("finished") / "kept"
    spanning_forest(X, 3, checkpoint=folder, block_rows=300)
    return folder


@pytest.fixture(scope="module")
def stopped(X, tmp_path_factory):
    """The checkpoint of a run that was stopped when rows were sorted and a block was done."""
    folder = tmp_path_factory.mktemp("stopped") / "kept"

    def stop(stage, *_):
        if stage == "blocks":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        spanning_forest(X, 3, checkpoint=folder, block_rows=300, progress=stop)
    return folder


@pytest.fixture
def kept(finished, tmp_path):
    """A copy of that checkpoint."""
    return shutil.copytree(finished, tmp_path / "kept")


def damage(path, share):
    """Cut a file off."""
    os.truncate(path, int(path.stat().st_size * share))


@pytest.mark.parametrize("share", sweep([0.0, 0.01, 0.5, 0.9], 0.5))
@pytest.mark.parametrize("piece", ["cells", "block-0", "rank-2", "join-0-1"])
def test_a_truncated_piece(piece, share, kept, X, expected):
    """A warning names it, and only what it held is computed anew."""
    path, before = kept / f"{piece}.arrays", state_of(kept)
    damage(path, share)
    with pytest.warns(UserWarning, match=f"{path} is damaged.*Recomputing it"):
        found = spanning_forest(X, 3, checkpoint=kept)
    after = state_of(kept)
    anew = {place.stem for place in before if place.suffix == ".arrays" and after[place] != before[place]}

    assert_same(found, expected)
    assert_whole(kept)
    assert anew == {piece, "settled"}


@pytest.mark.parametrize("piece", ["rows-1", "rows-3"])
def test_truncated_rows(piece, engine, X, expected, tmp_path):
    """They are sorted again."""
    folder, path = tmp_path / "kept", tmp_path / "kept" / f"{piece}.arrays"

    def stop(stage, *_):
        if stage == "blocks":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        spanning_forest(X, 3, checkpoint=folder, block_rows=300, progress=stop)
    damage(path, 0.6)
    for block in folder.glob("block-*"):
        block.unlink()
    with engine.running(), pytest.warns(UserWarning, match=f"{path} is damaged"):
        found = spanning_forest(X, 3, checkpoint=folder, **engine.options)

    assert_same(found, expected)
    assert_whole(folder)


@pytest.mark.parametrize("stage", ["blocks", "ranks", "joins"])
def test_a_piece_that_is_damaged_while_others_are_made(stage, engine, X, expected, tmp_path):
    """A worker finds out, and the driver has it computed again."""
    folder, damaged = tmp_path / "kept", []

    def harm(now, done, total):  # noqa: ARG001
        if now == stage and not damaged:
            damaged.append(next(folder.glob("rows-*" if stage == "blocks" else "block-*")))
            flip(damaged[0], 900)

    with engine.running(), pytest.warns(UserWarning, match="is damaged"):
        found = spanning_forest(X, 3, checkpoint=folder, block_rows=BLOCK_ROWS, progress=harm, **engine.options)

    assert_same(found, expected)
    assert_whole(folder)


def flip(path, at, mask=0xFF):
    """Change a byte of a file, in another file of its name: who has mapped the old one keeps it."""
    content = bytearray(path.read_bytes())
    content[at % len(content)] ^= mask
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize("number", sweep(range(64), *range(0, 64, 8)))
def test_a_flipped_byte(number, finished, stopped, X, expected, tmp_path, global_random_seed):
    """In any kind of piece: it is computed again, with a warning that names it, or does not matter."""
    rng, source = np.random.default_rng([global_random_seed, number]), stopped if number % 8 == 0 else finished
    kept = shutil.copytree(source, tmp_path / "kept")
    kinds = ["rows"] if source is stopped else ["block", "cells", "join", "rank", "settled", "block", "join"]
    path = rng.choice(sorted(kept.glob(f"{kinds[number % 8 % len(kinds) - 1]}*.arrays")))
    flip(path, int(rng.integers(path.stat().st_size)), int(rng.integers(1, 256)))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = spanning_forest(X, 3, checkpoint=kept)

    assert_same(found, expected)
    assert path.stem == "settled" or [f"{path} is damaged" in str(warning.message) for warning in told] == [True]


@pytest.mark.parametrize("number", sweep(range(16), 3))
def test_a_flipped_byte_of_the_description(number, kept, X, global_random_seed):
    """Nobody knows what the folder is of."""
    rng, path = np.random.default_rng([global_random_seed, number]), kept / "bayesfloor.json"
    flip(path, int(rng.integers(path.stat().st_size)), int(rng.integers(1, 256)))

    with pytest.raises(CheckpointError, match=rf"{kept}(/bayesfloor\.json is damaged| belongs to another run)"):
        spanning_forest(X, 3, checkpoint=kept)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.95])
def test_flipped_rows_of_processes(share, X, expected, tmp_path):
    """An array is written to a file for them; what it holds is compared with the array."""
    options, engine = {"checkpoint": tmp_path / "kept", "block_rows": 300}, Processes()
    with engine.running():
        spanning_forest(X, 3, **options)
        path = tmp_path / "kept" / "rows.npy"
        flip(path, int(share * path.stat().st_size))
        for block in (tmp_path / "kept").glob("block-*"):
            block.unlink()
        with pytest.warns(UserWarning, match=f"{path} is damaged. Writing it again"):
            found = spanning_forest(X, 3, **options)

    assert_same(found, expected)


KILLED = """
import os, signal, sys, threading
import numpy as np
from bayesfloor import spanning_forest
rows, folder, seconds = sys.argv[1:]
spanning_forest(np.random.default_rng(0).random((300, 2)), 3, block_rows=100)  # all that is imported late is there
threading.Timer(float(seconds), os.kill, (os.getpid(), signal.SIGKILL)).start()
spanning_forest(np.load(rows), 3, checkpoint=folder, block_rows=100)
os._exit(0)
"""


@pytest.mark.nightly
def test_twenty_kills_at_random_moments(X, expected, tmp_path, global_random_seed):
    """Each is resumed to the end."""
    rng, killed = np.random.default_rng(global_random_seed), 0
    np.save(tmp_path / "X.npy", X)
    for number in range(200):
        folder = tmp_path / f"kept-{number}"
        command = [sys.executable, "-c", KILLED, tmp_path / "X.npy", folder, str(rng.uniform(0, 1.5))]
        killed += subprocess.run(command, check=False, timeout=300).returncode == -signal.SIGKILL
        assert_same(spanning_forest(X, 3, checkpoint=folder, block_rows=100), expected)
        assert_whole(folder)
        if killed == 20:
            break

    assert killed == 20


def test_a_damaged_description(kept, X):
    """Nobody knows what the folder is of."""
    damage(kept / "bayesfloor.json", 0.5)
    with pytest.raises(CheckpointError, match=rf"{kept}/bayesfloor\.json is damaged"):
        spanning_forest(X, 3, checkpoint=kept)


# What another run is called with, and what of it differs.
OTHERS = {
    "other rows": (lambda X: (X + 1, 3), "data"),
    "another order": (lambda X: (X[::-1], 3), "data"),
    "fewer rows": (lambda X: (X[1:], 3), "data, rows"),
    "fewer features": (lambda X: (X[:, :1], 3), "data, features"),
    "fewer trees": (lambda X: (X, 2), "trees"),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_checkpoint_of_another_run(other, kept, X, expected):
    """Refused, and left as it is."""
    change, name = OTHERS[other]
    rows, n_trees = change(X)
    before = state_of(kept)
    with pytest.raises(CheckpointError, match=rf"{kept} belongs to another run, which differs in {name}\."):
        spanning_forest(rows, n_trees, checkpoint=kept)

    assert state_of(kept) == before
    assert_same(spanning_forest(X, 3, checkpoint=kept), expected)


def test_a_piece_of_another_run(kept, X, expected, tmp_path):
    """Copied by mistake from another folder: it fits in all but its key."""
    spanning_forest(X + 1, 3, checkpoint=tmp_path / "other", block_rows=300)
    path = kept / "block-1.arrays"
    shutil.copy(tmp_path / "other" / "block-1.arrays", path)
    with pytest.raises(CheckpointError, match=f"{path} belongs to another run"):
        spanning_forest(X, 3, checkpoint=kept)
    path.unlink()

    assert_same(spanning_forest(X, 3, checkpoint=kept), expected)


def test_a_folder_of_other_things(tmp_path, X):
    """Somebody's photographs stay as they are."""
    (tmp_path / "photo.png").write_bytes(b"1")
    with pytest.raises(CheckpointError, match=f"{tmp_path} is not empty and is not a checkpoint"):
        spanning_forest(X, 3, checkpoint=tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["photo.png"]


@pytest.fixture
def parts(X, tmp_path):
    """The rows in a folder of four Parquet files."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, rows in enumerate(np.array_split(X, 4)):
        pq.write_table(pa.table({f"x{k}": rows[:, k] for k in range(2)}), folder / f"part-{number}.parquet")
    return folder


def test_a_part_that_is_removed(parts, any_engine, expected, tmp_path):
    """Half-way, when the first rows have been looked at."""
    where, options = any_engine
    part, away = parts / "part-2.parquet", tmp_path / "away"
    options = {"checkpoint": tmp_path / "kept", "block_rows": BLOCK_ROWS, **options}

    def remove(stage, done, total):  # noqa: ARG001
        if stage == "looking at rows" and part.exists():
            part.rename(away)

    with where:
        with pytest.raises(FileNotFoundError, match=f"There is no file {part}. Was it moved or deleted"):
            spanning_forest(parts, 3, progress=remove, **options)
        assert_whole(tmp_path)
        away.rename(part)
        found = spanning_forest(parts, 3, **options)

    assert_same(found, expected)


def test_a_part_that_changes(parts, tmp_path):
    """Half of the work would be of other rows than the rest."""
    part = parts / "part-3.parquet"

    def change(stage, done, total):  # noqa: ARG001
        if stage == "looking at rows" and done == 1:
            pq.write_table(pa.table({"x0": np.zeros(300), "x1": np.zeros(300)}), part)

    with pytest.raises(ValueError, match=f"{part} changed while it was in use"):
        spanning_forest(parts, 3, checkpoint=tmp_path / "kept", block_rows=BLOCK_ROWS, progress=change)
    with pytest.raises(CheckpointError, match=f"{tmp_path}/kept belongs to another run, which differs in data"):
        spanning_forest(parts, 3, checkpoint=tmp_path / "kept", block_rows=BLOCK_ROWS)


@contextmanager
def blind_worker(folder, address):
    """A worker that has an empty folder in the place of this one."""
    unshare, inside = shutil.which("unshare"), f"mount -t tmpfs tmpfs '{folder}' && exec"
    if unshare is None:
        pytest.skip("needs unshare")
    python = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads=1"]
    shell = f'{inside} "$@"'
    command = [unshare, "--mount", "--propagation=private", "sh", "-c", shell, "sh", *python, "--no-dashboard"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder.parent) as process:
        try:
            yield process
        finally:
            process.terminate()


def test_a_worker_that_does_not_see_the_folder(X, tmp_path):
    """As on another machine, where the path is another disk."""
    folder = tmp_path / "kept"
    folder.mkdir()
    with (
        distributed.LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        blind_worker(folder, cluster.scheduler_address) as process,
    ):
        while not client.nthreads():
            if process.poll() is not None:
                pytest.skip("unshare is not allowed here")
            time.sleep(0.1)
        with pytest.raises(FileNotFoundError, match=rf"There is no file {folder}/array/rows\.npy"):
            spanning_forest(X, 3, checkpoint=folder / "array", client=client, block_rows=BLOCK_ROWS)
        np.save(tmp_path / "X.npy", X)
        with pytest.raises(CheckpointError, match=rf"{folder}/file.*need a folder that all of them can see"):
            spanning_forest(tmp_path / "X.npy", 3, checkpoint=folder / "file", client=client, block_rows=BLOCK_ROWS)
    assert_whole(tmp_path)
