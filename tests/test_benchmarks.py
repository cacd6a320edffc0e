"""Benchmarks: what is told of made-up cells, and which code measured them."""

import os
import subprocess
from types import SimpleNamespace

import pytest

SAID = {"estimate": 0.02, "lower": None, "upper": 0.03, "reliability": "limited"}


def judged(benchmark, results):
    return [(one.figure, one.goal, one.met) for one in benchmark.goals(results)]


# Whole checks


@pytest.fixture
def checks(benchmark_module, monkeypatch):
    """The benchmark, whose fresh processes find made-up seconds; and their calls."""
    bench, calls = benchmark_module("check"), []
    seconds = {"quick": [2.0, 3.0, 2.0], "normal": [4.0, 8.0, 9.0], "forest": [4.0, 4.0, 5.0]}
    said = {"shape": [200, 16, 26], "said": "200 of 200 rows used; easy", "verdict": SAID}

    def run(task, environment, **_):
        calls.append(environment)
        if task.endswith("measure_warm"):
            return {"seconds": seconds, "found": {"quick": said, "normal": said}}
        return {**said, "ours": 11.0 + len(calls), "theirs": 10.0, "peak": 1.2}

    bench.run_warm.cache_clear()
    monkeypatch.setattr(bench, "run_fresh", run)
    return bench, calls


def test_a_check_is_compared_with_the_forest_of_its_own_round_and_each_cold_round_has_an_empty_cache(checks):
    """Medians with the smallest and the largest; a cache that an earlier round filled would hide the compiling."""
    bench, calls = checks
    (row,) = bench.measure_warm("letter", "normal", 200, 3)["rows"]
    calls.clear()
    ratio, kernels = bench.measure_cold("digits", 200, 3)["rows"]
    folders = [environment["NUMBA_CACHE_DIR"] for environment in calls]
    results = {"cases": {"warm/letter/quick": bench.measure_warm("letter", "quick", 200, 3)}}

    assert [row[key] for key in ("figure", "smallest", "largest", "ours", "theirs")] == [1.8, 1.0, 2.0, 8.0, 4.0]
    assert (row["goal"], row["met"]) == (1.5, False)
    assert len(set(folders)) == 3
    assert not any(map(os.path.exists, folders))
    assert (ratio["figure"], kernels["figure"], kernels["met"]) == (1.3, 0, True)
    assert bench.tables(results)["answers"][1][3:] == ("0.50", "0.0200", "at most 0.0300", "limited")
    assert judged(bench, results) == [("0.5 (0.4 to 0.75)", "<= 0.5", True)]


def test_kinds_and_datasets_choose_checks_together_and_slow_ones_come_last(checks, monkeypatch, tmp_path):
    """``--only warm letter`` is of the warm checks of letter; adult needs its generator."""

    def keys(*only, quick=False):
        return [case.name for case in checks[0].chosen(SimpleNamespace(only=only, quick=quick))]

    monkeypatch.setenv("BAYESFLOOR_MESSY", str(tmp_path / "missing.py"))

    assert keys("warm", "letter") == ["warm/letter/quick", "warm/letter/normal"]
    assert keys()[-1] == "time/million"
    assert keys("adult") == []
    assert set(keys(quick=True)) < set(keys())


# Messy files


@pytest.fixture
def messy_cells():
    """Cells of four files."""

    def ran(truth, lower, upper):
        said = {"lower": lower, "estimate": upper, "upper": upper, "best": "forest", "errors": {"forest": 0.25}}
        return {"truth": truth, "expected": "ran", "outcome": "ran", "seconds": 2.0, "reliability": "good", **said}

    refused = {"truth": None, "expected": "refused", "outcome": "refused", "seconds": 1.0, "message": "error: no"}
    return {
        "file/101/survey.csv": ran(0.2, 0.1, 0.3),
        "file/101/zipcodes.csv": ran(0.2, None, 0.1),
        "file/101/titanic.csv": ran(0.2, 0.1, 0.15),
        "file/101/regression.csv": refused,
    }


