"""Find odd values such as "<5" or "error" among numbers, dates or times, if they are few enough to treat as missing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import islice

from bayesfloor.engine._show import show_labels
from bayesfloor.io._date_formats import SHAPE, date_format, may_be_date, may_be_time, time_format
from bayesfloor.io._frame_columns import Values, as_gaps
from bayesfloor.io._missing_values import is_gap
from bayesfloor.io._number_formats import may_be_number, number_format

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
        n_odd, n_rows, n_read = _count(values, texts)
        if n_odd <= _MOST_ROWS * n_rows and n_read >= _FEWEST_READ:
            shown = ", ".join(f"'{text}'" for text in show_labels(texts))
            are = (
                f"cell that is not {one} ({shown}) counts"
                if n_odd == 1
                else f"cells that are not {many} ({shown}) count"
            )
            odd = Odd(texts, f"{n_odd:,} {are} as missing")
            if find(odd.without(values).levels) is not None:
                return odd
    return None


def _count(values: Values, odd: tuple[str, ...]) -> tuple[int, int, int]:
    """Count the rows with an odd value, the rows with any value, and the distinct values that are not odd."""
    n_odd = n_rows = n_read = 0
    for level, rows in zip(values.levels, values.counts.tolist(), strict=True):
        if not is_gap(level, among_numbers=True):
            n_rows += rows
            n_odd += rows * (level in odd)
            n_read += level not in odd
    return n_odd, n_rows, n_read
