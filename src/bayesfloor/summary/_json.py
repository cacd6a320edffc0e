"""Write a check as JSON and read it back; ``schema.json`` describes the part of it that stays the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from reprlib import repr as repr_short
from typing import Any, TypeVar

import numpy as np

from bayesfloor.answer._all_rows import AllRows
from bayesfloor.answer._answer import Answer
from bayesfloor.answer._forecast import GROWTH, LEVELS, Forecast
from bayesfloor.answer._metrics import METRICS, NUMBERS
from bayesfloor.answer._pairs_and_classes import PairAnswers
from bayesfloor.decide._budget import Budget, PartName
from bayesfloor.decide._gap import AT, BELOW, NOT_SHOWN, ROOM
from bayesfloor.decide._merging import _mapping
from bayesfloor.decide._model_score import ModelScore
from bayesfloor.decide._suspicious import SuspiciousLabels
from bayesfloor.floor._results import PairwiseFloor
from bayesfloor.io._messages import one_line
from bayesfloor.summary._figures import grow_class_tree
from bayesfloor.summary._findings import Measured
from bayesfloor.summary._gates import Gate, make_gates
from bayesfloor.summary._next import next_steps
from bayesfloor.summary._text import to_text
from bayesfloor.support._errors import InputError
from bayesfloor.support._results import plain, restore, store

Made = TypeVar("Made", bound=Measured)
SCHEMA_VERSION = 9
_MOST_LOSS = 1e300  # of metrics without a largest loss
_ROUNDING = 1e-9
_MOST_ROWS = 2**53  # with more, a number of rows would be no exact number
_OF_CLASSES = ("overall", "pairs", "classes", "pairwise", "one_vs_rest", "samples", "suspicious", "tree")
_FOUND_AGAIN = ("samples", "tree")  # from the suspicious labels, and from the pairs


def dump(check: Measured, gates: Sequence[Gate] = ()) -> str:
    """Return the check as JSON, one line per part; ASCII only, without NaN or infinity."""
    parts = (f'"{name}": {json.dumps(part, allow_nan=False)}' for name, part in to_dict(check, gates).items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def to_dict(check: Measured, gates: Sequence[Gate] = ()) -> dict[str, Any]:
    """Return the check as plain values: first what is promised, then everything else that reading it needs."""
    found: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "verdict": check.verdict,
        "target": check.target,
        "outcome": check.outcome,
        "chance": plain(check.chance),
        "metric": check.answer.metric,
        "unit": check.answer.of.unit,
        "score": plain(check.answer.score),
        "score_range": plain(check.answer.score_range),
        "answer": store(check.answer),
        "facts": store(check.facts),
        "findings": plain(check.findings),
        "next": plain(next_steps(check)),
        **({"gates": plain(gates)} if gates else {}),
    }
    parts = (item.name for item in fields(check) if item.repr and item.name not in _FOUND_AGAIN)
    return {**found, **{name: store(getattr(check, name)) for name in parts if name not in found}}


def load(source: str | Path, kind: type[Made]) -> Made:
    """Read a check, as an object of class ``kind``, from a JSON file or from JSON text."""
    given = _read(source)
    version = given.get("schema_version") if isinstance(given, dict) else None
    if version != SCHEMA_VERSION or isinstance(version, (bool, float)):
        raise InputError(
            f"Got schema_version {repr_short(version)}, but expected {SCHEMA_VERSION}: "
            "this is not a check, or another version of bayesfloor wrote it. Run the check again."
        )
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):  # for numbers too extreme to compute with
            made = _restore_check(given, kind)
            _refuse_nonsense(made)
            # Used once, a check whose parts do not fit together fails here rather than later.
            limits = ("max_error", "max_pair_error", "max_class_error") if made.task != NUMBERS else ()
            make_gates(made, dict.fromkeys(limits, 0.1), made)
            to_text(made)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError(
            f"Got a check with missing or invalid parts ({one_line(error)}). Run the check again."
        ) from error
    return made


def _read(source: str | Path) -> Any:
    is_text = isinstance(source, str) and (not source.strip() or source.lstrip()[:1] in ("{", "["))
    try:
        return json.loads(str(source) if is_text else Path(source).read_text("utf-8"), parse_constant=_refuse_constant)
    except (RecursionError, ValueError) as error:  # not JSON, or not even text
        raise InputError(
            f"Got invalid JSON: {one_line(error)}. Expected the output of Check.to_json. Run the check again."
        ) from error


def _refuse_constant(name: str) -> None:
    raise InputError(f"{name} is not a number")


def _restore_check(given: dict[str, Any], kind: type[Made]) -> Made:
    metric = METRICS[given["answer"]["metric"]]
    if given["metric"] != metric.name or metric.name in given["beside"]:
        raise InputError("the answer has another metric than the check, or one that stands beside it")
    if given["target"] is not None:
        metric.check_target(given["target"])
    if metric.task == NUMBERS:
        return restore(kind, given, **dict.fromkeys(_OF_CLASSES))
    rows = restore(SuspiciousLabels, given["suspicious"])
    pairs, pairwise = restore(PairAnswers, given["pairs"]), restore(PairwiseFloor, given["pairwise"])
    tree = grow_class_tree(pairwise, "average", pairs)
    parts = {"pairs": pairs, "pairwise": pairwise, "samples": rows.scores, "suspicious": rows, "tree": tree}
    made = restore(kind, given, **parts)
    # Keys of JSON are texts; the labels that they stand for are found again from the groups.
    merge = None if made.merge is None else replace(made.merge, mapping=_mapping(made.merge.groups))
    return replace(made, merge=merge)


def _refuse_forecast(forecast: Forecast, most: float) -> None:
    known = (*forecast.errors, forecast.lowest)
    if any(len(each) != len(LEVELS) or not np.all((each >= 0) & (each <= most)) for each in known):
        raise InputError("the forecast is not made of errors between 0 and 1")
    if len(known) != len(GROWTH) + 1 or np.any(np.diff(known, axis=1) < 0):
        raise InputError("the forecast is not made of quantiles")
    if np.any(np.diff(known, axis=0) > 0) or not 1 <= forecast.n_rows < _MOST_ROWS:
        raise InputError("the forecast is not one for more and more rows")


def _refuse_answer(name: str, answer: Answer) -> None:
    """Raise an error for an answer that cannot be one by this metric."""
    most = min(METRICS[name].most, _MOST_LOSS)
    if answer.metric != name:
        raise InputError("an answer has another metric than its name")
    if not all(0 <= error <= most for error in (answer.estimate, answer.upper, *answer.errors.values())):
        raise InputError("the best estimate, its range or the error of a learner is not between 0 and 1")
    ends = [np.array([answer.lower, answer.guessing]), answer.curve.error, answer.curve.low, answer.curve.high]
    if any(np.any((end < 0) | (end > most)) for end in ends):
        raise InputError("an error is not between 0 and 1")
    if answer.forecast is not None:
        _refuse_forecast(answer.forecast, most)
    if not np.nan_to_num(answer.lower) <= answer.estimate <= answer.upper:
        raise InputError("the best estimate lies outside its range")
    if not all(0 < answer.n_independent[name] < np.inf for name in answer.errors):
        raise InputError("the numbers of independent rows make no sense")
    if not answer.of.of_errors and not all(0 <= answer.std_errors[name] < np.inf for name in answer.errors):
        raise InputError("the standard errors make no sense")


def _refuse_score(score: ModelScore, answer: Answer) -> None:
    """Raise an error for a model's score that cannot be one by the metric of the answer."""
    ends = [answer.of.loss(each) for each in (score.high, score.low)]
    if not (0 <= score.loss <= _MOST_LOSS and np.isclose(answer.of.loss(score.score), score.loss)):
        raise InputError("the model's score and its loss do not fit together")
    if score.word not in (ROOM, AT, BELOW, NOT_SHOWN) or not _in_order(ends[0], score.loss, ends[1]):
        raise InputError("the model's score makes no sense")


