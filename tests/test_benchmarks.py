"""Benchmarks: what is told of made-up cells, which code measured them, and rivals that follow their formulas."""

import math
import os
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

SAID = {"estimate": 0.02, "lower": None, "upper": 0.03, "reliability": "limited"}


def judged(benchmark, results):
    return [(one.figure, one.goal, one.met) for one in benchmark.goals(results)]


# Answers on real data


@pytest.fixture
def letter():
    """Cells of letter: costs, an answer, two rivals of three, and what was said before."""

    def cost(answer, forest):
        return {"shape": [200, 16, 26], "seconds": {"forest": forest, "fit": [1.0] * 3, "answer": answer}}

    said = {"shape": [200, 16, 26], "estimate": 0.02, "lower": 0.012, "upper": 0.034, "reliability": "good"}
    return {
        "cost/letter/quick": cost([8.0, 10.0, 9.5], [10.0, 9.0, 12.0]),
        "cost/letter/normal": cost([21.0, 22.0, 25.0], [8.0, 9.0, 8.5]),
        "answer/letter": said,
        **{f"rivals/letter/{name}": {"error": e} for name, e in (("svc", 0.027), ("trees", 0.031), ("boosting", None))},
        "before/letter": {**said, "estimate": 0.07, "lower": None, "upper": 0.074},
    }


def test_answers_are_judged_by_cost_ends_and_lower_ends_that_a_rival_contradicts(benchmark_module, letter):
    """The smallest of the rounds counts; of data whose truth nobody knows, a contradiction is the worst mistake."""
    answers = benchmark_module("answers")
    line = next(line for line in answers.tables({"cases": letter})["cost"] if "quick" in line)
    found = judged(answers, {"cases": letter})
    letter["answer/letter"]["lower"] = 0.03
    told = list(answers.goals({"cases": letter}))[-1]

    assert line == ("letter", "200 x 16", "26", "quick", "9 s +33%", "9 s +22%", "8 s +25%", "1.00")
    assert found == [
        ("1.00", "<= 1", True),
        ("2.75", "<= 2.5", False),
        ("0.0340", "<= 0.035", True),
        ("0.0200", "0.01 to 0.03", True),
        ("0 of 1", "<= 0", True),
    ]
    assert (told.measured.endswith(", letter"), told.figure, told.met) == (True, "1 of 1", False)
    assert list(answers.goals({"cases": {}})) == []


def test_equal_rows_are_dealt_to_one_fold_and_classes_evenly(benchmark_module, rng):
    """A copy in another fold would be recognised."""
    distinct, codes = rng.normal(size=(60, 2)), np.repeat([0, 1, 2], 20)
    order = rng.permutation(np.repeat(np.arange(60), 2))
    fold = benchmark_module("_tuned").deal_folds(distinct[order], codes[order], 5, 0)

    assert all(len(set(fold[order == row])) == 1 for row in range(60))
    assert (np.histogram2d(fold, codes[order], bins=(5, 3))[0] == 8).all()


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
    """Cells of four files, a pipeline and two ways to prepare."""

    def ran(truth, lower, upper):
        said = {"lower": lower, "estimate": upper, "upper": upper, "best": "forest", "errors": {"forest": 0.25}}
        return {"truth": truth, "expected": "ran", "outcome": "ran", "seconds": 2.0, "reliability": "good", **said}

    refused = {"truth": None, "expected": "refused", "outcome": "refused", "seconds": 1.0, "message": "error: no"}
    way = {"estimate": 0.21, "lower": None, "upper": 0.3, "best": "forest", "errors": {"forest": 0.25}}
    way |= {"seconds": 4.0, "alone": 0.5, "width": 7, "packages": 18}
    return {
        "file/101/survey.csv": ran(0.2, 0.1, 0.3),
        "file/101/zipcodes.csv": ran(0.2, None, 0.1),
        "file/101/titanic.csv": ran(0.2, 0.1, 0.15),
        "file/101/regression.csv": refused,
        "pipeline/101/survey.csv": {"errors": {"ordered": 0.22, "indicators": 0.24}, "seconds": 1.0},
        "prepare/101/survey.csv": {"truth": 0.2, "ways": {"auto": way, "skrub": way}},
        "prepare/101/mixed.csv": {"truth": 0.2, "ways": {"auto": way, "skrub": {"message": "no"}}},
    }


