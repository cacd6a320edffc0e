"""Gates: compare the answer and the data with limits, and with an earlier check.

What cannot be compared with an earlier check fails, with the reason, unless its code is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from bayesfloor.answer._answer import CANNOT_SAY, LIKELY, OPEN, REACHABLE, Answer, target_error
from bayesfloor.answer._leaks import LEAK
from bayesfloor.answer._learners import BLEND, called
from bayesfloor.answer._metrics import CLASSES, score_text
from bayesfloor.floor._results import FEW
from bayesfloor.formulas._limits import two_sided
from bayesfloor.summary._explain import COMPARISONS, FINDINGS
from bayesfloor.summary._facts import Facts
from bayesfloor.summary._findings import Measured
from bayesfloor.summary._verdict import about_text, points, reason_text, wished
from bayesfloor.support._errors import InputError, InputTypeError
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats
from bayesfloor.support._words import (
    about,
    chance_text,
    how_many,
    join_labels,
    percent,
    quoted,
    range_text,
    show_labels,
    target_text,
)

OK, FAILED = "ok", "failed"
AT_LEAST = 0.2  # probability of a target that is no failure
_SURE_RISE = 0.99  # probability of a rise above the limit that is a failure
_LEVEL = 2 * _SURE_RISE - 1  # of the interval of a rise, whose lower end is then passed with this probability
_OF_CLASSES = ("max_error", "max_pair_error", "max_class_error")
_FEWER = 0.8  # with fewer than this fraction of the rows, errors rise for that reason alone


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """A limit and its outcome: "ok", "failed" or "open".

    Attributes
    ----------
    code, word, text : the code to pass to ``bayesfloor explain``, the outcome, and the figures.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> found.gates()[0].word
    'ok'
    """

    code: str
    word: str
    text: str

    def _summary(self) -> str:
        return f"{self.code} {self.word}: {self.text}"


def make_gates(
    check: Measured,
    limits: Mapping[str, Any],
    baseline: Measured | None = None,
    max_error_rise: float = 0.0,
    accept: str | Collection[str] = (),
    at_least: float = AT_LEAST,
) -> tuple[Gate, ...]:
    """Return a gate for each of these that is given: the target, the limits and the baseline."""
    empty = (type(None), tuple)
    limits = {name: limit for name, limit in limits.items() if not isinstance(limit, empty) or limit}
    if isinstance(limits.get("fail_on"), str):
        limits["fail_on"] = (limits["fail_on"],)
    accept = (accept,) if isinstance(accept, str) else tuple(accept)
    check_limits({**limits, "max_error_rise": max_error_rise, "accept": accept, "at_least": at_least})
    if baseline is not None and not isinstance(baseline, Measured):
        raise InputTypeError(
            f"Got baseline of type {type(baseline).__name__}, but expected a Check, such as Check.from_json(path)."
        )
    for name, given in (("max_error_rise", max_error_rise), ("accept", accept)):
        if baseline is None and given:
            raise InputError(f"Got {name}, but expected a baseline with it, such as Check.from_json(path).")
    if check.task != CLASSES and (of_classes := [name for name in _OF_CLASSES if name in limits]):
        raise InputError(f"Got {of_classes[0]}, but y holds numbers: expected a target instead, such as metric rmse.")
    first = [] if check.target is None else [target_gate(check, check.target, at_least)]
    if "max_error" in limits:
        first.append(error_gate(check, limits["max_error"], at_least))
    made = [make(check, limits[name]) for name, make in _MAKERS.items() if name in limits]
    last = () if baseline is None else baseline_gates(check, baseline, max_error_rise, accept)
    return (*first, *made, *last)


def target_gate(check: Measured, target: float, at_least: float = AT_LEAST) -> Gate:
    """Whether a target has at least this chance; "open" if it is not likely."""
    answer = check.answer
    if answer.of.of_errors:
        text = f"target {target_text(target)}, lowest possible error {_whole(answer, target_error(target))}"
    else:
        best = f"best possible {answer.of.words} {about_text(answer, answer.of.loss(target))}"
        text = f"target: {wished(answer, target)}, {best}"
    return _by_chance("BF301", check.answer, target, at_least, text)


def error_gate(check: Measured, most: float, at_least: float = AT_LEAST) -> Gate:
    """Whether the lowest possible error meets a limit, with at least this chance."""
    text = f"lowest possible error {_whole(check.of_errors, most)}, limit {target_text(most)}"
    if most == 1:
        return Gate("BF302", OK, text)
    return _by_chance("BF302", check.of_errors, 1 - most, at_least, text)


def _by_chance(code: str, answer: Answer, target: float, at_least: float, text: str) -> Gate:
    outcome, chance = answer.verdict(target), answer.chance(target)
    if outcome == CANNOT_SAY:
        why = f": {reason_text(answer.unknown, answer)}" if answer.unknown else ""
        return Gate(code, FAILED, f"{text}. These data cannot say whether it is reachable{why}")
    text = f"{text}: {outcome}" if outcome == REACHABLE else f"{text}: {outcome} ({chance_text(chance)})"
    if chance < at_least:
        return Gate(code, FAILED, text)
    return Gate(code, OK if outcome in (REACHABLE, LIKELY) else OPEN, text)


def pair_gate(check: Measured, most: float) -> Gate:
    """Whether the error between any two classes exceeds a limit."""
    found, known = check.pairs, check.classes.n_rows >= FEW
    one, two = np.nonzero(np.triu(known[:, None] & known, 1))
    names = [f"{check.labels[i]} and {check.labels[j]}" for i, j in zip(one.tolist(), two.tolist(), strict=True)]
    return _worst_of("BF303", names, found.lower[one, two], found.upper[one, two], most)


def class_gate(check: Measured, most: float) -> Gate:
    """Whether the error within any class exceeds a limit."""
    known = np.flatnonzero(check.classes.n_rows >= FEW)
    names = [check.labels[k] for k in known.tolist()]
    return _worst_of("BF304", names, check.classes.lower[known], check.classes.upper[known], most)


def rows_gate(check: Measured, least: int) -> Gate:
    """Whether enough rows have a label."""
    n_rows = check.facts.n_rows
    return Gate("BF311", OK if n_rows >= least else FAILED, f"{how_many(n_rows, 'row')} with a label, limit {least:,}")


def unlabelled_gate(check: Measured, most: float) -> Gate:
    """Whether too many rows have no label."""
    share = _unlabelled(check)
    text = f"{percent(share)} % of rows have no label, limit {target_text(most)}"
    return Gate("BF312", OK if share <= most else FAILED, text)


def finding_gate(check: Measured, codes: Collection[str]) -> Gate:
    """Whether there is a finding with one of these codes."""
    found = [f"{finding.code}: {finding.headline}" for finding in check.findings if finding.code in codes]
    return Gate("BF313", FAILED if found else OK, " ".join(found) or f"no {' or '.join(codes)}")


def baseline_gates(check: Measured, before: Measured, most: float, accept: Collection[str] = ()) -> tuple[Gate, ...]:
    """Return a gate for each way in which two checks cannot be compared, then the gate of the rise.

    Without comparable classes, or anything that decides, there is no rise to judge.
    """
    told = {code: text for code, differ in _DIFFERENCES.items() if (text := differ(check, before))}
    found = [
        Gate(code, OK, f"{text}: accepted")
        if code in accept
        else Gate(code, FAILED, f"{text}. Accept that with --accept {code}, or accept='{code}', or make a new baseline")
        for code, text in told.items()
    ]
    stopped = {"BF306", "BF310"} & told.keys() - set(accept)
    return tuple(found if stopped else [*found, baseline_gate(check, before, most)])


def baseline_gate(check: Measured, before: Measured, most: float) -> Gate:
    """Whether the lowest possible error rose by more than a limit since an earlier check, with probability 0.99.

    It fails if the two forecasts say so, or the cross-validated error of the same learner. If the forecasts cannot be
    compared, the cross-validated errors alone decide.
    """
    if not check.answer.of.of_errors:
        return _score_gate(check.answer, {**before.beside, before.answer.metric: before.answer}, most)
    errors = compare_errors(check.of_errors, before.of_errors)
    limit = f"limit {100 * most:g} point{'' if 100 * most == 1 else 's'}"
    if unlike := _other_ways(check, before):
        word = OPEN if errors is None else _judge(errors.low, errors.high, most)
        text = f"the ranges cannot be compared ({unlike})"
        return Gate("BF305", word, f"{text}. {_cross_validated(errors, word, most)}, {limit}")
    now, then = check.of_errors, before.of_errors
    rise, chance = now.estimate - then.estimate, _chance_of_rise(now, then, most)
    text = f"best estimate {percent(then.estimate)} % before, {percent(now.estimate)} % now: {points(rise)} points"
    text += f", {limit}"
    surely = chance >= _SURE_RISE or (errors is not None and errors.low > most)
    word = FAILED if surely else OK if rise <= most else OPEN
    if word == OK:
        return Gate("BF305", OK, text)
    why = f"It rose by more with a probability of {chance_text(chance)}. " if np.isfinite(chance) else ""
    return Gate("BF305", word, f"{text}. {why}{_cross_validated(errors, word, most)}")


def _score_gate(now: Answer, before: Mapping[str, Answer], most: float) -> Gate:
    """Whether the best possible score by another metric than accuracy became worse by more than a limit."""
    then, words = before.get(now.metric), now.of.words
    if then is None:
        return Gate("BF305", FAILED, f"the baseline has no answer by {words}. Make a new baseline with this metric")
    rise, chance = now.estimate - then.estimate, _chance_of_rise(now, then, most)
    both = [name for name in now.std_errors if name in then.std_errors and name != BLEND]
    measured = False  # whether the same learner became worse by more, as surely
    if both and now.n_rows >= _FEWER * then.n_rows:
        learner = min(both, key=lambda name: now.errors[name] + then.errors[name])
        reach = two_sided(_LEVEL) * float(np.hypot(now.std_errors[learner], then.std_errors[learner]))
        measured = now.errors[learner] - then.errors[learner] - reach > most
    text = f"best possible {words} about {score_text(now.of, then.estimate)} before, "
    text += f"{score_text(now.of, now.estimate)} now, limit {most:g} worse"
    if measured:
        scores = [score_text(now.of, each.errors[learner]) for each in (then, now)]
        return Gate(
            "BF305",
            FAILED,
            f"{text}. Cross-validated, {called(learner, now.of.task)} went from {scores[0]} to {scores[1]}",
        )
    if rise <= most and not chance >= _SURE_RISE:
        return Gate("BF305", OK, text)
    sure = f". It became worse by more with a probability of {chance_text(chance)}" if np.isfinite(chance) else ""
    return Gate("BF305", FAILED if chance >= _SURE_RISE else OPEN, f"{text}{sure}")


def _chance_of_rise(now: Answer, then: Answer, most: float) -> float:
    """Return the probability that the lowest possible error rose by more than this, with independent forecasts."""
    if now.forecast is None or then.forecast is None:
        return np.nan
    return float(np.mean(now.forecast.lowest[:, None] - then.forecast.lowest > most))


class ErrorRise(NamedTuple):
    """How far a learner's cross-validated error rose, with its 98 % interval."""

    learner: str
    before: float
    now: float
    low: float
    high: float


