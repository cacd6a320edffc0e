"""Rivals are measured by the formulas that they have today, and the estimates of one can be renewed alone."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

ROW = "ghp / dataeval-mst"


@pytest.fixture(scope="module")
def rivals(benchmark_module):
    """The module of rivals."""
    return benchmark_module("_rivals")


@pytest.fixture(scope="module")
def known(benchmark_module):
    """The benchmark of known floors."""
    return benchmark_module("known_floor")


def on_a_line(*groups):
    """Rows one apart, groups a hundred apart, so that the tree is the line; the classes are given as digits."""
    places = np.concatenate([100 * number + np.arange(len(group)) for number, group in enumerate(groups)])
    return places[:, None].astype(float), np.array([int(digit) for digit in "".join(groups)])


@pytest.mark.parametrize("groups", [("0000", "1111"), ("000", "111", "222", "333", "444")])
def test_the_edges_that_a_tree_needs_between_classes_are_not_counted(rivals, groups):
    """A tree has at least K - 1 edges between K classes; with classes far apart they are no error."""
    assert rivals.ghp(*on_a_line(*groups), None) == (0, 0, 0)


def test_one_row_in_a_foreign_class_costs_two_edges(rivals):
    """Of three edges between the classes one is needed: 2 of 8 rows above, (1 - sqrt(1 - 2 * 2 / 8)) / 2 below."""
    found = rivals.ghp(*on_a_line("0010", "1111"), None)

    assert found.upper == 2 / 8
    assert found.lower == pytest.approx((1 - np.sqrt(0.5)) / 2)
    assert found.estimate == (found.lower + found.upper) / 2


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


def test_a_rival_needs_saved_cells_to_be_measured_again(known, benchmark_module, tmp_path):
    """Nothing measured is not a success."""
    file = benchmark_module("_results").ResultsFile(tmp_path / "none.json", {})

    with pytest.raises(SystemExit, match="no saved cells"):
        known.run_again(file, [ROW], ["many-k3-d2"])


def test_nothing_saved_is_lost_when_all_is_to_be_fresh(known, monkeypatch):
    """A rival measured again is fresh anyway; the other methods took hours."""
    given = {}
    monkeypatch.setattr(known, "run_command", lambda *_, cells, **__: given.update(cells=cells))
    known.main()

    assert given["cells"](SimpleNamespace(again=[ROW], only=[])) == []
    assert "limits/wave-d2" in given["cells"](SimpleNamespace(again=[], only=["wave-d2"]))
