"""Find columns that give the label away: with them alone the error is near zero, without them it is not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import combinations
from typing import NamedTuple

import numpy as np

from bayesfloor.answer._dependence import find_group_column, may_group
from bayesfloor.answer._labelled_table import LabelledTable
from bayesfloor.answer._thresholds import LEAKS as T
from bayesfloor.io._column_roles import role_of_numbers, role_of_texts, without_gaps
from bayesfloor.io._columns import Values
from bayesfloor.io._encoders import as_moments, as_numbers
from bayesfloor.io._formats import date_format, number_format
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import ignoring
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import join_labels, percent, quoted

LEAK, NOTE = "leak", "note"


@dataclass(frozen=True, repr=False)
class Leak(Result):
    """Columns that give the label away.

    Attributes
    ----------
    columns : names of the columns; each of them alone, or a few together, give the label away.
    label : the class that they give away; empty if they give away every class.
    error : error on other rows with these columns alone; for one class, its error against all others.
    error_without : the same error without any of these columns.
    kind : "leak"; or "note" if the other columns do well too, or if the columns may follow an honest rule.

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
    kind: str = LEAK

    def _summary(self) -> str:
        what = f"class {quoted(self.label)}" if self.label else "the label"
        errors = f"error {percent(self.error)} % from this alone, {percent(self.error_without)} % without"
        return f"{join_labels(self.columns)} may give {what} away: {errors}"


def find_leaks(table: LabelledTable, seed: int, without: Collection[str] = ()) -> tuple[Leak, ...]:
    """Return the columns that give away the label, or else those that only might, and those that give away one class.

    Columns named in ``without`` are not features.
    """
    rng = np.random.default_rng([seed, 22])
    n_others = max(1, len(table) - np.bincount(table.codes).max())
    n_rows = int(np.clip(T.fewest_others * len(table) / n_others, T.rows, T.most_rows))
    units = rng.permutation(len(table))[:n_rows]
    left_out = {name for name, role in table.roles.items() if role in ("id", "group")}
    columns = {each.name: _numbers(each) for each in table.values(units, without) if each.name not in left_out}
    rows = _make_rows(list(_merge_indicators(columns)), table.codes[units], rng)
    whole = _examine(table, rows, seed)
    found = () if whole is None else (whole,)
    if rows.n_classes < 3 or (whole is not None and whole.kind == LEAK):
        return found
    return (*found, *_of_one_class(rows, table.classes[np.unique(table.codes[units])]))


# Columns as numbers


class _Rows(NamedTuple):
    """Rows as numbers, several for a date or a text, and their labels.

    ``column`` has the position in ``names`` of the column, or the indicators, that each number came from; ``rank`` has
    the numbers as ranks, ``level`` in bins, and ``grid`` in few bins. Rules are made on one ``half`` and tried on the
    other.
    """

    names: Sequence[tuple[str, ...]]
    column: Ints
    values: Floats
    rank: Ints
    level: Ints
    grid: Ints
    codes: Ints
    half: Ints

    @property
    def n_classes(self) -> int:
        return int(self.codes.max()) + 1

    @property
    def guessing(self) -> float:
        return float(1 - np.bincount(self.codes).max() / len(self.codes))

    @property
    def is_code(self) -> np.ndarray:
        """Which numbers have few distinct values."""
        return np.asarray(self.rank.max(axis=0) < T.few_values)

    def names_of(self, columns: Iterable[int]) -> tuple[str, ...]:
        return tuple(name for j in sorted(columns) for name in self.names[j])

    def of(self, columns: Iterable[int]) -> Ints:
        """Return the positions of the numbers that came from these columns."""
        return np.flatnonzero(np.isin(self.column, list(columns)))

    def error_of(self, level: Ints) -> float:
        """Return the error with these levels alone."""
        return _error_alone(_count(level, self.codes, self.half))

    def is_near_zero(self, error: float) -> bool:
        return error + 2 / len(self.codes) <= T.zero * self.guessing


