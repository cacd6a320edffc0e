"""Problems whose Bayes error is known: no false "out of reach", whatever the learners miss."""

import numpy as np
import pytest
from scipy.special import softmax

from bayesfloor import BayesFloor

pytestmark = pytest.mark.usefixtures("real_race")


def smooth_field(n=1200, informative=8, junk=4, sharpness=4.4, seed=5):
    """Labels from a random trigonometric field, and the smallest possible error."""
    rng = np.random.default_rng([99, seed])
    waves = rng.normal(size=(informative, 60)) * 0.6 / np.sqrt(informative)
    phase, weight = rng.uniform(0, 6.28, 60), rng.normal(size=(60, 2)) / np.sqrt(30)

    def chances(z):
        return softmax(sharpness * np.cos(z @ waves + phase) @ weight, axis=1)

    truth = 1 - chances(rng.normal(size=(60_000, informative))).max(axis=1).mean()
    z = rng.normal(size=(n, informative))
    y = (rng.random(n) > chances(z)[:, 0]).astype(int)
    return np.hstack([z, rng.normal(size=(n, junk))]), y, truth


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow(nightly=True)) for seed in (1, 2))])
def test_a_smooth_learner_that_is_wrong_does_not_pass_for_the_truth(seed):
    """Twelve columns, eight of them informative: learners are smooth and above the Bayes error by points."""
    X, y, truth = smooth_field(seed=seed)
    found = BayesFloor().fit(X, y).answer()

    assert not found.lower > truth
    assert found.upper > truth
    assert found.verdict(1 - truth - 0.005) != "out of reach"


@pytest.mark.slow(nightly=True)
@pytest.mark.parametrize("weight", [0.3, 0.6])
def test_half_hidden_structure_is_not_called_out_of_reach_with_certainty(weight):
    """Parity decides some rows and a line the others: learners see the line only, and the words say so."""
    rng = np.random.default_rng(0)
    x, hidden = rng.normal(size=(1500, 9)), rng.random(1500) < weight
    y = np.where(hidden, (x[:, :6] > 0).sum(axis=1) % 2 == 1, x[:, 6:].sum(axis=1) > 0).astype(int)
    found = BayesFloor().fit(np.column_stack([x, hidden]), y).answer()

    if found.verdict(0.95) == "out of reach":
        assert found.why_lower.basis == "learning curves"
    assert found.upper > 0
