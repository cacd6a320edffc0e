"""Rivals for messy tables: what a data scientist would write, what skrub does, and how many packages each needs."""

import re
from importlib.metadata import PackageNotFoundError, requires

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder

from bayesfloor import check
from bayesfloor.io import TablePreparer
from benchmarks._timing import seconds_of

FOLDS = 5
LEVELS = ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree")


# Pipelines for each file, by name.


def zipcode_pipelines(seed):
    """Boosting on codes and categories, encoded with the labels of the training fold."""
    rates = TargetEncoder(cv=StratifiedKFold(FOLDS, shuffle=True, random_state=seed))
    by_label = make_column_transformer((rates, ["zip", "device"]), remainder="passthrough")
    return {"target-encoded boosting": make_pipeline(by_label, HistGradientBoostingClassifier(random_state=seed))}


def sensor_pipelines(seed):
    """Boosting, which accepts missing values, and a logistic regression on filled ones."""
    fill = SimpleImputer(strategy="median", add_indicator=True)
    return {
        "boosting": HistGradientBoostingClassifier(random_state=seed),
        "filled, logistic": make_pipeline(fill, StandardScaler(), LogisticRegression(max_iter=2000)),
    }


def review_pipelines(_seed):
    """Words and pairs of words, and a logistic regression."""
    words = make_column_transformer((TfidfVectorizer(ngram_range=(1, 2)), "review"))
    return {"words, logistic": make_pipeline(words, LogisticRegression(max_iter=2000))}


def survey_pipelines(_seed):
    """Ordinal answers or one indicator per answer, and a logistic regression."""
    answers = [f"q{number}" for number in range(1, 9)]
    places = OrdinalEncoder(
        categories=[list(LEVELS)] * len(answers), handle_unknown="use_encoded_value", unknown_value=np.nan
    )
    ordered = make_pipeline(places, SimpleImputer(strategy="median", add_indicator=True))
    indicators = OneHotEncoder(handle_unknown="ignore")
    return {
        "ordered, logistic": make_pipeline(
            make_column_transformer((ordered, answers), (indicators, ["household"])), LogisticRegression(max_iter=2000)
        ),
        "indicators, logistic": make_pipeline(
            make_column_transformer((indicators, [*answers, "household"])), LogisticRegression(max_iter=2000)
        ),
    }


PIPELINES = {
    "zipcodes.csv": zipcode_pipelines,
    "sensors.csv.gz": sensor_pipelines,
    "reviews.csv": review_pipelines,
    "survey.csv": survey_pipelines,
}


def run_pipelines(name, table, label, seed):
    """Return the cross-validated errors of a file's pipelines, and their total CPU seconds."""
    X, y = table.drop(columns=label), table[label]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    models = PIPELINES[name](seed)
    seconds, guesses = seconds_of(lambda: {one: cross_val_predict(models[one], X, y, cv=folds) for one in models})
    return {one: float(np.mean(guess != y)) for one, guess in guesses.items()}, seconds


# Ways to prepare a table


def preparer_of(way):
    """Return the value for ``prepare=``: ours, or skrub's defaults with missing values filled as in its pipelines."""
    if way == "auto":
        return "auto"
    from skrub import TableVectorizer

    return make_pipeline(TableVectorizer(), SimpleImputer(add_indicator=True))


def run_check(way, table, label):
    return seconds_of(lambda: check(table, label, prepare=preparer_of(way), n_jobs=1))


def prepare_alone(way, table, label):
    preparer, X = TablePreparer() if way == "auto" else preparer_of(way), table.drop(columns=label)
    preparer.fit_transform(X[:100])  # import now whatever is imported late
    seconds, made = seconds_of(lambda: preparer.fit_transform(X))
    return seconds, made.shape[1]


# Packages


def count_packages(way):
    return len(packages_of("bayesfloor[cli]", *["skrub"] * (way == "skrub")))


def packages_of(*names):
    """List all packages that installing these would bring, judging by what is installed here; extras as in ``a[b]``."""
    from packaging.requirements import Requirement

    found, waiting = {}, [Requirement(name) for name in names]
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in found and wanted.extras <= found[name]:
            continue
        try:
            needed = [Requirement(text) for text in requires(wanted.name) or []]
        except PackageNotFoundError:
            continue
        found[name] = found.get(name, set()) | wanted.extras
        ways = [{"extra": extra} for extra in {"", *wanted.extras}]
        waiting += [one for one in needed if one.marker is None or any(map(one.marker.evaluate, ways))]
    return sorted(found)
