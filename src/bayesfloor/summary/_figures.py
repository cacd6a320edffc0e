"""Figures and tables of a check by name, for every form in which it is shown; and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np

from bayesfloor.answer._answer import (
    TOO_HIGH,
    TOO_LOW,
    Answer,
    Basis,
    guessed_class,
)
from bayesfloor.answer._hazards import DUPLICATES, GROUPS, NEAR_DUPLICATES, TIME
from bayesfloor.answer._metrics import CLASSES, IN_PERCENT, METRICS, Metric, score_text
from bayesfloor.answer._pairs_and_classes import PairAnswers
from bayesfloor.decide._features import SelectionPath
from bayesfloor.decide._gap import Gap, GapLines
from bayesfloor.decide._importances import Importances
from bayesfloor.decide._representations import Comparison
from bayesfloor.floor._results import PairwiseFloor
from bayesfloor.hierarchy._class_tree import ClassTree
from bayesfloor.hierarchy._cuts import pair_tree
from bayesfloor.plotting._forecast_display import ranked
from bayesfloor.summary._data_findings import MANY_COPIES
from bayesfloor.summary._facts import Facts
from bayesfloor.summary._findings import TOO_SMALL, Measured
from bayesfloor.summary._more_rows import all_rows_text
from bayesfloor.summary._next import budget_text, more_rows, next_text
from bayesfloor.summary._scores import about_text, ends_text, guess_text, model_text, no_end
from bayesfloor.summary._verdict import (
    NO_LIMIT,
    finds_nothing,
    no_limit,
    points,
    reason_text,
)
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import (
    about,
    accuracy,
    amount,
    how_many,
    join_labels,
    number_text,
    percent,
    printable,
    show_labels,
    span,
)

HOW = "how we know"
_BY_OUTLIERS = "not known: outliers decide it"
_LEARNERS = 3  # with the lowest errors


def head_line(check: Measured) -> str:
    """Return what was checked, in one line."""
    facts, more = check.facts, check.all_rows
    rows = (
        f"{max(facts.n_used, 0 if more is None else more.n_used):,} of {facts.n_rows:,} rows"
        if facts.n_used < facts.n_rows
        else how_many(facts.n_rows, "row")
    )
    parts = [printable(facts.name)] if facts.name else []
    parts += [rows, how_many(facts.n_features, "feature")]
    parts += [how_many(facts.n_classes, "class")] if facts.task == CLASSES else [_as_numbers(facts)]
    if facts.n_groups is not None:
        kind = GROUPS if check.dependence is None else check.dependence.kind
        parts.append(
            how_many(facts.n_groups, {TIME: "block", DUPLICATES: "set", NEAR_DUPLICATES: "cluster"}.get(kind, "group"))
        )
    if facts.balanced:
        parts.append("balanced classes")
    elif facts.priors is not None:
        shares = zip(check.labels, facts.priors, strict=True)
        parts.append(f"class proportions {join_labels([f'{label} {percent(share)} %' for label, share in shares])}")
    return " · ".join(parts)


def _as_numbers(facts: Facts) -> str:
    """Say that the labels are numbers and, if nobody said so, how to change it."""
    return "y as numbers" + (" (--task classes, or task=, for classes)" if facts.task_guessed else "")


def settings_line(check: Measured) -> str:
    """Return how the answer was computed, in one line."""
    facts = check.facts
    if facts.task != CLASSES:
        return f"effort {check.answer.effort} · scale {facts.scale}"
    return f"effort {check.answer.effort} · scale {facts.scale} · {how_many(facts.n_trees, 'tree')}"


def answer_figures(check: Measured) -> Iterator[tuple[str, str]]:
    """Yield the answer's figures as name and text, accuracy and error together, and last what to do next."""
    answer = check.answer
    best = ", not clearly better than guessing" if finds_nothing(answer) else ""
    measure = check.measure
    unknown = answer.has(Basis.OUTLIERS)
    yield "best estimate", _BY_OUTLIERS if unknown else _score(answer, answer.estimate, measure) + best
    if not unknown:
        yield "range", _range_of_both(answer, check.target, measure)
    for other in check.beside.values():
        told = _BY_OUTLIERS if other.has(Basis.OUTLIERS) else about_text(other)
        name = other.of.words.removesuffix(" accuracy")
        yield name, f"{told}; guessing {score_text(other.of, other.guessing)}"
    if check.all_rows is not None:
        yield "all rows", all_rows_text(check.all_rows, answer)
    if more := more_rows(answer, check.target, measure):
        yield "more rows", more
    guess = f"always {guessed_class(answer.guessing, answer.n_classes)}" if answer.of.of_errors else guess_text(answer)
    yield "guessing", f"{_score(answer, answer.guessing, measure)}: {guess}"
    why = f" ({'; '.join(reason_text(reason, answer) for reason in answer.reasons)})" if answer.reasons else ""
    yield "reliability", answer.reliability + why
    if check.model_score is not None and check.gap is None:
        yield "your model", model_text(check.model_score)
    if check.gap is not None:
        whole = check.gap.overall
        yield "your model", f"{_both(whole.error, measure)}: {whole.word}"
    if check.budget is not None and len(check.budget.parts) > 1:
        yield "where it goes", budget_text(check.budget, answer)
    if step := next_text(check):
        yield "next", step


