"""The verdict and its reasons as sentences, and the numbers in them the way people read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bayesfloor.answer._answer import (
    CANNOT_SAY,
    LIKELY,
    OPEN,
    OUT_OF_REACH,
    REACHABLE,
    Answer,
    Basis,
    Reason,
    guessed_class,
)
from bayesfloor.answer._learners import called
from bayesfloor.answer._metrics import score_text, wish, with_article
from bayesfloor.decide._gap import AT, BELOW, ROOM
from bayesfloor.decide._model_score import ModelScore
from bayesfloor.io._labels import Spellings
from bayesfloor.summary._scores import (
    IF_RELATED,
    about_text,
    best_case,
    gap_text,
    guess_text,
    outliers_text,
    score_reason,
    shown_text,
)
from bayesfloor.support._types import Floats
from bayesfloor.support._words import (
    about,
    accuracy,
    chance_text,
    how_many,
    join_labels,
    percent,
    quoted,
    span,
    target_text,
)

WRONG_OR_OVERLAP = "wrong, or the classes overlap there"  # labels that disagree with their neighbours


def points(difference: float) -> str:
    """Return a difference between two fractions in percentage points, with its sign."""
    told = percent(abs(difference))
    return told if not float(difference) or told == "unknown" else f"{'-' if difference < 0 else '+'}{told}"


def sentence(text: str) -> str:
    """Return a text as a sentence, with a capital letter and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


_RARE = 0.05  # fraction of rows below which accuracy says little about a class
_MANY = 10  # with more classes, the rarest one says little about the whole
_UNEVEN = 0.5  # relative to equal proportions: with many classes, each may be below 5 % without being rare


class VerdictWords(NamedTuple):
    """A verdict in parts: ``Check.words``; ``Check.verdict`` joins them.

    Attributes
    ----------
    headline : str
        The short answer.
    evidence : str
        What it rests on.
    join : str
        What joins the two in one sentence.
    more : str
        Further sentences.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> found.words.headline
    '90 % accuracy is reachable on these features'
    """

    headline: str
    evidence: str
    join: str = ": "
    more: str = ""

    @property
    def text(self) -> str:
        """The whole verdict."""
        closed = ")" if self.join.endswith("(") else ""
        return f"{self.headline}{self.join}{self.evidence}{closed}. {self.more}".strip()

    @property
    def below(self) -> str:
        """What stands below the headline on a page."""
        return f"{sentence(self.evidence)} {self.more}".strip()

    def then(self, *sentences: str) -> VerdictWords:
        """Return the verdict with further sentences."""
        return self._replace(more=" ".join(part for part in (self.more, *sentences) if part))


def verdict_words(
    answer: Answer,
    target: float | None,
    measure: str = "accuracy",
    hidden: str = "",
    model: ModelScore | None = None,
    *,
    seen: bool = False,
) -> VerdictWords:
    """Return the answer to quote: whether the target is reachable, or how far any model can get.

    If a class is rare, ``hidden`` is the sentence that says what accuracy hides. The user's model, if there is one,
    comes first if it is compared by its errors; ``seen`` says that it has seen the labels it was tested on.
    """
    said = _of_data(answer, target, measure, hidden)
    if model is None:
        return said
    if model.metric != answer.metric:  # labels have no AUC or log loss: the model has only its errors
        return said.then(f"Your model was compared by its errors alone: {accuracy(model.loss)} % accuracy.")
    if not answer.of.of_errors:
        return said.then(gap_text(model))
    return _of_model(model, answer, measure, seen=seen).then(
        said.text if target is not None or finds_nothing(answer) else hidden
    )


def finds_nothing(answer: Answer) -> bool:
    """Whether no learner does clearly better than guessing."""
    return answer.has(Basis.NO_SIGNAL)


def lowest_error(answer: Answer) -> float:
    """Return the cross-validated error of the best learner; 1 if no learner could be trained."""
    return float(answer.errors.get(answer.best, 1.0))


