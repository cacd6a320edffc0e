"""The summary for a terminal: the answer first, each figure by its name."""

import re
from dataclasses import replace

import numpy as np
import pytest

from bayesfloor.engine._show import cells, percent, range_text, span
from bayesfloor.summary._text import HOW, align, figure_lines, figures, head_line, ruler, to_text, unmeasured


def figure(found, name):
    """Value and note of a figure."""
    return next((value, note) for each, value, note in figures(found) if each == name)


def test_the_answer_comes_first(each):
    """Then what was looked at, then the figures."""
    text = " ".join(repr(each).split())

    assert text.startswith(f"{each.verdict} {' '.join(head_line(each).split())} best estimate ")


def test_all_figures_are_those_of_the_answer(each):
    """Best estimate, both ends with what they rest on, guessing, reliability with its reasons."""
    answer = each.answer

    assert figure(each, "best estimate")[0] == f"{percent(answer.estimate)} % error"
    assert figure(each, "range, upper end") == (f"{percent(answer.upper)} %", answer.why_upper)
    assert figure(each, "guessing")[0] == f"{percent(answer.guessing)} %"
    assert figure(each, "reliability") == (answer.reliability, "; ".join(answer.reasons))


def test_a_lower_end_that_there_is_not_is_not_printed(each):
    """Two numbers look like an interval; here one of them would be none."""
    value, note = figure(each, "range, lower end")
    there = np.isfinite(each.answer.lower)

    assert value == (f"{percent(each.answer.lower)} %" if there else "none")
    assert note == (each.answer.why_lower if there else "these data give no lower limit")


def test_tree_bounds_are_evidence_and_nothing_else(each):
    """They stand in one line, called what they are, and nowhere as a result."""
    bounds = span(each.overall.lower, each.overall.upper)
    lines = [line for line in repr(each).splitlines() if bounds in line]
    others = {range_text(each.answer.lower, each.answer.upper)}
    others |= {range_text(*ends) for ends in zip(each.classes.lower, each.classes.upper, strict=True)}

    assert figure(each, HOW)[0] == bounds
    assert figure(each, HOW)[1].startswith("tree bounds, ")
    assert [line for line in lines if not line.startswith(HOW)] == [] or bounds in others
    assert list(figures(each))[-1][0] == HOW


def test_tree_bounds_above_the_best_estimate_are_marked(made, altered):
    """No number is left alone that is known to be wrong."""
    found = made("iris")
    below, within = (altered(found, answer={"estimate": found.overall.lower + step}) for step in (-0.001, 0.001))

    assert figure(below, HOW)[1] == "tree bounds, too high here: sparse data"
    assert figure(within, HOW)[1] == f"tree bounds, from {percent(found.overall.cross_rate)} % cross-class edges"


def test_the_head_says_what_was_looked_at(made):
    """Rows, features, classes, scale, trees."""
    assert head_line(made("iris")) == "iris · 150 rows · 4 features · 3 classes · scale none · 3 trees · effort normal"
    assert " · 40 groups · " in head_line(made("groups"))
    assert head_line(made("sampled")).startswith("300 of 50,100 rows · ")
    assert head_line(made("all rows")).startswith("1,500 rows, subsampled to 300 but for the tree bounds · 2 ")


def test_the_head_takes_millions_of_rows(made):
    """As many digits as there are."""
    found = replace(made("iris"), facts=replace(made("iris").facts, n_rows=1_234_567, n_used=1_234_567))

    assert "1,234,567 rows" in head_line(found)


def test_all_learners_shown_are_the_best(each):
    """Three at most, the best first."""
    value, note = figure(each, "cross-validated error")
    best = [f"{percent(error)} %" for error in sorted(each.answer.errors.values())[:3]]

    assert [value, *re.findall(r"[0-9.]+ %", note)] == best


def test_without_a_learner_there_is_no_error(made, altered):
    """Too few rows to train any."""
    found = altered(made("two rows a class"), answer={"errors": {}, "best": ""})

    assert figure(found, "cross-validated error") == ("none", "no learner could be trained")