def test_messy_files_are_judged_and_those_that_do_not_run_as_expected_are_named(benchmark_module, messy_cells):
    """A truth below the range of codes is no mistake; one above the range of others is."""
    messy = benchmark_module("messy")
    found = judged(messy, {"cases": messy_cells})
    messy_cells["file/101/survey.csv"] = {**messy_cells["file/101/regression.csv"], "expected": "ran"}
    first, tables = next(iter(messy.goals({"cases": messy_cells}))), messy.tables({"cases": messy_cells})

    assert found == [("0 of 4", "<= 0", True), ("0.667", ">= 0.9", False), ("0.0300", "<= 0.02", False)]
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


# Known floors


@pytest.fixture(scope="module")
def known(benchmark_module):
    return benchmark_module("known_floor")


def figures(known, answer, floor=(0.1, 0.12, 0.2), words=("open", "open")):
    """Figures by what was measured, of one sample whose Bayes error is .15: an answer, trees and verdicts."""
    others = {name: {"estimate": 0.25, "seconds": 1.0} for name in known.RIVALS}
    ends = dict(zip(known.ENDS, answer, strict=True)) | {"reliability": "good", "seconds": 1.0}
    trees = dict(zip(known.ENDS, floor, strict=True)) | {"cross_rate": 0.2, "std_error": 0.001, "seconds": 1.0}
    verdicts = dict(zip((known.REACHABLE, known.OUT_OF_REACH), words, strict=True))
    cell = {"methods": {**others, "floor": trees, "answer": ends}, "verdicts": verdicts}
    goals = known.summarise({"cases": {"gauss-0.15-d2/2000": {"truth": 0.15, "cells": [cell]}}})["goals"]
    return {row["measured"]: (row["figure"], row["count"]) for row in goals}


def test_ranges_limits_and_verdicts_are_judged_by_the_truth(known):
    """Without a lower end a range claims less; a false lower end, a false limit and the opposite word are counted."""
    closed, opened = (figures(known, (low, 0.16, 0.2)) for low in (0.14, None))
    high, low = figures(known, (0.16, 0.17, 0.2), floor=(0.18, 0.19, 0.2)), figures(known, (0.1, 0.12, 0.14))
    wrong = figures(known, (0.1, 0.15, 0.2), words=("out of reach", "out of reach"))
    inside, earned = "truth inside ranges with a lower end", "ranges with a lower end, of smooth d <= 5, n >= 2000"

    assert (closed[inside], opened[inside], high[inside]) == ((1.0, 1), (None, 0), (0.0, 1))
    assert (closed[earned], opened[earned]) == ((1.0, 1), (0.0, 1))
    assert closed["MAE, answer / hp-3"] == (pytest.approx(0.1), 1)
    assert high["no false lower end if the tree bound is false"] == (0.0, 1)
    assert (high["upper limits below the truth"], low["upper limits below the truth"]) == ((0.0, 1), (1.0, 1))
    assert wrong["verdicts wrong"] == (0.5, 2)


def on_a_line(*groups):
    """Rows one apart, groups a hundred apart, so that the tree is the line; the classes are given as digits."""
    places = np.concatenate([100 * number + np.arange(len(group)) for number, group in enumerate(groups)])
    return places[:, None].astype(float), np.array([int(digit) for digit in "".join(groups)])


def test_the_rival_of_dataeval_has_the_bounds_that_it_documents(benchmark_module):
    """The example of ``ber_mst`` in DataEval 1.0; the K - 1 edges that a tree needs between classes do not count."""
    ghp = benchmark_module("_rivals").ghp
    found = ghp(*make_blobs(n_samples=50, centers=2, n_features=2, random_state=0), None)

    assert (found.upper, found.lower) == pytest.approx((0.02, 0.010102051443364402), abs=1e-12)
    assert ghp(*on_a_line("0000", "1111"), None) == ghp(*on_a_line("000", "111", "222", "333"), None) == (0, 0, 0)
    assert ghp(*on_a_line("02020202"), None) == (0.625, 0.5, 0.75)  # 7 edges less one, over 8 rows