def _of_data(answer: Answer, target: float | None, measure: str, hidden: str) -> VerdictWords:
    if target is not None:
        return _against_target(answer, target, measure).then(hidden)
    if not finds_nothing(answer):
        return _best_case(answer, measure).then(hidden)
    if not hidden:
        return VerdictWords("No signal found", _nothing(answer)).then(_proved_text(answer), hidden)
    found = VerdictWords(
        "No learner is clearly more accurate than guessing", "accuracy hides how well a rare class is found", ", but "
    )
    return found.then(hidden, _proved_text(answer))


def _of_model(model: ModelScore, answer: Answer, measure: str, *, seen: bool) -> VerdictWords:
    room, why = _room(model, answer, seen=seen)
    best = _best_possible(answer)
    return VerdictWords(f"Your model: {accuracy(model.loss)} % {measure}. Best possible: {best}. {room}", why)


def _best_possible(answer: Answer) -> str:
    open_end = np.isnan(answer.useful_lower)
    ends = f"at least {accuracy(answer.upper)}" if open_end else f"{accuracy(answer.upper)} to {accuracy(answer.lower)}"
    return f"about {accuracy(answer.estimate)} % ({ends} %)"


def _room(model: ModelScore, answer: Answer, *, seen: bool) -> tuple[str, str]:
    """Return whether the model can be improved, and why or what to do."""
    if model.word == BELOW or seen:
        return "That looks too good to be true", "test your model on rows that it was not trained on"
    if model.word == ROOM:
        return "Room to improve", _who_is_better(answer)
    if model.word == AT:
        return "At the floor", "a better model will not help, but better features may"
    if lowest_error(answer) < model.loss:
        rows = how_many(model.n_rows, "row") if model.n_rows else "these rows"
        return "No room shown", f"{_who_is_better(answer)}, but {rows} are too few to prove that it is better"
    return "No room shown", "these rows cannot tell your model from the best possible one"


def _who_is_better(answer: Answer) -> str:
    if answer.upper >= answer.guessing:
        return f"{_guess(answer)} is more accurate"
    return f"{called(answer.best)} reaches {accuracy(lowest_error(answer))} % in cross-validation"


def _best_case(answer: Answer, measure: str) -> VerdictWords:
    if not answer.of.of_errors:
        return VerdictWords(*best_case(answer), ": " if answer.has(Basis.OUTLIERS) else " (")
    best = f"At best about {accuracy(answer.estimate)} % {measure} on these features"
    error = f"error {percent(answer.estimate)} %"
    if np.isnan(answer.useful_lower):
        return VerdictWords(best, f"{error}, at most {percent(answer.upper)} %; {no_limit(answer)}", " (")
    proof = "; equal rows with different labels prove the lower end" if answer.proved else ""
    return VerdictWords(best, f"{error}, range {span(answer.lower, answer.upper)}{proof}", " (")


def no_limit(answer: Answer) -> str:
    """Say that there is no lower limit, or that the one that equal rows prove is of no use."""
    return NO_LIMIT if np.isnan(answer.lower) else "these data give no useful lower limit"


def _nothing(answer: Answer) -> str:
    if not answer.of.of_errors:
        reached = f"gives {with_article(answer.of)} of {score_text(answer.of, answer.guessing)}"
        return f"no learner does clearly better than {guess_text(answer)}, which {reached}"
    wrong = f"{_guess(answer)} is wrong on {percent(answer.guessing)} % of rows"
    return f"no learner does clearly better than guessing, and {wrong}"


def _guess(answer: Answer) -> str:
    return f"always predicting {guessed_class(answer.guessing, answer.n_classes)}"


def _proved_text(answer: Answer) -> str:
    if not answer.proved or not answer.of.of_errors:
        return ""
    least = f"{percent(answer.lower)} %"
    return f"Equal rows with different labels prove that the lowest possible error is at least {least}."


