"""Numbers and findings in plain words."""

from __future__ import annotations

from bayesfloor.engine._text import percent, printable, span
from bayesfloor.floor._envelope import Envelope
from bayesfloor.floor._results import Floor
from bayesfloor.floor._verdict import give_verdict

NO_SIGNAL = 0.05  # p-value above which features are not shown to say anything of the labels
_LEVELS = ((0.05, "Easy"), (0.25, "Moderate"), (0.75, "Hard"))


def accuracy(error: float) -> str:
    """What is left of 100 %, with as many decimals as the error has."""
    told = percent(error)
    left = f"{100 - float(told):.{len(told.partition('.')[2])}f}"
    return "100.0" if left == "100.00" else left


def target_text(target: float) -> str:
    """A target accuracy in percent, no longer than it has to be."""
    short = f"{100 * target:.6g} %"
    return short if short != "100 %" or target == 1 else f"{100 * target:.15g} %"


def count(number: float, noun: str) -> str:
    """A number with its noun: 1 row, 1,797 rows."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{amount(number)} {noun if number == 1 else plural}"


def amount(number: float) -> str:
    """A number of rows, in whole ones: soft labels make fractions of them."""
    return f"{number:,.0f}"


def best_learner(envelope: Envelope) -> tuple[str, float]:
    """The classifier that erred least on rows held out."""
    name = min(envelope.errors, key=envelope.errors.__getitem__)
    return name, envelope.errors[name]


def difficulty(overall: Floor, envelope: Envelope) -> str:
    """A word for how hard the problem is: what is left of the error of guessing."""
    left = envelope.estimate / max(overall.constant_error, 1e-12)
    return next((word for limit, word in _LEVELS if left < limit), "Close to guessing")


def verdict_text(overall: Floor, envelope: Envelope, target: float | None) -> str:
    """One sentence: can the target be reached, or without one, how far a model may get."""
    return _expectation(overall, envelope) if target is None else _answer(overall, envelope, target)


def _answer(overall: Floor, envelope: Envelope, target: float) -> str:
    wish, word = f"{target_text(target)} accuracy", give_verdict(envelope, target)
    if word == "feasible":
        most = f"{percent(envelope.upper)} % (95 % confidence)"
        return f"{wish} is within reach on these features: the lowest possible error is at most {most}."
    if word == "infeasible":
        return (
            f"{wish} is out of reach on these features: the lowest possible error is at least "
            f"{percent(envelope.lower)} %, so the best case is {accuracy(envelope.lower)} %, "
            f"as far as {count(overall.n_rows, 'row')} can show."
        )
    return f"{wish}: undecided{_leaning(envelope, target)}"


def _leaning(envelope: Envelope, target: float) -> str:
    name, error = best_learner(envelope)
    got = f"{_called(name)} got {accuracy(error)} % of held-out rows right"
    if error <= 1 - target:
        return f", but likely within reach: {got}, which {count(envelope.n_rows, 'row')} cannot prove."
    if envelope.trusted:
        return f". {got[0].upper()}{got[1:]}, and the best case is {accuracy(envelope.lower)} %."
    return f". {got[0].upper()}{got[1:]}; whether a better model gets there cannot be told from these rows."


def _called(name: str) -> str:
    return {
        "neighbours": "the nearest neighbours",
        "linear": "a linear model",
        "quadratic": "a quadratic model",
        "kernel": "a kernel machine",
        "forest": "a forest of random trees",
        "boosting": "boosted trees",
        "blend": "a blend of two cheap models",
    }.get(name, f"the classifier {printable(name)}")


def _expectation(overall: Floor, envelope: Envelope) -> str:
    if shows_nothing(overall, envelope):
        return (
            f"These features are not shown to say anything of the labels: always answering the largest class errs on "
            f"{percent(overall.constant_error)} %, and no model is known to do better."
        )
    word, least = difficulty(overall, envelope), accuracy(envelope.upper)
    if envelope.trusted:
        likely = f"the best model likely gets {accuracy(envelope.estimate)} % right on these features"
        return f"{word}: {likely}, between {least} and {accuracy(envelope.lower)} %."
    told = f"{word}: {least} % accuracy is within reach on these features"
    easy = word == _LEVELS[0][1]
    guessing = "" if easy else f" (guessing gets {accuracy(overall.constant_error)} %)"
    return f"{told}{guessing}; how much more cannot be told from these rows."


def shows_nothing(overall: Floor, envelope: Envelope) -> bool:
    """Whether neither trees nor classifiers see anything of the labels in the features."""
    return overall.p_value > NO_SIGNAL and envelope.upper >= overall.constant_error


def limits(envelope: Envelope) -> str:
    """Where the lowest possible error lies; no lower end where it is not to be trusted."""
    return span(envelope.lower, envelope.upper) if envelope.trusted else f"at most {percent(envelope.upper)} %"


def guess(envelope: Envelope) -> str:
    """The value between the limits; none where classifiers leave open how low it is."""
    return f"likely {percent(envelope.estimate)} %" if envelope.trusted else "lower end not known"


def points(share: float) -> str:
    """A difference of two shares in percent, with its sign."""
    told = percent(abs(share))
    return told if not float(share) or told == "unknown" else f"{'-' if share < 0 else '+'}{told}"
