"""A folder of finished pieces: whole or not there, of one run, and read in place."""

import errno
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from bayesfloor.leaving import engine_checkpoint as _checkpoint
from bayesfloor.leaving.engine_checkpoint import CheckpointError, DamagedPieceError, Store, open_store, read_description

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
WHAT = {"data": "abc", "rows": 10}

ARRAYS = {
    "numbers": np.linspace(0, 1, 7),
    "matrix": np.arange(12).reshape(4, 3),
    "by column": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "every second": np.arange(10)[::2],
    "empty": np.empty((0, 4)),
    "single": np.array(3.5),
    "bytes": np.arange(5, dtype=np.uint8),
    "switches": np.array([True, False]),
    "foreign": np.arange(3, dtype=">i4"),
}


@pytest.fixture
def store(tmp_path):
    """A new one."""
    return open_store(tmp_path / "store", WHAT)


def names(folder):
    """What is in a folder."""
    return sorted(path.name for path in Path(folder).iterdir())


def file_of(store, name):
    """Where a piece is."""
    return Path(store.folder) / f"{name}.arrays"


def test_what_was_written_is_read(store):
    """Of any shape, type and layout."""
    store.write("piece", ARRAYS)
    read = store.read("piece")

    assert list(read) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert (read[name].shape, read[name].dtype) == (array.shape, array.dtype)
        assert np.array_equal(read[name], array)


def test_what_is_read_lies_in_the_file_on_cache_lines(store):
    """Nothing is copied, so nothing can be changed, and kernels read it as fast as memory."""
    store.write("piece", ARRAYS)

    for array in store.read("piece").values():
        if array.size:
            assert array.ctypes.data % 64 == 0
            assert array.flags.c_contiguous
            assert not array.flags.writeable


def test_a_piece_may_hold_nothing(store):
    """A block without rows."""
    store.write("piece", {})

    assert store.read("piece") == {}


def test_pieces_are_there_until_they_are_removed(store):
    """Removing twice does no harm."""
    assert not store.has("piece")
    store.write("piece", ARRAYS)
    assert store.has("piece")
    assert not store.has("piec")
    store.remove("piece")
    store.remove("piece")

    assert not store.has("piece")
    assert names(store.folder) == ["bayesfloor.json"]


def test_what_was_read_outlives_its_file(store):
    """Another task may write it again, or remove it."""
    store.write("piece", {"a": np.arange(10_000)})
    before = store.read("piece")["a"]
    store.write("piece", {"a": np.zeros(3)})
    store.remove("piece")

    assert np.array_equal(before, np.arange(10_000))


def test_a_store_goes_to_workers_as_two_words(store):
    """Wherever they stand."""
    store.write("piece", ARRAYS)
    there = pickle.loads(pickle.dumps(store))  # noqa: S301 - our own

    assert len(pickle.dumps(store)) < 500
    assert np.array_equal(there.read("piece")["matrix"], ARRAYS["matrix"])


def test_a_relative_folder_is_made_absolute(tmp_path, monkeypatch):
    """A worker's folder is another one."""
    monkeypatch.chdir(tmp_path)
    store = open_store("some/where", WHAT)
    monkeypatch.chdir("/")
    store.write("piece", ARRAYS)

    assert (tmp_path / "some" / "where" / "piece.arrays").is_file()


@pytest.mark.slow
def test_a_piece_cut_at_any_byte_is_refused_by_name(store):
    """A power cut leaves such files."""
    store.write("piece", ARRAYS)
    path = file_of(store, "piece")
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.unlink()  # a file that is cut to nothing and written again is flushed to the disk each time
        path.write_bytes(whole[:cut])
        with pytest.raises(CheckpointError, match=r"The checkpoint file .*piece\.arrays is damaged: .*Run again"):
            store.read("piece")
    path.write_bytes(whole)

    assert list(store.read("piece")) == list(ARRAYS)


@pytest.mark.slow
@pytest.mark.parametrize("mask", [0x01, 0x20, 0xFF])
def test_a_byte_that_flips_anywhere_is_noticed(store, mask):
    """In numbers, in headers, and in what fills up lines."""
    store.write("piece", {"a": np.arange(4), "b": np.zeros((2, 3)), "empty": np.zeros(0)})
    path = file_of(store, "piece")
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.unlink()
        path.write_bytes(whole[:at] + bytes([whole[at] ^ mask]) + whole[at + 1 :])
        with pytest.raises(DamagedPieceError, match=r"piece\.arrays is damaged"):
            store.read("piece")


