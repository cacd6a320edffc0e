"""Find columns that give the label away: with one of them alone the error is near zero, without them it is not."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bayesfloor.answer._group_columns import find_group_column, may_group
from bayesfloor.answer._labelled_table import LabelledTable, Numbers, wrong
from bayesfloor.answer._race import deal_folds
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import join_labels, percent, quoted

_MOST_ROWS = 5000
_LEAST_BINS, _BINS_PER_CLASS = 64, 4
_KNOWN = 0.1  # largest error with one column, relative to guessing, that counts as near zero
_RISE = 4.0  # smallest ratio of the error without the columns to the error with one of them
_HARD = 0.25  # smallest error without the columns, relative to guessing
_EMPTY = 0.95  # smallest fraction of the other classes' rows that share one value, such as "not applicable"
_FEWEST = 30  # a class with fewer rows is not examined on its own
LABELS, WEIGHTS = "labels", "weights"
_STEM = re.compile(r"(.*[^\W_])[\W_]+[^\W_]*$")  # "tag" in "tag_sport"
_WEIGHT = re.compile(r"(fnl|final|sample|sampling|survey|p)[\W_]*(weights?|wgt|wt)", re.IGNORECASE)
_FEW = 10  # a label with more distinct values is not compared with other columns


@dataclass(frozen=True, repr=False)
class Leak(Result):
    """Columns that give the label away.

    Attributes
    ----------
    columns : names of the columns; each of them alone gives the label away.
    label : the class that they give away; empty if they give away every class.
    error : cross-validated error with the best of these columns alone; for one class, its error against all others.
    error_without : the same error without any of these columns.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import bayesfloor
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 400)
    >>> table = pd.DataFrame({"age": rng.normal(size=400) + y, "closed": 7 * y})
    >>> bayesfloor.check(table, y, effort="quick").leaks[0].columns
    ('closed',)
    """

    columns: tuple[str, ...]
    label: str
    error: float
    error_without: float

    def _summary(self) -> str:
        what = f"class {quoted(self.label)}" if self.label else "the label"
        errors = f"error {percent(self.error)} % with one alone, {percent(self.error_without)} % without them"
        return f"{join_labels(self.columns)} may give {what} away: {errors}"


def find_leaks(table: LabelledTable, seed: int, without: Collection[str] = ()) -> tuple[Leak, ...]:
    """Return the columns that give away the label, or else one class; none if the other columns do nearly as well.

    Columns named in ``without`` are not features.
    """
    # Each column's values, in bins if there are many, are counted by class in two halves of the rows.
    rng = np.random.default_rng([seed, 22])
    units = np.sort(rng.permutation(len(table))[:_MOST_ROWS])
    numbers, codes = table.numbers(units, without), np.unique(table.codes[units], return_inverse=True)[1]
    n_classes = int(codes.max()) + 1
    half = rng.permutation(len(units)) % 2
    n_bins = max(_LEAST_BINS, _BINS_PER_CLASS * n_classes)
    columns = _columns(numbers, table.names)
    counts = [_count(_levels(numbers.values[:, each.at], n_bins), codes, half) for each in columns]
    # First the whole label; only if no column tells it, one class against all others.
    whole = _examine(table, numbers, columns, counts, codes, -1, seed)
    if whole is not None or n_classes < 3:
        return () if whole is None else (whole,)
    frequent = np.flatnonzero(np.bincount(codes) >= _FEWEST).tolist()
    found = ((k, _examine(table, numbers, columns, counts, codes, k, seed)) for k in frequent)
    return tuple(replace(leak, label=str(table.classes[k])) for k, leak in found if leak is not None)


@dataclass(frozen=True, repr=False)
class DoubtfulColumns(Result):
    """Columns that are used as features but probably should not be.

    Attributes
    ----------
    kind : "labels" for further labels of the same rows, "weights" for sampling weights.
    columns : their names.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import bayesfloor
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"size": rng.normal(size=200), "tag_art": rng.integers(0, 2, 200)})
    >>> table["tag_sport"] = (table["size"] > 0).astype(int)
    >>> bayesfloor.check(table, "tag_sport", effort="quick").doubtful[0].columns
    ('tag_art',)
    """

    kind: str
    columns: tuple[str, ...]

    def _summary(self) -> str:
        what = "further labels" if self.kind == LABELS else "sampling weights"
        return f"probably {what}: {join_labels(self.columns)}"


def find_doubtful(table: LabelledTable, label: str) -> tuple[DoubtfulColumns, ...]:
    """Return columns with the label's values and a similar name, and columns named like sampling weights."""
    found = {LABELS: _siblings(table, label), WEIGHTS: [name for name in table.names if _WEIGHT.fullmatch(name)]}
    return tuple(DoubtfulColumns(kind, tuple(names)) for kind, names in found.items() if names)


class _Column(NamedTuple):
    """A column, or the indicators of one column: its name, and the positions of its numbers."""

    name: str
    at: Ints


