"""One answer: no two surfaces differ in any of its numbers, on datasets of many kinds."""

import html
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification

from bayesfloor import BayesFloor, Check, assert_reachable, check
from bayesfloor.summary._verdict import about_text
from bayesfloor.support._words import about, percent

BUNDLED = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
STORED = ("letter", "satimage", "pendigits", "segment", "yeast", "winered", "pageblocks", "optdigits")
MOST_ROWS, TARGET = 400, 0.9
KEPT = Path(__file__).parent / "summary" / "checks"
_TAGS = re.compile(r"<(style|script|svg)\b.*?</\1>|<[^>]+>", re.DOTALL)
_SAID = re.compile(
    r"(?:%[\w ]* is|of [\d.e-]+ is|It is|These data) (reachable|likely|open|unlikely|out of reach|cannot say)\b"
)
_ABOUT = re.compile(r"lowest possible error\W+about ([\d.]+) % \((?:([\d.]+) to |at most )([\d.]+) %\)")

DAILY = ("iris", "letter")


@pytest.fixture(
    params=[
        pytest.param(name, marks=() if name in DAILY else pytest.mark.slow(nightly=True))
        for name in (*BUNDLED, *STORED)
    ]
)
def rows(request):
    """A dataset: X, y; of a large one rows at even distances."""
    if request.param in BUNDLED:
        X, y = BUNDLED[request.param](return_X_y=True)
    else:
        X, y = request.getfixturevalue("dataset")(request.param)
    kept = np.linspace(0, len(y) - 1, min(len(y), MOST_ROWS)).astype(int)
    return X[kept], y[kept]


def words_of(page):
    """What a reader of a page sees, in a line."""
    return " ".join(html.unescape(_TAGS.sub(" ", page)).split())


def contradictions(found):
    """Numbers and words of findings that do not fit the verdict, for targets all around the answer."""
    main, answer, texts = found.answer, found.of_errors, {finding.code: finding.text for finding in found.findings}
    whole = " ".join(texts.values())
    wrong = []
    for least in re.findall(r"every classifier gets at least ([\d.]+) % of all rows wrong", whole):
        wrong += [f"at least {least} %"] * (float(least) > float(percent(answer.upper)))
    for after, before in re.findall(r"lowest possible error is ([\d.]+) % instead of ([\d.]+) %", whole):
        wrong += [f"{before} % before"] * (before != percent(answer.estimate))
        wrong += [f"{after} % after"] * (float(after) > float(before))
    for told in re.findall(r"[Tt]he lowest possible error is (about [^:;.]*\.?[^:;]*? %\))", whole):
        wrong += [told] * (told != about(answer.estimate, answer.lower, answer.upper))
    no_signal = "No signal found" in replace(found, target=None).verdict
    wrong += ["signal"] * (("BF101" in texts) is not no_signal)
    wrong += ["tested"] * ("BF205" in texts and not found.overall.lower > answer.upper)
    wrong += ["at the floor"] * ("BF404" in texts and answer.reliability != "good")
    wrong += ["may be too low"] * ("the answer may be too low" in whole and answer.reliability == "good")
    wrong += ["inseparable"] * ("BF103" in texts and len(found.labels) == 2 and answer.upper < answer.guessing / 2)
    for error in {main.estimate / 2, main.estimate, main.upper, (main.upper + 1) / 2, 0.0}:
        asked = replace(found, target=min(1.0, max(main.of.score(error), 1e-6)))
        wrong += [asked.verdict] * (_SAID.search(asked.verdict)[1] != asked.outcome)
        others = {"reachable", "out of reach"} - {asked.outcome}
        wrong += [word for word in others if word in " ".join(finding.text for finding in asked.findings)]
    return wrong


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.json")), ids=lambda path: path.stem)
def test_no_finding_of_a_kept_check_contradicts_its_verdict(path):
    assert contradictions(Check.from_json(path)) == []


@pytest.mark.slow
@pytest.mark.usefixtures("real_race")
def test_no_finding_contradicts_the_verdict(rows):
    """Twelve datasets, with the predictions of a poor model."""
    X, y = rows
    assert contradictions(check(X, y, predictions=np.roll(y, 1))) == []


