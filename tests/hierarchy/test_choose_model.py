"""Climbing: no dearer than the floor leaves room for, no cheaper than the rows show, and never without a reason."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.hierarchy import _choose_model, _model_trial
from bayesfloor.hierarchy._choose_model import climb
from bayesfloor.hierarchy._model_trial import Trial
from bayesfloor.hierarchy._models import ModelKind, Rung
from bayesfloor.hierarchy._node_floor import NodeFloor

N = 600
NO_FLOOR = NodeFloor(0.0, 0.0)
FOREVER = np.inf
AT_FLOOR, BEATEN, ROOM, NO_TIME = "at the floor", "below the floor", "room to improve", "out of time"


class Sure:
    """A model that is wrong on the part [low, high) of the rows, and says so: rows are a class and a place in [0, 1).

    ``doubt`` is the chance that it leaves to the true class there; elsewhere it is sure.
    """

    classes_ = np.arange(2)

    def __init__(self, low, high, doubt):
        """Keep them."""
        self.low, self.high, self.doubt = low, high, doubt

    def predict_proba(self, X):
        """Nearly 1 for the class, but not on its part."""
        wrong = (X[:, 1] >= self.low) & (X[:, 1] < self.high)
        right = np.where(wrong, self.doubt, 0.99)
        return np.where(X[:, :1] == np.arange(2), right[:, None], 1 - right[:, None])

    def predict(self, X):
        """The likelier class."""
        return self.predict_proba(X).argmax(axis=1)


class Ladder:
    """Rungs of models of which all is known, and the trainings that they had."""

    def __init__(self):
        """No rung."""
        self.rungs, self.trained = [], []

    def add(self, name, high, low=0.0, *, doubt=0.1, few=None):
        """A rung of one model with an error of ``high - low``; ``few`` is the end of its part on few rows."""
        self.rungs.append(Rung([self.make(name, high, low, doubt, few)]))
        return self

    def make(self, name, high, low=0.0, doubt=0.1, few=None):
        """A candidate."""
        return ModelKind(name, partial(self._train, name, high, low, doubt, few))

    def _train(self, name, high, low, doubt, few, X, *_):
        self.trained.append((name, len(X)))
        on_few = few is not None and len(X) <= _model_trial.SMALL
        return Sure(low, few if on_few else high, doubt)

    def names(self):
        """Which were trained at all."""
        return {name for name, _ in self.trained}


def deal(seed=0):
    """A trial of rows evenly spread over their places."""
    codes = np.arange(N) % 2
    place = np.random.default_rng(seed).permutation(N) / N
    return Trial(np.column_stack([codes, place]), codes, None, seed)


@pytest.fixture
def few_rows(monkeypatch):
    """Trainings on 100 rows come before those on all."""
    monkeypatch.setattr(_model_trial, "SMALL", 100)


# The floor decides


@pytest.mark.usefixtures("few_rows")
def test_at_the_floor_one_rung_is_probed_and_no_more():
    """Nothing is to be gained above: few rows are asked whether the floor is right, then it is over."""
    ladder = Ladder().add("cheap", 0.2).add("dear", 0.2).add("dearest", 0.0)
    found = climb(deal(), ladder.rungs, NodeFloor(0.2, 0.02), FOREVER)

    assert (found.candidate.name, found.reason) == ("cheap", AT_FLOOR)
    assert found.error == pytest.approx(0.2, abs=0.07)
    assert ladder.names() == {"cheap", "dear"}
    assert all(n == 100 for name, n in ladder.trained if name == "dear")


def test_room_above_the_floor_is_climbed():
    """As long as each rung is better."""
    ladder = Ladder().add("cheap", 0.3).add("dear", 0.1).add("dearest", 0.0)
    found = climb(deal(), ladder.rungs, NO_FLOOR, FOREVER)

    assert (found.candidate.name, found.error, found.reason) == ("dearest", 0.0, AT_FLOOR)


def test_a_rung_that_fails_is_stepped_over():
    """Room is still there: the next may use it."""
    ladder = Ladder().add("cheap", 0.3).add("dear", 0.5).add("dearest", 0.1)
    found = climb(deal(), ladder.rungs, NO_FLOOR, FOREVER)

    assert found.candidate.name == "dearest"
    assert found.reason.startswith(ROOM)


@pytest.mark.parametrize("few", [False, True], ids=["all rows", "few rows first"])
def test_a_floor_that_is_too_high_is_beaten(monkeypatch, few):
    """The probe goes below it; then it is not believed again, and climbing goes on."""
    if few:
        monkeypatch.setattr(_model_trial, "SMALL", 100)
    ladder = Ladder().add("cheap", 0.3).add("dear", 0.1).add("dearest", 0.0)
    found = climb(deal(), ladder.rungs, NodeFloor(0.3, 0.01), FOREVER)

    assert (found.candidate.name, found.error) == ("dearest", 0.0)
    assert found.reason.startswith(BEATEN)


def test_a_cheap_model_may_beat_the_floor_by_itself():
    """No dearer one is needed to see that it is too high."""
    ladder = Ladder().add("cheap", 0.1).add("dear", 0.1)
    found = climb(deal(), ladder.rungs, NodeFloor(0.4, 0.01), FOREVER)

    assert found.candidate.name == "cheap"
    assert found.reason.startswith(BEATEN)


def test_a_dearer_model_that_is_equal_is_not_taken():
    """It costs more and gives nothing; the reason says that there is room all the same."""
    ladder = Ladder().add("cheap", 0.3).add("dear", 0.3).add("dearest", 0.3)
    found = climb(deal(), ladder.rungs, NO_FLOOR, FOREVER)

    assert found.candidate.name == "cheap"
    assert found.reason == "room to improve, but no costlier model is better"
    assert ladder.names() == {"cheap", "dear", "dearest"}


def test_a_dearer_model_must_be_clearly_better():
    """One row of six hundred is chance."""
    one_row = 1 / N
    ladder = Ladder().add("cheap", 0.2).add("dear", 0.2 - one_row)

    assert climb(deal(), ladder.rungs, NO_FLOOR, FOREVER).candidate.name == "cheap"


def test_one_rung_is_enough():
    """A ladder may have no second."""
    found = climb(deal(), Ladder().add("only", 0.3).rungs, NO_FLOOR, FOREVER)

    assert found.candidate.name == "only"
    assert found.reason.startswith(ROOM)


# Time


def test_out_of_time_the_cheapest_is_taken():
    """And the reason says that it was time, not the floor."""
    ladder = Ladder().add("cheap", 0.3).add("dear", 0.0)
    found = climb(deal(), ladder.rungs, NO_FLOOR, -np.inf)

    assert (found.candidate.name, found.reason) == ("cheap", NO_TIME)
    assert ladder.names() == {"cheap"}


def test_out_of_time_at_the_floor_nothing_was_missed():
    """The floor is the better reason."""
    found = climb(deal(), Ladder().add("cheap", 0.3).add("dear", 0.3).rungs, NodeFloor(0.3, 0.02), -np.inf)

    assert found.reason == AT_FLOOR


def test_time_may_run_out_on_the_way(monkeypatch):
    """What was found until then is kept."""
    clock = iter([True, False])
    monkeypatch.setattr(_choose_model, "_time_left", lambda _: next(clock))
    ladder = Ladder().add("cheap", 0.4).add("dear", 0.2).add("dearest", 0.0)
    found = climb(deal(), ladder.rungs, NO_FLOOR, 0.0)

    assert (found.candidate.name, found.reason) == ("dear", NO_TIME)
    assert "dearest" not in ladder.names()


# Blends


def test_two_that_err_on_different_rows_are_blended():
    """Each knows what the other doubts."""
    ladder = Ladder().add("cheap", 0.3, doubt=0.45).add("dear", 0.6, 0.3, doubt=0.45)
    found = climb(deal(), ladder.rungs, NO_FLOOR, FOREVER)

    assert found.candidate.name == "cheap and dear"
    assert [part.name for part in found.candidate.parts] == ["cheap", "dear"]
    assert (found.error, found.reason) == (0.0, AT_FLOOR)


def test_the_better_of_a_blend_is_named_first():
    """It would have been taken alone."""
    ladder = Ladder().add("cheap", 0.5, doubt=0.45).add("dear", 0.7, 0.5, doubt=0.45)

    assert climb(deal(), ladder.rungs, NO_FLOOR, FOREVER).candidate.name == "dear and cheap"


@pytest.mark.parametrize("doubt", [0.45, 0.001])
def test_two_that_err_on_the_same_rows_are_not_blended(doubt):
    """Together they know no more."""
    ladder = Ladder().add("cheap", 0.3, doubt=doubt).add("dear", 0.31, doubt=doubt)

    assert climb(deal(), ladder.rungs, NO_FLOOR, FOREVER).candidate.name == "cheap"


def test_a_blend_that_spoils_the_better_one_is_not_taken():
    """One that is sure of its many errors drags the other along."""
    ladder = Ladder().add("cheap", 0.1, doubt=0.45).add("dear", 0.9, 0.1, doubt=0.0)

    assert climb(deal(), ladder.rungs, NO_FLOOR, FOREVER).candidate.name == "cheap"


def test_what_is_taken_can_be_trained_on_all_rows():
    """Blends included."""
    for dear in (0.6, 0.3):
        ladder, trial = Ladder().add("cheap", 0.3, doubt=0.45).add("dear", dear, 0.3, doubt=0.45), deal()
        model = trial.refit(climb(trial, ladder.rungs, NO_FLOOR, FOREVER).candidate)

        assert np.array_equal(model.predict(trial.X), trial.codes)
        assert ladder.trained[-1][1] == N


# Few rows first


@pytest.mark.usefixtures("few_rows")
def test_a_hopeless_model_is_not_trained_on_all_rows():
    """What is far worse on few rows would cost much and come to nothing."""
    ladder = Ladder().add("cheap", 0.2).add("hopeless", 0.9).add("dear", 0.0)
    found = climb(deal(), ladder.rungs, NO_FLOOR, FOREVER)

    assert found.candidate.name == "dear"
    assert [n for name, n in ladder.trained if name == "hopeless"] == [100]


@pytest.mark.usefixtures("few_rows")
def test_a_model_that_is_a_little_worse_on_few_rows_has_its_chance():
    """More rows help dearer models most."""
    ladder = Ladder().add("cheap", 0.2).add("slow", 0.05, few=0.25)

    assert climb(deal(), ladder.rungs, NO_FLOOR, FOREVER).candidate.name == "slow"


@pytest.mark.usefixtures("few_rows")
def test_of_a_rung_the_best_on_few_rows_is_taken():
    """The others are not trained on all."""
    ladder = Ladder()
    grid = [ladder.make(f"C={C}", error) for C, error in [(1, 0.4), (10, 0.1), (100, 0.3)]]
    found = climb(deal(), [Rung(grid)], NO_FLOOR, FOREVER)

    assert found.candidate.name == "C=10"
    assert {name for name, n in ladder.trained if n > 100} == {"C=10"}


@pytest.mark.usefixtures("few_rows")
def test_a_clear_case_needs_one_fold():
    """Others would only cost."""
    ladder = Ladder().add("cheap", 0.5).add("dear", 0.0)
    climb(deal(), ladder.rungs, NO_FLOOR, FOREVER)

    assert [n for name, n in ladder.trained if name == "dear" and n > 100] == [400]


# Whatever the ladder is


ERRORS = st.lists(st.tuples(st.floats(0, 0.6), st.floats(0, 0.4)), min_size=1, max_size=4)


@given(ERRORS, st.builds(NodeFloor, st.floats(0, 0.5), st.floats(0, 0.05)), st.booleans(), st.sampled_from([0.1, 0.4]))
def test_what_is_taken_is_never_worse_and_its_reason_is_true(errors, floor, in_time, doubt):
    """For any errors and any floor."""
    ladder, trial = Ladder(), deal()
    for number, (width, low) in enumerate(errors):
        ladder.add(str(number), low + width, low, doubt=doubt)
    found = climb(trial, ladder.rungs, floor, FOREVER if in_time else -np.inf)
    _, tested = error = trial.error(found.candidate)
    parts = found.candidate.parts or (found.candidate,)

    assert found.error == error[0]
    assert tested <= N
    assert {part.name for part in parts} <= {rung.candidates[0].name for rung in ladder.rungs}
    shared = [fold for fold in trial.tested(found.candidate) if fold in trial.tested(ladder.rungs[0].candidates[0])]
    assert trial.compare(found.candidate, ladder.rungs[0].candidates[0], shared, small=False).difference <= 0
    assert found.reason.startswith(BEATEN) == floor.is_beaten(*error)
    assert (found.reason == AT_FLOOR) == (not floor.shows_room(*error) and not floor.is_beaten(*error))
    assert in_time or found.candidate is ladder.rungs[0].candidates[0]
