"""The benchmark of answers on real data: what is told of made-up cells, and how folds are dealt."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def answers(benchmark_module):
    """The benchmark."""
    return benchmark_module("answers")


def cost(answer, forest=(10.0, 9.0, 12.0)):
    """A cell of costs whose fits take a second each."""
    return {"shape": [200, 16, 26], "seconds": {"forest": list(forest), "fit": [1.0] * 3, "answer": list(answer)}}


def said(estimate, lower, upper, reliability="good"):
    """A cell of an answer."""
    return {"shape": [200, 16, 26], "estimate": estimate, "lower": lower, "upper": upper, "reliability": reliability}


@pytest.fixture
def results():
    """Cells of letter: a cost, an answer, two rivals of three, and what was said before."""
    return {
        "cases": {
            "cost/letter/quick": cost((8.0, 10.0, 9.5)),
            "cost/letter/normal": cost((21.0, 22.0, 25.0), forest=(8.0, 9.0, 8.5)),
            "answer/letter": said(0.02, 0.012, 0.034),
            "rivals/letter/svc": {"error": 0.027},
            "rivals/letter/trees": {"error": 0.031},
            "rivals/letter/boosting": {"error": None},
            "before/letter": said(0.07, None, 0.074),
        }
    }


def test_a_cost_is_the_smallest_of_its_rounds_beside_the_smallest_of_the_forest(answers, results):
    """What disturbed a round is not counted, but shown."""
    line = next(line for line in answers.tables(results)["cost"] if "quick" in line)

    assert line == ("letter", "200 x 16", "26", "quick", "9 s +33%", "9 s +22%", "8 s +25%", "1.00")


def test_every_goal_is_judged(answers, results):
    """Cost by effort, the ends of letter, and lower ends that a rival contradicts."""
    assert [(one.figure, one.goal, one.met) for one in answers.goals(results)] == [
        ("1.00", "<= 1", True),
        ("2.75", "<= 2.5", False),
        ("0.0340", "<= 0.035", True),
        ("0.0200", "0.01 to 0.03", True),
        ("0 of 1", "<= 0", True),
    ]


def test_a_lower_end_above_a_rival_is_named(answers, results):
    """The worst mistake of an answer on data whose truth nobody knows."""
    results["cases"]["answer/letter"]["lower"] = 0.03
    told = list(answers.goals(results))[-1]

    assert (told.measured.endswith(", letter"), told.figure, told.met) == (True, "1 of 1", False)


def test_nothing_measured_gives_no_goal(answers):
    """A page can be made of any part of the cells."""
    assert list(answers.goals({"cases": {}})) == []
    assert [len(lines) for lines in answers.tables({"cases": {}}).values()] == [1, 1, 1]


def test_equal_rows_are_dealt_to_one_fold_and_classes_evenly(benchmark_module, global_random_seed):
    """A copy in another fold would be recognised."""
    rng = np.random.default_rng(global_random_seed)
    distinct, codes = rng.normal(size=(60, 2)), np.repeat([0, 1, 2], 20)
    order = rng.permutation(np.repeat(np.arange(60), 2))
    fold = benchmark_module("_tuned").deal_folds(distinct[order], codes[order], 5, 0)

    by_row = [set(fold[order == row]) for row in range(60)]
    assert all(len(found) == 1 for found in by_row)
    assert (np.histogram2d(fold, codes[order], bins=(5, 3))[0] == 8).all()
