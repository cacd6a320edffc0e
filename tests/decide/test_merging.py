"""Advice on merging: the numbers are the answer's, and nothing is claimed that was not shown."""

import json

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.answer._pairs_and_classes import merged_range
from bayesfloor.decide import merge_advice


def draw(rng, n, places):
    y = np.arange(n) % len(places)
    X = rng.standard_normal((n, 2))
    X[:, 0] += np.asarray(places)[y]
    return X, y


def fit(X, y, **options):
    return BayesFloor(scale=None, interval="fast", **options).fit(X, y)


def groups_after(advice, n_steps):
    """The group number of each class after some steps of the advice, by hand."""
    labels = advice.classes.tolist()
    group = np.arange(len(labels))
    for step in advice.steps[:n_steps]:
        group[np.isin(labels, step.one + step.two)] = labels.index(step.one[0])
    return group


def test_every_step_has_the_range_of_the_answer(rng):
    """Down to two groups, and the classes as they are have the answer itself."""
    X, y = draw(rng, 300, [0, 0.5, 2, 4, 4.5, 5.5])
    floor = fit(X, y)
    answer = floor.answer("quick")
    advice = merge_advice(floor, target=1.0, answer=answer)

    assert len(advice.steps) == 4
    assert (advice.before.estimate, advice.before.upper) == (answer.estimate, answer.upper)
    for n_steps, step in enumerate((advice.before, *advice.steps)):
        own = merged_range(answer, groups_after(advice, n_steps))
        assert (step.estimate, step.lower, step.upper) == pytest.approx(own, nan_ok=True)
        assert step.n_classes == 6 - n_steps
        assert step.upper <= answer.upper


