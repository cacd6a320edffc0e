"""Edges of single rows: they add up to those of classes, and one draw of them is a tree."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from bayesfloor import spanning_forest
from bayesfloor.floor import _edge_counts as _row_edges
from bayesfloor.floor._edge_counts import (
    class_edges,
    most_voted,
    nearest_other,
    row_edges,
    sample_edges,
    vertex_posterior,
)


def test_edges_of_rows_add_up_to_those_of_classes(labelled):
    """Every edge has two ends, each counted by the class at the other."""
    edges, whole = sample_edges(labelled.forest, labelled.labels), class_edges(labelled.forest, labelled.labels)
    votes = edges.votes.toarray()
    by_class = np.array([votes[labelled.codes == k].sum(axis=0) for k in range(3)])

    assert edges.degree.sum() == pytest.approx(2 * whole.n_edges)
    assert edges.cross.sum() == pytest.approx(2 * whole.n_edges * whole.cross_rate)
    assert by_class == pytest.approx(whole.matrix + np.diag(np.diag(whole.matrix)))
    assert votes.sum(axis=1) == pytest.approx(edges.degree)
    assert edges.cross == pytest.approx(edges.degree - votes[np.arange(60), labelled.codes])


def test_edges_of_rows_are_averages_over_trees(draw_labelled, draw_edges, rng):
    """Equal rows share their vertex's edges and are joined among themselves."""
    _, codes, _, forest, labels = draw_labelled(rng, 2, 30)
    n_draws = 1000
    votes = np.zeros((n_draws, 30, 3))
    for draw in votes:
        a, b = draw_edges(rng, forest, labels)
        np.add.at(draw, (a, codes[b]), 1)
        np.add.at(draw, (b, codes[a]), 1)
    spread = votes.std(axis=0) / np.sqrt(n_draws)
    edges = sample_edges(forest, labels)

    assert (np.abs(votes.mean(axis=0) - edges.votes.toarray()) <= 6.5 * spread + 0.01).all()


def test_the_class_most_edges_lead_to_is_suggested(labelled, monkeypatch):
    """Of classes with as many votes the first one, however the rows are cut into parts."""
    votes = sample_edges(labelled.forest, labelled.labels).votes
    expected = votes.toarray().argmax(axis=1)
    whole = most_voted(votes)
    monkeypatch.setattr(_row_edges, "_AT_ONCE", 20)

    assert whole.tolist() == most_voted(votes).tolist() == expected.tolist()


def test_soft_labels_count_in_rows_as_in_classes(labelled, label, global_random_seed):
    """A row is crossed as much as its label and its neighbour's are likely to differ."""
    chances = np.random.default_rng(global_random_seed).dirichlet(np.ones(3), 60)
    labels = label(labelled.forest, chances, joined=labelled.groups is None)
    edges, whole = sample_edges(labelled.forest, labels), class_edges(labelled.forest, labels)

    assert edges.degree == pytest.approx(sample_edges(labelled.forest, labelled.labels).degree)
    assert edges.cross.sum() == pytest.approx(2 * whole.n_edges * whole.cross_rate)


def test_what_lies_around_leaves_the_row_itself_out(draw_labelled, global_random_seed):
    """Neighbours' edges but those to the row: a wrong label must not speak for itself."""
    _, codes, _, forest, labels = draw_labelled(np.random.default_rng(global_random_seed), equal=False)
    edges, row = sample_edges(forest, labels), np.argsort(labels.vertex)
    joins = np.zeros((60, 60))
    joins[row[forest.a], row[forest.b]] = joins[row[forest.b], row[forest.a]] = 1
    crosses = joins * (codes[:, None] != codes[None, :])
    for i in range(60):
        neighbours, others = np.flatnonzero(joins[i]), np.arange(60) != i

        assert edges.degree_around[i] == pytest.approx(joins[neighbours][:, others].sum())
        assert edges.cross_around[i] == pytest.approx(crosses[neighbours][:, others].sum())


