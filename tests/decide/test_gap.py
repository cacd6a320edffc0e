"""A model beside the answer, of classes whose best possible error is known, and alarms for one that saw its rows."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, multivariate_normal
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from bayesfloor import BayesFloor
from bayesfloor.answer._pairs_and_classes import class_answers, pair_answers
from bayesfloor.decide._gap import gap

CENTRES = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])


def draw(rng, n, shares=(0.4, 0.3, 0.3)):
    y = rng.choice(3, n, p=shares)
    X = CENTRES[y] + rng.standard_normal((n, 2))
    likely = np.column_stack([multivariate_normal(centre).pdf(X) for centre in CENTRES]) * shares
    return X, y, likely.argmax(axis=1)


def draw_noise(rng, n):
    """Labels that have nothing to do with the rows, so that every bound is tight, and a best constant answer."""
    return rng.random((n, 2)), rng.integers(0, 4, n), np.zeros(n, dtype=int)


def fit(X, y, **options):
    return BayesFloor(scale=None, interval="fast").fit(X, y, **options)


@pytest.fixture(scope="module")
def floor(global_random_seed):
    X, y, _ = draw(np.random.default_rng(global_random_seed), 1000)
    return fit(X, y)


@pytest.fixture
def rng(global_random_seed):
    return np.random.default_rng([global_random_seed, 1])


def words(found):
    return [np.atleast_1d(lines.word) for lines in (found.overall, found.by_class, found.by_pair)]


@pytest.mark.slow(nightly=True)
@pytest.mark.parametrize(("source", "n_rows"), [(draw, 200), (draw_noise, 250)])
def test_the_best_classifier_is_seldom_said_to_have_room(rng, source, n_rows):
    """A false "room to improve" sends people on a futile search: at most 5 % of all sets, of each kind."""
    n_sets, false = 30, np.zeros(3)
    for _ in range(n_sets):
        X, y, _ = source(rng, n_rows)
        _, truth, best = source(rng, 2000)
        false += [(kind == "room to improve").any() for kind in words(gap(fit(X, y), truth, best))]

    assert (false <= binom.ppf(0.9999, n_sets, 0.05)).all()
    assert source is draw_noise or (false <= 0.05 * n_sets).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("source", [draw, draw_noise])
def test_the_best_classifier_has_no_room(source, seed):
    """On its own rows and on many others, of the whole, of every class and of every pair."""
    rng = np.random.default_rng([17, seed])
    X, y, best = source(rng, 400)
    _, others, best_of_others = source(rng, 5000)
    floor = fit(X, y)

    for truth, answers in ((y, best), (others, best_of_others)):
        for kind in words(gap(floor, truth, answers)):
            assert "room to improve" not in kind


@pytest.mark.slow
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32), n_classes=st.integers(2, 6), n_features=st.integers(1, 5))
def test_guessing_has_room_where_classes_are_far_apart(seed, n_classes, n_features):
    """Whether it always names one class or any of them."""
    rng = np.random.default_rng(seed)
    y = np.arange(60 * n_classes) % n_classes
    floor = fit(20.0 * y[:, None] + rng.standard_normal((len(y), n_features)), y)

    for answers in (np.zeros(len(y), dtype=int), rng.permutation(y)):
        assert gap(floor, y, answers).overall.word == "room to improve"


def test_a_poor_model_is_shown_where_it_could_be_better(rng, floor):
    """Two classes thrown together by a model that keeps the third apart."""
    _, truth, best = draw(rng, 4000)
    poor = np.where(best > 0, rng.integers(1, 3, 4000), best)
    found = gap(floor, truth, poor)

    assert found.overall.word == "room to improve"
    assert found.by_pair.word.tolist() == ["no room shown", "no room shown", "room to improve"]
    assert found.by_class.word[0] != "room to improve"
    assert set(found.by_class.word[1:]) == {"room to improve"}
    assert "room to improve. It confuses 1 and 2 on" in found.text
    assert "% is unavoidable" in found.text


def test_a_class_that_is_traded_for_another_shows_nothing(rng):
    """Labels that nothing predicts: a model is right about one class for the price of the others."""
    X, y, always = draw_noise(rng, 1000)
    found = gap(fit(X, y), y, always)

    assert found.by_class.error.tolist() == [0, 1, 1, 1]
    assert set(found.by_class.word) == {"no room shown"}


def test_a_model_that_knows_the_answers_refutes_the_floor(rng, floor):
    """Either the floor is wrong, or the rows leaked; both are worth knowing."""
    _, truth, _ = draw(rng, 2000)
    found = gap(floor, truth, truth)

    assert found.overall.word == "below the floor"
    assert set(found.by_class.word) == {"below the floor"}
    assert set(found.by_pair.word) == {"no room shown"}
    assert "or it has seen the rows it was tested on" in found.text


def reliable(floor, **values):
    """The floor's answer, made one that can be relied on."""
    known = {"estimate": 0.2, "lower": 0.18, "upper": 0.23, "reliability": "good", "reasons": ()}
    return replace(floor.answer(), **(known | values))


