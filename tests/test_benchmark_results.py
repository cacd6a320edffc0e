"""Results: each case names its commit, known floors are judged by the answer, rivals follow their formulas of today."""

import json
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

ROW = "ghp / dataeval-mst"


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


# Rivals


@pytest.fixture(scope="module")
def rivals(benchmark_module):
    """The module of rivals."""
    return benchmark_module("_rivals")


def on_a_line(*groups):
    """Rows one apart, groups a hundred apart, so that the tree is the line; the classes are given as digits."""
    places = np.concatenate([100 * number + np.arange(len(group)) for number, group in enumerate(groups)])
    return places[:, None].astype(float), np.array([int(digit) for digit in "".join(groups)])


@pytest.mark.parametrize("groups", [("0000", "1111"), ("000", "111", "222", "333", "444")])
def test_the_edges_that_a_tree_needs_between_classes_are_not_counted(rivals, groups):
    """A tree has at least K - 1 edges between K classes; with classes far apart they are no error."""
    assert rivals.ghp(*on_a_line(*groups), None) == (0, 0, 0)


def test_bounds_are_those_that_dataeval_documents(rivals):
    """The example of ``ber_mst`` in DataEval 1.0; before January 2026 it gave .04 and .0204."""
    found = rivals.ghp(*make_blobs(n_samples=50, centers=2, n_features=2, random_state=0), None)

    assert (found.upper, found.lower) == pytest.approx((0.02, 0.010102051443364402), abs=1e-12)


def test_the_upper_bound_may_exceed_guessing_and_absent_classes_do_not_count(rivals):
    """As in DataEval: 7 edges between two classes, less one, over 8 rows."""
    X, codes = on_a_line("02020202")

    assert rivals.ghp(X, codes, None) == (0.625, 0.5, 0.75)


# A rival measured again


@pytest.fixture
def saved(known, benchmark_module, tmp_path):
    """A file with the cells of one design, in which a rival's figures are wrong, and what was measured."""
    file = benchmark_module("_results").ResultsFile(tmp_path / "known_floor.json", {"seed": 0, "machine": {}})
    file.commit = "aaa"
    X, codes = known.draw_sample("many-k3-d2", 60, 0)
    methods = known.run_rivals(X, codes, 0, ["hp-1", ROW])
    wrong = methods | {ROW: {"estimate": 0.9, "lower": 0.9, "upper": 0.9, "seconds": 9.0}}
    file.add("many-k3-d2/60", {"truth": 0.1, "cells": [{"seed": 0, "methods": wrong, "verdicts": {}}]})
    file.add("limits/many-k3-d2", {"coverage": 1.0})
    file.commit = "bbb"
    return file, methods


def test_estimates_of_one_rival_are_renewed_and_all_else_is_kept(known, saved):
    """On the same rows, without hours for methods that have not changed."""
    file, methods = saved
    known.run_again(file, [ROW], ["many-k3-d2"])
    cases = json.loads(file.path.read_text())["cases"]
    (cell,) = cases["many-k3-d2/60"]["cells"]
    measured = cell["methods"][ROW]

    assert list(cell["methods"]) == list(methods)
    assert cell["methods"]["hp-1"] == methods["hp-1"]
    assert {end: measured[end] for end in known.ENDS} == {end: methods[ROW][end] for end in known.ENDS}
    assert measured["seconds"] == 9  # times compare only with those of the same run
    assert cases["limits/many-k3-d2"] == {"coverage": 1.0}


def test_what_was_measured_again_says_by_which_code(known, benchmark_module, saved):
    """The case keeps the commit of everything else."""
    file, _ = saved
    known.run_again(file, [ROW], ["many-k3-d2"])
    kept = benchmark_module("_results")

    assert file.results["commits"] == {"many-k3-d2/60": "aaa", "limits/many-k3-d2": "aaa"}
    assert kept.code_behind(file.results) == f"commit aaa; estimates of {ROW} again by that of commit bbb (1 case)"
    assert kept.commits_behind(file.results) == {"aaa", "bbb"}


def test_nothing_saved_is_lost_when_all_is_to_be_fresh(known, monkeypatch):
    """A rival measured again is fresh anyway; the other methods took hours."""
    given = {}
    monkeypatch.setattr(known, "run_command", lambda *_, cells, **__: given.update(cells=cells))
    known.main()

    assert given["cells"](SimpleNamespace(again=[ROW], only=[])) == []
    assert "limits/wave-d2" in given["cells"](SimpleNamespace(again=[], only=["wave-d2"]))
