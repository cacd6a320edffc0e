"""The plan of a race: the stages that really come, in their order, with costs that make sense."""

import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.answer._make_answer import LEARN_ON
from bayesfloor.leaving.answer_expected_seconds import expected_seconds


@pytest.mark.parametrize("effort", ["quick", "normal"])
def test_the_stages_are_those_that_come(effort):
    """A name of its own would be a stage that never ends; each learner has a part, and each part its folds."""
    heard = {}
    X = np.random.default_rng(0).normal(size=(300, 3))
    floor = BayesFloor(interval="fast", progress=lambda stage, _, total: heard.update({stage: total}))
    floor.fit(X, X[:, 0] > 0)
    heard.clear()
    answer = floor.answer(effort)
    planned = expected_seconds(300, 3, 2, effort, None)

    assert list(planned) == list(heard)
    assert {len(parts) for parts in planned.values()} == {len(answer.evidence().wrong) - 1}  # all but the blend
    assert [total / 5 for total in heard.values()][:2] == [len(parts) for parts in planned.values()][:2]
    assert max(heard.values()) == next(iter(heard.values()))  # some learners drop out


def test_each_training_size_costs_more_than_the_one_before():
    """Or the time that is left would be short at the end."""
    totals = [sum(parts) for parts in expected_seconds(5000, 20, 5, "normal", None).values()]

    assert totals[0] > 0
    assert totals == sorted(totals)


def test_two_threads_take_half_the_time():
    """The plan is in seconds that pass."""
    one, two = (expected_seconds(5000, 20, 5, "normal", n_jobs) for n_jobs in (1, 2))

    assert list(one) == list(two)
    for stage, parts in one.items():
        assert two[stage] == pytest.approx([seconds / 2 for seconds in parts])


def test_learners_see_no_more_rows_than_they_may():
    """Large data are subsampled."""
    most, more = (expected_seconds(n_rows, 20, 5, "quick", None) for n_rows in (LEARN_ON, 100 * LEARN_ON))

    assert most == more
