"""What was measured about a dataset, and what a reader should know of it: findings, each with a code for ``explain``.

BF1xx and BF4xx are made here, but hazards (BF11x) and traits (BF2xx) in ``_data_findings``, BF3xx in ``_gates``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.answer._all_rows import AllRows
from bayesfloor.answer._answer import Answer, Basis
from bayesfloor.answer._drift import Drift
from bayesfloor.answer._hazards import Dependence, Hazards
from bayesfloor.answer._leaks import DoubtfulColumns, Leak
from bayesfloor.answer._metrics import ACCURACY, NUMBERS
from bayesfloor.answer._pairs_and_classes import ClassAnswers, PairAnswers
from bayesfloor.answer._related_rows import RelatedRows
from bayesfloor.decide._budget import Budget, PartName
from bayesfloor.decide._gap import AT, BELOW, ROOM, SAW_LABELS, Gap
from bayesfloor.decide._importances import Importances
from bayesfloor.decide._merging import MergeAdvice
from bayesfloor.decide._model_score import ModelScore
from bayesfloor.decide._number_rows import ErrorByPrediction, OddNumbers
from bayesfloor.decide._suspicious import SuspiciousLabels
from bayesfloor.floor._results import FEW, Floor, OneVsRestFloor, PairwiseFloor, SampleScores
from bayesfloor.hierarchy._class_tree import ClassTree
from bayesfloor.io._labels import Spellings, compare_spellings
from bayesfloor.io._messages import shell
from bayesfloor.io._table_preparer import Prepared
from bayesfloor.summary._data_findings import (
    Finding,
    Trait,
    alarm,
    find_traits,
    hazard_findings,
    make_finding,
    merge_first,
)
from bayesfloor.summary._facts import Facts
from bayesfloor.summary._verdict import (
    WRONG_OR_OVERLAP,
    VerdictWords,
    finds_nothing,
    hidden_by_accuracy,
    rare_class,
    reason_text,
    sentence,
    spellings_text,
    verdict_words,
)
from bayesfloor.support._types import Ints
from bayesfloor.support._words import (
    about,
    amount,
    how_many,
    join_labels,
    number_text,
    p_text,
    percent,
    printable,
    quoted,
    show_labels,
)

FEW_ROWS, TOO_SMALL = "too few rows", "too small to measure"
_BY_IMPORTANCE = (
    *("BF407", "BF405", "BF403", "BF404", "BF406"),  # what the user asked about a model
    *("BF118", "BF119", "BF114", "BF121", "BF111", "BF112", "BF113", "BF115", "BF116"),  # what makes an answer too good
    *("BF207", "BF106", "BF101", "BF102", "BF208"),  # faults in the data, which change the answer once fixed
    *(
        "BF103",
        "BF104",
        "BF105",
        "BF122",
        "BF123",
        "BF124",
        "BF120",
        "BF201",
        "BF107",
        "BF117",
    ),  # the classes, rows and columns responsible
    *("BF202", "BF206", "BF203", "BF205", "BF204"),  # how the answer was found
)

_MUCH = 0.7  # suspicious labels per error: overlapping classes stay below this, wrong labels alone come close to 1
_UNEVEN_ERRORS = 2.0  # relative to the median of all parts
_LITTLE = 0.1  # equal rows with different labels hardly matter if they prove less than this fraction of the error
_NEARLY_AS_HARD = 0.5  # a class is named if the second-hardest pair's error is at least this fraction of the hardest's
_RELATED = 0.001  # p-value below which features and label are clearly related
_UNEVEN = 1.5  # a class is named if its fraction of the errors is at least this many times its fraction of the rows
_SIGNAL = 0.01  # p-value of the trees below which there is a signal, even if accuracy does not show it
_HOW_TO_TEST = "Test it on rows that it was not trained on, or pass cross-validated predictions."


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """The data of a ``Check``, and what follows from them; ``Check`` adds the forms in which they are shown."""

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
    related: RelatedRows | None = None
    drift: Drift | None = None
    leaks: tuple[Leak, ...] = ()
    doubtful: tuple[DoubtfulColumns, ...] = ()
    prepared: Prepared = field(default_factory=Prepared)
    beside: dict[str, Answer] = field(default_factory=dict)
    odd: OddNumbers | None = None
    by_prediction: ErrorByPrediction | None = None
    model_score: ModelScore | None = None
    budget: Budget | None = None
    features: Importances | None = None
    all_rows: AllRows | None = None

    @property
    def task(self) -> str:
        """What the labels are: "classes" or "numbers"."""
        return self.facts.task

    @property
    def of_errors(self) -> Answer:
        """The answer for errors, on which those for classes and pairs rest; for numbers, the answer."""
        return self.answer if self.task == NUMBERS else {**self.beside, self.answer.metric: self.answer}[ACCURACY.name]

    @property
    def verdict(self) -> str:
        """The answer in one sentence to quote; with a model, how far it is from the best possible one."""
        return self.words.text

    @cached_property
    def words(self) -> VerdictWords:
        """The verdict as a headline and what stands below it."""
        if self.task == NUMBERS:
            return verdict_words(self.answer, self.target, model=self.model_score).then(alarm(self._hazards))
        unsure = (
            self.facts.priors is not None
            or not self.answer.of.of_errors
            or self.answer.has(Basis.SPELLINGS, Basis.TYPOS)
        )
        hidden = "" if unsure else hidden_by_accuracy(self.pairwise.sizes, self.labels)
        if hidden and (found := _found_of_rarest(self)):
            hidden = f"{hidden} {found}"
        seen = self.gap is not None and self.gap.too_good.seen
        words = verdict_words(self.answer, self.target, self.measure, hidden, self.model_score, seen=seen)
        spelled = [reason for reason in self.answer.reasons if reason.basis is Basis.SPELLINGS]
        return words.then(alarm(self._hazards), *map(merge_first, spelled[:1]))

    @property
    def _hazards(self) -> Hazards:
        """What makes the answer too good, in one value."""
        return Hazards(self.dependence, self.leaks, self.doubtful, self.related, drift=self.drift, time=self.facts.time)

    @property
    def measure(self) -> str:
        """What the target and the answer measure: accuracy or balanced accuracy."""
        return "balanced accuracy" if self.facts.balanced else "accuracy"

    @cached_property
    def traits(self) -> tuple[Trait, ...]:
        """Properties of the data, and whether each weakens the answer."""
        if self.task == NUMBERS:
            return ()
        return find_traits(self.facts, self.overall, self.one_vs_rest, self.of_errors)

    @cached_property
    def labels(self) -> list[str]:
        """Class labels as short, printable and distinct strings."""
        return [] if self.task == NUMBERS else show_labels(self.pairwise.classes.tolist())

    @cached_property
    def outcome(self) -> str | None:
        """The outcome for the target, such as "reachable" or "likely"; None without a target."""
        return None if self.target is None else self.answer.verdict(self.target)

    @property
    def chance(self) -> float | None:
        """The probability that the target can be reached; None without a target, NaN if these data cannot say."""
        return None if self.target is None else self.answer.chance(self.target)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What to know about the data, with codes."""
        return find(self)


