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


def how_many(number: float, noun: str) -> str:
    """A number with its noun: 1 row, 1,797 rows."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{amount(number)} {noun if number == 1 else plural}"


def amount(number: float) -> str:
    """A number of rows, in whole ones: soft labels make fractions of them."""
    return f"{number:,.0f}"


def points(difference: float) -> str:
    """A difference of two fractions in percent, with its sign."""
    told = percent(abs(difference))
    return told if not float(difference) or told == "unknown" else f"{'-' if difference < 0 else '+'}{told}"
