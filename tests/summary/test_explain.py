"""``explain``: nothing that is printed is left without an explanation."""

import re

import pytest

from bayesfloor.answer._answer import CANNOT_SAY, LIKELY, OPEN, OUT_OF_REACH, REACHABLE, UNLIKELY
from bayesfloor.decide._gap import ROOM
from bayesfloor.summary import explain
from bayesfloor.summary._explain import CODES, TERMS
from bayesfloor.summary._findings import TOO_SMALL


def test_every_code_of_a_check_is_explained_and_says_where_to_look(each):
    """A code without words is a riddle; an attribute that it names is there."""
    gates = each.gates(max_error=0.1, max_pair_error=0.1, max_class_error=0.1, baseline=each)
    for item in (*each.findings, *each.traits, *gates):
        assert explain(item.code) == CODES[item.code]
    for finding in each.findings:
        assert not finding.look or hasattr(each, finding.look)
    assert [trait.code for trait in each.traits] == [code for code in CODES if code.startswith("BF2")]


WORDS = [
    *(REACHABLE, LIKELY, OPEN, UNLIKELY, OUT_OF_REACH, CANNOT_SAY, ROOM, TOO_SMALL, "Bayes error", "range", "forecast"),
    *("best estimate", "learning curve"),
    *("suspicious labels", "cross-class edges", "intrinsic dimension", "tree bounds", "gate", "representation"),
]


@pytest.mark.parametrize("word", WORDS)
def test_every_word_of_an_answer_is_explained(word):
    """These are what a reader meets and wonders about."""
    assert explain(word)


def test_case_blanks_and_underscores_do_not_matter():
    """Typed, not pasted; printed with one, named with the other."""
    assert {explain(term) for term in ("BF204", "bf204", " BF204 ")} == {CODES["BF204"]}
    assert {explain(term) for term in ("tree bounds", "tree_bounds", "Tree Bounds")} == {TERMS["tree bounds"]}


@pytest.mark.parametrize(("term", "meant"), [("rangee", "range"), ("best estimat", "best estimate")])
def test_a_slip_is_answered_with_what_is_meant(term, meant):
    """And says what it answers."""
    assert explain(term) == f"{meant}: {explain(meant)}"


@pytest.mark.parametrize(("term", "near"), [("guess", "guessing"), ("BF21", "BF2")])
def test_unknown_terms_are_refused_with_those_near(term, near):
    """A code that is off by a digit means something else."""
    with pytest.raises(ValueError, match=rf"(?i)unknown term {term!r}. Did you mean: .*{near}"):
        explain(term)


@pytest.mark.parametrize("term", ["", "   ", "zzzzzzzz", "x" * 1000])
def test_nonsense_is_refused_with_something_to_ask_for(term):
    """There is always a next step, and no guess where nothing is near."""
    with pytest.raises(ValueError, match=r"^unknown term '[ xz]*'\. To list all: bayesfloor explain\.$"):
        explain(term)


@pytest.mark.parametrize("name", [*CODES, *TERMS])
def test_every_explanation_is_whole_sentences(name):
    """They stand alone on a terminal; the list of terms is a screen, not a book."""
    text = explain(name)

    assert text.endswith(".")
    assert len(text) > 10
    assert text.isprintable()
    assert name in TERMS or re.fullmatch(r"BF[1234]\d\d", name)
    assert len(TERMS) <= 29  # six of them are outcomes
