"""Counts become results: overall, pairs, classes and samples."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import roc_auc_score

from bayesfloor import BayesFloor, spanning_forest
from bayesfloor.decide import suspicious_labels
from bayesfloor.floor import _make_results
from bayesfloor.floor._results import error_bounds
from bayesfloor.formulas import henze_penrose


def cross_edges(X, codes, n_trees=3):
    """R of two classes without equal rows, the plain way."""
    forest = spanning_forest(X, n_trees)
    label = np.empty(forest.n_vertices, dtype=int)
    label[forest.vertex] = codes
    return np.count_nonzero(label[forest.a] != label[forest.b]) / n_trees


def test_two_classes_have_the_papers_bounds_which_hold_the_known_error(rng, gaussians):
    """R / n in the Henze-Penrose bounds; two Gaussians two apart in two dimensions have an error of .159."""
    X, y = gaussians(rng, [90, 60])
    floor = BayesFloor(scale=None).fit(X, y).overall_
    paper = henze_penrose(cross_edges(X, y), 90, 60)

    assert floor.lower == pytest.approx(paper.lower)
    assert floor.estimate == pytest.approx(paper.estimate)
    assert floor.cross_rate == pytest.approx(cross_edges(X, y) / 149)

    X, y = gaussians(rng, [1000, 1000], shift=2.0)
    floor = BayesFloor(scale=None).fit(X, y).overall_
    (low, high), sizes = floor.interval(0.999), np.array([1000.0, 1000.0])

    assert error_bounds(low, sizes).lower <= 0.1587 <= error_bounds(high, sizes).upper
    assert floor.upper_limit(0.999) >= 0.1587


def test_labels_without_meaning_have_no_small_p_value(rng, gaussians):
    """Friedman and Rafsky's test, with all classes at once."""
    X, y = gaussians(rng, [100, 100, 100], shift=0.0)
    apart = BayesFloor(interval="fast").fit(*gaussians(rng, [100, 100, 100], shift=3.0)).overall_

    assert BayesFloor(interval="fast").fit(X, y).overall_.p_value > 1e-6
    assert apart.p_value < 1e-12


def test_options_of_the_estimate_leave_the_bounds(rng, gaussians):
    """Separate classes read the one edge that joins them, or zero; without the correction the paper's cap is gone."""
    X, y = gaussians(rng, [60, 60], shift=1000.0)
    plain = BayesFloor(scale=None, n_trees=1).fit(X, y)
    forced = BayesFloor(scale=None, n_trees=1, subtract_forced=True).fit(X, y)

    assert plain.overall_.estimate == pytest.approx(plain.overall_.resolution)
    assert plain.pairwise_.at_resolution[0, 1]
    assert plain.pairwise_.matrix[0, 1] == pytest.approx(plain.pairwise_.resolution[0, 1])
    assert forced.overall_.estimate == pytest.approx(0, abs=1e-12)
    assert forced.overall_.upper == plain.overall_.upper

    X, y = gaussians(rng, [180, 20], shift=0.0)
    free = BayesFloor(scale=None, bias_correction=False).fit(X, y).overall_
    capped = BayesFloor(scale=None).fit(X, y).overall_

    assert capped.estimate <= 0.1
    assert free.estimate >= capped.estimate


