"""Findings about rows and columns: what makes an answer too good (BF11x), and traits that may weaken it (BF2xx)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from bayesfloor.answer._answer import Answer, Basis, Reason
from bayesfloor.answer._drift import Drift
from bayesfloor.answer._hazards import (
    AS_CASES,
    AS_COPIES,
    BETWEEN,
    DUPLICATES,
    GROUPS,
    LATER,
    NEAR_DUPLICATES,
    TIME,
    UNITS,
    Dependence,
    Hazards,
)
from bayesfloor.answer._leaks import LABELS, LEAK, DoubtfulColumns, Leak
from bayesfloor.answer._learners import called
from bayesfloor.answer._metrics import NUMBERS
from bayesfloor.floor._results import FEW, Floor, OneVsRestFloor
from bayesfloor.formulas._limits import two_sided
from bayesfloor.io._messages import shell
from bayesfloor.summary._facts import Facts
from bayesfloor.summary._verdict import name_columns, reason_text
from bayesfloor.support._results import Result
from bayesfloor.support._words import about, amount, how_many, percent, printable, quoted

_IN_TENTHS = "Errors are those of predicting in which tenth of all numbers y lies."
_SPELLED_OUT = 2  # columns to drop that a headline lists as options
_CODES = {GROUPS: "BF111", TIME: "BF112", NEAR_DUPLICATES: "BF113", DUPLICATES: "BF113"}
_NEW = {GROUPS: "new groups", TIME: "unseen stretches", NEAR_DUPLICATES: "new rows", DUPLICATES: "new rows"}
_KNOWN = {
    GROUPS: "known groups",
    TIME: "rows close to known ones",
    NEAR_DUPLICATES: "near-duplicates of known rows",
    DUPLICATES: "rows that equal known ones",
}


@dataclass(frozen=True, repr=False)
class Finding(Result):
    """Something to know about the data: what was found, why it matters, and what to do about it.

    Attributes
    ----------
    code : the code to pass to ``bayesfloor explain``.
    text : what was found, why it matters, and what to do.
    look : the attribute of ``Check`` with the details.
    headline : the first sentence of the text: what was found.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> found.findings[0].code
    'BF104'
    """

    code: str
    text: str
    look: str = ""
    headline: str = field(default="", repr=False)

    def _summary(self) -> str:
        return f"{self.code}: {self.text}"


def make_finding(code: str, look: str, headline: str, *more: str) -> Finding:
    """Make a finding from its sentences: what was found, then why it matters and what to do about it."""
    return Finding(code, " ".join(part for part in (headline, *more) if part), look, headline)


def hazard_findings(hazards: Hazards, answer: Answer) -> Iterator[Finding]:
    """Yield what makes an answer too good, and columns that are probably not features."""
    dependence, leaks, doubtful = hazards.dependence, hazards.leaks, hazards.doubtful
    of = _IN_TENTHS if answer.of.task == NUMBERS else ""
    if answer.as_cases is not None:
        yield make_finding("BF118", "related", *_cases_or_copies(answer))
    elif hazards.synthetic:
        yield make_finding("BF119", "related", *_synthetic(hazards))
    elif dependence is not None:
        yield make_finding(_CODES[dependence.kind], "dependence", _two_errors(dependence), of, *_what_to_do(dependence))
    if hazards.drift is not None:
        yield make_finding("BF121", "drift", *_later(hazards.drift), of)
    for leak in leaks:
        if leak.kind == LEAK:
            yield make_finding("BF114", "leaks", _given_away(leak), of, *_without(leak))
        else:
            yield make_finding("BF117", "leaks", _noted(leak), of, f"If not, check without {_it(leak)}: {_drop(leak)}.")
    for each in doubtful:
        yield make_finding("BF115" if each.kind == LABELS else "BF116", "doubtful", *_no_features(each))


def alarm(hazards: Hazards) -> str:
    """Return why the answer may be too good as a part of the verdict, which is never quoted without it."""
    told = (Basis.LEAK, Basis.TOGETHER, Basis.DRIFT)
    cautions = [reason_text(each) for each in hazards.cautions if each.basis in told]
    return f"But {' and '.join(cautions)}." if cautions else ""


def merge_first(spelled: Reason) -> str:
    """Return what to do about labels that look like spellings of one class, as a part of the verdict."""
    return f"But {reason_text(spelled)}: first merge them (--clean-labels, or clean_labels=True)."


def _two_errors(found: Dependence) -> str:
    """Describe how rows depend on each other, with the error if they are held out together and if they are not."""
    together, apart = (f"{percent(error)} %" for error in (found.error_together, found.error_at_random))
    error = f"a small random forest's error is {together}"
    if found.kind == GROUPS:
        name = quoted(found.column)
        return f"Rows with the same {name} belong together: {error} for a new {name} and {apart} for a known one."
    if found.kind == TIME:
        near = f"close in {quoted(found.column)}" if found.column else "next to each other in the data"
        return f"Rows {near} are alike: {error} in unseen stretches and {apart} elsewhere."
    have = "equal another row" if found.kind == DUPLICATES else "have a near-duplicate"
    beside = "duplicates" if found.kind == DUPLICATES else "near-duplicates"
    return f"{percent(found.similarity)} % of rows {have}: {error} on new rows, {apart} beside {beside}."


def _what_to_do(found: Dependence) -> list[str]:
    new = _NEW[found.kind]
    if not found.applied:
        column = printable(found.column) if found.kind == GROUPS else "COLUMN"
        return [f"The answer is too good for {new}. Use {shell(['--groups', column])}, or groups=."]
    held_out = f"The answer is for {new}: each of {found.n_units:,} {UNITS[found.kind]} was held out as a whole."
    feature = [f"The column {quoted(found.column)} is not used as a feature."] if found.kind == GROUPS else []
    return [
        held_out,
        *feature,
        f"If you only predict for {_KNOWN[found.kind]}: --no-auto-groups, or auto_groups=False.",
    ]


def _cases_or_copies(answer: Answer) -> Iterator[str]:
    """Give both answers."""
    if answer.as_cases is not None:
        cases, copies = (
            about(*ends) for ends in (answer.as_cases, (answer.estimate, answer.useful_lower, answer.upper))
        )
        yield f"Equal rows are separate cases or copies: the lowest possible error is {cases} or {copies}."
        either = " or ".join(shell(["--duplicates", which]) for which in (AS_CASES, AS_COPIES))
        yield f"They always have the same label, which both explain. Say which it is: {either}, or duplicates=."


def _synthetic(hazards: Hazards) -> Iterator[str]:
    """Say that rows were made from others, as oversampling by SMOTE does."""
    if hazards.related is not None:
        share = f"{percent(hazards.related.fraction)} % of a class"
        yield f"{share} lie exactly between two of its rows, as SMOTE makes them: errors on such rows mean nothing."
        yield "Learners have seen the rows that they were made from. Check the data before oversampling."


def _later(drift: Drift) -> Iterator[str]:
    order = f"With time ({quoted(drift.column)})" if drift.column else "Along the file"
    later = f"{percent(drift.error_later)} % on the next period ({percent(drift.low)} to {percent(drift.high)} %)"
    yield f"{order} the rule changes: a quick model's error is {percent(drift.error_between)} %, but {later}."
    answers = f"{shell(['--time', BETWEEN])} or {shell(['--time', LATER])}, or time="
    yield f"Say which rows you will predict for: {answers}. For later ones, only the measured error counts."


def _drop(found: Leak | DoubtfulColumns) -> str:
    return shell([part for name in found.columns for part in ("--drop", printable(name))])


def _no_features(found: DoubtfulColumns) -> list[str]:
    one = len(found.columns) == 1
    it, them, is_used, looks = ("it", "it", "is", "looks") if one else ("they", "them", "are", "look")
    if found.kind == LABELS:
        what = "another label" if it == "it" else "further labels"
        why = f"Leave {them} out if {it} {is_used} not known when you predict."
    else:
        what = "a sampling weight" if it == "it" else "sampling weights"
        why = "A weight is the number of people that a row represents, not a feature."
    feature = "a feature" if it == "it" else "features"
    drop = _drop(found) if len(found.columns) <= _SPELLED_OUT else "leave them out with --drop"
    return [f"The {name_columns(found.columns)} {looks} like {what}, but {is_used} used as {feature}: {drop}.", why]


def _given_away(leak: Leak) -> str:
    one, it = len(leak.columns) == 1, _it(leak)
    alone, without = f"{percent(leak.error)} %", f"{percent(leak.error_without)} %"
    if not leak.label:
        gives, alone = ("gives", f"{alone} error alone") if one else ("give", f"{alone} error with them alone")
        return f"The {name_columns(leak.columns)} {gives} the label away: {alone}, {without} without {it}."
    is_filled = "is filled in" if one else "are filled in"
    return (
        f"The {name_columns(leak.columns)} {is_filled} almost only for {quoted(leak.label)}: "
        f"{alone} error in separating it from the others, {without} without {it}."
    )


def _noted(leak: Leak) -> str:
    it, gives = _it(leak), "gives" if len(leak.columns) == 1 else "give"
    errors = f"{percent(leak.error)} % error ({percent(leak.error_without)} % without {it})"
    is_known = "it is" if it == "it" else "they are"
    return f"The {name_columns(leak.columns)} alone {gives} {errors}: check that {is_known} known when you predict."


def _it(leak: Leak) -> str:
    return "it" if len(leak.columns) == 1 else "them"


def _without(leak: Leak) -> list[str]:
    is_known = "it is" if len(leak.columns) == 1 else "they are"
    late = f"If {is_known} only known after the label, the answer is too good."
    return [late, f"Check without {_it(leak)}: {_drop(leak)}."]


_SCALES_APART = 1.5  # ratio of cross-class edges between two scalings from which the choice matters
MANY_COPIES = 0.05  # with at least this fraction of duplicates, the tree bounds are too low
_FAR = 0.05  # error difference from which it matters that the best estimate is below every learner's error
_DUPLICATES = 0.01  # fraction of equal rows that is worth mentioning

_ANSWER_STANDS = "The answer allows for that."


@dataclass(frozen=True, repr=False)
class Trait(Result):
    """A property of the data, whether it weakens the answer, and the figures behind it.

    Attributes
    ----------
    code, name, text : the code to pass to ``bayesfloor explain``; the property's name; its figures.
    weak : whether it weakens the answer.
    advice : why that matters and what to do about it, if anything.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> [trait.code for trait in found.traits if trait.weak]
    []
    """

    code: str
    name: str
    weak: bool
    text: str
    advice: str = field(default="", repr=False)

    def _summary(self) -> str:
        return f"{self.code} {self.name}, {'weakens the answer' if self.weak else 'ok'}: {self.text}"


_Found = tuple[bool, str, str]  # whether a trait weakens the answer, its figures, and advice


def find_traits(facts: Facts, overall: Floor, one_vs_rest: OneVsRestFloor, answer: Answer) -> tuple[Trait, ...]:
    """Return all traits of a result."""
    found = (
        ("BF201", "rows per class", _rows_per_class(one_vs_rest)),
        ("BF202", "scale", _scale(facts)),
        ("BF203", "ties", _ties(overall)),
        ("BF204", "sparse data", _sparse(facts, overall)),
        ("BF205", "tree bounds", _tree_bounds(facts, overall, answer)),
        ("BF206", "rows used", _rows_used(facts, overall, answer)),
        ("BF207", "duplicates", _duplicates(facts)),
        ("BF208", "extrapolation", _extrapolated(answer)),
    )
    return tuple(Trait(code, name, *each) for code, name, each in found)


def _rows_per_class(floor: OneVsRestFloor) -> _Found:
    few, least = int(np.count_nonzero(floor.few)), float(floor.sizes.min())
    text = f"the smallest class has {how_many(least, 'row')}"
    if few:
        have = f"{how_many(len(floor.sizes), 'class')} {'has' if few == 1 else 'have'}"
        text = f"{few:,} of {have} fewer than {FEW} rows, the smallest {amount(least)}"
    return (
        few > 0,
        text,
        "Their own figures are too uncertain to rely on: add rows, or merge these classes with others.",
    )


def _scale(facts: Facts) -> _Found:
    rates, name = facts.scale_rates, f"{'no' if facts.scale == 'none' else facts.scale} scaling"
    if not rates:
        return False, f"{name}, as requested; no other was tried", ""
    high, used = max(rates.values()), rates[facts.scale]
    noise = np.sqrt(used * (1 - used) / min(facts.n_used, 2000))
    edges = f"Cross-class edges by scaling: {', '.join(f'{scale} {percent(rate)} %' for scale, rate in rates.items())}"
    if not (high > _SCALES_APART * used and high - used > 4 * noise):
        return False, f"using {name}. {edges}", ""
    best = "unscaled features" if facts.scale == "none" else name
    text = f"the result depends on feature scaling: {best} separated the classes best (chosen automatically)"
    return True, text, f"{edges}. If you train with another scaling, pass it: --scale, or scale=."


def _ties(overall: Floor) -> _Found:
    low, high = overall.tie_spread
    if not high > low:
        return False, "equally long edges make no difference", ""
    weak = bool(high - low > 2 * two_sided(0.95) * overall.std_error)
    text = f"many edges are equally long: between {percent(low)} and {percent(high)} % of them may cross classes"
    return weak, text, f"This makes the tree bounds less certain. {_ANSWER_STANDS}"


def _sparse(facts: Facts, overall: Floor) -> _Found:
    if not np.isfinite(overall.bias):
        return False, "too few distinct rows to measure how sparse they are", ""
    reach = two_sided(0.95) * overall.std_error
    error = f"sampling error: ±{percent(reach)} points"
    known = np.isfinite(overall.dimension)
    dimension = f"intrinsic dimension {overall.dimension:.1f}" if known else "intrinsic dimension unknown"
    may_cross = f"about {percent(max(0.0, overall.bias))} % of edges may cross classes without any real overlap"
    if not overall.bias > reach or facts.copies >= MANY_COPIES:
        return False, f"{dimension}; {may_cross} ({error})", ""
    advice = f"The tree bounds are too high ({error}). {_ANSWER_STANDS} More rows or fewer features would help."
    return True, f"data are sparse ({dimension}): {may_cross}", advice


def _tree_bounds(facts: Facts, overall: Floor, answer: Answer) -> _Found:
    if facts.copies >= MANY_COPIES:
        return False, "the tree bounds are too low here: they join duplicates, which have the same label", ""
    if overall.lower > answer.upper:
        text = "the tree bounds are too high here: a learner's tested error is lower than they allow"
        return True, text, _ANSWER_STANDS
    if answer.contradicts(overall.lower):
        return False, "the tree bounds lie above the best estimate (sparse data), but not above its range", ""
    return False, "the tree bounds do not contradict the answer", ""


def _rows_used(facts: Facts, overall: Floor, answer: Answer) -> _Found:
    weak = facts.n_used < facts.n_rows
    text = f"the data were subsampled: {facts.n_used:,} of {facts.n_rows:,} rows" if weak else f"all {facts.n_rows:,}"
    tested = f"; learners were tested on {answer.n_rows:,}" if answer.n_rows < facts.n_used else ""
    if facts.priors is not None:
        tested += f", weighted to the class proportions asked for; trees use {overall.n_rows:,} in these proportions"
    return weak, text + tested, "To use all rows: --max-rows 0, or target_width=None."


def _duplicates(facts: Facts) -> _Found:
    if facts.near_duplicates and facts.n_groups is None:
        near = f"{percent(facts.near_duplicates)} % of rows are near-duplicates of another row"
        advice = "Keep rows that belong together in one group: --groups COLUMN, or groups=."
        return True, f"{near}, so the answer may be too low", advice
    equal = 1 - facts.n_distinct / max(facts.n_used, 1)
    text = f"{percent(equal)} % of rows are duplicates" if equal else "no duplicates"
    advice = "If they are the same case entered twice, remove them."
    if facts.copies:
        own = "Tests of your own with duplicates of a row on both sides are too optimistic"
        text, advice = f"{text}, which the answer keeps in one fold", f"{own}: remove the duplicates."
    return equal > _DUPLICATES, text, advice


def _extrapolated(answer: Answer) -> _Found:
    name, error = min(answer.errors.items(), key=lambda item: item[1], default=("", 1.0))
    by, reached = (called(name), error) if error <= answer.upper else ("the spanning tree", answer.upper)
    below = f"{percent(reached - answer.estimate)} points"
    if reached - answer.estimate <= _FAR:
        return False, f"the best estimate is {below} below the lowest error reached ({percent(reached)} %)", ""
    thorough = "" if answer.effort == "thorough" else ", --effort thorough"
    text = (
        f"the best estimate is extrapolated ({by} reaches an error of {percent(reached)} %): more "
        f"{answer.unit}{thorough} or a learner of your own (learners=) could confirm it"
    )
    return True, text, f"It is {below} lower: there the learning curves would end with infinitely many rows."
