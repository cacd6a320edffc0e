"""``explain``: nothing that is printed is left without an explanation."""

import re

import pytest

from bayesfloor.summary import explain, schema
from bayesfloor.summary._findings import _TRUST_WORDS
from bayesfloor.summary._glossary import CODES, TERMS
from bayesfloor.summary._text import figure_lines, figures


def names_in(part):
    """All property names of a schema, with their descriptions."""
    for name, inner in part.get("properties", {}).items():
        yield name, inner
        yield from names_in(inner)
    for key in ("items", "additionalProperties"):
        if isinstance(part.get(key), dict):
            yield from names_in(part[key])


def is_known(term):
    """Whether a term is explained."""
    try:
        return bool(explain(term))
    except ValueError:
        return False


@pytest.mark.parametrize("name", sorted({name for name, _ in names_in(schema())}))
def test_every_name_in_the_schema_is_explained(name):
    """Who reads the JSON asks by its names."""
    assert explain(name)


def test_the_schema_says_what_the_glossary_says():
    """Two texts for one thing drift apart."""
    for name, inner in names_in(schema()):
        assert inner["description"] == explain(name), name


def test_every_code_of_a_check_is_explained(each):
    """A code without words is a riddle."""
    gates = each.gates(max_error=0.1, max_pair_error=0.1, max_class_error=0.1, baseline=each)
    for item in (*each.findings, *each.trust.traits, *gates):
        assert explain(item.code) == CODES[item.code]


def test_every_doubt_has_its_words():
    """A trait without words would break the summary when it first gets weak."""
    assert set(_TRUST_WORDS) == {code for code in CODES if code.startswith("BF2")}


def test_every_finding_says_where_to_look(each):
    """The attribute it names is there."""
    for finding in each.findings:
        assert not finding.look or hasattr(each, finding.look)
        assert not finding.look or explain(finding.look)


def test_every_term_of_the_left_column_is_explained(made):
    """The summary's names are what readers look up first."""
    names = {line.split("  ")[0].strip() for line in figure_lines(made("wine"))} - {""}

    assert {name for name, _, _ in figures(made("wine"))} | {"ruler"} == names
    assert [name for name in sorted(names) if not is_known(name)] == []


@pytest.mark.parametrize(
    "term",
    [
        "hardest pairs",
        "hardest classes",
        "bounds",
        "95 % interval of the lower",
        "held out",
        "normalised",
        "rows",
        "gate",
        "feature added",
        "kept",
        "gain",
        "95 % interval of the gain",
        "feature alone",
        "adjusted",
        "representation",
        "above the best",
        "95 % interval of that",
        "your model errs on",
    ],
)
def test_every_head_of_a_table_is_explained(term):
    """As printed, word for word."""
    assert explain(term)


def test_every_trait_is_explained_by_its_name(made):
    """The line of trust names the weak ones."""
    assert [trait.name for trait in made("wine").trust.traits if not is_known(trait.name)] == []


@pytest.mark.parametrize("name", ["neighbours", "linear", "quadratic", "forest", "blend", "kernel", "boosting"])
def test_every_classifier_is_explained(name):
    """Their errors are printed under these names."""
    assert explain(name)


WORDS = [
    *("feasible", "infeasible", "undecided", "small bias", "unknown", "refuted", "ok", "best", "as good", "worse"),
    *("room left", "at the floor", "below the floor", "between the bounds", "room not shown", "no rows"),
    *("not measurable", "selection", "gap", "learning curve"),
]


@pytest.mark.parametrize("word", WORDS)
def test_every_word_of_an_answer_is_explained(word):
    """These are what a reader meets and wonders about."""
    assert explain(word)


@pytest.mark.parametrize("term", ["BF204", "bf204", " BF204 "])
def test_codes_may_be_written_in_any_case(term):
    """Typed, not pasted."""
    assert explain(term) == CODES["BF204"]


@pytest.mark.parametrize("term", ["held out", "held_out", "Held Out", "at resolution", "upper limit"])
def test_blanks_and_underscores_are_alike(term):
    """Printed with one, named with the other."""
    assert explain(term)


@pytest.mark.parametrize(("term", "near"), [("intervall", "interval"), ("BF21", "BF2"), ("neighbors", "neighbours")])
def test_unknown_terms_are_refused_with_those_near(term, near):
    """A slip of the pen is answered, not just refused."""
    with pytest.raises(ValueError, match=rf"(?i)nothing is called {term!r} here. Near it: .*{near}"):
        explain(term)


@pytest.mark.parametrize("term", ["", "   ", "zzzzzzzz", "x" * 1000])
def test_nonsense_is_refused_with_something_to_ask_for(term):
    """There is always a next step."""
    with pytest.raises(ValueError, match=r"Near it: \w+"):
        explain(term)


@pytest.mark.parametrize("name", [*CODES, *TERMS])
def test_every_explanation_is_whole_sentences(name):
    """They stand alone on a terminal."""
    text = explain(name)

    assert text.endswith(".")
    assert len(text) > 10
    assert text.isprintable()


def test_codes_have_three_digits_of_a_known_kind():
    """1xx causes, 2xx doubts, 3xx gates, 4xx what may be done."""
    assert all(re.fullmatch(r"BF[1234]\d\d", code) for code in CODES)
