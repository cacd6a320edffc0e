"""Gates: they fail only on proof, and pass only on proof."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_digits

from bayesfloor import check
from bayesfloor.summary._gates import baseline_gate, class_gate, error_gate, pair_gate, target_gate

LIMITS = {"max_error": "BF302", "max_pair_error": "BF303", "max_class_error": "BF304"}


@pytest.fixture(scope="module")
def trusted(made, altered):
    """Two overlapping classes whose bounds are trusted."""
    return altered(made("two classes"), envelope={"trust": "small bias"})


def ends(found):
    """The lower bound of the whole problem at both ends of the interval."""
    low, high = (float(found.overall.bounds_at(rate).lower) for rate in found.overall.interval(0.95))
    return low, min(high, found.envelope.upper)


def test_without_limits_there_are_no_gates(made):
    """Nothing asked, nothing judged."""
    assert made("iris").gates() == ()


def test_gates_come_in_a_fixed_order(made):
    """The target first, the baseline last."""
    found = made("target")
    gates = found.gates(max_class_error=0.1, max_pair_error=0.1, max_error=0.1, baseline=found)

    assert [gate.code for gate in gates] == ["BF301", "BF302", "BF303", "BF304", "BF305"]


@pytest.mark.parametrize(("limit", "code"), LIMITS.items())
def test_every_gate_has_a_code_and_words(trusted, limit, code):
    """A log line must say what was held against what."""
    (gate,) = trusted.gates(**{limit: 0.123})

    assert (gate.code, gate.word in {"ok", "failed", "undecided"}) == (code, True)
    assert "limit 12.3 %" in gate.text
    assert gate.to_dict() == {"code": gate.code, "word": gate.word, "text": gate.text}


@pytest.mark.parametrize("gate", [error_gate, pair_gate, class_gate])
def test_limits_below_inside_and_above_the_interval(trusted, gate):
    """Failed, undecided, ok, and never back again as the limit rises."""
    words = [gate(trusted, limit).word for limit in np.linspace(0.0, 0.5, 201)]
    order = {"failed": 0, "undecided": 1, "ok": 2}

    assert [order[word] for word in words] == sorted(order[word] for word in words)
    assert words[0] == "failed"
    assert "undecided" in words
    assert words[-1] == "ok"


def test_the_whole_problem_is_judged_by_the_ends_of_its_interval(trusted):
    """A hair to either side decides."""
    low, high = ends(trusted)
    low = min(low, trusted.envelope.lower)

    assert error_gate(trusted, low - 1e-9).word == "failed"
    assert error_gate(trusted, (low + high) / 2).word == "undecided"
    assert error_gate(trusted, high + 1e-9).word == "ok"


@pytest.mark.parametrize("trust", ["refuted", "unknown"])
@pytest.mark.parametrize("limit", LIMITS)
def test_what_cannot_be_trusted_never_fails(trusted, altered, trust, limit):
    """The lower bound may be too high; a build must not break for that."""
    found = altered(trusted, envelope={"trust": trust})
    words = {found.gates(**{limit: most})[0].word for most in (0.0, 0.01, 0.05, 0.2, 0.5)}

    assert "failed" not in words
    assert words == {"ok", "undecided"}


@pytest.mark.parametrize("limit", LIMITS)
def test_wine_never_fails(made, limit):
    """Its bounds are refuted by a linear model."""
    for most in (0.0, 0.005, 0.01, 0.02):
        assert made("wine").gates(**{limit: most})[-1].word != "failed"


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("most", [0.0, 0.001, 0.003, 0.005, 0.02])
def test_separate_classes_never_fail(made, altered, limit, most):
    """Any two share an edge, however far apart they are: what is at the resolution is no error."""
    found = altered(made("separate"), envelope={"trust": "small bias"})

    assert max(found.envelope.errors.values()) == 0
    assert found.gates(**{limit: most})[0].word != "failed"


def test_no_gate_fails_at_the_truth(gaussians):
    """Two Gaussians in eight dimensions: the trees' bound is above the error that is known to be possible."""
    found = check(*gaussians(2, [100, 100], shift=2.5, d=8))
    gates = found.gates(**dict.fromkeys(LIMITS, norm.cdf(-1.25) + 0.001))

    assert [gate.code for gate in gates if gate.word == "failed"] == []


def test_no_gate_fails_where_the_verdict_would_not(each):
    """Two answers to one question must not differ: what the envelope leaves open, a limit cannot forbid."""
    for most in (0.0, 0.01, 0.05, 0.1, 0.2, 0.4):
        if error_gate(each, most).word == "failed":
            assert each.reachable(1 - most) == "infeasible"


def test_pairs_at_the_resolution_never_gate(made):
    """Nothing was seen of them, so nothing is said of them."""
    (gate,) = made("separate").gates(max_pair_error=0.001)

    assert gate.word == "ok"
    assert "0 and 0" not in gate.text
    assert " and " not in gate.text or "worst" not in gate.text


def test_the_worst_measurable_pair_is_named(made):
    """Where to look."""
    (gate,) = made("iris").gates(max_pair_error=0.01)

    assert gate.text.startswith("worst is 1 and 2: lower bound ")


def test_a_pair_not_measurable_is_not_the_worst(trusted):
    """Even with a large bound."""
    found = replace(trusted, pairwise=replace(trusted.pairwise, at_resolution=np.ones((2, 2), dtype=bool)))

    assert pair_gate(found, 0.0).word == "ok"


