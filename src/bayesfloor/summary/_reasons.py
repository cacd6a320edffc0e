"""The sentences for the reasons of an answer and of a verdict, which are values everywhere else."""

from __future__ import annotations

from collections.abc import Callable

from bayesfloor.answer._answer import Basis, Reason, guessed_class
from bayesfloor.answer._make_answer import called
from bayesfloor.io._label_spellings import Spellings
from bayesfloor.support._words import about, how_many, join_labels, percent, quoted

NO_LIMIT = "these data give no lower limit"
PROVED = "proved by equal rows with different labels"

_PLAIN = {
    Basis.NEIGHBOUR: "tested (95 %): each label predicted from a neighbour in the spanning tree",
    Basis.CURVES: "the kinds of model tried stay above it even with more rows: "
    "their learning curves level off higher (95 %)",
    Basis.EQUAL_ROWS: f"{PROVED} (95 %)",
    Basis.EQUAL_ROWS_ALONE: f"{PROVED} (95 %); the learning curves give no lower limit",
    Basis.TOGETHER: "rows that belong together are in both training and test rows",
    Basis.UNTRAINED: "too few rows: no learner could be trained",
    Basis.NO_SIGNAL: "no signal found: no learner does clearly better than guessing",
    Basis.LITTLE_SIGNAL: "little signal found: the learners may miss most of the information in these features",
    Basis.MAY_BE_ZERO: "the lowest possible error may be zero",
    Basis.AT_ESTIMATE: "it is within 0.5 points of the best estimate",
    Basis.NOT_CONFIRMED: "the range is too wide to confirm it",
    Basis.NOT_RULED_OUT: "the range is too wide to rule it out",
    Basis.NO_LIMIT: f"{NO_LIMIT} that could rule it out",
    Basis.MERGE_SPELLINGS: "first merge the spellings of each class: --clean-labels, or clean_labels=True",
    Basis.ROWS_TO_TRAIN: "more rows would decide it: these are too few to train any learner",
    Basis.FEATURES_OR_MODELS: "only better features or other models could decide it",
}


def reason_text(reason: Reason) -> str:
    """Return a reason as a clause, without a full stop."""
    if reason.basis in _PLAIN:
        return _PLAIN[reason.basis]
    return _TOLD[reason.basis](*reason.numbers, *reason.names)


def spellings_text(found: Spellings) -> str:
    """Return what was found among labels as a clause: spellings of the same class, or else typos."""
    if not found.alike:
        return reason_text(Reason(Basis.TYPOS, (len(found.typos),)))
    return reason_text(Reason(Basis.SPELLINGS, (len(found.meant), len(set(found.meant.values())))))


def settle_text(settle: tuple[Reason, ...]) -> str:
    """Return what would settle a verdict, with what stands against a lower end in parentheses."""
    told = [reason_text(reason) for reason in settle]
    return f"{told[0]} ({told[1]})" if len(told) > 1 else "".join(told)


def _guessing(upper: float, guessing: float, n_classes: float) -> str:
    how = " (95 %)" if upper > guessing else ""
    return f"no learner is shown to beat always predicting {guessed_class(guessing, int(n_classes))}{how}"


def name_columns(columns: tuple[str, ...]) -> str:
    """Return the names of one or more columns as "column ..." or "columns ..."."""
    return f"{'column' if len(columns) == 1 else 'columns'} {join_labels([quoted(name) for name in columns], 3)}"


_TOLD: dict[str, Callable[..., str]] = {
    Basis.GUESSING: _guessing,
    Basis.LEARNER: lambda error, name: (
        f"tested (95 %): {called(name)} has a cross-validated error of {percent(error)} %"
    ),
    Basis.LEAK: lambda *columns: f"{name_columns(columns)} may give the label away",
    Basis.SPELLINGS: lambda labels, classes: (
        f"{how_many(labels, 'label')} look like spellings of {how_many(classes, 'class')}"
    ),
    Basis.TYPOS: lambda labels: "1 label looks like a typo" if labels == 1 else f"{labels:,.0f} labels look like typos",
    Basis.NEAR_DUPLICATES: lambda share: (
        f"{percent(share)} % of rows are near-duplicates of another row, but there are no groups"
    ),
    Basis.FEW_ROWS: lambda least: f"too few rows: fewer than {least:g} per class",
    Basis.ONE_KIND: lambda name: f"only {called(name)} gets this low: no second kind of learner confirms it",
    Basis.WIDE: lambda width: f"the range is {percent(width)} points wide: more data would narrow it",
    Basis.AT_MOST: lambda upper, error: f"the lowest possible error is at most {percent(upper, error)} %",
    Basis.AT_LEAST: lambda lower, error: f"the lowest possible error is at least {percent(lower, error)} %",
    Basis.BETWEEN: lambda estimate, lower, upper, error: (
        f"the lowest possible error is {about(estimate, lower, upper, error)}"
    ),
    Basis.FEATURES: lambda unit: f"more {unit} would not decide it; better features might",
    Basis.OTHER_MODELS: lambda unit: (
        f"the models tried would need too many {unit} to confirm it: try other models or better features"
    ),
    Basis.ROWS_TO_CONFIRM: lambda more, unit: f"about {int(more):,} more {unit} would probably confirm the target",
    Basis.ROWS_TO_RULE_OUT: lambda more, unit: (
        f"about {int(more):,} more {unit} would probably rule the target out; they would hardly raise the accuracy"
    ),
    Basis.TOO_MANY_ROWS: lambda times, unit: f"it would take more than {times:g} times as many {unit} to decide it",
}
