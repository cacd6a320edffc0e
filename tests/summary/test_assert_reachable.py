"""``assert_reachable``: a dataset under test."""

import inspect

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bayesfloor import Check, assert_reachable, check


@pytest.fixture(scope="module")
def noise():
    """Features that say nothing."""
    return np.random.default_rng(0).normal(size=(200, 2)), np.arange(200) % 2


@pytest.fixture(scope="module")
def overlapping(gaussians):
    """Two classes whose lowest possible error is 15.9 %."""
    return gaussians(0, [300, 300])


def test_what_is_reachable_gives_the_check():
    """To assert more of."""
    found = assert_reachable(*load_iris(return_X_y=True), 0.9)

    assert isinstance(found, Check)
    assert found.target == 0.9
    assert found.outcome == "reachable"


def test_what_is_out_of_reach_fails_with_the_verdict(overlapping):
    """A test's log is where it is read."""
    with pytest.raises(AssertionError, match=r"^97 % accuracy is out of reach for the kinds of model") as failure:
        assert_reachable(*overlapping, 0.97)

    assert repr(check(*overlapping, 0.97)) in str(failure.value)


def test_what_is_too_close_to_call_passes_unless_it_must_not(noise):
    """A gate fails on proof; ``strict`` asks for proof of the other side."""
    assert assert_reachable(*noise, 0.9).outcome == "too close to call"
    with pytest.raises(AssertionError, match=r"^90 % accuracy is too close to call\. No signal found"):
        assert_reachable(*noise, 0.9, strict=True)


def test_strict_lets_pass_what_is_reachable():
    """Proof was given."""
    assert assert_reachable(*load_iris(return_X_y=True), 0.9, strict=True)


def test_options_are_those_of_check(noise):
    """Names of columns, groups, learners."""
    frame = load_iris(as_frame=True).frame
    found = assert_reachable(frame, "target", 0.8, name="flowers", effort="quick", n_trees=2)

    assert (found.facts.name, found.facts.label, found.facts.n_trees) == ("flowers", "target", 2)
    with pytest.raises(TypeError):
        assert_reachable(*noise, 0.9, unknown=1)


@pytest.mark.parametrize("target", [None, 95, 0, "0.9"])
def test_a_target_that_is_no_accuracy_is_an_error_not_a_failure(noise, target):
    """A slip of the pen must not read as bad data."""
    with pytest.raises(ValueError, match="Got target="):
        assert_reachable(*noise, target)


def test_a_target_is_asked_for():
    """There is no sensible default."""
    assert inspect.signature(assert_reachable).parameters["target"].default is inspect.Parameter.empty


def test_failures_carry_no_control_characters(gaussians):
    """Labels reach the log."""
    X, y = gaussians(0, [60, 60], shift=0.0)

    with pytest.raises(AssertionError) as failure:
        assert_reachable(X, np.array(["\x1b[31mred", "a\rb"], dtype=object)[y], 0.95, strict=True)
    assert not {c for c in str(failure.value) if not c.isprintable()} - {"\n"}