def _against_target(answer: Answer, target: float, measure: str) -> VerdictWords:
    outcome, error = answer.verdict(target), answer.of.loss(target)
    wish = wished(answer, target, measure)
    best = f"the best possible {answer.of.words} is"
    if outcome == REACHABLE and not answer.of.of_errors:
        return VerdictWords(
            f"{capital(wish)} is reachable on these features", f"{best} {shown_text(answer, error)} (95 % confidence)"
        )
    if outcome == REACHABLE:
        told = [f"{_guess(answer)} reaches it"] * (answer.upper >= answer.guessing)
        told += ["95 % confidence"] * (answer.upper != answer.guessing)
        least = f"the lowest possible error is at most {percent(answer.upper, error)} %"
        return VerdictWords(f"{wish} is reachable on these features", f"{least} ({', '.join(told)})")
    if outcome == OUT_OF_REACH and answer.proved and answer.lower > error:
        if not answer.of.of_errors:
            least = (
                f"{best} at {'most' if answer.of.is_score else 'least'} {score_text(answer.of, answer.lower, error)}"
            )
            return VerdictWords(f"{capital(wish)} is out of reach on these features", f"{least} ({PROVED_NUMBERS})")
        least = f"the lowest possible error is at least {percent(answer.lower, error)} %"
        return VerdictWords(f"{wish} is out of reach on these features", f"{least} ({PROVED})")
    if outcome == CANNOT_SAY:
        why = answer.unknown
        found = VerdictWords(
            f"These data cannot say whether {wish} is reachable", reason_text(why, answer) if why else ""
        )
        return found.then(_TO_DO.get(why.basis, "More rows would decide it.") if why else "")
    sure = f" ({chance_text(answer.chance(target))})"
    headline = {
        LIKELY: f"{wish} is likely to be reachable{sure}",
        OPEN: f"It is open whether {wish} is reachable{sure}",
        OUT_OF_REACH: f"{wish} is out of reach for the kinds of model tried, even with more rows{sure}",
    }.get(outcome, f"{wish} is unlikely to be reachable{sure}")
    headline = capital(headline)
    if finds_nothing(answer):
        return VerdictWords(headline, f"No signal found: {_nothing(answer)}", ". ")
    if not answer.of.of_errors:
        return VerdictWords(headline, f"{best} {about_text(answer, error)}")
    ends = about(answer.estimate, answer.useful_lower, answer.upper, error)
    return VerdictWords(headline, f"the lowest possible error is {ends}")


def wished(answer: Answer, target: float, measure: str = "accuracy") -> str:
    """Return the target in words, in the metric's unit."""
    return f"{target_text(target)} {measure}" if answer.of.of_errors else wish(answer.of, target)


def capital(text: str) -> str:
    """Return a text with a capital letter."""
    return text[0].upper() + text[1:]


def rare_class(sizes: Floats) -> int | None:
    """Return the number of the rarest class if it is rare enough for accuracy to hide it."""
    rarest = int(np.argmin(sizes))
    return rarest if sizes[rarest] / sizes.sum() < min(_RARE, _UNEVEN / len(sizes)) else None


def hidden_by_accuracy(sizes: Floats, labels: list[str]) -> str:
    """Return, as a sentence, how accurate a model can be if it never finds the rarest class; empty if none is."""
    rarest = rare_class(sizes)
    if rarest is None or len(labels) > _MANY:
        return ""
    missed = float(sizes[rarest] / sizes.sum())
    if len(labels) == 2:
        return f"Always predicting {labels[1 - rarest]} gives {accuracy(missed)} %."
    return f"Never predicting {labels[rarest]} costs only {percent(missed)} points."


# Reasons

NO_LIMIT = "these data give no lower limit"
PROVED = "proved by equal rows with different labels"
PROVED_NUMBERS = "equal rows have different numbers, 95 % confidence"

