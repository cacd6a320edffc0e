"""scikit-learn's own checks of estimators."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from bayesfloor import BayesFloor, FloorSelector, SmartSVM

# Every check that fails on purpose, with its reason.
EXPECTED_FAILURES = {
    SmartSVM: {
        "check_sample_weight_equivalence_on_dense_data": "LinearSVC itself is not equivalent, and floors count rows: "
        "weights reach the models alone"
    }
}
# Of a classifier's many checks, each of which fits several, those that have the most to do with our own code.
DAILY = (
    "check_classifiers_classes",
    "check_classifiers_one_label",
    "check_classifiers_train",
    "check_dict_unchanged",
    "check_estimators_nan_inf",
    "check_estimators_pickle",
    "check_fit_idempotent",
    "check_methods_subset_invariance",
    "check_n_features_in_after_fitting",
    "check_parameters_default_constructible",
    "check_requires_y_none",
    "check_sample_weights_pandas_series",
)


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


@pytest.mark.slow(nightly=True)
@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
@checks_of(SmartSVM())
def test_the_classifier_keeps_scikit_learns_conventions(estimator, check):
    """Likewise, and more about labels, weights and scores."""
    check(estimator)


@pytest.mark.parametrize("name", DAILY)
def test_the_classifier_keeps_the_conventions_that_its_own_code_could_break(name):
    """The others run at night."""
    checks = [check for _, check in estimator_checks_generator(SmartSVM()) if check.func.__name__ == name]

    assert checks
    for check in checks:
        check(SmartSVM())
