"""What people see, as it was looked at: three widths of a terminal, colours, Markdown, the text of the page.

After a change that is meant: ``python tests/summary/test_screens.py`` writes all screens again. Look at them.
"""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bayesfloor.cli._terminal import Output
from bayesfloor.summary._html import make_page
from bayesfloor.summary._markdown import to_markdown
from bayesfloor.summary._text import to_full_text, to_text

SCREENS = Path(__file__).parent / "screens"
KINDS = ("two classes", "wine", "letters", "chosen", "rare", "few", "log loss", "hundred classes")
WIDTHS = (100, 80, 60)
STEPS = [
    ("bayesfloor samples data.csv -y label", "check labels"),
    ("bayesfloor report data.csv -y label", "full report"),
]


def screen(found, width):
    gates = found.gates(max_pair_error=0.2)
    return f"{to_text(found, width, (), STEPS)}\n{'=' * width}\n{to_full_text(found, width, gates, STEPS)}\n"


class Visible(HTMLParser):
    """The text of a page as a reader goes through it, a line for each row and paragraph."""

    BESIDE = ("a", "b", "code", "em", "i", "small", "span", "strong", "td", "text", "th", "title", "tspan")

    def __init__(self):
        super().__init__()
        self.lines, self.hidden = [""], False

    def handle_starttag(self, tag, _attributes):
        self.hidden |= tag in ("style", "script", "head")
        self.lines += [] if tag in self.BESIDE else [""]
        self.lines[-1] += " | " if tag in ("td", "th") else " "

    def handle_endtag(self, tag):
        self.hidden &= tag not in ("style", "script", "head")

    def handle_data(self, data):
        self.lines[-1] += "" if self.hidden else data


def visible(page):
    """The visible text of a page, without the versions at its end."""
    reader = Visible()
    reader.feed(page)
    lines = (re.sub(r"[\s|]*\s[\s|]*$|\s+", " ", line).strip(" ") for line in reader.lines)
    text = "\n".join(line for line in lines if line.strip(" |"))
    return text.rpartition("\nversions\n")[0] + "\n"


FORMS = {
    "md": lambda found: to_markdown(found, found.gates(max_pair_error=0.2)),
    "page.txt": lambda found: visible(make_page(found, command="bayesfloor report data.csv -y label")),
}


def path_of(kind, width, ending="txt"):
    return SCREENS / f"{kind.replace(' ', '_')}-{width}.{ending}"


def form_of(kind, ending):
    return SCREENS / f"{kind.replace(' ', '_')}.{ending}"


@pytest.fixture(params=[pytest.param(kind, marks=pytest.mark.slow if kind == KINDS[-1] else ()) for kind in KINDS])
def kind(request):
    return request.param


@pytest.mark.parametrize("width", WIDTHS)
def test_the_screen_is_as_it_was_looked_at(made, kind, width):
    assert screen(made(kind), width) == path_of(kind, width).read_text("utf-8")


@pytest.mark.parametrize("ending", FORMS)
def test_other_forms_are_as_they_were_looked_at(made, kind, ending):
    """Markdown, and what the page says."""
    assert FORMS[ending](made(kind)) == form_of(kind, ending).read_text("utf-8")


def test_colours_are_as_they_were_looked_at(made, kind, monkeypatch, capsys):
    """Codes, words that decide, and evidence, which is grey."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    Output().result(screen(made(kind), 80))

    assert capsys.readouterr().out == path_of(kind, 80, "ansi").read_text("utf-8")


if __name__ == "__main__":
    import io
    import os
    from contextlib import redirect_stdout
    from runpy import run_path

    kept = run_path(str(Path(__file__).with_name("conftest.py")))
    kept["race_cheaply"]()
    recall = kept["recall"]

    os.environ |= {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    for name in KINDS:
        for columns in WIDTHS:
            path_of(name, columns).write_text(screen(recall(name), columns), "utf-8")
        for kind_of, form in FORMS.items():
            form_of(name, kind_of).write_text(form(recall(name)), "utf-8")
        with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as stream:
            Output().result(screen(recall(name), 80))
        stream.seek(0)
        path_of(name, 80, "ansi").write_text(stream.read(), "utf-8")
