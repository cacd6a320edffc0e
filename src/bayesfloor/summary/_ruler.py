"""Draw the answer as a ruler, one line of characters."""

from __future__ import annotations

import numpy as np

from bayesfloor.summary._check_parts import Measured

LENGTH = 50
_FAR = 0.25  # fraction of guessing: if everything is below it, the ruler ends before guessing


def ruler(check: Measured, length: int = LENGTH) -> str:
    """Draw the range and the best estimate on a ruler from zero error to ``ruler_end``."""
    answer = check.answer
    aim = [] if check.target is None else [1 - check.target]
    end = ruler_end(max(answer.upper, answer.estimate, *aim), answer.guessing)
    line = ["─"] * length
    first, last = (_place(error, end, length) for error in (np.nan_to_num(answer.lower), answer.upper))
    line[first : last + 1] = "█" * (last + 1 - first)
    best = _place(answer.estimate, end, length)
    for error in aim:
        line[_beside(_place(error, end, length), best, length, right=error > answer.estimate)] = "┃"
    line[best] = "◆"
    return f"0 ▕{''.join(line)}▏ {100 * end:.3g} % error  ◆ best{'  ┃ target' if aim else ''}"


def _beside(place: int, best: int, length: int, *, right: bool) -> int:
    """Move the target's mark off that of the best estimate, to the side where the target lies."""
    if place != best:
        return place
    return best + 1 if (right and best + 1 < length) or not best else best - 1


def _place(error: float, end: float, length: int) -> int:
    return min(length - 1, int(error / end * length))


def ruler_end(most: float, guessing: float) -> float:
    """Return the error at which a ruler ends: guessing, or a round number if everything is far below that."""
    if most > _FAR * guessing:
        return max(guessing, most, 1e-9)
    return round_up(max(1.5 * most, 1e-4), (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10))


def round_up(wanted: float, steps: tuple[float, ...] = (1, 2, 2.5, 5, 10)) -> float:
    """Round up to the next number whose leading digits are one of these steps."""
    unit = 10.0 ** np.floor(np.log10(wanted))
    return float(next(unit * step for step in steps if unit * step >= wanted))