def find(check: Measured) -> tuple[Finding, ...]:
    """Return all findings, the most important first."""
    makers = [_spellings, _codes, _no_signal, _conflict, _alike, _hardest, _suspicious, _rare]
    makers = [_codes, _odd_numbers, _uneven_errors] if check.task == NUMBERS else [*makers, _model, _seen_labels]
    found = [finding for make in (*makers, _capped) if (finding := make(check)) is not None]
    found += hazard_findings(check._hazards, check.of_errors)
    few = () if check.all_rows is None else ("BF206",)  # of trees; learners saw more
    weak = (trait for trait in check.traits if trait.weak and trait.code not in few)
    found += [make_finding(trait.code, "traits", sentence(trait.text), trait.advice) for trait in weak]
    return tuple(sorted(found, key=lambda finding: _rank(check, finding.code)))


def _rank(check: Measured, code: str) -> float:
    """Return a code's rank; suspicious labels count as a fault in the data only if they explain much of the error."""
    if code == "BF105" and _explained(check) >= _MUCH:
        return _BY_IMPORTANCE.index("BF102") + 0.5
    if code == "BF102" and check.overall.conflict < _LITTLE * check.of_errors.estimate:
        return _BY_IMPORTANCE.index("BF105") + 0.5
    return _BY_IMPORTANCE.index(code)


