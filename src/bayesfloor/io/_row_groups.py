"""Sample rows from a few row groups of Parquet files, so that only a small part of the files is read.

Row groups are runs of rows, not random samples: files may be sorted by class or by time. So the table is divided into
equally long stretches, and one group is chosen at random from each (a form of systematic sampling; Cochran, Sampling
Techniques, 1977, chapter 8). If the labels of all rows are known, groups are added for classes that are still rare, and
rows are taken in the true class proportions. ``likeness`` measures the remaining problem: how much rows of the same
group resemble each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import printable

_FOR_SPREAD = 0.8  # fraction of the bytes for groups that are spread evenly; the rest is for rare classes
_FEWEST = 4  # fewest row groups to read, even if they are large: with fewer, we could not tell how much groups differ
_RARE = 0.01  # rarer classes may have too few rows in the sample; otherwise they would shrink the whole sample
_ALIKE = 0.05  # smallest intraclass correlation that matters
_MOST = 50  # classes, the most frequent ones, whose order is looked at
_AT_ONCE = 1 << 20  # rows whose places are computed at a time
_TOO_MANY = 1e8  # rows: reading all of them for a small sample would take minutes
_STRETCHES = 64  # row groups for small places
_TESTED, _MOST_TESTED = 0.2, 400_000  # rows that nobody looks at before models are tested on them


class RowGroups(NamedTuple):
    """The number of rows and the compressed bytes of each column, for all row groups in table order."""

    n_rows: Ints
    column_bytes: dict[str, Ints]

    @property
    def ends(self) -> Ints:
        """The row number after each group."""
        return np.cumsum(self.n_rows)

    def bytes_of(self, columns: Iterable[str]) -> Ints:
        """Return how many bytes these columns take in each group."""
        none = np.zeros(len(self.n_rows), dtype=np.int64)
        return sum((self.column_bytes.get(name, none) for name in columns), none)

    def group_of(self, rows: Ints) -> Ints:
        """Return the group of each row."""
        return np.searchsorted(self.ends, rows, side="right")

    def rows_in(self, groups: Ints) -> Ints:
        """Return the row numbers in these groups."""
        starts = self.ends - self.n_rows
        spans = [np.arange(starts[group], starts[group] + self.n_rows[group]) for group in groups]
        return np.concatenate(spans) if spans else np.empty(0, dtype=np.int64)

    def renumber(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the groups that contain these rows, and the rows' positions when only these groups are read."""
        group = self.group_of(rows)
        groups, number = np.unique(group, return_inverse=True)
        before = np.cumsum(self.n_rows[groups]) - self.n_rows[groups]
        return groups, rows - (self.ends - self.n_rows)[group] + before[number]


def row_groups(footers: Sequence[Any]) -> RowGroups:
    """Return the row groups listed in the metadata of Parquet files."""
    groups = [footer.row_group(g) for footer in footers for g in range(footer.num_row_groups)]
    sizes: dict[str, Ints] = {}
    for g, group in enumerate(groups):
        for c in range(group.num_columns):
            column = group.column(c)
            name = column.path_in_schema.partition(".")[0]  # a list's values are in a nested column
            sizes.setdefault(name, np.zeros(len(groups), dtype=np.int64))[g] += column.total_compressed_size
    return RowGroups(np.array([group.num_rows for group in groups], dtype=np.int64), sizes)