def test_the_posterior_of_a_vertex_is_the_mean_of_its_rows_and_neighbours(label):
    """Worked by hand: three places on a line, two rows at the first one."""
    forest = spanning_forest([[0.0], [0.0], [1.0], [3.0]], 1)
    posterior = vertex_posterior(forest, label(forest, [0, 1, 1, 0])).toarray()[forest.vertex]

    assert posterior == pytest.approx(np.array([[1 / 3, 2 / 3], [1 / 3, 2 / 3], [1.5 / 3, 1.5 / 3], [1 / 2, 1 / 2]]))


def test_posteriors_add_up_to_one_and_no_rows_have_no_nearest(labelled):
    """They go into the variance of R; most data have no suspects."""
    posterior = vertex_posterior(labelled.forest, labelled.labels)

    assert posterior.sum(axis=1) == pytest.approx(np.ones(labelled.forest.n_vertices))

    assert nearest_other(labelled.forest, labelled.labels, np.empty(0, dtype=int)).shape == (0,)


def test_row_edges_are_as_many_as_trees_have(labelled, global_random_seed):
    """Rows of a group are not joined, all others are spanned by every tree."""
    a, b = row_edges(labelled.forest, labelled.labels, np.random.default_rng(global_random_seed))
    vertex, n_between = labelled.labels.vertex, len(labelled.forest.a)

    assert len(a) == round(class_edges(labelled.forest, labelled.labels).n_edges)
    assert (a != b).all()
    assert np.array_equal(vertex[a[:n_between]], labelled.forest.a)
    assert np.array_equal(vertex[b[:n_between]], labelled.forest.b)
    assert np.array_equal(vertex[a[n_between:]], vertex[b[n_between:]])
    if labelled.groups is None:
        assert len(a) == labelled.forest.n_trees * 59


def test_row_edges_of_one_tree_are_a_tree(draw_labelled, rng):
    """One edge fewer than rows, and every row reached."""
    _, _, _, forest, labels = draw_labelled(rng, 1)
    a, b = row_edges(forest, labels, rng)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(60, 60))

    assert len(a) == 59
    assert connected_components(graph)[0] == 1


def test_row_edges_cross_as_often_as_expected(labelled, global_random_seed):
    """One draw serves learners, whose rows have posteriors of their own; on average it is the count."""
    rng, n_draws = np.random.default_rng(global_random_seed), 1500
    edges = class_edges(labelled.forest, labelled.labels)
    drawn = np.zeros((n_draws, 3, 3))
    for draw in drawn:
        a, b = row_edges(labelled.forest, labelled.labels, rng)
        np.add.at(draw, (labelled.codes[a], labelled.codes[b]), 1)
    folded = drawn + drawn.transpose(0, 2, 1)
    folded[:, range(3), range(3)] /= 2
    spread = folded.std(axis=0) / np.sqrt(n_draws)

    assert (np.abs(folded.mean(axis=0) - edges.matrix) <= 6 * spread + 1e-9).all()


def brute_nearest(labelled, row):
    """Rows with another label that are nearest among equals, or else along edges; all of them, where some tie."""
    forest, vertex, codes = labelled.forest, labelled.labels.vertex, labelled.codes
    lengths = {vertex[row]: 0.0}
    for a, b, length in zip(forest.a, forest.b, forest.length, strict=True):
        for end, other in ((a, b), (b, a)):
            if end == vertex[row]:
                lengths[other] = min(length, lengths.get(other, np.inf))
    there = [(lengths[vertex[k]], k) for k in range(60) if vertex[k] in lengths and codes[k] != codes[row]]
    return [k for length, k in there if length == min(there)[0]]


def test_the_nearest_with_another_label_is_that_of_brute_force(labelled):
    """Every edge and every row looked at, one by one; where two are as near, either will do."""
    rows = np.arange(60)[::-1]
    found = nearest_other(labelled.forest, labelled.labels, rows)
    for row, other in zip(rows.tolist(), found.tolist(), strict=True):
        expected = brute_nearest(labelled, row)

        assert other in expected if expected else other == -1
