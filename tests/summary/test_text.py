"""The summary for a terminal: the answer on one screen, and everything that was measured."""

import re
from dataclasses import replace

import numpy as np
import pytest

from bayesfloor.summary import _text
from bayesfloor.summary._figures import (
    HOW,
    answer_figures,
    evidence_figures,
    head_line,
    loss_text,
    settings_line,
)
from bayesfloor.summary._text import ONLY_IN_FULL_TEXT, align, ruler, to_full_text, to_text, unmeasured
from bayesfloor.summary._verdict import about_text, accuracy, reason_text, score_text
from bayesfloor.support._words import cells, percent, range_text, span

WIDTHS = (100, 80, 60)


def figure(found, name):
    return next(rest for each, *rest in (*answer_figures(found), *evidence_figures(found)) if each == name)


def joined(text):
    return " ".join(text.split())


def test_all_figures_are_those_of_the_answer(each):
    """Accuracy and error together, both ends, guessing, reliability with its reasons."""
    answer = each.answer
    of_errors = answer.of.of_errors
    best = f"{accuracy(answer.estimate)} % accuracy (error {percent(answer.estimate)} %)"
    best = best if of_errors else f"{answer.of.words} {score_text(answer.of, answer.estimate)}"
    guessing = f"(error {percent(answer.guessing)} %)" if of_errors else score_text(answer.of, answer.guessing)
    end = f"{percent(answer.upper)} %" if of_errors else score_text(answer.of, answer.upper)

    assert figure(each, "best estimate")[0].startswith(best)
    assert figure(each, "upper end" if of_errors else "shown") == [end, reason_text(answer.why_upper, answer)]
    assert guessing in figure(each, "guessing")[0]
    why = f" ({'; '.join(reason_text(reason, answer) for reason in answer.reasons)})" if answer.reasons else ""
    assert figure(each, "reliability") == [f"{answer.reliability}{why}"]
    for other in each.beside.values():
        assert figure(each, other.of.words.removesuffix(" accuracy"))[0].startswith(about_text(other))


def test_a_lower_end_that_there_is_not_is_not_printed(each):
    """Two numbers look like an interval; here one of them would be none."""
    answer, (told,) = each.answer, figure(each, "range")
    value, note = figure(each, "lower end" if answer.of.of_errors else "other end")
    there = bool(np.isfinite(answer.lower))
    none = f"these data give no {'upper' if answer.metric == 'roc_auc' else 'lower'} limit"

    assert value == (f"{percent(answer.lower)} %" if there else "none")
    assert note == (reason_text(answer.why_lower) if there else none)
    assert (none in told) is not there
    if there:
        ends = f"{accuracy(answer.upper)} to {accuracy(answer.lower)} % accuracy"
        assert told == f"{ends} (error {span(answer.lower, answer.upper)})"


def test_tree_bounds_are_evidence_and_nothing_else(each):
    """They stand in one line of the full text, called what they are, and nowhere as a result."""
    bounds = span(each.overall.lower, each.overall.upper)
    lines = [line for line in to_full_text(each).splitlines() if bounds in line]
    others = {range_text(each.answer.lower, each.answer.upper)}
    others |= {range_text(*ends) for ends in zip(each.classes.lower, each.classes.upper, strict=True)}

    assert figure(each, HOW)[0] == bounds
    assert figure(each, HOW)[1].startswith("tree bounds, ")
    assert [line for line in lines if not line.startswith(HOW)] == [] or bounds in others
    assert HOW not in to_text(each)


def test_tree_bounds_above_the_best_estimate_are_marked(made, altered):
    """No number is left alone that is known to be wrong."""
    found = made("iris")
    below, within = (altered(found, answer={"estimate": found.overall.lower + step}) for step in (-0.001, 0.001))

    assert figure(below, HOW)[1] == "tree bounds, too high here"
    assert figure(within, HOW)[1] == f"tree bounds, from {percent(found.overall.cross_rate)} % cross-class edges"