def _explained(check: Measured) -> float:
    """Return the suspicious labels as a fraction of the rows that the best classifier would get wrong.

    Wrong labels disagree with most of their neighbours. If classes overlap, many errors agree with some of theirs.
    """
    wrong = check.of_errors.estimate * _n_searched(check)
    return check.suspicious.n_suspect / max(wrong, 1e-9)


def _n_searched(check: Measured) -> int:
    """Return the number of rows whose labels were compared with their neighbours': those in the trees."""
    return check.facts.n_used if check.facts.priors is None else check.overall.n_rows


def _capped(check: Measured) -> Finding | None:
    """Find learners that were ended while they still improved."""
    if check.all_rows is None or not check.all_rows.capped:
        return None
    point = next(each for each in reversed(check.all_rows.points) if each.capped)
    return make_finding(
        "BF124",
        "all_rows",
        f"Boosting was still improving after {point.n_trees:,} rounds on {how_many(point.n_rows, 'row')}.",
        "Its loss is an upper end only, and its learning curve gives no lower end.",
        "To go further, train LightGBM on all rows with more trees, and pass its score: --score, or score=.",
    )


def _spellings(check: Measured) -> Finding | None:
    """Find labels that may be different spellings of one label."""
    found = _same_labels(check)
    if not found.meant:
        return None
    same = [" = ".join(map(quoted, group)) for group in found.alike]
    if not same:
        them = "it" if len(found.typos) == 1 else "them"
        headline = f"{spellings_text(found)}; correct {them} in the data: {_typos(check, found)}."
        return make_finding("BF106", "", headline, _correct_typos(check, found))
    return make_finding(
        "BF106",
        "",
        f"{spellings_text(found)}: merge them with --clean-labels, or clean_labels=True.",
        f"These differ only by case or spaces: {join_labels(same, 3)}.",
        *([f"These look like typos: {_typos(check, found)}.", _correct_typos(check, found)] if found.typos else []),
    )


def _typos(check: Measured, found: Spellings) -> str:
    """Return the likely typos, the most frequent first, with their numbers of rows."""
    rows = _label_sizes(check)
    typos = sorted(found.typos, key=lambda pair: -rows[pair[0]])
    return join_labels(
        [f"{quoted(typo)} ({how_many(rows[typo], 'row')}) for {quoted(label)}" for typo, label in typos], 3
    )


def _correct_typos(check: Measured, found: Spellings) -> str:
    """Return what to do about typos, which are never merged automatically: they may be classes of their own."""
    rows = _label_sizes(check)
    n_rows = sum(rows[typo] for typo, _ in found.typos)
    if len(found.typos) > 1:
        return f"Each counts as a class of its own: correct the labels, or leave out their {how_many(n_rows, 'row')}."
    its = "its row" if n_rows == 1 else f"its {how_many(n_rows, 'row')}"
    return f"It counts as a class of its own: correct the label, or leave out {its}."


def _same_labels(check: Measured) -> Spellings:
    return compare_spellings(_label_sizes(check))


def _label_sizes(check: Measured) -> dict[Any, float]:
    return dict(zip(check.pairwise.classes.tolist(), np.round(check.pairwise.sizes).tolist(), strict=True))


def _codes(check: Measured) -> Finding | None:
    names = [column.name for column in check.prepared.columns if column.role == "code"]
    if not names:
        return None
    looks, it, was = ("looks", "it", "was") if len(names) == 1 else ("look", "they", "were")
    return make_finding(
        "BF107",
        "prepared",
        f"{how_many(len(names), 'column')} of whole numbers {looks} like codes, not quantities: "
        f"{join_labels([quoted(name) for name in names], 5)}.",
        f"Their order means nothing, so {it} {was} replaced by class rates.",
        f"If that is wrong: {shell(['--as', f'{printable(names[0])}=number'])}, or roles={{{names[0]!r}: 'number'}}.",
    )


