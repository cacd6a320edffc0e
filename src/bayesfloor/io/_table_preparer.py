"""``TablePreparer``: turn a real-world table into numbers, and report how each column was treated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin  # noqa: TID253 - itself imported when first used
from sklearn.utils.validation import check_is_fitted  # noqa: TID253 - itself imported when first used

from bayesfloor.io._columns import Values, as_gaps, read_all, read_column, texts
from bayesfloor.io._data import Data, as_singles, recognise
from bayesfloor.io._encoders import ROLES, Column, Encoder, Ngrams, keep_constant, make_encoder
from bayesfloor.support._errors import InputError
from bayesfloor.support._parameters import check_flag, check_roles
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats
from bayesfloor.support._words import how_many, join_labels, printable, quoted

_FEWEST_UNREAD = 10  # cells: if none of so many can be read, the column is another one


class TablePreparer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Turn a table with columns of any kind into numbers, without using labels.

    Numbers are not changed; missing ones are filled with the median and marked in an added column. Text columns with
    numbers, dates, or yes and no are read in the one format that fits all their values; up to five odd values such as
    "<5", in at most 2 % of rows, count as missing. Up to 40 categories become indicators, with one more for missing
    values. Free text, and columns with more categories, are compared by their character n-grams. Dates are split into
    elapsed days, year, month, weekday and hour. Codes, such as zip codes, become integers. Lists of numbers, such as
    embeddings, are unpacked. Ids, row counters, and constant or empty columns are left out.

    The result does not depend on the order of rows or on the data frame library.

    Parameters
    ----------
    roles : dict, optional
        Roles of columns that their values do not reveal: "number", "category", "code", "date", "text", "id" or
        "group" (the last two are left out), or a list of levels from low to high.
    strict : bool, default=False
        Raise if any column has to be prepared, and name all of them.
    random_state : int, RandomState instance or None, default=0
        Seed for the components of n-grams.

    Attributes
    ----------
    columns_ : tuple of Column
        How each column was treated: name, role, treatment, width, n_missing, lossy, as_is.
    quantity_ : (k,) bool array
        Which output columns are quantities that may be scaled; indicators and n-grams are not.
    code_ : (k,) bool array
        Which output columns are codes, numbered from 0.
    source_ : (k,) int array
        The input column of each output column.
    n_features_in_ : int
        Number of columns in the table.
    feature_names_in_ : array of str
        Column names, if the table is a data frame.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesfloor.io import TablePreparer
    >>> table = pd.DataFrame({"age": [22, None, 26], "paid": ["$7.25", "$71.25", "$8.5"], "sex": ["m", "f", "f"]})
    >>> preparer = TablePreparer()
    >>> preparer.fit_transform(table).round(2)
    array([[22.  ,  0.  ,  7.25,  0.  ,  0.71],
           [24.  ,  1.  , 71.25,  0.71,  0.  ],
           [26.  ,  0.  ,  8.5 ,  0.71,  0.  ]])
    >>> preparer.columns_[0].treatment
    'filled 1 missing value with the median 24, and added a column that marks it'
    >>> list(preparer.get_feature_names_out())
    ['age', 'age missing', 'paid', 'sex=f', 'sex=m']
    """

    def __init__(self, roles: Mapping[str, Any] | None = None, *, strict: bool = False, random_state: Any = 0) -> None:
        self.roles = roles
        self.strict = strict
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Decide each column's role and how to turn it into numbers.

        Parameters
        ----------
        X : data frame or array of shape (n, p)
            The table.
        y : ignored
            Labels are never used.

        Returns
        -------
        self : TablePreparer
            The fitted preparer.
        """
        self._read(X)
        self._forget_scores()
        return self

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Floats:  # noqa: ARG002
        """Fit the table and return it as numbers, reading it only once.

        Parameters
        ----------
        X : data frame or array of shape (n, p)
            The table.
        y : ignored
            Labels are never used.

        Returns
        -------
        numbers : (n, k) float array
            The table as numbers, all finite.
        """
        numbers = self._encode(self._read(X))
        self._forget_scores()
        return numbers

    def transform(self, X: Any) -> Floats:
        """Turn a table with the same columns into numbers.

        Parameters
        ----------
        X : data frame or array of shape (n, p)
            A table with the fitted columns, in any order; new categories get no indicator column.

        Returns
        -------
        numbers : (n, k) float array
            The table as numbers, all finite.
        """
        check_is_fitted(self)
        return self._encode(self._in_order(recognise(X)))

    def transform_any(self, X: Any) -> Floats:
        """Turn a table with the same columns into numbers, as ``transform`` does; unreadable cells count as missing."""
        check_is_fitted(self)
        blocks = _each(_read_what_fits, self._in_order(recognise(X)), self._encoders)
        return np.ascontiguousarray(np.hstack(blocks), dtype=np.float64)

    def transform_piece(self, X: Any) -> NDArray[np.float32]:
        """Turn a piece of the fitted table into numbers of single precision, as ``transform_any`` does.

        Columns that were left out need not be there.
        """
        data = recognise(X)
        used = [(name, encoder) for name, encoder in zip(self._names, self._encoders, strict=True) if encoder.names]
        if data.form == "frame":
            columns = [read_column(data.X[name]) for name, _ in used]
        else:
            by_name = {values.name: values for values in read_all(data)}
            columns = [by_name[name] for name, _ in used]
        blocks = _each(_read_what_fits, columns, [encoder for _, encoder in used])
        return as_singles(blocks, len(data.X))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002
        """Return the names of the output columns.

        Parameters
        ----------
        input_features : ignored
            Required by scikit-learn.

        Returns
        -------
        names : (k,) array of str
            The input column's name, with a suffix if it became several output columns.
        """
        check_is_fitted(self)
        return np.array([name for encoder in self._encoders for name in encoder.names], dtype=object)

    def _read(self, X: Any) -> list[Values]:
        data = recognise(X)
        table = read_all(data)
        if not table or not len(table[0].data):
            raise InputError(f"Got a table with {len(table)} columns and no rows, but expected at least one of each.")
        check_flag("strict", self.strict)
        roles = _check_roles(self.roles, [values.name for values in table])
        beside = any(values.kind == "list" and values.name not in roles for values in table)
        made = _each(
            lambda values: make_encoder(values, roles.get(values.name), self.random_state, beside_list=beside), table
        )
        self._encoders = _keep_clean(table, made)
        self._names = [values.name for values in table]
        self.columns_ = tuple(encoder.column for encoder in self._encoders)
        self.n_features_in_ = len(table)
        if data.form == "frame":
            self.feature_names_in_ = np.array(self._names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        _refuse_columns(self.columns_, strict=self.strict)
        self.quantity_ = np.concatenate([_marks(encoder, encoder.quantity) for encoder in self._encoders])
        self.code_ = np.concatenate([_marks(encoder, encoder.code) for encoder in self._encoders])
        self.source_ = np.repeat(np.arange(len(table)), [column.width for column in self.columns_])
        return table

    def _encode(self, table: Sequence[Values]) -> Floats:
        blocks = _each(lambda values, encoder: encoder.encode(values), table, self._encoders)
        return np.ascontiguousarray(np.hstack(blocks), dtype=np.float64)

    def _forget_scores(self) -> None:
        """Drop the scores that were kept so that the fitted table is not scored twice."""
        self._encoders = [replace(e, scores=None) if isinstance(e, Ngrams) else e for e in self._encoders]

    def _in_order(self, data: Data) -> list[Values]:
        """Return the columns of a new table in the order of the fitted one."""
        table = read_all(data)
        names = [values.name for values in table]
        if data.form == "frame" and hasattr(self, "feature_names_in_"):
            without = [name for name in self._names if name not in names]
            new = [name for name in names if name not in self._names]
            if without or new:
                raise InputError(
                    f"Got a table without columns {_list(without)} and with new columns {_list(new)}, but expected "
                    "the columns of fit: the feature names should match those that were passed during fit."
                )
            by_name = {values.name: values for values in table}
            return [by_name[name] for name in self._names]
        if len(table) != self.n_features_in_:
            raise InputError(
                f"X has {len(table)} features, but TablePreparer is expecting {self.n_features_in_} features as input."
            )
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _read_what_fits(values: Values, encoder: Encoder) -> Floats:
    """Encode a column; strings that do not fit the fitted column count as missing, unless many and all do not fit."""
    try:
        return encoder.encode(values)
    except ValueError:
        unread = [not _fits(encoder, level) for level in values.levels]
        if values.kind != "text" or (all(unread) and values.counts.sum() >= _FEWEST_UNREAD):
            raise
    return encoder.encode(as_gaps(values, unread))


def _fits(encoder: Encoder, level: str) -> bool:
    """Whether an encoder can read a string."""
    try:
        encoder.encode(texts("", [level]))
    except ValueError:
        return False
    return True


def _each(work: Callable[..., Any], table: Sequence[Values], *beside: Sequence[Any]) -> list[Any]:
    """Apply a function to every column, and report the failures of all columns in one error."""
    made, failed = [], []
    for values, *more in zip(table, *beside, strict=True):
        try:
            made.append(work(values, *more))
        except ValueError as error:
            failed.append(f"{quoted(values.name)}: {error}")
    if failed:
        shown = "; ".join(failed[:10]) + f"; and {len(failed) - 10} more" * (len(failed) > 10)
        raise InputError(
            f"Got {len(failed)} column{'s' * (len(failed) > 1)} that cannot be turned into numbers ({shown}), but "
            "expected finite values of one kind in each. Fix or drop them, or say what they are with roles=."
        )
    return made


def _check_roles(roles: Mapping[str, Any] | None, names: Sequence[str]) -> dict[str, Any]:
    """Return the given roles; raise if a role or a column is unknown."""
    check_roles(roles)
    given = {} if roles is None else {str(name): role for name, role in roles.items()}
    strange = [name for name in given if name not in names]
    if strange:
        raise InputError(f"Got roles for columns {_list(strange)}, but expected names among {_list(names)}.")
    for name, role in given.items():
        if role not in ROLES if isinstance(role, str) else not isinstance(role, (list, tuple)) or not role:
            raise InputError(
                f"Got role {role!r} for column {quoted(name)}, but expected one of {', '.join(ROLES)}, "
                "or a list of levels from low to high."
            )
    return given


def _list(names: Sequence[str]) -> str:
    return join_labels([quoted(name) for name in names]) if names else "(none)"


def _keep_clean(table: Sequence[Values], made: Sequence[Encoder]) -> list[Encoder]:
    """Keep constant columns, such as dark pixels of images, if nothing else in the table needs preparing."""
    pairs = list(zip(table, made, strict=True))
    constant = [encoder.column.role == "constant" and values.kind != "date" for values, encoder in pairs]
    clean = all(is_constant or encoder.column.as_is for is_constant, encoder in zip(constant, made, strict=True))
    if all(constant) or not clean:
        return list(made)
    return [
        keep_constant(values) if is_constant else encoder
        for values, encoder, is_constant in zip(table, made, constant, strict=True)
    ]


def _refuse_columns(columns: Sequence[Column], *, strict: bool) -> None:
    """Raise if no column can be used, or, if ``strict``, if any has to be prepared."""
    found = [f"{quoted(column.name)} ({column.treatment})" for column in columns if not column.as_is]
    if strict and found:
        raise InputError(
            f"Got {len(found)} column{'s' * (len(found) > 1)} that would have to be prepared, but with strict=True "
            f"expected numbers and categories without gaps: {'; '.join(found)}. Prepare or drop them, or leave out "
            "strict."
        )
    if not any(column.width for column in columns):
        told = "; ".join(f"{quoted(column.name)} {column.treatment}" for column in columns[:6])
        raise InputError(
            f"Got a table with no usable columns ({told}), but expected at least one feature. "
            "To keep a column, say what it is: roles={'column': 'number'}."
        )


def _marks(encoder: Encoder, mark: bool) -> np.ndarray:  # noqa: FBT001
    """Return ``mark`` for each of an encoder's columns, but False for the column that marks missing values."""
    marks = np.full(len(encoder.names), mark, dtype=bool)
    if encoder.says_missing and not encoder.code:
        marks[-1] = False
    return marks


