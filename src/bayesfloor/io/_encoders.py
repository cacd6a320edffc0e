"""Turn one column into numbers: choose an encoder from the column's role or values, and encode with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bayesfloor.io._column_roles import MOST_LEVELS, Odd, find_odd, role_of_numbers, role_of_texts, without_gaps
from bayesfloor.io._columns import Values, is_gap
from bayesfloor.io._formats import (
    BooleanFormat,
    DateFormat,
    NumberFormat,
    TimeFormat,
    boolean_format,
    date_format,
    number_format,
    time_format,
)
from bayesfloor.support._errors import InputError
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import one_blas_thread
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many, printable, quoted

ONE_HOT = np.sqrt(0.5)  # value of an indicator: puts two rows in different categories at distance 1
_MOST_INDICATORS = 1000  # if the user sets the role "category"
_COMPONENTS = 30
_MOST_TEXTS = 20_000  # strings to learn n-grams from
_DAY, _HOUR = 86_400_000_000, 3_600_000_000  # microseconds
ROLES = ("number", "category", "code", "date", "text", "id", "group", "ordered")
Finder = Callable[[Sequence[str]], NumberFormat | BooleanFormat | DateFormat | TimeFormat | None]


@dataclass(frozen=True, repr=False)
class Column(Result):
    """How one column was treated.

    Attributes
    ----------
    name : the column's name.
    role : number, boolean, category, code, date, text, id, counter, constant, empty, list, ordered or group; wide if
        it represents all columns of a very wide table.
    treatment : what was done, in words.
    width : number of output columns; 0 if the column was left out.
    n_missing : number of missing values.
    lossy : whether different rows may have become equal.
    as_is : whether the column needed no preparation: numbers, booleans or up to 40 categories, with no missing values.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesfloor.io import TablePreparer
    >>> table = pd.DataFrame({"age": [31, 40, 28, 55], "city": ["Ulm", "Bonn", "Ulm", "Bonn"]})
    >>> [(column.name, column.role) for column in TablePreparer().fit(table).columns_]
    [('age', 'number'), ('city', 'category')]
    """

    name: str
    role: str
    treatment: str
    width: int
    n_missing: int = 0
    lossy: bool = False
    as_is: bool = False

    def _summary(self) -> str:
        missing = f"; {self.n_missing:,} missing" if self.n_missing else ""
        return f"{quoted(self.name)}: {self.role}, {self.treatment}{missing}"


@dataclass(frozen=True)
class OrderFormat:
    """Levels in the order given by the user."""

    levels: tuple[str, ...]

    def read(self, levels: Sequence[str]) -> Floats:
        """Return the position of each level; raise ValueError for an unknown level."""
        for level in levels:
            if level not in self.levels:
                raise InputError(
                    f"{quoted(level)} is not among the given levels, {', '.join(map(quoted, self.levels))}"
                )
        return np.array([float(self.levels.index(level)) for level in levels])

    def describe(self) -> str:
        return "numbered in the given order"


@dataclass(frozen=True, eq=False)
class Encoder:
    """Encodes a column as quantities, codes or other numbers; the last column may mark missing values.

    This base class leaves its column out.
    """

    column: Column
    names: tuple[str, ...]
    odd: Odd | None = field(default=None, kw_only=True)  # values that are treated as missing
    quantity: ClassVar[bool] = False
    code: ClassVar[bool] = False

    @property
    def says_missing(self) -> bool:
        """Whether missing values are marked."""
        return bool(self.column.n_missing and self.names)

    def encode(self, values: Values) -> Floats:
        """Encode this column of any table."""
        return self._encode(self.odd.without(values) if self.odd and values.kind == "text" else values)

    def _encode(self, values: Values) -> Floats:
        return np.empty((len(values.data), 0))


@dataclass(frozen=True, eq=False)
class Numbers(Encoder):
    """Numbers, with missing values filled, and a column that marks them."""

    form: Any
    fill: Floats
    kept: NDArray[np.bool_]
    quantity = True

    def _encode(self, values: Values) -> Floats:
        block = self._read(values)
        _refuse_infinite(block)
        gaps = np.isnan(block)
        if not gaps.any() and self.kept.all() and not self.says_missing:
            return block
        full = np.where(gaps, self.fill, block)[:, self.kept]
        return np.column_stack([full, gaps.any(axis=1)]) if self.says_missing else full

    def _read(self, values: Values) -> Floats:
        return as_numbers(values, self.form, len(self.fill))


@dataclass(frozen=True, eq=False)
class Dates(Numbers):
    """Parts of dates that vary: elapsed days, year, month, weekday and hour."""

    start: np.datetime64

    def _read(self, values: Values) -> Floats:
        return _date_parts(as_moments(values, self.form), self.start)


@dataclass(frozen=True, eq=False)
class _Levels(Encoder):
    """Base class of encoders for distinct values; a value's code is its position among the levels."""

    levels: tuple[str, ...]

    def _places(self, values: Values) -> Ints:
        """Return the position of each row's value among the levels, or -1 for a new value."""
        given = without_gaps(values.as_texts(), self.levels)
        known = {level: place for place, level in enumerate(self.levels)}
        gap = len(known) if self.says_missing else -1
        return np.array([*(known.get(level, -1) for level in given.levels), gap], dtype=np.int64)[given.data]