@pytest.mark.parametrize(
    ("error", "values", "word"),
    [
        (0.1, {}, "below the floor"),
        (0.1, {"lower": np.nan, "reliability": "upper limit only"}, "no room shown"),
        (0.175, {}, "at the floor"),
        (0.2, {}, "at the floor"),
        (0.2, {"reliability": "limited"}, "no room shown"),
        (0.22, {"lower": 0.199}, "at the floor"),  # the interval is 19.6 to 24.5 %
        (0.22, {}, "no room shown"),
        (0.24, {"lower": 0.22}, "no room shown"),
        (0.3, {}, "room to improve"),
        (0.3, {"lower": np.nan, "reliability": "upper limit only"}, "room to improve"),
    ],
)
def test_the_word_follows_the_range_and_its_reliability(floor, error, values, word):
    """1,200 rows, of which the model gets so many wrong."""
    truth = np.arange(1200) % 3
    pred = np.where(np.arange(1200) < 1200 * error, (truth + 1) % 3, truth)
    found = gap(floor, truth, pred, answer=reliable(floor, **values))

    assert found.overall.error == pytest.approx(error)
    assert found.overall.word == word


def test_lines_are_those_of_the_answer_and_its_parts(rng, floor):
    """No surface has numbers of its own."""
    _, truth, best = draw(rng, 300)
    answer = floor.answer("quick")
    found, pair = gap(floor, truth, best, answer=answer), np.triu_indices(3, 1)
    classes, pairs = class_answers(answer, floor.classes_), pair_answers(answer, floor.classes_)

    for name in ("estimate", "lower", "upper"):
        assert getattr(found.overall, name) == getattr(answer, name)
        assert np.array_equal(getattr(found.by_class, name), getattr(classes, name))
        assert np.array_equal(getattr(found.by_pair, name), getattr(pairs, name)[pair])
    assert (found.reliability, found.reasons) == (answer.reliability, answer.reasons)


def test_the_text_is_in_plain_words(rng, floor):
    """As a colleague would say it; the one pair of two classes is the whole problem, and told once."""
    truth = np.arange(1200) % 3
    pred = np.where(np.arange(1200) < 360, (truth + 1) % 3, truth)
    known, open_end = (gap(floor, truth, pred, answer=reliable(floor, lower=low)).text for low in (0.18, np.nan))
    X, y, _ = draw(rng, 200)

    assert known.startswith(
        "Your model's error is 30.0 % (27.4 to 32.7 %). "
        "The lowest possible error is about 20.0 % (18.0 to 23.0 %): room to improve."
    )
    assert "The lowest possible error is about 20.0 % (at most 23.0 %): room to improve." in open_end
    assert "confuses" not in gap(fit(X, np.minimum(y, 1)), y > 0, y < 1).text


