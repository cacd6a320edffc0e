"""scikit-learn's own checks of estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bayesfloor import BayesFloor, FloorGuidedClassifier, FloorSelector, SmartSVM

# Every check that fails on purpose, with its reason.
EXPECTED_FAILURES = {
    SmartSVM: {
        "check_sample_weight_equivalence_on_dense_data": "LinearSVC itself is not equivalent, and floors count rows: "
        "weights reach the models alone"
    },
    FloorGuidedClassifier: {
        "check_sample_weight_equivalence_on_dense_data": "floors count rows, and folds deal them: "
        "a row of weight 2 is one row of both"
    },
}


def checks_of(*estimators):
    """A decorator: one test for each check of each estimator."""
    return parametrize_with_checks(
        list(estimators), expected_failed_checks=lambda estimator: EXPECTED_FAILURES.get(type(estimator), {})
    )


@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
@checks_of(BayesFloor(), FloorSelector())
def test_the_estimator_keeps_scikit_learns_conventions(estimator, check):
    """Pipelines, searches and clones rely on them."""
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
@checks_of(SmartSVM(), FloorGuidedClassifier(random_state=0))
def test_the_classifier_keeps_scikit_learns_conventions(estimator, check):
    """Likewise; there are many more checks of classifiers, and each fits several."""
    check(estimator)
