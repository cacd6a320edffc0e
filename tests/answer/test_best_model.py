"""The best model of a check: an unfitted pipeline that does what the race did, on tables as users have them."""

import pickle
from dataclasses import replace
from io import BytesIO

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

import bayesfloor
from bayesfloor.answer._best_model import BlendClassifier, BlendRegressor, Components, Preparation

TREES = {"n_estimators": 5, "random_state": 0}
CLASSIFIER = BlendClassifier(
    [("linear", LogisticRegression()), ("forest", ExtraTreesClassifier(**TREES))], [0.6, 0.5], [1.1, 0.8]
)
REGRESSOR = BlendRegressor([("linear", Ridge()), ("forest", ExtraTreesRegressor(**TREES))], [0.6, 0.5], 0.1)
# Of a pipeline, scikit-learn's checks that a pipeline of its own fails too, or that a table has to fail.
NOT_APPLICABLE = {
    "check_estimators_overwrite_params": "every pipeline fits its own steps",
    "check_dont_overwrite_parameters": "every pipeline fits its own steps",
    "check_dtype_object": "tables may hold text, and a pipeline does not pass on that its first step takes it",
    "check_estimators_nan_inf": "tables may have gaps, and a pipeline does not pass on that its first step takes them",
    "check_supervised_y_no_nan": "it expects scikit-learn's own words, because the class of a pipeline is there",
}


def pipeline(model):
    return Pipeline([("preparation", Preparation(scale="standard")), ("model", model)])


def as_expected(estimator):
    return NOT_APPLICABLE if isinstance(estimator, Pipeline) else {}


@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([Preparation(), Components(), REGRESSOR], expected_failed_checks=as_expected)
def test_the_parts_keep_scikit_learns_conventions(estimator, check):
    check(estimator)


@pytest.mark.slow(nightly=True)
@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([CLASSIFIER, pipeline(CLASSIFIER), pipeline(REGRESSOR)], expected_failed_checks=as_expected)
def test_blends_and_pipelines_keep_scikit_learns_conventions(estimator, check):
    check(estimator)


@pytest.fixture
def table(rng):
    """Columns of many kinds, with the label, a row number and a constant among them."""
    n = 300
    sick = rng.integers(0, 2, n).astype(bool)
    age = np.where(rng.random(n) < 0.1, np.nan, 40 + 10 * sick + rng.normal(0, 8, n))
    return pd.DataFrame(
        {
            "number": np.arange(n),
            "age": age,
            "dose": [f"{dose:.2f}" for dose in rng.normal(size=n) + sick],
            "city": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "zip": rng.integers(10_000, 10_040, n).astype(str),
            "unit": "mg",
            "weight": rng.normal(70, 9, n),
            "sick": np.where(sick, "yes", "no"),
        }
    )


def changed(table):
    """What comes later: columns in another order and some too many, new categories, gaps where there were none."""
    return pd.DataFrame(
        {
            "remark": "new",
            "weight": [None, 71.5, 60.0, 80.0],
            "zip": ["99999", None, *table["zip"][:2]],
            "city": ["Paris", None, "Ulm", "Bonn"],
            "dose": ["?", "1.25", "not known at all", None],
            "age": [50.0, None, 30.0, 70.0],
        }
    )


@pytest.mark.parametrize("answer", [str, bool, int])
def test_a_table_is_prepared_alike_later_and_labels_are_the_users(table, answer):
    """A table may still have its label, which must not become a feature."""
    table["sick"] = table["sick"].map({"yes": answer(1), "no": answer(0)})
    model = bayesfloor.check(table, "sick", effort="quick").best_model()

    assert {"sick", "number", "unit"}.isdisjoint(model["preparation"].columns)

    model.fit(table, table["sick"])
    predicted = model.predict(changed(table))

    assert set(predicted.tolist()) <= {answer(0), answer(1)}
    assert model.classes_.tolist() == sorted({answer(0), answer(1)})
    np.testing.assert_allclose(model.predict_proba(changed(table)).sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(table), model.predict(table.drop(columns=["sick", "number"])))
    with pytest.raises(ValueError, match="without age"):
        model.predict(table.drop(columns="age"))


def test_a_column_of_which_nothing_can_be_read_is_no_gap(table):
    """Single odd cells count as missing, but words in place of all numbers are a mistake."""
    preparation = Preparation(columns=["age", "dose"]).fit(table)

    assert np.isfinite(preparation.transform(changed(table))).all()
    with pytest.raises(ValueError, match=r"dose.*is not a number in the same format"):
        preparation.transform(table.assign(dose="much"))


