"""Ctrl-C and the end of a job: a line, a code, and no half file."""

import os
import signal
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="needs POSIX"), pytest.mark.slow]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Enough rows for many seconds of work."""
    X = np.random.default_rng(0).normal(size=(40_000, 12))
    columns = {f"x{k}": X[:, k] for k in range(X.shape[1])}
    path = tmp_path_factory.mktemp("large") / "large.parquet"
    pq.write_table(pa.table({**columns, "label": (X[:, 0] > 0).astype(int)}), path)
    return path


def stop(command, number, stage, *args, cwd):
    """Code and texts of a process that gets a signal as soon as it is at a stage."""
    with command.begin(*args, "-v", cwd=cwd) as process:
        try:
            while stage not in (line := process.stderr.readline()):
                assert line, "it ended by itself"
            process.send_signal(number)
            said, told = process.communicate(timeout=120)
        finally:
            process.kill()
    return process.returncode, said, told


def left_out(told):
    """What was told beside the stages; an empty line may part it from the ^C of a terminal."""
    return [line for line in told.splitlines() if line and line.split()[1:2] != ["s"]]


@pytest.mark.parametrize(
    ("number", "asked", "stage"),
    [
        (signal.SIGINT, ("samples", "-o", "rows.csv"), "neighbours"),
        (signal.SIGTERM, ("report", "-o", "old.html", "--json", "new.json"), "subsamples"),
    ],
)
def test_a_signal_ends_the_command_with_a_line_and_leaves_no_half_file(process, large, tmp_path, number, asked, stage):
    """Whoever stops it wants the prompt back, and the old report as it was; schedulers send another when time is up."""
    (tmp_path / "old.html").write_text("old", encoding="utf-8")
    code, said, told = stop(process, number, stage, *asked, "-y", "label", large, cwd=tmp_path)

    assert (code, said) == (128 + number, "")
    assert left_out(told) == ["interrupted; no partial files are left"]
    assert [path.name for path in tmp_path.iterdir()] == ["old.html"]
    assert (tmp_path / "old.html").read_text("utf-8") == "old"


# Where the interrupt comes while the command starts: (what is done before, the words of the command).
LOST = {
    "a module that is imported": "import builtins, signal\n"
    "real = builtins.__import__\n"
    "def late(name, *rest, **options):\n"
    "    if name == MODULE and not asked:\n"
    "        asked.append(name)\n"
    "        signal.raise_signal(signal.SIGINT)\n"
    "    return real(name, *rest, **options)\n"
    "asked = []\n"
    "builtins.__import__ = late\n",
    # What threadpoolctl does, and every callback from C: the exception is printed and dropped.
    "a callback from C": "import ctypes, signal\n"
    "import bayesfloor.io._open_data as module\n"
    "real = module.open_data\n"
    "def late(*args, **options):\n"
    "    ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))()\n"
    "    return real(*args, **options)\n"
    "module.open_data = late\n",
    # What compiled modules do with any error of their imports.
    "an ImportError": "import signal\n"
    "import bayesfloor.io._open_data as module\n"
    "def late(*args, **options):\n"
    "    try:\n"
    "        signal.raise_signal(signal.SIGINT)\n"
    "    except KeyboardInterrupt:\n"
    "        raise ImportError('numpy._core.multiarray failed to import') from None\n"
    "module.open_data = late\n",
}
STARTED = "import sys\nfrom bayesfloor.cli._entry import main\nsys.argv[0] = 'bayesfloor'\nmain()\n"


@pytest.mark.parametrize(
    ("way", "module"),
    [
        ("a module that is imported", "click"),
        ("a module that is imported", "jinja2"),
        ("a module that is imported", "sklearn.base"),
        ("a callback from C", ""),
        ("an ImportError", ""),
    ],
)
def test_an_interrupt_is_never_lost_nor_called_by_another_name(process, files, tmp_path, way, module):
    """Ctrl-C while modules are imported ended with exit 0 and a whole report, or as an ImportError."""
    code = LOST[way].replace("MODULE", repr(module)) + STARTED
    ended = process(
        *("report", files / "easy.csv", "-y", "label", "--effort", "quick", "-o", tmp_path / "page.html"),
        start=[sys.executable, "-c", code],
    )

    assert (ended.code, ended.stdout) == (130, "")
    assert ended.stderr.splitlines()[-1] == "interrupted; no partial files are left"
    assert way == "a callback from C" or len(left_out(ended.stderr)) == 1
    assert list(tmp_path.iterdir()) == []


# Compiled modules may run Python while they are imported: after an interrupt there, Python ends itself with SIGINT.
RUN_BY_C = """
import ctypes
import bayesfloor.io._open_data as module
real = module.open_data
def late(*args, **options):
    ctypes.pythonapi.PyRun_SimpleString(b"import signal; signal.raise_signal(signal.SIGTERM)")
    return real(*args, **options)
module.open_data = late
from bayesfloor.cli._entry import main
main()
"""


def test_the_end_of_a_job_has_its_own_exit_code_wherever_the_signal_came(process, files, tmp_path):
    """Schedulers look at it; one that came while modules were imported looked like Ctrl-C."""
    (tmp_path / "started.py").write_text(RUN_BY_C, "utf-8")
    start = [sys.executable, "-m", "started"]
    ended = process("check", files / "easy.csv", "-y", "label", start=start, cwd=tmp_path)

    assert (ended.code, ended.stdout) == (128 + signal.SIGTERM, "")
    assert ended.stderr.splitlines()[-1] == "interrupted; no partial files are left"