def _score(answer: Answer, loss: float, measure: str) -> str:
    return _both(loss, measure) if answer.of.of_errors else f"{answer.of.words} {score_text(answer.of, loss)}"


def _both(error: float, measure: str) -> str:
    return f"{accuracy(error)} % {measure} (error {percent(error)} %)"


def _range_of_both(answer: Answer, target: float | None, measure: str) -> str:
    """Return the range in accuracy and error; without a lower limit, one end only."""
    aim = None if target is None else answer.of.loss(target)
    if not answer.of.of_errors:
        end = f"; {no_end(answer)}" if np.isnan(answer.useful_lower) else ""
        return f"{answer.of.words} {ends_text(answer, aim)}{end}"
    if np.isnan(answer.useful_lower):
        least = f"at least {accuracy(answer.upper, aim)} % {measure}"
        return f"{least} (error at most {percent(answer.upper, aim)} %; {no_limit(answer)})"
    ends = f"{accuracy(answer.upper, aim)} to {accuracy(answer.lower, aim)} % {measure}"
    return f"{ends} (error {span(answer.lower, answer.upper, aim)})"


def evidence_figures(check: Measured) -> Iterator[tuple[str, str, str]]:
    """Yield what the answer rests on as name, value and note; the tree bounds come last, as evidence only."""
    answer, overall = check.answer, check.overall
    best, other = ("upper end", "lower end") if answer.of.of_errors else ("shown", "other end")
    yield other, *lower_end(answer)
    yield best, loss_text(answer, answer.upper), reason_text(answer.why_upper, answer)
    measured = "error" if answer.of.of_errors else answer.of.words
    yield f"cross-validated {measured}", *_learners(answer)
    if check.task != CLASSES:
        return
    of_trees = doubt_about_trees(check) or f"from {percent(overall.cross_rate)} % cross-class edges"
    yield HOW, span(overall.lower, overall.upper), f"tree bounds, {of_trees}"


def lower_end(answer: Answer) -> tuple[str, str]:
    """Return the lower end of the range and why it is there, or why there is none."""
    if answer.why_lower is None or np.isnan(answer.lower):
        return "none", NO_LIMIT if answer.of.of_errors else no_end(answer)
    return loss_text(answer, answer.lower), reason_text(answer.why_lower, answer)


def loss_text(answer: Answer, loss: float) -> str:
    """Return an error in percent, or what other losses stand for, in the metric's unit."""
    return f"{percent(loss)} %" if answer.of.of_errors else score_text(answer.of, loss)


def _learners(answer: Answer) -> tuple[str, str]:
    """Return the lowest error, the learner that reached it, and the runners-up."""
    if not answer.errors:
        return "none", "no learner could be trained"
    (best, least), *others = ((printable(name), loss_text(answer, error)) for name, error in ranked(answer)[:_LEARNERS])
    then = ", ".join(f"{name} {error}" for name, error in others)
    return least, f"by {best}{'; next ' if then else ''}{then}"


def doubt_about_trees(check: Measured) -> str:
    """Return why the tree bounds are wrong here; empty if there is no reason to doubt them."""
    if check.facts.copies >= MANY_COPIES:
        return TOO_LOW
    return TOO_HIGH if check.of_errors.contradicts(check.overall.lower) else ""