def compare_errors(now: Answer, before: Answer) -> ErrorRise | None:
    """Compare the learner that is best over both checks; None if they share none, or if there are far fewer rows now.

    Choosing by the sum of both errors favours neither check. The blend is left out, because its members may differ. The
    interval is that of Agresti and Caffo (2000), which holds even if there are hardly any errors.
    """
    both = [name for name in now.errors if name in before.errors and name != BLEND]
    if not both or now.n_rows < _FEWER * before.n_rows:
        return None
    learner = min(both, key=lambda name: now.errors[name] + before.errors[name])
    rates, variance = [], 0.0  # with one wrong and one right row added
    for answer in (before, now):
        n = answer.n_independent[learner]
        rates.append((answer.errors[learner] * n + 1) / (n + 2))
        variance += rates[-1] * (1 - rates[-1]) / (n + 2)
    rise, reach = rates[1] - rates[0], two_sided(_LEVEL) * np.sqrt(variance)
    return ErrorRise(learner, before.errors[learner], now.errors[learner], float(rise - reach), float(rise + reach))


def _cross_validated(errors: ErrorRise | None, word: str, most: float) -> str:
    if errors is None:
        return "No learner was cross-validated on as many rows now as before, so these errors cannot decide either"
    text = f"Cross-validated error of {called(errors.learner)}: {percent(errors.before)} % before, "
    text += f"{percent(errors.now)} % now, {points(errors.now - errors.before)} points"
    text += f" ({100 * _LEVEL:g} % interval {points(errors.low)} to {points(errors.high)})"
    return f"{text}, which may be due to chance" if word == OPEN and errors.high > most else text


