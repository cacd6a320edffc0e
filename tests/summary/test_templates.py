"""Templates: everything is escaped, nothing is forgotten, and no style gets out."""

import re
import sys
from importlib.resources import files

import pytest
from jinja2 import UndefinedError

from bayesfloor.summary import _html as _templates
from bayesfloor.summary._html import render


@pytest.fixture
def style():
    """The style sheet without comments."""
    return files("bayesfloor.summary").joinpath("templates/style.css").read_text("utf-8")


@pytest.fixture
def _no_cache():
    _templates._environment.cache_clear()
    yield
    _templates._environment.cache_clear()


def test_what_is_put_in_is_escaped_and_no_template():
    """One value that is not would let a label write the page; a class named {{7*7}} would be 49."""
    made = _templates._environment().from_string("<p title='{{ it }}'>{{ it }}</p>").render(it="<b a='1' b=\"2\">&")
    assert (
        made == "<p title='&lt;b a=&#39;1&#39; b=&#34;2&#34;&gt;&amp;'>&lt;b a=&#39;1&#39; b=&#34;2&#34;&gt;&amp;</p>"
    )

    assert _templates._environment().from_string("{{ it }}").render(it="{{7*7}}") == "{{7*7}}"


def test_nothing_but_the_style_is_marked_safe():
    """Each such mark is a hole in the wall: it is a file of ours."""
    folder = files("bayesfloor.summary").joinpath("templates")
    marked = [
        re.findall(r"\{\{[^}]*\|\s*safe[^}]*\}\}|autoescape|Markup", path.read_text("utf-8"))
        for path in folder.iterdir()
    ]
    assert {mark for marks in marked for mark in marks} == {"{{ style|safe }}"}


def test_a_value_that_is_not_given_is_an_error():
    """A blank in a report is worse than none: nobody misses what is not there."""
    with pytest.raises(UndefinedError):
        render("page.html")


def test_the_style_is_quiet_keeps_to_its_tag_and_knows_schemes_paper_and_hosts(style):
    """Fonts and pictures are the usual way to be followed; hosts set the root's size and a scheme of their own."""
    assert not re.search(r"url\(|@import|@font-face|image-set|http|expression", style)

    assert "<" not in style

    assert re.findall(r"[^;{]*\drem", style) == ["--u:1rem"]

    for part in ("light-dark(", "@media print", "data-jp-theme-light", ".vscode-dark", 'data-theme="dark"'):
        assert part in style
    assert "prefers-reduced-motion" in style


def test_the_style_touches_nothing_else_in_a_notebook(style):
    """A report among other cells must not repaint them."""
    rules = re.sub(r"@(media|container)[^{]*\{", "", style)
    for selectors in re.findall(r"([^{}]+)\{[^{}]*\}", rules):
        for selector in re.sub(r"\([^()]*\)", "", selectors).split(","):
            assert ".bayesfloor" in selector or "html:has" in selector, selector
    assert set(re.findall(r"html:has\([^{]*\{", style)) == {"html:has(>body.bayesfloor){"}


@pytest.mark.usefixtures("_no_cache")
def test_without_jinja_the_error_says_what_to_install(monkeypatch):
    """The report is an extra, and the way to it is one command."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'The report needs jinja2: python -m pip install "bayesfloor\[cli\]"'):
        render("page.html")
