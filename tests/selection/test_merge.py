"""Advice on merging: the same floors as a relabelled fit has, and nothing claimed that was not shown."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_digits

from bayesfloor import BayesFloor
from bayesfloor.selection._merge import merge_advice

BOUNDS = ["cross_rate", "lower", "estimate", "upper", "n_classes", "constant_error"]


@pytest.fixture
def rng(global_random_seed):
    """Source of random data."""
    return np.random.default_rng(global_random_seed)


def draw(rng, n, places):
    """Normal classes at these places of the first of two features."""
    y = np.arange(n) % len(places)
    X = rng.standard_normal((n, 2))
    X[:, 0] += np.asarray(places)[y]
    return X, y


def fit(X, y, **options):
    """A quick floor, with the options of the estimator."""
    return BayesFloor(scale=None, interval="fast", **options).fit(X, y)


def relabel(advice, n_steps, y):
    """Labels after some steps of the advice, by hand."""
    group = {label: label for label in advice.classes.tolist()}
    for step in advice.steps[:n_steps]:
        group |= dict.fromkeys(step.one + step.two, step.one[0])
    return np.array([group[label] for label in y.tolist()])


@pytest.mark.parametrize("options", [{}, {"subtract_forced": True}, {"bias_correction": False}, {"n_trees": 1}])
def test_every_step_has_the_floor_of_its_labels(rng, options):
    """The trees stay, so what is left of G is exact, down to two groups."""
    X, y = draw(rng, 300, [0, 0.5, 2, 4, 4.5, 9])
    floor = fit(X, y, **options)
    advice = merge_advice(floor, target=1.0)

    assert len(advice.steps) == 4
    for n_steps, step in enumerate((advice.before, *advice.steps)):
        own = floor.relabel(relabel(advice, n_steps, y)).overall_
        for name in BOUNDS:
            assert getattr(step, name) == pytest.approx(getattr(own, name), abs=1e-12), name


@pytest.mark.parametrize("kind", ["probabilities", "votes", "weights", "groups", "ties"])
def test_steps_are_exact_for_every_kind_of_label(rng, kind):
    """Soft labels and weights are in the soft confusion matrix already."""
    X, y = draw(rng, 240, [0, 1, 2, 3])
    floor, fitted = BayesFloor(scale=None, interval="fast"), {}
    soft = rng.dirichlet(np.ones(4), 240)
    if kind == "weights":
        fitted = {"sample_weight": rng.uniform(0.2, 3, 240)}
    elif kind == "groups":
        fitted = {"groups": np.arange(240) // 3}
    elif kind == "ties":
        X = np.round(X)
    target = {"probabilities": soft, "votes": np.eye(4, dtype=int)[y] * 2 + 1}.get(kind, y)
    floor.fit(X, target, **fitted)
    advice = merge_advice(floor, target=1.0)
    if kind == "votes":
        first, second = floor.soft_confusion_, advice.steps[0]
        gain = 2 * first[np.ix_(second.one, second.two)].sum()
        assert second.gain == pytest.approx(gain)
        return
    step = advice.steps[-1]
    merged = np.array([label in (step.one + step.two) for label in range(4)])
    other = np.column_stack([soft[:, merged].sum(1), soft[:, ~merged].sum(1)]) if kind == "probabilities" else merged[y]
    own = floor.relabel(other).overall_

    for name in BOUNDS:
        assert getattr(step, name) == pytest.approx(getattr(own, name), abs=1e-12), name
    assert advice.share_merged == pytest.approx(merged_share(floor, advice))


def merged_share(floor, advice):
    """Share of rows in groups of more than one class."""
    alone = [group[0] for group in advice.groups if len(group) == 1]
    return 1 - floor.one_vs_rest_.sizes[alone].sum() / floor.one_vs_rest_.sizes.sum()


def test_classes_that_are_the_same_are_merged(rng):
    """Two names for one thing."""
    X, y = draw(rng, 1200, [0, 0, 6, 12])
    advice = merge_advice(fit(X, y))

    assert advice.groups == ((0, 1), (2,), (3,))
    assert advice.steps[0].alike
    assert advice.before.met is None
    assert advice.steps[0].upper < advice.before.upper / 4
    assert "Merge 0 + 1 (shown to be alike)." in advice.text
    assert "What is lost: 50.0 % of the rows" in advice.text


def test_without_a_target_only_what_was_shown_is_merged(rng):
    """Classes that overlap are no reason to give them up."""
    X, y = draw(rng, 600, [0, 1, 2])
    advice = merge_advice(fit(X, y))

    assert advice.steps == ()
    assert advice.after is advice.before
    assert advice.mapping == {0: 0, 1: 1, 2: 2}
    assert advice.share_merged == 0
    assert advice.text == "No two classes are shown to be alike."


def test_a_target_is_met_when_the_upper_bound_meets_it(rng):
    """And no merge goes further."""
    X, y = draw(rng, 900, [0, 1, 5, 6, 12])
    advice = merge_advice(fit(X, y), target=0.9)

    assert advice.after.met
    assert advice.after.upper <= 0.1
    assert not any(step.met for step in (advice.before, *advice.steps[:-1]))
    assert sorted(advice.groups) == [(0, 1), (2, 3), (4,)]
    assert "90 % accuracy is then within reach by the trees alone; a classifier may" in advice.text


def test_steps_gain_the_most_that_can_be_gained(rng):
    """Each takes the pair of groups with the most edges between them."""
    X, y = draw(rng, 500, [0, 1, 2, 3, 4])
    floor = fit(X, y)
    first, *rest = merge_advice(floor, target=1.0).steps

    assert first.gain == pytest.approx(2 * np.triu(floor.soft_confusion_, 1).max())
    for step in rest:
        assert step.gain == pytest.approx(2 * floor.soft_confusion_[np.ix_(step.one, step.two)].sum())


def test_a_target_within_reach_needs_no_merge(rng):
    """Nothing is given up for nothing."""
    X, y = draw(rng, 300, [0, 10, 20])
    advice = merge_advice(fit(X, y), target=0.9)

    assert advice.steps == ()
    assert advice.text.endswith("90 % accuracy needs no merge.")


def test_two_groups_always_stay(rng):
    """One group has no error, and no use."""
    X, y = draw(rng, 600, [0, 0, 0])
    advice = merge_advice(fit(X, y), target=0.99)
    two = merge_advice(fit(X, y > 0), target=0.99)

    assert len(advice.groups) == 2
    assert "Even so 99 % accuracy is not shown to be in reach by the trees alone" in advice.text
    assert two.steps == ()
    assert len(two.groups) == 2


def test_the_last_two_may_be_alike_as_well(rng):
    """Then it would be wrong to say that no classes are."""
    X, y = draw(rng, 2000, [0, 0])
    floor = fit(X, y)
    advice = merge_advice(floor)

    assert advice.all_alike == floor.pairwise_.alike()[0, 1]
    assert ("nothing here tells them apart" in advice.text) == advice.all_alike


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
    """Old labels in, new ones out."""
    X, y = draw(rng, 900, [0, 1, 5, 6, 12])
    floor = fit(X, y)
    advice = merge_advice(floor, target=0.9)
    new = np.vectorize(advice.mapping.get)(y)

    assert set(new) == {"0 + 1", "2 + 3", "4"}
    assert floor.relabel(new).overall_.upper == pytest.approx(advice.after.upper)
    assert all(type(label) is int for label in advice.mapping)


def test_new_labels_cannot_be_mistaken(rng):
    """A label may look like two others joined, or hold anything."""
    X, y = draw(rng, 800, [0, 0.5, 6, 12])
    names = np.array(["a", "b", "a + b", "c\x1b[31m\n"])
    advice = merge_advice(fit(X, names[y]), target=0.95)

    assert len(set(advice.mapping.values())) == 3
    assert advice.mapping["a"] == advice.mapping["b"] != advice.mapping["a + b"]
    assert advice.text.isprintable()


def test_long_groups_are_told_in_short(rng):
    """Of hundreds of classes no one reads all."""
    X, y = draw(rng, 400, np.arange(40))
    advice = merge_advice(fit(X, y), target=0.99)

    assert " more" in advice.text
    assert len(advice.text) < 700


def test_advice_is_plain_json_and_a_table(rng):
    """One line a step, the classes as they are first."""
    X, y = draw(rng, 300, [0, 1, 2])
    advice = merge_advice(fit(X, y), target=0.99)
    written = advice.to_dict()

    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert advice.frame()["n_classes"].tolist() == [3, 2]
    assert advice.steps[0].frame()["gain"].tolist() == [advice.steps[0].gain]
    assert repr(advice).startswith("MergeAdvice(3 classes to 2")


def test_the_floor_is_left_as_it_was(rng):
    """Merging works on copies."""
    X, y = draw(rng, 300, [0, 0, 2])
    floor = fit(X, y)
    before = floor.soft_confusion_.copy(), floor.one_vs_rest_.sizes.copy(), floor.pairwise_.alike()
    merge_advice(floor, target=1.0)

    for one, two in zip(
        before, (floor.soft_confusion_, floor.one_vs_rest_.sizes, floor.pairwise_.alike()), strict=True
    ):
        assert np.array_equal(one, two)


@pytest.mark.parametrize("target", [0, 1.5, "high", True])
def test_what_is_no_accuracy_is_refused(rng, target):
    """As the verdict refuses it."""
    X, y = draw(rng, 100, [0, 2])

    with pytest.raises(ValueError, match="Got target="):
        merge_advice(fit(X, y), target=target)


def test_a_floor_must_be_fitted():
    """It is easily forgotten."""
    with pytest.raises(ValueError, match="not fitted"):
        merge_advice(BayesFloor())
