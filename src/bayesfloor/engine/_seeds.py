"""Seeds of draws, as every function takes them."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from bayesfloor.engine._errors import InputError

_MOST = 2**32 - 1  # scikit-learn takes no more


def check_seed(random_state: Any) -> None:
    """Refuse a ``random_state`` that is not a seed: the same call has to give the same answer."""
    whole = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if not whole or not 0 <= int(random_state) <= _MOST:
        raise InputError(f"Got random_state={random_state!r}, but expected a whole number from 0 to {_MOST:,}.")
