"""The benchmark of whole checks: how rounds become ratios, which cells are chosen, and what runs in fresh processes."""

import os
from types import SimpleNamespace

import pytest

SAID = {
    "shape": [200, 16, 26],
    "said": "200 of 200 rows used; easy",
    "verdict": {"estimate": 0.02, "lower": None, "upper": 0.03, "reliability": "limited"},
}


@pytest.fixture
def bench(benchmark_module):
    """The benchmark, which remembers no dataset of another test."""
    found = benchmark_module("check")
    found.run_warm.cache_clear()
    return found


@pytest.fixture(scope="module")
def tasks(benchmark_module):
    """What it runs in fresh processes."""
    return benchmark_module("_check_tasks")


def options(*only, quick=False):
    """A command line."""
    return SimpleNamespace(only=only, quick=quick)


def keys(bench, *only, **more):
    """Names of the chosen cells."""
    return [case.name for case in bench.chosen(options(*only, **more))]


@pytest.fixture
def fresh(bench, monkeypatch):
    """Calls of fresh processes, which find three rounds of made-up seconds."""
    calls = []
    seconds = {"quick": [2.0, 3.0, 2.0], "normal": [4.0, 8.0, 9.0], "forest": [4.0, 4.0, 5.0]}

    def run(task, environment, **arguments):
        calls.append((task.partition(":")[2], environment, arguments))
        if task.endswith("measure_warm"):
            return {"seconds": seconds, "found": {"quick": SAID, "normal": SAID}}
        if task.endswith("measure_threads"):
            return {**SAID, "seconds": [[2.0, 4.0], [1.0, 3.0]]}
        return {**SAID, "ours": 11.0 + len(calls), "theirs": 10.0, "peak": 1.2}

    monkeypatch.setattr(bench, "run_fresh", run)
    return calls


@pytest.mark.usefixtures("fresh")
def test_a_ratio_is_the_median_of_the_rounds_with_its_smallest_and_largest(bench):
    """Each check is compared with the forest of its own round."""
    case = bench.measure_warm("letter", "normal", 200, 3)
    row = case["rows"][0]

    assert [row[key] for key in ("figure", "smallest", "largest", "ours", "theirs")] == [1.8, 1.0, 2.0, 8.0, 4.0]
    assert (row["goal"], row["met"]) == (1.5, False)
    assert case["seconds"] == {"check": [4.0, 8.0, 9.0], "forest": [4.0, 4.0, 5.0]}
    assert case["verdict"] == SAID["verdict"]


def test_each_cold_round_has_an_empty_cache_of_its_own_and_kernels_are_counted(bench, fresh):
    """A cache that an earlier round filled would hide the compiling."""
    case = bench.measure_cold("digits", 200, 3)
    folders = [environment["NUMBA_CACHE_DIR"] for _, environment, _ in fresh]

    assert len(set(folders)) == 3
    assert not any(map(os.path.exists, folders))
    assert [row["figure"] for row in case["rows"]] == [1.3, 0]
    assert ("goal" in case["rows"][0], case["rows"][1]["met"]) == (False, True)


@pytest.mark.usefixtures("fresh")
def test_tables_tell_the_price_and_what_it_bought(bench):
    """Goals are those of the rows."""
    results = {"cases": {"warm/letter/quick": bench.measure_warm("letter", "quick", 200, 3)}}
    made = bench.tables(results)

    assert made["answers"][1] == ("letter", "quick", "2 s", "0.50", "0.0200", "at most 0.0300", "limited")
    assert made["rows"][1][-3:] == ("0.5", "met", "0.5 (0.4 to 0.75)")
    assert [(one.figure, one.goal, one.met) for one in bench.goals(results)] == [("0.5 (0.4 to 0.75)", "<= 0.5", True)]


def test_kinds_and_datasets_choose_cells_together_and_slow_ones_come_last(bench, monkeypatch, tmp_path):
    """``--only warm letter`` is of the warm checks of letter; adult needs its generator."""
    monkeypatch.setenv("BAYESFLOOR_MESSY", str(tmp_path / "missing.py"))

    assert keys(bench, "warm", "letter") == ["warm/letter/quick", "warm/letter/normal"]
    assert keys(bench, "cold", "mnist_train", "letter") == ["cold/letter", "cold/mnist_train"]
    assert keys(bench)[-1] == "time/million"
    assert keys(bench, "adult") == []
    assert set(keys(bench, quick=True)) < set(keys(bench))

    (tmp_path / "missing.py").touch()
    assert keys(bench, "adult") == ["warm/adult/quick", "warm/adult/normal"]


@pytest.mark.slow(nightly=True)
def test_a_warm_check_of_a_file_is_measured_beside_a_forest_of_its_codes(tasks, monkeypatch, tmp_path):
    """A generator like that of messy files: the check gets the path, the forest gets numbers."""
    pytest.importorskip("pandas")
    make = tmp_path / "make.py"
    make.write_text(
        "import sys, json, pathlib\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        'people = [f\'{20 + n % 50},{"ab?"[n % 3]},{"<>"[n % 50 > 25]}\' for n in range(300)]\n'
        "(folder / 'adult.csv').write_text('\\n'.join(['age,job,income', *people, '']))\n"
        "(folder / 'manifest.json').write_text(json.dumps({'files': []}))\n"
    )
    monkeypatch.setenv("BAYESFLOOR_MESSY", str(make))
    with tasks.open_problem("adult", 200) as problem:
        (path, label), (X, y) = problem
        assert (path.name, label, len(path.read_text().splitlines())) == ("adult.csv", "income", 201)
        assert (X[:4].tolist(), y[:2].tolist()) == ([[20, 1], [21, 2], [22, 0], [23, 1]], ["<", "<"])
    assert not path.exists()

    run = tasks.measure_warm("adult", 200, 2)
    assert {which: len(seconds) for which, seconds in run["seconds"].items()} == {"quick": 2, "normal": 2, "forest": 2}
    assert run["found"]["normal"]["shape"] == [200, 2, 2]
