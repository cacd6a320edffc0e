"""Gates: a target fails if its chance is too small, a baseline if a rise is nearly sure, all others on proof."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from bayesfloor import Check, check
from bayesfloor.answer import Basis, Reason
from bayesfloor.summary._gates import baseline_gate, class_gate, compare_errors, error_gate, pair_gate, target_gate
from bayesfloor.summary._verdict import wish
from bayesfloor.support._words import about, percent, span

LIMITS = {"max_error": "BF302", "max_pair_error": "BF303", "max_class_error": "BF304"}


WORDS = {"failed": 0, "open": 1, "ok": 2}


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
    """Failed, open, ok, and never back again as the limit rises."""
    words = [gate(found, limit).word for limit in np.linspace(0.0, 0.5, 201)]

    assert [WORDS[word] for word in words] == sorted(WORDS[word] for word in words)
    assert set(words) == set(WORDS)


def test_the_worst_pair_is_judged_by_the_ends_of_its_range(found):
    """A hair to either side decides."""
    lower, upper = found.pairs.lower[0, 1], found.pairs.upper[0, 1]

    assert pair_gate(found, lower - 1e-9).word == "failed"
    assert pair_gate(found, lower).word == "open"
    assert pair_gate(found, upper - 1e-9).word == "open"
    assert pair_gate(found, upper).word == "ok"


WORD_OF = {"reachable": "ok", "likely": "ok", "open": "open", "unlikely": "failed", "out of reach": "failed"}


def test_the_text_has_the_numbers_of_the_answer(each):
    """And no others; two answers to one question do not differ either."""
    errors, answer = each.of_errors, each.answer
    told = f"lowest possible error {about(errors.estimate, errors.lower, errors.upper)}"
    target = f"target 50 %, {told}" if answer is errors else f"target: {wish(answer.of, 0.5)}, best possible "

    assert error_gate(each, 0.5).text.startswith(f"{told}, limit 50 %")
    assert target_gate(each, 0.5).text.startswith(target)
    for most in (0.0, 0.01, 0.05, 0.2, 0.4):
        for gate, outcome in (
            (error_gate(each, most), errors.verdict(1 - most)),
            (target_gate(each, 1 - most), answer.verdict(1 - most)),
        ):
            assert gate.word == WORD_OF.get(outcome, "failed")
            assert ("These data cannot say whether it is" if outcome == "cannot say" else f": {outcome}") in gate.text


def test_a_gate_shows_limits_that_differ_and_any_error_meets_the_last_one(made, altered):
    """The table of gates may be all that a reviewer sees; an upper end that equals the limit would contradict it."""
    close = altered(made("two classes"), answer={"upper": 0.15002})

    assert "to 15.002 %" in error_gate(close, 0.15).text
    assert "to 15.002 %" in target_gate(close, 0.85).text
    assert error_gate(made("two rows a class"), 1.0).word == "ok"


@pytest.mark.parametrize("limit", ["max_pair_error", "max_class_error"])
def test_without_a_lower_end_nothing_fails(found, limit):
    """A build must not break for what is not known."""
    parts = {
        name: replace(getattr(found, name), lower=getattr(found, name).lower * np.nan) for name in ("pairs", "classes")
    }
    unknown = replace(found, **parts)
    words = {unknown.gates(**{limit: most})[0].word for most in (0.0, 0.01, 0.05, 0.2, 0.5)}

    assert words == {"ok", "open"}


NEAR = {"wine": (0.01, 0.02), "separate": (0.0, 0.001, 0.003, 0.005, 0.02)}
SMALL = ("noise", "hostile", "many refuted", "two rows a class")
OF_PARTS = ("max_pair_error", "max_class_error")


@pytest.mark.parametrize(("kind", "limit"), [*product(NEAR, LIMITS), *product(SMALL, OF_PARTS)])
def test_what_is_possible_or_not_known_never_fails(made, kind, limit):
    """Neither what a linear model does next to perfectly, though trees forbid it, nor pairs without a lower end."""
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
        assert gate.word == "open"
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
    ("target", "at_least", "word", "told"),
    [
        (0.75, 0.99, "ok", "reachable"),
        (0.815, 0.2, "ok", "likely (83 %)"),
        (0.82, 0.2, "open", "open (78 %)"),
        (0.88, 0.3, "failed", "open (21 %)"),
        (0.89, 0.2, "failed", "unlikely (12 %)"),
        (0.89, 0.1, "open", "unlikely (12 %)"),
        (0.95, 0.05, "failed", "out of reach (under 5 %)"),
    ],
)
def test_targets_and_errors_are_gates_by_their_chance(found, altered, spread, target, at_least, word, told):
    """Of a forecast of 10 to 20 %: what is likely passes, what has less than the least chance fails."""
    ends = {"lower": 0.1, "estimate": 0.15, "upper": 0.2, "reasons": (), "forecast": spread(0.1, 0.15, 0.2)}
    asked = replace(altered(found, answer=ends), target=target)
    gates = asked.gates(max_error=round(1 - target, 3), at_least=at_least)

    assert [(gate.code, gate.word) for gate in gates] == [("BF301", word), ("BF302", word)]
    assert all(gate.text.endswith(f": {told}") for gate in gates)


def test_what_data_cannot_say_fails_with_the_reason_unless_it_is_proved(found, altered):
    """Whatever chance is asked for: a gate that nothing can answer must not pass in silence."""
    unknown = altered(found, answer={"reasons": (Reason(Basis.UNDECIDED, (0.5,)),)})
    gates = [target_gate(unknown, target, 0.0) for target in (0.9, 0.8)]

    assert [gate.word for gate in gates] == ["failed", "ok"]
    assert ". These data cannot say whether it is reachable: 50.0 % of rows equal another row, which " in gates[0].text


@pytest.mark.parametrize("limit", [*LIMITS, "max_error_rise", "at_least"])
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


def test_the_baseline_breaks_by_a_rise_that_is_nearly_sure(found, overlaps):
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
    assert ", limit 0 points. It rose by more with a probability of 99 %. Cross-validated error of " in worse.text
    assert baseline_gate(overlaps[1.0], overlaps[4.0], 0.5).word == "ok"


def test_slightly_worse_data_are_open_and_far_fewer_rows_not_compared(overlaps):
    """The probability of a rise says how sure it is; with fewer rows every learner does worse."""
    before, now = sorted((overlaps[2.4], overlaps[2.5]), key=lambda found: found.answer.estimate)
    gate = baseline_gate(now, before, 0.0)

    assert now.answer.estimate > before.answer.estimate
    assert gate.word == "open"
    assert re.search(r"It rose by more with a probability of [56]\d %\. Cross-validated error of ", gate.text)
    assert gate.text.endswith("), which may be due to chance")
    assert baseline_gate(now, before, 0.2).word == "ok"

    answer = overlaps[1.0].answer

    assert compare_errors(replace(answer, n_rows=200), answer) is None
    assert compare_errors(answer, answer).low < 0 < compare_errors(answer, answer).high


def test_forecasts_and_cross_validated_errors_each_break_the_baseline(overlaps, altered):
    """The same learner does worse beyond chance, or the lowest possible error rose; without both nothing decides."""
    none, untested = {"forecast": None}, {"errors": {}, "best": ""}
    now, alone = altered(overlaps[1.0], answer=none), altered(overlaps[1.0], answer=untested)
    unlearned = altered(overlaps[1.0], answer=none | untested)
    gate = baseline_gate(unlearned, overlaps[4.0], 0.0)

    assert [baseline_gate(each, overlaps[4.0], 0.0).word for each in (now, alone)] == ["failed"] * 2
    assert gate.word == "open"
    assert gate.text.endswith(
        "limit 0 points. "
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

    assert (same.word, worse.word) == ("open", "failed")
    assert worse.text.startswith(f"the ranges cannot be compared ({told}). Cross-validated error of ")


N, CENTRES = 450, np.random.default_rng(5).normal(size=(3, 4)) * 2.2


def rows(seed, noise=1.0):
    """A table of three animals and its codes, drawn from one law."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=N)
    table = pd.DataFrame(CENTRES[y] + noise * rng.normal(size=(N, 4)), columns=list("abcd"))
    return table.assign(label=np.array(["cat", "dog", "cow"])[y]), y


