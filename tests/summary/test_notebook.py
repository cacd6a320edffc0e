"""A check in a notebook: small, alone, and at home in the host's colours."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_digits

import bayesfloor
from bayesfloor.summary._html import make_page, to_notebook

# What JupyterLab does to everything in an output, and a root of ten pixels as older hosts have it.
HOST = """
html { font-size: 10px; } body { font: 13px/1.3 sans-serif; margin: 20px; background: #fff; color: #000; }
body[data-jp-theme-light="false"] { background: #111; color: #ddd; }
.jp-out table { border: none; color: #000; font-size: 12px; table-layout: fixed; margin: 0 auto 1em; }
.jp-out thead { border-bottom: 1px solid #999; vertical-align: bottom; }
.jp-out td, .jp-out th, .jp-out tr { vertical-align: middle; padding: .5em; line-height: normal; border: none;
  white-space: normal; max-width: none; text-align: right; }
.jp-out th { font-weight: bold; } .jp-out p { margin: 0 0 1em; } .jp-out ul:not(.inline) { padding-left: 2em; }
.jp-out tbody tr:nth-child(odd) { background: #fff; } .jp-out tbody tr:nth-child(even) { background: #f5f5f5; }
.jp-out tbody tr:hover { background: #bbdefb; } .jp-out pre { background: #eee; color: #000; margin: 0; padding: 0; }
.jp-out code { background: #ddd; color: #000; padding: 1px 5px; } .jp-out a { color: #00f; }
"""


def write_host(outputs, light="true", width="auto"):
    cells = "".join(f'<div class="jp-out" style="width:{width}">{output}</div>' for output in outputs)
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notebook</title><style>{HOST}</style>
</head><body data-jp-theme-light="{light}"><main><h1>Notebook</h1><p id="host">Text of the host.</p>{cells}</main>
</body></html>"""


def long_labels(check, rng, n_classes, each):
    """A check, by this maker, whose labels are long and grow when escaped."""
    codes = np.repeat(np.arange(n_classes), each)
    X = 1.5 * rng.normal(size=(n_classes, 3))[codes] + rng.normal(size=(len(codes), 3))
    labels = np.array([f"{k:04d}" + '"' * 196 for k in range(n_classes)])[codes]
    return check(X, labels, target=0.9, n_trees=1)


@pytest.fixture(scope="module")
def check():
    X, y = load_digits(return_X_y=True)
    return bayesfloor.check(X[:700], y[:700], 0.95, name="digits")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_classes", "each"),
    [
        (2, 40),
        (10, 20),
        (26, 10),
        *(pytest.param(*pair, marks=pytest.mark.slow(nightly=True)) for pair in ((60, 5), (100, 3))),
    ],
)
def test_an_output_is_small_whatever_the_labels(quick_check, n_classes, each, global_random_seed):
    """Notebooks keep every output, and hosts cut off large ones."""
    check = long_labels(quick_check, np.random.default_rng(global_random_seed), n_classes, each)
    assert len(to_notebook(check).encode()) < 60_000


def test_ten_classes_take_two_thirds_of_that(check):
    """The usual case is far from the limit, with the learning curve and the evidence in it."""
    assert len(to_notebook(check).encode()) < 40_000


def test_all_that_matters_is_in_it(open_page, visible_text, check):
    """Verdict, ruler, reliability, findings and matrix are seen at once; the rest is one click away."""
    page = open_page(write_host([to_notebook(check)]), javascript=False).page
    text = visible_text(page).replace("\u00a0", " ")
    assert f"{check.words.headline}. {check.words.below}" in " ".join(text.split())
    for part in (
        "95 % accuracy",
        "Reliability: ",
        check.findings[0].text,
        "Hardest pairs",
        "Class tree",
        "How we know",
    ):
        assert part in text
    assert page.locator(".matrix tbody tr").count() == 10


def test_it_has_the_numbers_of_the_page(open_page, check):
    """The same evidence behind the same click."""
    page, report = open_page(write_host([to_notebook(check)])).page, open_page(make_page(check)).page
    page.evaluate("document.querySelectorAll('details').forEach(it => it.open = true)")
    for place in (".ruler >> nth=0", ".reliability", ".reasons", ".curve .key", ".ruler >> nth=1", ".rests"):
        assert page.locator(place).inner_text() == report.locator(place).inner_text()


@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize("light", ["true", "false"])
def test_the_host_decides_the_scheme(open_page, axe, check, light, system):
    """A dark notebook on a light system is common, and a white block in it hurts."""
    opened = open_page(write_host([to_notebook(check)], light), scheme=system)
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach(it => it.open = true)")
    behind = page.evaluate("getComputedStyle(document.querySelector('.bayesfloor')).backgroundColor")
    assert behind == ("rgb(255, 255, 255)" if light == "true" else "rgb(21, 23, 26)")
    assert axe(page) == []
    assert opened.complaints == []


def test_the_host_does_not_bend_it(open_page, check):
    """Hosts stripe tables, indent lists and shrink letters; none of it must come through."""
    page = open_page(write_host([to_notebook(check)])).page
    style = "([selector, name]) => getComputedStyle(document.querySelector(selector))[name]"
    for selector, name, value in [
        (".bayesfloor", "fontSize", "15px"),
        (".findings", "paddingLeft", "0px"),
        (".findings code", "backgroundColor", "rgba(0, 0, 0, 0)"),
        (".matrix tbody tr:nth-child(2)", "backgroundColor", "rgba(0, 0, 0, 0)"),
        (".matrix th", "fontWeight", "400"),
        (".matrix td", "paddingLeft", "0px"),
        (".matrix", "marginLeft", "0px"),
    ]:
        assert page.evaluate(style, [selector, name]) == value, selector
    page.hover(".matrix tbody tr:nth-child(2) td")
    assert page.evaluate(style, [".matrix tbody tr:nth-child(2)", "backgroundColor"]) == "rgba(0, 0, 0, 0)"


def test_it_does_not_bend_the_host(open_page, check):
    """Other cells look the same with it and without."""
    look = (
        "() => ['html', 'body', 'h1', '#host'].map(it => { const is = getComputedStyle(document.querySelector(it));"
        " return [is.color, is.backgroundColor, is.fontSize, is.margin, is.scrollBehavior, is.colorScheme]; })"
    )
    with_it, without = (open_page(write_host(cells)).page.evaluate(look) for cells in ([to_notebook(check)], []))
    assert with_it == without


@pytest.mark.parametrize("width", ["320px", "600px", "1100px"])
def test_it_fits_into_a_narrow_output(open_page, check, width):
    """Outputs stand beside each other or in a narrow column, on screens that are wide."""
    page = open_page(write_host([to_notebook(check)], width=width)).page
    page.evaluate("document.querySelectorAll('details').forEach(it => it.open = true)")
    outside = page.evaluate(
        "() => { const right = document.querySelector('.bayesfloor').getBoundingClientRect().right;"
        " return [...document.querySelectorAll('.bayesfloor *')].filter(it => it.getBoundingClientRect().right > right"
        " && !it.parentElement.closest('.scroll, pre')).map(it => it.outerHTML.slice(0, 100)); }"
    )
    assert outside == []


def test_two_outputs_share_a_page(open_page, axe, check):
    """The same id twice breaks links and labels of both."""
    html = to_notebook(check)
    assert not re.search(r"\sid=", html)
    assert not re.search(r"<script|<link|\son\w+=|\shref=|\ssrc=", html)
    opened = open_page(write_host([html, html]))
    assert axe(opened.page) == []
    assert opened.complaints == []


@pytest.mark.slow
def test_a_tree_that_is_too_long_is_left_to_the_report(check, quick_check, global_random_seed):
    """It would be most of the output, folded."""
    assert "Class tree" in to_notebook(check)
    many = long_labels(quick_check, np.random.default_rng(global_random_seed), 61, 3)
    assert "Class tree" not in to_notebook(many)
