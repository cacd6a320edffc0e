"""Small files of data, and the command: in this process, and in one of its own."""

import gzip
import io
import logging
import os
import shutil
import signal
import subprocess
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from bayesfloor.cli._entry import main
from bayesfloor.cli._terminal import ENDED
from bayesfloor.summary import schema

# Whoever runs the tests may have set these; a test that needs one sets it.
_NAMES = """
    BAYESFLOOR_DEBUG COLUMNS FORCE_COLOR GITHUB_STEP_SUMMARY LC_ALL LINES
    NO_COLOR PYTHONIOENCODING TTY_COMPATIBLE TTY_INTERACTIVE
"""
_UNSET = _NAMES.split()
_USUAL = {"OMP_NUM_THREADS": "1", "PYTHONUTF8": "1", "TERM": "xterm-256color"}


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it said; a terminal has one text for both, under ``stdout``."""

    code: int
    stdout: str
    stderr: str
    peak: int = 0


def _ended(code, stdout, stderr):
    return Ended(code, *(stream.decode().replace("\r\n", "\n") for stream in (stdout, stderr)))


def _variables(**more):
    """What differs from the environment of the tests; None unsets a variable."""
    return {**dict.fromkeys(_UNSET), **_USUAL, **more}


def _run_here(*args, cwd=None, given=b"", terminal=False, may_stop=False, **environment):
    """Run to the end in this process, with all that the command finds and leaves in one of its own.

    A ``terminal`` takes both streams; whoever sends a signal says that the command ``may_stop``.
    """
    if fixed := environment.keys() & {"LC_ALL", "PYTHONIOENCODING", "PYTHONUTF8"}:
        pytest.fail(f"Python reads {', '.join(fixed)} only when it starts: use the fixture process")
    with pytest.MonkeyPatch.context() as patch, _warnings_to_stderr(), _logs_to_stderr():
        for name, value in _variables(**environment).items():
            if value is None:
                patch.delenv(name, raising=False)
            else:
                patch.setenv(name, value)
        patch.chdir(cwd or Path.cwd())
        patch.setattr(sys, "argv", ["bayesfloor", *map(str, args)])
        patch.setattr(sys, "stdin", _stream(given))
        patch.setattr(sys, "stdout", _stream())
        patch.setattr(sys, "stderr", _stream(errors="backslashreplace"))
        if terminal:
            patch.setattr(sys, "stdout", _Terminal(io.BytesIO(), "utf-8", write_through=True))
            patch.setattr(sys, "stderr", sys.stdout)
        with pytest.raises(SystemExit) as end:
            main()
        sys.stdout.flush()
        sys.stderr.flush()
        said = [stream.buffer.getvalue() for stream in (sys.stdout, sys.stderr)]
        ended = _ended(end.value.code, said[0], b"" if terminal else said[1])
    if ended.code == ENDED and not may_stop:
        raise KeyboardInterrupt  # it was meant for the tests
    return ended


class _Terminal(io.TextIOWrapper):
    def isatty(self):
        return True


def _stream(content=b"", errors="surrogateescape"):
    """A stream as Python has it in its UTF-8 mode."""
    return io.TextIOWrapper(io.BytesIO(content), "utf-8", errors)


@contextmanager
def _warnings_to_stderr():
    """Python's own filters; pytest's would make them errors."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        warnings.showwarning = lambda *warning: sys.stderr.write(warnings.formatwarning(*warning[:4]))
        yield