def test_counts_and_intervals_are_those_of_the_confusion_matrix(rng, floor):
    """By hand, and by SciPy's binomial test; intervals surround errors, ranges estimates."""
    truth, pred = rng.integers(0, 3, (2, 500))
    found = gap(floor, truth, pred, level=0.9)
    limits = binomtest(int((truth != pred).sum()), 500).proportion_ci(0.9, method="exact")
    both = np.isin(truth, [0, 2])
    swapped = ((truth == 0) & (pred == 2)) | ((truth == 2) & (pred == 0))
    pair_limits = binomtest(int(swapped.sum()), int(both.sum())).proportion_ci(1 - 0.1 / 3, method="exact")

    assert found.overall.error == np.mean(truth != pred)
    np.testing.assert_allclose([found.overall.low, found.overall.high], limits)
    assert found.by_class.error[1] == np.mean(pred[truth == 1] != 1)
    assert found.by_class.n_rows.tolist() == found.sizes.tolist()
    class_limits = binomtest(int((pred[truth == 1] != 1).sum()), int((truth == 1).sum())).proportion_ci(1 - 0.1 / 3)
    np.testing.assert_allclose([found.by_class.low[1], found.by_class.high[1]], class_limits)
    assert found.by_pair.n_rows[1] == both.sum()
    np.testing.assert_allclose([found.by_pair.low[1], found.by_pair.high[1]], pair_limits)
    assert found.sizes.tolist() == np.bincount(truth).tolist()

    _, truth, best = draw(rng, 500)
    found = gap(floor, truth, best)

    for lines in (found.overall, found.by_class, found.by_pair):
        for values in ((lines.low, lines.error, lines.high), (lines.lower, lines.estimate, lines.upper)):
            assert np.all(np.diff(np.stack([np.atleast_1d(each) for each in values]), axis=0) >= 0)


def test_rows_of_a_group_are_not_counted_one_by_one(rng, floor):
    """Each row ten times over: the interval is that of the rows, not of the copies."""
    _, truth, best = draw(rng, 300)
    alone = gap(floor, truth, best)
    copies = gap(floor, np.repeat(truth, 10), np.repeat(best, 10), groups=np.repeat(np.arange(300), 10))
    blind = gap(floor, np.repeat(truth, 10), np.repeat(best, 10))

    assert (copies.overall.low, copies.overall.high) == pytest.approx((alone.overall.low, alone.overall.high))
    assert copies.by_pair.high == pytest.approx(alone.by_pair.high)
    assert copies.proportions_p_value == pytest.approx(alone.proportions_p_value)
    assert blind.overall.high - blind.overall.low < 0.5 * (alone.overall.high - alone.overall.low)


def test_other_class_proportions_are_said(rng, floor):
    """The floor of one mixture says little of another; a row of a class that is rare in both is no surprise."""
    _, truth, best = draw(rng, 1000, (0.8, 0.1, 0.1))
    found = gap(floor, truth, best)
    _, truth, best = draw(rng, 1000)
    X, y = rng.standard_normal((300, 2)), np.repeat([0, 1, 2], [198, 100, 2])
    rare = gap(fit(X, y), np.repeat([0, 1, 2], [20, 9, 1]), np.zeros(30, dtype=int))

    assert "The class proportions here differ" in found.text
    assert gap(floor, truth, best).proportions_p_value > 1e-5
    assert rare.proportions_p_value > 0.3


def test_doubts_about_the_answer_are_passed_on_and_labels_shown_without_harm(rng):
    """Of so few rows nothing is at the floor; a label may hold anything."""
    X, y = rng.standard_normal((7, 2)), np.array([0, 0, 0, 0, 1, 1, 1])
    found = gap(fit(X + 10 * y[:, None], y), y, y)

    assert found.reliability == "upper limit only"
    assert found.overall.word == "no room shown"
    assert "How low the error can go is uncertain: too few rows per class." in found.text

    X, y, best = draw(rng, 600)
    names = np.array(["a\x1b[31m", "b\nb", "c" * 500])
    found = gap(fit(X, names[y]), names[y], names[np.where(best > 0, rng.integers(1, 3, 600), best)])

    assert found.text.isprintable()
    assert len(found.text) < 600


def test_classes_without_rows_have_no_word(rng, floor):
    """A test set may lack a class; predictions may lack several."""
    _, truth, _ = draw(rng, 800)
    truth[truth == 2] = 1
    found = gap(floor, truth, np.zeros(800, dtype=int))

    assert found.by_class.word[2] == "no rows"
    assert found.by_pair.word.tolist() == ["room to improve", "no rows", "no rows"]
    assert gap(floor, [1], [1]).to_dict()["by_pair"]["error"] == [0.0, None, 0.0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["groups", "probabilities", "votes", "merged"])
