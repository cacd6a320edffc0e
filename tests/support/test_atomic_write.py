"""Files are written whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bayesfloor.support._files import write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def names(folder):
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize("content", ["", "text\n", "ä漢\U0001f600", b"\x00\xff", "x" * 5_000_000])
def test_what_was_given_is_in_the_file(tmp_path, content):
    """Texts as UTF-8, bytes as they are, line ends untouched."""
    path = tmp_path / "out"
    data = content.encode() if isinstance(content, str) else content

    assert write_whole(path, content) == path
    assert path.read_bytes() == data
    assert names(tmp_path) == ["out"]


def test_paths_may_be_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert write_whole("out.txt", "a\r\nb\n") == Path("out.txt")
    assert (tmp_path / "out.txt").read_bytes() == b"a\r\nb\n"


def test_half_characters_do_no_harm(tmp_path):
    """A label may hold one; the rest of the report is worth having."""
    assert write_whole(tmp_path / "out", "a\ud800b").read_bytes() == rb"a\ud800b"


@posix
@pytest.mark.slow
def test_a_file_that_grows_too_large_is_named(tmp_path):
    """By the name that was asked for; the temporary one is nobody's."""
    code = "import resource, signal, sys; from bayesfloor.support._files import write_whole\n"
    code += "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n"
    code += "write_whole(sys.argv[1], 'x' * 100)"
    asked = [sys.executable, "-c", code, str(tmp_path / "out.json")]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stderr

    assert told.splitlines()[-1] == f"OSError: [Errno 27] File too large: '{tmp_path / 'out.json'}'"
    assert names(tmp_path) == []


def test_a_file_that_is_there_is_replaced(tmp_path):
    """Wholly, even by a shorter one."""
    path = tmp_path / "out"
    path.write_text("much longer than the next")
    write_whole(path, "short")

    assert path.read_text() == "short"


@pytest.mark.parametrize("where", ["write_bytes", "replace"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_an_interruption_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, where, error):
    """A full disk, or Ctrl-C, must not cost last week's report."""
    path = tmp_path / "out"
    path.write_text("old")

    def fail(self, *_):
        Path.touch(self)
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(Path, where, fail)
        with pytest.raises(type(error)):
            write_whole(path, "new")

    assert path.read_text() == "old"
    assert names(tmp_path) == ["out"]


KILLED = """
import os, signal, sys
from pathlib import Path
from bayesfloor.support._files import write_whole
def die(self, target):
    os.kill(os.getpid(), signal.SIGKILL)
Path.replace = die
write_whole(sys.argv[1], "new")
"""


@posix
@pytest.mark.slow
def test_a_kill_leaves_the_old_file(tmp_path):
    """Nobody can clean up after it, but nobody reads half a file either."""
    path = tmp_path / "out"
    path.write_text("old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=60)

    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"


@pytest.mark.slow
def test_readers_never_see_half_a_file(tmp_path):
    """A page that is served while it is written again."""
    path, sizes, done = tmp_path / "out", set(), threading.Event()
    write_whole(path, b"x" * 1_000_000)

    def read():
        while not done.is_set():
            sizes.add(len(path.read_bytes()))

    reader = threading.Thread(target=read)
    reader.start()
    for k in range(30):
        write_whole(path, b"y" * (1_000_000 + k % 2))
    done.set()
    reader.join()

    assert sizes <= {1_000_000, 1_000_001}


def test_threads_do_not_trip_over_one_another(tmp_path):
    """Two checks of one process may write to one place; the last one wins."""
    path, failures = tmp_path / "out", []

    def write(letter):
        for _ in range(50):
            try:
                write_whole(path, letter * 100_000)
            except OSError as error:
                failures.append(error)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert set(path.read_text()) in [{letter} for letter in "abcd"]
    assert names(tmp_path) == ["out"]


@posix
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_new_files_have_the_rights_that_the_user_set(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        path = write_whole(tmp_path / "out", "text")
    finally:
        os.umask(before)

    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_keeps_its_rights(tmp_path, mode):
    """A private file that is written again is no less private."""
    path = tmp_path / "out"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, "new")

    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_a_pipe_takes_what_it_gets(tmp_path):
    """Shells hand out pipes as files."""
    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    write_whole(path, "through the pipe")
    reader.join(30)

    assert got == [b"through the pipe"]
    assert path.is_fifo()


@posix
def test_a_device_takes_what_it_gets():
    write_whole("/dev/null", "gone")

    assert Path("/dev/null").is_char_device()


@posix
def test_a_link_stays_a_link(tmp_path):
    """The file that it points to is meant: "latest.html" is often one."""
    there, link = tmp_path / "there", tmp_path / "link"
    there.write_text("old")
    link.symlink_to(there)
    write_whole(link, "new")

    assert link.is_symlink()
    assert there.read_text() == "new"


TO_STDOUT = """
import sys
from bayesfloor.support._files import write_whole
write_whole(sys.argv[1], "to standard output")
"""


@posix
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_standard_output_in_a_file_takes_what_it_gets(tmp_path):
    """``--json /dev/stdout > file``: the link to the output must not be replaced by a file."""
    link, out = tmp_path / "stdout", tmp_path / "out"
    link.symlink_to("/proc/self/fd/1")  # as /dev/stdout is
    with out.open("wb") as stream:
        subprocess.run([sys.executable, "-c", TO_STDOUT, str(link)], check=True, stdout=stream, timeout=60)

    assert link.is_symlink()
    assert out.read_text() == "to standard output"


@pytest.mark.parametrize("name", ["x" * 250, "漢" * 80, "ü" * 125, "." + "x" * 200, "a b\nc", "-rf", "'\"`$"])
def test_every_name_that_a_file_may_have_is_taken(tmp_path, name):
    """255 bytes on most systems, which are fewer characters in most scripts."""
    try:
        (tmp_path / name).touch()
    except OSError:
        pytest.skip("this system has no such names")

    assert write_whole(tmp_path / name, "text").read_text() == "text"
    assert names(tmp_path) == [name]


def test_a_missing_folder_is_named(tmp_path):
    """Not some hidden file that nobody asked for."""
    with pytest.raises(FileNotFoundError) as failure:
        write_whole(tmp_path / "nowhere" / "out.json", "text")

    assert "nowhere" in str(failure.value)
    assert ".part" not in str(failure.value)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(OSError, match=r"."):
        write_whole(tmp_path, "text")

    assert tmp_path.is_dir()


@posix
@pytest.mark.skipif(ROOT, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to_is_named(tmp_path):
    """Not some hidden file that nobody asked for."""
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)

    with pytest.raises(PermissionError) as failure:
        write_whole(folder / "out.json", "text")

    assert "locked" in str(failure.value)
    assert ".part" not in str(failure.value)
    assert names(folder) == []


def test_two_names_that_begin_alike_do_not_meet(tmp_path):
    """Long names are cut for the file that is moved into place."""
    names = ["x" * 230 + letter for letter in "ab"]
    for name in names:
        write_whole(tmp_path / name, name[-1])

    assert [(tmp_path / name).read_text() for name in names] == ["a", "b"]