def test_a_damaged_piece_is_named_and_not_there(store):
    """So that whoever asks computes it again."""
    store.write("piece", {"a": np.arange(4)})
    path = file_of(store, "piece")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.warns(UserWarning, match=r"piece\.arrays is damaged: the checksum of a does not match. Recomputing it"):
        there = store.has("piece")

    assert not there
    assert not path.exists()


def test_arrays_are_compared_one_by_one(store):
    """What is read of a large piece has its own checksum; the rest need not be read."""
    store.write("piece", {"a": np.arange(100), "b": np.zeros(100)})
    path = file_of(store, "piece")
    path.write_bytes(path.read_bytes()[:-1] + b"x")

    assert np.array_equal(store.read("piece", ["a"])["a"], np.arange(100))
    with pytest.raises(DamagedPieceError, match="the checksum of b does not match"):
        store.read("piece", ["b"])


@pytest.mark.parametrize("content", [b"", b"\0" * 200, b"[]" * 99, np.zeros(3).tobytes()])
def test_another_file_is_no_piece(store, content):
    """Whatever it holds."""
    file_of(store, "piece").write_bytes(content)

    with pytest.raises(CheckpointError, match=r"piece\.arrays is damaged"):
        store.read("piece")


HEADERS = [
    "3",
    "[]",
    "{}",
    '{"key": 1}',
    '{"arrays": {}}',
    '{"key": 1, "arrays": 1}',
    '{"key": "k", "arrays": {"a": 3}}',
    '{"key": "k", "arrays": {"a": ["<f8", [2], 0]}}',
    '{"key": "k", "arrays": {"a": ["O", [8], 0, 0]}}',
    '{"key": "k", "arrays": {"a": ["<f8", [-8], 0, 0]}}',
    '{"key": "k", "arrays": {"a": ["<f8", [8], -64, 0]}}',
    '{"key": "k", "arrays": {"a": ["<f8", ["8"], 0, 0]}}',
    '{"key": "k", "arrays": {"a": ["<f8", [1e400], 0, 0]}}',
    '{"key": "k", "arrays": {"a": ["<f8", [8.0], 0, 0]}}',
    '{"key": "k", "arrays": {"a": ["f8,f8", [4], 0, 0]}}',
    "[" * 100_000,
]


