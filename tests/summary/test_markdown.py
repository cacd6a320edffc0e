"""The summary as Markdown: the same figures, and no label that breaks out."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesfloor.summary._figures import HOW, answer_figures, evidence_figures
from bayesfloor.summary._markdown import escape, to_markdown


def tables(text):
    found = re.findall(r"(?:^\|.*\|$\n?)+", text, flags=re.MULTILINE)
    return [[re.split(r"(?<!\\)\|", line)[1:-1] for line in table.splitlines()] for table in found]


def test_every_table_has_as_many_cells_in_every_row(each):
    """A bar in a label would move all figures to the right."""
    gates = each.gates(max_error=0.1, max_pair_error=0.1, max_class_error=0.1)
    for table in tables(to_markdown(each, gates)):
        assert len({len(row) for row in table}) == 1
        assert len(table) > 2
        assert {cell.strip() for cell in table[1]} == {"---"}


def test_all_figures_of_the_terminal_are_there(each):
    """Two forms of one summary; the tree bounds are not bold, because they are not a result."""
    text = each.to_markdown()
    for name, value in answer_figures(each):
        assert f"| {name} | **{escape(value)}** |" in text
    for name, value, note in evidence_figures(each):
        shown = escape(value) if name == HOW else f"**{escape(value)}**"
        assert f"| {name} | {shown} | {escape(note)} |" in text
    for finding in each.findings:
        assert f"- `{finding.code}` {escape(finding.text)}" in text


def test_every_line_is_a_table_a_list_a_heading_or_prose(each):
    """No label starts a block of its own."""
    for line in each.to_markdown().splitlines():
        assert not re.match(r"\s{4}|\t|>|~~~|```|\d+[.)] |[-+*] (?!`BF)|=+$|---", line), line


@pytest.mark.parametrize("name", ["- item", "1. item", "+ item", "    code", "> quote", "# head", "* star"])
def test_names_of_data_start_no_block(made, name):
    """A file may be called anything, and its name begins a line."""
    found = replace(made("iris"), facts=replace(made("iris").facts, name=name))
    line = found.to_markdown().splitlines()[2]

    assert "150 rows" in line
    assert not re.match(r"\s{4}|\t|>|#|\d+[.)] |[-+*] ", line)


@pytest.mark.parametrize("character", r"\`*_{}[]<>#|~$&@")
def test_every_special_character_is_escaped(character):
    """By a backslash, or by its number where hosts look through backslashes; other words stay plain."""
    assert escape(character) in {f"\\{character}", f"&#{ord(character)};"}
    assert escape(f"a{character}b") == f"a{escape(character)}b"
    assert escape("Grüße, 漢字 (a-b) 3.5 %!") == "Grüße, 漢字 (a-b) 3.5 %!"


@given(st.text())
def test_escapes_can_be_taken_back_and_leave_no_tag_or_entity(text):
    """Nothing is lost, no two texts become one, and HTML in Markdown is HTML."""
    escaped = escape(text)
    back = re.sub(r"&#(\d+);|\\(.)", lambda m: chr(int(m[1])) if m[1] else m[2], escaped)

    assert back == text
    assert not {"<", ">"} & set(escaped)
    assert not re.search(r"&(?!#\d+;)", escaped)
    assert not re.search(r"(?<!\\)\|", escaped.replace("\\\\", ""))


def test_addresses_are_no_links():
    """A link in a pull request that a label put there is an attack."""
    assert "://" not in escape("http://example.org")
    assert "www." not in escape("www.example.org")
    assert "@" not in escape("@someone me@example.org")
