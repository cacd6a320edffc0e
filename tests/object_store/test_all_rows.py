"""All rows of a table in an object store are those of the same local table."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayesfloor.io import open_data
from bayesfloor.io._all_rows import open_rows
from bayesfloor.io._features import read_any
from bayesfloor.support._files import bytes_read

N = 140_000


@pytest.fixture(scope="module")
def both(s3, tmp_path_factory):
    """The same files in a local folder and in the bucket."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(N, 3)).astype(np.float32), rng.integers(0, 2, N)
    table = pa.table({**{f"x{i}": x[:, i] for i in range(3)}, "y": y})
    here = tmp_path_factory.mktemp("rows")
    for name, part in (("one", table), ("many/a", table[:60_000]), ("many/b", table[60_000:])):
        (here / name).parent.mkdir(exist_ok=True)
        pq.write_table(part, here / f"{name}.parquet", row_group_size=25_000)
        with s3.open_output_stream(f"bucket/rows-{name}.parquet") as stream:
            stream.write((here / f"{name}.parquet").read_bytes())
    return here, "s3://bucket/rows-"


@pytest.mark.parametrize("name", ["one.parquet", "many"])
def test_pieces_come_from_the_store(both, name):
    """The same rows, places and fingerprint; a pass over all of them reads each byte about once."""
    here, there = both
    made = []
    for path in (str(here / name), f"{there}{name}"):
        data = open_data(path, "y", at_most=20_000)
        made.append(open_rows(data, read_any(data)))
    start = bytes_read()
    found = made[1].take(0.0, 1.0)
    n_read = bytes_read() - start
    size = sum(file.stat().st_size for file in here.rglob("*.parquet") if name in str(file))

    assert made[0].fingerprint == made[1].fingerprint
    assert n_read < 1.2 * size
    for one, two in zip(made[0].take(0.0, 1.0), found, strict=True):
        assert np.array_equal(one, two)