@pytest.fixture(scope="module")
def before(quick_check):
    """The baseline, as it is kept in a file."""
    return Check.from_json(quick_check(rows(0)[0], "label").to_json())


def rename(table, **names):
    return table.assign(label=table["label"].replace(names))


def first(table, n, **values):
    return table.assign(**{name: table[name].mask(np.arange(N) < n, value) for name, value in values.items()})


def only_one(table):
    cows = table["label"] == "cow"
    return pd.concat([table[~cows], table[cows][:1]])


def many_times(table, rng):
    more = pd.concat([table] * 5, ignore_index=True)
    return more.assign(**{name: more[name] + 0.02 * rng.normal(size=len(more)) for name in "abcd"})


# What was done to worse rows, the code that fails, and a part of what it says.
BROKEN = {
    "nothing": (lambda t, *_: t, "BF305", "best estimate"),
    "five rows of a new class": (lambda t, *_: first(t, 5, label="hen"), "BF306", "new hen"),
    "a typo": (lambda t, *_: first(t, 20, label="catt"), "BF306", "new catt"),
    "a class gone": (lambda t, *_: t[t["label"] != "cow"], "BF306", "lost cow"),
    "a class renamed": (lambda t, *_: rename(t, cat="Cat"), "BF306", "lost cat, new Cat"),
    "all classes renamed": (lambda t, *_: rename(t, cat="x", dog="y", cow="z"), "BF306", "lost cat, cow, dog, new x"),
    "two classes merged": (lambda t, *_: rename(t, cow="dog"), "BF306", "lost cow"),
    "one row of a class": (lambda t, *_: only_one(t), "BF306", "class cow "),
    "a class nearly gone": (lambda t, *_: first(t, 430, label="cat"), "BF306", "class cow "),
    "a column renamed": (lambda t, *_: t.rename(columns={"a": "A"}), "BF307", "lost a, new A"),
    "a column gone": (lambda t, *_: t.drop(columns="a"), "BF307", "lost a"),
    "a column of noise": (lambda t, _, r: t.assign(e=r.normal(size=N)), "BF307", "new e"),
    "an empty column": (lambda t, *_: t.assign(a=np.nan), "BF307", "a number then, empty now"),
    "one word for a column": (lambda t, *_: t.assign(a="x"), "BF307", "a number then, category now"),
    "the column of a leak": (lambda t, y, r: t.assign(e=y + 0.01 * r.normal(size=N)), "BF309", "e may give the label"),
    "a leak in a known column": (lambda t, y, r: t.assign(a=y + 0.01 * r.normal(size=N)), "BF309", "a may give"),
    "half the rows": (lambda t, *_: t[:225], "BF308", "450 rows then, 225 now"),
    "most labels missing": (lambda t, *_: first(t, 360, label=None), "BF308", "80.0 % now"),
    "some labels missing": (lambda t, *_: first(t, 90, label=None), "BF308", "0 % without a label then, 20.0 % now"),
    "every row twice": (lambda t, *_: pd.concat([t, t]), "BF308", "0 % equal to another row then, 50"),
    "a fifth of the rows again": (lambda t, *_: pd.concat([t, t[:90]]), "BF308", "16.7 % now"),
    "rows with a little noise": (lambda t, _, r: many_times(t, r), "BF309", "rows may be copies (BF113)"),
    "no labels of one class": (lambda t, *_: t.assign(label=t["label"].where(t["label"] != "cow")), "BF306", "lost"),
}


