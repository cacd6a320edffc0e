"""Handles of rows: small, exact, and never of rows that changed behind them."""

import io
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.lib import format as npy

from bayesfloor.io import InputError, open_rows
from bayesfloor.leaving import engine_npy_file as _npy_file
from bayesfloor.leaving import engine_row_handles as _row_handles
from bayesfloor.leaving.engine_labelled_rows import open_labelled
from bayesfloor.leaving.engine_row_handles import ArrayRows, NpyRows, is_place
from bayesfloor.support._files import digest_files, find_state

DTYPES = ["float64", "float32", "float16", "longdouble", "int64", "uint8", "bool", ">f8", ">i2"]

# Arrays that are no rows of numbers.
WRONG = {
    "one dimension": np.zeros(3),
    "three dimensions": np.zeros((2, 2, 2)),
    "no rows": np.zeros((0, 2)),
    "no features": np.zeros((2, 0)),
    "texts": np.array([["a", "b"]]),
    "complex": np.zeros((2, 2), complex),
    "times": np.zeros((2, 2), "M8[s]"),
    "records": np.zeros((2, 2), [("a\n", "f8")]),
}


@pytest.fixture(name="X")
def some_rows(global_random_seed):
    """A few rows."""
    return np.random.default_rng(global_random_seed).standard_normal((20, 3))


@pytest.fixture(params=["array", "npy", "fortran array", "fortran npy"])
def rows(request, X, tmp_path):
    """The same rows in memory and in a file, by row and by column."""
    X = np.asfortranarray(X) if "fortran" in request.param else X
    if "array" in request.param:
        return open_rows(X)
    np.save(tmp_path / "rows.npy", X)
    return open_rows(tmp_path / "rows.npy")


@pytest.fixture
def saved(tmp_path):
    """Writer of a .npy file: array -> its path."""

    def save(array, name="rows.npy"):
        np.save(tmp_path / name, array)
        return tmp_path / name

    return save


def equal(got, expected):
    """Whether an array is plain float64, by row, and bit for bit as expected."""
    exact = type(got) is np.ndarray and got.dtype == np.float64 and got.flags.c_contiguous and got.flags.writeable
    return exact and np.array_equal(got, expected)


def test_a_handle_tells_the_shape_and_reads_the_rows(rows, X):
    """Whatever holds them."""
    assert rows.shape == (20, 3)
    assert equal(rows.read(), X)


@pytest.mark.parametrize(("start", "stop"), [(0, 20), (0, 1), (19, 20), (4, 11), (7, 7), (15, 99)])
def test_a_part_is_a_handle_of_these_rows_alone(rows, X, start, stop):
    """Parts beyond the end stop there, as slices do."""
    part = rows.part(start, stop)

    assert part.shape == X[start:stop].shape
    assert equal(part.read(), X[start:stop])


def test_a_part_of_a_part_counts_from_its_own_first_row(rows, X):
    """And never sees beyond its own last one."""
    part = rows.part(3, 17).part(2, 9)

    assert equal(part.read(), X[5:12])
    assert equal(part.take(np.array([0, 6])), X[[5, 11]])
    assert equal(part.part(5, 99).read(), X[10:12])


@pytest.mark.parametrize("wanted", [[], [7], [3, 3, 3], [19, 0, 5, 5, 0], list(range(19, -1, -1))])
def test_single_rows_come_in_the_order_asked_for(rows, X, wanted):
    """Some of them twice."""
    wanted = np.array(wanted, dtype=np.int64)

    assert equal(rows.take(wanted), X[wanted])


