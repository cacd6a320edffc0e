"""The race: no dearer than the floor leaves room for, no cheaper than the rows show, and never without a reason."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.leaving import hierarchy_choose_model as _choose_model
from bayesfloor.leaving import hierarchy_model_trial as _model_trial
from bayesfloor.leaving.hierarchy_candidates import Candidate
from bayesfloor.leaving.hierarchy_choose_model import NodeRace
from bayesfloor.leaving.hierarchy_model_trial import Trial
from bayesfloor.leaving.hierarchy_node_floor import NodeFloor
from bayesfloor.leaving.hierarchy_problem import Problem

N = 600
NO_FLOOR = NodeFloor(0.0, 0.0)
FOREVER = float("inf")
AT_FLOOR, BEATEN, ROOM, NO_TIME = "at the floor", "below the floor", "room to improve", "out of time"


class Sure:
    """A model that is wrong on the part [low, high) of the rows: rows are a class and a place in [0, 1)."""

    classes_ = np.arange(2)

    def __init__(self, low, high, doubt):
        """Keep them; ``doubt`` is the probability of the right class where it is wrong."""
        self.low, self.high, self.doubt = low, high, doubt

    def predict_proba(self, X):
        """Nearly 1 for the class, but not on its part."""
        wrong = (X[:, 1] >= self.low) & (X[:, 1] < self.high)
        right = np.where(wrong, self.doubt, 0.99)
        return np.where(X[:, :1] == np.arange(2), right[:, None], 1 - right[:, None])


class Field:
    """Candidates of which all is known, and the trainings that they had."""

    def __init__(self):
        """Nobody."""
        self.candidates, self.trained = [], []

    def add(self, name, high, low=0.0, *, seconds=None, row=None, few=None, family=None, guide="", doubt=0.1):
        """A candidate with an error of ``high - low``; ``few`` is the end of its part on few rows."""
        cost = 10.0 ** len(self.candidates) if seconds is None else seconds
        row = cost if row is None else row
        train = partial(self._train, name, high, low, few, doubt)
        one = Candidate(name, family or name, train, lambda s: cost * s.n_rows / N, lambda _: row, guide)
        self.candidates.append(one)
        return self

    def _train(self, name, high, low, few, doubt, X, *_):
        self.trained.append((name, len(X)))
        return Sure(low, few if few is not None and len(X) <= _model_trial.SMALL else high, doubt)

    def names(self):
        """Which were trained at all."""
        return {name for name, _ in self.trained}

    def rows(self, name):
        """The sizes of a candidate's training sets."""
        return [n for one, n in self.trained if one == name]


def deal(seed=0):
    """A trial of rows evenly spread over their places."""
    codes = np.arange(N) % 2
    place = np.random.default_rng(seed).permutation(N) / N
    return Trial(Problem(np.column_stack([codes, place]), codes), seed)


def race(field, floor=NO_FLOOR, deadline=FOREVER, spent=0.0, trial=None):
    """What is chosen."""
    return NodeRace(trial or deal(), floor, spent, deadline).run(field.candidates)


@pytest.fixture
def few_rows(monkeypatch):
    """Trainings on 100 rows come before those on all."""
    monkeypatch.setattr(_model_trial, "SMALL", 100)
    monkeypatch.setattr(_model_trial, "_PER_CLASS", 10)


# The floor and the time decide


def test_at_the_floor_a_dear_model_is_not_worth_its_time():
    """It could gain less than a standard error, and would take longer than all before."""
    field = Field().add("cheap", 0.2).add("dear", 0.0)
    found = race(field, NodeFloor(0.2, 0.02))

    assert (found.candidate.name, found.reason) == ("cheap", AT_FLOOR)
    assert found.error == pytest.approx(0.2, abs=0.07)
    assert field.names() == {"cheap"}
    assert found.tried.endswith("; not worth their time: dear (6.7 s)")


def test_at_the_floor_a_model_that_costs_little_is_tried_all_the_same():
    """A floor may be too high, and little is lost."""
    field = Field().add("cheap", 0.2).add("also cheap", 0.0, seconds=1.4)
    found = race(field, NodeFloor(0.2, 0.02))

    assert found.candidate.name == "also cheap"
    assert found.reason.startswith(BEATEN)