@pytest.mark.parametrize("text", HEADERS, ids=lambda text: text[:50])
def test_a_header_that_is_no_description_is_refused(store, text):
    """Its checksum is right, and yet it says nothing, or what no piece of ours says."""
    header = text.encode().ljust(-(-len(text) // 64) * 64)
    file_of(store, "piece").write_bytes(_checkpoint._first_line(header) + header + bytes(64))

    with pytest.raises(DamagedPieceError, match=r"piece\.arrays is damaged"):
        store.read("piece")


def test_a_piece_of_another_run_is_refused(store):
    """Somebody copied a file, or two runs."""
    Store(store.folder, "another key").write("piece", ARRAYS)

    with pytest.raises(CheckpointError, match=r"piece\.arrays belongs to another run"):
        store.read("piece")


def test_a_missing_piece_is_named(store):
    """On another machine the folder is empty."""
    with pytest.raises(
        CheckpointError, match=r"piece\.arrays was written earlier but no longer exists.*all of them can see"
    ):
        store.read("piece")


def test_hostile_names_stay_in_their_line(tmp_path):
    """Errors are shown in a terminal."""
    folder = tmp_path / "a\x1b[2J\nb"
    store = open_store(folder, WHAT)
    file_of(store, "damaged").write_bytes(b"\x1b[2J" * 99)
    other = tmp_path / "c\x1b"
    other.mkdir()
    (other / "file").touch()
    works = [
        lambda: store.read("missing"),
        lambda: store.read("damaged"),
        lambda: open_store(folder, {"another": "run"}),
        lambda: open_store(other, WHAT),
        lambda: open_store(other / "file", WHAT),
        lambda: [shutil.rmtree(folder), store.write("piece", ARRAYS)],
    ]
    for work in works:
        with pytest.raises((CheckpointError, OSError)) as failure:
            work()
        assert str(failure.value).isprintable()


def test_a_folder_is_opened_again_by_the_same_run(store):
    """With all that is finished."""
    store.write("piece", ARRAYS)
    again = open_store(store.folder, dict(reversed(WHAT.items())))

    assert again == store
    assert again.has("piece")
    assert read_description(store.folder) == WHAT


@pytest.mark.parametrize("other", [{"data": "abd", "rows": 10}, {"data": "abc", "rows": 11, "trees": 3}])
def test_a_folder_of_another_run_is_refused(store, other):
    """With what differs; it stays as it is."""
    with pytest.raises(CheckpointError, match=r"belongs to another run, which differs in (data|rows, trees)\."):
        open_store(store.folder, other)

    assert read_description(store.folder) == WHAT


def test_a_folder_of_other_things_is_refused(tmp_path):
    """Nobody wants a thousand files among their own."""
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(CheckpointError, match="is not empty and is not a checkpoint"):
        open_store(tmp_path, WHAT)

    assert names(tmp_path) == ["thesis.txt"]


def test_what_a_kill_left_while_a_folder_was_opened_does_no_harm(tmp_path):
    """Nor does another process that opens it right now."""
    (tmp_path / ".0123456789abcdef.part").touch()

    assert open_store(tmp_path, WHAT).folder == str(tmp_path)


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    """By its name."""
    (tmp_path / "file").touch()

    with pytest.raises(OSError, match="file could not be written"):
        open_store(tmp_path / "file", WHAT)
    with pytest.raises(OSError, match="below could not be written"):
        open_store(tmp_path / "file" / "below", WHAT)


MANIFESTS = [
    b"",
    b"{",
    b"[]",
    b"3",
    b"null",
    b"\xff\xfe",
    b'"text"',
    b"[" * 50_000,
    b'{"data": "abc", "rows": {"rows": 10}}',
    b'{"data": "abc", "rows": 10.5}',
    b'{"data": "abc", "rows": true}',
    b'{"data": "abc", "rows": ' + b"1" * 5000 + b"}",
    b'{"data": "' + b"a" * 70_000 + b'", "rows": 10}',
    b'{"data": "abc", "rows": 10}',
    b'{"data": "abc", "rows": 10, "checksum": "00"}',
]


@pytest.mark.parametrize("content", MANIFESTS, ids=lambda content: repr(content[:40]))
def test_a_damaged_description_is_refused_by_name(store, content):
    """And not taken for that of a new run."""
    manifest = Path(store.folder) / "bayesfloor.json"
    manifest.write_bytes(content)

    for work in (lambda: open_store(store.folder, WHAT), lambda: read_description(store.folder)):
        with pytest.raises(CheckpointError, match=r"bayesfloor\.json is damaged"):
            work()
    assert manifest.read_bytes() == content


@pytest.mark.parametrize("name", ["new", "file", "file/below"])
def test_a_new_folder_has_no_description(tmp_path, name):
    """Nor is it made by asking."""
    (tmp_path / "file").touch()

    assert read_description(tmp_path / name) is None
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [OSError("disk on fire"), KeyboardInterrupt()])
@pytest.mark.parametrize("before", [True, False])
def test_an_interruption_leaves_the_old_piece_and_nothing_else(store, monkeypatch, error, before):
    """Half a piece would be taken for a whole one."""
    if before:
        store.write("piece", {"a": np.zeros(3)})
    there = names(store.folder)

    def fail(file, header, arrays):
        write(file, header, arrays)
        raise error

    write = _checkpoint._write
    monkeypatch.setattr(_checkpoint, "_write", fail)
    with pytest.raises(type(error)):
        store.write("piece", ARRAYS)

    assert names(store.folder) == there
    assert store.has("piece") == before


KILLED = """
import os, signal, sys
import numpy as np
from bayesfloor.leaving import engine_checkpoint as _checkpoint
write = _checkpoint._write
def die(file, header, arrays):
    write(file, header, arrays)
    os.kill(os.getpid(), signal.SIGKILL)
_checkpoint._write = die
_checkpoint.Store(*sys.argv[1:]).write("piece", {"a": np.arange(100_000)})
"""


@pytest.mark.posix
@pytest.mark.process
def test_a_kill_while_a_piece_is_written_leaves_no_piece(store):
    """Workers are killed when memory is short."""
    done = subprocess.run([sys.executable, "-c", KILLED, store.folder, store.key], check=False, timeout=60)

    assert done.returncode == -signal.SIGKILL
    assert not store.has("piece")
    store.write("piece", ARRAYS)
    assert list(store.read("piece")) == list(ARRAYS)


def test_writers_of_one_piece_do_not_trip_over_one_another(store):
    """Dask may run a task twice; readers see one of the two, whole."""
    failures, done = [], threading.Event()

    def work(number):
        try:
            for _ in range(30):
                store.write("piece", {"a": np.full(20_000, number), "b": np.full((3, 3), number)})
        except (OSError, CheckpointError) as error:
            failures.append(error)

    def read():
        while not done.is_set():
            piece = store.read("piece")
            if len({*piece["a"], *piece["b"].ravel()}) != 1:
                failures.append(piece)

    work(0)
    writers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    reader = threading.Thread(target=read)
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()

    assert failures == []
    assert names(store.folder) == ["bayesfloor.json", "piece.arrays"]


WRITER = """
import sys
import numpy as np
from bayesfloor.leaving.engine_checkpoint import open_store
store = open_store(sys.argv[1], {"data": "abc", "rows": 10})
print("ready", flush=True)
sys.stdin.readline()
for k in range(50):
    store.write("piece", {"a": np.full(50_000, int(sys.argv[2]))})
"""


@pytest.mark.process
def test_processes_may_open_one_new_folder_and_write_one_piece(tmp_path):
    """Two machines that were started at once."""
    pipes, folder = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}, tmp_path / "store"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, folder, str(k)], **pipes) for k in range(3)]
    assert [writer.stdout.readline() for writer in writers] == ["ready\n"] * 3
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=60)

    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert names(folder) == ["bayesfloor.json", "piece.arrays"]
    assert len(set(open_store(folder, WHAT).read("piece")["a"])) == 1