AT_ONCE = ("nothing", "a typo", "a column renamed", "most labels missing", "the column of a leak")


@pytest.mark.parametrize(
    "way", [way if way in AT_ONCE else pytest.param(way, marks=pytest.mark.slow) for way in BROKEN]
)
def test_what_cannot_be_compared_fails_and_says_why(quick_check, before, way):
    """A build that stays green over broken data is worse than none."""
    change, code, told = BROKEN[way]
    table, y = rows(1, noise=3.0)
    now = quick_check(change(table, y, np.random.default_rng(2)), "label")
    failed = {gate.code: gate.text for gate in now.gates(baseline=before) if gate.word == "failed"}

    assert told in failed.get(code, ""), failed
    assert code == "BF305" or f"--accept {code}, or accept='{code}', or make a new baseline" in failed[code]

    accepted = {gate.code: gate for gate in now.gates(baseline=before, accept=failed.keys() - {"BF305"})}

    assert code == "BF305" or (accepted[code].word, accepted[code].text.endswith(": accepted")) == ("ok", True)
    assert "BF305" in accepted


@pytest.mark.slow
def test_rows_drawn_anew_can_be_compared(quick_check, before):
    """Also a few more or fewer, and a few without a label."""
    for seed in range(5):
        table = rows(10 + seed)[0]
        for now in (table, table[:370], pd.concat([table, rows(20 + seed)[0]]), first(table, 15, label=None)):
            codes = [gate.code for gate in quick_check(now, "label").gates(baseline=before)]

            assert codes == ["BF305"]