def _no_signal(check: Measured) -> Finding | None:
    if not finds_nothing(check.of_errors) or (_is_rare(check) and check.overall.p_value < _SIGNAL):
        return None
    p = f"Friedman-Rafsky test: p = {check.overall.p_value:.2g}"
    if check.overall.p_value < _RELATED:
        headline = f"Little signal: the features are related to the label ({p}), but no learner can use that."
    else:
        headline = f"No detectable signal: no learner predicts the label from these features ({p})."
    return make_finding("BF101", "", headline, "Check that each label belongs to its row, or add features.")


def _conflict(check: Measured) -> Finding | None:
    if not check.suspicious.n_conflict:
        return None
    have = "has" if check.suspicious.n_conflict == 1 else "have"
    return make_finding(
        "BF102",
        "suspicious",
        f"{how_many(check.suspicious.n_conflict, 'row')} {have} an equal row with a different label: "
        f"every classifier gets at least {percent(check.overall.conflict)} % of all rows wrong.",
        "Look for wrong labels, rounded values or a missing column.",
    )


def _alike(check: Measured) -> Finding | None:
    one, two = np.nonzero(np.triu(check.pairwise.alike() & ~_one_class(check), 1))
    if not len(one):
        return None
    pairs = [f"{check.labels[i]} and {check.labels[j]}" for i, j in zip(one.tolist(), two.tolist(), strict=True)]
    return make_finding(
        "BF103",
        "pairs" if check.merge is None else "merge",
        f"These classes cannot be separated: {join_labels(pairs, 3)}.",
        "Merge them, or add a feature that separates them.",
        _once_merged(check),
    )


def _one_class(check: Measured) -> np.ndarray:
    """Return, as a K x K matrix, which labels look like spellings of one class."""
    labels, meant = check.pairwise.classes.tolist(), _same_labels(check).meant
    spelled = np.array([label in meant for label in labels])
    codes = np.unique([meant.get(label, "") for label in labels], return_inverse=True)[1]
    return np.asarray(spelled & spelled[:, None] & (codes == codes[:, None]))


def _once_merged(check: Measured) -> str:
    """Return how low the error can go after merging; nothing if only one class would be left."""
    if check.merge is None or not check.merge.steps:
        return ""
    before, after = (f"{percent(step.estimate)} %" for step in (check.merge.before, check.merge.after))
    left = how_many(check.merge.after.n_classes, "class")
    return f"With {left} left, the best estimate of the lowest possible error is {after} instead of {before}."


def _hardest(check: Measured) -> Finding | None:
    if _same_labels(check).meant:  # first merge them
        return None
    if (harder := _harder_class(check)) is not None or len(check.labels) == 2:
        return harder
    said = check.pairwise.alike() | _one_class(check)  # other findings name these pairs
    row = next((row for row in pair_rows(check) if not said[row.one, row.two]), None)
    if row is None or row.note:
        return None
    error = f"error between them {about(row.estimate, row.lower, row.upper)}"
    return make_finding(
        "BF104",
        "pairs",
        f"Hardest pair: {check.labels[row.one]} and {check.labels[row.two]}, {error}.",
        f"That is {percent(row.relative)} % relative to guessing between the two.",
        "A feature that separates them would help.",
    )


def _harder_class(check: Measured) -> Finding | None:
    """Find the class with most errors, if it has far more than its fraction of them and not because of one pair."""
    row, pairs = class_rows(check, 1)[0], pair_rows(check, 2)
    uneven = row.part >= max(0.5, _UNEVEN * row.n_rows / check.classes.n_rows.sum())
    in_all = all(row.number in (pair.one, pair.two) for pair in pairs)
    second = pairs[1].relative if len(pairs) > 1 else 0.0
    one_pair = len(check.labels) > 2 and (not pairs or second < _NEARLY_AS_HARD * pairs[0].relative)
    if finds_nothing(check.of_errors) or not uneven or not in_all or one_pair or row.error * row.n_rows < FEW:
        return None
    wrong = f"{about(row.estimate, row.lower, row.upper)} of its rows"
    return make_finding(
        "BF104",
        "classes",
        f"Hardest class: {check.labels[row.number]}, with errors on {wrong}: {percent(row.part)} % of all errors.",
        "If that class matters most, judge a model by its recall, not by accuracy.",
    )


