"""Every result a user can get in hand: a short text, a form for notebooks, plain values."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.dummy import DummyClassifier

from bayesfloor import BayesFloor, FloorSelector, check, compare_representations, spanning_forest
from bayesfloor.answer import Ahead, AllRows, Point, Stopped
from bayesfloor.decide import gap, merge_advice, two_samples
from bayesfloor.forest import class_forests
from bayesfloor.hierarchy import ClassTree
from bayesfloor.io import open_data
from bayesfloor.support._results import Shown, Tabled

HOSTILE = "<script>alert(1)</script>\x1b[2J\n\u202e"
LONG = "x" * 5000
# A handle on forests, the user's own rows, all posteriors, and the records behind the results.
NO_VALUES = {"ClassForests", "Counts", "Data", "Fit", "Race"}
WORKING = ("forest/_spanning_forest", "forest/_prim", "answer/_race", "answer/_make_answer", "sklearn/")  # in paths


def make_results():
    """Results of real fits by the names of their classes, with hostile names of classes, columns and data."""
    X, codes = load_iris(return_X_y=True)
    y = np.array([HOSTILE, LONG, "plain"], dtype=object)[codes]
    table = pd.DataFrame(X, columns=[HOSTILE, LONG, "a", "b"]).assign(empty=np.nan, label=y)
    floor = BayesFloor().fit(X, y)
    answer, (wine, wine_y) = floor.answer("quick"), load_wine(return_X_y=True)
    found = check(table, "label", 0.9, effort="quick")
    path = FloorSelector(n_features=2).fit(pd.DataFrame(X, columns=table.columns[:4]), y).path_
    compared = compare_representations({HOSTILE: wine, LONG: wine[:, :5]}, wine_y)
    differences = gap(floor, y, DummyClassifier().fit(X, y).predict(X), answer=answer)
    advice = merge_advice(floor, 0.98, answer=answer)
    many = spanning_forest(X, n_trees=40)
    parts = [floor.fitted_, floor.fitted_.counts, floor.overall_, floor.pairwise_, floor.one_vs_rest_, floor.samples_]
    parts += [answer, answer.curve, answer.forecast, answer.why_upper, answer.evidence()]
    parts += [found.pairs, found.classes, found.prepared, found.facts, found.suspicious]
    parts += [found.findings[0], found.traits[0], found.gates()[0], found.prepared.columns[0]]
    parts += [many, class_forests(X, codes), ClassTree.from_nested([[HOSTILE, LONG], "plain"]), compared, path]
    parts += [path.holdout, differences, differences.by_pair, advice, advice.before, open_data(table, "label")]
    parts += [two_samples(wine[::2], wine[1::2]), differences.too_good, *_hazards()]
    prices = 1e5 * (wine[:, 0] + wine[:, 1])
    numbers = check(wine, prices, effort="quick", predictions=prices)
    parts += [numbers.odd, numbers.by_prediction, numbers.model_score, numbers.budget.parts[0]]
    parts += [found.budget, found.next[0], check(table, "label", learners={}).features]
    points = tuple(Point(n, HOSTILE, 0.2, 0.1, 0.3) for n in (100_000, 200_000))
    ahead = Ahead(200_000, 100_000, 0.2, 0.1, 0.3, 0.2)
    parts += [
        *points,
        ahead,
        AllRows(points, (ahead,), (0.2, 0.1, 0.3), 0.3, 40_000, 300_000, 200_000, Stopped.NO_GAIN),
    ]
    return {type(part).__name__: part for part in parts}


def _hazards():
    """Rows of patients under a hostile name, a column that gives the label away, and another label."""
    rng = np.random.default_rng(0)
    patient, sick = np.repeat(np.arange(30), 10), np.arange(30) % 2
    name = f"patient_id {HOSTILE}"
    rows = pd.DataFrame(rng.normal(size=(30, 3))[patient] + 0.1 * rng.normal(size=(300, 3)), columns=list("abc"))
    table = rows.assign(tag_sick=sick[patient], tag_old=rng.integers(0, 2, 300))
    groups = check(table.assign(**{name: patient}), "tag_sick", effort="quick", learners={})
    noise, label = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    leaking = pd.DataFrame(noise, columns=["a", "b"]).assign(**{HOSTILE: 7 * label})
    row = rng.permutation(np.repeat(np.arange(60), 5))
    copied = check(noise[row], label[row], effort="quick", learners={})
    dated = pd.DataFrame(rng.normal(size=(600, 2)), columns=["a", "b"])
    dated[f"date {HOSTILE}"] = pd.date_range("2024-01-01", periods=600)
    later = check(dated, rng.integers(0, 2, 600), effort="quick", learners={}, time="later")
    leaks = check(leaking, label, effort="quick", learners={}).leaks
    return [groups.dependence, groups.doubtful[0], leaks[0], copied.related, later.drift]


# fmt: off
NAMES = [
    "Ahead", "AllRows", "Answer", "Budget", "ClassAnswers", "ClassForests", "ClassTree", "Column", "Comparison",
    "Counts", "Curve", "Data", "Dependence", "DoubtfulColumns", "Drift", "ErrorByPrediction", "Facts", "Finding",
    "Fit", "Floor", "Forecast", "Forest", "Gap", "GapLines", "Gate", "HoldOut", "Importances", "Leak", "MergeAdvice",
    "MergeStep", "ModelScore", "OddNumbers", "OneVsRestFloor", "PairAnswers", "PairwiseFloor", "Part", "Point",
    "Prepared", "Race", "Reason", "RelatedRows", "SampleScores", "SelectionPath", "Step", "SuspiciousLabels",
    "TooGood", "Trait", "TwoSamples",
]
# fmt: on


@pytest.fixture(scope="module")
def results():
    return make_results()


@pytest.fixture(params=NAMES)
def result(results, request):
    return results[request.param]


def subclasses(kind):
    return {each for below in kind.__subclasses__() for each in {below, *subclasses(below)}}


def test_no_class_is_left_out(results):
    """A new result is to be tried here as well."""
    own = {kind.__name__ for kind in subclasses(Shown) if kind.__module__.startswith("bayesfloor")}

    assert {name for name in own if not name.startswith("_")} - {"Result"} == set(results) == set(NAMES)


def test_the_text_is_short_harmless_and_has_percent(result):
    """However many rows, however long the names; what a person reads has no 0.0267, which is for attributes."""
    text = repr(result)

    assert text.startswith(f"{type(result).__name__}(")
    assert len(text.splitlines()) <= 12
    assert max(map(len, text.splitlines())) <= 120
    assert text.replace("\n", "").isprintable()

    assert not re.search(r"(?<!p [<=] )\b0\.\d{3,}", repr(result))


def test_notebooks_show_the_same_and_a_table_where_there_is_one(result):
    """Nothing of the user's becomes markup, and long tables are cut."""
    page = result._repr_html_()

    assert page.startswith("<pre>")
    assert "<script" not in page
    assert page.replace("\n", "").isprintable()
    assert ("<table>" in page) == isinstance(result, Tabled)
    assert page.count("<tr>") <= 11
    if isinstance(result, Tabled):
        left = len(result.frame()) - 10
        assert (f"<p>... and {left:,} more</p>" in page) == (left > 0)