@pytest.mark.slow
@pytest.mark.parametrize("levels", [2, 5, 9])
def test_more_rows_repeat_more_often(quick_check, levels):
    """Of few combinations, more rows bring fewer new ones; only the same rows twice bring none at all."""
    rng = np.random.default_rng(levels)

    def draw(n):
        X = rng.integers(levels, size=(n, 3))
        labels = np.where(X[:, 0] + rng.normal(size=n) > levels / 2, "x", "y")
        return pd.DataFrame(X, columns=list("abc")).assign(label=labels)

    few, many, twice = (quick_check(table, "label") for table in (draw(300), draw(900), pd.concat([draw(300)] * 2)))

    assert many.facts.n_distinct / many.facts.n_used < few.facts.n_distinct / few.facts.n_used
    assert "BF308" not in [gate.code for gate in many.gates(baseline=few)]
    assert ("BF308" in [gate.code for gate in twice.gates(baseline=few)]) == (levels == 9)


def test_labels_are_the_same_as_numbers_and_as_text(quick_check):
    """A file may keep them in either way."""
    X, y = rows(0)[0][list("abcd")], rows(0)[1]
    checks = [quick_check(X, labels) for labels in (y, y.astype(float), y.astype(str))]

    for now in checks[1:]:
        assert [gate.code for gate in now.gates(baseline=checks[0])] == ["BF305"]


def test_arrays_have_numbers_of_columns_for_names(found, altered):
    """And class proportions that were asked for make another problem."""
    wider, asked = (altered(found, facts=facts) for facts in ({"n_features": 5}, {"priors": (0.5, 0.5)}))

    assert wider.gates(baseline=found)[0].text.startswith(
        "the columns are not those of the baseline: 2 features then, 5 now. Accept that with --accept BF307"
    )
    assert [gate.code for gate in asked.gates(baseline=found)] == ["BF306"]
    assert "proportions of the data then, 50 % to 50 % now" in asked.gates(baseline=found)[0].text