def _suspicious(check: Measured) -> Finding | None:
    n = check.suspicious.n_suspect
    if not n:
        return None
    disagree = "label disagrees with its" if n == 1 else "labels disagree with their"
    among = "rows" if check.facts.priors is None else f"the {_n_searched(check):,} rows in the trees"
    part = f"{percent(n / _n_searched(check))} % of {among}"
    return make_finding(
        "BF105",
        "suspicious",
        f"{n:,} {disagree} neighbours ({part}): {WRONG_OR_OVERLAP}.",
        _weight_of_labels(check),
        "To look at them: bayesfloor samples, or .suspicious.",
    )


def _weight_of_labels(check: Measured) -> str:
    """Return how much of the error wrong labels cause, as the budget says; nothing if it cannot tell."""
    part = None if check.budget is None else check.budget.part(PartName.WRONG_LABELS)
    if part is not None and check.budget is not None and part.low > 0:
        return f"Wrong labels seem to cause about {percent(part.loss)} points of the error; not all of them stand out."
    return "Such labels may explain much of the lowest possible error." if _explained(check) >= _MUCH else ""


def _odd_numbers(check: Measured) -> Finding | None:
    """Find numbers far from their prediction."""
    found = check.odd
    if found is None or not len(found.row):
        return None
    n, y, predicted = len(found.row), number_text(found.y[0]), number_text(found.predicted[0])
    tested = check.answer.n_rows
    some = (
        f"Only the {tested:,} rows that learners were tested on were compared." if tested < check.facts.n_used else ""
    )
    they = "number does not fit" if n == 1 else "numbers do not fit"
    return make_finding(
        "BF122",
        "odd",
        f"{n:,} {they}: far from the prediction, relative to rows with similar predictions.",
        f"The oddest is row {found.row[0]} (first is 0): {y}, predicted {predicted}.",
        some,
        "Look for wrong units, typos or a missing column: .odd.",
    )


def _uneven_errors(check: Measured) -> Finding | None:
    """Find a part of the predictions with much larger errors than the others."""
    found = check.by_prediction
    if check.answer.has(Basis.OUTLIERS):  # single rows decide these errors
        return None
    if found is None or found.ratio < _UNEVEN_ERRORS:
        return None
    k = int(found.error.argmax())
    start, end, error = (number_text(values[k], 3) for values in (found.start, found.end, found.error))
    return make_finding(
        "BF123",
        "by_prediction",
        f"Errors are largest for predictions from {start} to {end}: typically {error}, elsewhere "
        f"{number_text(float(np.median(found.error)), 3)}.",
        "If errors grow with the prediction, the logarithm of the numbers may be the better target.",
    )


def _rare(check: Measured) -> Finding | None:
    rarest = rare_class(check.pairwise.sizes)
    if rarest is None or not _is_rare(check):
        return None
    fraction = check.pairwise.sizes[rarest] / check.pairwise.sizes.sum()
    return make_finding(
        "BF120",
        "classes",
        f"Class {check.labels[rarest]} is only {percent(fraction)} % of rows: accuracy hides how well it is found.",
        _recall(check, rarest),
        "To ask for AUC or balanced accuracy: --metric roc_auc, or metric='roc_auc' (or balanced_accuracy).",
    )


def _is_rare(check: Measured) -> bool:
    as_given = check.facts.priors is None and not check.of_errors.has(Basis.SPELLINGS, Basis.TYPOS)
    return as_given and rare_class(check.pairwise.sizes) is not None


def _found_of_rarest(check: Measured) -> str:
    """Return how much of the rarest class is found, to follow a verdict."""
    rarest = int(np.argmin(check.pairwise.sizes))
    return _recall(check, rarest).replace("its rows", f"the rows of {check.labels[rarest]}")