def test_a_classifier_that_tells_a_pair_apart_settles_it(trusted):
    """Its held-out rows are proof enough."""
    found = replace(trusted, pair_errors=np.zeros((2, 2)))

    assert pair_gate(trusted, 0.02).word == "failed"
    assert pair_gate(found, 0.02).word == "ok"


def test_classes_that_cannot_be_told_apart_do_not_pass(made):
    """With equal features everywhere every answer is a guess; a tie is no success."""
    (gate,) = made("constant").gates(max_pair_error=0.2)

    assert made("constant").overall.conflict == pytest.approx(0.5)
    assert gate.word != "ok"


def test_hostile_labels_stay_apart_in_gates(made):
    """A gate names classes in a log."""
    found = made("hostile")
    for gate in found.gates(max_pair_error=0.0, max_class_error=0.0)[1:]:
        assert gate.text.isprintable()


@pytest.mark.parametrize(
    ("upper", "lower", "trust", "word"),
    [
        (0.05, 0.0, "unknown", "ok"),
        (0.2, 0.15, "small bias", "failed"),
        (0.2, 0.15, "refuted", "undecided"),
        (0.2, 0.15, "unknown", "undecided"),
        (0.2, 0.05, "small bias", "undecided"),
    ],
)
def test_the_target_is_a_gate(trusted, altered, upper, lower, trust, word):
    """By the rules of the verdict."""
    found = altered(trusted, envelope={"lower": lower, "estimate": lower, "upper": upper, "trust": trust})

    assert target_gate(found, 0.9).word == word
    assert "90 %" in target_gate(found, 0.9).text


@pytest.mark.parametrize("limit", [*LIMITS, "max_error_rise"])
@pytest.mark.parametrize("value", [-0.1, 1.5, 10, float("nan"), "0.1", True])
def test_limits_that_are_no_errors_are_refused(made, limit, value):
    """A percentage for a share would let everything pass, for ever."""
    found = made("iris")

    with pytest.raises(ValueError, match=rf"Got {limit}="):
        found.gates(**{limit: value}, baseline=found)


def test_equal_data_keep_the_baseline(made):
    """Nothing rose."""
    (gate,) = made("two classes").gates(baseline=made("two classes"))

    assert (gate.code, gate.word) == ("BF305", "ok")
    assert "not quite alike" not in gate.text


@pytest.fixture(scope="module")
def overlaps(gaussians):
    """Checks of two classes ever closer together: shift -> Check."""
    return {shift: check(*gaussians(0, [150, 150], shift=shift), learners={}) for shift in (1.0, 2.4, 2.5, 4.0)}


def test_worse_data_break_the_baseline(overlaps):
    """Beyond both intervals, and both trusted."""
    gate = baseline_gate(overlaps[1.0], overlaps[4.0], 0.0)

    assert gate.word == "failed"
    assert "a rise of +" in gate.text


def test_better_data_keep_the_baseline(overlaps):
    """However uncertain."""
    gate = baseline_gate(overlaps[4.0], overlaps[1.0], 0.0)

    assert gate.word == "ok"
    assert "a rise of -" in gate.text


def test_slightly_worse_data_are_undecided(overlaps):
    """Within the intervals of both."""
    now, before = overlaps[2.4], overlaps[2.5]
    now, before = (now, before) if now.overall.estimate > before.overall.estimate else (before, now)

    assert now.overall.estimate > before.overall.estimate
    assert baseline_gate(now, before, 0.0).word == "undecided"
    assert baseline_gate(now, before, 0.2).word == "ok"


def test_a_rise_that_is_allowed_is_kept(overlaps):
    """The limit is the largest rise allowed."""
    assert baseline_gate(overlaps[1.0], overlaps[4.0], 0.5).word == "ok"


def test_unlike_data_say_so(made):
    """Other features or classes make another problem."""
    gate = baseline_gate(made("iris"), made("two classes"), 0.0)

    assert "not quite alike: n_classes 2 then, 3 now, n_features 2 then, 4 now" in gate.text


@pytest.mark.slow
def test_fewer_rows_of_the_same_data_do_not_break_the_baseline():
    """With fewer rows neighbours are farther apart, and the share of cross edges rises by that alone."""
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(1200)[:300]
    whole, part = check(X[:1200], y[:1200], learners={}), check(X[rows], y[rows], learners={})

    assert baseline_gate(part, whole, 0.0).word != "failed"


def test_a_baseline_never_breaks_on_what_is_refuted(overlaps, altered):
    """A rise of bounds that are too high is no rise of the error."""
    found = altered(overlaps[1.0], envelope={"trust": "refuted"})
    gate = baseline_gate(found, overlaps[4.0], 0.0)

    assert gate.word == "undecided"
    assert "a classifier refutes the bounds" in gate.text  # or nobody knows why such a rise does not fail
    assert "refutes" not in baseline_gate(overlaps[1.0], overlaps[4.0], 0.0).text


def test_like_data_break_the_baseline_even_where_the_bias_is_not_known(overlaps, altered):
    """As many rows, features and classes: the bias is about the same before and after."""
    found = altered(overlaps[1.0], envelope={"trust": "unknown"})

    assert baseline_gate(found, overlaps[4.0], 0.0).word == "failed"


def test_unlike_data_break_the_baseline_only_where_both_are_trusted(overlaps, altered):
    """Another number of rows, another bias."""
    found = altered(overlaps[1.0], envelope={"trust": "unknown"}, facts={"n_used": 100})

    assert baseline_gate(found, overlaps[4.0], 0.0).word == "undecided"
