"""``BayesFloor`` as an estimator: parameters, refits, copies, growing samples and other labels."""

import ast
import copy
import inspect
import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError

import bayesfloor
from bayesfloor import BayesFloor
from bayesfloor.floor import _fit
from bayesfloor.floor._sample import SampledRowsWarning

RESULTS = ["overall_", "pairwise_", "one_vs_rest_", "samples_"]


def test_documented_defaults_are_those_of_the_signature():
    """A default that changes in one place only misleads for years."""
    documented = dict(re.findall(r"^    (\w+) : .*default=(\S+)$", inspect.getdoc(BayesFloor), re.MULTILINE))
    documented |= dict(re.findall(r"^(\w+) : .*default=(\S+)$", inspect.getdoc(BayesFloor), re.MULTILINE))
    given = {name: ast.literal_eval(text) for name, text in documented.items()}

    assert given == BayesFloor().get_params()


def test_clones_and_parameters_go_round(fitted):
    """Searches set parameters and clone."""
    floor = BayesFloor(n_trees=2).set_params(scale="unit", priors={0: 1, 1: 2})

    assert clone(floor).get_params() == floor.get_params()
    assert not hasattr(clone(fitted), "overall_")
    assert repr(floor) == "BayesFloor(n_trees=2, priors={0: 1, 1: 2}, scale='unit')"


@pytest.mark.slow
@pytest.mark.parametrize("make", [lambda floor: pickle.loads(pickle.dumps(floor)), copy.deepcopy])  # noqa: S301
def test_copies_have_all_results(fitted, make):
    """Fitted floors are stored and sent to other processes."""
    other = make(fitted)

    for name in RESULTS:
        assert getattr(other, name).to_dict() == getattr(fitted, name).to_dict(), name
    assert other.overall_.interval() == fitted.overall_.interval()
    assert other.answer().verdict(0.1) == "reachable"


@pytest.mark.slow
def test_a_second_fit_starts_from_nothing(rng, gaussians):
    """Nothing of the first may be left, the answer least of all."""
    X, y = gaussians(rng, [60, 60, 60])
    Z, labels = load_iris(return_X_y=True)
    floor = BayesFloor().fit(Z, labels)
    floor.answer()
    floor.fit(X, y)
    fresh = BayesFloor().fit(X, y)

    for name in RESULTS:
        assert getattr(floor, name).to_dict() == getattr(fresh, name).to_dict(), name
    assert floor.answer().to_dict() == fresh.answer().to_dict()
    assert floor.answer().n_rows == 180


def test_more_threads_give_the_same_answer(rng, gaussians):
    """Tasks end in any order; the answer must not."""
    X, y = gaussians(rng, [80, 80, 80])
    one, two = BayesFloor().fit(X, y), BayesFloor(n_jobs=2).fit(X, y)

    for name in RESULTS:
        assert getattr(one, name).to_dict() == getattr(two, name).to_dict(), name


def test_before_fit_every_result_says_so(rng):
    """Not an error from deep inside."""
    floor = BayesFloor()

    with pytest.raises(NotFittedError, match="not fitted yet"):
        floor.answer()
    with pytest.raises(NotFittedError, match="not fitted yet"):
        floor.relabel(rng.integers(0, 2, 10))
    with pytest.raises(AttributeError, match="not fitted yet"):
        _ = floor.pairwise_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_trees": 0}, r"Got n_trees=0, but expected an integer from 1 to 100"),
        ({"n_trees": "3"}, r"Got n_trees='3'"),
        ({"scale": "minmax"}, r"Got scale='minmax', but expected 'auto', 'standard', 'robust', 'unit' or None"),
        ({"interval": "bootstrap"}, r"Got interval='bootstrap', but expected one of 'auto', 'subsample', 'fast'"),
        ({"max_rows": 1}, r"Got max_rows=1, but expected None or a whole number of at least 2"),
        ({"target_width": 0}, r"Got target_width=0, but expected None or a positive number"),
    ],
)
def test_parameters_out_of_range_are_refused_at_fit(parameters, message):
    with pytest.raises(ValueError, match=message):
        BayesFloor(**parameters).fit(*load_iris(return_X_y=True))


def test_stages_are_logged_if_asked_for_and_trees_that_cannot_span_always(rng, gaussians, caplog):
    """A long fit should say that it lives; a handful of points has no third tree."""
    X, y = gaussians(rng, [60, 60])
    BayesFloor().fit(X, y)
    silent = len(caplog.records)
    BayesFloor(verbose=1).fit(X, y)

    assert silent == 0
    assert "subsamples" in caplog.text

    BayesFloor().fit(np.arange(8.0)[:4, None], [0, 0, 1, 1])

    assert "Only the edges found are counted" in caplog.text