@pytest.mark.slow
def test_merged_ranges_hold_the_known_truth(rng):
    """Two pairs of classes, far from one another: once merged, the optimal cut between them is half way."""
    X, y = draw(rng, 2000, [0, 0, 3, 3])
    advice = merge_advice(fit(X, y), target=0.9)
    truth = norm.sf(1.5)

    assert sorted(advice.groups) == [(0, 1), (2, 3)]
    assert abs(advice.after.estimate - truth) < 0.02
    assert advice.after.upper > truth - 0.01
    assert not advice.after.lower > truth + 0.01


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["probabilities", "votes", "groups", "ties"])
def test_every_kind_of_label_will_do(rng, kind):
    """Learners see one label per row."""
    X, y = draw(rng, 240, [0, 1, 2, 3])
    fitted = {"groups": np.arange(240) // 3} if kind == "groups" else {}
    if kind == "ties":
        X = np.round(X)
    soft = {"probabilities": rng.dirichlet(np.ones(4), 240), "votes": np.eye(4, dtype=int)[y] * 2 + 1}
    floor = BayesFloor(scale=None, interval="fast").fit(X, soft.get(kind, y), **fitted)
    advice = merge_advice(floor, target=1.0)

    assert len(advice.groups) == 2
    alone = [group[0] for group in advice.groups if len(group) == 1]
    sizes = floor.one_vs_rest_.sizes
    assert advice.fraction_merged == pytest.approx(1 - sizes[alone].sum() / sizes.sum())
    assert advice.after.guessing == pytest.approx(
        1 - max(sizes[list(group)].sum() for group in advice.groups) / sizes.sum()
    )


def test_classes_that_are_the_same_are_merged(rng):
    X, y = draw(rng, 1200, [0, 0, 6, 12])
    advice = merge_advice(fit(X, y))

    assert advice.groups == ((0, 1), (2,), (3,))
    assert advice.steps[0].alike
    assert advice.before.met is None
    assert advice.steps[0].upper < advice.before.upper / 4
    assert advice.steps[0].gain == pytest.approx(0.25, abs=0.05)
    assert "Merge 0 + 1 (shown to be inseparable)." in advice.text
    assert "The cost: 50.0 % of the rows" in advice.text


def test_without_a_target_only_what_was_shown_is_merged(rng):
    """Classes that overlap are no reason to give them up."""
    X, y = draw(rng, 600, [0, 1, 2])
    advice = merge_advice(fit(X, y))

    assert advice.steps == ()
    assert advice.after is advice.before
    assert advice.mapping == {0: 0, 1: 1, 2: 2}
    assert advice.fraction_merged == 0
    assert advice.text == "No two classes are shown to be inseparable."


def test_a_target_is_met_when_the_upper_end_meets_it(rng):
    """And no merge goes further."""
    X, y = draw(rng, 900, [0, 1, 5, 6, 12])
    advice = merge_advice(fit(X, y), target=0.9)

    assert advice.after.met
    assert advice.after.upper <= 0.1
    assert not any(step.met for step in (advice.before, *advice.steps[:-1]))
    assert sorted(advice.groups) == [(0, 1), (2, 3), (4,)]
    assert "90 % accuracy is then reachable." in advice.text


def test_steps_gain_the_most_that_can_be_gained(rng):
    """Each merges the two groups that the best learner confuses most."""
    X, y = draw(rng, 500, [0, 1, 2, 3, 4])
    floor = fit(X, y)
    answer = floor.answer()
    race = answer.evidence()
    guess = race.predicted[answer.best].argmax(axis=1)

    def confused(one, two):
        return np.mean(
            (np.isin(race.codes, one) & np.isin(guess, two)) | (np.isin(race.codes, two) & np.isin(guess, one))
        )

    steps = merge_advice(floor, target=1.0).steps

    assert steps[0].gain == pytest.approx(max(confused([i], [j]) for j in range(5) for i in range(j)))
    for step in steps:
        assert step.gain == pytest.approx(confused(step.one, step.two))


@pytest.mark.parametrize(
    ("far", "target", "told"),
    [
        (20, 1.0, "No merge would bring 100 % accuracy closer."),
        (10, 0.9, "90 % accuracy is reachable without merging."),
    ],
)
def test_what_gains_nothing_is_not_merged(rng, far, target, told):
    """Classes without any confusion stay, whether the target is reachable or no number of rows would show it."""
    X, y = draw(rng, 300, [0, far, 2 * far])
    advice = merge_advice(fit(X, y), target=target)

    assert advice.steps == ()
    assert advice.text.endswith(told)


@pytest.mark.slow
def test_two_groups_always_stay(rng):
    """One group has no error, and no use."""
    X, y = draw(rng, 600, [0, 0, 0])
    advice = merge_advice(fit(X, y), target=0.99)
    two = merge_advice(fit(X, y > 0), target=0.99)

    assert len(advice.groups) == 2
    assert "Even then, 99 % accuracy is not shown to be reachable." in advice.text
    assert two.steps == ()
    assert len(two.groups) == 2


@pytest.mark.slow
def test_the_last_two_may_be_alike_as_well(rng):
    """Then it would be wrong to say that no classes are."""
    X, y = draw(rng, 2000, [0, 0])
    floor = fit(X, y)
    advice = merge_advice(floor)

    assert advice.all_alike == floor.pairwise_.alike()[0, 1]
    assert ("nothing here distinguishes them" in advice.text) == advice.all_alike


@pytest.mark.slow
def test_groups_are_alike_only_if_all_their_classes_are(rng):
    """0 may be like 1 and 1 like 2, while 0 and 2 differ."""
    X, y = draw(rng, 1500, [0, 0, 0, 8])
    floor = fit(X, y)
    shown = floor.pairwise_.alike()
    for step in merge_advice(floor).steps:
        assert shown[np.ix_(step.one, step.two)].all()


def test_in_many_dimensions_nothing_is_shown_to_be_alike():
    """Cross edges are too many there, and the advice says why it has none."""
    X, y = load_digits(return_X_y=True)
    advice = merge_advice(fit(X[:500], y[:500]))

    assert not advice.tested
    assert "only in few dimensions" in advice.text


def test_new_labels_can_be_used_at_once(rng):
    X, y = draw(rng, 900, [0, 1, 5, 6, 12])
    floor = fit(X, y)
    advice = merge_advice(floor, target=0.9)
    new = np.vectorize(advice.mapping.get)(y)

    assert set(new) == {"0 + 1", "2 + 3", "4"}
    assert floor.relabel(new).answer().estimate == pytest.approx(advice.after.estimate, abs=0.05)
    assert all(type(label) is int for label in advice.mapping)


def test_new_labels_cannot_be_mistaken(rng):
    """A label may look like two others joined, or hold anything."""
    X, y = draw(rng, 800, [0, 0.5, 6, 12])
    names = np.array(["a", "b", "a + b", "c\x1b[31m\n"])
    advice = merge_advice(fit(X, names[y]), target=0.95)

    assert len(set(advice.mapping.values())) == 3
    assert advice.mapping["a"] == advice.mapping["b"] != advice.mapping["a + b"]
    assert advice.text.isprintable()


def test_advice_is_plain_and_leaves_the_floor_as_it_was(rng):
    """One line a step, the classes as they are first; merging works on copies."""
    X, y = draw(rng, 300, [0, 1, 2])
    advice = merge_advice(fit(X, y), target=0.99)
    written = advice.to_dict()

    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert advice.frame()["n_classes"].tolist() == [3, 2]
    assert advice.steps[0].frame()["gain"].tolist() == [advice.steps[0].gain]
    assert repr(advice).startswith("MergeAdvice(3 classes to 2")

    X, y = draw(rng, 300, [0, 0, 2])
    floor = fit(X, y)
    answer = floor.answer()
    before = answer.evidence().predicted[answer.best].copy(), floor.one_vs_rest_.sizes.copy(), floor.pairwise_.alike()
    merge_advice(floor, target=1.0)
    after = answer.evidence().predicted[answer.best], floor.one_vs_rest_.sizes, floor.pairwise_.alike()

    assert all(np.array_equal(one, two) for one, two in zip(before, after, strict=True))


@pytest.mark.parametrize("target", [0, 1.5, "high", True])
def test_what_is_no_accuracy_is_refused(rng, target):
    """As the verdict refuses it; and a floor that is not fitted."""
    X, y = draw(rng, 100, [0, 2])

    with pytest.raises(ValueError, match="Got target="):
        merge_advice(fit(X, y), target=target)
    with pytest.raises(ValueError, match="not fitted"):
        merge_advice(BayesFloor())
