"""Rows to look at: the oddest first, each with a neighbour that says so."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bayesfloor import BayesFloor, check
from bayesfloor.decide import _suspicious as _suspicious_list
from bayesfloor.decide._suspicious import KEPT, list_suspicious, take_scores


@pytest.fixture(scope="module")
def flipped(gaussians):
    """Two classes far apart with ten wrong labels: X, y, rows with wrong labels."""
    X, y = gaussians(0, [100, 100], shift=12.0)
    wrong = np.arange(5, 200, 20)
    y[wrong] = 1 - y[wrong]
    return X, y, wrong


@pytest.fixture(scope="module")
def listed(flipped):
    return check(*flipped[:2], scale=None).suspicious


def test_wrong_labels_are_found_beside_a_near_neighbour_with_another_label(flipped, listed):
    """Numbers are those of the input, from 0; the neighbour is the proof to look at."""
    _, y, wrong = flipped

    assert len(set(wrong.tolist()) & set(listed.scores.row.tolist())) >= 8
    assert np.array_equal(listed.scores.label, y[listed.scores.row])

    assert (listed.nearest >= 0).all()
    assert np.array_equal(listed.nearest_label, flipped[1][listed.nearest])
    assert (listed.nearest_label != listed.scores.label).all()

    X, y, wrong = flipped
    for row, near in zip(listed.scores.row, listed.nearest, strict=True):
        if row in wrong:
            away = np.linalg.norm(X - X[row], axis=1)[y != y[row]]

            assert np.linalg.norm(X[near] - X[row]) <= np.sort(away)[5]


def test_the_first_row_of_a_sample_is_a_neighbour_like_any_other(flipped):
    """Its place, 0, is not taken for none: row and label beside a suspect are those of the neighbour."""
    X, y, wrong = flipped
    floor = BayesFloor(interval="fast").fit(X, y)
    first = floor.fitted_.sample.row[0]
    odd = wrong[y[wrong] != y[first]][0]
    X = X.copy()
    X[odd] = X[first] + 1e-6
    rows = list_suspicious(floor.fit(X, y))
    place = rows.scores.row.tolist().index(odd)

    assert floor.fitted_.sample.row[0] == first
    assert rows.nearest[place] == first
    assert rows.nearest_label[place] == y[first]


@pytest.mark.slow
def test_rows_are_those_of_samples(fresh):
    if len(fresh.samples.row) == len(fresh.suspicious):
        pytest.skip("read from a list of suspects alone")
    rows = fresh.suspicious.scores

    assert rows.suspect.all()
    if len(np.unique(fresh.samples.row)) == len(fresh.samples.row):
        place = {row: k for k, row in enumerate(fresh.samples.row.tolist())}
        for name in ("label", "score", "p_value", "suggested_label", "degree", "cross"):
            of_all = getattr(fresh.samples, name)[[place[row] for row in rows.row.tolist()]]

            assert np.array_equal(getattr(rows, name), of_all)


def test_the_oddest_come_first(each):
    """A list to work through from the top."""
    rows = each.suspicious.scores
    keys = list(zip(rows.p_value.tolist(), (-rows.score).tolist(), rows.row.tolist(), strict=True))

    assert keys == sorted(keys)


def test_there_are_at_most_200(flipped, monkeypatch):
    """Files stay small, and nobody looks at more; the count is that of all."""
    floor = BayesFloor(interval="fast").fit(*flipped[:2])
    every = list_suspicious(floor)
    monkeypatch.setattr(_suspicious_list, "KEPT", 5)
    rows = list_suspicious(floor)

    assert KEPT == 200
    assert rows.scores.row.tolist() == every.scores.row[:5].tolist()
    assert rows.n_suspect == every.n_suspect == np.count_nonzero(floor.samples_.suspect) > 5
    assert repr(rows) == f"SuspiciousLabels(5 of {rows.n_suspect} suspicious labels, 0 rows with conflicting labels)"


def rows_of(made, *, none):
    kinds = ("constant", "noise", "two rows a class")
    found = [made(kind).suspicious for kind in kinds if (made(kind).suspicious.n_suspect == 0) is none]
    assert found
    return found[0]


def test_rows_of_a_sample_are_numbered_as_in_the_input(gaussians):
    X, y = gaussians(0, [300, 300], shift=12.0)
    y[::15] = 1 - y[::15]
    found = check(X, y, rows=300, learners={})

    assert len(found.suspicious) > 0
    assert found.suspicious.scores.row.max() >= 300
    assert np.array_equal(found.suspicious.scores.label, y[found.suspicious.scores.row])
    assert np.array_equal(found.suspicious.nearest_label, y[found.suspicious.nearest])


def test_equal_rows_with_another_label_are_the_nearest(gaussians):
    """Nothing is nearer than an equal."""
    X, y = gaussians(0, [60, 60], shift=12.0)
    found = check(np.vstack([X, X[:4]]), np.r_[y, 1 - y[:4]], learners={})
    listed = found.suspicious.scores
    for row, near in zip(listed.row.tolist(), found.suspicious.nearest.tolist(), strict=True):
        if row >= 120:
            assert near == row - 120

    assert found.suspicious.n_conflict == 8
    assert listed.conflict.any()


def test_rows_without_a_neighbour_and_lists_without_rows_have_the_usual_table(made):
    """The label beside such a row is its own."""
    rows = made("groups").suspicious
    alone = rows.nearest < 0

    assert np.array_equal(rows.nearest_label[alone], rows.scores.label[alone])

    frame = made("suspects").suspicious.frame()

    assert list(frame.columns[:2]) == ["row", "label"]
    assert list(frame.columns[-2:]) == ["nearest", "nearest_label"]

    rows = rows_of(made, none=True)

    assert len(rows) == 0
    assert rows.frame().empty
    assert "nearest_label" in rows.frame().columns


def test_scores_of_some_rows_are_taken_as_they_are():
    scores = check(*load_iris(return_X_y=True), learners={}).samples
    taken = take_scores(scores, np.array([7, 3]))

    assert taken.row.tolist() == [scores.row[7], scores.row[3]]
    assert taken.frame().equals(scores.frame().iloc[[7, 3]].reset_index(drop=True))


def test_a_row_with_several_votes_is_listed_once(gaussians):
    """A reader looks at rows, not at votes."""
    X, y = gaussians(0, [100, 100], shift=12.0)
    votes = np.eye(2, dtype=int)[y] * 3
    votes[::20] = votes[::20, ::-1]
    rows = check(X, votes, learners={}).suspicious

    assert len(np.unique(rows.scores.row)) == len(rows)
