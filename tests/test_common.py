"""scikit-learn's own checks of estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bayesfloor import BayesFloor

# Every check that fails on purpose, with its reason.
EXPECTED_FAILURES = {}


@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([BayesFloor()], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_the_estimator_keeps_scikit_learns_conventions(estimator, check):
    """Pipelines, searches and clones rely on them."""
    check(estimator)
