"""Check seeds for random numbers in the same way everywhere."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from bayesfloor.engine._errors import InputError

_MOST = 2**32 - 1  # the largest seed that scikit-learn accepts


def check_seed(random_state: Any) -> None:
    """Raise if ``random_state`` is not a seed: the same call must give the same answer."""
    whole = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if not whole or not 0 <= int(random_state) <= _MOST:
        raise InputError(f"Got random_state={random_state!r}, but expected a whole number from 0 to {_MOST:,}.")