def test_time_spent_on_floors_counts():
    """Beside a long measurement the next model is nothing."""
    field = Field().add("cheap", 0.2).add("dear", 0.0)

    assert race(field, NodeFloor(0.2, 0.02), spent=100.0).candidate.name == "dear"


def test_room_above_the_floor_is_worth_any_time():
    """As long as each is better."""
    field = Field().add("cheap", 0.3).add("dear", 0.1).add("dearest", 0.0)
    found = race(field)

    assert (found.candidate.name, found.error, found.reason) == ("dearest", 0.0, AT_FLOOR)


def test_one_that_fails_does_not_end_the_race():
    """Room is still there: the next may use it."""
    field = Field().add("cheap", 0.3).add("dear", 0.5).add("dearest", 0.1)
    found = race(field)

    assert found.candidate.name == "dearest"
    assert found.reason.startswith(ROOM)


def test_a_floor_that_was_beaten_says_nothing():
    """Then it stops nobody."""
    field = Field().add("cheap", 0.1).add("dear", 0.0)
    found = race(field, NodeFloor(0.4, 0.01))

    assert found.candidate.name == "dear"
    assert found.reason.startswith(BEATEN)


def test_what_was_tried_is_told_with_its_error_and_cost():
    """By family, in the order of the trials."""
    found = race(Field().add("cheap", 0.3).add("dear", 0.1))

    assert found.tried.startswith("tried cheap 0.")
    assert "(0.67 s)" in found.tried
    assert "dear 0." in found.tried
    assert "(6.7 s)" in found.tried


# Which of them


def test_of_equal_models_the_one_that_predicts_fastest_is_taken():
    """It gives as much; the reason says that there is room all the same."""
    field = Field().add("cheap", 0.3).add("fast", 0.3, row=1e-9).add("dearest", 0.3)
    found = race(field)

    assert found.candidate.name == "fast"
    assert found.reason == "room to improve, but no other model is better"
    assert field.names() == {"cheap", "fast", "dearest"}


def test_of_equal_errors_the_lower_log_loss_counts():
    """A fast model that is sure of its mistakes does not win against one that doubts them."""
    field = Field().add("sure", 0.2, doubt=0.01, row=1e-9).add("doubting", 0.2, doubt=0.45)

    assert race(field).candidate.name == "doubting"


@pytest.mark.parametrize(("better", "expected"), [(1 / N, "fast"), (0.1, "slow")])
def test_a_slower_model_must_be_better_by_a_standard_error(better, expected):
    """One row of six hundred is chance."""
    field = Field().add("fast", 0.2).add("slow", 0.2 - better)

    assert race(field).candidate.name == expected


def test_one_is_enough():
    """There may be no second."""
    found = race(Field().add("only", 0.3))

    assert found.candidate.name == "only"
    assert found.reason.startswith(ROOM)


def test_a_guide_that_is_clearly_behind_keeps_its_follower_out():
    """Forests show at a fraction of the cost whether trees suit the data."""
    behind = Field().add("linear", 0.1).add("forest", 0.4).add("boosting", 0.0, guide="forest")
    near = Field().add("linear", 0.2).add("forest", 0.1).add("boosting", 0.0, guide="forest")

    assert race(behind).candidate.name == "linear"
    assert "boosting" not in behind.names()
    assert race(near).candidate.name == "boosting"


def test_of_a_family_the_best_is_taken():
    """The others are tried on one fold only."""
    field = Field().add("cheap", 0.5)
    for C, error in [(1, 0.4), (10, 0.1), (100, 0.3)]:
        field.add(f"C={C}", error, seconds=10.0, family="kernel")

    assert race(field).candidate.name == "C=10"
    assert len(field.rows("C=1")) == len(field.rows("C=100")) == 1


# Time


def test_out_of_time_the_cheapest_is_taken():
    """And the reason says that it was time, not the floor."""
    field = Field().add("cheap", 0.3).add("dear", 0.0)
    found = race(field, deadline=-np.inf)

    assert (found.candidate.name, found.reason) == ("cheap", NO_TIME)
    assert field.names() == {"cheap"}


