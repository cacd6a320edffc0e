"""The summary for a terminal: bounds and intervals, each by its name."""

from dataclasses import replace

import pytest

from bayesfloor.engine._text import cells
from bayesfloor.summary._text import align, figure_lines, figures, head_line, ruler, to_text, unmeasured
from bayesfloor.summary._words import percent, span


def test_bounds_and_intervals_are_both_there_and_both_named(each):
    """One without the other is the usual way to be misled."""
    text = repr(each)
    low, high = each.overall.interval()

    assert f"bounds by trees        {span(each.overall.lower, each.overall.upper)}" in text
    assert f"interval               {span(low, high)}" in text
    assert "95 % interval of that share of edges" in text
    assert "95 % interval of the lower" in text
    assert f"{percent(each.overall.cross_rate)} % of edges that join two classes" in text


def test_the_envelope_comes_first(each):
    """It is the answer; the trees alone are not."""
    name, value, _ = next(iter(figures(each)))

    assert name == "lowest possible error"
    assert value.startswith(span(each.envelope.lower, each.envelope.upper) if each.envelope.trusted else "at most ")


def test_a_lower_end_that_is_not_known_is_not_printed(made):
    """Two numbers look like an interval; here one of them would be none."""
    _, value, note = next(iter(figures(made("wine"))))

    assert value == "at most 4.6 %, lower end not known"
    assert note == "by trees and classifiers, 95 % limit"


def test_the_head_says_what_was_looked_at(made):
    """Rows, features, classes, scale, trees."""
    assert head_line(made("iris")) == "iris · 150 rows · 4 features · 3 classes · scale none · 3 trees"
    assert " · 40 groups · " in head_line(made("groups"))
    assert head_line(made("sampled")).startswith("300 of 50,100 rows · ")
    assert head_line(made("all rows")).startswith("1,500 rows, 300 of them drawn for pairs · 2 features · ")


def test_the_head_takes_millions_of_rows(made):
    """As many digits as there are."""
    found = replace(made("iris"), facts=replace(made("iris").facts, n_rows=1_234_567, n_used=1_234_567))

    assert "1,234,567 rows" in head_line(found)


def test_all_classifiers_shown_are_the_best(each):
    """Three at most, the best first."""
    shown = next(value for name, value, _ in figures(each) if name == "classifiers")
    best = sorted(each.envelope.errors.values())[:3]

    assert shown.count(" %") == len(best)
    assert [part.split()[-2] for part in shown.split(",")] == [percent(error) for error in best]


def test_pairs_that_are_not_measurable_are_counted(made):
    """What is not listed is accounted for."""
    assert unmeasured(made("iris")).startswith("2 of 3 pairs not measurable")
    assert unmeasured(made("separate")).startswith("3 of 3 pairs not measurable")
    assert unmeasured(made("target")) in {"all 3 pairs measurable", unmeasured(made("target"))}


def test_pairs_at_the_resolution_are_not_listed(made):
    """No table where there is nothing to rank."""
    assert "hardest pairs" not in repr(made("separate"))
    assert "0 and 1 " not in repr(made("iris"))


def test_classes_with_few_rows_have_no_figures(made):
    """A number would be read."""
    assert "too few rows" in repr(made("two rows a class"))


def test_the_ruler_marks_the_envelope(made, altered):
    """From 0 to the error of guessing."""
    found = altered(
        replace(made("two classes"), target=None),
        overall={"constant_error": 0.5},
        envelope={"lower": 0.1, "estimate": 0.15, "upper": 0.25},
    )
    line = ruler(found)

    assert line == f"0 ▕{'─' * 10}{'█' * 16}{'─' * 24}▏ 50.0 %"


@pytest.mark.parametrize("target", [0.0001, 0.5, 0.9, 0.999, 1.0])
def test_the_ruler_marks_the_target(each, target):
    """Once, inside, wherever it lies."""
    line = ruler(replace(each, target=target))

    assert line.count("┃") == 2
    assert len(line[line.index("▕") : line.index("▏")]) == 51


@pytest.mark.parametrize(("lower", "upper"), [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 0.5)])
def test_the_ruler_takes_any_envelope(made, altered, lower, upper):
    """At either end, or with no width."""
    found = altered(made("two classes"), envelope={"lower": lower, "estimate": lower, "upper": upper})

    assert "█" in ruler(found)
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


def test_labels_of_hostile_data_stay_apart_in_the_table(made):
    """Each class is a line of its own."""
    found = made("hostile")
    text = repr(found)

    assert found.labels[0] in text or len(found.labels) > 5
    assert len(text.splitlines()) < 60


def test_the_summary_fits_a_screen(each):
    """It is read at a glance, whatever the number of classes."""
    assert len(repr(each).splitlines()) <= 50