def metrics(check: Measured) -> dict[str, float]:
    """Return the figures that are known; trackers refuse None, and some draw NaN as zero."""
    answer, model = check.of_errors, None if check.gap is None else check.gap.overall
    figures: dict[str, float] = (
        {}
        if check.task != CLASSES
        else {
            "lowest_error_estimate": answer.estimate,
            "lowest_error_lower": answer.lower,
            "lowest_error_upper": answer.upper,
            "guessing_error": answer.guessing,
            "best_learner_error": answer.errors.get(answer.best, np.nan),
            "hardest_pair_error": _largest(check.pairs.estimate),
            "hardest_class_error": _largest(check.classes.estimate),
            "suspicious_labels": check.suspicious.n_suspect,
        }
    )
    figures["rows"] = check.facts.n_rows
    if model is not None:
        figures |= {"model_error": model.error, "model_error_low": model.low, "model_error_high": model.high}
    for other in (check.answer, *check.beside.values()):
        if not other.of.of_errors:  # in the metric's own unit
            shown, end = other.score_range
            figures |= {other.metric: other.score, f"{other.metric}_shown": shown, f"{other.metric}_limit": end}
    return {name: float(value) for name, value in figures.items() if np.isfinite(value)}


def _largest(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.max()) if len(known) else np.nan


def grow_class_tree(pairwise: PairwiseFloor, cut: str, pairs: PairAnswers) -> ClassTree:
    """Return the class tree; each split names its hardest pair, with the best estimate."""
    tree, labels = pair_tree(pairwise, cut), show_labels(pairwise.classes.tolist())
    hardness = np.where(pairs.too_small, 0.0, pairs.relative)
    reason = list(tree.reason)
    for node in tree.splits.tolist():
        left, right = tree.members(int(tree.left[node])), tree.members(int(tree.right[node]))
        across = hardness[np.ix_(left, right)]
        one, two = np.unravel_index(int(across.argmax()), across.shape)
        i, j = left[one], right[two]
        hardest = f"hardest pair {labels[i]} and {labels[j]}, error about {percent(pairs.estimate[i, j])} %"
        reason[node] = hardest if across.max() > 0 else TOO_SMALL
    return replace(tree, reason=reason)


Cells = list[tuple[str, ...]]


def path_cells(path: SelectionPath) -> Cells:
    """Return the steps of a selection."""
    first, said = enough(path), {True: "", False: "no significant gain"}
    rows = [
        (
            name,
            f"{path.n_features[k]:,}",
            f"{percent(path.cross_rate[k])} %",
            points(path.gain[k]),
            f"{points(path.gain_low[k])} to {points(path.gain_high[k])}",
            f"as few cross-class edges as all {path.n_all:,}" if k == first else said[path.shown[k]],
        )
        for k, name in enumerate(show_labels(path.added))
    ]
    return [("feature added", "kept", "cross-class edges", "gain (points)", _level(path.level), ""), *rows]


def enough(path: SelectionPath) -> int | None:
    """Return the first step with no more cross-class edges than all features have, or None."""
    found = np.flatnonzero(path.cross_rate <= path.all_cross_rate)
    return int(found[0]) if len(found) else None


def path_notes(path: SelectionPath) -> list[str]:
    """Return the conclusion, then the notes below the table."""
    whole, kept = (f"{percent(rate)} %" for rate in (path.all_cross_rate, path.cross_rate[-1]))
    told = [
        f"Cross-class edges: {whole} with all {path.n_all:,} features, {kept} with {path.n_features[-1]:,}.",
        f"Chosen on these {path.n_rows:,} rows, so these figures are optimistic.",
    ]
    return [_conclusion(path), *told, "No rows were held out." if path.holdout is None else path.holdout.text]


def _conclusion(path: SelectionPath) -> str:
    """Return which features are enough, or why that cannot be said."""
    names = show_labels(path.added)
    if not path.shown.any():
        return "No feature helps significantly: these rows cannot distinguish the features from noise."
    if path.holdout is None:
        return f"{len(names):,} of {path.n_all:,} features selected, not tested on other rows: {join_labels(names)}."
    if path.holdout.word == "worse":
        return f"Keep all {path.n_all:,} features: the {len(names):,} selected are worse on held-out rows."
    rows = how_many(path.holdout.n_rows, "held-out row")
    return f"{len(names):,} of {path.n_all:,} features lose nothing measurable on {rows}: {join_labels(names)}."