def test_every_pair_has_the_count_of_its_own_rows():
    """The pair's own trees, not the edges of all classes."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    pairs = BayesFloor(scale=None, interval="fast").fit(X, y).pairwise_

    for i, j in list(combinations(range(10), 2))[::4]:
        rows = np.flatnonzero((y == i) | (y == j))
        R, n1, n2 = cross_edges(X[rows], y[rows] == j), np.count_nonzero(y == i), np.count_nonzero(y == j)
        alone = henze_penrose(R, n1, n2)
        assert pairs.cross[i, j] == pytest.approx(R)
        assert pairs.estimate[i, j] == pytest.approx(alone.estimate)
        assert pairs.lower[i, j] == pytest.approx(alone.lower)
        assert pairs.upper[i, j] == pytest.approx(alone.upper)
        assert pairs.matrix[i, j] == pytest.approx(henze_penrose(R, n1, n2, normalize=True).estimate)


def test_pairs_are_scaled_as_the_whole_is():
    """Scaling each pair anew would compare what cannot be compared."""
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(0, 1e-6, X.shape)  # no equal rows
    floor = BayesFloor(scale="standard").fit(X, y)
    rows = np.flatnonzero(y > 0)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)

    assert floor.pairwise_.cross[1, 2] == pytest.approx(cross_edges(scaled[rows], y[rows] == 2))


def test_matrices_of_pairs_are_symmetric(fitted):
    """Classes have no order."""
    pairs = fitted.pairwise_

    for name in ("matrix", "lower", "estimate", "upper", "cross", "p_values", "holm", "benjamini_hochberg"):
        values = getattr(pairs, name)
        assert values.shape == (3, 3)
        assert np.array_equal(values, values.T), name
    assert np.array_equal(np.diag(pairs.matrix), [0, 0, 0])
    assert (pairs.holm >= pairs.p_values).all()
    assert (pairs.benjamini_hochberg >= pairs.p_values).all()
    assert (pairs.benjamini_hochberg <= pairs.holm).all()


def test_without_normalising_the_matrix_is_the_estimate(rng, gaussians):
    """The paper divides by the smaller class's share."""
    X, y = gaussians(rng, [60, 40, 30])
    plain, divided = BayesFloor(normalize=False).fit(X, y).pairwise_, BayesFloor().fit(X, y).pairwise_

    assert np.array_equal(plain.matrix, plain.estimate)
    assert divided.matrix[0, 1] == pytest.approx(divided.estimate[0, 1] / 0.4)


def test_p_values_of_pairs_are_small_where_classes_differ_and_uniform_where_not(rng, gaussians):
    """Twelve classes at one place and one apart."""
    X, y = gaussians(rng, [50] * 13, shift=0.0)
    X[y == 12] += 20
    pairs = BayesFloor(scale=None, interval="fast").fit(X, y).pairwise_
    alike = pairs.p_values[np.triu_indices(12, 1)]

    assert (pairs.p_values[12, :12] < 1e-9).all()
    assert 0.25 < alike.mean() < 0.75
    assert np.mean(alike < 0.05) < 0.25
    assert np.mean(alike > 0.5) > 0.15


@pytest.mark.parametrize("part", ["overall_", "pairwise_"])
def test_p_values_pay_for_a_scale_that_the_labels_picked(part, rng, gaussians):
    """The smallest of four would be below .05 in more than 5 % of sets without any signal."""
    X, y = gaussians(rng, [60, 60], shift=0.4)
    auto = BayesFloor().fit(X, y)
    fixed = BayesFloor(scale=auto.scale_).fit(X, y)
    if part == "overall_":
        picked, alone = auto.overall_.p_value, fixed.overall_.p_value
    else:
        picked, alone = auto.pairwise_.p_values[0, 1], fixed.pairwise_.p_values[0, 1]

    assert len(auto.scale_rates_) > 1
    assert picked == pytest.approx(min(1.0, len(auto.scale_rates_) * alone))


def test_the_number_of_classes_does_not_change_how_a_pair_is_tested(rng):
    """595 small pairs: two classes at one place have the p-value they have alone, and it comes from permutations."""
    X, y = rng.normal(size=(490, 2)) + 50 * np.repeat(np.arange(35), 14)[:, None], np.repeat(np.arange(35), 14)
    X[y == 1] -= 50
    many = BayesFloor(scale=None).fit(X, y).pairwise_
    alone = BayesFloor(scale=None).fit(X[y < 2], y[y < 2]).pairwise_

    assert many.p_values[0, 1] == alone.p_values[0, 1]
    assert alone.p_values[0, 1] * 1000 == pytest.approx(round(alone.p_values[0, 1] * 1000), abs=1e-9)
    assert many.p_values[0, 2:].max() < 0.001