class Indicators(_Levels):
    """One column for each category, with an indicator in each row's category, and one for missing values."""

    def _encode(self, values: Values) -> Floats:
        places, width = self._places(values), len(self.names)
        block = np.zeros((len(places), width + 1))
        block[np.arange(len(places)), places] = ONE_HOT  # new categories (-1) use the last column, which is cut off
        return block[:, :width]


class Codes(_Levels):
    """A code's position among the known codes; -1 for a new code."""

    quantity = code = True

    def _encode(self, values: Values) -> Floats:
        return self._places(values).astype(np.float64)[:, None]


@dataclass(frozen=True, eq=False)
class Ngrams(Encoder):
    """Strings compared by their shared n-grams, and a column for missing values."""

    weights: NgramWeights
    svd: Any
    scale: float
    known: tuple[str, ...]  # strings that are values here, although they mean missing in other columns
    scores: Floats | None = None  # scores of the fitted strings, kept until these are encoded

    def _encode(self, values: Values) -> Floats:
        given = without_gaps(values.as_texts(), self.known)
        width = len(self.names) - self.says_missing
        block = np.zeros((len(given.levels) + 1, width))
        if given.levels:
            with one_blas_thread():
                scores = self.weights.scores(given.levels, self.svd) if self.scores is None else self.scores
            block[:-1] = scores * self.scale
        rows = block[given.data]
        return np.hstack([rows, given.missing[:, None] * ONE_HOT]) if self.says_missing else rows


def as_numbers(values: Values, form: Any, width: int = 1) -> Floats:
    """Return a column as numbers, NaN if missing; raise ValueError if it does not fit the format."""
    if isinstance(form, OrderFormat):
        values = without_gaps(values.as_texts(), form.levels)
    if values.kind == "text":
        read = (form or NumberFormat()).read(values.levels)
        numbers = np.append(read, np.nan)[values.data]
    elif values.kind == "date":
        raise InputError("dates are not numbers")
    else:
        numbers = values.data
    block = numbers.reshape(len(numbers), -1)
    if block.shape[1] != width and not (width > 1 and np.isnan(block).all()):
        raise InputError(f"got {block.shape[1]} numbers per row instead of {width}")
    return block if block.shape[1] == width else np.full((len(block), width), np.nan)


def as_moments(values: Values, form: DateFormat | None) -> Any:
    """Return a column as datetimes, NaT if missing; raise ValueError if it does not fit the format."""
    if values.kind == "date":
        return values.data
    if values.kind == "text":
        read = (form or DateFormat("iso")).read(values.levels)
        return np.append(read, np.datetime64("NaT", "us"))[values.data]
    if values.missing.all():
        return np.full(len(values.data), np.datetime64("NaT", "us"))
    raise InputError(f"{values.data[~values.missing][0]:g} is not a date")


