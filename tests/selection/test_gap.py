"""A model held against the floor: words that are true, of models whose best possible error is known."""

import json
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, binomtest, multivariate_normal

from bayesfloor import BayesFloor
from bayesfloor.selection._gap import gap

CENTRES = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])


def draw(rng, n, shares=(0.4, 0.3, 0.3)):
    """Normal classes: rows, labels and the answers of the best classifier."""
    y = rng.choice(3, n, p=shares)
    X = CENTRES[y] + rng.standard_normal((n, 2))
    likely = np.column_stack([multivariate_normal(centre).pdf(X) for centre in CENTRES]) * shares
    return X, y, likely.argmax(axis=1)


def draw_noise(rng, n):
    """Labels that have nothing to do with the rows, so that every bound is tight, and a best constant answer."""
    return rng.random((n, 2)), rng.integers(0, 4, n), np.zeros(n, dtype=int)


def fit(X, y, **options):
    """A quick floor."""
    return BayesFloor(scale=None, interval="fast").fit(X, y, **options)


@pytest.fixture(scope="module")
def floor(global_random_seed):
    """A floor of 1,000 rows of three classes; tests only look at it."""
    X, y, _ = draw(np.random.default_rng(global_random_seed), 1000)
    return fit(X, y)


@pytest.fixture
def rng(global_random_seed):
    """Source of random data, other than the floor's."""
    return np.random.default_rng([global_random_seed, 1])


def words(found):
    """All words of the three kinds."""
    return [np.atleast_1d(lines.word) for lines in (found.overall, found.by_class, found.by_pair)]


@pytest.mark.slow
@pytest.mark.parametrize(("source", "n_rows"), [(draw, 200), (draw_noise, 250)])
def test_the_best_classifier_is_seldom_told_that_there_is_room(rng, source, n_rows):
    """A false "room left" sends people on a search for what does not exist: at most 5 % of all sets, of each kind."""
    n_sets, false = 30, np.zeros(3)
    for _ in range(n_sets):
        X, y, _ = source(rng, n_rows)
        _, truth, best = source(rng, 2000)
        false += [(kind == "room left").any() for kind in words(gap(fit(X, y), truth, best))]

    assert (false <= binom.ppf(0.9999, n_sets, 0.05)).all()
    assert source is draw_noise or (false <= 0.05 * n_sets).all()


def test_the_best_classifier_does_not_refute_the_floor(rng, floor):
    """In two dimensions the lower bound is one."""
    _, truth, best = draw(rng, 5000)
    found = gap(floor, truth, best)

    assert found.overall.word in ("at the floor", "between the bounds", "room not shown")
    assert not (found.by_class.word == "below the floor").any()


def test_a_poor_model_is_told_where_it_could_be_better(rng, floor):
    """Two classes thrown together by a model that keeps the third apart."""
    _, truth, best = draw(rng, 4000)
    poor = np.where(best > 0, rng.integers(1, 3, 4000), best)
    found = gap(floor, truth, poor)

    assert found.overall.word == "room left"
    assert found.by_pair.word.tolist() == ["room not shown", "room not shown", "room left"]
    assert found.by_class.word[0] != "room left"
    assert "room left. It confuses 1 and 2 on" in found.text


def test_a_model_that_knows_the_answers_refutes_the_floor(rng, floor):
    """Either the floor is wrong, or the rows leaked; both are worth knowing."""
    _, truth, _ = draw(rng, 2000)
    found = gap(floor, truth, truth)

    assert found.overall.word == "below the floor"
    assert set(found.by_class.word) == {"below the floor"}
    assert set(found.by_pair.word) == {"room not shown"}
    assert "has seen rows that it was tried on" in found.text


def test_nothing_is_said_of_a_floor_that_cannot_be_seen(rng):
    """Classes far apart: a perfect model is at the floor, and its pairs cannot be measured."""
    y = rng.integers(0, 3, 300)
    X = 100.0 * np.eye(3)[y] + rng.standard_normal((300, 3))
    found = gap(fit(X, y), y, y)

    assert found.overall.word == "at the floor"
    assert set(found.by_class.word) == {"at the floor"}
    assert set(found.by_pair.word) == {"not measurable"}


def test_room_is_seen_where_classes_are_far_apart(rng):
    """A pair without overlap that a model confuses is the plainest case of room."""
    y = rng.integers(0, 3, 300)
    X = 100.0 * np.eye(3)[y] + rng.standard_normal((300, 3))
    found = gap(fit(X, y), y, np.where(y == 2, rng.integers(1, 3, 300), y))

    assert found.by_pair.word.tolist() == ["not measurable", "not measurable", "room left"]


