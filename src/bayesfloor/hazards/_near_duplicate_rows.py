"""Find near-duplicates that no column marks, such as augmented images or the frames of a video."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.counts._near_duplicates import near_duplicate_clusters
from bayesfloor.engine._types import Ints
from bayesfloor.floor._fit_record import Fit
from bayesfloor.hazards._group_columns import whole_groups
from bayesfloor.hazards._two_errors import TwoErrors, two_errors

_FEWEST = 5  # clusters per class: with fewer, holding out clusters would hold out classes


class NearDuplicateRows(NamedTuple):
    """Each unit's cluster, the fraction of rows with a near-duplicate, and the errors."""

    cluster: Ints
    fraction: float
    errors: TwoErrors


def find_near_duplicate_rows(fit: Fit, seed: int) -> NearDuplicateRows | None:
    """Return clusters of near-duplicates that raise the error when held out together; None if there are none."""
    cluster = near_duplicate_clusters(fit.forest)
    if cluster is None or not fit.labels.hard:
        return None
    codes = fit.labels.codes
    pairs = np.unique(np.column_stack([codes, cluster]), axis=0)
    if np.bincount(pairs[:, 0]).min() < _FEWEST:
        return None
    units = whole_groups(cluster, np.random.default_rng([seed, 25]))
    errors = two_errors(fit.points[units], fit.points[units], codes[units], cluster[units], seed)
    fraction = float((np.bincount(cluster)[cluster] > 1).mean())
    return NearDuplicateRows(cluster, fraction, errors) if errors.differ else None