def test_pairs_too_small_to_measure_are_counted(made):
    """What is not listed is accounted for."""
    assert unmeasured(made("iris")).startswith("2 of 3 pairs too small to measure")
    assert unmeasured(made("separate")).startswith("3 of 3 pairs too small to measure")
    assert unmeasured(made("target")) == "no pair is too small to measure"


def test_pairs_too_small_to_measure_are_not_listed(made):
    """No table where there is nothing to rank."""
    assert "hardest pairs" not in repr(made("separate"))
    assert "0 and 1 " not in repr(made("iris"))


def test_ranges_are_said_not_to_hold_together(made):
    """Once, under the tables; of two classes there is one range."""
    assert repr(made("iris")).count("not all of them together") == 1
    assert "together" not in repr(made("two classes"))


def test_classes_with_few_rows_are_marked(made):
    """A number would be read."""
    assert "too few rows" in repr(made("two rows a class"))


def test_the_ruler_marks_the_range_and_the_best_estimate(made, altered):
    """From 0 to the error of guessing; without a lower end the range begins at 0."""
    ends = {"guessing": 0.5, "lower": 0.1, "estimate": 0.15, "upper": 0.25}
    found = altered(replace(made("two classes"), target=None), answer=ends)
    open_end = altered(found, answer={"lower": np.nan})

    assert ruler(found) == f"0 ▕{'─' * 10}{'█' * 5}◆{'█' * 10}{'─' * 24}▏ 50.0 %   ◆ best estimate"
    assert ruler(open_end) == f"0 ▕{'█' * 15}◆{'█' * 10}{'─' * 24}▏ 50.0 %   ◆ best estimate"


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


def test_no_line_has_trailing_blanks(each):
    """Diffs and editors complain of them."""
    assert all(line == line.rstrip() for line in repr(each).splitlines())


def test_there_are_no_two_blank_lines(each):
    """One screen."""
    assert "\n\n\n" not in repr(each)
    assert not repr(each).endswith("\n")


def test_no_absurd_number_is_printed(each):
    """Not one."""
    text = repr(each)

    assert not [bad for bad in ("nan", "inf ", "-0.0", "100.00", "e+0", "e-1", "None") if bad in text.lower()]


def test_sentences_are_wrapped(each):
    """Tables may be wider, prose may not, unless a label is."""
    lines = to_text(each, 60).splitlines()
    prose = [line for line in lines if line.startswith(("BF1", "BF2", "       "))]

    assert all(len(line) <= 60 or max(map(len, line.split())) > 20 for line in prose)


def test_wrapping_changes_no_word(each):
    """Only where lines end."""
    assert to_text(each, 60).split() == to_text(each, 200).split()


def test_columns_stand_one_below_the_other():
    """Wide characters take two columns of a terminal."""
    lines = align([("name", "x"), ("漢字", "10"), ("abcdef", "1")])

    assert lines == ["name     x", "漢字    10", "abcdef   1"]
    assert {cells(line) for line in lines} == {10}


def test_figures_stand_one_below_the_other(each):
    """Names to the left, all as wide."""
    lines = figure_lines(each)[:-1]

    assert all(line[21:23] == "  " for line in lines)
    assert all(cells(line) <= 100 for line in lines[:-1])


def test_a_number_is_never_parted_from_its_percent_sign(each):
    """Wherever lines end."""
    for width in (40, 60, 73, 100):
        assert not [line for line in to_text(each, width).splitlines() if line.strip().startswith("%")]


def test_labels_of_hostile_data_stay_apart_in_the_table(made):
    """Each class is a line of its own."""
    found = made("hostile")
    text = repr(found)

    assert found.labels[0] in text or len(found.labels) > 5
    assert len(text.splitlines()) < 60


def test_the_summary_fits_a_screen(each):
    """It is read at a glance, whatever the number of classes."""
    assert len(repr(each).splitlines()) <= 50
