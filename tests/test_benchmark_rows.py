"""Tables of known error: their posteriors are those of the labels, and tables of any length agree."""

import numpy as np
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def families(benchmark_module):
    return benchmark_module("_row_families")


def test_the_posterior_is_right_as_often_as_it_says(families):
    everything = dict([*families.TRAINING, *families.JUDGING, *families.OTHERS])
    for family, seed in everything.items():
        problem = families.problem_of(family, seed)
        [(_, y, expected)] = families.groups_of(problem, families.GROUP, seed)
        if problem.noise is not None:
            losses = (y - expected) ** 2
        else:
            losses = ((expected > 0.5) if expected.ndim == 1 else expected.argmax(axis=1)) != y
            # Not only near the border: the mean posterior of each tenth of the rows is the rate of its labels.
            rate = expected if expected.ndim == 1 else expected[:, 0]
            for part in np.array_split(np.argsort(rate), 10):
                hits = y[part] == (expected.ndim == 1)
                assert abs(hits.mean() - rate[part].mean()) < 4 * np.sqrt(0.25 / len(part)), family
        truth = families.lowest_losses(problem, expected).mean()

        assert abs(losses.mean() - truth) < 4 * losses.std() / np.sqrt(len(y)), family


def test_a_longer_table_begins_with_the_shorter_one(families, tmp_path):
    files = {n: tmp_path / f"{n}.parquet" for n in (60_000, 110_000)}
    errors = [families.write("lattice", 701, n, path) for n, path in files.items()]
    short, long = map(pq.read_table, files.values())

    assert short.equals(long.slice(0, len(short)))
    assert pq.ParquetFile(files[110_000]).num_row_groups == 3
    assert abs(errors[0] - errors[1]) < 0.005