def check_limits(limits: Mapping[str, Any]) -> None:
    """Raise an error if a limit is not an error from 0 to 1, a number of rows, or known codes."""
    known = {"accept": COMPARISONS, "fail_on": FINDINGS}
    for name, value in limits.items():
        number = isinstance(value, Real) and not isinstance(value, bool)
        if name in known:
            if unknown := [code for code in value if code not in known[name]]:
                raise InputError(f"Got {name}={unknown[0]!r}, but expected codes, such as '{known[name][0]}'.")
        elif name == "min_rows":
            if not (number and isinstance(value, Integral) and int(value) >= 1):
                raise InputError(f"Got {name}={value!r}, but expected a number of rows, such as 1000.")
        elif value is not None and not (number and 0 <= float(value) <= 1):
            raise InputError(f"Got {name}={value!r}, but expected a fraction from 0 to 1, such as 0.05.")


def _whole(answer: Answer, limit: float) -> str:
    """Return the best estimate and range for the whole problem, with enough digits to compare them with a limit."""
    return about(answer.estimate, answer.useful_lower, answer.upper, limit)


def _judge(lower: float, upper: float, most: float) -> str:
    """Return "ok" if the upper end is within the limit, "failed" if the lower end is above it; a NaN never fails."""
    return OK if upper <= most else FAILED if lower > most else OPEN


