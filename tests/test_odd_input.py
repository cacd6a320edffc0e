"""What people pass by mistake gives the right answer or an error that names the argument, through every door."""

from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from bayesfloor import BayesFloor, FloorSelector, SmartSVM, check, spanning_forest
from bayesfloor.decide import suspicious_labels, two_samples
from bayesfloor.forest import class_forests
from bayesfloor.io import InputError

pytestmark = [
    pytest.mark.usefixtures("linear_alone"),
    pytest.mark.filterwarnings("ignore:Liblinear failed to converge"),
]

# Every door that takes rows and labels: name -> the classes that it sees.
DOORS = {
    "BayesFloor": lambda X, y: BayesFloor(interval="fast").fit(X, y).classes_,
    "SmartSVM": lambda X, y: SmartSVM().fit(X, y).classes_,
    "FloorSelector": lambda X, y: FloorSelector(n_features=1).fit(X, y) and None,
    "suspicious_labels": lambda X, y: np.unique(suspicious_labels(X, y).suggested_label),
}
# Those whose data may have gaps; the others want a label for every row.
TAKE_GAPS = {"BayesFloor", "FloorSelector", "suspicious_labels"}


@pytest.fixture(params=DOORS)
def door(request):
    return request.param


@pytest.fixture(scope="module")
def rows(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.repeat([0, 1], 30)
    return rng.normal(size=(60, 2)) + y[:, None], y


DATES = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")
GAPS = {
    "days": lambda y: np.where(np.arange(60) < 5, np.datetime64("NaT"), DATES[y]),
    "nanoseconds": lambda y: np.where(np.arange(60) < 5, np.datetime64("NaT"), DATES[y]).astype("datetime64[ns]"),
    "durations": lambda y: np.where(np.arange(60) < 5, np.timedelta64("NaT"), y.astype("timedelta64[s]")),
    "mask": lambda y: np.ma.array(np.where(np.arange(60) < 5, 7, y), mask=np.arange(60) < 5),
    "mask of texts": lambda y: np.ma.array(np.where(np.arange(60) < 5, "x", y.astype(str)), mask=np.arange(60) < 5),
    "Decimal": lambda y: [Decimal("NaN") if i < 5 else Decimal(int(c)) for i, c in enumerate(y)],
    "signalling Decimal": lambda y: [Decimal("sNaN") if i < 5 else Decimal(int(c)) for i, c in enumerate(y)],
}


@pytest.mark.parametrize("gaps", GAPS)
def test_missing_labels_are_never_a_class(door, gaps, rows):
    """NaT was a class of its own, and so was whatever a mask hid."""
    X, y = rows
    if door in TAKE_GAPS:
        classes = DOORS[door](X, GAPS[gaps](y))

        assert classes is None or len(classes) == 2
    else:
        with pytest.raises(InputError, match="5 missing labels, the first in row 1"):
            DOORS[door](X, GAPS[gaps](y))


def test_masked_numbers_are_missing(rows):
    """They were read as whatever stands behind the mask."""
    X, y = rows
    hidden = np.ma.array(np.where(np.arange(60)[:, None] < 3, 1e9, X), mask=np.tile(np.arange(60)[:, None] < 3, 2))
    gaps = np.where(np.arange(60)[:, None] < 3, np.nan, X)

    assert BayesFloor().fit(hidden, y).overall_.estimate == BayesFloor().fit(gaps, y).overall_.estimate
    for masked in (hidden, list(hidden)):
        with pytest.raises(InputError, match=r"NaN or infinity in column\(s\) \[0, 1\] of X"):
            spanning_forest(masked)
    with pytest.raises(InputError, match="missing values in groups"):
        spanning_forest(X, groups=np.ma.array(y, mask=y == 0))
    with pytest.raises(InputError, match="sample_weight"):
        BayesFloor().fit(X, y, sample_weight=np.ma.array(np.ones(60), mask=y == 0))


def test_complex_numbers_are_refused(door, rows):
    """Forests took their real parts."""
    X, y = rows
    with pytest.raises(InputError, match="X cannot be used: Complex data not supported"):
        DOORS[door](X + 1j, y)
    with pytest.raises(InputError, match="y cannot be used: Complex data not supported"):
        DOORS[door](X, y + 1j)
    for grow in (spanning_forest, lambda X: class_forests(X, y)):
        with pytest.raises(InputError, match="complex numbers as X"):
            grow(X + 1j)


def test_several_labels_per_row_are_no_votes(door, rows):
    """A matrix of 0 and 1 is what multi-label tools call y."""
    X, y = rows
    with pytest.raises(InputError, match=r"several labels per row|shape \(60, 3\)|one label per row"):
        DOORS[door](X, np.column_stack([y == 0, y == 1, np.arange(60) % 2]).astype(int))


QUANTITIES = {
    "numbers": lambda n: np.linspace(0, 1, n),
    "texts": lambda n: np.linspace(0, 1, n).astype(str),
    "decimals": lambda n: [Decimal(i) / 7 for i in range(n)],
    "whole numbers": np.arange,
    "dates": lambda n: np.datetime64("2020-01-01") + np.arange(n),
}


@pytest.mark.parametrize("kind", QUANTITIES)
def test_quantities_are_no_classes(door, kind, global_random_seed):
    """Hundreds of classes of one row each gave a floor of 99.8 %."""
    X = np.random.default_rng(global_random_seed).normal(size=(120, 2))
    with pytest.raises(InputError, match=r"Got 120 different (numbers as labels for|labels in) 120 rows"):
        DOORS[door](X, QUANTITIES[kind](120))


STRANGE = {"objects": [object(), object()], "dates": [date(2020, 1, 1), date(2021, 1, 1)], "sets": [{1}, {2}]}


@pytest.mark.parametrize("kind", STRANGE)
def test_objects_are_no_labels(door, kind, rows):
    """Sorting them failed deep inside."""
    with pytest.raises(InputError, match=r"Got labels of type .* in y, but expected text"):
        DOORS[door](rows[0], STRANGE[kind] * 30)


def test_texts_of_any_length_are_labels(door, rows):
    """NumPy's own type of them was an error of scikit-learn's."""
    X, y = rows
    classes = DOORS[door](X, np.array(["cat", "dog"], dtype=np.dtypes.StringDType())[y])

    assert classes is None or classes.tolist() == ["cat", "dog"]


@pytest.mark.parametrize("as_array", [list, lambda groups: np.array(groups, dtype=object)])
def test_groups_that_differ_in_kind_are_two(as_array):
    """1 and '1' were one group from a list, and an error from an array."""
    mixed, plain = as_array([1, "1", 2.5, "a"]), [0, 1, 2, 3]

    assert spanning_forest([[0.0], [1.0], [3.0], [5.0]], 2, mixed).tree_sizes.tolist() == [3, 3]
    assert spanning_forest([[0.0], [1.0], [3.0], [5.0]], 2, plain).tree_sizes.tolist() == [3, 3]


def test_group_numbers_do_not_depend_on_the_order_of_rows(rows, global_random_seed):
    X, y = rows
    groups = np.array([i // 4 if i % 8 < 4 else f"{i // 4}" for i in range(60)], dtype=object)
    order = np.random.default_rng(global_random_seed).permutation(60)
    one = BayesFloor().fit(X, y, groups=groups)
    two = BayesFloor().fit(X[order], y[order], groups=groups[order])

    assert one.overall_.to_dict() == two.overall_.to_dict()


@pytest.mark.parametrize("groups", [[{}] * 60, [[1], [2, 3]] * 30, [{1}] * 60])
def test_groups_that_cannot_be_told_apart_are_refused(groups, rows):
    """By name, and not by a failed comparison."""
    for fit in (BayesFloor().fit, lambda X, _, groups: spanning_forest(X, 1, groups)):
        with pytest.raises(InputError, match=r"[Gg]roups"):
            fit(*rows, groups=groups)


SEEDED = {
    "BayesFloor": lambda X, y, seed: BayesFloor(random_state=seed).fit(X, y),
    "SmartSVM": lambda X, y, seed: SmartSVM(random_state=seed).fit(X, y),
    "FloorSelector": lambda X, y, seed: FloorSelector(random_state=seed).fit(X, y),
    "check": lambda X, y, seed: check(X, y, random_state=seed),
    "suspicious_labels": lambda X, y, seed: suspicious_labels(X, y, random_state=seed),
    "two_samples": lambda X, y, seed: two_samples(X[y == 0], X[y == 1], random_state=seed),
}


@pytest.mark.parametrize("seed", [1.5, "a", -1, 2**40])
@pytest.mark.parametrize("name", SEEDED)
def test_what_is_no_seed_is_refused_by_name(name, seed, rows):
    """NumPy's message spoke of a SeedSequence."""
    with pytest.raises(InputError, match="random_state"):
        SEEDED[name](*rows, seed)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_negative_weights_are_refused(n_classes, rows):
    """With two classes they went straight into the models."""
    X, _ = rows
    with pytest.raises(InputError, match="sample_weight"):
        SmartSVM().fit(X, np.arange(60) % n_classes, sample_weight=-np.ones(60))


@pytest.mark.parametrize("scale", [None, "standard", "robust", "unit", "auto"])
def test_values_whose_squares_are_infinite_are_refused(scale, rows):
    """Standard deviations of them are infinite: the floor came out as 50 %."""
    X, y = rows
    with pytest.raises(InputError, match=r"Got .*e\+160 in X, but expected numbers of at most 1e\+151"):
        BayesFloor(scale=scale).fit(X * 1e160, y)


def test_probabilities_next_to_nothing_are_fine(rows):
    """Naive Bayes gives 1e-200 and 1e-250: rows that differ in nothing else are the same row."""
    X, y = rows
    tiny = np.column_stack([np.round(X[:, 0]), 10.0 ** np.linspace(-300, -200, 60)])
    flat = np.column_stack([np.round(X[:, 0]), np.zeros(60)])
    found, expected = (BayesFloor(scale=None, n_trees=1).fit(each, y).overall_.estimate for each in (tiny, flat))

    assert found == pytest.approx(expected, rel=1e-12)
