"""Gates: they fail only on proof, and pass only on proof."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, norm
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from bayesfloor import check
from bayesfloor.summary._gates import baseline_gate, class_gate, compare_errors, error_gate, pair_gate, target_gate
from bayesfloor.summary._verdict import sentence, settle_text
from bayesfloor.support._words import about, percent, span

LIMITS = {"max_error": "BF302", "max_pair_error": "BF303", "max_class_error": "BF304"}


WORDS = {"failed": 0, "too close to call": 1, "ok": 2}


@pytest.fixture(scope="module")
def found(made):
    """Two overlapping classes, with a range from 4 to 14 %."""
    return made("two classes")


def test_gates_come_in_a_fixed_order_and_only_where_asked_for(made):
    """The target first, the baseline last."""
    found = made("target")
    gates = found.gates(max_class_error=0.1, max_pair_error=0.1, max_error=0.1, baseline=found)

    assert made("iris").gates() == ()
    assert [gate.code for gate in gates] == ["BF301", "BF302", "BF303", "BF304", "BF305"]


@pytest.mark.parametrize(("limit", "code"), LIMITS.items())
def test_every_gate_has_a_code_and_words(found, limit, code):
    """A log line must say what was compared with what."""
    (gate,) = found.gates(**{limit: 0.123})

    assert (gate.code, gate.word in WORDS) == (code, True)
    assert "limit 12.3 %" in gate.text
    assert gate.to_dict() == {"code": gate.code, "word": gate.word, "text": gate.text}


@pytest.mark.parametrize("gate", [error_gate, pair_gate, class_gate])
def test_limits_below_inside_and_above_the_range(found, gate):
    """Failed, too close to call, ok, and never back again as the limit rises."""
    words = [gate(found, limit).word for limit in np.linspace(0.0, 0.5, 201)]

    assert [WORDS[word] for word in words] == sorted(WORDS[word] for word in words)
    assert set(words) == set(WORDS)


def test_the_whole_problem_is_judged_by_the_ends_of_the_range(found):
    """A hair to either side decides."""
    lower, upper = found.answer.lower, found.answer.upper

    assert error_gate(found, lower - 1e-9).word == "failed"
    assert error_gate(found, lower).word == "too close to call"
    assert error_gate(found, upper - 1e-9).word == "too close to call"
    assert error_gate(found, upper).word == "ok"


def test_the_text_has_the_numbers_of_the_answer(each):
    """And no others; two answers to one question do not differ either."""
    told = about(each.answer.estimate, each.answer.lower, each.answer.upper)
    words = {"ok": "reachable", "failed": "out of reach", "too close to call": "too close to call"}

    assert error_gate(each, 0.5).text == f"lowest possible error {told}, limit 50 %"
    assert target_gate(each, 0.5).text.startswith(f"target 50 %, lowest possible error {told}")
    for most in (0.0, 0.01, 0.05, 0.2, 0.4):
        assert words[error_gate(each, most).word] == each.answer.verdict(1 - most)


def test_a_gate_for_a_target_says_why_and_shows_limits_that_differ(made, altered):
    """The table of gates may be all that a reviewer sees; an upper end that equals the limit would contradict it."""
    gate, found = target_gate(made("target"), 0.9), made("target").answer.judge(0.9)
    close = altered(made("two classes"), answer={"upper": 0.15002})

    assert gate.text.endswith(f": the range is too wide to rule it out. {sentence(settle_text(found.settle))}")
    assert "to 15.002 %" in error_gate(close, 0.15).text
    assert "to 15.002 %" in target_gate(close, 0.85).text


@pytest.mark.parametrize("limit", LIMITS)
def test_without_a_lower_end_nothing_fails(found, limit):
    """A build must not break for what is not known."""
    parts = {
        name: replace(getattr(found, name), lower=getattr(found, name).lower * np.nan) for name in ("pairs", "classes")
    }
    unknown = replace(found, answer=replace(found.answer, lower=np.nan), **parts)
    words = {unknown.gates(**{limit: most})[0].word for most in (0.0, 0.01, 0.05, 0.2, 0.5)}

    assert words == {"ok", "too close to call"}


NEAR = {"wine": (0.01, 0.02), "separate": (0.0, 0.001, 0.003, 0.005, 0.02)}


@pytest.mark.parametrize("kind", [*NEAR, "noise", "hostile", "many refuted", "two rows a class"])
@pytest.mark.parametrize("limit", LIMITS)
def test_what_is_possible_or_not_known_never_fails(made, kind, limit):
    """Neither what a linear model does next to perfectly, though trees forbid it, nor data without a lower end."""
    for most in NEAR.get(kind, (0.0, 0.002)):
        assert made(kind).gates(**{limit: most})[-1].word != "failed"


@pytest.mark.slow
def test_no_gate_fails_at_the_truth(gaussians):
    """Two Gaussians in eight dimensions: the trees' bound is above the error that is known to be possible."""
    found = check(*gaussians(2, [100, 100], shift=2.5, d=8))
    gates = found.gates(**dict.fromkeys(LIMITS, norm.cdf(-1.25) + 0.001))

    assert [gate.code for gate in gates if gate.word == "failed"] == []


