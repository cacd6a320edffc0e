"""What a listener hears while an answer is made: only what the answer itself stands behind."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from bayesfloor import BayesFloor, check
from bayesfloor.answer import _make_answer
from bayesfloor.support._tasks import Listener


class Notes(Listener):
    """A listener that writes all down."""

    def __init__(self):
        self.heard = []

    def __call__(self, stage, done, total):
        """Write down the stage."""
        self.heard.append(("stage", stage, done, total))

    def sized(self, n_rows, n_features, n_classes):
        """Write down the size."""
        self.heard.append(("sized", n_rows, n_features, n_classes))

    def bounded(self, lower, upper, guessing):
        """Write down the limits."""
        self.heard.append(("bounded", lower, upper, guessing))

    def trained(self, error, n_train):
        """Write down the error."""
        self.heard.append(("trained", error, n_train))

    def of(self, kind):
        """All of one kind, without its name."""
        return [rest for name, *rest in self.heard if name == kind]


def overlapping(n=600, equal_rows=0):
    """Two classes that overlap, and pairs of equal rows with different labels."""
    rng = np.random.default_rng(0)
    codes = np.arange(n) % 2
    X = rng.normal(size=(n, 3))
    X[:, 0] += 2 * codes
    X[1 : 2 * equal_rows : 2] = X[: 2 * equal_rows : 2]
    return X, codes


@pytest.fixture(scope="module", params=[0, 100], ids=["distinct rows", "equal rows"])
def checked(request):
    """What was heard, and the answer that came of it."""
    notes = Notes()
    found = check(*overlapping(equal_rows=request.param), effort="quick", progress=notes)
    return notes, found.answer


def test_limits_from_trees_are_never_taken_back(checked):
    """The range can only become narrower: a verdict that they settle stays."""
    notes, answer = checked
    ((lower, upper, guessing),) = notes.of("bounded")

    assert 0 <= lower < upper <= guessing == answer.guessing
    assert answer.upper <= upper
    assert lower == 0 or answer.lower >= lower


def test_equal_rows_with_different_labels_settle_a_verdict_early():
    """No model can be right on both."""
    notes = Notes()
    found = check(*overlapping(equal_rows=100), target=0.95, effort="quick", progress=notes)

    assert notes.of("bounded")[0][0] > 0.05
    assert found.outcome == "out of reach"


def test_each_training_size_tells_its_lowest_error(checked):
    """The numbers are those of the race that the answer keeps."""
    notes, answer = checked
    race = answer.evidence()
    lowest = np.nanmin([wrong.mean(axis=1) for wrong in race.wrong.values()], axis=0)

    assert notes.of("trained") == [[error, n] for error, n in zip(lowest, race.n_train, strict=True)]
    assert notes.of("trained")[-1][0] == min(answer.errors.values())


def test_limits_come_before_the_race_and_errors_after_their_stage(checked):
    """Each as soon as it is known."""
    kinds = [name if name != "stage" or said[0][:5] != "cross" else "race" for name, *said in checked[0].heard]
    order = [kind for kind, before in zip(kinds, [None, *kinds], strict=False) if kind != before]

    assert order[-9:] == ["bounded", *["race", "trained"] * 4]


def test_the_size_is_told_before_any_stage(checked):
    """So that the time that is left can be estimated from the start."""
    assert checked[0].heard[0] == ("sized", 600, 3, 2)


def test_the_size_is_told_again_when_fewer_rows_are_drawn(monkeypatch):
    """Large data are subsampled until the interval is narrow enough."""
    monkeypatch.setattr("bayesfloor.floor._bayes_floor.LARGE", 1000)
    monkeypatch.setattr("bayesfloor.floor._bayes_floor._FIRST_SAMPLE", 500)
    notes = Notes()
    with pytest.warns(UserWarning, match="narrow enough"):
        BayesFloor(target_width=0.5, progress=notes).fit(*overlapping(2000))

    assert notes.of("sized") == [[2000, 3, 2], [500, 3, 2]]


def test_a_race_that_no_learner_ends_tells_no_error(monkeypatch):
    """There is nothing to tell."""
    monkeypatch.setattr(_make_answer, "choose_learners", lambda *_: ({}, {}))
    notes = Notes()
    floor = BayesFloor(progress=notes).fit(*overlapping(100))
    answer = floor.answer("quick", {"mine": GaussianNB(priors=[0.5, 0.6])})

    assert answer.left_out == {"mine": "could not be trained: The sum of the priors should be 1."}
    assert notes.of("trained") == []


def test_a_plain_function_gets_stages_only():
    """As documented, and as users wrote it."""
    heard = []
    floor = BayesFloor(progress=lambda stage, done, total: heard.append((stage, done, total))).fit(*overlapping(100))
    floor.answer("quick", {"mine": GaussianNB()})

    assert heard
    assert all(type(stage) is str and 0 < done <= total for stage, done, total in heard)