def draw_rows(
    groups: RowGroups, sizes: Ints, budget: float, codes: Ints, n_drawn: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Choose row groups and, from these, rows in the class proportions of all rows; return both.

    ``sizes`` are the bytes to read for each group. ``codes`` are the classes of all rows, or -1 if unlabelled.
    """
    n_classes = int(codes.max(initial=0)) + 1
    parts = np.split(codes, groups.ends[:-1])  # one group at a time: another array of all rows would take more memory
    counts = np.array([np.bincount(part[part >= 0], minlength=n_classes) for part in parts])
    chosen = choose_groups(sizes, budget, counts, rng)
    within = groups.rows_in(chosen)
    return chosen, within[_draw_in_proportion(codes[within], counts.sum(axis=0), n_drawn, rng)]


def choose_groups(sizes: Ints, budget: float, counts: Ints | None, rng: np.random.Generator) -> Ints:
    """Choose row groups that take about ``budget`` of ``sizes`` bytes, spread over the table; return their numbers.

    ``counts`` are the rows of each class in each group, of shape (groups, classes); None if the labels are not known.
    """
    n = len(sizes)
    for_spread = budget if counts is None else _FOR_SPREAD * budget
    n_spread = min(n, max(_FEWEST, int(for_spread / max(1.0, sizes.mean()))))
    stretches = np.array_split(np.arange(n), n_spread)
    chosen = np.zeros(n, dtype=bool)
    chosen[[rng.choice(stretch) for stretch in stretches]] = True
    if counts is not None:
        _add_for_rare(chosen, sizes, budget, counts, rng)
    return np.flatnonzero(chosen)


def _add_for_rare(chosen: Any, sizes: Ints, budget: float, counts: Ints, rng: np.random.Generator) -> None:
    """Add groups for classes with less than half the expected rows; every class gets at least one row."""
    total, share = counts.sum(axis=0), sizes[chosen].sum() / sizes.sum()
    wanted = np.minimum(total, np.maximum(1, share * total / 2))
    for code in np.argsort(total):
        while (have := counts[chosen, code].sum()) < wanted[code]:
            able = np.where(chosen, 0, counts[:, code])
            group = rng.choice(len(able), p=able / able.sum())
            if have and sizes[chosen].sum() + sizes[group] > budget:
                break
            chosen[group] = True


def _draw_in_proportion(codes: Ints, totals: Ints, n_drawn: int, rng: np.random.Generator) -> Ints:
    """Sample at most ``n_drawn`` of these rows, in the class proportions of all rows and at least one per class.

    ``codes`` are the rows' classes, or -1 if unlabelled; ``totals`` counts the rows of each class in the whole table.
    """
    have, share = np.bincount(codes[codes >= 0], minlength=len(totals)), totals / totals.sum()
    common = share >= min(_RARE, share.max())
    n_possible = min(n_drawn, int((have[common] / share[common]).min()))
    quota = np.minimum(have, np.maximum(1, np.round(n_possible * share))).astype(np.int64)
    order = rng.permutation(np.flatnonzero(codes >= 0))
    order = order[np.argsort(codes[order], kind="stable")]
    place = np.arange(len(order)) - (np.cumsum(have) - have)[codes[order]]
    return np.sort(order[place < quota[codes[order]]])


def places(
    n_rows: int, seed: int, number: Ints | None = None, stretches: Ints | None = None, many: float = _TOO_MANY
) -> NDArray[np.float32]:
    """Return a place in [0, 1) for each row, from a hash; rows with places in a range are a random subset.

    Subsets of wider ranges contain those of narrower ones. Rows with the same ``number``, such as that of their group,
    share a place; without it, rows are numbered. ``stretches`` are lengths of row groups: with more than ``many`` rows,
    some of the groups, spread over the table, hold all rows with small places, so that these are found in few bytes.
    """
    mixed = _mixed(np.array([seed], dtype=np.uint64))
    found = np.empty(n_rows, dtype=np.float32)
    for start in range(0, n_rows, _AT_ONCE):
        rows = np.arange(start, min(start + _AT_ONCE, n_rows)) if number is None else number[start : start + _AT_ONCE]
        # 24 bits, which single precision keeps exactly, so that no place becomes 1.
        found[start : start + _AT_ONCE] = (_mixed(rows.astype(np.uint64) + mixed) >> np.uint64(40)) / 2**24
    if number is None and stretches is not None and n_rows > many and len(stretches) > 2 * _STRETCHES:
        rng = np.random.default_rng(seed)
        chosen = np.zeros(len(stretches), dtype=bool)
        chosen[choose_groups(np.ones_like(stretches), _STRETCHES, None, rng)] = True
        low, part = np.repeat(chosen, stretches), np.float32(stretches[chosen].sum() / n_rows)
        found = np.where(low, found * part, part + found * (1 - part))
    return found


def draw(missing: NDArray[np.bool_], n_drawn: int, seed: int) -> Ints | None:
    """Choose so many of the rows that are not missing by their places; None if there are no more.

    The smallest places are left for rows to test on, where possible.
    """
    given = np.flatnonzero(~missing)
    if len(given) <= n_drawn:
        return None
    low = min(_TESTED, _MOST_TESTED / len(given), 1 - n_drawn / len(given))
    place = places(len(missing), seed)[given] - np.float32(low)
    order = np.argpartition(np.where(place < 0, place + 1, place), n_drawn)
    return np.sort(given[order[:n_drawn]])


def _mixed(numbers: Any) -> Any:
    """Return well mixed bits of each number (splitmix64: Steele, Lea and Flood, OOPSLA 2014)."""
    z = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


class Alike(NamedTuple):
    """How much rows of the same group resemble each other: intraclass correlations."""

    name: str  # the feature in which they do most
    feature: float  # its correlation within classes
    label: float

    def __str__(self) -> str:
        told = f"intraclass correlation {self.feature:.2f}"
        return f"rows of the same row group resemble each other in '{printable(self.name)}' ({told})"

    @property
    def is_noticeable(self) -> bool:
        """Whether intervals that treat rows as independent may be too narrow."""
        return self.feature > _ALIKE

    @property
    def is_misleading(self) -> bool:
        """Whether a few groups may look easier than the table.

        If the class and, within a class, the features depend on the group, each class is seen at a few places only.
        Classes that overlap everywhere then look separate: the floor would be far too low.
        """
        return self.is_noticeable and self.label > _ALIKE


def compare_groups(columns: Iterable[tuple[str, Floats]], codes: Ints, groups: Ints) -> Alike:
    """Measure how much the sampled rows of the same row group resemble each other; at least two classes are given."""
    labels = [likeness((codes == code).astype(np.float64), groups) for code in np.argsort(-np.bincount(codes))[:_MOST]]
    found = [(likeness(_without_class(values, codes), groups), name) for name, values in columns]
    feature, name = max(found, default=(0.0, ""))
    return Alike(name, feature, max(labels))


def _without_class(values: Floats, codes: Ints) -> Floats:
    """Return the differences from the class means: order by class alone does no harm."""
    finite = np.isfinite(values)
    counts = np.maximum(1, np.bincount(codes[finite], minlength=codes.max() + 1))
    means = np.bincount(codes[finite], values[finite], minlength=codes.max() + 1) / counts
    return np.where(finite, values - means[codes], np.nan)


def likeness(values: Floats, groups: Ints) -> float:
    """Return the intraclass correlation: 0 if rows of a group are no more alike than other rows, 1 if they are equal.

    This is the estimator from the analysis of variance (Donner, International Statistical Review 54, 1986, section 2).
    """
    finite = np.isfinite(values)
    values, (_, group) = values[finite], np.unique(groups[finite], return_inverse=True)
    sizes = np.bincount(group)
    n, k = len(values), len(sizes)
    if k < 2 or n <= k or np.ptp(values) == 0:
        return 0.0
    means = np.bincount(group, values) / sizes
    between = (sizes * (means - values.mean()) ** 2).sum() / (k - 1)
    within = ((values - means[group]) ** 2).sum() / (n - k)
    typical = (n - (sizes**2).sum() / n) / (k - 1)
    return float(max(0.0, (between - within) / (between + (typical - 1) * within)))
