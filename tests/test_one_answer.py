"""One answer: no two surfaces differ in any of its numbers, on datasets of many kinds."""

import html
import json
import math
import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from bayesfloor import BayesFloor, Check, check
from bayesfloor.engine._show import about, percent

BUNDLED = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
STORED = ("letter", "satimage", "pendigits", "segment", "yeast", "winered", "pageblocks", "optdigits")
MOST_ROWS, TARGET = 400, 0.9
_TAGS = re.compile(r"<(style|script|svg)\b.*?</\1>|<[^>]+>", re.DOTALL)
_ABOUT = re.compile(r"lowest possible error\W+about ([\d.]+) % \((?:([\d.]+) to |at most )([\d.]+) %\)")


DAILY = ("iris", "letter")


@pytest.fixture(
    params=[pytest.param(name, marks=() if name in DAILY else pytest.mark.nightly) for name in (*BUNDLED, *STORED)]
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


@pytest.mark.slow
@pytest.mark.real_race
def test_no_two_surfaces_differ_in_a_number_of_the_answer(rows, tmp_path):
    """Estimator, text, Markdown, JSON, report, notebook and gate."""
    floor = BayesFloor().fit(*rows)
    answer = floor.answer()
    found = check(*rows, target=TARGET)

    assert found.answer.to_dict() == answer.to_dict()
    assert found.outcome == floor.verdict(TARGET) == answer.judge(TARGET).outcome

    given = json.loads(found.to_json())
    assert given["outcome"] == found.outcome
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
            assert f"{percent(end)} %" in shown, (name, end)
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