@pytest.fixture
def small_is_large(monkeypatch):
    """Growing samples are tried from 400 rows on."""
    monkeypatch.setattr(_fit, "LARGE", 400)
    monkeypatch.setattr(_fit, "_FIRST_SAMPLE", 100)


@pytest.mark.usefixtures("small_is_large")
def test_growing_samples_stop_where_the_interval_is_narrow(rng, gaussians):
    """A million rows are seldom needed; the result says how many were used."""
    X, y = gaussians(rng, [900, 600])
    order = rng.permutation(1500)
    with pytest.warns(SampledRowsWarning, match=r"rows are used: the 95 % interval is 0\.\d+ wide, narrow enough"):
        floor = BayesFloor(target_width=0.15).fit(X[order], y[order])
    n = [step["n_rows"] for step in floor.curve_]
    width = [2 * 1.96 * step["std_error"] for step in floor.curve_]

    assert n[-1] == len(floor.rows_) == floor.overall_.n_rows < 1500
    assert width[-1] <= 0.15
    assert all(w > 0.15 for w in width[:-1])
    assert n == [100 * 2**i for i in range(len(n))]
    assert np.bincount(y[order][floor.rows_])[0] == pytest.approx(0.6 * n[-1], abs=1)
    assert np.array_equal(floor.samples_.row, floor.rows_)
    assert np.array_equal(floor.samples_.label, y[order][floor.rows_])


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize("width", [None, 1e-9])
def test_all_rows_are_used_where_no_sample_will_do(rng, gaussians, width):
    """The user asked for the answer, or for a width that no sample has."""
    X, y = gaussians(rng, [250, 250])
    floor = BayesFloor(target_width=width, interval="fast").fit(X, y)

    assert len(floor.rows_) == 500
    assert [step["n_rows"] for step in floor.curve_] == ([] if width is None else [100, 200, 400])


@pytest.fixture(scope="module")
def digits():
    """A floor of 600 digits, with its points and labels."""
    X, y = load_digits(return_X_y=True)
    return BayesFloor(scale=None, interval="fast").fit(X[:600], y[:600]), X[:600], y[:600]


def test_other_labels_give_the_counts_of_a_fresh_fit(rng, digits):
    """What-if questions about labels should not cost a fit."""
    floor, X, y = digits
    other = np.where(rng.random(len(y)) < 0.2, rng.integers(0, 10, len(y)), y)
    again, fresh = floor.relabel(other), BayesFloor(scale=None, interval="fast").fit(X, other)

    for name in ("lower", "estimate", "upper", "cross_rate", "conflict", "p_value", "constant_error", "resolution"):
        assert getattr(again.overall_, name) == getattr(fresh.overall_, name), name
    assert again.overall_.upper_limit() == fresh.overall_.upper_limit()
    assert np.array_equal(again.one_vs_rest_.class_rate, fresh.one_vs_rest_.class_rate)
    assert np.array_equal(again.one_vs_rest_.lower, fresh.one_vs_rest_.lower)
    assert np.array_equal(again.soft_confusion_, fresh.soft_confusion_)
    assert again.samples_.to_dict() == fresh.samples_.to_dict()


def test_other_labels_leave_the_first_floor_alone_and_its_pairs_to_another_fit(rng, digits):
    """It gives a copy; pairs under labels that split classes have other trees."""
    floor, _, y = digits
    before = floor.overall_.to_dict(), floor.pairwise_.to_dict()
    other = floor.relabel(rng.permutation(y))

    assert (floor.overall_.to_dict(), floor.pairwise_.to_dict()) == before
    assert other.overall_.cross_rate > floor.overall_.cross_rate

    with pytest.raises(AttributeError, match=r"only merge whole classes.*Fit again with these labels"):
        _ = other.pairwise_


def test_other_labels_must_be_as_many_as_rows(digits):
    """Labels of another set would otherwise be taken in silence."""
    floor, _, y = digits

    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        floor.relabel(y[:-1])


