"""Decide each column's role from its values, and to a lesser degree its name; labels and row order are not used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np

from bayesfloor.io._columns import Values, as_gaps, is_gap
from bayesfloor.io._formats import (
    SHAPE,
    date_format,
    may_be_date,
    may_be_number,
    may_be_time,
    number_format,
    time_format,
)
from bayesfloor.support._types import Floats
from bayesfloor.support._words import show_labels

MOST_LEVELS = 40
_ENOUGH_LEVELS = 2000  # distinct strings that are enough to decide a column's role
_FEW_ROWS = 10  # with fewer rows, ids and counters cannot be recognised
_ID_WORDS = {"id", "ids", "uid", "uuid", "guid", "rowid", "index", "idx", "row", "unnamed", "key", "hash", "identifier"}
_ID_ENDS = ("nummer", "nr", "uuid", "guid")
_CODE_WORDS = {"zip", "zipcode", "postcode", "postal", "plz", "code", "fips", "sku", "id", "postleitzahl", "codepostal"}
_PHRASE = 2  # words from which texts that vary say more than which row it is
_AROUND_WORDS = ".,;:!?()[]\"'¿¡«»“”„…"
_TITLES = {
    *("mr", "mrs", "ms", "miss", "master", "dr", "prof", "sir", "lady", "rev", "capt", "col", "major"),
    *("herr", "frau", "mme", "mlle", "monsieur", "madame", "sr", "sra", "srta", "dhr", "mevr", "sig", "fru"),
}
_NAME_WORDS = {"name", "names", "fullname", "surname", "lastname", "firstname", "nachname", "vorname", "nom", "nombre"}


def words_of(name: str) -> list[str]:
    """Split a column's name into words at punctuation, spaces, digits and capitals."""
    apart = re.sub(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])", " ", name)
    return [word for word in re.split(r"[\W\d_]+", apart.casefold()) if word]


def says_id(name: str) -> bool:
    """Whether a column's name suggests an identifier."""
    words = words_of(name)
    return not _ID_WORDS.isdisjoint(words) or any(word.endswith(_ID_ENDS) for word in words)


def role_of_numbers(name: str, values: Floats) -> str:
    """Return the role of a numeric column: empty, constant, counter, id, code or number."""
    gaps = np.isnan(values)
    given = values[~gaps] if gaps.any() else values
    if not len(given):
        return "empty"
    low, high = given.min(), given.max()
    if low == high:
        return "number" if gaps.any() else "constant"
    if not np.isfinite(low) or not np.isfinite(high) or (given != np.floor(given)).any():
        return "number"
    if len(given) >= _FEW_ROWS and (says_id(name) or (high - low == len(values) - 1 and not gaps.any())):
        levels = np.unique(given)
        if len(levels) == len(given):
            return "counter" if high - low == len(values) - 1 else "id"
    return "code" if _looks_like_codes(name, given, low, high) else "number"


def _looks_like_codes(name: str, given: Floats, low: float, high: float) -> bool:
    """Whether integers are codes: few of the possible values occur, and each of them occurs often.

    Quantities are smooth: if a value is frequent, its neighbours occur too. Rounded quantities are not smooth, but
    they have few different last digits.
    """
    named = not _CODE_WORDS.isdisjoint(words_of(name))
    alike = low >= 100 and len(f"{high:.0f}") - len(f"{low:.0f}") <= 1  # at least three digits, of like length
    if low < 0 or high - low < MOST_LEVELS or not (named or alike):
        return False
    levels = np.unique(given)
    if len(levels) <= MOST_LEVELS or len(given) < (2 if named else 3) * len(levels):
        return False
    return named or bool(
        max(np.bincount((given % 10).astype(np.int64))) < 0.4 * len(given)
        and len(levels) < 0.5 * _smooth_levels(np.sort(given) / np.gcd.reduce(np.diff(levels).astype(np.int64)))
    )


def _smooth_levels(steps: Floats) -> float:
    """Return the expected number of distinct values if rows were uniform within each of 20 equal-sized slices."""
    expected = 0.0
    for part in np.array_split(steps, min(20, len(steps))):
        width = part[-1] - part[0] + 1
        expected += width * -np.expm1(len(part) * np.log1p(-1 / width)) if width > 1 else 1.0
    return expected


def without_gaps(values: Values, known: Sequence[str] | None = None) -> Values:
    """Treat strings that mean a missing value as missing, unless they are known levels.

    Marks such as "-" and "?" mean missing only among several other values: in a column of "+" and "-" they are levels.
    """
    gaps = [is_gap(level) and level not in (known or ()) for level in values.levels]
    if known is None and len(gaps) - sum(gaps) == 1:
        gaps = [not level.strip() for level in values.levels]
    return as_gaps(values, gaps)