_PLAIN = {
    Basis.NEIGHBOUR: "tested (95 %): each label predicted from a neighbour in the spanning tree",
    Basis.CURVES: "the kinds of model tried stay above it even with more rows: "
    "their learning curves level off higher (97.5 %)",
    Basis.EQUAL_ROWS: f"{PROVED} (95 %)",
    Basis.EQUAL_ROWS_ALONE: f"{PROVED} (95 %); the learning curves give no lower limit",
    Basis.TOGETHER: "rows that belong together are in both training and test rows",
    Basis.UNTRAINED: "too few rows: no learner could be trained",
    Basis.NO_SIGNAL: "no signal found: no learner does clearly better than guessing",
    Basis.LITTLE_SIGNAL: "little signal found: the learners may miss most of the information in these features",
    Basis.NEIGHBOURS_ALONE: f"only models that remember rows get near zero: {IF_RELATED}",
    Basis.MAY_BE_ZERO: "the lowest possible error may be zero",
}
_TO_DO = {  # if nothing can be said of a target
    Basis.LATER: "For later periods there is no ceiling: measure it again when they are over.",
    Basis.UNDECIDED: "Say which they are: --duplicates cases (or copies), or duplicates=.",
    Basis.OUTLIERS: "",
    Basis.SYNTHETIC: "Check only real rows: leave out those that were made from others.",
}


def reason_text(reason: Reason, answer: Answer | None = None) -> str:
    """Return a reason as a clause, without a full stop; some metrics have words of their own."""
    if answer is not None and not answer.of.of_errors and (own := score_reason(answer, reason)):
        return own
    if reason.basis in _PLAIN:
        return _PLAIN[reason.basis]
    return _TOLD[reason.basis](*reason.numbers, *reason.names)


def spellings_text(found: Spellings) -> str:
    """Return what was found among labels as a clause: spellings of the same class, or else typos."""
    if not found.alike:
        return reason_text(Reason(Basis.TYPOS, (len(found.typos),)))
    return reason_text(Reason(Basis.SPELLINGS, (len(found.meant), len(set(found.meant.values())))))


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
    Basis.RANKING: lambda area: (
        f"no learner is clearly more accurate than guessing, but their scores rank the classes (AUC {area:.2f})"
    ),
    Basis.SPELLINGS: lambda labels, classes: (
        f"{how_many(labels, 'label')} look like spellings of {how_many(classes, 'class')}"
    ),
    Basis.TYPOS: lambda labels: "1 label looks like a typo" if labels == 1 else f"{labels:,.0f} labels look like typos",
    Basis.DRIFT: lambda between, later, low, high, column: (
        f"this is for rows between known ones in {quoted(column)}: a quick model has an "
        f"error of {percent(between)} % there, and of {percent(later)} % on the next period ({percent(low)} to "
        f"{percent(high)} %)"
    ),
    Basis.LATER: lambda later, low, high, n: (
        f"measured on {int(n)} periods by a quick model trained on earlier ones: error {percent(later)} % "
        f"({percent(low)} to {percent(high)} %)"
    ),
    Basis.UNDECIDED: lambda share: (
        f"{percent(share)} % of rows equal another row, which the data cannot tell to be copies or separate cases"
    ),
    Basis.SYNTHETIC: lambda share: (
        f"{percent(share)} % of a class lie exactly between two of its rows, as if made from them"
    ),
    Basis.POSSIBLY_RELATED: lambda _: "rows may be related: some are closer to each other than rows usually are",
    Basis.NEAR_DUPLICATES: lambda share: (
        f"{percent(share)} % of rows are near-duplicates of another row, but there are no groups"
    ),
    Basis.FEW_OF_CLASS: lambda least: f"fewer than {least:g} rows in the rarest class: an estimate, but no range",
    Basis.FEW_NUMBERS: lambda least: f"too few rows: fewer than {least:g}",
    Basis.OUTLIERS: outliers_text,
    Basis.FEW_ROWS: lambda least: f"too few rows: fewer than {least:g} per class",
    Basis.ONE_KIND: lambda name: f"only {called(name)} gets this low: no second kind of learner confirms it",
    Basis.CAPPED: lambda rows: (
        f"trees were still improving when training on {rows:,.0f} rows ended, so there is no limit"
    ),
    Basis.WIDE: lambda width: f"the range is {percent(width)} points wide",
}