def test_rows_that_are_not_there_are_refused(rows):
    """Not made up."""
    with pytest.raises(IndexError):
        rows.part(0, 5).take(np.array([5]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_of_any_kind_are_read_as_float64(saved, tmp_path, dtype):
    """As NumPy converts them."""
    X = (np.arange(12).reshape(4, 3) % 5).astype(dtype)
    for rows in (open_rows(X), open_rows(saved(X)), open_rows(X).on_disk(str(tmp_path))):
        assert equal(rows.read(), X.astype(np.float64))
        assert equal(rows.take(np.array([2, 0])), X[[2, 0]].astype(np.float64))


def test_what_was_read_is_the_callers_own(X):
    """Kernels write into their rows."""
    rows = open_rows(X)
    rows.read()[:] = 0
    rows.take(np.arange(3))[:] = 0

    assert np.count_nonzero(X) == X.size


def test_lists_are_rows_too():
    """And handles stay what they are."""
    rows = open_rows([[1, 2], [3, 4]])

    assert equal(rows.read(), [[1, 2], [3, 4]])
    assert open_rows(rows) is rows


@pytest.mark.parametrize("path", [str, Path])
def test_files_are_told_by_texts_and_paths(saved, X, path):
    """Relative ones are found by workers in other folders."""
    rows = open_rows(path(saved(X)))

    assert is_place(rows)
    assert is_place(path("rows.npy"))
    assert not is_place(X)
    assert equal(rows.read(), X)


def test_relative_paths_are_made_absolute(saved, X, tmp_path, monkeypatch):
    """A worker's folder is another one."""
    saved(X)
    monkeypatch.chdir(tmp_path)
    rows = open_rows("rows.npy")
    monkeypatch.chdir("/")

    assert equal(rows.read(), X)


def test_a_handle_of_a_file_is_small(saved):
    """It goes to every task."""
    rows = open_rows(saved(np.zeros((100_000, 2))))

    assert len(pickle.dumps(rows.part(10, 90_000))) < 500
    assert pickle.loads(pickle.dumps(rows)) == rows  # noqa: S301 - our own


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("where", ["memory", "file"])
def test_what_is_no_matrix_of_numbers_is_refused(saved, kind, where):
    """With its shape and its type."""
    array = WRONG[kind]
    with pytest.raises(ValueError, match="expected a matrix of numbers") as failure:
        open_rows(array if where == "memory" else saved(array))

    assert str(array.shape) in str(failure.value)
    assert str(failure.value).isprintable()


def test_objects_are_never_unpickled(saved):
    """A file must not run code."""
    with pytest.raises(ValueError, match=r"rows\.npy cannot be read as \.npy: .*objects"):
        open_rows(saved(np.array([[1, None]], dtype=object)))


def test_a_npy_file_cut_anywhere_is_refused_by_name(saved, X):
    """A download that stopped."""
    path = saved(X[:4])
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match=r"rows\.npy cannot be read as \.npy"):
            open_rows(path)


def test_a_npy_file_with_a_damaged_header_is_refused_by_name(saved, X):
    """NumPy has errors of its own for each way to be damaged."""
    path = saved(X[:4])
    whole = path.read_bytes()
    for at in range(75):
        for byte in b"\0 '{,9\xff":
            path.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
            try:
                open_rows(path).read()
            except (ValueError, OSError) as error:
                assert "rows.npy" in str(error)  # noqa: PT017 - some damage does no harm


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format_is_read(tmp_path, X, version):
    """NumPy chooses one by the length and the letters of the header."""
    with (tmp_path / "rows.npy").open("wb") as file:
        npy.write_array(file, X, version)

    assert equal(open_rows(tmp_path / "rows.npy").read(), X)


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_are_read_a_few_at_a_time(saved, X, monkeypatch, order):
    """As few as one, and those far apart by themselves."""
    monkeypatch.setattr(_npy_file, "_READ_AT_ONCE", 64)
    monkeypatch.setattr(_npy_file, "_SKIPPED", 48)
    rows = open_rows(saved(np.asarray(X, order=order)))

    assert equal(rows.read(), X)
    for wanted in ([0, 19], [3, 4, 6, 12, 13, 19], [19, 2, 2, 8]):
        assert equal(rows.take(np.array(wanted)), X[wanted])


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_file_that_gets_shorter_while_it_is_read_is_refused(saved, X, monkeypatch, order):
    """Had it been mapped, the process would die."""
    monkeypatch.setattr(_npy_file, "_READ_AT_ONCE", 64)
    path = saved(np.asarray(np.tile(X, (500, 1)), order=order))  # larger than the buffer of a file
    pieces = _npy_file.open_npy(path).pieces([(0, 10_000)])
    next(pieces)
    os.truncate(path, 200)

    with pytest.raises(InputError, match=r"rows\.npy changed while it was in use"):
        list(pieces)


def test_a_file_that_changes_while_it_is_read_is_refused(saved, X, monkeypatch):
    """Its first rows would be old and its last ones new."""
    path = saved(X)
    rows, read = open_rows(path), _npy_file.NpyFile.read

    def write_again(file, *limits):
        found = read(file, *limits)
        os.utime(path, ns=(0, 0))
        return found

    monkeypatch.setattr(_npy_file.NpyFile, "read", write_again)
    with pytest.raises(InputError, match="changed while it was in use"):
        rows.read()


HALVES = [  # of a character; Windows has files of such names
    pytest.param(name, marks=pytest.mark.posix) for name in ("\ud800.npy", "\ud800", "\ud800.parquet")
]


@pytest.mark.parametrize("name", ["a\0b.npy", "a\0b", *HALVES])
def test_a_name_that_no_file_can_have_is_refused(name):
    """Wherever it comes from."""
    for work in (open_rows, lambda name: open_labelled(name, "label")):
        with pytest.raises(InputError, match="no file can have this name") as failure:
            work(name)
        assert str(failure.value).isprintable()


@pytest.mark.posix
@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_a_pipe_is_no_file_of_rows(tmp_path, suffix):
    """To open it would wait for ever."""
    os.mkfifo(tmp_path / f"rows{suffix}")

    with pytest.raises(InputError, match=rf"rows\{suffix}, but expected a regular file"):
        open_rows(tmp_path / f"rows{suffix}")


def test_an_archive_of_arrays_is_no_npy_file(tmp_path, X):
    """Whatever its name says."""
    stream = io.BytesIO()
    np.savez(stream, X)
    (tmp_path / "rows.npy").write_bytes(stream.getvalue())

    with pytest.raises(ValueError, match=r"rows\.npy cannot be read as \.npy"):
        open_rows(tmp_path / "rows.npy")


def test_a_missing_file_is_named_in_one_line(tmp_path):
    """Even if its name clears the screen."""
    with pytest.raises(FileNotFoundError, match="There is no file") as failure:
        open_rows(tmp_path / "no\x1b[2J\n.npy")

    assert r"no\x1b[2J\n.npy" in str(failure.value)
    assert str(failure.value).isprintable()


def test_a_damaged_file_is_named_in_one_line(tmp_path):
    """The error is shown in a terminal."""
    path = tmp_path / "a\x1b[2J\nb.npy"
    path.write_bytes(b"no array")
    with pytest.raises(ValueError, match="cannot be read") as failure:
        open_rows(path)

    assert str(failure.value).isprintable()


@pytest.mark.parametrize("use", ["read", "take", "part"])
def test_a_file_that_changed_is_refused(saved, X, use):
    """Half of the work would be about other rows."""
    path = saved(X)
    rows = open_rows(path)
    saved(np.vstack([X, X]))
    work = {"read": rows.read, "take": lambda: rows.take(np.arange(2)), "part": rows.part(0, 3).read}[use]

    with pytest.raises(ValueError, match=r"rows\.npy changed while it was in use"):
        work()


def test_a_file_of_the_same_size_that_was_written_again_is_refused(saved, X):
    """Its time tells."""
    path = saved(X)
    rows, state = open_rows(path), path.stat()
    saved(-X)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1))

    with pytest.raises(ValueError, match="changed"):
        rows.read()


