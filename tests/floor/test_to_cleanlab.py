"""Suspicious labels in cleanlab's form, compared with cleanlab itself."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from bayesfloor import check
from bayesfloor.decide import suspicious_labels

classification = pytest.importorskip("cleanlab.classification")


@pytest.fixture(scope="module")
def flipped(gaussians):
    X, y = gaussians(np.random.default_rng(0), [150, 150], shift=8.0)
    wrong = np.arange(5, 300, 15)
    y[wrong] = 1 - y[wrong]
    return X, y, wrong


def test_the_frame_has_the_form_of_cleanlabs_own(flipped):
    """The same columns in the same order, one line per row, and the same kind of values."""
    X, y, _ = flipped
    theirs = classification.CleanLearning(LogisticRegression()).find_label_issues(X, y)
    ours = suspicious_labels(X, y).to_cleanlab()

    assert ours.columns.tolist() == theirs.columns.tolist()
    assert ours.index.tolist() == theirs.index.tolist()
    assert [kind.kind for kind in ours.dtypes] == [kind.kind for kind in theirs.dtypes]
    assert (ours.given_label == theirs.given_label).all()
    assert ours.label_quality.between(0, 1).all()


def test_cleanlab_trains_without_the_suspicious_rows(flipped):
    """It removes exactly the rows that we mark."""
    X, y, _ = flipped
    issues = suspicious_labels(X, y).to_cleanlab()
    model = classification.CleanLearning(LogisticRegression()).fit(X, y, label_issues=issues)
    kept = ~issues.is_label_issue.to_numpy()

    assert 18 <= np.count_nonzero(~kept) <= 22
    assert np.array_equal(model.predict(X), LogisticRegression().fit(X[kept], y[kept]).predict(X))
    assert model.get_label_issues() is issues


def test_a_check_gives_the_same_frame_and_keeps_names_of_classes(flipped):
    """A check of names of classes has them in the frame, like cleanlab's Datalab."""
    X, y, _ = flipped
    names = np.array(["left", "right"])[y]
    frame = check(X, names, effort="quick").samples.to_cleanlab()

    assert frame.equals(suspicious_labels(X, names).to_cleanlab())
    assert frame.given_label.tolist() == names.tolist()
    assert set(frame.predicted_label) == {"left", "right"}
