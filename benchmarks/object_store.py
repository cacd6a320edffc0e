"""A check of a large Parquet folder in an object store: bytes read, memory and time.

``python -m benchmarks.object_store`` generates two normal classes in 20 features, whose Bayes error is known, writes
them as a Parquet folder, uploads it to an S3 server on this machine (moto, in a process of its own), and checks
``s3://bucket/folder`` in another process, whose memory and bytes are measured. Results are saved as JSON after each
case. ``--quick`` uses few rows; ``--show`` prints saved results. Missed goals stay in the results.

- ``mixed``: rows in random order, 25,000 in a row group.
- ``sorted``: the same rows sorted by class and by the first feature, so a few row groups would mislead; all are read.
- ``few``: rows in random order, 500,000 in a row group, one group per file: too few groups to stay within the bytes.
"""

import logging
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np

from benchmarks._command import FOLDER, Case
from benchmarks._data import SEED
from benchmarks._fresh import run_fresh
from benchmarks._results import Row, record, seconds_row
from benchmarks._timing import peak_gigabytes, seconds_of
from benchmarks.floor import goals as goals_of_cases
from benchmarks.floor import main as run_benchmark
from benchmarks.floor import tables as tables_of_cases

RESULTS = FOLDER / "object_store.json"

_FILES, _FEATURES, _DISTANCE = 20, 20, 2.0  # distance between the classes' centres
_PATIENCE = 60  # seconds until the server must answer
_MOST_BYTES, _MOST_MEMORY = 5.0, 1.0  # percent of the folder, and GB


# The folder


def write_folder(folder, n_rows, group_rows, order):
    """Write the Parquet folder and return the number of its bytes."""
    from pyarrow import table
    from pyarrow.parquet import write_table

    rng = np.random.default_rng(SEED)
    y = rng.integers(2, size=n_rows).astype(np.int8)
    first = rng.standard_normal(n_rows, dtype=np.float32) + np.float32(_DISTANCE) * y
    if order == "sorted":
        place = np.lexsort((first, y))
        y, first = y[place], first[place]
    for number, rows in enumerate(np.array_split(np.arange(n_rows), _FILES)):
        rest = {f"x{k}": rng.standard_normal(len(rows), dtype=np.float32) for k in range(1, _FEATURES)}
        columns = {"x0": first[rows], **rest, "label": y[rows]}
        write_table(table(columns), Path(folder) / f"{number:02}.parquet", row_group_size=group_rows)
    return sum(path.stat().st_size for path in Path(folder).iterdir())


# The server


def serve():
    """Run an S3 server on the port in the environment until the process is ended."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    ThreadedMotoServer("127.0.0.1", int(os.environ["PORT"]), verbose=False).start()
    time.sleep(1e9)


def start_server(port):
    """Start the server in a process of its own and wait until it answers."""
    code = "from benchmarks.object_store import serve; serve()"
    environment = {**os.environ, "PORT": str(port)}
    server = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[1], env=environment)
    for _ in range(10 * _PATIENCE):
        try:
            with urlopen(f"http://127.0.0.1:{port}/moto-api/"):
                return server
        except URLError:
            time.sleep(0.1)
    server.kill()
    raise SystemExit("The S3 server does not answer.")


def free_port():
    """Return a port that nobody uses."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# Processes of their own


def upload(folder):
    """Copy the folder into a new bucket."""
    from pyarrow import fs

    store, _ = fs.FileSystem.from_uri("s3://bucket?allow_bucket_creation=true")
    store.create_dir("bucket")
    fs.copy_files(folder, "bucket/folder", destination_filesystem=store, chunk_size=1 << 24)


def check_address(large, effort):
    """Check the address and return what it cost; tables above ``large`` bytes in memory are sampled."""
    from bayesfloor import check
    from bayesfloor.io import _find_file
    from bayesfloor.support._files import bytes_read

    _find_file._LARGE = large  # noqa: SLF001 - the quick form has few rows
    seconds, found = seconds_of(lambda: check("s3://bucket/folder", "label", effort=effort, n_jobs=1), "wall")
    answer = found.answer
    return {
        "seconds": seconds,
        "bytes": bytes_read(),
        "peak": peak_gigabytes(),
        "used": found.facts.n_used,
        "rows": found.facts.n_rows,
        "range": [answer.lower, answer.estimate, answer.upper],
        "notes": list(found.prepared.notes),
        "verdict": found.verdict,
    }


# Cases


def measure(n_rows, group_rows, order, large, effort):
    """Return the rows of one case."""
    from scipy.stats import norm

    port = free_port()
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "none", "AWS_DEFAULT_REGION": "us-east-1"}
    environment = {**keys, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}
    with tempfile.TemporaryDirectory() as folder:
        size = write_folder(folder, n_rows, group_rows, order)
        server = start_server(port)
        try:
            run_fresh("benchmarks.object_store:upload", environment, folder=folder)
            found = run_fresh("benchmarks.object_store:check_address", environment, large=large, effort=effort)
        finally:
            server.kill()
            server.wait()
    lower, estimate, upper = found["range"]
    truth = norm.cdf(-_DISTANCE / 2)
    what = f"check over S3, {n_rows} x {_FEATURES}"
    rows = [
        Row(measured=f"{what}, bytes read", figure=100 * found["bytes"] / size, unit="%", goal=_MOST_BYTES),
        Row(measured=f"{what}, peak memory of the process", figure=found["peak"], unit="GB", goal=_MOST_MEMORY),
        seconds_row(what, found["seconds"], "wall"),
    ]
    told = [
        f"{found['bytes'] / 1e6:.1f} of {size / 1e6:.0f} MB read; {found['used']} of {found['rows']} rows used",
        f"Bayes error {100 * truth:.2f} %, estimate {100 * estimate:.2f} % ({100 * lower:.2f} to {100 * upper:.2f} %)",
        *(f"note: {note}" for note in found["notes"]),
        found["verdict"],
    ]
    return record(rows, told)


def _case(name, order, group_rows):
    full = {"n_rows": 10_000_000, "group_rows": group_rows, "order": order, "large": 2e9, "effort": "normal"}
    return Case(
        name,
        measure,
        full,
        {**full, "n_rows": 60_000, "group_rows": group_rows // 250, "large": 1e6, "effort": "quick"},
    )


CASES = [_case("mixed", "random", 25_000), _case("sorted", "sorted", 25_000), _case("few", "random", 500_000)]

tables = partial(tables_of_cases, cases=CASES)
goals = partial(goals_of_cases, cases=CASES)

if __name__ == "__main__":
    run_benchmark(doc=__doc__, path=RESULTS, cases=CASES)
