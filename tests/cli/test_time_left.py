"""The time that is left, over all stages, with a clock that the tests set."""

import numpy as np
import pytest

from bayesfloor import check
from bayesfloor.leaving.answer_expected_seconds import expected_seconds
from bayesfloor.leaving.cli_time_left import TimeLeft
from bayesfloor.support._tasks import Listener


class Clock:
    """A clock that only passes when told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        """The time."""
        return self.now


@pytest.fixture
def clock():
    """A clock."""
    return Clock()


@pytest.fixture
def time(clock):
    """The estimate under test."""
    return TimeLeft(clock)


class Events(Listener):
    """All that a check tells, in order, as calls to repeat."""

    def __init__(self):
        self.calls = []

    def __call__(self, *told):
        """Note the stage."""
        self.calls.append(("hear", told))

    def sized(self, *size):
        """Note the plan, a thousand times as long: this work is over too soon."""
        seconds = expected_seconds(*size, effort="normal", n_jobs=None)
        self.calls.append(("plan", ({stage: [1000 * each for each in parts] for stage, parts in seconds.items()},)))

    def bounded(self, *_):
        """Note that the race begins."""
        self.calls.append(("begin", ()))


@pytest.fixture(scope="module")
def events():
    """What a real check tells: trees, subsamples, then four training sizes."""
    told, rng = Events(), np.random.default_rng(0)
    codes = np.arange(900) % 3
    check(rng.normal(size=(900, 4)) + codes[:, None], codes, progress=told)
    return told.calls


def replay(events, clock, time, slowness):
    """When the race began and, after each event, the time and what the estimate says: left and passed, in order."""
    twin, seen = TimeLeft(lambda: 0.0), []  # the twin knows how much of the plan is done
    for what, told in events:
        before = twin._done
        for each in (twin, time):
            if each is time:
                clock.now += slowness * max(0.0, twin._done - before) or 0.01
            getattr(each, what)(*told)
        seen.append((clock.now, time.left, time.fraction))
    return events.index(("begin", ())), np.array(seen).T


@pytest.mark.parametrize("slowness", [0.3, 1.0, 4.0])
def test_it_falls_over_all_stages_and_comes_true(events, clock, time, slowness):
    """On real events, by a machine that is faster than expected, as expected or slower; its pace is soon known."""
    began, (now, left, fraction) = replay(events, clock, time, slowness)
    truth = now[-1] - now
    known = truth < 0.9 * truth[began]

    assert truth[began] > 30
    assert (np.diff(left[began:] if slowness <= 1 else left[known]) < 0).all()
    np.testing.assert_allclose(left[known], truth[known], rtol=0.25, atol=1e-6)
    assert (np.diff(fraction) >= 0).all()
    assert fraction[-1] == pytest.approx(1)


def test_before_anything_is_known_there_is_none(clock, time):
    """A guess would be a lie."""
    clock.now += 3
    time.hear("trees", 1, 3)

    assert time.left is None
    assert (time.elapsed, time.fraction) == (3, 0)


def test_later_stages_count_before_they_begin(clock, time):
    """The bar of the trees alone would be full when most of the work is still to come."""
    time.plan({"small": [1.0, 2.0], "large": [3.0, 4.0]})
    clock.now += 5
    time.hear("trees", 1, 5)
    clock.now += 2
    time.hear("trees", 2, 5)

    assert time.left == pytest.approx(10 + 3 * 2)
    assert time.fraction == pytest.approx(7 / 23)


def test_it_counts_down_between_events(clock, time):
    """A time that stands still looks like a hang."""
    time.plan({"race": [5.0, 5.0]})
    time.hear("race", 0, 2)
    clock.now += 2

    assert time.left == pytest.approx(8)


def test_it_waits_for_a_task_that_takes_too_long(clock, time):
    """The tasks after it take no less time for that."""
    time.plan({"race": [5.0, 5.0]})
    time.hear("race", 0, 2)
    clock.now += 60

    assert time.left == pytest.approx(5)


def test_more_tasks_than_parts_share_the_time_of_their_part(clock, time):
    """Each learner is one part and has several folds."""
    time.plan({"race": [2.0, 8.0]})
    clock.now += 1
    time.hear("race", 1, 4)
    clock.now += 5
    time.hear("race", 3, 4)

    assert time.left == pytest.approx(4)


def test_a_stage_without_a_plan_has_its_own_pace(clock, time):
    """What came before its first report was other work."""
    clock.now += 30
    time.hear("features", 1, 11)
    clock.now += 2
    time.hear("features", 2, 11)

    assert time.left == pytest.approx(18)


def test_a_stage_that_comes_again_begins_again(clock, time):
    """As with samples of growing size."""
    time.hear("neighbours", 1, 2)
    clock.now += 1
    time.hear("neighbours", 2, 2)
    clock.now += 50
    time.hear("neighbours", 1, 3)
    clock.now += 4
    time.hear("neighbours", 2, 3)

    assert time.left == pytest.approx(4)


def test_a_new_plan_takes_the_place_of_the_old(clock, time):
    """Fewer rows were needed, or the trees are grown again."""
    time.plan({"race": [50.0]})
    clock.now += 5
    time.hear("trees", 1, 1)
    time.plan({"race": [8.0]})

    assert time.left == pytest.approx(8)
