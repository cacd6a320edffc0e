"""Format numbers and differences the way people read them."""

from __future__ import annotations

from bayesfloor.engine._show import percent

WRONG_OR_OVERLAP = "wrong, or the classes overlap there"  # labels that disagree with their neighbours


def accuracy(error: float, beside: float | None = None) -> str:
    """Return the accuracy in percent, with as many decimals as the error needs next to another error."""
    told = percent(error, beside)
    return f"{100 - float(told):.{len(told.partition('.')[2])}f}"


def target_text(target: float) -> str:
    """Return a target accuracy in percent, no longer than necessary."""
    short = f"{100 * target:.6g} %"
    return short if short != "100 %" or target == 1 else f"{100 * target:.15g} %"


def points(difference: float) -> str:
    """Return a difference between two fractions in percentage points, with its sign."""
    told = percent(abs(difference))
    return told if not float(difference) or told == "unknown" else f"{'-' if difference < 0 else '+'}{told}"


def sentence(text: str) -> str:
    """Return a text as a sentence, with a capital letter and a full stop."""
    return f"{text[0].upper()}{text[1:]}."