def test_relabelling_some_rows_goes_by_their_place_in_the_input(rng, gaussians):
    """Labels are given for all rows, used for those drawn."""
    X, y = gaussians(rng, [100, 100])
    with pytest.warns(SampledRowsWarning):
        floor = BayesFloor(max_rows=60, scale=None).fit(X, y)
    other = rng.integers(0, 2, 200)
    fresh = BayesFloor(scale=None).fit(X[floor.rows_], other[floor.rows_])

    assert floor.relabel(other).overall_.cross_rate == fresh.overall_.cross_rate
    assert np.array_equal(floor.relabel(other).samples_.label, other[floor.rows_])


def test_relabelling_grows_no_trees_and_draws_no_subsamples(rng, digits, monkeypatch):
    """It is meant for loops: all that makes a fit expensive is kept from the fit."""
    floor, _, y = digits
    for name in ("class_forests", "find_vertices", "grow_labelled", "measure_spread", "tie_spread"):
        monkeypatch.setattr(_fit, name, None)

    assert floor.relabel(rng.permutation(y)).overall_.cross_rate > floor.overall_.cross_rate


def test_labels_changed_twice_are_those_changed_once(rng):
    """Merging merged classes compares with the classes that were fitted."""
    y = np.repeat(np.arange(8), 30)
    X = rng.normal(size=(240, 2)) + y[:, None]
    floor = BayesFloor(interval="fast").fit(X, y)
    once, twice = floor.relabel(y // 4), floor.relabel(y // 2).relabel(y // 4)

    assert np.array_equal(once.pairwise_.cross, twice.pairwise_.cross)
    assert once.pairwise_.cross[0, 1] > 0


def test_few_rows_keep_every_class_of_mixed_groups_and_shares_out_of_reach_are_refused(rng):
    """A rare class that no group is mostly of; one group drawn of a hundred would be a floor of nothing."""
    X, y = rng.normal(size=(500, 2)), np.tile([0] * 9 + [1], 50)

    with pytest.raises(ValueError, match="priors cannot be reached by subsampling"):
        BayesFloor(priors="balanced").fit(X, y, groups=np.arange(500) // 10)

    y = rng.integers(0, 2, 600)
    y[[5, 300]] = 2
    with pytest.warns(SampledRowsWarning):
        floor = BayesFloor(max_rows=100).fit(rng.normal(size=(600, 2)), y, groups=np.arange(600) // 5)

    assert floor.one_vs_rest_.sizes.min() >= 1


@pytest.mark.slow
def test_an_answer_leaves_the_threads_of_others_alone(rng):
    """A library that leaves BLAS on one thread slows down all that follows."""
    from threadpoolctl import threadpool_info

    def threads():
        return [info["num_threads"] for info in threadpool_info()]

    X, y = rng.normal(size=(200, 2)), np.arange(200) % 2
    floor = BayesFloor(n_jobs=2).fit(X, y)
    floor.answer()
    before = threads()
    floor.answer("quick")

    assert threads()[: len(before)] == before


def test_votes_count_once_and_equal_rows_of_other_groups_are_in_conflict(rng):
    """Twenty votes on a row are no twenty rows; whoever took equal rows, no classifier tells them apart."""
    X, votes = rng.normal(size=(60, 2)), rng.multinomial(20, [0.5, 0.5], 60)
    floor = BayesFloor().fit(X, votes)

    assert floor.overall_.interval_method == "subsample"
    assert floor.overall_.tree_limit(0.95) > floor.overall_.cross_rate + 0.05

    X = np.repeat(rng.normal(size=(40, 2)), 2, axis=0)
    floor = BayesFloor().fit(X, np.tile([0, 1], 40), groups=np.arange(80))

    assert floor.overall_.conflict == pytest.approx(0.5)
    assert floor.samples_.conflict.all()


def test_a_check_is_told_from_a_floor_in_a_line():
    """Both are at hand, and the message used to hold all that a check shows."""
    X, y = load_iris(return_X_y=True)
    found = bayesfloor.check(X, y)

    for name, given in {"gap": (y, y), "merge_advice": ()}.items():
        with pytest.raises(
            TypeError, match=r"^Got a Check, but expected a fitted BayesFloor: BayesFloor\(\).fit\(X, y\).$"
        ):
            getattr(bayesfloor.decide, name)(found, *given)


def test_the_order_of_columns_moves_the_estimate_only_within_its_range():
    """What the docstring says of the answer."""
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(1).permutation(X.shape[1])
    one, two = (BayesFloor(interval="fast").fit(part, y).answer("quick") for part in (X, X[:, order]))

    assert one.lower <= two.estimate <= one.upper
    assert two.lower <= one.estimate <= two.upper
