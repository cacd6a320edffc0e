"""Numbers and differences as people read them."""

from __future__ import annotations

from bayesfloor.engine._show import percent


def accuracy(error: float) -> str:
    """What is left of 100 %, with as many decimals as the error has."""
    told = percent(error)
    return f"{100 - float(told):.{len(told.partition('.')[2])}f}"


def target_text(target: float) -> str:
    """A target accuracy in percent, no longer than it has to be."""
    short = f"{100 * target:.6g} %"
    return short if short != "100 %" or target == 1 else f"{100 * target:.15g} %"


def points(difference: float) -> str:
    """A difference of two fractions in percent, with its sign."""
    told = percent(abs(difference))
    return told if not float(difference) or told == "unknown" else f"{'-' if difference < 0 else '+'}{told}"
