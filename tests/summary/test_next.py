"""What to do next never contradicts the verdict: a walk through the states that a check can be in."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from bayesfloor.answer import Basis, Forecast, Reason
from bayesfloor.answer._forecast import LEVELS
from bayesfloor.decide import Part
from bayesfloor.decide._budget import make_budget
from bayesfloor.decide._model_score import OwnModel, told_score
from bayesfloor.summary import Action
from bayesfloor.summary._next import hardly_falls, more_rows, next_text
from bayesfloor.summary._verdict import lowest_error

ERRORS, LEFT = (0.0, 0.02, 0.1, 0.3), (1.0, 0.6, 0.1)  # of the best learner, and how much of it will stay
TARGETS = ("none", "met", "between", "below")
MODELS = ("none", "as good", "worse", "better")
STATES = ("usual", "noisy", "no signal", "few rows")
FALLS = np.array([1, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1])  # of what more rows would bring, by how many times as many


def forecast_of(error, lowest):
    """A narrow forecast, whose error falls from that of the best learner to the lowest."""
    spread = 1 + 0.05 * (LEVELS - 0.5)
    return Forecast(lowest * spread, tuple((lowest + part * (error - lowest)) * spread for part in FALLS), 1000)


def target_of(kind, error, lowest):
    """A target above or below what the best learner and any model reach; None if there is none of this kind."""
    allowed = {"met": error + 0.1, "between": (error + lowest) / 2, "below": lowest / 2}.get(kind)
    return None if allowed is None else 1 - allowed


@pytest.fixture(scope="module")
def state(made):
    base = made("two classes")

    def make(error, left, target, model, kind):
        lowest = error * left
        signal, known = kind != "no signal", kind != "few rows"
        reasons = {"no signal": (Reason(Basis.NO_SIGNAL),), "few rows": (Reason(Basis.FEW_ROWS, (50,)),)}.get(kind, ())
        answer = replace(
            base.answer,
            errors={base.answer.best: error},
            estimate=lowest if known else error,
            lower=lowest * 0.9 if signal and known else np.nan,
            upper=error + 0.03,
            reasons=reasons,
            forecast=forecast_of(error, lowest) if known else None,
        )
        loss = {"as good": error, "worse": error + 0.15, "better": error * 0.8}.get(model)
        score = None if loss is None else told_score(answer, answer, OwnModel(accuracy=1 - loss, n_test=10**5))
        budget = make_budget(answer, score)
        if kind == "noisy":
            budget = replace(budget, inside=(Part("wrong labels", 0.9 * lowest, 0.8 * lowest, lowest),))
        wanted = target_of(target, error, lowest)
        return replace(base, answer=answer, model_score=score, budget=budget, target=wanted)

    return make


@pytest.mark.parametrize(("kind", "model"), list(product(STATES, MODELS)))
def test_no_step_contradicts_the_verdict(state, kind, model):
    for error, left, target in product(ERRORS, LEFT, TARGETS):
        found = state(error, left, target, model, kind)
        actions = [step.action for step in found.next]
        first = actions[0] if actions else None
        told = f"{error} {left} {target} {model} {kind}: {found.outcome}, {actions}: {found.verdict}"
        assert len(actions) <= 3, told
        assert first or found.outcome == "cannot say", told
        gains = [step.gain for step in found.next if not np.isnan(step.gain)]
        assert gains == sorted(gains, reverse=True), told
        if found.budget is not None:
            assert abs(sum(part.loss for part in found.budget.parts) - found.budget.error) < 1e-12, told
        if found.outcome in ("out of reach", "unlikely"):
            assert not {Action.ROWS, Action.TRAIN, Action.STOP} & set(actions), told
        if Action.STOP in actions or Action.TRAIN in actions:
            assert len(actions) == 1, told
            assert found.outcome in ("reachable", "likely", None), told
            assert found.outcome or min(error, 1 - found.model_score.score if found.model_score else 1) == 0, told
        own = np.inf if found.model_score is None else found.model_score.loss
        if Action.MODEL in actions:
            assert own > error, told
        if first is Action.FIX:
            assert "too good to be true" in found.verdict, told
        elif found.target is not None and found.outcome == "reachable" and own <= 1 - found.target:
            assert first is Action.STOP, told
        elif found.target is not None and found.outcome == "reachable" and error <= 1 - found.target:
            assert first in (Action.TRAIN, Action.MODEL, Action.STOP), told
        if "would hardly help" in " ".join(step.text for step in found.next):
            assert Action.ROWS not in actions, told
        if kind == "no signal" and first is not Action.FIX:
            assert set(actions) <= {Action.FEATURES, Action.STOP, Action.TRAIN, Action.MODEL}, told
        if error == 0 and kind == "usual" and found.target is None and model in ("none", "as good"):
            assert actions == [Action.STOP], told
        if kind == "noisy" and error * left >= 0.1 and target in ("none", "below") and model in ("none", "as good"):
            assert first is Action.LABELS, told


def test_a_leak_comes_before_everything_else(made):
    (step,) = made("leak").next
    assert (step.action, step.code, step.command) == (Action.FIX, "BF114", "bayesfloor explain BF114")


def test_steps_have_a_cost_and_something_to_type(made):
    (stop,) = made("separate").next
    assert stop.action is Action.STOP
    for kind in ("two classes", "iris", "breast cancer", "chosen", "log loss"):
        for step in made(kind).next:
            assert step.cost or step.action in (Action.STOP, Action.FIX), kind
            assert step.python or step.command or step.action in (Action.STOP, Action.ROWS, Action.FIX), kind


@pytest.fixture(scope="module")
def wine(made):
    return replace(made("wine"), target=None)


@pytest.fixture(scope="module")
def falling(wine, spread):
    """A check without a target whose forecast falls to 10 % from 18 % with 240 training rows: (what else) -> Check."""
    above = (0.08, 0.04, 0.02, 0.01, 0.005, 0.0, 0.0)
    errors = tuple(spread(0.05 + more, 0.1 + more, 0.2 + more).lowest for more in above)
    forecast = replace(spread(0.05, 0.1, 0.2), errors=errors)
    base = {"forecast": forecast, "estimate": 0.1, "lower": 0.05, "upper": 0.25, "left_out": {}}

    def fall(target=None, **answer):
        learners = {**wine.answer.errors, wine.answer.best: 0.18}
        answer = replace(wine.answer, **{"errors": learners, **base, **answer})
        return replace(wine, target=target, answer=answer, budget=make_budget(answer))

    return fall


MORE = "2 times: error about 14.0 % (9.0 to 24.0 %); 4 times: 12.0 % (7.0 to 22.0 %); 16 times: 10.5 % (5.5 to 20.5 %)"
THEN = f"{MORE}. Probability of 87 % accuracy then: "


@pytest.mark.parametrize(
    ("target", "answer", "told"),
    [
        (None, {}, MORE),
        (0.87, {}, f"{THEN}40 %, 55 %, 62 %; about 680 training rows give an even chance"),
        (0.87, {"upper": 0.12}, f"{THEN}95 %, 95 %, 95 %"),
        (0.95, {}, f"{MORE}. Probability of 95 % accuracy then: under 5 %, under 5 %, under 5 %"),
        (0.87, {"forecast": None}, ""),
        *((0.87, {"reasons": (Reason(basis, (0.5,)),)}, "") for basis in (Basis.UNDECIDED, Basis.SYNTHETIC)),
    ],
)
def test_more_rows_are_told_with_errors_and_the_probability_of_the_target(falling, target, answer, told):
    """With the rows for an even chance, unless they are at hand or too many; and nothing if nothing is known."""
    found = falling(target, **answer)

    assert more_rows(found.answer, target, "accuracy") == told
    assert (f"more rows {told}" in " ".join(repr(found).split())) == bool(told)
    assert (MORE in found.to_markdown(), MORE in found._repr_html_()) == (bool(told), bool(told))


SLOW, ALMOST = {"boosting": "too slow on these data"}, {"errors": {"linear": 0.142}, "best": "linear"}


@pytest.mark.parametrize(
    ("target", "answer", "step"),
    [
        (
            None,
            {},
            (
                "collect more rows; with twice as many, the best model would reach about 86.0 %, and with "
                "four times as many 88.0 %."
            ),
        ),
        (None, ALMOST, "look for better features; more rows of the same kind would hardly help."),
        (None, {"forecast": None}, ""),
        # nothing is simpler than to train what was tested
        (0.8, {"upper": 0.2}, "train "),
        (0.87, {}, "collect more rows: about 680 training rows give an even chance of 87 % accuracy."),
        (0.87, {"upper": 0.12, "unit": "groups"}, "collect more groups; with twice as many, the best model would "),
        (0.94, {}, "look for better features."),
        (0.87, {"forecast": None}, ""),
    ],
    ids=["rows", "features", "none", "reachable", "open", "shown", "unlikely", "cannot say"],
)
def test_the_next_step_is_what_could_help_most(falling, target, answer, step):
    """Rows only if the error falls with them."""
    found = next_text(falling(target, **answer))

    assert found.startswith(step)
    assert bool(found) == bool(step)
    assert hardly_falls(0.3, 0.31)


def test_kinds_of_model_that_were_left_out_come_after_steps_whose_gain_is_known(falling):
    rows, effort, _ = falling(0.87, left_out=SLOW).next
    told = 'run it with --effort thorough, or effort="thorough": 1 kind of model was left out as too slow.'

    assert (rows.action, effort.action, effort.text) == (Action.ROWS, Action.EFFORT, told)
    assert Action.EFFORT not in [step.action for step in falling(0.94, left_out=SLOW).next]


def test_a_poor_model_is_told_which_learner_to_try_and_faults_come_first(made):
    """Readers who bring a model want to know what to do; no step makes sense before the labels do."""
    found = made("chosen")
    best = lowest_error(found.answer)
    for loss, step in ((best + 0.2, "try "), (best, "collect more rows; "), (0.0, "test your model on rows that")):
        score = told_score(found.answer, found.answer, OwnModel(accuracy=1 - loss, n_test=10**5))
        told = replace(found, gap=None, model_score=score, budget=make_budget(found.answer, score))
        assert next_text(told).startswith(step)
    assert next_text(made("leak")) == "act on BF114 below, then check again."
    assert next_text(made("noise")) == "look for better features."
