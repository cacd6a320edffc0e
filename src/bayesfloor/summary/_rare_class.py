"""Say what accuracy hides if a class is rare."""

from __future__ import annotations

import numpy as np

from bayesfloor.engine._show import percent
from bayesfloor.engine._types import Floats
from bayesfloor.summary._phrases import accuracy

_RARE = 0.05  # fraction of rows below which accuracy says little about a class
_MANY = 10  # with more classes, the rarest one says little about the whole
_UNEVEN = 0.5  # relative to equal proportions: with many classes, each may be below 5 % without being rare


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
