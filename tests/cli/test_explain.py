"""``bayesfloor explain``: every code and every term, and help with typing errors."""

import pytest

from bayesfloor.summary._explain import CODES, TERMS


@pytest.fixture(scope="module")
def told(run):
    """What is told of every code and every term, by their names and as people type them."""
    terms = [*CODES, *TERMS, "bf204", " Range ", "lowest_possible_error", "TREE BOUNDS"]
    return {term: run("explain", term) for term in terms}


@pytest.mark.parametrize("term", [*CODES, *TERMS])
def test_every_code_and_term_is_explained(told, term):
    """A code that the tool prints and does not know itself is worse than none."""
    ended = told[term]

    assert (ended.code, ended.stderr) == (0, "")
    assert " ".join(ended.stdout.split()) == {**CODES, **TERMS}[term]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("bf204", "BF204"),
        (" Range ", "range"),
        ("lowest_possible_error", "lowest possible error"),
        ("TREE BOUNDS", "tree bounds"),
    ],
)
def test_case_and_blanks_do_not_matter(told, typed, meant):
    """Terms are typed from memory."""
    assert told[typed] == told[meant]


def test_one_term_is_explained_by_the_command_itself(process):
    """The process that people start."""
    ended = process("explain", "BF204")

    assert (ended.code, ended.stderr) == (0, "")
    assert " ".join(ended.stdout.split()) == CODES["BF204"]


def test_without_a_term_all_are_listed(run):
    """It is the table of contents."""
    ended = run("explain")

    assert (ended.code, ended.stderr) == (0, "")
    assert all(f"{code}  " in ended.stdout for code in CODES)
    assert all(term in ended.stdout for term in TERMS)


def test_an_unknown_term_is_an_error_that_names_near_ones(run):
    """One letter is wrong more often than the whole word."""
    ended = run("explain", "guess")

    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.startswith("error: ")
    assert len(ended.stderr.splitlines()) == 1
    assert " guessing" in ended.stderr


def test_a_term_may_have_several_words_and_a_slip(run):
    """Nobody types quotes around them."""
    assert run("explain", "class", "tree") == run("explain", "class tree")
    assert run("explain", "clas", "tree").stdout.startswith("class tree: A tree that")


def test_a_hostile_term_cannot_act_on_the_terminal(run):
    """Terms are pasted, too."""
    ended = run("explain", "\x1b[31mred\nline")

    assert ended.code == 2
    assert "\x1b" not in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