def test_out_of_time_at_the_floor_nothing_was_missed():
    """The floor is the better reason."""
    found = race(Field().add("cheap", 0.3).add("dear", 0.3), NodeFloor(0.3, 0.02), -np.inf)

    assert found.reason == AT_FLOOR


def test_a_model_that_would_not_be_finished_in_time_is_not_begun(monkeypatch):
    """At the pace so far: ten seconds for one by the formula leave no time for a model of ten."""
    now = [0.0]
    monkeypatch.setattr(_choose_model, "time", SimpleNamespace(monotonic=lambda: now[0]))
    field = Field().add("cheap", 0.4).add("dear", 0.2, seconds=2.0).add("dearest", 0.0, seconds=10.0)
    train = field._train
    monkeypatch.setattr(field, "_train", train)
    for one in field.candidates:
        slow = partial(slowly, one.train, now, 10 * one.seconds(deal().size(0)))
        object.__setattr__(one, "train", slow)
    found = race(field, deadline=80.0)

    assert (found.candidate.name, found.reason) == ("dear", NO_TIME)
    assert "dearest" not in field.names()


def slowly(train, now, seconds, *arguments):
    """Train while the clock goes on."""
    now[0] += seconds
    return train(*arguments)


# Few rows first


@pytest.mark.usefixtures("few_rows")
def test_a_model_that_is_far_behind_is_not_trained_on_all_rows():
    """What is far worse on few rows would cost much and come to nothing."""
    field = Field().add("cheap", 0.2).add("hopeless", 0.9).add("dear", 0.0)

    assert race(field).candidate.name == "dear"
    assert field.rows("hopeless") == [100]


@pytest.mark.usefixtures("few_rows")
def test_a_model_that_is_a_little_worse_on_few_rows_has_its_chance():
    """More rows help dearer models most."""
    field = Field().add("cheap", 0.2).add("slow", 0.05, few=0.25)

    assert race(field).candidate.name == "slow"


@pytest.mark.usefixtures("few_rows")
def test_where_few_rows_cost_as_much_all_are_used_at_once():
    """A model may have costs that do not depend on rows."""
    field = Field().add("cheap", 0.2)
    field.candidates.append(
        Candidate("fixed", "fixed", partial(field._train, "fixed", 0.0, 0.0, None, 0.1), lambda _: 9.0, lambda _: 1.0)
    )

    assert race(field).candidate.name == "fixed"
    assert min(field.rows("fixed")) == 400


@pytest.mark.usefixtures("few_rows")
def test_a_clear_case_needs_one_fold():
    """Others would only cost."""
    field = Field().add("cheap", 0.5).add("dear", 0.0)
    race(field)

    assert [n for n in field.rows("dear") if n > 100] == [400]


# Whatever the field is


ERRORS = st.lists(st.tuples(st.floats(0, 0.6), st.floats(0, 0.4)), min_size=1, max_size=4)


@given(ERRORS, st.builds(NodeFloor, st.floats(0, 0.5), st.floats(0, 0.05)), st.booleans())
def test_what_is_taken_is_never_clearly_worse_and_its_reason_is_true(errors, floor, in_time):
    """For any errors and any floor."""
    field, trial = Field(), deal()
    for number, (width, low) in enumerate(errors):
        field.add(str(number), low + width, low)
    found = race(field, floor, FOREVER if in_time else -np.inf, trial=trial)
    _, tested = error = trial.error(found.candidate)
    first = field.candidates[0]

    assert found.error == error[0]
    assert tested <= N
    assert found.candidate in field.candidates
    shared = [fold for fold in trial.folds_of(found.candidate) if fold in trial.folds_of(first)]
    assert trial.compare(found.candidate, first, shared, trial.last).z <= 1
    assert found.reason.startswith(BEATEN) == floor.is_beaten(*error)
    assert (found.reason == AT_FLOOR) == (not floor.shows_room(*error) and not floor.is_beaten(*error))
    assert in_time or found.candidate is first