def _numbers(values: Values) -> Floats:
    """Return a column as numbers: gaps lowest and marked, dates and texts in parts, and none of numbers of rows."""
    given, is_text = without_gaps(values) if values.kind == "text" else values, values.kind == "text"
    dates, numbers = (date_format(given.levels), number_format(given.levels)) if is_text else (None, None)
    if values.kind == "date" or dates is not None:
        moments = as_moments(given, dates)
        since = [moments.astype(f"datetime64[{unit}]").astype(np.int64) for unit in ("us", "M", "h")]
        parts = np.column_stack([since[0] / 8.64e10, since[1] % 12, since[2] % 24])  # days, month and hour
    elif is_text and numbers is None:
        parts = _parts_of_texts(given)
    else:
        parts = as_numbers(given, numbers, 1 if values.data.ndim == 1 else values.data.shape[1])
        if parts.shape[1] == 1 and not values.bare and role_of_numbers(values.name, parts[:, 0]) in ("id", "counter"):
            return parts[:, :0]
    gaps = given.missing
    filled = np.where(np.isfinite(parts) & ~gaps[:, None], parts, -np.inf)
    return np.column_stack([filled, gaps]) if gaps.any() else filled


def _parts_of_texts(given: Values) -> Floats:
    """Return the text as a code and, if there are many, its first and last characters, length and frequent words."""
    levels = (*given.levels, "")
    code = list(range(len(levels)))
    if len(levels) <= 2 * T.n_bins:
        return np.array(code, dtype=np.float64)[given.data][:, None]
    words = [set(re.findall(r"[^\W\d_]+", level.casefold())) for level in levels]
    frequent = [word for word, n in Counter(w for each in words for w in each).most_common() if n < len(given.levels)]
    is_mark = role_of_texts(given) in ("id", "people")  # their order may be that of the file
    parts = [
        [ord(level[:1] or " ") for level in levels],
        [ord(level[-1:] or " ") for level in levels],
        [len(level) for level in levels],
        *([] if is_mark else [code]),
        *([int(word in each) for each in words] for word in frequent[: T.words]),
    ]
    return np.array(parts, dtype=np.float64).T[given.data]


def _merge_indicators(read: dict[str, Floats]) -> Iterator[tuple[tuple[str, ...], Floats]]:
    """Yield the columns with their names; indicators named like "race=white" or "race_white" become one column."""
    by_stem: dict[str, list[str]] = {}
    for name, block in read.items():
        is_indicator = block.shape[1] == 1 and len(np.unique(block)) <= 2
        by_stem.setdefault(re.split(r"=|_(?!.*[=_])", name)[0] if is_indicator else f"{name}=", []).append(name)
    for names in by_stem.values():
        if not read[names[0]].shape[1]:
            continue
        is_set = np.column_stack([read[name] for name in names]) > 0
        if len(names) > 1 and is_set.sum(axis=1).max() <= 1:
            yield tuple(names), (is_set @ np.arange(1.0, len(names) + 1))[:, None]
        else:
            yield from (((name,), read[name]) for name in names)


def _make_rows(read: Sequence[tuple[tuple[str, ...], Floats]], labels: Ints, rng: np.random.Generator) -> _Rows:
    """Return the rows in all forms."""
    codes = np.unique(labels, return_inverse=True)[1]
    values = np.column_stack([np.empty((len(codes), 0)), *(block for _, block in read)])
    column = np.repeat(np.arange(len(read)), [block.shape[1] for _, block in read])
    half, n_bins = rng.permutation(len(codes)) % 2, max(T.n_bins, T.bins_per_class * (int(codes.max()) + 1))
    rank, level, grid = (np.empty(values.shape, dtype=np.int64) for _ in range(3))
    for j, each in enumerate(values.T):
        rank[:, j] = np.unique(each, return_inverse=True)[1]
        level[:, j] = _bins(rank[:, j], n_bins)
        # Cut at zero as well: the signs of two numbers may decide together.
        grid[:, j] = np.unique(2 * _bins(rank[:, j], T.pair_bins) + (each > 0), return_inverse=True)[1]
    return _Rows([name for name, _ in read], column, values, rank, level, grid, codes, half)


