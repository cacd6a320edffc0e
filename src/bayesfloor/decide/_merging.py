"""``merge_advice``: which classes to merge, how low the error can then go, and at what cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.answer._answer import Answer, check_target
from bayesfloor.answer._pairs_and_classes import best_posterior, merged_range
from bayesfloor.decide._gap import answer_of
from bayesfloor.floor._bayes_floor import BayesFloor
from bayesfloor.floor._results import constant_error
from bayesfloor.support._results import Result
from bayesfloor.support._types import Ints
from bayesfloor.support._words import about, join_labels, percent, show_labels

Group = tuple[Any, ...]  # labels

_JOINT = " + "
_LONGEST_NAME = 10**9  # characters: new labels are never shortened
_SHOWN_GROUPS, _SHOWN_LABELS = 4, 6  # groups in the text, and labels per group


@dataclass(frozen=True, eq=False, repr=False)
class MergeStep(Result):
    """A merge of two groups of classes, and the problem after it.

    Attributes
    ----------
    one, two : tuples of labels
        The groups; empty before any merge.
    alike : whether every class of one group was shown to be like every class of the other.
    n_classes : number of classes after the merge.
    gain : fraction of the rows that the best learner confuses between the two groups in cross-validation.
    estimate, lower, upper : the lowest possible error after the merge: best estimate and range; ``lower`` is NaN if
        there is none.
    guessing : error of always predicting the most frequent class after the merge.
    met : whether ``upper`` meets the target; None if there is no target.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.decide import merge_advice
    >>> advice = merge_advice(BayesFloor().fit(*load_iris(return_X_y=True)), target=0.98)
    >>> [(step.one, step.two, step.n_classes) for step in advice.steps]
    [((1,), (2,), 2)]
    """

    one: Group
    two: Group
    alike: bool
    n_classes: int
    gain: float
    estimate: float
    lower: float
    upper: float
    guessing: float
    met: bool | None

    def _summary(self) -> str:
        merged = f"{_show(self.one + self.two)} merged" if self.one else "nothing merged"
        return f"{merged}: {self.n_classes} classes, error {about(self.estimate, self.lower, self.upper)}"


@dataclass(frozen=True, eq=False, repr=False)
class MergeAdvice(Result):
    """Which classes to merge.

    Attributes
    ----------
    classes : class labels.
    target : the target accuracy, if given.
    before : the problem before any merge.
    steps : the merges, in order.
    groups : the classes after merging.
    mapping : the new label of each old label. If any classes are merged, all new labels are strings: the labels of a
        group joined by " + ", followed by a number if two would look the same.
    fraction_merged : fraction of the rows whose class is no longer distinguished from another.
    tested : whether classes could be tested for being alike; this needs few dimensions and one label per row.
    all_alike : whether the last two groups are alike as well, so that nothing distinguishes them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.decide import merge_advice
    >>> advice = merge_advice(BayesFloor().fit(*load_iris(return_X_y=True)), target=0.98)
    >>> advice.mapping
    {0: '0', 1: '1 + 2', 2: '1 + 2'}
    """

    classes: np.ndarray
    target: float | None
    before: MergeStep
    steps: tuple[MergeStep, ...]
    groups: tuple[Group, ...]
    mapping: dict[Any, Any]
    fraction_merged: float
    tested: bool
    all_alike: bool

    def _summary(self) -> str:
        errors = f"error at most {percent(self.before.upper)} % before, {percent(self.after.upper)} % after"
        return f"{len(self.classes)} classes to {len(self.groups)}, {errors}"

    @property
    def after(self) -> MergeStep:
        """The last step, or the problem before merging if there are no steps."""
        return self.steps[-1] if self.steps else self.before

    @property
    def text(self) -> str:
        """The advice in a few sentences."""
        return " ".join([*self._merged_text(), *self._target_text(), *self._loss_text()])

    def _merged_text(self) -> list[str]:
        rest = ["The two remaining classes are inseparable as well: nothing here distinguishes them."] * self.all_alike
        if not self.steps:
            why = "" if self.tested else ": this can be shown only in few dimensions and with one label per row"
            return rest or [f"No two classes are shown to be inseparable{why}."]
        merged = [_show(group) for group in self.groups if len(group) > 1]
        first, then = (about(step.estimate, step.lower, step.upper) for step in (self.before, self.after))
        alike, n = sum(step.alike for step in self.steps), len(self.steps)
        shown = "shown to be inseparable" if alike == n else f"{alike} of {n} merges shown to be inseparable"
        why = shown if alike else "to reach the target; they may be separable"
        return [
            f"Merge {join_labels(merged, _SHOWN_GROUPS)} ({why}).",
            f"The lowest possible error is then {then} instead of {first}.",
            *rest,
        ]

    def _target_text(self) -> list[str]:
        if self.target is None:
            return []
        wish = f"{100 * self.target:.6g} % accuracy"
        if self.before.met:
            return [f"{wish} is reachable without merging."]
        if not self.steps:
            return [f"No merge would bring {wish} closer."]
        return [f"{wish} is then reachable." if self.after.met else f"Even then, {wish} is not shown to be reachable."]

    def _loss_text(self) -> list[str]:
        """Describe the cost of merging; without it, merging everything would always look best."""
        if not self.steps:
            return []
        before, after = (f"{percent(step.guessing)} %" for step in (self.before, self.after))
        return [
            f"The cost: {percent(self.fraction_merged)} % of the rows are in classes that are no longer distinguished.",
            f"Always predicting the most frequent class then has an error of {after} instead of {before}.",
        ]

    def _columns(self) -> dict[str, Any]:
        lines = [step._columns() for step in (self.before, *self.steps)]
        return {name: [line[name][0] for line in lines] for name in lines[0]}


def merge_advice(floor: BayesFloor, target: float | None = None, answer: Answer | None = None) -> MergeAdvice:
    r"""Advise which classes to merge: those shown to be alike, and more if a target accuracy needs it.

    Parameters
    ----------
    floor : BayesFloor
        A fitted floor.
    target : float, default=None
        Accuracy to reach. By default, only classes shown to be alike are merged.
    answer : Answer, default=None
        The floor's answer, if you have it already; by default ``floor.answer()``.

    Returns
    -------
    MergeAdvice

    Notes
    -----
    First, two groups are merged if ``floor.pairwise_.alike()`` shows each class of one to be like each class of
    the other. Then, while the target is not met, any two groups may be merged. Each step merges the two groups that the
    best learner confuses most often in cross-validation; after the merge, these confusions no longer count as errors.
    Merging stops when no merge gains anything. At least two groups always remain.

    After each merge, the same learner's posteriors, summed over the classes of a group, give the best estimate
    and the range. The target is met when the *upper* end is at most the target's error. If the ``lower`` end is
    above the target's error, more merging is needed.

    Any merge lowers the error, down to 0 when nothing is left to distinguish, so look at the cost. Merges
    are chosen by their gain on these rows; they gain a little less on other rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> from bayesfloor.decide import merge_advice
    >>> advice = merge_advice(BayesFloor().fit(*load_iris(return_X_y=True)), target=0.97)
    >>> advice.mapping
    {0: '0', 1: '1 + 2', 2: '1 + 2'}
    >>> print(advice.text.replace(". ", ".\n"))  # doctest: +ELLIPSIS
    Merge 1 + 2 (to reach the target; they may be separable).
    The lowest possible error is then about 0.0 % (...) instead of about ... %).
    97 % accuracy is then reachable.
    The cost: 66.7 % of the rows are in classes that are no longer distinguished.
    Always predicting the most frequent class then has an error of 33.3 % instead of 66.7 %.
    """
    if target is not None:
        check_target(target)
    classes = _Classes(floor, answer_of(floor, answer), target)
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
        fraction_merged=float(sizes[together].sum() / sizes.sum()),
        tested=floor.pairwise_.claims and floor.fitted_.labels.hard,
        all_alike=len(groups) == 2 and bool(classes.alike.any()),
    )


class _Classes:
    """The state of merging; a group keeps the number of its first class."""

    def __init__(self, floor: BayesFloor, answer: Answer, target: float | None) -> None:
        self._labels, self._answer, self._target = floor.classes_.tolist(), answer, target
        self._sizes = floor.one_vs_rest_.sizes.copy()
        self.group: Ints = np.arange(len(self._labels))
        self.alike = floor.pairwise_.alike()
        # What merging two groups gains: the fraction of all rows that the best learner confuses between them.
        K, race = answer.n_classes, answer.evidence()
        codes = race.codes
        guess = best_posterior(answer).argmax(axis=1)
        lost = np.bincount(K * codes + guess, race.weight[codes], K * K).reshape(K, K) / len(codes)
        self._gain = np.asarray(lost + lost.T)
        np.fill_diagonal(self._gain, -np.inf)

    def merge(self) -> Iterator[MergeStep]:
        """Merge while there is a reason to: first groups shown to be alike, then any until the target is met."""
        met = self.step().met
        while np.count_nonzero(self._sizes) > 2:
            candidates = self._gain
            if self.alike.any():
                candidates = np.where(self.alike, self._gain, -np.inf)
            elif self._target is None or met or not self._gain.max() > 0:
                return
            step = self._join(*divmod(int(np.argmax(candidates)), len(self.group)))
            met = step.met
            yield step

    def groups(self) -> tuple[Group, ...]:
        return tuple(self._members(number) for number in np.unique(self.group))

    def step(self, one: Group = (), two: Group = (), gain: float = 0.0, *, alike: bool = False) -> MergeStep:
        """Describe the current state, after merging these two groups."""
        sizes = self._sizes[self._sizes > 0]
        estimate, lower, upper = merged_range(self._answer, self.group)
        met = None if self._target is None else upper <= 1 - self._target
        return MergeStep(one, two, alike, len(sizes), gain, estimate, lower, upper, constant_error(sizes), met)

    def _members(self, number: int) -> Group:
        return tuple(self._labels[own] for own in np.flatnonzero(self.group == number))

    def _join(self, i: int, j: int) -> MergeStep:
        """Merge group j into group i, which comes before it."""
        one, two, gain, alike = self._members(i), self._members(j), float(self._gain[i, j]), bool(self.alike[i, j])
        # Gains add up; the joint group is like another only if both were. Group j stays as an empty row and column.
        self.group[self.group == j] = i
        self._sizes[i], self._sizes[j] = self._sizes[i] + self._sizes[j], 0.0
        self._gain[i] = self._gain[:, i] = self._gain[i] + self._gain[j]
        self.alike[i] = self.alike[:, i] = self.alike[i] & self.alike[j]
        self._gain[j] = self._gain[:, j] = -np.inf
        self.alike[j] = self.alike[:, j] = False
        return self.step(one, two, gain, alike=alike)


def _show(group: Group) -> str:
    names = show_labels(group)
    shown, more = _JOINT.join(names[:_SHOWN_LABELS]), len(names) - _SHOWN_LABELS
    return shown if more <= 0 else f"{shown} and {more} more"


def _mapping(groups: tuple[Group, ...]) -> dict[Any, Any]:
    if all(len(group) == 1 for group in groups):
        return {label: label for (label,) in groups}
    names = show_labels([_JOINT.join(map(str, group)) for group in groups], _LONGEST_NAME)
    return {label: name for group, name in zip(groups, names, strict=True) for label in group}
