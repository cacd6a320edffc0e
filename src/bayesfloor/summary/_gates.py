"""Limits that a dataset has to keep: each is kept, broken or undecided."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.counts._labels import Floats
from bayesfloor.formulas._limits import upper_limit
from bayesfloor.summary._tables import LEVEL, class_limits, pair_limits
from bayesfloor.summary._words import percent, span, target_text

if TYPE_CHECKING:
    from bayesfloor.summary._check import Check

_WORDS = {"feasible": "ok", "infeasible": "failed", "undecided": "undecided"}


@dataclass(frozen=True)
class Gate:
    """A limit and what came of it: "ok", "failed" or "undecided"."""

    code: str
    word: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        """All values as plain Python."""
        return asdict(self)


def target_gate(check: Check, target: float) -> Gate:
    """Whether a target accuracy is within reach."""
    envelope = check.envelope
    told = f"target {target_text(target)}, lowest possible error {span(envelope.lower, envelope.upper)}"
    return Gate("BF301", _WORDS[check.reachable(target)], told)


def error_gate(check: Check, most: float) -> Gate:
    """Whether the lower bound of the whole problem exceeds a limit."""
    floor = check.overall
    low, high = (float(floor.bounds_at(rate).lower) for rate in floor.interval(LEVEL))
    word = _judge(check, low, min(high, check.envelope.upper), most)
    told = f"lower bound {percent(floor.lower)} % (95 % interval {percent(low)} to {percent(high)} %)"
    return Gate("BF302", word, f"{told}, limit {percent(most)} %")


def pair_gate(check: Check, most: float) -> Gate:
    """Whether the lower bound of any measurable pair exceeds a limit."""
    low, high = pair_limits(check)
    high = np.minimum(high, _held_out_limit(check))
    low = np.minimum(low, high)  # what a classifier refutes cannot fail
    seen = np.triu(~check.pairwise.at_resolution, 1)
    return _worst_of("BF303", check, np.where(seen, low, 0.0), np.where(seen, high, 0.0), most)


def class_gate(check: Check, most: float) -> Gate:
    """Whether the lower bound of any class against the rest exceeds a limit."""
    low, high = class_limits(check)
    return _worst_of("BF304", check, low, high, most)


def baseline_gate(check: Check, before: Check, most: float) -> Gate:
    """Whether the estimate rose by more than a limit since an earlier check."""
    now, then = check.overall, before.overall
    rise = now.estimate - then.estimate
    reach = float(np.hypot(_reach(check), _reach(before)))
    word = "failed" if rise - reach > most else "ok" if rise + reach <= most or rise <= 0 else "undecided"
    text = f"estimate {percent(then.estimate)} % before, {percent(now.estimate)} % now, "
    text += f"a rise of {100 * rise:+.2f} (give or take {100 * reach:.2f}), limit {percent(most)} %"
    return Gate("BF305", word, text + _unlike(check, before))


def _judge(check: Check, low: float, high: float, most: float) -> str:
    """Failed only where even the low end is too high and the bounds can be trusted."""
    if high <= most:
        return "ok"
    return "failed" if low > most and check.envelope.trusted else "undecided"


def _worst_of(code: str, check: Check, low: Floats, high: Floats, most: float) -> Gate:
    """The gate of the worst pair or class."""
    worst = np.unravel_index(np.argmax(low if (low > most).any() else high), low.shape)
    where = " and ".join(check.labels[int(k)] for k in worst)
    word = _judge(check, float(low[worst]), float(high.max()), most)
    told = span(float(low[worst]), float(high[worst]))
    return Gate(code, word, f"worst is {where}: lower bound {told} (95 % interval), limit {percent(most)} %")


def _held_out_limit(check: Check) -> Floats:
    """Upper limit of each pair's error by the best classifier on rows held out."""
    sizes = check.pairwise.sizes * check.envelope.n_rows / check.pairwise.sizes.sum()
    n = sizes[:, None] + sizes
    return upper_limit(check.pair_errors * n, n, LEVEL)


def _reach(check: Check) -> float:
    """Half of the 95 % interval, as an error."""
    low, high = (float(check.overall.bounds_at(rate).estimate) for rate in check.overall.interval(LEVEL))
    return (high - low) / 2


def _unlike(check: Check, before: Check) -> str:
    """What makes the two hard to compare."""
    now, then = check.facts, before.facts
    names = [name for name in ("n_classes", "n_features", "scale") if getattr(now, name) != getattr(then, name)]
    told = ", ".join(f"{name} {getattr(then, name)} then, {getattr(now, name)} now" for name in names)
    return f"; not quite alike: {told}" if names else ""
