"""The figures of a check by name: for every printed form, and for experiment trackers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayesfloor.answer._answer import NO_LIMIT, TOO_HIGH, TOO_LOW, Answer
from bayesfloor.answer._verdict import guessed_class, target_error
from bayesfloor.engine._show import amount, how_many, join_labels, percent, printable, span
from bayesfloor.engine._types import Floats
from bayesfloor.hazards._dependence import GROUPS, NEAR_DUPLICATES, TIME
from bayesfloor.summary._check_parts import Measured
from bayesfloor.summary._next_step import next_step
from bayesfloor.summary._phrases import accuracy
from bayesfloor.summary._verdict_text import finds_nothing, no_limit
from bayesfloor.summary._weaknesses import MANY_COPIES

HOW = "how we know"
_LEARNERS = 3  # with the lowest errors


def head_line(check: Measured) -> str:
    """Return what was checked, in one line."""
    facts = check.facts
    rows = (
        how_many(facts.n_rows, "row") if facts.n_used == facts.n_rows else f"{facts.n_used:,} of {facts.n_rows:,} rows"
    )
    if check.overall.n_rows > facts.n_used:
        rows = f"{how_many(facts.n_rows, 'row')}, subsampled to {facts.n_used:,} except for the tree bounds"
    if facts.priors is not None and facts.max_rows is None and facts.n_used < facts.n_rows:
        rows += _why_fewer(check)
    parts = [rows, how_many(facts.n_features, "feature"), how_many(facts.n_classes, "class")]
    parts += [how_many(facts.n_groups, _unit(check))] if facts.n_groups is not None else []
    parts += [_proportions(check)] if facts.priors is not None else []
    return " · ".join([*([printable(facts.name)] if facts.name else []), *parts])


def _why_fewer(check: Measured) -> str:
    """Return why an answer for other class proportions uses so few rows."""
    if not check.facts.balanced:
        return " (as many as these class proportions allow)"
    return f" ({amount(check.pairwise.sizes.min())} per class, limited by the rarest)"


def _unit(check: Measured) -> str:
    """Return what a group of rows is called."""
    kind = GROUPS if check.dependence is None else check.dependence.kind
    return {TIME: "block", NEAR_DUPLICATES: "cluster"}.get(kind, "group")


def _proportions(check: Measured) -> str:
    """Return the class proportions that the answer is for."""
    if check.facts.balanced:
        return "balanced classes"
    shares = zip(check.labels, check.facts.priors or (), strict=True)
    return f"class proportions {join_labels([f'{label} {percent(share)} %' for label, share in shares])}"


def settings_line(check: Measured) -> str:
    """Return how the answer was computed, in one line."""
    facts = check.facts
    return f"effort {check.answer.effort} · scale {facts.scale} · {how_many(facts.n_trees, 'tree')}"


def answer_figures(check: Measured) -> Iterator[tuple[str, str]]:
    """Yield the answer's figures as name and text, accuracy and error together, and last what to do next."""
    answer = check.answer
    best = ", not clearly better than guessing" if finds_nothing(answer) else ""
    measure = check.measure
    yield "best estimate", _both(answer.estimate, measure) + best
    yield "range", _range_of_both(answer, check.target, measure)
    yield "guessing", f"{_both(answer.guessing, measure)}: always {guessed_class(answer.guessing, answer.n_classes)}"
    why = f" ({'; '.join(answer.reasons)})" if answer.reasons else ""
    yield "reliability", answer.reliability + why
    if check.gap is not None:
        whole = check.gap.overall
        yield "your model", f"{_both(whole.error, measure)}: {whole.word}"
    if step := next_step(check):
        yield "next", step


def _both(error: float, measure: str) -> str:
    return f"{accuracy(error)} % {measure} (error {percent(error)} %)"


def _range_of_both(answer: Answer, target: float | None, measure: str) -> str:
    """Return the range in accuracy and error; without a lower limit, one end only."""
    aim = None if target is None else target_error(target)
    if np.isnan(answer.useful_lower):
        least = f"at least {accuracy(answer.upper, aim)} % {measure}"
        return f"{least} (error at most {percent(answer.upper, aim)} %; {no_limit(answer)})"
    ends = f"{accuracy(answer.upper, aim)} to {accuracy(answer.lower, aim)} % {measure}"
    return f"{ends} (error {span(answer.lower, answer.upper, aim)})"


def evidence_figures(check: Measured) -> Iterator[tuple[str, str, str]]:
    """Yield what the answer rests on as name, value and note; the tree bounds come last, as evidence only."""
    answer, overall = check.answer, check.overall
    if np.isnan(answer.lower):
        yield "lower end", "none", NO_LIMIT
    else:
        yield "lower end", f"{percent(answer.lower)} %", answer.why_lower
    yield "upper end", f"{percent(answer.upper)} %", answer.why_upper
    yield "cross-validated error", *_learners(answer)
    yield HOW, span(overall.lower, overall.upper), f"tree bounds, {_of_trees(check)}"


def _learners(answer: Answer) -> tuple[str, str]:
    """Return the lowest error, the learner that reached it, and the runners-up."""
    errors = sorted(answer.errors.items(), key=lambda item: (item[1], item[0] != answer.best))
    if not errors:
        return "none", "no learner could be trained"
    (best, least), *others = ((printable(name), f"{percent(error)} %") for name, error in errors[:_LEARNERS])
    then = ", ".join(f"{name} {error}" for name, error in others)
    return least, f"by {best}{'; next ' if then else ''}{then}"


def doubt_about_trees(check: Measured) -> str:
    """Return why the tree bounds are wrong here; empty if there is no reason to doubt them."""
    if check.facts.copies >= MANY_COPIES:
        return TOO_LOW
    return TOO_HIGH if check.answer.contradicts(check.overall.lower) else ""


def _of_trees(check: Measured) -> str:
    if doubt := doubt_about_trees(check):
        return doubt
    return f"from {percent(check.overall.cross_rate)} % cross-class edges"


def metrics(check: Measured) -> dict[str, float]:
    """Return the figures that are known; trackers refuse None, and some draw NaN as zero."""
    answer, model = check.answer, None if check.gap is None else check.gap.overall
    figures = {
        "lowest_error_estimate": answer.estimate,
        "lowest_error_lower": answer.lower,
        "lowest_error_upper": answer.upper,
        "guessing_error": answer.guessing,
        "best_learner_error": answer.errors.get(answer.best, np.nan),
        "hardest_pair_error": _largest(check.pairs.estimate),
        "hardest_class_error": _largest(check.classes.estimate),
        "suspicious_labels": check.suspicious.n_suspect,
        "rows": check.facts.n_rows,
    }
    if model is not None:
        figures |= {"model_error": model.error, "model_error_low": model.low, "model_error_high": model.high}
    return {name: float(value) for name, value in figures.items() if np.isfinite(value)}


def _largest(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.max()) if len(known) else np.nan
