"""Two samples: copies listed exactly, shifts found, random splits left alone."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import hypergeom

from bayesfloor.decide import two_samples
from bayesfloor.formulas._limits import crowd_p_value

NONE = "no difference shown"


def halves(rng, n=600, d=5):
    X = rng.normal(size=(n, d))
    return X[: n // 2], X[n // 2 :].copy()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_copies_are_listed_exactly(rng, dtype):
    """Which row of B is which of A, rounded or not."""
    A, B = halves(rng)
    rows, at = rng.choice(300, 12, replace=False), np.sort(rng.choice(300, 12, replace=False))
    B[at] = A[rows].astype(dtype)
    found = two_samples(A, B)

    assert found.word in ("leaking", "both")
    assert found.copies.tolist() == np.column_stack([rows, at]).tolist()
    assert found.leak_p_value <= 0.002
    assert found.expected_copies < 12


def test_the_test_of_the_leak_is_exact_for_rows_that_are_there_twice(rng):
    """Six pairs, all across: the chance of it has a closed form."""
    A, B = halves(rng, 40, 3)
    B[:6] = A[:6]
    p = two_samples(A, B).leak_p_value
    pairs = 6  # the chance that every pair is split: of 12 rows with an equal 6 are of B, one of each pair
    exact = hypergeom.pmf(6, 40, 20, 12) * 2**pairs / 924

    assert p == pytest.approx(exact, abs=0.016)  # four standard deviations of 999 draws


@pytest.mark.parametrize(("feature", "factor", "offset"), [(0, 1.0, 1.0), (1, 3.0, 0.0)])
def test_shifts_are_found(rng, feature, factor, offset):
    A, B = halves(rng, 1000, 4)
    B[:, feature] = factor * B[:, feature] + offset
    found = two_samples(A, B)

    assert found.word == "shifted"
    assert found.cross_rate < found.expected
    assert found.p_value == pytest.approx(2 * found.shift_p_value)
    assert len(found.copies) == 0


def test_suspects_are_the_rows_that_are_new_and_copies_do_not_hide_them(rng):
    """A cluster that A lacks; then half of B are copies, and the rest lies elsewhere."""
    A, B = halves(rng, 800, 3)
    B[:60] += 6
    found = two_samples(A, B)

    assert found.word == "shifted"
    assert np.isin(np.arange(60), found.suspects).mean() > 0.8
    assert np.mean(found.suspects < 60) > 0.8

    A, B = halves(rng, 800, 3)
    B[:200] = A[:200]
    B[200:] += 1.5
    found = two_samples(A, B)

    assert found.word == "both"
    assert found.copies[:, 1].tolist() == list(range(200))
    assert (found.suspects >= 200).mean() > 0.9


@pytest.mark.slow
def test_copies_alone_are_no_shift(rng):
    words = []
    for _ in range(20):
        A, B = halves(rng, 300, 4)
        B[:50] = A[:50]
        words.append(two_samples(A, B).word)

    assert words.count("leaking") >= 15  # 20 tests at 2.5 %: five or more have a chance of 2e-4
    assert set(words) <= {"leaking", "both"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "grid", "few", "uneven"])
def test_random_splits_are_declared_no_more_often_than_the_level(rng, kind):
    """Of 60 tests at 20 % at most 24 are declared: more have a chance of 2e-4."""
    draws = {"normal": (200, 4), "grid": (200, 2), "few": (60, 4), "uneven": (240, 3)}
    declared, (n, d) = 0, draws[kind]
    for _ in range(60):
        X = rng.normal(size=(n, d)) if kind != "grid" else rng.integers(0, 12, (n, d)).astype(float)
        cut = n // 10 if kind == "uneven" else n // 2
        found = two_samples(X[cut:], X[:cut], level=0.2)
        declared += found.word != NONE
        assert found.word != NONE or len(found.suspects) == 0

    assert declared <= 24


def test_shares_of_few_kinds_of_rows_may_shift(rng):
    """All rows have equals in the other sample: no leak, and the shift is seen all the same."""
    A = rng.choice(6, 500, p=[0.3, 0.3, 0.1, 0.1, 0.1, 0.1])[:, None].astype(float)
    B = rng.choice(6, 500, p=[0.1, 0.1, 0.1, 0.1, 0.3, 0.3])[:, None].astype(float)
    found = two_samples(A, B)

    assert found.word == "shifted"
    assert len(found.copies) == 500


def test_the_scale_is_not_picked_by_what_is_tested(rng):
    """A feature in other units changes nothing under the default."""
    A, B = halves(rng)
    units = np.array([1, 1000, 1, 1e-3, 1])
    plain, other = two_samples(A, B), two_samples(A * units, B * units)

    assert plain.scale == "standard"
    assert plain.p_value == pytest.approx(other.p_value)
    assert two_samples(A, B, scale=None).scale == "none"


def frames(rng):
    """Two tables with a column of texts, the second with a text of its own."""
    tables = []
    for names in (["x", "y"], ["x", "y", "z"]):
        table = {"number": rng.normal(size=150), "whole": rng.integers(0, 9, 150), "text": rng.choice(names, 150)}
        tables.append(pd.DataFrame(table))
    return tables


def test_categories_are_read_together(rng):
    """A category that only one has is no error, and tells."""
    A, B = frames(rng)
    B["text"] = np.where(np.arange(150) < 100, "z", B["text"])
    found = two_samples(A, B[["text", "whole", "number"]].astype({"whole": "float32"}))

    assert found.word == "shifted"
    assert len(found.suspects) > 50
    assert (B["text"].to_numpy()[found.suspects] == "z").mean() > 0.8


def test_frames_of_polars_are_read_too(rng):
    """Any kind of data frame, and the same rows give the same answer."""
    A, B = frames(rng)

    assert two_samples(A, B).to_dict() == two_samples(pl.from_pandas(A), pl.from_pandas(B)).to_dict()


def test_the_result_tells_and_is_plain(rng):
    A, B = halves(rng, 200, 3)
    B[:30] = A[:30]
    B[100:] += 3
    found = two_samples(A, B)
    frame = found.frame()

    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()
    assert len(frame) == 100
    assert frame["copy_of"][:30].tolist() == list(range(30))
    assert np.flatnonzero(frame["suspect"]).tolist() == found.suspects.tolist()
    assert f"B contains {len(found.copies)} duplicates of rows in A" in found.text
    assert "TwoSamples(" in repr(found)
    assert (found.n_a, found.n_b) == (100, 100)


def test_all_rows_equal_show_nothing_and_crowds_are_hypergeometric():
    """No edge has a length; of 10 rows, 4 of the class, both neighbours of one of them are of it by 3/9 2/8."""
    found = two_samples(np.ones((20, 2)), np.ones((10, 2)))

    assert found.word == NONE
    assert len(found.copies) == 10

    assert crowd_p_value(2, 2, 10, 4) == pytest.approx(3 / 9 * 2 / 8)
    assert crowd_p_value(0, 2, 10, 4) == pytest.approx(1.0)


def test_wrong_input_is_refused(rng):
    A, B = halves(rng, 40)
    one, two = frames(rng)
    for error, words, given, options in [
        (ValueError, r"Got A with 5 columns and B with 3, but expected the same number", (A, B[:, :3]), {}),
        (TypeError, r"expected two arrays or two data frames", (one, B), {}),
        (TypeError, r"from the same library", (one, pl.from_pandas(two)), {}),
        (ValueError, r"Got 'text' in one data frame only", (one, two.drop(columns="text")), {}),
        (ValueError, r"Got 1 and 150 rows, but expected at least 2", (one[:1], two), {}),
        (ValueError, r"minimum of 2 is required", (A[:1], B), {}),
        (ValueError, r"Got level=5", (A, B), {"level": 5}),
        (ValueError, r"such as 0\.05", (A, B), {"level": 0.95}),  # a confidence is not taken for a level
        (ValueError, r"Got scale='big'", (A, B), {"scale": "big"}),
    ]:
        with pytest.raises(error, match=words):
            two_samples(*given, **options)