def test_small_classes_do_not_count_and_hostile_labels_stay_apart(made):
    """Fewer than 30 rows show next to nothing; a gate names classes in a log."""
    found = made("iris")
    few = replace(found, classes=replace(found.classes, n_rows=np.array([50.0, 29.0, 50.0])))

    assert pair_gate(few, 0.0).text.startswith("worst is 0 and 2: ")
    assert class_gate(few, 0.0).text.startswith("worst is 2: ")
    for gate in made("hostile").gates(max_pair_error=0.0, max_class_error=0.0)[1:]:
        assert gate.word == "too close to call"
        assert gate.text == "all classes have too few rows (fewer than 30), limit 0 %"

    found = made("hostile")
    many = replace(found, classes=replace(found.classes, n_rows=found.classes.n_rows + 30))
    for gate in many.gates(max_pair_error=0.0, max_class_error=0.0)[1:]:
        assert gate.text.startswith("worst is ")
        assert gate.text.isprintable()


def test_the_worst_pair_and_class_are_named_and_pass_on_proof_alone(made):
    """Where to look, with its range; with equal features everywhere every answer is a guess."""
    (tied,) = made("constant").gates(max_pair_error=0.2)

    assert pair_gate(made("iris"), 0.1).word == pair_gate(made("separate"), 0.03).word == "ok"
    assert made("constant").overall.conflict == pytest.approx(0.5)
    assert tied.word == "failed"

    found = made("iris")
    pair, klass = found.gates(max_pair_error=0.001, max_class_error=0.001)
    ends = found.pairs.lower[1, 2], found.pairs.upper[1, 2]

    assert pair.text == f"worst is 1 and 2: lowest possible error {span(*ends)}, limit 0.1 %"
    assert (pair.word, klass.word) == ("failed", "failed")
    assert klass.text.startswith("worst is 1: lowest possible error ")


@pytest.mark.parametrize(
    ("lower", "upper", "word"),
    [
        (np.nan, 0.05, "ok"),
        (0.01, 0.05, "ok"),
        (0.15, 0.2, "failed"),
        (np.nan, 0.2, "too close to call"),
        (0.05, 0.2, "too close to call"),
    ],
)
def test_the_target_is_a_gate(found, altered, lower, upper, word):
    """By the rules of the verdict."""
    asked = altered(found, answer={"lower": lower, "estimate": upper, "upper": upper})

    assert target_gate(asked, 0.9).word == word
    assert "90 %" in target_gate(asked, 0.9).text


@pytest.mark.parametrize("limit", [*LIMITS, "max_error_rise"])
@pytest.mark.parametrize("value", [-0.1, 1.5, 10, float("nan"), "0.1", True])
def test_limits_that_are_no_errors_are_refused(made, limit, value):
    """A percentage for a fraction would let everything pass, for ever."""
    found = made("iris")

    with pytest.raises(ValueError, match=rf"Got {limit}="):
        found.gates(**{limit: value}, baseline=found)


def test_baselines_are_checks_and_their_limit_needs_one(found):
    """It would compare nothing."""
    with pytest.raises(ValueError, match="expected a baseline"):
        found.gates(max_error_rise=0.01)
    with pytest.raises(TypeError, match=r"Got baseline of type str, but expected a Check, such as Check\.from_json"):
        found.gates(baseline="before.json")


@pytest.fixture(scope="module")
def overlaps(gaussians):
    """Checks of two classes ever closer together: shift -> Check."""
    return {shift: check(*gaussians(0, [150, 150], shift=shift)) for shift in (1.0, 2.4, 2.5, 4.0)}


def test_the_baseline_breaks_by_a_rise_beyond_both_ranges_and_the_limit(found, overlaps):
    """Nothing rose, it fell, it rose by as much as is allowed, and by more."""
    same, worse, better = (
        baseline_gate(*pair, 0.0)
        for pair in ((found, found), (overlaps[1.0], overlaps[4.0]), (overlaps[4.0], overlaps[1.0]))
    )
    now, then = overlaps[1.0].answer.estimate, overlaps[4.0].answer.estimate

    assert (same.code, same.word, better.word, worse.word) == ("BF305", "ok", "ok", "failed")
    assert "cannot be compared" not in same.text
    assert " now: -" in better.text
    assert worse.text.startswith(f"best estimate {percent(then)} % before, {percent(now)} % now: +")
    assert ", limit 0 points. Cross-validated error of " in worse.text
    assert baseline_gate(overlaps[1.0], overlaps[4.0], 0.5).word == "ok"


