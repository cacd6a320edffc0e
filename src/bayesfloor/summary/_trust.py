"""What makes the answer strong or weak here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.engine._text import percent, printable
from bayesfloor.floor._envelope import Envelope
from bayesfloor.floor._results import FEW, Floor, OneVsRestFloor, Result
from bayesfloor.summary._facts import Facts
from bayesfloor.summary._words import amount, best_learner, count

_SCALES_APART = 1.5  # times the standard error of G on the rows that scales were tried on, and this ratio
_COPIES = 0.01  # share of equal rows that is worth a word


@dataclass(frozen=True)
class Trait:
    """One thing that the answer's worth hangs on."""

    code: str
    name: str
    weak: bool
    text: str


@dataclass(frozen=True)
class Trust(Result):
    """Whether the lower bound can be believed, and why.

    Attributes
    ----------
    word : {"small bias", "unknown", "refuted"}
        As in ``Envelope.trust``.
    reasons : tuple of str
        Why, in words.
    traits : tuple of Trait
        Rows a class, scale, ties, distance of neighbours, classifiers, rows in use, copies: whether
        each weakens the answer.
    """

    word: str
    reasons: tuple[str, ...]
    traits: tuple[Trait, ...]

    @property
    def weak(self) -> tuple[Trait, ...]:
        """The traits that weaken the answer."""
        return tuple(trait for trait in self.traits if trait.weak)

    def to_dict(self) -> dict[str, Any]:
        """All values as plain Python, ready for JSON."""
        traits = [{"code": t.code, "name": t.name, "weak": t.weak, "text": t.text} for t in self.traits]
        return {"word": self.word, "reasons": list(self.reasons), "traits": traits}

    def _columns(self) -> dict[str, Any]:
        return {name: [getattr(trait, name) for trait in self.traits] for name in ("code", "name", "weak", "text")}


def weigh_trust(facts: Facts, overall: Floor, one_vs_rest: OneVsRestFloor, envelope: Envelope) -> Trust:
    """All traits of a result."""
    traits = (
        _rows_a_class(one_vs_rest),
        _scale(facts),
        _ties(overall),
        _neighbours(overall, envelope),
        _classifiers(overall, envelope),
        _rows_used(facts, overall),
        _copies(facts),
    )
    return Trust(envelope.trust, envelope.reasons, traits)


def _rows_a_class(floor: OneVsRestFloor) -> Trait:
    few, least = int(np.count_nonzero(floor.few)), float(floor.sizes.min())
    if few:
        told = f"{count(few, 'class')} of {len(floor.sizes):,} with fewer than {FEW} rows"
        text = f"{told}, the smallest with {amount(least)}"
    else:
        text = f"the smallest class has {count(least, 'row')}"
    return Trait("BF201", "rows a class", few > 0, text)


def _scale(facts: Facts) -> Trait:
    rates = facts.scale_rates
    if not rates:
        return Trait("BF202", "scale", weak=False, text=f"{facts.scale}, as asked for; others were not tried")
    high = max(rates, key=rates.__getitem__)
    used = rates[facts.scale]
    noise = np.sqrt(used * (1 - used) / min(facts.n_used, 2000))
    weak = rates[high] > _SCALES_APART * used and rates[high] - used > 4 * noise
    shown = ", ".join(f"{name} {percent(rate)} %" for name, rate in rates.items())
    return Trait("BF202", "scale", bool(weak), f"used {facts.scale}; share of cross edges by scale: {shown}")


def _ties(overall: Floor) -> Trait:
    low, high = overall.tie_spread
    weak = high - low > 2 * 1.96 * overall.std_error
    if not high > low:
        return Trait("BF203", "ties", weak=False, text="equally long edges make no difference")
    return Trait(
        "BF203",
        "ties",
        bool(weak),
        f"equally long edges leave the share of cross edges between {percent(low)} and {percent(high)} %",
    )


def _neighbours(overall: Floor, envelope: Envelope) -> Trait:
    bias = envelope.roughness + max(0.0, envelope.squared_error)
    weak = bias > 1.96 * overall.std_error
    dimension = f"about {overall.dimension:.1f} dimensions" if np.isfinite(overall.dimension) else "no dimension found"
    text = (
        f"{percent(bias)} % of edges may join two classes for the distance between neighbours alone ({dimension}); "
        f"the interval reaches {percent(1.96 * overall.std_error)} % to each side"
    )
    return Trait("BF204", "neighbours", bool(weak), text)


def _classifiers(overall: Floor, envelope: Envelope) -> Trait:
    name, error = best_learner(envelope)
    told = f"{printable(name)} errs on {percent(error)} % of held-out rows"
    text = f"{told}; the trees' lower bound is {percent(overall.lower)} %"
    return Trait("BF205", "classifiers", envelope.alarm, text)


def _rows_used(facts: Facts, overall: Floor) -> Trait:
    if overall.n_rows > facts.n_used:
        text = (
            f"the whole and each class from the trees of all {overall.n_rows:,} rows ({printable(facts.engine)}); "
            f"pairs, single rows and classifiers from {facts.n_used:,} drawn"
        )
        return Trait("BF206", "rows in use", weak=False, text=text)
    weak = facts.n_used < facts.n_rows
    text = f"{facts.n_used:,} of {facts.n_rows:,} rows were drawn and used" if weak else f"all {facts.n_rows:,}"
    return Trait("BF206", "rows in use", weak, text)


def _copies(facts: Facts) -> Trait:
    equal = 1 - facts.n_distinct / max(facts.n_used, 1)
    if facts.near_copies and facts.n_groups is None:
        text = f"{percent(facts.near_copies)} % of rows lie so close to another that they may be copies; tell groups"
        return Trait("BF207", "copies", weak=True, text=text)
    text = f"{percent(equal)} % of rows equal another" if equal else "no two rows are equal"
    return Trait("BF207", "copies", equal > _COPIES, text)
