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


# Goals


@pytest.fixture
def rows(benchmark_module):
    return benchmark_module("rows")


def case(estimate=0.2, truth=0.2, upper=0.25, points=(), **more):
    ends = {"estimate": estimate, "truth": truth, "lower": 0.15, "upper": upper, "tested": True, "proved": False}
    return {**ends, "points": list(points), "ahead": {}, "cpu": 1.0, "peak": 600.0, **more}


def point(n_rows, loss, cpu=1.0, n_trees=10):
    return {"n_rows": n_rows, "loss": loss, "n_trees": n_trees, "cpu_seconds": cpu, "learner": "boosting"}


def judged(rows, cases):
    return {goal.measured: (goal.figure, goal.met) for goal in rows.goals({"cases": cases})}


def test_answers_are_judged_by_family_and_the_others_by_their_interval(rows):
    """Two tables of a family count once, and both have to be close."""
    cases = {f"all/{family}/{seed}": case() for family in rows.FAMILIES for seed in (701, 702)}
    cases["all/trees/702"] = case(estimate=0.23)
    cases["all/noise/701"] = case(estimate=0.22, truth=0.26)
    found = judged(rows, cases)

    assert found["families within 1.5 points, of 12 tables"] == ("4", False)
    assert found["other tables whose interval misses the truth"] == ("1 of 2", False)
    assert found["proven ends that are wrong, of 12"] == ("0.083", False)


def test_a_forecast_is_compared_with_the_lowest_error_of_about_as_many_rows(rows):
    ahead = {"1000000": [0.18, 0.19, 0.2], "5000000": [0.1, 0.11, 0.12]}
    came = [point(1_000_100, 0.21), point(1_000_100, 0.195), point(5_001_000, 0.13)]
    found = judged(rows, {"ahead/lattice/701": case(ahead=ahead), "all/lattice/701": case(points=came)})

    assert found["forecasts that held, of 2 made from 200,000 rows"] == ("0.50", False)


def test_peaks_have_limits_that_grow_with_rows_columns_and_classes(rows):
    points = [point(200_000, 0.2), point(1_000_000, 0.2, 5.0, 20), point(10_000_000, 0.2, 100.0, 20)]
    found = judged(rows, {"memory/local": case(n=10_000_000, peak=1700.0, points=points)})

    assert found["peak memory, MB: local"] == ("1700", False)
    assert found["exponent of the CPU of a tree, 200,000 to 10 million rows"][1]
    assert not found["exponent of the CPU of a point, 200,000 to 10 million rows"][1]


def test_auto_is_judged_by_whether_it_went_on(rows):
    few, many = [point(199_000, 0.2)], [point(199_000, 0.2), point(1_000_000, 0.2)]
    cases = {
        "auto/noise/701": case(points=few),
        "auto/lattice/701": case(points=few),
        "auto/lattice/702": case(points=many),
    }

    assert [met for _, met in judged(rows, cases).values()] == [True, False, True]