def comparison_cells(found: Comparison) -> Cells:
    """Return the representations, the best first."""
    tell = found.tell
    rows = [
        (
            name,
            f"{found.n_features[k]:,}",
            tell(found.error[k]),
            tell(found.error_4x[k]),
            tell(found.lowest[k]),
            "" if found.word[k] == "best" else _behind(found, found.difference[k]),
            ""
            if found.word[k] == "best"
            else f"{_behind(found, found.difference_low[k])} to {_behind(found, found.difference_high[k])}",
            f"{found.seconds[k]:.2g} s",
            found.word[k],
        )
        for k, name in enumerate(show_labels(found.names))
    ]
    heads = (f"{found.quantity} today", "4 x the rows", "at best", "behind the best", _level(found.level))
    return [("representation", "features", *heads, "CPU per 1,000 rows", ""), *rows]


def _behind(found: Comparison, difference: float) -> str:
    """Return a difference of losses: in points, or in the unit of the metric."""
    return points(difference) if found.of.name in IN_PERCENT else f"{difference:+.3g}"


_FEATURES, _TOGETHER = 5, 3  # features shown, and columns of each


def feature_cells(found: Importances) -> Cells:
    """Return the features that carry the most signal; only the header if none does."""
    metric = METRICS[found.metric]
    rows = [
        (
            join_labels(found.columns[k], _TOGETHER),
            _fall(metric, found.fall[k]),
            f"{_fall(metric, found.low[k])} to {_fall(metric, found.high[k])}",
        )
        for k in np.flatnonzero(found.carries)[:_FEATURES].tolist()
    ]
    unit = " (points)" if metric.name in IN_PERCENT else ""
    return [("feature", f"{metric.words} {'falls' if metric.is_score else 'rises'} by{unit}", "interval"), *rows]


def feature_line(found: Importances) -> tuple[str, str, str]:
    """Return the same as name, value and note."""
    (_, suffers, _), *rows = feature_cells(found)
    each = "; ".join(f"{name} {fall}" for name, fall, _ in rows)
    value = f"{int(found.carries.sum()):,} of {found.n_features:,}"
    return "features", value, (each and f"carry signal; {suffers}: {each}. ") + silent_text(found)


def silent_text(found: Importances) -> str:
    """Say how many features carry no signal."""
    if not found.carries.any():
        return "No feature alone carries signal that these rows can show."
    others = how_many(found.n_silent, "other")
    verb = "carries" if found.n_silent == 1 else "carry"
    return f"{others} {verb} none that these rows can show." if found.n_silent else "All features carry signal."


def _fall(metric: Metric, fall: float) -> str:
    return percent(fall) if metric.name in IN_PERCENT else number_text(fall, 3)


def gap_cells(found: Gap, most: int) -> Cells:
    """Return the whole problem, the classes, and the pairs with room to improve, largest possible gain first."""
    head = ("", "your model's error", _level(found.level), "lowest possible error", "", "rows")
    names = show_labels(found.classes.tolist())
    one, two = np.triu_indices(len(names), 1)
    lines: list[tuple[str, GapLines, Any]] = [("all classes", found.overall, ())]
    lines += [(names[k], found.by_class, k) for k in _most_won(found.by_class, most).tolist()]
    pairs = _most_won(found.by_pair, most)
    room = pairs[found.by_pair.room[pairs]]
    lines += [(f"{names[one[k]]} and {names[two[k]]}", found.by_pair, k) for k in room.tolist()]
    return [head, *(_gap_row(*line) for line in lines)]


def _most_won(lines: GapLines, most: int) -> Ints:
    """Return the indices of the classes or pairs whose errors exceed the upper end by the most rows."""
    won = np.nan_to_num(lines.error - lines.upper, nan=-1.0) * lines.n_rows
    return np.argsort(-won, kind="stable")[:most]


def _gap_row(name: str, lines: GapLines, place: Any) -> tuple[str, ...]:
    row = {item.name: np.asarray(getattr(lines, item.name))[place].item() for item in fields(lines)}
    return (
        name,
        f"{percent(row['error'])} %",
        span(row["low"], row["high"]),
        about(row["estimate"], row["lower"], row["upper"]),
        row["word"],
        amount(row["n_rows"]),
    )


def _level(level: float) -> str:
    return f"{100 * level:.6g} % interval"
