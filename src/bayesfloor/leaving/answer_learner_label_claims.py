"""Find labels that are probably wrong according to the best learner's out-of-fold posteriors."""

from __future__ import annotations

import numpy as np

from bayesfloor.answer._race import Race
from bayesfloor.floor._results import LabelClaims
from bayesfloor.formulas._label_tests import claim_p_value, flip_posterior, largest_list, without_flips


def claim_labels(race: Race, best: str, flip_rate: float, false_claims: float) -> LabelClaims:
    """Return the claims from one learner's posteriors."""
    eta, codes = race.eta[best], race.codes
    K, given = eta.shape[1], eta[np.arange(len(codes)), codes]
    chance = flip_posterior(without_flips(given, flip_rate, K), flip_rate, K)
    order = np.argsort(race.row, kind="stable")
    found = claim_p_value(eta, codes), chance, largest_list(chance, false_claims)
    return LabelClaims(race.row[order], *(values[order] for values in found))