@contextmanager
def _logs_to_stderr():
    """Python's last resort, which pytest's handlers would be before; levels that the command sets are set back."""
    loggers = [logging.getLogger(name) for name in (None, "bayesfloor.decide")]
    levels, handlers = [logger.level for logger in loggers], logging.root.handlers
    logging.root.handlers = []
    logging.root.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logging.root.handlers = handlers
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class Command:
    """The installed command ``bayesfloor``, in a process of its own."""

    def __init__(self):
        found = shutil.which("bayesfloor", path=str(Path(sys.executable).parent))
        assert found, "the command is not installed beside this Python"
        self.path = found

    def environment(self, **more):
        """Variables as a user would have them; None unsets one."""
        return {name: value for name, value in {**os.environ, **_variables(**more)}.items() if value is not None}

    def __call__(self, *args, cwd=None, given=b"", start=(), **environment):
        """Run to the end; ``start`` is another way to start it."""
        ended = subprocess.run(
            [*(start or [self.path]), *map(str, args)],
            cwd=cwd,
            input=given,
            capture_output=True,
            env=self.environment(**environment),
            timeout=300,
            check=False,
        )
        return _ended(ended.returncode, ended.stdout, ended.stderr)

    def begin(self, *args, cwd=None, **streams):
        """Start in a session of its own, with Ctrl-C at work even where it is ignored here, as behind an ``&``."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return subprocess.Popen(
                [self.path, *map(str, args)],
                cwd=cwd,
                env=self.environment(),
                start_new_session=True,
                text=True,
                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
            )
        finally:
            signal.signal(signal.SIGINT, before)

    def in_terminal(self, *args, cwd=None, columns=100, **environment):
        """Run to the end with a terminal on all streams; ``peak`` is the memory in bytes."""
        import pty
        import termios

        leader, follower = pty.openpty()
        termios.tcsetwinsize(follower, (40, columns))
        with subprocess.Popen(
            [self.path, *map(str, args)],
            cwd=cwd,
            env=self.environment(**environment),
            start_new_session=True,
            stdin=follower,
            stdout=follower,
            stderr=follower,
        ) as process:
            os.close(follower)
            said = _read_all(leader)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        os.close(leader)
        unit = 1 if sys.platform == "darwin" else 1024
        return Ended(process.returncode, said.decode().replace("\r\n", "\n"), "", usage.ru_maxrss * unit)


def _read_all(leader):
    said = b""
    while True:
        try:
            part = os.read(leader, 1 << 16)
        except OSError:  # how Linux says that nobody is left at the other end
            return said
        if not part:
            return said
        said += part


@pytest.fixture(scope="session")
def run():
    """The command in this process: call it with arguments. That both ways are the same is tested per verb."""
    return _run_here


@pytest.fixture(scope="session")
def process():
    """The command in a process of its own, for what only that can show."""
    return Command()


@pytest.fixture(scope="session")
def validate():
    """Holds a result against the schema, which is itself looked at once."""
    kind = jsonschema.validators.validator_for(schema())
    kind.check_schema(schema())
    return kind(schema()).validate


def make_rows(sizes, gap, n_features=3):
    """Features around centres so far apart, and the number of each row's class.

    The draw is the same for all seeds: what the command does with numbers is the subject here.
    """
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(codes), n_features))
    X[:, 0] += gap * codes
    return np.round(X, 6), codes


def make_table(X, labels, **more):
    return pa.table({**{f"x{k}": X[:, k] for k in range(X.shape[1])}, "label": labels, **more})


@pytest.fixture(scope="session")
def write():
    def write_csv(path, X, labels, **more):
        pacsv.write_csv(make_table(X, labels, **more), path)
        return path

    return write_csv


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """A folder with one dataset in every format: three classes far apart."""
    folder = tmp_path_factory.mktemp("files")
    X, codes = make_rows((50, 50, 50), 8)
    labels = np.array(["cat", "dog", "hen"])[codes]
    table = make_table(X, labels)
    pacsv.write_csv(table, folder / "easy.csv")
    pacsv.write_csv(table, folder / "easy.tsv", pacsv.WriteOptions(delimiter="\t"))
    (folder / "easy.csv.gz").write_bytes(gzip.compress((folder / "easy.csv").read_bytes()))
    pq.write_table(table, folder / "easy.parquet")
    feather.write_feather(table, folder / "easy.arrow")
    np.savez(folder / "easy.npz", X=X, y=labels)
    np.save(folder / "easy.npy", X)
    (folder / "names.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
    pq.write_table(pa.table({"vector": X.tolist(), "label": labels}), folder / "lists.parquet")
    return folder


@pytest.fixture(scope="session")
def hard(tmp_path_factory, write):
    """Two classes that overlap so much, in so few dimensions, that no target of 99 % can be met."""
    X, codes = make_rows((500, 500), 0.6, 2)
    return write(tmp_path_factory.mktemp("hard") / "hard.csv", X, np.array(["cat", "dog"])[codes])


@pytest.fixture(scope="session")
def wrong():
    """The rows of ``mislabelled`` that have a wrong label."""
    return list(range(3, 900, 10))


@pytest.fixture(scope="session")
def mislabelled(tmp_path_factory, write, wrong):
    """Three classes far apart with some wrong labels, and names for the rows."""
    X, codes = make_rows((300, 300, 300), 20, 2)
    codes[wrong] = (codes[wrong] + 1) % 3
    names = [f"name-{k}" for k in range(len(X))]
    return write(tmp_path_factory.mktemp("odd") / "odd.csv", X, np.array(["cat", "dog", "hen"])[codes], name=names)