def test_the_head_says_what_was_looked_at(made):
    assert head_line(made("iris")) == "iris · 150 rows · 4 features · 3 classes"
    assert settings_line(made("iris")) == "effort normal · scale none · 3 trees"
    assert head_line(made("groups")).endswith(" · 40 groups")
    assert head_line(made("sampled")).startswith("300 of 50,100 rows · ")


def test_all_learners_shown_are_the_best(each):
    """Three at most, the best first."""
    answer = each.answer
    value, note = figure(each, f"cross-validated {'error' if answer.of.of_errors else answer.of.words}")
    best = [loss_text(answer, error) for error in sorted(answer.errors.values())[:3]]

    assert [value, *re.findall(r"[0-9.]+(?: %)?(?=,|$)", note)] == best


def test_pairs_too_small_to_measure_are_counted_and_no_learner_has_no_error(made, altered):
    """What is not listed is accounted for."""
    assert unmeasured(made("iris")).startswith("2 of 3 pairs too small to measure")
    assert unmeasured(made("separate")).startswith("3 of 3 pairs too small to measure")
    assert unmeasured(made("target")) == "no pair is too small to measure"

    found = altered(made("two rows a class"), answer={"errors": {}, "best": ""})

    assert figure(found, "cross-validated error") == ["none", "no learner could be trained"]


def test_the_ruler_marks_the_range_and_zooms_to_where_the_answer_is(made, altered):
    """From 0 to the error of guessing, where a small error would be a dot; without a lower end it begins at 0."""
    ends = {"guessing": 0.5, "lower": 0.1, "estimate": 0.15, "upper": 0.25}
    found = altered(replace(made("two classes"), target=None), answer=ends)
    open_end = altered(found, answer={"lower": np.nan})

    assert ruler(found) == f"0 ▕{'─' * 10}{'█' * 5}◆{'█' * 10}{'─' * 24}▏ 50 % error  ◆ best"
    assert ruler(open_end) == f"0 ▕{'█' * 15}◆{'█' * 10}{'─' * 24}▏ 50 % error  ◆ best"

    ends = {"guessing": 0.9, "lower": 0.001, "estimate": 0.01, "upper": 0.02}
    found = altered(replace(made("two classes"), target=None), answer=ends)

    assert ruler(found).endswith("▏ 3 % error  ◆ best")
    assert ruler(found).count("█") > 25
    assert ruler(replace(found, target=0.9)).endswith("▏ 15 % error  ◆ best  ┃ target")


@pytest.mark.parametrize(("target", "marks"), [(0.848, "◆┃"), (0.852, "┃◆")])
def test_a_target_at_the_best_estimate_stands_beside_it(made, altered, target, marks):
    """On the side where it is: both are seen."""
    ends = {"guessing": 0.5, "lower": 0.1, "estimate": 0.15, "upper": 0.25}

    assert marks in ruler(altered(replace(made("two classes"), target=target), answer=ends))


@pytest.mark.parametrize("target", [0.0001, 0.5, 0.9, 0.999, 1.0])
def test_the_ruler_marks_the_target(each, target):
    """Once, inside, wherever it lies."""
    line = ruler(replace(each, target=target))

    assert line.count("┃") == 2
    assert len(line[line.index("▕") : line.index("▏")]) == 51