def _recall(check: Measured, number: int) -> str:
    """Return how many rows of a class the most accurate classifier finds; empty if the class has too few rows."""
    found = check.classes
    if found.n_rows[number] < FEW:
        return ""
    least, most = (f"{percent(1 - end[number])} %" for end in (found.upper, found.lower))
    ends = f"at least {least}" if np.isnan(found.lower[number]) else f"{least.removesuffix(' %')} to {most}"
    evenly = f"deciding as if classes were equally frequent, about {percent(1 - found.error_balanced[number])} %"
    best = f"The most accurate classifier finds about {percent(1 - found.estimate[number])} % of its rows"
    return f"{best} ({ends}); {evenly}."


def _model(check: Measured) -> Finding | None:
    if check.gap is None:
        return None
    said = check.gap.tell(*map(reason_text, check.gap.reasons[:1]))
    if check.gap.overall.word == BELOW:
        return make_finding(
            "BF405",
            "gap",
            "Your model looks too good to be true: its error is below the range of the lowest possible error "
            f"({p_text(check.gap.too_good.floor_p_value)}).",
            said,
            _HOW_TO_TEST,
        )
    code = {ROOM: "BF403", AT: "BF404"}.get(check.gap.overall.word, "BF406")
    return make_finding(code, "gap", said)


def _seen_labels(check: Measured) -> Finding | None:
    found = None if check.gap is None else check.gap.too_good
    if found is None or not found.seen:
        return None
    return make_finding(
        "BF407",
        "gap",
        f"Among equal rows with different labels, your model gets {found.n_right:,} of {found.n_equal:,} right; chance "
        f"would give about {amount(found.expected)} ({p_text(found.equal_p_value)}).",
        f"No model can tell equal rows apart, so yours {SAW_LABELS}.",
        _HOW_TO_TEST,
    )


class PairRow(NamedTuple):
    """A pair of classes, as two class numbers: best estimate and range of the error between them."""

    one: int
    two: int
    estimate: float
    lower: float
    upper: float
    error: float  # cross-validated
    guessing: float
    relative: float  # best estimate relative to guessing
    n_rows: float
    note: str  # why the figures are unreliable, if they are


class ClassRow(NamedTuple):
    """A class, as its number: best estimate and range of the error within it (1 - recall)."""

    number: int
    note: str  # why the figures are unreliable, if they are
    n_rows: float
    estimate: float
    lower: float
    upper: float
    error: float  # cross-validated
    part: float  # fraction of all errors


def pair_rows(check: Measured, most: int | None = None) -> list[PairRow]:
    """Return the pairs that can be measured, hardest first; pairs of classes with too few rows come last."""
    found, pairs = check.pairs, hardest_pairs(check, most)
    few = _few_in_pair(check, *pairs)
    names = ("estimate", "lower", "upper", "error", "guessing", "relative", "n_rows")
    columns = (*pairs, *(getattr(found, name)[pairs] for name in names), np.where(few, FEW_ROWS, ""))
    return [PairRow(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def hardest_pairs(check: Measured, most: int | None = None) -> tuple[Ints, Ints]:
    """Return the pairs in the order of ``pair_rows``: by best estimate relative to guessing."""
    one, two = np.nonzero(np.triu(~check.pairs.too_small, 1))
    order = np.lexsort((-check.pairs.relative[one, two], _few_in_pair(check, one, two)))[:most]
    return one[order], two[order]


def class_rows(check: Measured, most: int | None = None) -> list[ClassRow]:
    """Return the classes, highest best estimate first; classes with a note come last."""
    found = check.classes
    notes = np.select([found.n_rows < FEW, ~(found.error > 0)], [FEW_ROWS, TOO_SMALL], "")
    order = np.lexsort((-found.estimate, notes != ""))[:most]
    columns = (notes, found.n_rows, found.estimate, found.lower, found.upper, found.error, found.part)
    return [ClassRow(k, *(values[k].item() for values in columns)) for k in order.tolist()]


def _few_in_pair(check: Measured, one: Ints, two: Ints) -> np.ndarray:
    few = check.classes.n_rows < FEW
    return np.asarray(few[one] | few[two])