def _date_parts(moments: Any, start: np.datetime64) -> Floats:
    """Return elapsed days, year, month, weekday and hour, NaN if missing."""
    us, months = moments.astype(np.int64), moments.astype("datetime64[M]").astype(np.int64)
    days, weekdays = (us - start.astype(np.int64)) / _DAY, (us // _DAY + 3.0) % 7
    parts = np.column_stack([days, months // 12 + 1970.0, months % 12 + 1.0, weekdays, us % _DAY // _HOUR])
    parts[np.isnat(moments)] = np.nan
    return parts


def make_encoder(values: Values, role: Any, random_state: Any, *, beside_list: bool = False) -> Encoder:
    """Make the encoder for a column from its role or, if it has none, from its values.

    In a table with an embedding, free text is left out unless the user gives it a role.
    """
    if role is None:
        return _automatic(values, random_state, beside_list=beside_list)
    if not isinstance(role, str):
        return _numbers(values, OrderFormat(tuple(map(str, role))), "ordered")
    if role in ("id", "group"):
        return _left_out(values, role, "it identifies rows" * (role == "id"))
    if role in _FORMATS:
        return _in_format(values, role)
    if role == "code":
        form = _format_of(values, number_format)
        return _codes(Values(values.name, "number", as_numbers(values, form)[:, 0]) if form else values)
    plain = without_gaps(values.as_texts())
    if role == "ordered":
        levels = ", ".join(repr(printable(level)) for level in plain.levels[:3])
        raise InputError(f"an order is needed: list its levels from low to high, roles={{...: [{levels}, ...]}}")
    if not plain.levels:
        return _left_out(values, "empty")
    if role == "category" and len(plain.levels) <= _MOST_INDICATORS:
        return _indicators(plain)
    return _ngrams(plain, role, random_state)


def keep_constant(values: Values) -> Encoder:
    """Make the encoder for a constant column that is kept."""
    return _indicators(values) if values.kind == "text" else _numbers(values, None, values.kind)


_WHY = {
    "empty": "it is empty",
    "constant": "all its values are equal",
    "counter": "it only numbers the rows",
    "id": "nearly every row has its own value",
    "people": "it contains names of people",
    "group": "it identifies groups",
}


def _left_out(values: Values, role: str, why: str = "") -> Encoder:
    missing = int(values.missing.sum())
    treatment = f"left out: {why or _WHY[role]}"
    return Encoder(Column(values.name, role, treatment, 0, missing, lossy=role not in ("constant", "empty")), ())


def _automatic(values: Values, random_state: Any, *, beside_list: bool) -> Encoder:
    if values.kind == "list":
        return _numbers(values, None, "list")
    if values.kind == "date":
        return _dates(values, None)
    form = _format_of(values, boolean_format, number_format, date_format, time_format)
    if isinstance(form, DateFormat):
        return _dates(values, form)
    if values.kind == "text" and form is None:
        # No format fits all cells: one may fit all but a few odd ones; otherwise these are words.
        odd = find_odd(values, "number", "date", "time")
        if odd is not None:
            return _except(odd, _automatic(odd.without(values), random_state, beside_list=beside_list))
        plain = without_gaps(values)
        role = role_of_texts(plain)
        if role == "text" and beside_list:
            return _left_out(plain, role, "the table has a list of numbers, such as an embedding, to use instead")
        return _texts(plain, role, random_state)
    # What is left can be read as numbers, which may still be codes or number the rows.
    numbers = as_numbers(values, form)[:, 0]
    role = role_of_numbers(values.name, numbers)
    if values.bare and role != "empty":  # columns of an array have no names, so only their values could mislead
        role = "number"
    if role in _WHY:
        return _left_out(values, role)
    if role == "code":
        return _codes(Values(values.name, "number", numbers))
    if values.kind in ("time", "duration") or isinstance(form, TimeFormat):
        role = "date"
    elif values.kind == "boolean" or isinstance(form, BooleanFormat):
        role = "boolean"
    return _numbers(values, form, role)


def _except(odd: Odd, encoder: Encoder) -> Encoder:
    """Extend an encoder, made without the odd values, to the whole column."""
    if not isinstance(encoder, Numbers | Codes):
        return encoder
    column = replace(encoder.column, treatment=f"{odd.told}; {encoder.column.treatment}", lossy=True)
    return replace(encoder, column=column, odd=odd)


def _format_of(values: Values, *finders: Finder) -> Any:
    """Find the first format that fits a text column; None for other columns."""
    forms = (find(values.levels) for find in finders if values.kind == "text")
    return next((form for form in forms if form is not None), None)


def _texts(values: Values, role: str, random_state: Any) -> Encoder:
    """Make the encoder for a text column that has this role and no gaps."""
    if role in _WHY:
        return _left_out(values, "id" if role == "people" else role, _WHY[role])
    if role == "code":
        return _codes(values)
    if role == "category" and len(values.levels) <= MOST_LEVELS:
        return _indicators(values)
    return _ngrams(values, role, random_state)


def _gaps_told(n_missing: int) -> str:
    return how_many(n_missing, "missing value")


def _filled_told(n_missing: int, by: str) -> str:
    them = "it" if n_missing == 1 else "them"
    return f"filled {_gaps_told(n_missing)} with {by}, and added a column that marks {them}"


def _columns(
    values: Values, role: str, treatment: str, names: Sequence[str], n_missing: int, *, lossy: bool, as_is: bool = False
) -> tuple[Column, tuple[str, ...]]:
    """Report on a column and name its output columns; the last of them marks missing values, if there are any."""
    named = (*names, *[f"{values.name} missing"] * bool(n_missing))
    return Column(values.name, role, treatment, len(named), n_missing, lossy, as_is), named


def _numbers(values: Values, form: Any, role: str) -> Encoder:
    """Make the encoder for numbers that are used as they are, read from text, or unpacked from lists."""
    width = values.data.shape[1] if values.kind == "list" else 1
    block = as_numbers(values, form, width)
    _refuse_infinite(block)
    gaps = np.isnan(block)
    n_missing = int(gaps.any(axis=1).sum())
    if gaps.all():
        return _left_out(values, "empty")
    fill = np.array([_median(column) for column in block.T])
    # A column with gaps and a single value says no more than its marker of gaps does.
    is_kept = not n_missing or width > 1 or len(np.unique(block[~gaps])) > 1
    names = ([values.name] if width == 1 else [f"{values.name}[{j}]" for j in range(width)]) if is_kept else []
    steps = [form.describe()] if form is not None else []
    if width > 1:
        steps.append(f"unpacked {width:,} numbers")
    if values.kind in ("time", "duration"):
        steps.append("time of day in hours" if values.kind == "time" else "duration in days")
    if n_missing and is_kept:
        steps.append(_filled_told(n_missing, f"the median {fill[0]:.6g}" if width == 1 else "medians"))
    elif n_missing:
        told = _gaps_told(n_missing)
        steps.append(f"all known values are equal, so the column was replaced by one that marks {told}")
    as_is = not n_missing and form is None and values.kind in ("number", "boolean", "list")
    treatment = "; ".join(steps) or "used as it is"
    column = _columns(values, role, treatment, names, n_missing, lossy=False, as_is=as_is)
    return Numbers(*column, form, fill, np.full(width, is_kept))


def _median(values: Floats) -> float:
    """Return the median of the values that are not missing, without overflow, or 0 if there are none."""
    given = np.sort(values[~np.isnan(values)])
    if not len(given):
        return 0.0
    low, high = given[(len(given) - 1) // 2], given[len(given) // 2]
    return float(low if low == high else low / 2 + high / 2)


def _refuse_infinite(block: Floats) -> None:
    infinite = np.isinf(block).any(axis=1)
    if infinite.any():
        raise InputError(
            f"infinite in {how_many(int(infinite.sum()), 'row')}, the first is row {int(infinite.argmax()) + 1:,} "
            "(counted from 1)"
        )


def _dates(values: Values, form: DateFormat | None) -> Encoder:
    """Make the encoder for dates, which keeps the parts that vary."""
    moments = as_moments(values, form)
    given = moments[~np.isnat(moments)]
    n_missing = len(moments) - len(given)
    if not len(given):
        return _left_out(values, "empty")
    if given.min() == given.max() and not n_missing:
        return _left_out(values, "constant")
    start = given.min()
    parts = _date_parts(moments, start)
    fill = np.array([_median(part) for part in parts.T])
    kept = np.array([len(np.unique(part[~np.isnan(part)])) > 1 for part in parts.T])
    told = [part for part, keep in zip(("days", "year", "month", "weekday", "hour"), kept, strict=True) if keep]
    steps = [*([form.describe()] if form else []), f"split into {', '.join(told)}" if told else "all values are equal"]
    if n_missing:
        steps.append(_filled_told(n_missing, "medians"))
    names = [f"{values.name} {part}" for part in told]
    return Dates(*_columns(values, "date", "; ".join(steps), names, n_missing, lossy=True), form, fill, kept, start)


def _indicators(values: Values) -> Encoder:
    n_missing = int(values.missing.sum())
    names = [f"{values.name}={level}" for level in values.levels]
    treatment = f"{len(names):,} categories, one indicator each"
    treatment += f", and one for {_gaps_told(n_missing)}" * bool(n_missing)
    as_is = not n_missing and len(names) <= MOST_LEVELS
    column = _columns(values, "category", treatment, names, n_missing, lossy=False, as_is=as_is)
    return Indicators(*column, values.levels)


def _codes(values: Values) -> Encoder:
    """Make the encoder for codes: each code's position in sorted order."""
    given = without_gaps(values.as_texts())
    levels = given.levels
    if values.kind != "text":
        levels = tuple(sorted(levels, key=float))
    n_missing = int(given.missing.sum())
    treatment = f"{len(levels):,} codes, numbered" + f", and one code for {_gaps_told(n_missing)}" * bool(n_missing)
    return Codes(Column(values.name, "code", treatment, 1, n_missing), (values.name,), levels)


def _ngrams(values: Values, role: str, random_state: Any) -> Encoder:
    """Make the encoder for strings, which uses components of their n-grams.

    Distinct strings are sorted, so that the order of rows does not matter. Components are scaled so that two rows are
    at distance 1 on average, like rows of different categories.
    """
    from sklearn.decomposition import TruncatedSVD

    n_missing, levels = int(values.missing.sum()), values.levels
    taught = levels[:: -(-len(levels) // _MOST_TEXTS)]  # evenly spread over the sorted strings
    try:
        weights = NgramWeights().fit(taught)
    except ValueError:
        return _left_out(values, "text", "its values are too short to compare")
    grams = weights.transform(taught)
    width = min(_COMPONENTS, min(grams.shape) - 1)
    if width < 1:
        return _indicators(values)
    with one_blas_thread():  # the number of threads would change the last digits
        svd = TruncatedSVD(width, n_iter=10, random_state=random_state).fit(grams)
        scores = weights.scores(levels, svd)
    share = values.counts / values.counts.sum()
    spread = float((share @ (scores - share @ scores) ** 2).sum())
    treatment = f"{len(levels):,} different values, compared by their n-grams in {width} components"
    treatment += f"; added a column that marks {_gaps_told(n_missing)}" * bool(n_missing)
    names = [f"{values.name} {j}" for j in range(width)]
    column = _columns(values, role, treatment, names, n_missing, lossy=True)
    scale = np.sqrt(0.5 / spread) if spread > 0 else 1.0
    known = tuple(level for level in levels if is_gap(level))
    return Ngrams(*column, weights, svd, float(scale), known, scores)


# For roles that need a format: how to find it, what the other cells are if a few are odd, and what is expected.
_FORMATS: dict[str, tuple[tuple[Finder, ...], tuple[str, ...], str]] = {
    "number": ((number_format, boolean_format), ("number",), "numbers"),
    "date": ((date_format, time_format), ("date", "time"), "dates in one format"),
}


def _in_format(values: Values, role: str) -> Encoder:
    """Make the encoder for numbers or dates; text is read in the one format that fits, but for a few odd cells."""
    finders, kinds, expected = _FORMATS[role]
    form = _format_of(values, *finders)
    if values.kind == "text" and form is None:
        odd = find_odd(values, *kinds)
        if odd is not None:
            return _except(odd, _in_format(odd.without(values), role))
        raise InputError(f"it has values that are not {expected}, such as {quoted(values.levels[0])}")
    if role == "date" and (isinstance(form, DateFormat) or (form is None and values.kind not in ("time", "duration"))):
        return _dates(values, form)
    return _numbers(values, form, role)


_AT_ONCE = 10_000  # strings at a time, so that the weights of all strings are never in memory together


class NgramWeights:
    """Gives exactly the weights of ``TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4))``, but faster.

    These n-grams never cross a word boundary, so a string has the n-grams of its words. Distinct words are few.
    """

    def __init__(self) -> None:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

        self._grams = CountVectorizer(analyzer="char_wb", ngram_range=(3, 4), lowercase=False, dtype=np.float64)
        self._weights = TfidfTransformer()

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn the n-grams and their frequencies; raise ValueError if there are none."""
        words, counts = _count_words(texts)
        self._grams.fit(words)
        self._weights.fit(self._count(words, counts))
        return self

    def transform(self, texts: Sequence[str]) -> Any:
        """Return the n-gram weights of each string as a sparse matrix."""
        return self._weights.transform(self._count(*_count_words(texts)), copy=False)

    def scores(self, texts: Sequence[str], svd: Any) -> Floats:
        """Return the components of each string."""
        parts = (texts[i : i + _AT_ONCE] for i in range(0, len(texts), _AT_ONCE))
        return np.vstack([svd.transform(self.transform(part)) for part in parts])

    def _count(self, words: Sequence[str], counts: Any) -> Any:
        """Count each n-gram in each string, sorted so that sums are the same to the last digit."""
        grams = counts @ self._grams.transform(words)
        grams.sort_indices()
        return grams


def _count_words(texts: Sequence[str]) -> tuple[list[str], Any]:
    """Return the distinct words, and each string's word counts as a sparse matrix."""
    from scipy.sparse import csr_array

    known: dict[str, int] = {}
    split = [[known.setdefault(word, len(known)) for word in text.lower().split()] for text in texts]
    place = np.fromiter((word for words in split for word in words), dtype=np.int32)
    ends = np.array([0, *accumulate(map(len, split))], dtype=np.int32)
    return list(known), csr_array((np.ones(len(place)), place, ends), shape=(len(split), len(known)))