@pytest.mark.parametrize(("lower", "upper"), [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 0.5)])
def test_the_ruler_takes_any_range(made, altered, lower, upper):
    """At either end, or with no width."""
    found = altered(made("two classes"), answer={"lower": lower, "estimate": lower, "upper": upper})

    assert ruler(found).count("◆") == 2
    assert len(ruler(found)[ruler(found).index("▕") : ruler(found).index("▏")]) == 51


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("form", [to_text, to_full_text])
class TestEveryWidth:
    """What holds for the screen and the full text, at every width."""

    def test_no_line_is_too_wide(self, each, form, width):
        """A terminal would break it inside a word; only a single long word may stand out."""
        lines = [line for line in form(each, width).splitlines() if cells(line) > width]

        assert not [line for line in lines if len(line.split()) > 2]

    def test_layout_is_clean(self, each, form, width):
        """No trailing blanks, no two blank lines, no percent sign at the start of a line."""
        text = form(each, width)

        assert all(line == line.rstrip() for line in text.splitlines())
        assert "\n\n\n" not in text
        assert text == text.strip("\n")
        assert not [line for line in text.splitlines() if line.strip().startswith("%")]

    def test_no_absurd_number_is_printed(self, each, form, width):
        text = form(each, width).lower()

        assert not [bad for bad in (" nan", "inf ", "-0.0", "100.00", "e+0", "e-1") if bad in text]


@pytest.mark.parametrize("width", [100, 80])
def test_the_answer_fits_a_screen(each, width):
    """24 lines: it is read at a glance, whatever the number of classes."""
    assert len(to_text(each, width).splitlines()) <= 24


def test_wrapping_changes_no_word_of_the_findings(each):
    """Only where lines end."""
    for width in WIDTHS:
        text = joined(to_full_text(each, width))
        assert all(joined(f"{finding.code} {finding.text}") in text for finding in each.findings)


def test_one_screen_has_the_three_main_findings(each):
    """And says how many more there are; those that call for no action are not among them."""
    found = [finding for finding in each.findings if finding.code not in ONLY_IN_FULL_TEXT]
    text = joined(to_text(each, 200))

    assert all(joined(f"{finding.code} {finding.headline}") in text for finding in found[:3])
    assert ("more finding" in text) is (len(found) > 3)


def test_columns_stand_one_below_the_other_and_are_dropped_by_importance():
    """The least important first; wide characters take two columns of a terminal."""
    rows = [("a long name", "best", "least", "last"), ("x", "1", "2", "3")]

    assert align(rows, 30, (2, 3)) == ["a long name  best  least  last", "x               1      2     3"]
    assert align(rows, 29, (2, 3)) == ["a long name  best  last", "x               1     3"]
    assert align(rows, 18, (2, 3)) == ["a long name  best", "x               1"]
    assert align(rows, 15, (2, 3)) == ["a long n…  best", "x             1"]

    lines = align([("name", "x"), ("漢字", "10"), ("abcdef", "1")], 80)

    assert lines == ["name     x", "漢字    10", "abcdef   1"]
    assert {cells(line) for line in lines} == {10}


def test_gates_are_listed_and_a_target_alone_is_in_the_verdict(made):
    """The verdict says what came of it."""
    found, failed = replace(made("target"), target=0.85), made("target")
    alone, two = found.gates(), found.gates(max_error=0.5)

    assert alone[0].word == "open"
    assert "BF301" not in to_text(found, gates=alone)
    assert "BF301          failed: " in to_text(failed, gates=failed.gates())  # explains exit code 1
    assert joined(f"BF301 {two[0].word}: {two[0].text} BF302 {two[1].word}: {two[1].text}") in joined(
        to_text(found, gates=two)
    )


@pytest.mark.parametrize(("installed", "typed"), [(True, ".suspicious.frame()"), (False, ".suspicious.to_dict()")])
def test_labels_are_checked_with_what_is_installed(made, monkeypatch, installed, typed):
    """A data frame needs pandas."""
    monkeypatch.setattr(_text, "find_spec", lambda _: installed or None)

    assert f"check labels   {typed}" in to_text(made("wine"))


@pytest.mark.parametrize("width", [40, 100])
def test_what_to_do_next_says_what_it_is_for(made, width):
    """At any width; commands are never broken."""
    text = to_text(made("iris"), width, steps=[("bayesfloor report iris.csv -y label", "full report")])

    assert text.endswith("\n\nfull report    bayesfloor report iris.csv -y label")
