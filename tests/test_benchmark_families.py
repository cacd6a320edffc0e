"""The problems on which a forecast of the Bayes error is judged: their laws are what they say."""

import numpy as np
import pytest

ROWS = 6000
# None of PROBLEMS, which stay unseen until the judgement.
SEEDS = [pytest.param(8001, marks=pytest.mark.slow), pytest.param(8002, marks=pytest.mark.slow(nightly=True))]


@pytest.fixture
def families(benchmark_module, monkeypatch):
    """The families of problems, with fewer rows behind each Bayes error."""
    module = benchmark_module("_judge_families")
    monkeypatch.setattr(module, "TRUTH_ROWS", 2 * module.BATCH)
    return module


@pytest.mark.parametrize("seed", SEEDS)
def test_the_exact_posterior_is_wrong_as_often_as_the_bayes_error_says(families, seed):
    """In half of the families labels are not drawn from the posterior, so a wrong likelihood shows here."""
    for family in families.FAMILIES:
        problem = families.draw(family, seed, 100)
        X, y, posterior = families.law(family, seed)(ROWS, np.random.default_rng(seed))
        wrong = posterior.argmax(axis=1) != y
        surplus = np.eye(posterior.shape[1])[y] - posterior

        assert np.isfinite(X).all(), family
        assert posterior.min() >= 0, family
        np.testing.assert_allclose(posterior.sum(axis=1), 1)
        tolerance = 4 * np.hypot(wrong.std() / np.sqrt(ROWS), problem.std_error)
        assert wrong.mean() == pytest.approx(problem.bayes_error, abs=tolerance), family
        # Every class is also as frequent as expected; the 1 is for classes that are hardly ever in doubt.
        assert (abs(surplus.sum(axis=0)) <= 1 + 4.5 * np.sqrt((posterior * (1 - posterior)).sum(axis=0))).all(), family


def test_the_law_depends_on_the_seed_and_the_rows_also_on_their_number(families):
    """Problems of one law can be compared over the number of rows."""
    few, again, more = (families.draw("trees", 8001, n) for n in (50, 50, 60))

    assert (few.X.shape[0], few.X.dtype, few.y.dtype) == (50, float, int)
    np.testing.assert_array_equal(few.X, again.X)
    np.testing.assert_array_equal(few.y, again.y)
    assert few.bayes_error == more.bayes_error
    assert not np.array_equal(few.X, more.X[:50])


@pytest.mark.parametrize(("judgement", "first"), [("PROBLEMS", 9000), ("AGAIN", 11_000)])
def test_problems_are_320_with_every_family_alike(families, judgement, first):
    """The list is part of the judgement."""
    names, seeds, sizes, efforts = zip(*getattr(families, judgement), strict=True)

    assert {name: names.count(name) for name in names} == dict.fromkeys(families.FAMILIES, 20)
    assert (len(set(seeds)), min(seeds) >= first, max(seeds) <= first + 999) == (320, True, True)
    assert (min(sizes) >= 100, max(sizes) <= 8000) == (True, True)
    assert efforts.count("normal") == pytest.approx(320 / 3, abs=3)
    assert all(n <= 2000 for n, effort in zip(sizes, efforts, strict=True) if effort == "normal")