def test_counts_and_intervals_are_those_of_the_confusion_matrix(rng, floor):
    """By hand, and by SciPy's binomial test."""
    truth, pred = rng.integers(0, 3, (2, 500))
    found = gap(floor, truth, pred, level=0.9)
    limits = binomtest(int((truth != pred).sum()), 500).proportion_ci(0.9, method="exact")
    both = np.isin(truth, [0, 2])
    swapped = ((truth == 0) & (pred == 2)) | ((truth == 2) & (pred == 0))
    pair_limits = binomtest(int(swapped.sum()), int(both.sum())).proportion_ci(1 - 0.1 / 3, method="exact")

    assert found.overall.error == np.mean(truth != pred)
    np.testing.assert_allclose([found.overall.low, found.overall.high], limits)
    assert found.by_class.error[1] == pytest.approx(np.mean((truth == 1) != (pred == 1)))
    assert found.by_pair.n_rows[1] == both.sum()
    np.testing.assert_allclose([found.by_pair.low[1], found.by_pair.high[1]], pair_limits)
    assert found.sizes.tolist() == np.bincount(truth).tolist()


def test_the_best_classifier_confuses_no_pair_beyond_its_own_bayes_error(rng):
    """The step of the proof that the words of pairs rest on, for any posterior."""
    eta, mass = rng.dirichlet(np.full(4, 0.5), 1000), rng.dirichlet(np.ones(1000))
    answer = eta.argmax(axis=1)
    for i, j in zip(*np.triu_indices(4, 1), strict=True):
        confused = (mass * (eta[:, j] * (answer == i) + eta[:, i] * (answer == j))).sum()
        assert confused <= (mass * np.minimum(eta[:, i], eta[:, j])).sum()


def test_limits_surround_the_bounds(rng, floor):
    """An upper limit below its own bound would make room of chance."""
    _, truth, best = draw(rng, 500)
    found = gap(floor, truth, best)

    assert (found.by_pair.upper_end >= found.by_pair.upper).all()
    assert (found.by_class.upper_end >= found.by_class.upper).all()
    for lines in (found.overall, found.by_class, found.by_pair):
        assert np.all(lines.lower_end <= lines.lower)
        assert np.all(lines.low <= lines.error)
        assert np.all(lines.error <= lines.high)


def test_a_model_worse_than_a_constant_answer_has_room(rng):
    """Nine in ten rows are of one class, and the trees alone would allow 18 %."""
    X, y = rng.random((2000, 2)), (rng.random(2000) < 0.1).astype(int)
    floor = fit(X, y)
    found = gap(floor, y, np.where(rng.random(2000) < 0.07, 1 - y, 0))

    assert found.overall.word == "room left"
    assert found.overall.low < floor.overall_.tree_limit(0.95)


def test_rows_of_a_group_are_not_counted_one_by_one(rng, floor):
    """Each row ten times over: the interval is that of the rows, not of the copies."""
    _, truth, best = draw(rng, 300)
    alone = gap(floor, truth, best)
    copies = gap(floor, np.repeat(truth, 10), np.repeat(best, 10), groups=np.repeat(np.arange(300), 10))
    blind = gap(floor, np.repeat(truth, 10), np.repeat(best, 10))

    assert (copies.overall.low, copies.overall.high) == pytest.approx((alone.overall.low, alone.overall.high))
    assert copies.by_pair.high == pytest.approx(alone.by_pair.high)
    assert copies.shares_p_value == pytest.approx(alone.shares_p_value)
    assert blind.overall.high - blind.overall.low < 0.5 * (alone.overall.high - alone.overall.low)


def test_other_class_shares_are_told(rng, floor):
    """The floor of one mixture says little of another."""
    _, truth, best = draw(rng, 1000, (0.8, 0.1, 0.1))
    found = gap(floor, truth, best)
    _, truth, best = draw(rng, 1000)

    assert found.other_shares
    assert "other shares" in found.text
    assert gap(floor, truth, best).shares_p_value > 1e-5


def test_rare_classes_do_not_make_shares_differ(rng):
    """One row of a class that is rare in both is no surprise."""
    X, y = rng.standard_normal((300, 2)), np.repeat([0, 1, 2], [198, 100, 2])
    found = gap(fit(X, y), np.repeat([0, 1, 2], [20, 9, 1]), np.zeros(30, dtype=int))

    assert found.shares_p_value > 0.3


def test_doubts_about_the_floor_are_passed_on(rng):
    """Of so few rows "at the floor" says less than it seems to."""
    X, y = rng.standard_normal((7, 2)), np.array([0, 0, 0, 0, 1, 1, 1])
    found = gap(fit(X + 10 * y[:, None], y), y, y)

    assert found.trust == "unknown"
    assert "The floor may be too high: " in found.text


def test_classes_without_rows_have_no_word(rng, floor):
    """A test set may lack a class; predictions may lack several."""
    _, truth, _ = draw(rng, 800)
    truth[truth == 2] = 1
    found = gap(floor, truth, np.zeros(800, dtype=int))

    assert found.by_class.word[2] == "no rows"
    assert found.by_pair.word.tolist() == ["room left", "no rows", "no rows"]
    assert gap(floor, [1], [1]).to_dict()["by_pair"]["error"] == [0.0, None, 0.0]


