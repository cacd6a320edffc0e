"""Groups of near-copies as units: the graph between groups.

Ten copies of a row find the same neighbours ten times. So two groups count once, however many edges
join them, and tests and variances see groups, not rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.counts._vertex_labels import VertexLabels, scale_rows
from bayesfloor.engine._types import Floats, Ints


class GroupPairs(NamedTuple):
    """Pairs of groups that some edge joins, and of each edge the share that it has in its pair."""

    a: Ints
    b: Ints
    share: Floats


def group_pairs(a: Ints, b: Ints, labels: VertexLabels) -> GroupPairs:
    """The pairs of groups that these edges join."""
    one, two = labels.group_at[a], labels.group_at[b]
    low, high = np.minimum(one, two), np.maximum(one, two)
    pair, place, count = np.unique(low * labels.n_groups + high, return_inverse=True, return_counts=True)
    return GroupPairs(pair // labels.n_groups, pair % labels.n_groups, 1 / count[place])


def group_mean(values: csr_array, labels: VertexLabels) -> csr_array:
    """Mean over the vertices of each group."""
    group = labels.group_at
    gather = csr_array((np.ones(len(group)), (group, np.arange(len(group)))), shape=(labels.n_groups, len(group)))
    return scale_rows(csr_array(gather @ values), 1 / np.bincount(group, minlength=labels.n_groups))