def test_slightly_worse_data_are_too_close_to_call_and_far_fewer_rows_not_compared(overlaps):
    """Within the ranges of both; with fewer rows every learner does worse."""
    before, now = sorted((overlaps[2.4], overlaps[2.5]), key=lambda found: found.answer.estimate)
    gate = baseline_gate(now, before, 0.0)

    assert now.answer.estimate > before.answer.estimate
    assert gate.word == "too close to call"
    assert "The limit lies within what both ranges allow. Cross-validated error of " in gate.text
    assert gate.text.endswith("), which may be due to chance")
    assert baseline_gate(now, before, 0.2).word == "ok"

    answer = overlaps[1.0].answer

    assert compare_errors(replace(answer, n_rows=200), answer) is None
    assert compare_errors(answer, answer).low < 0 < compare_errors(answer, answer).high


def test_without_a_lower_end_cross_validated_errors_decide(overlaps, altered):
    """The lowest possible error may be as low as before, but the same learner does worse beyond chance."""
    now = altered(overlaps[1.0], answer={"lower": np.nan})
    unlearned = altered(overlaps[1.0], answer={"lower": np.nan, "errors": {}, "best": ""})
    gate = baseline_gate(unlearned, overlaps[4.0], 0.0)

    assert baseline_gate(now, overlaps[4.0], 0.0).word == "failed"
    assert gate.word == "too close to call"
    assert gate.text.endswith(
        "The limit lies within what both ranges allow. "
        "No learner was cross-validated on as many rows now as before, so these errors cannot decide either"
    )


@pytest.mark.parametrize(
    ("part", "name", "value", "told"),
    [
        ("answer", "effort", "quick", "effort normal then, quick now"),
        ("facts", "n_features", 5, "features 2 then, 5 now"),
        ("facts", "scale", "unit", "scale none then, unit now"),
    ],
)
def test_a_check_made_another_way_is_compared_by_its_cross_validated_errors(overlaps, altered, part, name, value, told):
    """A lost feature must not pass because there are fewer of them."""
    same, worse = (
        baseline_gate(altered(overlaps[shift], **{part: {name: value}}), overlaps[4.0], 0.0) for shift in (4.0, 1.0)
    )

    assert (same.word, worse.word) == ("too close to call", "failed")
    assert worse.text.startswith(f"the ranges cannot be compared ({told}). Cross-validated error of ")


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("n_classes", 3, "classes 2 then, 3 now"),
        ("priors", (0.5, 0.5), "class proportions of the data then, 50 % to 50 % now"),
    ],
)
def test_a_baseline_of_another_problem_is_refused(overlaps, altered, name, value, told):
    """Other classes or class proportions: neither ok nor failed."""
    for shift in (1.0, 4.0):
        gate = baseline_gate(altered(overlaps[shift], facts={name: value}), overlaps[4.0], 0.0)

        assert gate.word == "too close to call"
        assert gate.text == f"the baseline cannot be compared: {told}. Make a new baseline."


def with_errors(answer, X, y):
    """The answer with cross-validated errors of two learners on these rows."""
    learners = {"linear": LinearDiscriminantAnalysis(), "neighbours": KNeighborsClassifier(15)}
    errors = {name: float(np.mean(cross_val_predict(learner, X, y) != y)) for name, learner in learners.items()}
    return replace(answer, errors=errors, n_independent=dict.fromkeys(errors, float(len(y))), n_rows=len(y))


@pytest.mark.slow
def test_cross_validated_errors_of_an_unchanged_source_seldom_differ(overlaps, gaussians):
    """Of 200 pairs of sets of one distribution, at most 5 % may fail; those of a lost feature nearly all must."""
    answer, unchanged, lost = overlaps[1.0].answer, 0, 0
    for seed in range(200):
        X, y = gaussians([seed, 1], [150, 150])
        Z, z = gaussians([seed, 2], [150, 150])
        then = with_errors(answer, X, y)
        unchanged += compare_errors(with_errors(answer, Z, z), then).low > 0.0
        lost += seed < 20 and compare_errors(with_errors(answer, Z[:, 1:], z), then).low > 0.01

    assert unchanged <= 10
    assert lost == 20


@pytest.mark.slow(nightly=True)
def test_an_unchanged_source_seldom_fails(gaussians):
    """The whole gate, of 100 pairs of sets; its limit is no rise at all."""
    failed = 0
    for seed in range(100):
        before, now = (check(*gaussians([seed, part], [100, 100]), effort="quick") for part in (1, 2))
        failed += baseline_gate(now, before, 0.0).word == "failed"

    assert failed <= binom.ppf(0.99, 100, 0.05)


@pytest.mark.slow
def test_fewer_rows_of_the_same_data_do_not_break_the_baseline():
    """With fewer rows learners do worse and neighbours are farther apart; the floor is the same."""
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(1200)[:300]
    whole, part = check(X[:1200], y[:1200], scale=None), check(X[rows], y[rows], scale=None)

    assert baseline_gate(part, whole, 0.0).word != "failed"
