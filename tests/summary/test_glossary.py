"""``explain``: nothing that is printed is left without an explanation."""

import re

import pytest

from bayesfloor.answer._answer import OUT_OF_REACH, REACHABLE, RELIABILITIES, TOO_CLOSE
from bayesfloor.answer._learners import BLEND, REGISTRY
from bayesfloor.decide._features import NO_DIFFERENCE
from bayesfloor.decide._gap import AT, BELOW, NO_ROWS, NOT_SHOWN, ROOM
from bayesfloor.summary import explain, schema
from bayesfloor.summary._explain import CODES, TERMS, field_meanings
from bayesfloor.summary._explain import WORDS as OTHER_WORDS
from bayesfloor.summary._figures import FEW_ROWS, TOO_SMALL, answer_figures, evidence_figures
from bayesfloor.summary._text import class_cells, pair_cells


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


def test_a_field_has_one_meaning_wherever_it_stands():
    """A page of its own lists them, each once."""
    for name, inner in names_in(schema()):
        assert inner["description"] == field_meanings()[name], name


def test_the_list_of_terms_stays_short():
    """Who asks for all of them reads a screen, not a book."""
    assert len(TERMS) <= 25


def test_every_code_of_a_check_is_explained(each):
    """A code without words is a riddle."""
    gates = each.gates(max_error=0.1, max_pair_error=0.1, max_class_error=0.1, baseline=each)
    for item in (*each.findings, *each.traits, *gates):
        assert explain(item.code) == CODES[item.code]


def test_every_doubt_has_a_code(each):
    """A trait without words would break the summary when it first gets weak."""
    assert [trait.code for trait in each.traits] == [code for code in CODES if code.startswith("BF2")]


def test_every_finding_says_where_to_look(each):
    """The attribute it names is there."""
    for finding in each.findings:
        assert not finding.look or hasattr(each, finding.look)
        assert not finding.look or explain(finding.look)


def test_every_term_of_the_left_column_is_explained(made):
    """The summary's names are what readers look up first."""
    names = [name for name, *_ in (*answer_figures(made("chosen")), *evidence_figures(made("wine")))] + ["ruler"]

    assert [name for name in names if not is_known(name)] == []


def test_every_head_of_the_tables_of_pairs_and_classes_is_explained(made):
    """As printed, word for word."""
    labels = made("wine").labels
    heads = {*pair_cells(made("wine"), 1, labels)[0], *class_cells(made("wine"), 1, labels)[0]} - {""}

    assert [name for name in sorted(heads) if not is_known(name)] == []


@pytest.mark.parametrize(
    "term",
    [
        "gate",
        "tree bounds",
        "feature added",
        "kept",
        "gain",
        "95 % interval",
        "feature alone",
        "adjusted",
        "representation",
        "above the best",
        "your model's error",
        "lowest possible error",
    ],
)
def test_every_head_of_a_table_is_explained(term):
    """As printed, word for word."""
    assert explain(term)


def test_every_trait_is_explained_by_its_name(made):
    """Reports list them by these."""
    assert [trait.name for trait in made("wine").traits if not is_known(trait.name)] == []


@pytest.mark.parametrize("name", [*REGISTRY, BLEND])
def test_every_learner_is_explained(name):
    """Their errors are printed under these names."""
    assert explain(name)


WORDS = [
    *(REACHABLE, OUT_OF_REACH, TOO_CLOSE, "ok", "failed", *RELIABILITIES, FEW_ROWS, TOO_SMALL),
    *(ROOM, AT, BELOW, NOT_SHOWN, NO_ROWS, "best", NO_DIFFERENCE, "worse", "Bayes error", "range", "best estimate"),
    *("suspicious labels", "cross-class edges", "intrinsic dimension", "selection", "gap", "learning curve"),
]
GONE = [
    "foretold",
    "as good",
    "envelope",
    "trust",
    "feasible",
    "infeasible",
    "undecided",
    "refuted",
    "small bias",
    "held out",
    "normalised",
]


@pytest.mark.parametrize("word", GONE)
def test_words_that_are_no_longer_used_are_not_explained(word):
    """One term for one thing."""
    assert not is_known(word)
    assert not [
        name
        for name, text in {**CODES, **TERMS, **OTHER_WORDS, **field_meanings()}.items()
        if re.search(rf"\b{word}\b", text)
    ]


@pytest.mark.parametrize("word", WORDS)
def test_every_word_of_an_answer_is_explained(word):
    """These are what a reader meets and wonders about."""
    assert explain(word)


@pytest.mark.parametrize("term", ["BF204", "bf204", " BF204 "])
def test_codes_may_be_written_in_any_case(term):
    """Typed, not pasted."""
    assert explain(term) == CODES["BF204"]


@pytest.mark.parametrize("term", ["cross rate", "cross_rate", "Cross Rate", "at resolution", "upper limit"])
def test_blanks_and_underscores_are_alike(term):
    """Printed with one, named with the other."""
    assert explain(term)


@pytest.mark.parametrize(("term", "meant"), [("intervall", "interval"), ("neighbors", "neighbours")])
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


@pytest.mark.parametrize("name", sorted({*CODES, *TERMS, *OTHER_WORDS, *field_meanings()}))
def test_every_explanation_is_whole_sentences(name):
    """They stand alone on a terminal."""
    text = explain(name)

    assert text.endswith(".")
    assert len(text) > 10
    assert text.isprintable()


def test_codes_have_three_digits_of_a_known_kind():
    """1xx causes, 2xx doubts, 3xx gates, 4xx what may be done."""
    assert all(re.fullmatch(r"BF[1234]\d\d", code) for code in CODES)