def _worst_of(code: str, names: list[str], lower: Floats, upper: Floats, most: float) -> Gate:
    """Return the gate of the worst pair or class; those with fewer than 30 rows do not count."""
    if not names:
        return Gate(code, OPEN, f"all classes have too few rows (fewer than {FEW}), limit {target_text(most)}")
    worst = int(np.nanargmax(lower) if (lower > most).any() else np.argmax(upper))
    word = _judge(float(lower[worst]), float(upper[worst]), most)
    told = range_text(float(lower[worst]), float(upper[worst]), most)
    return Gate(code, word, f"worst is {names[worst]}: lowest possible error {told}, limit {target_text(most)}")


_FAR_FEWER = 2 / 3  # of the rows before
_RISE, _SURE = 0.05, 4.0  # what a share may rise by, and standard errors that are no chance in any of many runs
_SAME_KIND = {"code": "number", "text": "category"}  # which of two a column is may depend on the rows drawn
_COPIES = ("BF113", "BF118", "BF119")


def _other_classes(check: Measured, before: Measured) -> str:
    """Say which classes are new, gone or nearly gone, and whether the answers are for other proportions."""
    if check.task != before.task:
        return f"the labels are {check.task}, and were {before.task} in the baseline"
    if check.task != CLASSES:
        return ""
    now, then = (dict(zip(_labels(each), each.pairwise.sizes.tolist(), strict=True)) for each in (check, before))
    told = _lost_and_new(then, now)
    if not told:
        share = sum(now.values()) / sum(then.values())
        told = [
            f"class {show_labels([name])[0]} {how_many(then[name], 'row')} then, {how_many(n_rows, 'row')} now"
            for name, n_rows in now.items()
            if 2 * n_rows < (expected := share * then[name]) and expected - n_rows > _SURE * np.sqrt(expected + n_rows)
        ]
    if (one := _proportions(before)) != (two := _proportions(check)):
        told.append(f"proportions {one} then, {two} now")
    return f"the classes are not those of the baseline: {', '.join(told)}" if told else ""


def _labels(check: Measured) -> list[str]:
    """Return the labels as text, the same whether a file has whole numbers as text, as integers or as floats."""
    labels = check.pairwise.classes.tolist()
    return [str(int(label) if isinstance(label, float) and label.is_integer() else label) for label in labels]


def _other_columns(check: Measured, before: Measured) -> str:
    """Say which columns are new, gone, or read as another kind of value; arrays have no names, only numbers."""
    now, then = check.facts.columns, before.facts.columns
    if now and then:
        told = _lost_and_new(then, now)
        changed = [
            f"{quoted(name)} {role or 'number'} then, {now[name] or 'number'} now"
            for name, role in then.items()
            if name in now and _SAME_KIND.get(role, role) != _SAME_KIND.get(now[name], now[name])
        ]
        told += [*changed[:3], *([f"{len(changed) - 3:,} more"] if len(changed) > 3 else [])]
    else:
        n_then, n_now = before.facts.n_features, check.facts.n_features
        told = [] if n_then == n_now else [f"{how_many(n_then, 'feature')} then, {n_now:,} now"]
    return f"the columns are not those of the baseline: {', '.join(told)}" if told else ""


def _lost_and_new(then: Collection[str], now: Collection[str]) -> list[str]:
    """Say which names are in only one of two collections."""
    lost, new = ([name for name in one if name not in two] for one, two in ((then, now), (now, then)))
    return [f"{what} {join_labels(show_labels(names), 3)}" for what, names in (("lost", lost), ("new", new)) if names]


