"""Ctrl-C and the end of a job: a line, a code, and no half file."""

import signal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = [pytest.mark.posix, pytest.mark.process, pytest.mark.slow]


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
    ("verb", "args", "stage"),
    [
        pytest.param("report", ("-o", "old.html", "--json", "new.json"), "subsamples", marks=pytest.mark.nightly),
        ("samples", ("-o", "rows.csv"), "neighbours"),
    ],
)
def test_ctrl_c_ends_with_a_line_and_leaves_no_half_file(process, large, tmp_path, verb, args, stage):
    """Whoever stops it wants the prompt back, not a page of tracebacks, and the old report as it was."""
    (tmp_path / "old.html").write_text("old", encoding="utf-8")
    code, said, told = stop(process, signal.SIGINT, stage, verb, large, "-y", "label", *args, cwd=tmp_path)

    assert (code, said) == (130, "")
    assert left_out(told) == ["interrupted; nothing half-written is left"]
    assert [path.name for path in tmp_path.iterdir()] == ["old.html"]
    assert (tmp_path / "old.html").read_text("utf-8") == "old"


def test_the_end_of_a_job_leaves_no_half_file(process, large, tmp_path):
    """Schedulers send it when time is up; what lies there must be whole."""
    (tmp_path / "old.html").write_text("old", encoding="utf-8")
    asked = ("report", large, "-y", "label", "-o", "old.html")
    code, said, told = stop(process, signal.SIGTERM, "subsamples", *asked, cwd=tmp_path)

    assert code in (-signal.SIGTERM, 128 + signal.SIGTERM)
    assert (said, "Traceback" in told) == ("", False)
    assert [path.name for path in tmp_path.iterdir()] == ["old.html"]
    assert (tmp_path / "old.html").read_text("utf-8") == "old"