@pytest.mark.slow
def test_more_small_pairs_than_ever_are_permuted_less_often(rng):
    """All 595 pairs alike: p-values come in parts of 672, not from the analytic null at once."""
    X, y = rng.normal(size=(35 * 8, 2)), np.repeat(np.arange(35), 8)
    p = BayesFloor(scale=None).fit(X, y).pairwise_.p_values[np.triu_indices(35, 1)]
    parts = int(999 * 400 / 595) + 1
    seen = p[p > 1 / parts]

    assert seen * parts == pytest.approx(np.round(seen * parts), abs=1e-9)
    assert 0.3 < p.mean() < 0.7


def test_of_too_many_small_pairs_the_least_likely_keep_the_analytic_p_value(rng, monkeypatch):
    """Time is spent where a claim may come of it."""
    X, y = rng.normal(size=(48, 2)), np.repeat(np.arange(6), 8)
    found = []
    for most in (0, 4, 15):
        monkeypatch.setattr(_make_results, "_MOST", most)
        found.append(BayesFloor(scale=None).fit(X, y).pairwise_.p_values[np.triu_indices(6, 1)])
    analytic, some, every = found
    permuted = some != analytic

    assert np.count_nonzero(permuted) == 4
    assert analytic[permuted].max() < analytic[~permuted].min()
    assert np.array_equal(some[permuted], every[permuted])
    assert np.count_nonzero(every != analytic) == 15


@pytest.mark.parametrize("subtract_forced", [False, True])
@pytest.mark.parametrize("bias_correction", [False, True])
@pytest.mark.parametrize("sizes", [[90, 30], [60, 20, 20]])
def test_bounds_without_noise_follow_the_options(rng, gaussians, sizes, bias_correction, subtract_forced):
    """Without any noise, they are the floor's own."""
    X, y = gaussians(rng, sizes, shift=0.3)
    options = {"bias_correction": bias_correction, "subtract_forced": subtract_forced}
    floor = BayesFloor(scale=None, interval="fast", **options).fit(X, y).overall_

    bounds = [float(bound) for bound in floor.without_noise(0.0)]
    assert bounds == pytest.approx([floor.lower, floor.estimate, floor.upper])
    assert float(floor.without_noise(0.2).upper) <= floor.constant_error


def test_limits_end_at_guessing_and_equal_rows_are_a_floor_of_their_own(rng):
    """Labels without meaning; and the one bound that assumes nothing: of each place, all but the largest class."""
    X, y = rng.random((200, 2)), np.repeat([0, 1], [180, 20])
    floor = BayesFloor(scale=None, interval="fast").fit(X, y).overall_

    assert floor.upper_limit() == floor.constant_error == pytest.approx(0.1)
    assert floor.tree_limit(0.95) > 0.1

    X = np.repeat(rng.normal(size=(40, 2)), 5, axis=0)
    y = np.tile([0, 0, 0, 1, 1], 40)
    floor = BayesFloor(interval="fast").fit(X, y).overall_

    assert floor.conflict == pytest.approx(0.4)


def test_equal_classes_are_claimed_alike_separate_ones_never_and_none_in_many_dimensions(rng, gaussians):
    """Merging asks for a proof, not for a test that failed; in many dimensions even different classes look alike."""
    X, y = gaussians(rng, [1000, 1000, 1000, 1000], shift=0.0)
    X[y == 3] += 2
    pairs = BayesFloor(scale=None, interval="fast").fit(X, y).pairwise_
    alike = pairs.alike()

    assert pairs.claims
    assert alike[np.triu_indices(3, 1)].any()
    assert not alike[3].any()
    assert not np.diag(alike).any()
    assert (pairs.alike(margin=0.3) >= alike).all()
    assert not pairs.alike(margin=1e-9).any()

    X, y = gaussians(rng, [300, 300], shift=0.0, d=12)
    pairs = BayesFloor(scale=None, interval="fast").fit(X, y).pairwise_

    assert not pairs.claims
    assert not pairs.alike().any()