def _columns(numbers: Numbers, names: Sequence[str]) -> list[_Column]:
    """Return one entry per column; indicators named like "race=white" or "race_white" count as one column."""
    parts: dict[str, list[int]] = {}
    for j in np.unique(numbers.source).tolist():
        at = np.flatnonzero(numbers.source == j)
        stem = re.split(r"=|_(?!.*[=_])", names[j])[0]
        indicator = len(at) == 1 and len(np.unique(numbers.values[:, at])) <= 2
        parts.setdefault(stem if indicator else f"{names[j]}=", []).append(j)
    made = []
    for stem, sources in parts.items():
        at = np.flatnonzero(np.isin(numbers.source, sources))
        one = len(sources) == 1 or (numbers.values[:, at] > 0).sum(axis=1).max() <= 1
        each = [sources] if one else [[j] for j in sources]
        made += [
            _Column(stem if len(own) > 1 else names[own[0]], np.flatnonzero(np.isin(numbers.source, own)))
            for own in each
        ]
    return made


def _levels(values: Floats, n_bins: int) -> Ints:
    """Return the number of each row's value, or of its bin if there are many values."""
    if values.shape[1] > 1:
        return find_vertices(values)[1]
    column = values[:, 0]
    level = np.unique(column, return_inverse=True)[1]
    if level.max() < 2 * n_bins:
        return level
    edges = np.quantile(column, np.linspace(0, 1, n_bins + 1)[1:-1])
    return np.searchsorted(edges, column, side="right")


def _count(level: Ints, codes: Ints, half: Ints) -> Ints:
    """Count the rows of each half, level and class."""
    n_levels, n_classes = int(level.max()) + 1, int(codes.max()) + 1
    flat = np.bincount((half * n_levels + level) * n_classes + codes, minlength=2 * n_levels * n_classes)
    return flat.reshape(2, n_levels, n_classes)


def _examine(
    table: LabelledTable,
    numbers: Numbers,
    columns: Sequence[_Column],
    counts: Sequence[Ints],
    codes: Ints,
    label: int,
    seed: int,
) -> Leak | None:
    if label >= 0:
        codes = (codes == label).astype(np.int64)
        own = [each[:, :, label] for each in counts]  # of the others together, and of this class
        counts = [np.stack([each.sum(axis=2) - one, one], axis=2) for each, one in zip(counts, own, strict=True)]
    guessing = 1 - np.bincount(codes).max() / len(codes)
    alone = np.array([_error_alone(each) for each in counts])
    # One column alone tells the label (a single class: and has one value elsewhere), all others together do not.
    near_zero = np.flatnonzero(alone <= _KNOWN * guessing).tolist()
    known = [j for j in near_zero if label < 0 or _empty_elsewhere(counts[j])]
    if not known or len(known) == len(columns):
        return None
    rest = np.delete(numbers.values, np.concatenate([columns[j].at for j in known]), axis=1)
    fold = deal_folds(codes, find_vertices(rest)[1], np.random.default_rng([seed, 24]))
    error, without = float(alone[known].min()), float(wrong(rest, codes, fold, seed).mean())
    names, enough = tuple(columns[j].name for j in known), max(_HARD * guessing, _RISE * error)
    if without < enough and label < 0:
        names, without = _beside_groups(table, names, without, seed)
    return Leak(names, "", error, without) if without >= enough else None


def _beside_groups(
    table: LabelledTable, names: tuple[str, ...], without: float, seed: int
) -> tuple[tuple[str, ...], float]:
    """Return which of these columns leak if another column marks groups, and the error without them for new groups.

    Groups and a leak hide each other: with the leak, the error is no higher for a new patient; without it, a model
    still recognises the patients.
    """
    marks = {values.name for values in table.columns_at_first if may_group(values)}
    leaks = tuple(name for name in names if name not in marks)
    others = replace(table, roles={**table.roles, **dict.fromkeys(leaks, "group")})
    groups = find_group_column(others, seed) if leaks else None
    return (names, without) if groups is None else (leaks, groups.errors.together)


def _error_alone(counts: Ints) -> float:
    """Return the error of predicting each half from the most frequent class of each level in the other half."""
    wrong_rows = 0
    for train, test in (counts, counts[::-1]):
        likeliest = np.where(train.sum(axis=1) > 0, train.argmax(axis=1), train.sum(axis=0).argmax())
        wrong_rows += int(test.sum() - test[np.arange(len(test)), likeliest].sum())
    return wrong_rows / int(counts.sum())


def _empty_elsewhere(counts: Ints) -> bool:
    """Whether nearly all rows of the other classes share one value, as if the column were filled in for one class."""
    others = counts[:, :, 0].sum(axis=0)
    return bool(others.max() >= _EMPTY * others.sum())


def _siblings(table: LabelledTable, label: str) -> list[str]:
    stem = _STEM.match(label)
    own = {str(value) for value in table.classes.tolist()}
    if stem is None or len(own) > _FEW:
        return []
    like = [each for each in table.columns_at_first if (one := _STEM.match(each.name)) and one[1] == stem[1]]
    return [values.name for values in like if _distinct(values.as_texts().levels, own)]


def _distinct(levels: tuple[str, ...], own: set[str]) -> bool:
    """Whether a column has the label's values, however they are written."""
    return len(levels) > 1 and {_plain(level) for level in levels} == {_plain(level) for level in own}


def _plain(value: str) -> str:
    """Return a value in a normal form, in which "1", "1.0", "yes" and "true" are the same."""
    text = value.strip().casefold()
    text = {"true": "1", "false": "0", "yes": "1", "no": "0"}.get(text, text)
    try:
        return f"{float(text):g}"
    except ValueError:
        return text