@pytest.mark.posix
def test_a_full_disk_leaves_nothing_half_written(small_disk):
    """And says which file, and that finished pieces are kept."""
    store = open_store(small_disk / "store", WHAT)
    store.write("small", {"a": np.arange(100)})
    for _ in range(2):
        with pytest.raises(
            OSError, match=r"The disk is full: .*large\.arrays could not be written.*are kept"
        ) as failure:
            store.write("large", {"a": np.zeros(100), "b": np.zeros(300_000)})
        assert failure.value.errno == errno.ENOSPC

    assert names(store.folder) == ["bayesfloor.json", "small.arrays"]
    assert np.array_equal(open_store(store.folder, WHAT).read("small")["a"], np.arange(100))
    store.write("larger", {"a": np.zeros(100_000)})  # there is room for it again


@pytest.mark.posix
def test_a_full_disk_keeps_the_old_piece(small_disk):
    """A join that is done again with more in it."""
    store = open_store(small_disk / "store", WHAT)
    store.write("piece", {"a": np.arange(100)})
    with pytest.raises(OSError, match="The disk is full"):
        store.write("piece", {"a": np.zeros(300_000)})

    assert np.array_equal(store.read("piece")["a"], np.arange(100))


@pytest.mark.posix
def test_a_disk_without_room_for_a_description_is_told_at_once(small_disk):
    """Not after the first hour; the folder stays empty, and can be used when there is room."""
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 2**20)
    with pytest.raises(OSError, match=r"The disk is full: .*store could not be written"):
        open_store(small_disk / "store", WHAT)
    assert names(small_disk) in (["filler"], ["filler", "store"])
    filler.unlink()

    assert names(open_store(small_disk / "store", WHAT).folder) == ["bayesfloor.json"]


@pytest.mark.posix
def test_a_read_only_disk_is_told_at_once(small_disk):
    """What is there can be read."""
    store = open_store(small_disk, WHAT)
    store.write("piece", ARRAYS)
    subprocess.run([shutil.which("mount"), "-o", "remount,ro", small_disk], check=True)

    for work in (lambda: open_store(small_disk, WHAT), lambda: open_store(small_disk / "new", WHAT)):
        with pytest.raises(OSError, match=r"could not be written: Read-only file system"):
            work()
    with pytest.raises(OSError, match=r"other\.arrays could not be written: Read-only file system"):
        store.write("other", ARRAYS)
    store.remove("piece")  # nobody needs it, and nobody is told
    assert list(store.read("piece")) == list(ARRAYS)


@pytest.mark.posix
@pytest.mark.skipif(ROOT, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to_is_told_at_once(tmp_path):
    """By its name."""
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="could not be written"):
        open_store(tmp_path, WHAT)

    assert names(tmp_path) == []