def role_of_texts(values: Values) -> str:
    """Return the role of a text column without missing values that holds no numbers, no dates and no yes or no."""
    n_levels, rows = len(values.levels), int(values.counts.sum())
    levels = values.levels[:: max(1, n_levels // _ENOUGH_LEVELS)]
    if not n_levels:
        return "empty"
    if n_levels == 1 and rows == len(values.data):
        return "constant"
    if rows >= max(_FEW_ROWS, 0.9 * len(values.data)):
        if n_levels > 1 and _are_people(values.name, levels):
            return "people"
        if n_levels >= (0.75 if says_id(values.name) else 0.9) * rows and _are_marks(levels):
            return "id"
    if _is_prose(levels) and n_levels >= 0.5 * rows and rows >= _FEW_ROWS:
        return "text"
    if n_levels <= MOST_LEVELS:
        return "category"
    if rows >= 2 * n_levels and all(level.isdecimal() for level in values.levels):
        return "code"
    return "text" if _is_prose(levels) else "category"


def _are_people(name: str, levels: Sequence[str]) -> bool:
    """Whether most values are people's names; names without a title count only if the column's name suggests them."""
    split = [re.findall(r"[^\W\d_]+", level) for level in levels]
    if any(len(words) > 10 for words in split):
        return False
    capitals = sum(sum(word[0].isupper() for word in words) >= 0.75 * len(words) > 0 for words in split)
    if capitals < 0.9 * len(levels):
        return False
    if sum(not _TITLES.isdisjoint(map(str.casefold, words)) for words in split) >= 0.5 * len(levels):
        return True
    several = sum(2 <= len(words) <= 5 for words in split) >= 0.9 * len(levels)
    plain = not any(any(c.isdigit() for c in level) for level in levels)
    return several and plain and len(levels) > MOST_LEVELS and not _NAME_WORDS.isdisjoint(words_of(name))


def _are_marks(levels: Sequence[str]) -> bool:
    """Whether values are short identifiers without words, such as ticket numbers, hashes and e-mail addresses.

    Identifiers contain digits and have a single length or only a few shapes. Formulas and sequences, which are
    informative, have many shapes.
    """
    if all("@" in level for level in levels):
        return True
    if sum(len(level) <= 64 and any(map(str.isdigit, level)) for level in levels) < 0.9 * len(levels):
        return False
    alike = {re.sub(r"\d+", "9", level) for level in levels}
    if len(alike) <= max(3, len(levels) // 100):  # they differ only in their numbers, such as "row 1" and "row 2"
        return len(alike) == 1 or max(map(_n_words, alike)) < _PHRASE
    if sum(_n_words(level) for level in levels) > 0.5 * len(levels):
        return False
    lengths = sorted(map(len, levels))
    shapes = {re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", level)) for level in levels}
    return lengths[-1] - lengths[0] <= 2 or len(shapes) <= max(10, len(levels) // 20)


def _is_prose(levels: Sequence[str]) -> bool:
    """Whether values have at least three words on average."""
    return sum(_n_words(level) for level in levels) >= 3 * len(levels)


def _n_words(level: str) -> int:
    """Count words of at least three letters; in scripts without spaces, four characters count as a word."""
    words = [word.strip(_AROUND_WORDS) for word in level.split()]
    plain = sum(len(word) >= 3 and word.replace("-", "").replace("'", "").isalpha() for word in words)
    return plain + len(re.findall(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{4}", level))


_MOST_TEXTS = 5  # different odd values; more would be a vocabulary that carries information
_MOST_ROWS = 0.02  # fraction of the rows that have a value: filling so few hardly changes the result
_FEWEST_READ = 20  # different numbers; fewer may be categories, such as "1", "2" and "3 or more"
_KINDS = {
    "number": (may_be_number, number_format, "a number", "numbers"),
    "date": (may_be_date, date_format, "a date", "dates"),
    "time": (may_be_time, time_format, "a time of day", "times of day"),
}


@dataclass(frozen=True)
class Odd:
    """Odd values, which are treated as missing, and the note about them."""

    texts: tuple[str, ...]
    told: str

    def without(self, values: Values) -> Values:
        """Return the column with the odd values as missing."""
        return as_gaps(values, [level in self.texts for level in values.levels])


def find_odd(values: Values, *kinds: str) -> Odd | None:
    """Find the odd values in a column that no format fits completely; None if there are none or too many."""
    for kind in kinds:
        looks, find, one, many = _KINDS[kind]
        fits = cache(lambda shape, looks=looks: is_gap(shape, among_numbers=True) or looks(shape))
        strange = (level for level in values.levels if not fits(level.translate(SHAPE)))
        texts = tuple(islice(strange, _MOST_TEXTS + 1))
        if not 0 < len(texts) <= _MOST_TEXTS:
            continue
        given = zip(values.levels, values.counts.tolist(), strict=True)
        rows_of = {level: rows for level, rows in given if not is_gap(level, among_numbers=True)}
        n_odd = sum(rows_of[text] for text in texts)
        if n_odd <= _MOST_ROWS * sum(rows_of.values()) and len(rows_of) - len(texts) >= _FEWEST_READ:
            shown = ", ".join(f"'{text}'" for text in show_labels(texts))
            are = f"cell that is not {one}" if n_odd == 1 else f"cells that are not {many}"
            odd = Odd(texts, f"{n_odd:,} {are} ({shown}) {'counts' if n_odd == 1 else 'count'} as missing")
            if find(odd.without(values).levels) is not None:
                return odd
    return None
