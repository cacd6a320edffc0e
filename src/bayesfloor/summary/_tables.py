"""Pairs and classes as rows of a table, hardest first; every printed form takes them from here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayesfloor.counts._labels import Floats, Ints, hard_shares
from bayesfloor.floor._envelope import Envelope
from bayesfloor.floor._results import PairwiseFloor
from bayesfloor.formulas._henze_penrose import henze_penrose
from bayesfloor.formulas._limits import lower_limit, upper_limit
from bayesfloor.formulas._multiclass import one_vs_rest_bounds

if TYPE_CHECKING:
    from bayesfloor.summary._check import Check

LEVEL = 0.95


class PairRow(NamedTuple):
    """A pair of classes, by number, with its figures.

    ``low`` and ``high`` are the lower bound at both ends of the 95 % interval of the cross edges;
    ``held_out`` is the error of the best classifier between the two on rows held out.
    """

    one: int
    two: int
    lower: float
    upper: float
    low: float
    high: float
    normalised: float
    held_out: float
    p_value: float


class ClassRow(NamedTuple):
    """A class, by number, with its figures, shares of all rows; ``low`` and ``high`` as for pairs.

    ``normalised`` is the estimate over the error of guessing whether a row is of the class; ``note``
    says why there is nothing to tell, if so.
    """

    number: int
    note: str
    size: float
    lower: float
    estimate: float
    upper: float
    low: float
    high: float
    normalised: float


def pair_rows(check: Check, most: int | None = None) -> list[PairRow]:
    """Measurable pairs, hardest first."""
    floor, pairs = check.pairwise, hardest_pairs(check, most)
    low, high = pair_limits(floor, *pairs, check.facts.draws)
    figures = (floor.lower[pairs], floor.upper[pairs], low, high)
    more = (values[pairs] for values in (floor.matrix, check.pair_errors, floor.holm))
    return [PairRow(*row) for row in zip(*(column.tolist() for column in (*pairs, *figures, *more)), strict=True)]


def hardest_pairs(check: Check, most: int | None = None) -> tuple[Ints, Ints]:
    """Numbers of the measurable pairs, hardest first; those of classes with too few rows last."""
    one, two = np.triu_indices(len(check.pairwise.classes), 1)
    seen = ~check.pairwise.at_resolution[one, two]
    one, two = one[seen], two[seen]
    few = check.one_vs_rest.few[one] | check.one_vs_rest.few[two]
    order = np.lexsort((-check.pairwise.matrix[one, two], few))[:most]
    return one[order], two[order]


def pair_limits(floor: PairwiseFloor, one: Ints, two: Ints, draws: float = 1.0) -> tuple[Floats, Floats]:
    """Lower bounds of these pairs at both ends of the 95 % interval of their cross edges.

    Clopper-Pearson on the mean of the trees: wider than need be, since the mean varies less than one.
    Where groups were drawn, not rows, there are ``draws`` of them a row.
    """
    n1, n2, half = floor.sizes[one], floor.sizes[two], 0.5 + LEVEL / 2
    edges = n1 + n2 - 1
    cross = np.minimum(floor.cross[one, two], edges)
    ends = [limit(cross * draws, edges * draws, half) * edges for limit in (lower_limit, upper_limit)]
    low, high = (np.asarray(henze_penrose(end, n1, n2).lower) for end in ends)
    return low, high


def class_rows(check: Check, most: int | None = None) -> list[ClassRow]:
    """Classes, hardest first; those with too few rows last."""
    floor, (low, high) = check.one_vs_rest, class_limits(check)
    share = floor.sizes / floor.sizes.sum()
    normalised = np.minimum(1.0, floor.estimate / np.minimum(share, 1 - share))
    notes = [_note(check, k) for k in range(len(share))]
    order = np.lexsort((-normalised, [note != "" for note in notes]))[:most]
    columns = (floor.sizes, floor.lower, floor.estimate, floor.upper, low, high, normalised)
    return [ClassRow(k, notes[k], *(float(values[k]) for values in columns)) for k in order.tolist()]


def _note(check: Check, number: int) -> str:
    """Why nothing can be told of a class."""
    if check.one_vs_rest.few[number]:
        return "too few rows"
    others = np.arange(len(check.labels)) != number
    return "not measurable" if check.pairwise.at_resolution[number, others].all() else ""


def class_limits(check: Check) -> tuple[Floats, Floats]:
    """Lower bounds of all classes at both ends of the 95 % interval of their rate, which is of n - 1 edges."""
    edges = 1 - 1 / check.overall.n_rows  # the bounds are of n
    low, high = (
        np.minimum(one_vs_rest_bounds(rate * edges, check.overall.cross_rate).lower, check.overall.constant_error)
        for rate in check.one_vs_rest.interval(LEVEL)
    )
    return low, high


def held_out_pair_errors(envelope: Envelope, n_classes: int) -> Floats:
    """Error between each two classes of the best posterior, out of fold."""
    eta, codes = envelope._eta, envelope._codes
    own = eta[np.arange(len(codes)), codes][:, None]
    beaten = hard_shares(codes, n_classes).T @ ((eta > own) + 0.5 * (eta == own))  # a tie is half an error
    np.fill_diagonal(beaten, 0.0)
    sizes = np.bincount(codes, minlength=n_classes)
    return (beaten + beaten.T) / np.maximum(sizes[:, None] + sizes, 1)