def test_a_file_that_was_removed_is_named(saved, X):
    """Scratch disks are emptied."""
    path = saved(X)
    rows = open_rows(path)
    path.unlink()

    with pytest.raises(FileNotFoundError, match=r"rows\.npy\. Was it moved or deleted\?"):
        rows.read()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_fingerprint_of_an_array_is_of_its_content(X, dtype, monkeypatch):
    """However it lies in memory, and however much of it is looked at at once."""
    X = (10 * X).astype(dtype)
    one = open_rows(X).fingerprint()
    monkeypatch.setattr(_row_handles, "_COPIED_AT_ONCE", 64)

    assert open_rows(np.asfortranarray(X)).fingerprint() == one
    assert open_rows(np.repeat(X, 2, axis=0)[::2]).fingerprint() == one
    assert open_rows(X.copy()).fingerprint() == one


def test_the_fingerprint_of_an_array_changes_with_it(X):
    """A checkpoint is of these rows and of no others."""
    other = X.copy()
    other[19, 2] = np.nextafter(other[19, 2], 9)
    seen = [X, other, X[::-1], X[:19], X.T, X.reshape(10, 6), X.astype("f4")]

    assert len({open_rows(array).fingerprint() for array in seen}) == len(seen)


def test_the_fingerprint_of_a_file_changes_with_it(saved, X):
    """And with the part that is meant, but not with the folder that it is in."""
    rows = open_rows(saved(X))
    before, part = rows.fingerprint(), rows.part(0, 5).fingerprint()
    saved(X[:10])

    assert len({before, part, open_rows(rows.file.path).fingerprint()}) == 3


def test_the_fingerprint_does_not_tell_of_folders(saved, X, tmp_path):
    """A folder that was moved, or is mounted elsewhere, holds the same rows."""
    before = open_rows(saved(X)).fingerprint()
    (tmp_path / "other").mkdir()
    path = (tmp_path / "rows.npy").rename(tmp_path / "other" / "rows.npy")

    assert open_rows(path).fingerprint() == before


def test_names_that_are_no_text_can_be_digested(tmp_path):
    """Old disks have such names."""
    path = tmp_path / os.fsdecode(b"rows-\xff.npy")
    try:
        path.write_bytes(b"")
    except OSError:
        pytest.skip("this system has no such names")

    assert len(digest_files([find_state(path)])) == 32


def test_rows_in_memory_go_to_disk_for_others(tmp_path, X, monkeypatch):
    """In any layout; what is there already is not written again."""
    monkeypatch.setattr(_row_handles, "_COPIED_AT_ONCE", 64)
    shared = ArrayRows(np.asfortranarray(X)).on_disk(str(tmp_path))

    assert isinstance(shared, NpyRows)
    assert equal(shared.read(), X)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.npy"]
    assert ArrayRows(X).on_disk(str(tmp_path)) == shared
    assert shared.on_disk("elsewhere") is shared


@pytest.mark.posix
def test_rows_that_do_not_fit_on_the_disk_leave_nothing(small_disk):
    """The first thing that a full disk meets."""
    with pytest.raises(OSError, match=r"The disk is full: .*rows\.npy could not be written"):
        ArrayRows(np.zeros((400_000, 1))).on_disk(str(small_disk))

    assert list(small_disk.iterdir()) == []
