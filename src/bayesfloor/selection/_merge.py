"""``merge_advice``: which classes to make one, what floor that leaves, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bayesfloor.answer._verdict import check_target
from bayesfloor.counts._labels import Floats, Ints
from bayesfloor.engine._text import join_labels, percent, show_labels, span
from bayesfloor.floor._bayes_floor import BayesFloor, check_floor
from bayesfloor.floor._bounds import constant_error, error_bounds
from bayesfloor.floor._results import Result

Group = tuple[Any, ...]  # labels

_JOINT = " + "
_LONGEST_NAME = 10**9  # letters: new labels are never cut
_TOLD_GROUPS, _TOLD_LABELS = 4, 6  # in the text, the latter of each group


@dataclass(frozen=True, eq=False)
class MergeStep(Result):
    """Two groups of classes made one, and what is left.

    Attributes
    ----------
    one, two : tuples of labels
        The groups; empty for the classes as they are.
    alike : bool
        Whether every class of one was shown to be like every class of the other.
    n_classes : int
        Classes that are left.
    gain : float
        What the merge takes off G: the share of edges that join the two groups.
    cross_rate : float
        G after it.
    lower, estimate, upper : float
        Bounds on the Bayes error after it, and their middle.
    constant_error : float
        Error of always answering the largest class after it.
    met : bool or None
        Whether ``upper`` meets the target; None without one.
    """

    one: Group
    two: Group
    alike: bool
    n_classes: int
    gain: float
    cross_rate: float
    lower: float
    estimate: float
    upper: float
    constant_error: float
    met: bool | None

    def _columns(self) -> dict[str, Any]:
        return {item.name: [getattr(self, item.name)] for item in fields(self)}


@dataclass(frozen=True, eq=False)
class MergeAdvice(Result):
    """Which classes to merge.

    Attributes
    ----------
    classes : array
        Class labels.
    target : float or None
        The accuracy asked for.
    before : MergeStep
        The classes as they are.
    steps : tuple of MergeStep
        Merges, in their order.
    groups : tuple of tuples of labels
        What the merges make of the classes.
    mapping : dict
        The new label of each old one. As soon as any are merged, all new labels are texts: those of
        a group joined by " + ", with a number behind where two would look alike.
    share_merged : float
        Share of the rows whose class is no longer told from another.
    tested : bool
        Whether it could be shown at all that classes are alike: in few dimensions, for one label a
        row without weights.
    all_alike : bool
        Whether the two groups that are left are alike as well, so that there is nothing to tell.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor, merge_advice
    >>> advice = merge_advice(BayesFloor().fit(*load_iris(return_X_y=True)), target=0.96)
    >>> advice.mapping
    {0: '0', 1: '1 + 2', 2: '1 + 2'}
    """

    classes: np.ndarray
    target: float | None
    before: MergeStep
    steps: tuple[MergeStep, ...]
    groups: tuple[Group, ...]
    mapping: dict[Any, Any]
    share_merged: float
    tested: bool
    all_alike: bool

    def __repr__(self) -> str:
        return (
            f"MergeAdvice({len(self.classes)} classes to {len(self.groups)}, "
            f"upper bound {self.before.upper:.3f} to {self.after.upper:.3f})"
        )

    @property
    def after(self) -> MergeStep:
        """The last step; the classes as they are if there is none."""
        return self.steps[-1] if self.steps else self.before

    @property
    def text(self) -> str:
        """The advice in a few sentences."""
        told = [*self._merged_text(), *self._target_text(), *self._loss_text()]
        return " ".join(told)

    def _merged_text(self) -> list[str]:
        rest = ["The two that are left are alike as well: nothing here tells them apart."] * self.all_alike
        if not self.steps:
            why = "" if self.tested else ": it can be shown only in few dimensions, for one label a row without weights"
            return rest or [f"No two classes are shown to be alike{why}."]
        merged = [_show(group) for group in self.groups if len(group) > 1]
        first, then = (span(step.lower, step.upper) for step in (self.before, self.after))
        return [
            f"Merge {join_labels(merged, _TOLD_GROUPS)} ({self._alike_text()}).",
            f"The lowest possible error then is {then} instead of {first}.",
            *rest,
        ]

    def _alike_text(self) -> str:
        alike, n = sum(step.alike for step in self.steps), len(self.steps)
        return (
            "shown to be alike"
            if alike == n
            else f"{alike} of {n} shown to be alike"
            if alike
            else "not shown to be alike"
        )

    def _target_text(self) -> list[str]:
        if self.target is None:
            return []
        wish = f"{100 * self.target:.6g} % accuracy"
        if self.before.met:
            return [f"{wish} needs no merge."]
        reached = f"{wish} is then within reach" if self.after.met else f"Even so {wish} is not shown to be in reach"
        return [f"{reached} by the trees alone; a classifier may get there unmerged, which verdict tells."]

    def _loss_text(self) -> list[str]:
        """What is lost, without which merging everything would always look best."""
        if not self.steps:
            return []
        before, after = (f"{percent(step.constant_error)} %" for step in (self.before, self.after))
        return [
            f"What is lost: {percent(self.share_merged)} % of the rows are of classes no longer told apart.",
            f"Always answering the largest class then errs on {after} instead of {before}.",
        ]

    def _columns(self) -> dict[str, Any]:
        lines = [step._columns() for step in (self.before, *self.steps)]
        return {name: [line[name][0] for line in lines] for name in lines[0]}


def merge_advice(floor: BayesFloor, target: float | None = None) -> MergeAdvice:
    r"""Which classes to merge: those shown to be alike, and for a target accuracy as many more as it takes.

    Parameters
    ----------
    floor : BayesFloor
        A fitted floor.
    target : float, default=None
        Accuracy to reach. Without one, only classes shown to be alike are merged.

    Returns
    -------
    MergeAdvice

    Notes
    -----
    New labels leave the trees as they are, so merging two groups takes exactly the edges between them
    off G: twice the sum of ``soft_confusion_`` over both. ``floor.relabel`` gives the same bounds.

    First come groups that ``floor.pairwise_.alike()`` shows to be alike, each class of one to each of
    the other, the largest gain first; then, while the target is not met, the largest gain of all. It
    is met when the *upper* bound is no more than the target's error: the upper bound is what a known
    classifier, the neighbour in the tree, errs on, while at the estimate no classifier need get there.
    A ``lower`` bound above the target's error says that merging has to go on, as far as the floor is
    to be trusted. Two groups always stay.

    Any merge lowers the floor, down to 0 when nothing is left to tell; so look at what is lost. Merges
    chosen by what they gain on these rows gain a little less on others.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from bayesfloor import BayesFloor, merge_advice
    >>> X, y = load_wine(return_X_y=True)
    >>> advice = merge_advice(BayesFloor().fit(X, y), target=0.95)
    >>> advice.mapping
    {0: '0 + 1', 1: '0 + 1', 2: '2'}
    >>> print(advice.text.replace(". ", ".\n"))
    Merge 0 + 1 (not shown to be alike).
    The lowest possible error then is 1.5 to 3.0 % instead of 3.6 to 7.0 %.
    95 % accuracy is then within reach by the trees alone; a classifier may get there unmerged, which verdict tells.
    What is lost: 73.0 % of the rows are of classes no longer told apart.
    Always answering the largest class then errs on 27.0 % instead of 60.1 %.
    """
    check_floor(floor)
    if target is not None:
        check_target(target)
    classes = _Classes(floor, target)
    before, steps = classes.step(), tuple(classes.merge())
    groups, sizes = classes.groups(), floor.one_vs_rest_.sizes
    together = np.bincount(classes.group)[classes.group] > 1
    return MergeAdvice(
        classes=floor.classes_,
        target=target,
        before=before,
        steps=steps,
        groups=groups,
        mapping=_mapping(groups),
        share_merged=float(sizes[together].sum() / sizes.sum()),
        tested=floor.pairwise_.claims and floor.fitted_.labels.hard and floor.fitted_.labels.weight is None,
        all_alike=len(groups) == 2 and bool(classes.alike.any()),
    )


class _Classes:
    """Classes while they are merged: a group keeps the number of its first class."""

    def __init__(self, floor: BayesFloor, target: float | None) -> None:
        self._labels, self._options, self._target = floor.classes_.tolist(), floor.fitted_.options, target
        self._sizes, self._rate = floor.one_vs_rest_.sizes.copy(), floor.overall_.cross_rate
        self.group: Ints = np.arange(len(self._labels))
        self.alike = floor.pairwise_.alike()
        self._gain: Floats = 2 * floor.soft_confusion_  # what merging two groups takes off G
        np.fill_diagonal(self._gain, -np.inf)

    def merge(self) -> Iterator[MergeStep]:
        """Merge as long as there is a reason to."""
        while np.count_nonzero(self._sizes) > 2:
            shown = np.where(self.alike, self._gain, -np.inf)
            if not self.alike.any() and (self._target is None or self.step().met):
                return
            i, j = divmod(int(np.argmax(shown if self.alike.any() else self._gain)), len(self.group))
            yield self._join(i, j)

    def groups(self) -> tuple[Group, ...]:
        """Labels of the groups."""
        return tuple(self._members(number) for number in np.unique(self.group))

    def step(self, one: Group = (), two: Group = (), gain: float = 0.0, *, alike: bool = False) -> MergeStep:
        """What there is now, after a merge of these two."""
        sizes = self._sizes[self._sizes > 0]
        lower, estimate, upper = (float(bound) for bound in error_bounds(self._rate, sizes, self._options))
        met = None if self._target is None else upper <= 1 - self._target
        constant = constant_error(sizes)
        return MergeStep(one, two, alike, len(sizes), gain, self._rate, lower, estimate, upper, constant, met)

    def _members(self, number: int) -> Group:
        return tuple(self._labels[own] for own in np.flatnonzero(self.group == number))

    def _join(self, i: int, j: int) -> MergeStep:
        """Make group j part of group i, which comes before it."""
        one, two, gain, alike = self._members(i), self._members(j), float(self._gain[i, j]), bool(self.alike[i, j])
        self.group[self.group == j] = i
        self._rate = max(0.0, self._rate - gain)
        self._sizes[i], self._sizes[j] = self._sizes[i] + self._sizes[j], 0.0
        self._gain[i] = self._gain[:, i] = self._gain[i] + self._gain[j]
        self.alike[i] = self.alike[:, i] = self.alike[i] & self.alike[j]
        self._gain[j] = self._gain[:, j] = -np.inf
        self.alike[j] = self.alike[:, j] = False
        return self.step(one, two, gain, alike=alike)


def _show(group: Group) -> str:
    """A group as a short text."""
    names = show_labels(group)
    shown, more = _JOINT.join(names[:_TOLD_LABELS]), len(names) - _TOLD_LABELS
    return shown if more <= 0 else f"{shown} and {more} more"


def _mapping(groups: tuple[Group, ...]) -> dict[Any, Any]:
    """New labels of old ones."""
    if all(len(group) == 1 for group in groups):
        return {label: label for (label,) in groups}
    names = show_labels([_JOINT.join(map(str, group)) for group in groups], _LONGEST_NAME)
    return {label: name for group, name in zip(groups, names, strict=True) for label in group}
