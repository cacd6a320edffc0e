"""The graph between groups, for rows that come in groups of near-duplicates.

Ten duplicates of a row find the same neighbours ten times. So a pair of groups counts once, however
many edges join the two, and tests and variances use groups instead of rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.counts._vertex_labels import VertexLabels, scale_rows
from bayesfloor.engine._types import Floats, Ints


class GroupPairs(NamedTuple):
    """Pairs of groups joined by at least one edge, and each edge's weight: 1 / (number of edges between its groups)."""

    a: Ints
    b: Ints
    share: Floats


def group_pairs(a: Ints, b: Ints, labels: VertexLabels) -> GroupPairs:
    """Find the pairs of groups that these edges join."""
    one, two = labels.group_at[a], labels.group_at[b]
    low, high = np.minimum(one, two), np.maximum(one, two)
    pair, place, count = np.unique(low * labels.n_groups + high, return_inverse=True, return_counts=True)
    return GroupPairs(pair // labels.n_groups, pair % labels.n_groups, 1 / count[place])


def group_mean(values: csr_array, labels: VertexLabels) -> csr_array:
    """Compute the mean over the vertices of each group."""
    group = labels.group_at
    gather = csr_array((np.ones(len(group)), (group, np.arange(len(group)))), shape=(labels.n_groups, len(group)))
    return scale_rows(csr_array(gather @ values), 1 / np.bincount(group, minlength=labels.n_groups))
