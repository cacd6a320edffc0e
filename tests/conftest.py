"""Tiers, datasets, seeds and Hypothesis profiles for all tests."""

import importlib
import io
import os
import sys
from pathlib import Path

os.environ["COLUMNS"] = "100"  # of what is printed; readline, which pytest loads, would set another width

if "PYTEST_XDIST_WORKER" in os.environ:  # before NumPy: OpenMP's threads of several workers spin for one another
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")  # it would take the other one, and tests count its threads

import hypothesis
import numpy as np
import pytest

CI = os.environ.get("CI") == "true"

# No deadlines: a shared machine stalls at times. In CI a red run must be red again when repeated.
PROFILE = os.environ.get("BAYESFLOOR_PROFILE", "ci" if CI else "dev")
hypothesis.settings.register_profile("dev", max_examples=10, deadline=None)
hypothesis.settings.register_profile("ci", max_examples=10, deadline=None, derandomize=True)
hypothesis.settings.register_profile("nightly", max_examples=500, deadline=None)
hypothesis.settings.load_profile(PROFILE)

# A test that asks for one of these fixtures belongs to the tier that the fixture needs.
TIER_OF_FIXTURE = {"process": "slow", "browser": "browser", "dask_client": "dask", "data_dir": "data"}
# A race of the cheapest learners does for tests of everything but races: of these efforts only they run.
CHEAP_RACE = {"EFFORTS": 0.4, "LEAST_BUDGET": 0.75}
_before = {}  # what users have


@pytest.hookimpl(tryfirst=True)  # before -m picks by marker
def pytest_collection_modifyitems(items):
    """Put tests into tiers by their fixtures."""
    for item in items:
        for fixture in TIER_OF_FIXTURE.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(TIER_OF_FIXTURE[fixture])
        if "check_estimator_sparse_" in item.name:  # scikit-learn's, which cannot be marked: a fit for every format
            item.add_marker("slow")


def pytest_collection_finish():
    """Let everything race cheaply, doctests of the package too, which see no fixture of this file."""
    from bayesfloor.answer import _learners

    for name, value in CHEAP_RACE.items():
        spent = getattr(_learners, name)
        _before[name] = dict(spent)
        spent.update(quick=value, normal=value)


@pytest.fixture
def real_race(monkeypatch):
    """Races as they are for users."""
    from bayesfloor.answer import _learners

    for name, spent in _before.items():
        monkeypatch.setattr(_learners, name, spent)


@pytest.fixture(scope="module")
def linear_alone():
    """Races of linear models alone, for files of tests that only compare answers with one another."""
    from bayesfloor.answer import _make_answer

    def choose(*given):
        learners, left_out = chosen(*given)
        return {name: made for name, made in learners.items() if name == "linear"}, left_out

    chosen = _make_answer.choose_learners
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_make_answer, "choose_learners", choose)
        yield


def _seed():
    return int(os.environ.get("BAYESFLOOR_SEED", "0"))


def pytest_report_header():
    """Show what a failure needs to be repeated."""
    return f"bayesfloor: seed {_seed()}, profile {PROFILE}, data {os.environ.get('BAYESFLOOR_DATA', 'unset')}"


@pytest.fixture(scope="session")
def global_random_seed():
    """Seed of random data. A test must pass with any: BAYESFLOOR_SEED sets it."""
    return _seed()


@pytest.fixture
def rng(global_random_seed):
    """A source of random data, which starts anew in each test."""
    return np.random.default_rng(global_random_seed)


@pytest.fixture(scope="session")
def benchmark_module():
    """Importer of modules of ``benchmarks``, which are no part of the package: name -> module."""

    def load(name):
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(Path(__file__).parents[1])
            return importlib.import_module(f"benchmarks.{name}")

    return load


# Tables in files of every format, for all tests that read some.

HOSTILE = {
    "HTML": "<script>alert('x')</script>",
    "newline": "one\ntwo",
    "terminal escape": "\x1b[31mred\x1b[0m",
    "long": "n" * 200,
    "emoji": "🐧",
    "CJK": "标签",
    "right to left": "\u202eevil\u202c",
    "Hebrew": "תווית",
    "quotes": 'say "hi", it\'s',
    "blank": " ",
    "glob": "[abc]*?",
    "empty": "",
}