def test_nothing_that_decides_is_no_pass(found, altered):
    """Neither ranges of another effort, nor learners that were tested on far fewer rows."""
    now = altered(found, answer={"effort": "quick", "n_rows": 100})
    (gate,) = now.gates(baseline=found)

    assert (gate.code, gate.word) == ("BF310", "failed")
    assert [each.word for each in now.gates(baseline=found, accept="BF310")] == ["ok", "open"]


def test_limits_without_a_baseline(made, quick_check):
    """The first run has none."""
    found = quick_check(first(rows(0)[0], 90, label=None), "label")
    limits = [{"min_rows": 360}, {"min_rows": 361}, {"max_unlabelled": 0.2}, {"max_unlabelled": 0.19}]
    limits += [{"fail_on": ("BF111", "BF113")}, {"fail_on": "BF114"}]
    checks = [found] * 5 + [made("leak")]
    gates = [each.gates(**limit)[-1] for each, limit in zip(checks, limits, strict=True)]

    assert [gate.word for gate in gates] == ["ok", "failed"] * 3
    assert [gate.text for gate in gates[:5]] == [
        "360 rows with a label, limit 360",
        "360 rows with a label, limit 361",
        "20.0 % of rows have no label, limit 20 %",
        "20.0 % of rows have no label, limit 19 %",
        "no BF111 or BF113",
    ]
    assert gates[5].text.startswith("BF114: The column ")


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"min_rows": 0}, "Got min_rows=0, but expected a number of rows"),
        ({"min_rows": 0.5}, "Got min_rows=0.5, but expected a number of rows"),
        ({"min_rows": True}, "Got min_rows=True"),
        ({"max_unlabelled": 10}, "Got max_unlabelled=10, but expected a fraction from 0 to 1"),
        ({"fail_on": "BF14"}, "Got fail_on='BF14', but expected codes, such as 'BF101'"),
        ({"fail_on": ["BF305"]}, "Got fail_on='BF305'"),
        ({"accept": "BF306"}, "Got accept, but expected a baseline with it"),
        ({"accept": ["BF305"]}, "Got accept='BF305', but expected codes, such as 'BF306'"),
    ],
)
def test_limits_that_could_never_fail_are_refused(found, limits, told):
    """A typing error would let everything pass."""
    with pytest.raises(ValueError, match=re.escape(told)):
        found.gates(**limits)


def with_errors(answer, X, y):
    """The answer with cross-validated errors of two learners on these rows."""
    learners = {"linear": LinearDiscriminantAnalysis(), "neighbours": KNeighborsClassifier(15)}
    errors = {name: float(np.mean(cross_val_predict(learner, X, y) != y)) for name, learner in learners.items()}
    return replace(answer, errors=errors, n_independent=dict.fromkeys(errors, float(len(y))), n_rows=len(y))


@pytest.mark.slow
def test_cross_validated_errors_of_an_unchanged_source_seldom_differ(overlaps, gaussians):
    """Of 200 pairs of sets of one distribution, about 1 % may fail; those of a lost feature nearly all must."""
    answer, unchanged, lost = overlaps[1.0].answer, 0, 0
    for seed in range(200):
        X, y = gaussians([seed, 1], [150, 150])
        Z, z = gaussians([seed, 2], [150, 150])
        then = with_errors(answer, X, y)
        unchanged += compare_errors(with_errors(answer, Z, z), then).low > 0.0
        lost += seed < 20 and compare_errors(with_errors(answer, Z[:, 1:], z), then).low > 0.01

    assert unchanged <= binom.ppf(0.99, 200, 0.01)
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
@pytest.mark.usefixtures("real_race")  # of one cheap learner, a forecast sees less with fewer rows
def test_fewer_rows_of_the_same_data_do_not_break_the_baseline():
    """With fewer rows learners do worse and neighbours are farther apart; the floor is the same."""
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(1200)[:300]
    whole, part = check(X[:1200], y[:1200], scale=None), check(X[rows], y[rows], scale=None)

    assert baseline_gate(part, whole, 0.0).word != "failed"
