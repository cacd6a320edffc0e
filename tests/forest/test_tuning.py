"""Numbers that were tuned for speed: whatever they are, no edge changes.

Most of them matter for large sets only; set low, they let small sets take the same paths.
"""

import numpy as np
import pytest

from bayesfloor import spanning_forest
from bayesfloor.forest import _blocks, _class_forests, _pair_joins, class_forests
from bayesfloor.forest import _first_fit as _certify
from bayesfloor.forest import _neighbours as _neighbour_finders

TUNED = [
    (_blocks, "_LEAF_OF_FEW", 2),
    (_blocks, "_LEAF_OF_MANY", 3),
    (_blocks, "_FEW", 0),
    (_blocks, "_SHORTER_FROM", 0),
    (_certify, "_MANY", 1),
    (_certify, "_MARKED_FROM", 0),
    (_certify, "_SCANNED_AT_ONCE", 7),
    (_certify, "_STRANGERS", 1),
    (_class_forests, "_REDUCED_AT_ONCE", 20),
    (_neighbour_finders, "_ASKED_AT_ONCE", 5),
    (_neighbour_finders, "_BATCHED", 0),
    (_neighbour_finders, "_BATCHED", 99),
    (_neighbour_finders, "_CHUNK", 11),
    (_neighbour_finders, "_PRODUCT", (8, 32)),
    (_pair_joins, "_ENOUGH_TASKS", 1),
    (_pair_joins, "_PRODUCTS_AT_ONCE", 1),
    (_pair_joins, "_ROOM", 0),
]


@pytest.fixture(params=TUNED, ids=[f"{name} {value}" for _, name, value in TUNED])
def tuned(request, monkeypatch):
    """One number after the other, set to something extreme."""
    monkeypatch.setattr(*request.param)


@pytest.mark.slow
@pytest.mark.usefixtures("tuned")
def test_forests_stay_exact(cases, compiled_method, answer_of):
    """The next machine may want another value."""
    wrong = [
        case
        for case, expected in cases[5::25]
        if answer_of(spanning_forest(case.X, case.n_trees, case.groups, compiled_method)) != expected
    ]

    assert wrong == []


@pytest.mark.slow
@pytest.mark.usefixtures("tuned")
@pytest.mark.parametrize("products", [-1, _pair_joins.PRODUCTS])
def test_classes_still_compose(cases, products, answer_of, global_random_seed, monkeypatch):
    """Joins and reductions take the same paths as forests, and some of their own."""
    monkeypatch.setattr(_class_forests, "is_plain", lambda _: False)
    monkeypatch.setattr(_pair_joins, "PRODUCTS", products)
    rng, wrong = np.random.default_rng(global_random_seed), []
    for case, expected in cases[7::50]:
        codes = np.unique(rng.integers(0, 4, len(case.X)), return_inverse=True)[1]
        forest = class_forests(case.X, codes, case.n_trees, case.groups).all()
        wrong += [] if answer_of(forest) == expected else [case]

    assert wrong == []