# Realistic problems


@pytest.mark.parametrize(
    ("name", "knobs"),
    [
        ("table", {"flips": 0.1}),
        ("heavy_tails", {"K": 3, "degrees": 3, "error": 0.2}),
        ("half_added", {"d": 2, "side": 4, "hidden": 2}),
        ("regimes", {"K": 2, "sensors": 6, "error": 0.1}),
        ("shells", {"K": 2, "m": 3, "error": 0.1}),
    ],
)
def test_the_rule_by_the_posterior_errs_as_often_as_the_truth_says(benchmark_module, name, knobs):
    """Labels and truth come from one posterior, at the overlap that was asked for."""
    sets = benchmark_module("_realistic_sets")
    problem = (getattr(sets, name, None) or getattr(sets.made, name))(20_000, 5, **knobs)
    _, y = problem.draw(0)
    _, eta = problem.law(20_000, np.random.default_rng([0, *problem.name.encode()]))
    error = np.mean(eta.argmax(axis=1) != y)

    assert abs(error - problem.truth.low) < 4 * math.sqrt(error / 20_000)
    assert abs(problem.truth.low - knobs.get("error", problem.truth.low)) < 0.02


def test_problems_held_back_share_no_seed_with_development_and_noise_is_planted_as_told(benchmark_module):
    """What was tuned on must not judge; labels drawn anew keep their class once in K times."""
    sets = benchmark_module("_realistic_sets")
    seeds = {part: {int(one.name.rpartition("-")[2]) for one in problems} for part, problems in sets.SETS.items()}
    problem = benchmark_module("_realistic").PlantedNoise("digits", 1000, 1, rho=0.2, best=0.015)

    assert len({one.name for one in sets.HELD_BACK}) == 60
    assert seeds["development"].isdisjoint(seeds["held-back"])
    assert len([one for one in sets.HELD_BACK if one.family in sets.NEVER_TUNED]) >= 15
    assert problem.draw(0)[0].shape == (1000, 64)
    assert problem.truth[:2] == pytest.approx((0.18, 0.18 + 0.8 * 0.015))


@pytest.mark.parametrize(
    ("estimate", "lower", "upper", "expected"),
    [
        (0.07, 0.11, 0.3, (0.03, True, 0.19, False)),
        (0.11, 0.13, 0.3, (0, False, 0.17, False)),
        (0.15, None, 0.3, (0.03, True, 0.3, False)),
        (None, 0.01, 0.09, (math.inf, False, 0.08, True)),
    ],
)
def test_an_answer_is_judged_by_the_band_of_the_truth(benchmark_module, estimate, lower, upper, expected):
    """Inside the band nobody knows better; a range without a lower end begins at 0; errors above it are reachable."""
    realistic = benchmark_module("realistic")
    words = {"-0.02": "reachable", "+0.02": "out of reach", "-0.05": "out of reach", "+0.1": "open"}
    answer = {"estimate": estimate, "lower": lower, "upper": upper, "verdicts": words, "reliability": "good"}
    truth = {"family": "planted noise", "low": 0.10, "high": 0.12, "guessing": 0.2}
    cell = {"truth": truth, "draw": 0, **dict.fromkeys(realistic.KINDS), "answer": answer}
    found = [getattr(realistic, name)(cell, "answer") for name in ("distance", "holds", "width", "is_limit_wrong")]
    verdicts = [realistic.count_verdicts(cell, "answer", margin) for margin in realistic.MARGINS]

    assert found == [pytest.approx(expected[0]), expected[1], pytest.approx(expected[2]), expected[3]]
    assert verdicts == [(2, 2, 2, 1), (1, 1, 0, 0), (1, 0, 0, 0)]
