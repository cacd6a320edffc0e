"""Limits that a dataset has to keep: each is kept, broken or undecided."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.answer._verdict import OUT_OF_REACH, REACHABLE, TOO_CLOSE
from bayesfloor.counts._labels import Floats, Ints
from bayesfloor.engine._text import percent, span
from bayesfloor.formulas._limits import upper_limit
from bayesfloor.summary._tables import LEVEL, class_limits, pair_limits
from bayesfloor.summary._words import limits, target_text

if TYPE_CHECKING:
    from bayesfloor.summary._check import Check

_ALIKE_ROWS = 0.1  # by which numbers of rows may differ for biases to be alike
_WORDS = {REACHABLE: "ok", OUT_OF_REACH: "failed", TOO_CLOSE: "undecided"}


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
    told = f"target {target_text(target)}, lowest possible error {limits(envelope)}"
    return Gate("BF301", _WORDS[check.answer.verdict(target)], told)


def error_gate(check: Check, most: float) -> Gate:
    """Whether the lower bound of the whole problem exceeds a limit."""
    floor = check.overall
    low, high = (float(floor.bounds_at(rate).lower) for rate in floor.interval(LEVEL))
    low, high = min(low, check.envelope.lower), min(high, check.envelope.upper)
    told = f"lower bound {percent(floor.lower)} %, {span(low, high)} after classifiers (95 % interval)"
    return Gate("BF302", _judge(check, low, high, most), f"{told}, limit {target_text(most)}")


def pair_gate(check: Check, most: float) -> Gate:
    """Whether the lower bound of any measurable pair exceeds a limit."""
    few = check.one_vs_rest.few
    one, two = np.nonzero(np.triu(~(check.pairwise.at_resolution | few[:, None] | few), 1))
    if not len(one):
        return Gate("BF303", "ok", f"no pair is measurable, limit {target_text(most)}")
    low, high = pair_limits(check.pairwise, one, two, check.facts.draws)
    high = np.minimum(high, _held_out_limit(check, one, two))
    share = (check.pairwise.sizes[one] + check.pairwise.sizes[two]) / check.pairwise.sizes.sum()
    low = np.minimum(_corrected(check, low, share), high)  # what a classifier refutes cannot fail
    names = [f"{check.labels[i]} and {check.labels[j]}" for i, j in zip(one.tolist(), two.tolist(), strict=True)]
    return _worst_of("BF303", check, names, low, high, most)


def class_gate(check: Check, most: float) -> Gate:
    """Whether the lower bound of any class against the rest exceeds a limit."""
    known = np.flatnonzero(~check.one_vs_rest.few)
    if not len(known):
        return Gate("BF304", "undecided", f"all classes have too few rows, limit {target_text(most)}")
    low, high = (limit[known] for limit in class_limits(check))
    names = [check.labels[k] for k in known.tolist()]
    return _worst_of("BF304", check, names, _corrected(check, low, 1.0), high, most)


def baseline_gate(check: Check, before: Check, most: float) -> Gate:
    """Whether the estimate rose by more than a limit since an earlier check."""
    now, then = check.overall, before.overall
    rise = now.estimate - then.estimate
    reach, unlike = float(np.hypot(_reach(check), _reach(before))), _unlike(check, before)
    sure = not _refuted(check, before) if not unlike else _both_trusted(check, before)
    above = rise - reach > most
    word = "ok" if rise + reach <= most or rise <= 0 else "failed" if above and sure else "undecided"
    word = word if check.facts.n_classes == before.facts.n_classes else "undecided"
    text = f"middle of the bounds by trees {percent(then.estimate)} % before, {percent(now.estimate)} % now, "
    text += f"a rise of {100 * rise:+.2f} points (give or take {100 * reach:.2f}), limit {100 * most:g} points"
    doubt = "; a classifier refutes the bounds of one of the two" if above and _refuted(check, before) else ""
    return Gate("BF305", word, text + unlike + doubt)


def check_limits(limits: dict[str, float | None]) -> None:
    """Refuse what is no error."""
    for name, value in limits.items():
        number = isinstance(value, Real) and not isinstance(value, bool)
        if value is not None and not (number and 0 <= float(value) <= 1):
            raise ValueError(f"Got {name}={value!r}, but expected an error from 0 to 1, such as 0.05.")


def _refuted(check: Check, before: Check) -> bool:
    return check.envelope.alarm or before.envelope.alarm


def _both_trusted(check: Check, before: Check) -> bool:
    return check.envelope.trusted and before.envelope.trusted


def _corrected(check: Check, low: Floats, share: Floats | float) -> Floats:
    """Lower bounds of parts of the rows, less what classifiers say that the bound of all is too high by.

    In proportion, or all of it in one part: whichever leaves less.
    """
    whole = float(check.overall.bounds_at(check.overall.interval(LEVEL)[0]).lower)
    kept = min(1.0, check.envelope.lower / whole) if whole > 0 else 1.0
    return np.maximum(0.0, np.minimum(low * kept, low - whole * (1 - kept) / share))


def _judge(check: Check, low: float, high: float, most: float) -> str:
    """Failed only where even the low end is too high and the bounds can be trusted."""
    if high <= most:
        return "ok"
    return "failed" if low > most and check.envelope.trusted else "undecided"


def _worst_of(code: str, check: Check, names: list[str], low: Floats, high: Floats, most: float) -> Gate:
    """The gate of the worst pair or class."""
    worst = int(np.argmax(low if (low > most).any() else high))
    word = _judge(check, float(low[worst]), float(high.max()), most)
    told = span(float(low[worst]), float(high[worst]))
    return Gate(
        code,
        word,
        f"worst is {names[worst]}: lower bound {told} after classifiers (95 % interval), limit {target_text(most)}",
    )


def _held_out_limit(check: Check, one: Ints, two: Ints) -> Floats:
    """Upper limit of each pair's error by the best classifier on rows held out."""
    sizes = check.pairwise.sizes * check.envelope.n_rows / check.pairwise.sizes.sum()
    n = (sizes[one] + sizes[two]) * check.facts.draws
    return upper_limit(check.pair_errors[one, two] * n, n, LEVEL)


def _reach(check: Check) -> float:
    """Half of the 95 % interval, as an error."""
    low, high = (float(check.overall.bounds_at(rate).estimate) for rate in check.overall.interval(LEVEL))
    return (high - low) / 2


def _unlike(check: Check, before: Check) -> str:
    """What makes the two hard to compare: the bias of both is the same only for like data."""
    now, then = check.facts, before.facts
    names = [name for name in ("n_classes", "n_features", "scale") if getattr(now, name) != getattr(then, name)]
    names += ["n_used"] if abs(np.log(now.n_used / then.n_used)) > _ALIKE_ROWS else []
    told = ", ".join(f"{name} {getattr(then, name)} then, {getattr(now, name)} now" for name in names)
    return f"; not quite alike: {told}" if names else ""