def _refuse_budget(budget: Budget) -> None:
    """Raise an error for parts that do not add up, or are no losses with intervals."""
    parts = [(part.loss, part.low, part.high) for part in (*budget.parts, *budget.inside)]
    for loss, low, high in [(budget.error, budget.low, budget.high), *parts]:
        if not (low >= 0 and high <= _MOST_LOSS and _in_order(low, loss, high)):
            raise InputError("a part of the budget is no loss with an interval")
    if not np.isclose(sum(part.loss for part in budget.parts), budget.error, atol=0):
        raise InputError("the parts of the budget do not add up to its error")
    stay = budget.part(PartName.STAY)
    if budget.inside and (stay is None or not np.isclose(sum(part.loss for part in budget.inside), stay.loss, atol=0)):
        raise InputError("the parts of what will stay do not add up to it")


def _refuse_rows(found: AllRows) -> None:
    """Raise an error for points that cannot have been measured."""
    sizes = [point.n_rows for point in found.points]
    ends = [(point.low, point.loss, point.high) for point in found.points]
    ends += [(each.low, each.loss, each.high) for each in found.before]
    if not all(low >= 0 and high <= _MOST_LOSS and _in_order(low, loss, high) for low, loss, high in ends):
        raise InputError("a point of all rows is no loss with an interval")
    most = max(found.n_rows, found.next_rows)
    if not sizes or sorted(sizes) != sizes or sizes[-1] != found.n_used or not 1 <= found.n_used <= most < _MOST_ROWS:
        raise InputError("the numbers of all rows make no sense")


def _in_order(low: float, middle: float, high: float) -> bool:
    """Whether an interval has a loss inside, but for rounding."""
    return bool(low <= middle * (1 + _ROUNDING) + _ROUNDING and middle <= high * (1 + _ROUNDING) + _ROUNDING)


def _refuse_nonsense(made: Measured) -> None:
    """Raise an error for figures that gates would take at face value."""
    K = made.facts.n_classes
    answers = {made.answer.metric: made.answer, **made.beside}
    if any(part is not None and part.metric not in answers for part in (made.budget, made.model_score, made.features)):
        raise InputError("the budget, the model's score or the features have a metric that the check does not have")
    if made.budget is not None:
        _refuse_budget(made.budget)
    if made.model_score is not None:
        _refuse_score(made.model_score, answers[made.model_score.metric])
    if made.all_rows is not None:
        _refuse_rows(made.all_rows)
    if made.features is not None and len(made.features.columns) != len(made.features.fall):
        raise InputError("the features and what they carry differ in number")
    for name, answer in answers.items():
        _refuse_answer(name, answer)
    if made.task == NUMBERS:
        if made.answer.of.task != NUMBERS or made.facts.n_classes or min(made.facts.n_used, made.answer.n_rows) < 1:
            raise InputError("the answer is not one for numbers")
        return
    answer = made.of_errors
    tables = (made.pairs, made.classes)
    ends = [np.ravel(getattr(table, name)) for table in tables for name in ("estimate", "lower", "upper", "error")]
    if any(np.any((end < 0) | (end > 1)) for end in ends):
        raise InputError("an error is not between 0 and 1")
    sizes = {answer.n_classes, *(len(table.classes) for table in (*tables, made.pairwise, made.one_vs_rest))}
    if sizes != {K} or min(made.facts.n_used, answer.n_rows) < 1:
        raise InputError("the numbers of rows or classes make no sense")