def test_every_kind_of_floor_will_do(rng, kind):
    """What the floor was fitted to is no concern of the model."""
    X, y, best = draw(rng, 300)
    if kind == "groups":
        floor = fit(X, y, groups=np.arange(300) // 3)
    elif kind == "probabilities":
        floor = fit(X, 0.9 * np.eye(3)[y] + 0.1 / 3)
    elif kind == "votes":
        floor = fit(X, 2 * np.eye(3, dtype=int)[y] + np.eye(3, dtype=int)[best])
    else:
        fine, y, best = y, np.minimum(y, 1), np.minimum(best, 1)
        floor = fit(X, fine).relabel(y)
    found = gap(floor, y, best)

    assert found.overall.word in ("at the floor", "no room shown")
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()


@pytest.mark.parametrize(
    ("truth", "pred", "told"),
    [
        ([0, 1, 2], [0, 1], "Got y_true with 3 rows and y_pred with 2, but expected the same number"),
        ([], [], "at least one"),
        ([0, 1, 3], [0, 1, 2], "Got y_true with labels that the floor has not seen: 3"),
        ([0, 1, 2], ["0", "1", "2"], "Got y_pred with labels that the floor has not seen: 0, 1, 2"),
        ([0, 1, 2], [0.0, 1.0, np.nan], "y_pred cannot be read.*1 missing label"),
        (pd.Series([0, None, 2]), [0, 1, 2], "y_true cannot be read.*missing"),
        ([0, 1, 2], np.eye(3), "y_pred cannot be read"),
    ],
)
def test_what_cannot_be_compared_is_refused(floor, truth, pred, told):
    """In one line, saying which of the two it was."""
    with pytest.raises(ValueError, match=told) as error:
        gap(floor, truth, pred)

    assert "\n" not in str(error.value)


def test_labels_of_another_type_are_found(rng, floor):
    """Predictions often come as floats or as objects."""
    _, truth, best = draw(rng, 300)
    plain = gap(floor, truth, best)

    assert gap(floor, truth.astype(float), best.astype(object)).to_dict() == plain.to_dict()
    assert gap(floor, truth.tolist(), pd.Series(best)).to_dict() == plain.to_dict()
    assert repr(plain).startswith("Gap(error ")
    assert plain.frame()["kind"].tolist() == ["overall"] + ["class"] * 3 + ["pair"] * 3
    assert plain.frame()["class_1"].tolist()[4:] == [0, 0, 1]


def test_what_cannot_be_answered_is_refused(rng, floor):
    """What is easily forgotten or mistaken; with weights, learners would be tested on a different problem."""
    X, y, best = draw(rng, 300)
    with pytest.raises(ValueError, match="not fitted"):
        gap(BayesFloor(), [0, 1], [0, 1])
    with pytest.raises(ValueError, match="Got level=95"):
        gap(floor, [0, 1], [0, 1], level=95)
    with pytest.raises(ValueError, match="Got an answer for 2 classes, but the floor has 3"):
        gap(floor, [0, 1], [0, 1], answer=fit(X, np.minimum(y, 1)).answer())
    with pytest.raises(ValueError, match="do not support sample_weight"):
        gap(fit(X, y, sample_weight=rng.uniform(0.5, 2, 300)), y, best)


# Whether the model has seen its test rows


def draw_two(seed, n, *, rounded=False):
    rng = np.random.default_rng([seed, 5])
    y = rng.integers(0, 2, n)
    X = rng.standard_normal((n, 2)) + 1.5 * y[:, None] * [1, 0]
    return (np.round(X) if rounded else X), y, (X[:, 0] > 0.75).astype(int)


@pytest.fixture(scope="module")
def seen():
    """The two tests of a model's predictions; any answer will do for the one of equal rows."""
    X, y, _ = draw_two(0, 100)
    answer = fit(X, y).answer()

    def run(floor, y, predicted, **options):
        return gap(floor, y, predicted, answer=answer, rows=np.arange(len(y)), **options).too_good

    return run


@pytest.mark.slow(nightly=True)
def test_predictions_that_ignore_the_labels_seldom_look_as_if_they_had_seen_them(seen):
    """Of 400 sets: predictions differ among equal rows, and the p-value is uniform or larger."""
    p_values = []
    for seed in range(400):
        X, y, _ = draw_two(seed, 120, rounded=True)
        predicted = np.random.default_rng([seed, 6]).integers(0, 2, len(y))
        p_values.append(seen(fit(X, y), y, predicted).equal_p_value)

    for level in (0.01, 0.05, 0.2):
        assert np.sum(np.array(p_values) <= level) <= binom.ppf(0.999, 400, level)
    assert np.mean(np.array(p_values) <= 0.5) > 0.3  # not silent for want of a test


@pytest.mark.slow
def test_cross_validated_predictions_do_not_look_as_if_they_had_seen_the_labels(seen):
    """A fold's model has seen the labels of equal rows in other folds, which speaks against the row's own."""
    alarms = 0
    for seed in range(60):
        X, y, _ = draw_two(seed, 150, rounded=True)
        predicted = cross_val_predict(KNeighborsClassifier(3), X, y)
        alarms += seen(fit(X, y), y, predicted).equal_p_value <= 0.05

    assert alarms <= 3


def test_one_prediction_for_equal_rows_is_no_evidence_and_rows_of_a_group_count_once(seen):
    """Right for two patients with equal rows and different labels is luck, however many rows they have."""
    X, y, _ = draw_two(0, 200, rounded=True)
    found = seen(fit(X, y), y, (X[:, 0] > 0.75).astype(int))

    assert (found.n_equal, found.n_right, found.expected, found.equal_p_value) == (0, 0, 0.0, 1.0)

    y = np.repeat([0, 1, 1, 0], 40)
    X, groups = (np.arange(160) % 2 == 0)[:, None].astype(float), np.repeat(np.arange(4), 40)
    floor = fit(X, y, groups=groups)

    assert seen(floor, y, y, groups=groups).equal_p_value > 0.01
    assert seen(floor, y, y).equal_p_value == 0.001


@pytest.mark.parametrize("part", [0.1, 1.0])
def test_a_model_that_remembers_labels_is_found_out(part):
    """Even if it has seen only one row in ten."""
    X, y, _ = draw_two(1, 600, rounded=True)
    predicted = np.where(np.random.default_rng(1).random(600) < part, y, (X[:, 0] > 0.75).astype(int))
    found = gap(fit(X, y), y, predicted, rows=np.arange(600)).too_good

    assert found.seen
    assert found.n_right > found.expected


def test_the_rows_may_be_some_of_the_floors_in_any_order():
    """Predictions are matched with rows by number."""
    X, y, _ = draw_two(2, 400, rounded=True)
    order = np.random.default_rng(0).permutation(400)[:300]
    found = gap(fit(X, y), y[order], y[order], rows=order).too_good

    assert found.n_right == found.n_equal > 100


@pytest.mark.parametrize("rows", [[0, 1], np.zeros(100, dtype=int), np.arange(100) / 2])
def test_row_numbers_that_are_none_are_refused(floor, rows):
    """Too few, twice the same, or not whole."""
    y = np.arange(100) % 3
    with pytest.raises(ValueError, match=r"as rows, but expected 100 different row numbers"):
        gap(floor, y, y, rows=rows)


@pytest.mark.slow(nightly=True)
@pytest.mark.usefixtures("real_race")
def test_the_best_classifier_is_seldom_called_too_good():
    """Of 60 sets; its error is the lowest there is, so the lower end of the range should not lie above it."""
    below = 0
    for seed in range(60):
        X, y, best = draw_two(seed, 250)
        floor = fit(X, y)
        found = gap(floor, y, best, answer=floor.answer("quick"), rows=np.arange(250))
        below += found.overall.word == "below the floor"

    assert below <= binom.ppf(0.99, 60, 0.05)


@pytest.mark.usefixtures("real_race")
def test_a_model_that_was_trained_on_the_rows_is_below_the_floor():
    """The nearest neighbour of a row that it was trained on is the row itself."""
    X, y, _ = draw_two(4, 600)
    floor = fit(X, y)
    found = gap(floor, y, KNeighborsClassifier(1).fit(X, y).predict(X), answer=floor.answer("quick"))

    assert found.overall.word == "below the floor"
    assert found.too_good.floor_p_value < 1e-6
    assert not found.too_good.proved
    assert "That end is not proved" in found.text


def test_a_floor_that_is_proved_leaves_one_explanation():
    """Equal rows with different labels: no model is right about all of them."""
    X = np.repeat(np.arange(20), 30)[:, None]
    y = np.random.default_rng(0).integers(0, 2, 600)
    found = gap(fit(X, y), y, y, rows=np.arange(600))

    assert found.overall.word == "below the floor"
    assert found.too_good.proved
    assert "prove that end, so your model has seen the rows" in found.text
