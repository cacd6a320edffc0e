"""Find columns that mark groups of rows, such as a patient's, whose mixing between folds makes errors too low."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayesfloor.answer._labelled_table import LabelledTable, TwoErrors, two_errors
from bayesfloor.io._column_roles import MOST_LEVELS, role_of_texts, says_id, without_gaps, words_of
from bayesfloor.io._columns import Values
from bayesfloor.io._formats import date_format, number_format
from bayesfloor.support._types import Floats, Ints

_WORDS = {
    *("patient", "subject", "participant", "person", "donor", "animal", "user", "customer", "client", "member"),
    *("household", "family", "account", "visitor", "speaker", "writer", "author", "artist", "session", "visit"),
    *("video", "clip", "recording", "scene", "track", "trial", "case", "study", "scan", "slide", "device", "machine"),
    *("batch", "plate", "site", "group", "cluster", "kunde", "kunden", "proband", "gruppe"),
}
_FEWEST_GROUPS = 10
_MOST_ROWS = 5000  # rows on which neighbours and errors are compared
_PURE = 0.95  # smallest fraction of rows with the most frequent label of their group
_BEYOND_CHANCE = 0.5  # smallest gain in that fraction over random groups, relative to the largest possible gain
_NEIGHBOURS, _TIMES_CHANCE = 0.3, 5.0  # smallest fraction of rows whose nearest row is of their group


class GroupColumn(NamedTuple):
    """A column that marks groups, each labelled row's group, and the evidence."""

    name: str
    group: Ints
    pure: float
    neighbours: float
    errors: TwoErrors


def find_group_column(table: LabelledTable, seed: int) -> GroupColumn | None:
    """Return the column whose groups raise the error most when held out together; None if no column does."""
    names = [values.name for values in table.columns_at_first if may_group(values)]
    found = [each for name in names if (each := _examine(table, table.column(name), seed)) is not None]
    return max(found, key=lambda each: each.errors.together - each.errors.at_random, default=None)


def _examine(table: LabelledTable, values: Values, seed: int) -> GroupColumn | None:
    group = _groups_of(values)
    if group is None or values.name in table.roles:
        return None
    rng = np.random.default_rng([seed, 21])
    units = whole_groups(group, rng)
    codes, own = table.codes[units], np.unique(group[units], return_inverse=True)[1]
    others = table.numbers(units, values.name)
    if not others.values.shape[1]:
        return None
    pure, near, chance = _purity(group, table.codes), *_same_group(others.values, own)
    # Rows of a group share their label, or lie close to each other, far more often than by chance.
    random = _purity(rng.permutation(group), table.codes)
    by_label = pure >= _PURE and (pure - random) / max(1 - random, 1e-12) >= _BEYOND_CHANCE
    by_place = near >= max(_NEIGHBOURS, _TIMES_CHANCE * chance)
    if not by_label and not by_place:
        return None
    # What counts is the consequence: a forest that knows the groups does worse on new ones.
    seen = np.column_stack([others.values, own])
    errors = two_errors(seen, others.values, codes, own, seed)
    return GroupColumn(values.name, group, pure, near, errors) if errors.differ else None


def may_group(values: Values) -> bool:
    """Whether a column may mark groups: it has no gaps, and either an identifier's name or many short strings."""
    if values.missing.any() or values.kind not in ("text", "number"):
        return False
    named = says_id(values.name) or not _WORDS.isdisjoint(words_of(values.name))
    if values.kind == "number":
        return named and bool((values.data == np.floor(values.data)).all())
    return named or (len(values.levels) > MOST_LEVELS and not _is_something_else(values))


def _groups_of(values: Values) -> Ints | None:
    """Return each row's group if there are enough groups and most have several rows."""
    if not may_group(values):
        return None
    group = np.unique(values.data, return_inverse=True)[1]
    sizes, n = np.bincount(group), len(group)
    return group if _FEWEST_GROUPS <= len(sizes) <= n / 2 and sizes.max() <= n / 4 else None


def _is_something_else(values: Values) -> bool:
    """Whether short strings are dates, prose, names of people, or numbers written as text."""
    given = without_gaps(values)
    read = date_format(values.levels) or number_format(given.levels)
    return read is not None or role_of_texts(given) in ("text", "people")


def whole_groups(group: Ints, rng: np.random.Generator) -> Ints:
    """Return all rows of randomly chosen groups, about as many rows as can be compared quickly."""
    if len(group) <= _MOST_ROWS:
        return np.arange(len(group))
    sizes = np.bincount(group)
    order = rng.permutation(len(sizes))
    chosen = order[: max(_FEWEST_GROUPS, int(np.searchsorted(sizes[order].cumsum(), _MOST_ROWS)))]
    return np.flatnonzero(np.isin(group, chosen))


def _purity(group: Ints, codes: Ints) -> float:
    """Return the fraction of rows that have the most frequent label of their group."""
    _, pair, times = np.unique(
        group.astype(np.int64) * (codes.max() + 1) + codes, return_index=True, return_counts=True
    )
    most = np.zeros(int(group.max()) + 1)
    np.maximum.at(most, group[pair], times)
    return float(most.sum() / len(group))


def _same_group(X: Floats, group: Ints) -> tuple[float, float]:
    """Return how often the nearest other row belongs to the same group, and how often it would by chance."""
    from sklearn.neighbors import NearestNeighbors

    spread = X.std(axis=0)
    scaled = X / np.where(spread > 0, spread, 1.0)
    nearest = NearestNeighbors(n_neighbors=1).fit(scaled).kneighbors(return_distance=False)[:, 0]
    sizes = np.bincount(group)
    return float((group[nearest] == group).mean()), float((sizes * (sizes - 1.0)).sum() / len(group) / (len(group) - 1))