@pytest.mark.parametrize("kind", ["weights", "groups", "probabilities", "votes", "merged"])
def test_every_kind_of_floor_can_be_held_against(rng, kind):
    """What the floor was fitted to is no concern of the model."""
    X, y, best = draw(rng, 300)
    if kind == "weights":
        floor = fit(X, y, sample_weight=rng.uniform(0.5, 2, 300))
    elif kind == "groups":
        floor = fit(X, y, groups=np.arange(300) // 3)
    elif kind == "probabilities":
        floor = fit(X, 0.9 * np.eye(3)[y] + 0.1 / 3)
    elif kind == "votes":
        floor = fit(X, 2 * np.eye(3, dtype=int)[y] + np.eye(3, dtype=int)[best])
    else:
        fine, y, best = y, np.minimum(y, 1), np.minimum(best, 1)
        floor = fit(X, fine).relabel(y)
    found = gap(floor, y, best)

    assert found.overall.word in ("at the floor", "between the bounds", "room not shown")
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()


def test_groups_widen_the_limits(rng):
    """Three rows of a group are one draw."""
    X, y, best = draw(rng, 100)
    X = np.repeat(X, 3, axis=0) + 1e-3 * rng.standard_normal((300, 2))
    y, best = np.repeat(y, 3), np.repeat(best, 3)
    grouped, single = gap(fit(X, y, groups=np.arange(300) // 3), y, best), gap(fit(X, y), y, best)

    assert np.all(grouped.by_pair.upper_end > single.by_pair.upper_end)


def test_the_table_has_a_line_for_everything(rng, floor):
    """For reports and displays."""
    _, truth, best = draw(rng, 200)
    frame = gap(floor, truth, best).frame()

    assert frame["kind"].tolist() == ["overall"] + ["class"] * 3 + ["pair"] * 3
    assert frame["class_1"].tolist()[4:] == [0, 0, 1]
    assert {"error", "low", "high", "lower", "estimate", "upper", "word"} <= set(frame.columns)
    assert len(gap(floor, truth, best).by_pair.frame()) == 3


def test_a_gap_is_frozen_and_says_what_it_is(rng, floor):
    """What was found stays found."""
    _, truth, best = draw(rng, 200)
    found = gap(floor, truth, best)

    assert repr(found).startswith("Gap(error 0.")
    assert repr(found.by_pair).startswith("GapLines(")
    with pytest.raises(FrozenInstanceError):
        found.level = 0.5


def test_labels_are_shown_without_harm(rng):
    """A label may hold anything."""
    X, y, best = draw(rng, 600)
    names = np.array(["a\x1b[31m", "b\nb", "c" * 500])
    found = gap(fit(X, names[y]), names[y], names[np.where(best > 0, rng.integers(1, 3, 600), best)])

    assert found.text.isprintable()
    assert len(found.text) < 600


@pytest.mark.parametrize(
    ("truth", "pred", "told"),
    [
        ([0, 1, 2], [0, 1], "Got y_true of 3 rows and y_pred of 2, but expected as many"),
        ([], [], "at least one"),
        ([0, 1, 3], [0, 1, 2], "Got y_true with labels that the floor does not know: 3"),
        ([0, 1, 2], ["0", "1", "2"], "Got y_pred with labels that the floor does not know: 0, 1, 2"),
        ([0, 1, 2], [0.0, 1.0, np.nan], "y_pred cannot be read.*1 label.s. are missing"),
        (pd.Series([0, None, 2]), [0, 1, 2], "y_true cannot be read.*missing"),
        ([0, 1, 2], np.eye(3), "y_pred cannot be read"),
    ],
)
def test_what_cannot_be_held_against_is_refused(floor, truth, pred, told):
    """In one line, saying which of the two it was."""
    with pytest.raises(ValueError, match=told) as error:
        gap(floor, truth, pred)

    assert "\n" not in str(error.value)


def test_labels_of_another_type_are_found(rng, floor):
    """Predictions often come as floats or as objects."""
    _, truth, best = draw(rng, 300)
    plain = gap(floor, truth, best).to_dict()

    assert gap(floor, truth.astype(float), best.astype(object)).to_dict() == plain
    assert gap(floor, truth.tolist(), pd.Series(best)).to_dict() == plain


def test_a_floor_must_be_fitted_and_a_level_be_one(floor):
    """Both are easily forgotten."""
    with pytest.raises(ValueError, match="not fitted"):
        gap(BayesFloor(), [0, 1], [0, 1])
    with pytest.raises(ValueError, match="Got level=95"):
        gap(floor, [0, 1], [0, 1], level=95)