def test_messy_files_are_judged_and_those_that_do_not_run_as_expected_are_named(benchmark_module, messy_cells):
    """A truth below the range of codes is no mistake; one above the range of others is."""
    messy = benchmark_module("messy")
    found = judged(messy, {"cases": messy_cells})
    messy_cells["file/101/survey.csv"] = {**messy_cells["file/101/regression.csv"], "expected": "ran"}
    first, tables = next(iter(messy.goals({"cases": messy_cells}))), messy.tables({"cases": messy_cells})

    assert found == [("0 of 4", "<= 0", True), ("0.667", ">= 0.9", False)]
    assert (first.measured.endswith(", survey.csv (101)"), first.figure, first.met) == (True, "1 of 4", False)
    assert ("survey.csv", "101", "refused, expected: ran") in [line[:3] for line in tables["files"]]
    assert ("survey.csv, seed 101: error: no",) in tables["messages"]
    with pytest.raises(SystemExit, match=r"differ in new\.csv"):
        messy.check_names(dict.fromkeys([*messy.FILES, "new.csv"]))


def test_the_command_for_a_messy_file_is_the_manifests(benchmark_module):
    """Label, groups and file of labels, and nothing else; of several labels the first."""
    messy = benchmark_module("messy")
    plain = {"name": "a.csv", "label": "y", "groups": None, "labels_file": None, "best_error": 0.2, "expect": "runs"}
    several = {**plain, "label": ["a", "b"], "best_error_per_label": {"a": 0.1, "b": 0.3}}
    apart = {**plain, "name": "X.npy", "label": None, "labels_file": "y.txt"}

    assert messy.command_of({**plain, "groups": "who"})[2:] == ["a.csv", "-y", "y", "--groups", "who", "--json", "-"]
    assert (messy.command_of(several)[3:5], messy.truth_of(several)) == (["-y", "a"], 0.1)
    assert messy.command_of(apart)[2:] == ["X.npy", "--labels-file", "y.txt", "--json", "-"]


# Which code measured


@pytest.fixture(scope="module")
def kept(benchmark_module):
    return benchmark_module("_results")


def make_file(kept, path, commit):
    file = kept.ResultsFile(path, {"seed": 0, "machine": {}})
    file.commit = commit
    file.resume()
    return file


def test_each_case_keeps_the_commit_that_measured_it(kept, tmp_path):
    """Cells of older code stay those of older code when a later run goes on, unless they are measured anew."""
    make_file(kept, tmp_path / "it.json", "aaa").add("one", {})
    make_file(kept, tmp_path / "it.json", "bbb").add("two", {})
    results = kept.read_results(tmp_path / "it.json")
    file = make_file(kept, tmp_path / "it.json", "ccc")
    file.resume(without=["one"])

    assert results["commits"] == {"one": "aaa", "two": "bbb"}
    assert kept.code_behind(results) == "commit aaa (1 of 2 cases), commit bbb (1 of 2 cases)"
    assert (file.results["commits"], list(file.results["cases"])) == ({"two": "bbb"}, ["two"])
    assert kept.code_behind({"cases": {"one": {}}}) == "a commit that was not recorded"
    renewed = {"cases": {"one": {"again": {"estimates": "bbb"}}}, "commits": {"one": "aaa"}}
    assert kept.code_behind(renewed) == "commit aaa; estimates again by that of commit bbb (1 case)"


def test_changed_code_and_no_checkout_are_told_apart_from_a_commit(kept, monkeypatch):
    """A plus says that the commit alone does not give the figures again."""
    said = {"rev-parse": "abc1234\n", "status": ""}
    monkeypatch.setattr(
        subprocess, "run", lambda words, **_: SimpleNamespace(stdout=next(said[one] for one in words if one in said))
    )
    assert kept.code_commit() == "abc1234"
    said["status"] = " M src/bayesfloor/__init__.py\n"
    assert kept.code_commit() == "abc1234+"
