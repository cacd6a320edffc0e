"""Everything that was measured about a dataset: what the text, Markdown, JSON and HTML outputs all show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property

from bayesfloor.answer._answer import TOO_CLOSE, Answer, Basis
from bayesfloor.answer._hazards import Dependence
from bayesfloor.answer._leaks import DoubtfulColumns, Leak
from bayesfloor.answer._pairs_and_classes import ClassAnswers, PairAnswers
from bayesfloor.decide._gap import Gap
from bayesfloor.decide._merging import MergeAdvice
from bayesfloor.decide._suspicious import SuspiciousLabels
from bayesfloor.floor._results import Floor, OneVsRestFloor, PairwiseFloor, SampleScores
from bayesfloor.hierarchy._class_tree import ClassTree
from bayesfloor.io._table_preparer import Prepared
from bayesfloor.summary._data_findings import Trait, alarm, find_traits, merge_first
from bayesfloor.summary._facts import Facts
from bayesfloor.summary._verdict import VerdictWords, hidden_by_accuracy, verdict_words
from bayesfloor.support._results import Result
from bayesfloor.support._words import show_labels


@dataclass(frozen=True, repr=False)
class Finding(Result):
    """Something to know about the data: what was found, why it matters, and what to do about it.

    Attributes
    ----------
    code : str
        The code to pass to ``bayesfloor explain``.
    text : str
        What was found, why it matters, and what to do.
    look : str
        The attribute of ``Check`` with the details.
    headline : str
        The first sentence of the text: what was found.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> found.findings[0].code
    'BF104'
    """

    code: str
    text: str
    look: str = ""
    headline: str = field(default="", repr=False)

    def _summary(self) -> str:
        return f"{self.code}: {self.text}"


@dataclass(frozen=True, eq=False, repr=False)
class Measured(ABC):
    """The data of a ``Check``, and what follows directly from them; higher layers make the outputs."""

    facts: Facts
    target: float | None
    overall: Floor
    answer: Answer
    pairs: PairAnswers
    classes: ClassAnswers
    pairwise: PairwiseFloor
    one_vs_rest: OneVsRestFloor
    samples: SampleScores
    suspicious: SuspiciousLabels
    tree: ClassTree
    gap: Gap | None = None
    merge: MergeAdvice | None = None
    dependence: Dependence | None = None
    leaks: tuple[Leak, ...] = ()
    doubtful: tuple[DoubtfulColumns, ...] = ()
    prepared: Prepared = field(default_factory=Prepared)

    @property
    def verdict(self) -> str:
        """The answer in one sentence to quote; with a model, how far it is from the best possible one."""
        return self.words.text

    @cached_property
    def words(self) -> VerdictWords:
        """The verdict as a headline and what stands below it."""
        unsure = self.facts.priors is not None or self.answer.has(Basis.SPELLINGS, Basis.TYPOS)
        hidden = "" if unsure else hidden_by_accuracy(self.pairwise.sizes, self.labels)
        words = verdict_words(self.answer, self.target, self.measure, hidden, self.gap)
        # A verdict that is too close to call says so itself.
        spelled = [] if self.outcome == TOO_CLOSE else [r for r in self.answer.reasons if r.basis is Basis.SPELLINGS]
        return words.then(alarm(self.dependence, self.leaks), *map(merge_first, spelled[:1]))

    @property
    def measure(self) -> str:
        """What the target and the answer measure: accuracy or balanced accuracy."""
        return "balanced accuracy" if self.facts.balanced else "accuracy"

    @cached_property
    def traits(self) -> tuple[Trait, ...]:
        """Properties of the data, and whether each weakens the answer."""
        return find_traits(self.facts, self.overall, self.one_vs_rest, self.answer)

    @cached_property
    def labels(self) -> list[str]:
        """Class labels as short, printable and distinct strings."""
        return show_labels(self.pairwise.classes.tolist())

    @cached_property
    def outcome(self) -> str | None:
        """Whether the target is "reachable", "out of reach" or "too close to call"; None without a target."""
        return None if self.target is None else self.answer.verdict(self.target)

    @property
    @abstractmethod
    def findings(self) -> tuple[Finding, ...]:
        """What to know about the data, with codes."""
