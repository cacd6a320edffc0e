"""Find labels that may mean the same class: those that differ only in case or spaces, and likely typos."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np

from bayesfloor.support._words import how_many

_RARE = 0.1  # a label may be a typo if it has at most this fraction of the rows of a similar label
_CLOSE = 0.8  # if two spellings are at least this similar, one may be a typo
_SHORTEST = 4  # letters; shorter labels are too easily similar
_LONGEST = 200  # letters; the time to compare two labels grows with the square of their length
_MOST = 2000  # different labels to compare


class Spellings(NamedTuple):
    """Labels that differ only in case or spaces, most frequent first; and likely typos as (typo, label)."""

    alike: tuple[tuple[str, ...], ...] = ()
    typos: tuple[tuple[str, str], ...] = ()

    @property
    def best(self) -> dict[str, str]:
        """The most frequent spelling for each label that differs from it only in case or spaces."""
        return {other: group[0] for group in self.alike for other in group[1:]}

    @property
    def meant(self) -> dict[str, str]:
        """The label that each of these spellings, typos included, seems to mean."""
        same = {label: group[0] for group in self.alike for label in group}
        typos = dict(self.typos)
        first = {**{label: label for pair in self.typos for label in pair}, **same}
        return {label: typos.get(one, one) for label, one in first.items()}

    @property
    def merged(self) -> str:
        """What was done to labels that differ only in case or spaces."""
        n_labels = sum(len(group) for group in self.alike)
        return f"merged {how_many(n_labels, 'spelling')} into {how_many(len(self.alike), 'class')}"


def find_spellings(y: Any) -> Spellings:
    """Find labels that may mean the same class."""
    labels = np.asarray(y, dtype=object).ravel().tolist()
    return compare_spellings(Counter(label for label in labels if isinstance(label, str)))


def compare_spellings(rows_of: Mapping[Any, float]) -> Spellings:
    """Find labels that may be different spellings of one label, given each label's number of rows."""
    counts = {label: rows for label, rows in rows_of.items() if isinstance(label, str) and rows > 0}
    groups = defaultdict(list)
    for label in sorted(counts, key=lambda label: (-counts[label], label)):
        groups[" ".join(label.split()).casefold()].append(label)
    alike = tuple(tuple(group) for group in groups.values() if len(group) > 1)
    rows = {plain: sum(counts[label] for label in group) for plain, group in groups.items() if len(plain) <= _LONGEST}
    typos = _find_typos(rows) if len(rows) <= _MOST else []
    return Spellings(alike, tuple((groups[typo][0], groups[label][0]) for typo, label in typos))


def _find_typos(rows: Mapping[str, float]) -> list[tuple[str, str]]:
    """Find rare labels that are spelled almost like a frequent one."""
    found, matcher = [], SequenceMatcher(autojunk=False)
    for typo in sorted(rows):
        matcher.set_seq2(typo)
        likely = [label for label in rows if rows[typo] <= _RARE * rows[label] and len(label) >= _SHORTEST]
        close = [(_alike(matcher, label), rows[label], label) for label in likely]
        best = max(close, default=(0.0, 0, ""))
        digits = [[c for c in text if c.isdigit()] for text in (typo, best[2])]
        if best[0] >= _CLOSE and digits[0] == digits[1]:  # level 1 is no typo of level 2
            found.append((typo, best[2]))
    return found


def _alike(matcher: SequenceMatcher[str], label: str) -> float:
    matcher.set_seq1(label)
    return 0.0 if matcher.real_quick_ratio() < _CLOSE else matcher.ratio()


def respell(y: Any, best: dict[str, str]) -> np.ndarray:
    """Return the labels in their best spelling; typos are not changed."""
    labels = np.asarray(y, dtype=object).ravel()
    return np.array([best.get(label, label) if isinstance(label, str) else label for label in labels], dtype=object)