def test_parts_of_a_floor_fit_together(fitted):
    """Bounds in order below the constant error, a joint distribution of two labels, and two ends for each edge."""
    rest = fitted.one_vs_rest_

    assert (rest.lower <= rest.estimate).all()
    assert (rest.estimate <= rest.upper).all()
    assert (rest.upper <= fitted.overall_.cross_rate).all()
    assert rest.class_rate.sum() == pytest.approx(2 * fitted.overall_.cross_rate)
    assert not rest.few.any()
    assert np.array_equal(rest.sizes, [120, 100, 80])

    soft = fitted.soft_confusion_

    assert soft.sum() == pytest.approx(1)
    assert np.array_equal(soft, soft.T)
    assert (soft >= 0).all()
    assert 1 - np.trace(soft) == pytest.approx(fitted.overall_.cross_rate)
    np.testing.assert_allclose(2 * (soft.sum(axis=1) - np.diag(soft)), fitted.one_vs_rest_.class_rate)

    samples, floor = fitted.samples_, fitted.overall_

    assert samples.degree.sum() == pytest.approx(2 * 3 * 299)
    assert samples.cross.sum() / samples.degree.sum() == pytest.approx(floor.cross_rate)
    assert np.array_equal(samples.row, np.arange(300))

    floor = fitted.overall_

    assert 0 <= floor.conflict <= floor.lower <= floor.estimate <= floor.upper <= floor.constant_error
    assert floor.constant_error == pytest.approx(0.6)
    assert floor.n_rows == 300
    assert floor.n_classes == 3


def test_suspects_are_mostly_flipped_labels_and_suggestions_mostly_right(rng):
    """What the scores are for: a list worth looking at, of digits of which 5 % are mislabelled."""
    X, y = load_digits(return_X_y=True)
    wrong = rng.random(len(y)) < 0.05
    given = np.where(wrong, (y + rng.integers(1, 10, len(y))) % 10, y)
    samples = BayesFloor(scale=None, interval="fast").fit(X, given).samples_

    assert roc_auc_score(wrong, samples.score) > 0.99
    assert wrong[samples.suspect].mean() > 0.8
    assert samples.suspect[wrong].mean() > 0.8
    assert samples.p_value[samples.suspect].max() <= 0.05
    assert (samples.suggested_label[wrong] == y[wrong]).mean() > 0.9


def test_equal_rows_with_other_labels_are_flagged(rng, gaussians):
    """No feature can tell them apart; equal rows of one label agree."""
    X, y = gaussians(rng, [60, 60])
    X[60:65], X[10:15] = X[:5], X[20:25]
    samples = BayesFloor(interval="fast").fit(X, y).samples_

    assert np.array_equal(np.flatnonzero(samples.conflict), [*range(5), *range(60, 65)])


@pytest.mark.parametrize("scores", [lambda X, y: BayesFloor(interval="fast").fit(X, y).samples_, suspicious_labels])
def test_rows_that_only_became_equal_are_no_conflict(scores):
    """Texts of the same words in another order have the same n-grams; only rows that came equal are flagged."""
    words = [f"{a}{b}{c}t" for a in "bdfg" for b in "aeiou" for c in "klmn"]
    first, last = words[:40], words[40:]
    texts = [f"{a} and {b}" for a, b in zip(first + last, last + first, strict=True)]
    frame, y = pd.DataFrame({"text": texts}), np.repeat(["a", "b"], 40)
    assert not scores(frame, y).conflict.any()
    frame.loc[79, "text"] = frame.loc[0, "text"]
    assert np.flatnonzero(scores(frame, y).conflict).tolist() == [0, 79]
