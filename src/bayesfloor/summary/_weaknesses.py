"""What to know of the data before relying on the answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.answer._answer import Answer
from bayesfloor.engine._result import Result
from bayesfloor.engine._show import amount, how_many, percent, printable
from bayesfloor.floor._results import FEW, Floor, OneVsRestFloor
from bayesfloor.formulas._confidence_limits import two_sided
from bayesfloor.summary._facts import Facts

_SCALES_APART = 1.5  # times the standard error of G on the rows that scales were tried on, and this ratio
_DUPLICATES = 0.01  # fraction of equal rows that is worth a word


@dataclass(frozen=True, repr=False)
class Trait(Result):
    """A property of the data, whether it weakens the answer, and the figures behind it.

    Attributes
    ----------
    code, name, text : str
        For ``bayesfloor explain``; what it is called; the figures.
    weak : bool
        Whether it weakens the answer.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> [trait.code for trait in found.traits if trait.weak]
    []
    """

    code: str
    name: str
    weak: bool
    text: str


def find_traits(facts: Facts, overall: Floor, one_vs_rest: OneVsRestFloor, answer: Answer) -> tuple[Trait, ...]:
    """All traits of a result."""
    return (
        _rows_per_class(one_vs_rest),
        _scale(facts),
        _ties(overall),
        _sparse(overall),
        _tree_bounds(overall, answer),
        _rows_used(facts, overall, answer),
        _duplicates(facts),
    )


def _rows_per_class(floor: OneVsRestFloor) -> Trait:
    few, least = int(np.count_nonzero(floor.few)), float(floor.sizes.min())
    if few:
        have = "has" if few == 1 else "have"
        text = f"{few:,} of {how_many(len(floor.sizes), 'class')} {have} fewer than {FEW} rows"
        text += f", the smallest {amount(least)}"
    else:
        text = f"the smallest class has {how_many(least, 'row')}"
    return Trait("BF201", "rows per class", few > 0, text)


def _scale(facts: Facts) -> Trait:
    rates, name = facts.scale_rates, f"{'no' if facts.scale == 'none' else facts.scale} scaling"
    if not rates:
        return Trait("BF202", "scale", weak=False, text=f"{name}, as asked for; others were not tried")
    high = max(rates, key=rates.__getitem__)
    used = rates[facts.scale]
    noise = np.sqrt(used * (1 - used) / min(facts.n_used, 2000))
    weak = bool(rates[high] > _SCALES_APART * used and rates[high] - used > 4 * noise)
    shown = ", ".join(f"{scale} {percent(rate)} %" for scale, rate in rates.items())
    using = f"the result depends on feature scaling (using {name})" if weak else f"using {name}"
    return Trait("BF202", "scale", weak, f"{using}; cross-class edges by scaling: {shown}")


def _ties(overall: Floor) -> Trait:
    low, high = overall.tie_spread
    weak = high - low > 2 * two_sided(0.95) * overall.std_error
    if not high > low:
        return Trait("BF203", "ties", weak=False, text="equally long edges make no difference")
    return Trait(
        "BF203",
        "ties",
        bool(weak),
        f"between {percent(low)} and {percent(high)} % of edges cross classes, by the order of equally long ones",
    )


def _sparse(overall: Floor) -> Trait:
    reach = two_sided(0.95) * overall.std_error
    error = f"sampling error: ±{percent(reach)} points"
    if not np.isfinite(overall.bias):
        return Trait("BF204", "sparse data", weak=False, text="too few distinct rows to measure how sparse they are")
    known = np.isfinite(overall.dimension)
    dimension = f"intrinsic dimension {overall.dimension:.1f}" if known else "intrinsic dimension unknown"
    may_cross = f"about {percent(max(0.0, overall.bias))} % of edges may cross classes without any real overlap"
    if overall.bias > reach:
        text = f"data are sparse ({dimension}): {may_cross} ({error}), so the tree bounds are too high"
        return Trait("BF204", "sparse data", weak=True, text=text)
    return Trait("BF204", "sparse data", weak=False, text=f"{dimension}; {may_cross} ({error})")


def _tree_bounds(overall: Floor, answer: Answer) -> Trait:
    if overall.lower > answer.upper:
        text = "the tree bounds are too high here (sparse data): a learner was tested to be better than they allow"
        return Trait("BF205", "tree bounds", weak=True, text=text)
    if answer.contradicts(overall.lower):
        text = "the tree bounds lie above the best estimate (sparse data), but not above its range"
    else:
        text = "the tree bounds do not contradict the answer"
    return Trait("BF205", "tree bounds", weak=False, text=text)


def _rows_used(facts: Facts, overall: Floor, answer: Answer) -> Trait:
    if overall.n_rows > facts.n_used:
        text = (
            f"tree bounds from all {overall.n_rows:,} rows ({printable(facts.engine)}); "
            f"everything else from a subsample of {facts.n_used:,}"
        )
        return Trait("BF206", "rows used", weak=False, text=text)
    weak = facts.n_used < facts.n_rows
    text = f"the data were subsampled: {facts.n_used:,} of {facts.n_rows:,} rows" if weak else f"all {facts.n_rows:,}"
    tested = f"; learners were tested on {answer.n_rows:,}" if answer.n_rows < facts.n_used else ""
    return Trait("BF206", "rows used", weak, text + tested)


def _duplicates(facts: Facts) -> Trait:
    equal = 1 - facts.n_distinct / max(facts.n_used, 1)
    if facts.near_copies and facts.n_groups is None:
        text = (
            f"{percent(facts.near_copies)} % of rows are near-duplicates of another: pass groups to keep them together"
        )
        return Trait("BF207", "duplicates", weak=True, text=text)
    text = f"{percent(equal)} % of rows are duplicates" if equal else "no duplicates"
    return Trait("BF207", "duplicates", equal > _DUPLICATES, text)