def _bins(rank: Ints, n_bins: int) -> Ints:
    """Return ranks in bins of about the same number of rows, or as they are if there are few."""
    if rank.max() < 2 * n_bins:
        return rank
    edges = np.sort(rank)[np.arange(1, n_bins) * len(rank) // n_bins]
    return np.searchsorted(edges, rank, side="right")


# Errors


def _count(level: Ints, codes: Ints, half: Ints) -> Ints:
    n_levels, n_classes = int(level.max()) + 1, int(codes.max()) + 1
    flat = np.bincount((half * n_levels + level) * n_classes + codes, minlength=2 * n_levels * n_classes)
    return flat.reshape(2, n_levels, n_classes)


def _error_alone(counts: Ints) -> float:
    """Return the error of predicting each half from the most frequent class of each level in the other half."""
    wrong_rows = 0
    for train, test in (counts, counts[::-1]):
        likeliest = np.where(train.sum(axis=1) > 0, train.argmax(axis=1), train.sum(axis=0).argmax())
        wrong_rows += int(test.sum() - test[np.arange(len(test)), likeliest].sum())
    return wrong_rows / int(counts.sum())


def _joint_level(rows: _Rows, columns: Iterable[int]) -> Ints:
    """Return the number of each row's combination of codes in these columns."""
    level = np.zeros(len(rows.codes), dtype=np.int64)
    for j in rows.of(columns)[rows.is_code[rows.of(columns)]]:
        level = np.unique(level * T.few_values + rows.rank[:, j], return_inverse=True)[1]
    return level


class _Forest(NamedTuple):
    """A small forest's error on the half that it has not seen, and the weight of each column."""

    error: float
    weight: Floats


def _grow(rows: _Rows, columns: Iterable[int], codes: Ints | None = None) -> _Forest:
    from sklearn.ensemble import ExtraTreesClassifier

    at, labels = rows.of(columns), rows.codes if codes is None else codes
    weight, wrong_rows = np.zeros(len(rows.names)), 0
    for train in (rows.half == 0, rows.half == 1):
        n_tried = min(len(at), max(10, int(np.sqrt(len(at)))))
        model = ExtraTreesClassifier(T.trees, max_features=n_tried, random_state=0)
        with ignoring(message="The number of unique classes"):
            model.fit(rows.rank[np.ix_(train, at)], labels[train])
        wrong_rows += int((model.predict(rows.rank[np.ix_(~train, at)]) != labels[~train]).sum())
        weight += np.bincount(rows.column[at], model.feature_importances_, minlength=len(weight))
    guessing = 1 - np.bincount(labels).max() / len(labels)
    return _Forest(float(min(wrong_rows / len(labels), guessing)), weight)


# Sets of columns with an error near zero


class _How(Enum):
    """How a set decides: each column alone; as codes or by a difference; by signs or the like; as good columns do."""

    ALONE, TOGETHER, SIGNS, GOOD = range(4)


class _Set(NamedTuple):
    columns: frozenset[int]
    error: float
    how: _How


def _examine(table: LabelledTable, rows: _Rows, seed: int) -> Leak | None:
    """Return the columns that give away the label; copies hide each other, so one set after the other is taken away."""
    left, taken, note, forest = frozenset(range(len(rows.names))), list[_Set](), None, None
    for _ in range(T.turns):
        found = _find_set(rows, left, forest) if len(left) > 1 else None
        if found is None or found.columns == left:
            break
        taken, left = [*taken, found], left - found.columns
        forest = _grow(rows, left)
        error, without = min(each.error for each in taken), forest.error
        names = tuple(name for each in taken for name in rows.names_of(each.columns))
        enough = max(T.times * error, T.hard * rows.guessing)
        if without < enough and found.how == _How.ALONE:
            names, without = _beside_groups(table, names, without, seed)
        if without >= enough:
            is_leak = all(_is_no_rule(rows, each, without) for each in taken)
            return Leak(names, "", error, without, LEAK if is_leak else NOTE)
        if note is None and without >= max(T.times * error, T.note * rows.guessing):
            note = Leak(names, "", error, without, NOTE)
    return note


def _is_no_rule(rows: _Rows, found: _Set, without: float) -> bool:
    """Whether a set is no honest rule; by such a rule the signs of two numbers decide, and nothing else matters."""
    noise = np.sqrt(rows.guessing * (1 - rows.guessing) / len(rows.codes))
    others_matter = without <= rows.guessing - T.related * noise
    return found.how in (_How.ALONE, _How.TOGETHER) or (found.how == _How.SIGNS and bool(others_matter))


def _find_set(rows: _Rows, left: frozenset[int], forest: _Forest | None) -> _Set | None:
    """Return the columns that each decide, or else the best pair, or else a small set."""
    at = rows.of(left)
    alone = np.ones(len(rows.column))
    alone[at] = [rows.error_of(rows.level[:, j]) for j in at]
    for j in at[(alone[at] <= T.almost * T.zero * rows.guessing) & (alone[at] > 0)]:  # with few rows, bins are coarse
        alone[j] = min(alone[j], _grow(rows, [rows.column[j]]).error)
    near_zero = [j for j in at if rows.is_near_zero(alone[j])]
    if near_zero:
        return _Set(frozenset(rows.column[near_zero].tolist()), float(alone.min()), _How.ALONE)
    forest = forest or _grow(rows, left)
    by_weight = at[np.argsort(-forest.weight[rows.column[at]], kind="stable")]
    found = _find_pair(rows, by_weight[: T.widest], alone) or _find_few(rows, left, forest)
    return _with_copies(rows, found, left) if found is not None and found.how == _How.TOGETHER else found


def _find_pair(rows: _Rows, look: Ints, alone: Floats) -> _Set | None:
    """Return the best pair of numbers, by its cells or its difference; tried on few rows and confirmed on all."""
    others = rows.codes != np.bincount(rows.codes).argmax()
    order, half = np.argsort(~others, kind="stable"), T.rows_of_pairs // 2
    few = np.concatenate([order[:half], order[half:][-half:]])  # half of them are of the other classes, if there are
    sample = rows._replace(**{name: getattr(rows, name)[few] for name in ("values", "grid", "codes", "half")})
    is_code, tries = rows.is_code, list[tuple[float, Callable[[_Rows, int, int], Ints], list[int]]]()
    for a, b in combinations(look.tolist(), 2):
        if rows.column[a] != rows.column[b]:
            ways = [_cells] if is_code[a] or is_code[b] else [_cells, _difference]
            tries += [(sample.error_of(make(sample, a, b)), make, [a, b]) for make in ways]
    if not tries:
        return None
    _, make_level, pair = min(tries, key=lambda each: each[0])
    error = rows.error_of(make_level(rows, *pair))
    if not rows.is_near_zero(error):
        return None
    useless = (alone[pair] >= T.useless * rows.guessing).all()
    how = _How.SIGNS if useless else _How.GOOD
    if is_code[pair].all() or (useless and make_level is _difference):
        how = _How.TOGETHER
    return _Set(frozenset(rows.column[pair].tolist()), error, how)


def _cells(rows: _Rows, a: int, b: int) -> Ints:
    return np.asarray(rows.grid[:, a] * (rows.grid[:, b].max() + 1) + rows.grid[:, b])


def _difference(rows: _Rows, a: int, b: int) -> Ints:
    with np.errstate(over="ignore", invalid="ignore"):
        difference = rows.values[:, a] - rows.values[:, b]
    return _bins(np.unique(difference, return_inverse=True)[1], T.n_bins)


def _find_few(rows: _Rows, left: frozenset[int], forest: _Forest) -> _Set | None:
    """Return up to four columns that decide together, looked for in the order of the forest; codes first."""
    if forest.error > T.growing * rows.guessing:
        return None
    order = sorted(left, key=lambda j: -forest.weight[j])
    codes = set(rows.column[rows.is_code].tolist())
    ways: dict[_How, Callable[[Iterable[int]], float]] = {
        _How.TOGETHER: lambda columns: rows.error_of(_joint_level(rows, columns)),
        _How.GOOD: lambda columns: _grow(rows, columns).error,
    }
    for how, error_of in ways.items():
        chosen = [j for j in order if how == _How.GOOD or j in codes][: T.largest]
        if len(chosen) < 2 or not rows.is_near_zero(error := error_of(chosen)):
            continue
        for j in chosen[::-1]:
            fewer = [each for each in chosen if each != j]
            if fewer and rows.is_near_zero(less := error_of(fewer)):
                chosen, error = fewer, less
        return _Set(frozenset(chosen), error, how if len(chosen) > 1 else _How.ALONE)
    return None


def _with_copies(rows: _Rows, found: _Set, left: frozenset[int]) -> _Set:
    """Return the set with the codes that it determines, such as the last indicator: they tell what it tells."""
    level, copies = _joint_level(rows, found.columns), set()
    for j in left - found.columns:
        code = _joint_level(rows, [j])
        same = rows._replace(codes=code)
        if same.guessing and same.is_near_zero(same.error_of(level)):
            copies.add(j)
    return found._replace(columns=found.columns | copies)


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


# Columns that are filled in for one class


def _of_one_class(rows: _Rows, classes: np.ndarray) -> Iterator[Leak]:
    """Yield the columns that are filled in for one class only: nearly all other rows share one value."""
    counts = [_count(level, rows.codes, rows.half) for level in rows.level.T]
    of_all = [each.sum(axis=2) for each in counts]
    for k in np.flatnonzero(np.bincount(rows.codes) >= T.fewest_of_class).tolist():
        own = (rows.codes == k).astype(np.int64)
        guessing, n_others = min(own.mean(), 1 - own.mean()), len(own) - own.sum()
        alone = np.ones(len(counts))
        for j, (each, every) in enumerate(zip(counts, of_all, strict=True)):
            rest = every - each[:, :, k]
            if rest.sum(axis=0).max() >= T.empty * n_others:
                alone[j] = _error_alone(np.stack([rest, each[:, :, k]], axis=2))
        known = set(rows.column[alone <= T.zero_of_class * guessing].tolist())
        others = set(range(len(rows.names))) - known
        if known and others:
            error, without = float(alone.min()), _grow(rows, others, own).error
            if without >= max(T.times * error, T.hard * guessing):
                yield Leak(rows.names_of(known), str(classes[k]), error, without)


LABELS, WEIGHTS = "labels", "weights"
_STEM = re.compile(r"(.*[^\W_])[\W_]+[^\W_]*$")  # "tag" in "tag_sport"
_WEIGHT = re.compile(r"(fnl|final|sample|sampling|survey|p)[\W_]*(weights?|wgt|wt)", re.IGNORECASE)
_FEW = 10  # a label with more distinct values is not compared with other columns


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


def _siblings(table: LabelledTable, label: str) -> list[str]:
    stem = _STEM.match(label)
    own = {str(value) for value in table.classes.tolist()}
    if stem is None or len(own) > _FEW:
        return []
    like = [each for each in table.columns_at_first if (one := _STEM.match(each.name)) and one[1] == stem[1]]
    written = {_plain(label) for label in own}
    levels = {each.name: each.as_texts().levels for each in like}
    return [name for name, found in levels.items() if len(found) > 1 and set(map(_plain, found)) == written]


def _plain(value: str) -> str:
    """Return a value in a normal form, in which "1", "1.0", "yes" and "true" are the same."""
    text = value.strip().casefold()
    text = {"true": "1", "false": "0", "yes": "1", "no": "0"}.get(text, text)
    try:
        return f"{float(text):g}"
    except ValueError:
        return text