def _other_rows(check: Measured, before: Measured) -> str:
    """Say if there are far fewer rows, or many more without a label or equal to another, than before."""
    now, then = check.facts, before.facts
    told = []
    if now.n_rows < _FAR_FEWER * then.n_rows:
        told.append(f"{how_many(then.n_rows, 'row')} then, {now.n_rows:,} now")
    sizes = [each.facts.n_rows + each.prepared.n_unlabelled for each in (before, check)]
    if _rose(_unlabelled(before), _unlabelled(check), *sizes):
        told.append(f"{percent(_unlabelled(before))} % without a label then, {percent(_unlabelled(check))} % now")
    equal, more = (1 - each.n_distinct / each.n_used for each in (then, now))
    if _rose(max(equal, _expected_equal(then, now.n_used)), more, then.n_used, now.n_used):
        told.append(f"{percent(equal)} % equal to another row then, {percent(more)} % now")
    return f"the rows are not like those of the baseline: {', '.join(told)}" if told else ""


def _rose(before: float, now: float, n_before: int, n_now: int) -> bool:
    """Whether a share rose by more than is allowed, and by more than chance explains."""
    share = (before * n_before + now * n_now) / (n_before + n_now)
    error = np.sqrt(share * (1 - share) * (1 / n_before + 1 / n_now))
    return bool(now - before > _RISE + _SURE * error)


def _expected_equal(facts: Facts, n_rows: int) -> float:
    """Return the share of equal rows among more rows of the same law, as if all combinations were equally frequent.

    Others repeat themselves more slowly, so the share is at most this. Only copies leave the number of distinct rows
    as it was.
    """
    distinct = facts.n_distinct / facts.n_used
    if distinct == 1 or n_rows <= facts.n_used:
        return 0.0
    per_combination = brentq(lambda x: -np.expm1(-x) / x - distinct, 1e-12, 2 / distinct)
    x = per_combination * n_rows / facts.n_used
    return float(1 + np.expm1(-x) / x)


def _unlabelled(check: Measured) -> float:
    n_unlabelled = check.prepared.n_unlabelled
    return n_unlabelled / (n_unlabelled + check.facts.n_rows)


def _new_doubts(check: Measured, before: Measured) -> str:
    """Say which columns give the label away, or that rows are copies, if that was not so before."""
    now, known = (
        [name for leak in each.leaks if leak.kind == LEAK for name in leak.columns] for each in (check, before)
    )
    leaking = [name for name in now if name not in known]
    told = [f"{join_labels(show_labels(leaking), 3)} may give the label away (BF114)"] if leaking else []
    if not any(finding.code in _COPIES for finding in before.findings):
        told += [f"rows may be copies ({finding.code})" for finding in check.findings if finding.code in _COPIES]
    return f"the answer may be too good, unlike the baseline's: {', '.join(told)}" if told else ""


def _nothing_decides(check: Measured, before: Measured) -> str:
    """Say why neither ranges nor learners can be compared."""
    if not (unlike := _other_ways(check, before)) or compare_errors(check.of_errors, before.of_errors) is not None:
        return ""
    return f"the ranges cannot be compared ({unlike}), nor can learners: none was tested on as many rows as before"


def _proportions(check: Measured) -> str:
    priors = check.facts.priors
    return "of the data" if priors is None else " to ".join(f"{100 * share:g} %" for share in priors)


def _other_ways(check: Measured, before: Measured) -> str:
    """Return what differs in the way to an answer, so that the ranges cannot be compared; empty if nothing does."""
    parts: dict[str, Callable[[Measured], object]] = {
        "effort": lambda each: each.answer.effort,
        "features": lambda each: each.facts.n_features,
        "scale": lambda each: each.facts.scale,
    }
    found = ((name, part(before), part(check)) for name, part in parts.items())
    return ", ".join(f"{name} {then} then, {now} now" for name, then, now in found if then != now)


_MAKERS: dict[str, Callable[[Measured, Any], Gate]] = {
    "max_pair_error": pair_gate,
    "max_class_error": class_gate,
    "min_rows": rows_gate,
    "max_unlabelled": unlabelled_gate,
    "fail_on": finding_gate,
}
_DIFFERENCES: dict[str, Callable[[Measured, Measured], str]] = dict(
    zip(COMPARISONS, (_other_classes, _other_columns, _other_rows, _new_doubts, _nothing_decides), strict=True)
)
