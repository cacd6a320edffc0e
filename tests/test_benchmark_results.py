"""Results of benchmarks: each case names its commit, and known floors are judged by the answer."""

import subprocess
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="module")
def kept(benchmark_module):
    """The module of results."""
    return benchmark_module("_results")


@pytest.fixture(scope="module")
def known(benchmark_module):
    """The benchmark of known floors."""
    return benchmark_module("known_floor")


def make_file(kept, path, commit):
    """A file of results that code of this commit writes."""
    file = kept.ResultsFile(path, {"seed": 0})
    file.commit = commit
    file.resume()
    return file


def test_each_case_keeps_the_commit_that_measured_it(kept, tmp_path):
    """Cases of older code stay those of older code when a later run goes on."""
    make_file(kept, tmp_path / "it.json", "aaa").add("one", {})
    make_file(kept, tmp_path / "it.json", "bbb").add("two", {})
    results = kept.read_results(tmp_path / "it.json")

    assert results["commits"] == {"one": "aaa", "two": "bbb"}
    assert kept.code_behind(results) == "commit aaa (1 of 2 cases), commit bbb (1 of 2 cases)"


def test_a_case_to_be_measured_anew_loses_its_commit(kept, tmp_path):
    """Else the old commit would stand beside nothing."""
    file = make_file(kept, tmp_path / "it.json", "aaa")
    file.add("one", {})
    file.add("two", {})
    file.resume(without=["one"])

    assert (file.results["commits"], list(file.results["cases"])) == ({"two": "aaa"}, ["two"])


def test_files_from_before_commits_were_recorded_say_so(kept):
    """Figures of unknown code are not claimed for the present one."""
    results = {"cases": {"one": {}, "two": {}}}

    assert kept.code_behind(results) == "a commit that was not recorded"
    assert "commit ccc (1 of 2 cases)" in kept.code_behind(results | {"commits": {"two": "ccc"}})


def test_changed_code_and_no_checkout_are_told_apart_from_a_commit(kept, monkeypatch):
    """A plus says that the commit alone does not give the figures again."""
    said = {"rev-parse": "abc1234\n", "status": ""}
    monkeypatch.setattr(
        subprocess, "run", lambda words, **_: SimpleNamespace(stdout=next(said[one] for one in words if one in said))
    )
    assert kept.code_commit() == "abc1234"
    said["status"] = " M src/bayesfloor/__init__.py\n"
    assert kept.code_commit() == "abc1234+"

    def no_git(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", no_git)
    assert kept.code_commit() is None


def test_show_says_which_code_measured(benchmark_module, kept, tmp_path, capsys):
    """Tables of old figures are not taken for those of the code at hand."""
    file = make_file(kept, tmp_path / "it.json", "aaa")
    file.add("one", {})
    benchmark_module("_command").run_command(
        ["--show"],
        "Something.",
        tmp_path / "it.json",
        names=[],
        cells=lambda _: [],
        measure=None,
        show=lambda *_: None,
    )
    assert capsys.readouterr().out.endswith("by the code of commit aaa.\n")


# Known floors by made-up cells


def made_up(known, answer, floor=(0.1, 0.12, 0.2), words=("too close to call", "too close to call")):
    """Results of one sample whose Bayes error is .15: the ends of an answer and of trees, verdicts for two targets."""
    others = {name: {"estimate": 0.25, "seconds": 1.0} for name in known.RIVALS}
    ends = dict(zip(known.ENDS, answer, strict=True)) | {"reliability": "good", "seconds": 1.0}
    trees = dict(zip(known.ENDS, floor, strict=True)) | {"cross_rate": 0.2, "std_error": 0.001, "seconds": 1.0}
    cell = {"methods": {**others, "floor": trees, "answer": ends}}
    cell["verdicts"] = dict(zip((known.REACHABLE, known.OUT_OF_REACH), words, strict=True))
    return {"cases": {"gauss-0.15-d2/2000": {"truth": 0.15, "cells": [cell]}}}


def figures(known, results):
    """Figures of the goals by what was measured."""
    return {row["measured"]: (row["figure"], row["count"]) for row in known.summarise(results)["goals"]}


def test_a_range_is_judged_where_it_has_a_lower_end(known):
    """Without one it claims less; the upper limit is judged in any case."""
    closed, opened = (figures(known, made_up(known, (low, 0.16, 0.2))) for low in (0.14, None))
    inside, earned = "truth inside ranges with a lower end", "ranges with a lower end, of smooth d <= 5, n >= 2000"

    assert (closed[inside], opened[inside]) == ((1.0, 1), (None, 0))
    assert (closed[earned], opened[earned]) == ((1.0, 1), (0.0, 1))
    assert closed["MAE, answer / hp-3"] == (pytest.approx(0.1), 1)


def test_a_false_lower_end_and_a_false_limit_are_counted(known):
    """Each is a promise that was not kept; the second part is about false bounds of trees."""
    high = figures(known, made_up(known, (0.16, 0.17, 0.2), floor=(0.18, 0.19, 0.2)))
    low = figures(known, made_up(known, (0.1, 0.12, 0.14)))

    assert high["no false lower end if the tree bound is false"] == (0.0, 1)
    assert high["truth inside ranges with a lower end"] == (0.0, 1)
    assert (high["upper limits below the truth"], low["upper limits below the truth"]) == ((0.0, 1), (1.0, 1))


def test_verdicts_are_wrong_where_they_say_the_opposite(known):
    """Of two targets one can be met and one cannot."""
    found = figures(known, made_up(known, (0.1, 0.15, 0.2), words=("out of reach", "out of reach")))
    assert found["verdicts wrong"] == (0.5, 2)


def test_tables_of_known_floors_take_a_missing_lower_end_for_0(known):
    """A range that begins at 0 is as wide as its upper end."""
    made = known.tables(made_up(known, (None, 0.16, 0.2)))

    assert ("answer", "1", "1", "1.000", "0.000", "0.2000") in made["held"]
    assert ("good", "1", "0.0100", "1", "0") in made["reliability"]


@pytest.mark.slow
def test_an_answer_is_kept_without_the_lower_end_that_it_does_not_have(known):
    """NaN is no JSON."""
    from bayesfloor import BayesFloor

    X, y = known.draw_sample("gauss-0.15-d2", 60, 0)
    found = known.told_by(BayesFloor(n_jobs=1).fit(X, y).answer("quick"))

    assert found["lower"] is None
    assert found["reliability"] == "upper limit only"
    known.check_shares("here", {"answer": found})


def test_a_missing_package_is_named_with_the_command_that_installs_it(kept, monkeypatch):
    """A traceback would not say what to type."""
    monkeypatch.setattr(kept, "_PACKAGES", ("no-such-package",))

    with pytest.raises(SystemExit, match=r"no-such-package is not installed.*pip install --group bench"):
        kept.machine()