def test_values_are_plain(result):
    """JSON takes them as they are; what cannot be plain says so by not having the method."""
    assert hasattr(result, "to_dict") == (type(result).__name__ not in NO_VALUES)
    if isinstance(result, Tabled):
        assert json.loads(json.dumps(result.to_dict(), allow_nan=False))


def test_to_show_a_result_is_no_work(result):
    """What was found is shown, again and again, and nothing is found anew."""
    called, own = set(), f"{type(result).__name__}."  # which may be in a file of work

    def note(frame, event, _):
        if event == "call" and not frame.f_code.co_qualname.startswith(own):
            called.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        first = repr(result), result._repr_html_()
    finally:
        sys.setprofile(None)

    assert not [name for name in called if any(part in Path(name).as_posix() for part in WORKING)]
    assert (repr(result), result._repr_html_()) == first


def test_a_fitted_floor_shows_its_bounds_and_then_its_answer_above_the_box_of_parameters():
    """The result is what one waits for; scikit-learn's box shows only what went in."""
    floor = BayesFloor()
    assert floor._repr_html_().startswith("<style>")

    floor.fit(*load_iris(return_X_y=True))
    box = "sk-top-container"
    for page in (floor._repr_mimebundle_()["text/html"], floor._repr_html_()):
        assert page.index(repr(floor.overall_)) < page.index("call answer()") < page.index(box)

    answer = floor.answer("quick")
    page = floor._repr_html_()
    assert page.index(repr(answer)) < page.index(box)
    assert repr(floor.overall_) not in page  # the answer may contradict it


def test_a_fitted_floor_of_a_thousand_classes_shows_a_few_lines():
    """And what was not computed is not computed to be shown."""
    rng = np.random.default_rng(0)
    floor = BayesFloor().fit(rng.normal(size=(3000, 2)), np.arange(3000) % 1000)
    assert len(floor._repr_html_().partition("</pre>")[0].splitlines()) <= 4
    assert "PairwiseFloor" not in floor.relabel(rng.integers(0, 2, 3000))._repr_html_()


def test_labels_of_any_kind_become_plain():
    """Dates and tuples are no JSON; their texts are."""
    tree = ClassTree.from_nested([[1, 2], 3])
    days = np.array([pd.Timestamp("2026-01-01"), pd.Timestamp("2026-01-02"), (1, "a")], dtype=object)
    object.__setattr__(tree, "classes", days)

    assert tree.to_dict()["classes"] == ["2026-01-01 00:00:00", "2026-01-02 00:00:00", [1, "a"]]