def test_copies_predict_the_same(table):
    model = bayesfloor.check(table, "sick", effort="quick").best_model()
    fitted, file = clone(model).fit(table, table["sick"]), BytesIO()
    joblib.dump(fitted, file)
    file.seek(0)

    pickled, unfitted = (pickle.loads(pickle.dumps(each)) for each in (fitted, model))  # noqa: S301 - our own
    for copy in (pickled, joblib.load(file), unfitted):
        again = copy if hasattr(copy, "classes_") else copy.fit(table, table["sick"])
        np.testing.assert_array_equal(again.predict_proba(table), fitted.predict_proba(table))


@pytest.mark.usefixtures("real_race")
@pytest.mark.parametrize(("load", "task"), [(load_wine, "classes"), (load_diabetes, "numbers")])
def test_the_cross_validated_loss_is_that_of_the_race(load, task):
    """A blend too: its weights are those of the race."""
    X, y = load(return_X_y=True)
    found = bayesfloor.check(X, y, task=task, effort="quick")
    answer, race = found.answer, found.answer.evidence()
    losses = {}
    for best in ("blend", answer.best, *list(race.learners)[:2]):
        predicted = cross_val_predict(model_of(found, best), X, y, cv=[*folds(race)])
        if task == "classes":
            losses[best] = (predicted != y).mean(), answer.errors[best]
        else:
            losses[best] = ((predicted - y) ** 2).mean() / y.var(), answer.errors[best]

    for seen, said in losses.values():
        assert seen == pytest.approx(said, abs=0.012)


def model_of(found, best):
    """The model if this learner had won."""
    return replace(found, answer=replace(found.answer, best=best)).best_model()


def folds(race):
    place = np.empty(len(race.row), dtype=int)
    place[race.row] = race.fold
    return ((np.flatnonzero(place != fold), np.flatnonzero(place == fold)) for fold in range(5))


def test_the_users_own_learners_and_transformer_are_in_the_model(table):
    learners = {"mine": GaussianNB(var_smoothing=0.5)}
    coded = make_pipeline(OneHotEncoder(handle_unknown="ignore", sparse_output=False))
    given = table[["city", "zip"]].assign(zip=table["zip"].str[-1])
    found = bayesfloor.check(given, table["sick"], prepare=coded, learners=learners, effort="quick")
    model = model_of(found, "mine")

    assert model["model"].learners[0][1].get_params() == learners["mine"].get_params()
    assert model.fit(given, table["sick"]).predict(pd.DataFrame({"zip": ["x"], "city": ["Rome"]})) in ("yes", "no")


@pytest.mark.parametrize("sparse", [True, False])
def test_wide_data_are_reduced_for_some_learners_and_whole_for_others(rng, sparse):
    X = random_array((160, 2100), density=0.05 if sparse else 0.5, rng=rng, format="csr")
    y = np.where(np.asarray(X[:, :1000].sum(axis=1)).ravel() > np.median(X[:, :1000].sum(axis=1)), "b", "a")
    X = csr_array(X) if sparse else X.toarray()
    found = bayesfloor.check(X, y, effort="quick", learners={"mine": LogisticRegression()})
    for best in found.answer.errors:
        assert set(model_of(found, best).fit(X[:80], y[:80]).predict(X[80:])) <= {"a", "b"}


def test_votes_and_priors(rng):
    """The likeliest class counts, and other proportions shift the predictions."""
    X = rng.normal(size=(400, 2))
    votes = rng.multinomial(5, [0.9, 0.1], size=400) * (X[:, :1] < 1) + [0, 5] * (X[:, :1] >= 1)
    model = bayesfloor.check(X, votes, effort="quick").best_model().fit(X, votes)
    assert model.classes_.tolist() == [0, 1]

    y = (X[:, 0] + rng.normal(size=400) > 1.5).astype(int)
    plain, even = (
        bayesfloor.check(X, y, effort="quick", priors=priors).best_model().fit(X, y).predict(X).mean()
        for priors in (None, "balanced")
    )
    assert even > 1.5 * plain


def test_a_check_that_was_read_has_no_learners():
    found = bayesfloor.check(*load_iris(return_X_y=True), effort="quick")

    assert "recipe" not in found.to_json()
    with pytest.raises(ValueError, match="Run the check again"):
        bayesfloor.Check.from_json(found.to_json()).best_model()


def test_learners_that_cannot_be_trained_are_left_out_unless_there_is_no_other(rng):
    X, y = rng.normal(size=(9, 2)), np.arange(9) % 2
    broken = BrokenLearner()

    assert BlendClassifier([("bad", broken), ("good", GaussianNB())]).fit(X, y).left_out_ == {"bad": "too few rows"}
    with pytest.raises(ValueError, match="No learner could be trained: too few rows"):
        BlendClassifier([("bad", broken)]).fit(X, y)


class BrokenLearner(GaussianNB):
    """A learner that nothing is enough for."""

    def fit(self, *_):
        raise ValueError("too few rows")