def _write_stream(table, path):
    from pyarrow import ipc

    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


def _write_file(table, path):
    from pyarrow import ipc

    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def _csv_bytes(table, separator=","):
    import pyarrow.csv as pacsv

    buffer = io.BytesIO()
    pacsv.write_csv(table, buffer, pacsv.WriteOptions(delimiter=separator))
    return buffer.getvalue()


def _write_csv(table, path):
    Path(path).write_bytes(_csv_bytes(table))


def _write_tsv(table, path):
    Path(path).write_bytes(_csv_bytes(table, "\t"))


def _write_packed(table, path):
    """A CSV in gzip, zstd or bzip2, as the name says."""
    import pyarrow as pa

    with pa.CompressedOutputStream(str(path), _PACKERS[Path(path).suffix.lower()]) as stream:
        stream.write(_csv_bytes(table))


def _write_parquet(table, path):
    import pyarrow.parquet as pq

    pq.write_table(table, path)


def _write_feather(table, path):
    from pyarrow import feather

    feather.write_feather(table, path)


_PACKERS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
WRITERS = {
    "a.csv": _write_csv,
    "a.CSV": _write_csv,
    "a.txt": _write_csv,
    "b.txt": _write_tsv,
    "a.tsv": _write_tsv,
    "a.csv.gz": _write_packed,
    "a.Csv.GZ": _write_packed,
    "a.csv.zst": _write_packed,
    "a.csv.bz2": _write_packed,
    "a.parquet": _write_parquet,
    "a.arrow": _write_file,
    "stream.arrow": _write_stream,
    "a.ipc": _write_stream,
    "a.feather": _write_feather,
}


@pytest.fixture(params=WRITERS)
def file_name(request):
    return request.param


@pytest.fixture(params=HOSTILE.values(), ids=HOSTILE)
def hostile(request):
    return request.param


@pytest.fixture
def table(rng):
    import pyarrow as pa

    return pa.table(
        {
            "u": rng.normal(size=40),
            "v": rng.normal(size=40),
            "colour": ["red", "blue"] * (20),
            "label": ["cat"] * (20) + ["dog"] * (20),
        }
    )


@pytest.fixture
def write_as(tmp_path):
    """Writes a table in the format of its name; gives the path as text."""

    def write_table(name, table):
        path = str(tmp_path / name)
        WRITERS.get(name, _write_parquet if name.endswith(".parquet") else _write_csv)(table, path)
        return path

    return write_table


@pytest.fixture
def text_file(tmp_path):
    def write_text(text, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write_text


@pytest.fixture
def feed(monkeypatch):
    def put(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


@pytest.fixture(params=["plain", "small pairs", "large pairs"])
def way(request, monkeypatch):
    """The three ways to the forests of pairs, which the size of a set and of its pairs would choose."""
    from bayesfloor.forest import _class_forests, _pair_joins

    monkeypatch.setattr(_class_forests, "is_plain", lambda _: request.param == "plain")
    monkeypatch.setattr(_pair_joins, "PRODUCTS", _pair_joins.PRODUCTS if request.param == "small pairs" else -1)
    return request.param


@pytest.fixture(scope="session")
def data_dir():
    """Folder of datasets, from BAYESFLOOR_DATA."""
    folder = os.environ.get("BAYESFLOOR_DATA", "")
    if folder and Path(folder).is_dir():
        return Path(folder)
    reason = (
        f"needs BAYESFLOOR_DATA, a folder of datasets; it is {folder or 'unset'}. "
        "To fetch them: python -m benchmarks.datasets FOLDER"
    )
    if CI or folder:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def dataset(data_dir):
    """Reader of datasets with numeric features: name -> (X in float64, class codes)."""

    def read(name):
        import pyarrow.parquet as pq

        table = pq.read_table(data_dir / f"{name}.parquet")
        features = [table.column(c).to_numpy() for c in table.column_names if c != "target"]
        _, codes = np.unique(table.column("target").to_numpy(), return_inverse=True)
        return np.column_stack(features).astype(np.float64), codes

    return read


@pytest.fixture(scope="session")
def dask_client():
    """A client of a Dask cluster on this machine: two workers of one thread and 1 GB each."""
    distributed = pytest.importorskip("distributed", reason="needs Dask")
    here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=10**9, **here) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