@pytest.mark.slow
@pytest.mark.usefixtures("real_race")
def test_no_two_surfaces_differ_in_a_number_of_the_answer(rows, tmp_path):
    """Estimator, text, Markdown, JSON, report, notebook and gate."""
    floor = BayesFloor().fit(*rows)
    answer = floor.answer()
    found = check(*rows, target=TARGET)

    assert found.answer.to_dict() == answer.to_dict()
    assert (found.outcome, found.chance) == (answer.verdict(TARGET), answer.chance(TARGET))

    given = json.loads(found.to_json())
    assert (given["outcome"], given["chance"]) == (found.outcome, found.chance)
    for name in ("estimate", "lower", "upper"):
        number = getattr(answer, name)
        assert given["answer"][name] == (None if math.isnan(number) else number)
    assert Check.from_json(found.to_json()).answer.to_dict() == answer.to_dict()

    page = words_of(found.to_html(tmp_path / "report.html").read_text("utf-8"))
    notebook = words_of(found._repr_html_())
    surfaces = {
        "text": " ".join(repr(found).split()),
        "Markdown": " ".join(found.to_markdown().replace("*", "").replace("\\", "").split()),
        "report": page,
        "notebook": notebook,
    }
    ends = [answer.estimate, answer.upper] + ([] if math.isnan(answer.lower) else [answer.lower])
    for name, shown in surfaces.items():
        assert found.outcome in shown, name
        for end in ends:
            assert re.search(rf"(?<![\d.]){percent(end)} (%|to)", shown), (name, end)
    (gate,) = found.gates()
    told = about(answer.estimate, answer.lower, answer.upper)
    assert told in gate.text
    assert told in page
    assert told in notebook
    for shown in (gate.text, *surfaces.values()):
        for estimate, lower, upper in _ABOUT.findall(shown):
            assert estimate == percent(answer.estimate)
            assert upper == percent(answer.upper)
            assert not lower or lower == percent(answer.lower)


@pytest.fixture(scope="module")
def rare():
    """Two classes that overlap, of which one has a row in twenty; and a check of them."""
    X, y = make_classification(3000, 10, n_informative=5, weights=[0.95], flip_y=0.02, class_sep=0.8, random_state=0)
    return X, y, check(X, y, effort="quick")


def test_a_rare_class_has_balanced_accuracy_and_auc_beside_accuracy_on_every_surface(rare, tmp_path):
    """Unasked, from one race, with the same figures: accuracy hides how well the class is found."""
    found = rare[-1]
    given = json.loads(found.to_json())
    surfaces = {
        "text": " ".join(repr(found).split()),
        "Markdown": " ".join(found.to_markdown().replace("*", "").replace("\\", "").split()),
        "report": words_of(found.to_html(tmp_path / "report.html").read_text("utf-8")),
        "notebook": words_of(found._repr_html_()),
    }

    assert (found.answer.metric, list(found.beside)) == ("accuracy", ["balanced_accuracy", "roc_auc"])
    for name, answer in found.beside.items():
        assert answer.lower < answer.estimate < answer.upper < answer.guessing == 0.5
        assert given["beside"][name]["estimate"] == answer.estimate
        assert (found.metrics()[name], found.metrics()[f"{name}_shown"]) == (answer.score, answer.score_range[0])
        for surface, shown in surfaces.items():
            assert about_text(answer) in shown, (surface, name)
    assert Check.from_json(found.to_json()).to_markdown() == found.to_markdown()


def test_a_target_for_auc_is_judged_and_told_in_auc(rare):
    """Verdict, gate and JSON; 90 % accuracy would be no feat here, and an AUC of 0.9 is one."""
    X, y, before = rare
    found = assert_reachable(X, y, 0.9, metric="roc_auc", effort="quick")
    answer, given, (gate,) = found.answer, json.loads(found.to_json()), found.gates()

    assert answer.to_dict() == before.beside["roc_auc"].to_dict()
    assert found.beside["accuracy"].verdict(0.9) == "reachable"
    assert found.outcome == answer.verdict(0.9)
    assert "an AUC of 0.9 " in found.verdict.replace("An AUC", "an AUC")
    assert "the best possible AUC is" in found.verdict
    assert "accuracy" not in found.verdict
    assert (given["metric"], given["target"], given["outcome"]) == ("roc_auc", 0.9, found.outcome)
    assert gate.text.startswith(f"target: an AUC of 0.9, best possible AUC {about_text(answer, answer.of.loss(0.9))}")
    assert f": {found.outcome}" in gate.text
    with pytest.raises(AssertionError, match=r"AUC of 0\.9999"):
        assert_reachable(X, y, 0.9999, metric="roc_auc", effort="quick")