@dataclass(frozen=True, repr=False)
class Prepared(Result):
    """How columns and rows were treated.

    Attributes
    ----------
    columns : tuple of Column
        How each column of a table was treated; empty if all were used as they are.
    notes : tuple of str
        Assumptions made while reading the file or array.
    n_unlabelled : int
        Number of rows without a label, which were left out.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayesfloor
    >>> table = pd.DataFrame({"age": [20, None, 30, 41] * 9, "sex": list("mffm") * 9, "sick": [0, 0, 1, 1] * 9})
    >>> found = bayesfloor.check(table, "sick")
    >>> print(found.prepared)
    Prepared: missing values filled in age
    >>> found.prepared.columns[0].treatment
    'filled 9 missing values with the median 30, and added a column that marks them'
    """

    columns: tuple[Column, ...] = ()
    notes: tuple[str, ...] = ()
    n_unlabelled: int = 0

    def __bool__(self) -> bool:
        return bool(str(self))

    def __str__(self) -> str:
        parts = [summarize(self.columns).removeprefix("Prepared: "), *self.notes]
        if self.n_unlabelled:
            parts.append(f"{self.n_unlabelled:,} row{'s' * (self.n_unlabelled > 1)} without a label left out")
        told = "; ".join(part for part in parts if part)
        return f"Prepared: {told}" if told else ""

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name, role and treatment of every column that was not used as it is.

        Many columns with the same treatment, but for its numbers, share one line.
        """
        alike: dict[tuple[str, str], list[Column]] = {}
        for column in self.columns:
            if not column.as_is:
                alike.setdefault((column.role, _NUMBER.sub("0", column.treatment)), []).append(column)
        for (role, _), columns in alike.items():
            if len(columns) > _LISTED:
                missing = sum(column.n_missing for column in columns)
                told = f"{how_many(missing, 'missing value')} in all; " * bool(missing)
                told += f"for example {quoted(columns[0].name)}: {columns[0].treatment}"
                yield how_many(len(columns), "column"), role, told
            else:
                yield from ((printable(column.name), role, column.treatment) for column in columns)

    def _summary(self) -> str:
        return str(self).removeprefix("Prepared: ") or "nothing to do"

    def _columns(self) -> dict[str, Any]:
        return {item.name: [getattr(column, item.name) for column in self.columns] for item in fields(Column)}


def summarize(columns: Sequence[Column]) -> str:
    """Summarise the preparation in one line; empty if all columns were used as they are."""
    gone = [column for column in columns if not column.width]
    why_gone = _named_by(gone, _WHY_GONE, lambda column: column.role if column.role in _WHY_GONE else "")
    parts = [f"{_name_some(names)} left out{why}" for why, names in why_gone.items()]
    used = [column for column in columns if not column.as_is and column.width and column.role != "wide"]
    parts += [f"{done} {_name_some(names)}" for done, names in _named_by(used, _DONE, _in_a_word).items()]
    parts += [column.treatment for column in columns if column.role == "wide"]
    return f"Prepared: {'; '.join(parts)}" if parts else ""


_LISTED = 10  # columns with the same treatment; more share one line
_NUMBER = re.compile(r"-?\d[\d.,]*(?:e[-+]?\d+)?")


_NAMED = 3  # columns to name; if there are more, only their number is given
_WHY_GONE = {
    "id": " (id)",
    "counter": " (row counter)",
    "constant": " (constant)",
    "empty": " (empty)",
    "text": " (text beside an embedding)",
}
_DONE = {
    "filled": "missing values filled in",
    "odd": "cells that are not numbers read as missing in",
    "level": "missing values kept as a category in",
    "read": "text read as numbers in",
    "date": "dates turned into numbers in",
    "text": "free text turned into numbers in",
    "code": "codes replaced by class rates in",
    "many": "many categories compared by spelling in",
    "ordered": "levels numbered in",
}


def _named_by(
    columns: Sequence[Column], words: Mapping[str, str], kind_of: Callable[[Column], str]
) -> dict[str, list[str]]:
    """Group the columns' names by what was done to them, in the order of ``words``."""
    kinds = {kind: [quoted(column.name) for column in columns if kind_of(column) == kind] for kind in (*words, "")}
    return {words.get(kind, ""): names for kind, names in kinds.items() if names}


def _name_some(names: Sequence[str]) -> str:
    return join_labels(names) if len(names) <= _NAMED else how_many(len(names), "column")


def _in_a_word(column: Column) -> str:
    if column.role in ("date", "text", "code", "ordered"):
        return column.role
    if column.role == "category":
        return "many" if column.lossy or not column.n_missing else "level"
    if column.lossy:
        return "odd"
    return "filled" if column.n_missing else "read"
