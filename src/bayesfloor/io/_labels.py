"""Turn the user's labels and weights into numbers, and find labels that may be spellings of one class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bayesfloor.io._columns import is_missing
from bayesfloor.io._data import unmask
from bayesfloor.io._messages import PREDICT_NUMBERS
from bayesfloor.support._errors import InputError, InputTypeError, blame
from bayesfloor.support._parameters import check_choice
from bayesfloor.support._tasks import ignoring
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many

KINDS = ("auto", "votes")
_NAMES = (str, bytes, bool, np.bool_, int, float, np.number, np.datetime64, np.timedelta64)
_WIDE = 1000  # characters; longer strings are stored as objects
_MOST_CLASSES = 5000  # their pairs take 6 GB
_MOST_VOTES = 1000  # per row: every vote becomes a row of its own
_NARROW = 1 << 16  # whole numbers within such a range are counted, not sorted
_MANY = 20  # different labels; up to this many are always classes
_ROWS_PER_CLASS = 2  # fewest rows per class, on average, beyond _MANY labels: classes of one row teach nothing
_ROWS_PER_NUMBER = 20  # fewest rows per number, on average, for numbers to count as classes


def hard_shares(codes: Ints, n_classes: int) -> csr_array:
    """Return one label per row as a matrix of class probabilities."""
    n = len(codes)
    return csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, n_classes))


@dataclass(frozen=True, eq=False)
class Target:
    """Labels of units: rows, or single votes if rows have several."""

    classes: np.ndarray
    shares: csr_array
    row: Ints  # the input row of each unit
    n_unlabelled: int = 0  # number of rows without a label; they have no unit


def read_target(y: Any, n_rows: int, kind: str = "auto", *, guessed: bool = False) -> Target:
    """Read ``y`` as one label per row, as votes or as probabilities; rows without a label are left out.

    If the task was ``guessed``, it is known that whole numbers are classes.
    """
    check_choice("y_kind", kind, KINDS)
    y = unmask(y)
    with blame("y"):
        shape = np.asarray(_as_objects(y)).shape
    if len(shape) == 2 and shape[1] > 1:
        return _read_soft(y, n_rows, kind)
    gaps = missing_labels(y)
    has_gaps = bool(gaps.any() and not gaps.all() and len(gaps) == n_rows)
    row = np.flatnonzero(~gaps) if has_gaps else np.arange(n_rows)
    classes, codes = read_labels(_without_gaps(y, row) if has_gaps else y, len(row), guessed=guessed)
    if len(classes) < 2:
        raise InputError(
            f"Got {len(classes)} class, but expected at least 2: with one class there is nothing to predict."
        )
    return Target(classes, hard_shares(codes, len(classes)), row, n_rows - len(row))


def read_one_label(y: Any, n_rows: int) -> Target:
    """Read ``y`` as one label per row; raise for votes and probabilities."""
    target = read_target(y, n_rows)
    if target.shares.nnz != n_rows - target.n_unlabelled:
        raise InputError("Got votes or probabilities as y, but expected one label per row.")
    return target


def missing_labels(y: Any) -> NDArray[np.bool_]:
    """Return a mask of the rows without a label (None, NaN or similar)."""
    with blame("y"):
        labels = as_label_array(y)
    if labels.ndim != 1:
        return np.zeros(len(labels) if labels.ndim else 0, dtype=bool)
    if labels.dtype.kind in "mM":
        return np.isnat(labels)
    if labels.dtype.kind == "f":
        return np.isnan(labels)
    if labels.dtype.kind != "O":
        return np.zeros(len(labels), dtype=bool)
    return np.array([is_missing(label) for label in labels.tolist()], dtype=bool)


def as_label_array(y: Any) -> np.ndarray:
    """Return labels from any container as an array; masked ones are missing."""
    return np.asarray(_as_objects(y.to_numpy() if hasattr(y, "to_numpy") else y))


def _without_gaps(y: Any, row: Ints) -> np.ndarray:
    """Return the labels that are not missing; whole numbers that gaps had turned into floats become integers again."""
    labels = as_label_array(y)[row]
    is_whole = labels.dtype.kind == "f" and bool((labels == np.round(labels)).all() and np.isfinite(labels).all())
    return labels.astype(np.int64) if is_whole else labels


def read_labels(y: Any, n_rows: int, *, guessed: bool = False) -> tuple[np.ndarray, Ints]:
    """Return the classes and each row's class number; whole numbers may look like regression if ``guessed``."""
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_consistent_length, column_or_1d

    if y is None:
        raise InputError("This estimator requires y to be passed, but the target y is None.")
    with blame("y"):
        labels = column_or_1d(_as_objects(y), warn=True)
        check_consistent_length(np.empty(n_rows), labels)
    _check_labels(labels)
    is_wide = labels.dtype.kind == "U" and labels.dtype.itemsize > _WIDE * np.dtype("U1").itemsize
    labels = _as_one_kind(labels.tolist()) if is_wide or labels.dtype == object else labels
    classes, codes = np.unique(labels, return_inverse=True)
    refuse_regression(classes, n_rows, guessed=guessed)
    _refuse_many(len(classes), n_rows)
    with blame("y"), ignoring(message="The number of unique classes"), np.errstate(invalid="ignore"):
        check_classification_targets(classes)  # too many were rejected above; numbers may be too large for integers
    return classes, codes


def code_labels(y: Any) -> tuple[np.ndarray, Ints]:
    """Return the classes and the class number of each of very many rows, -1 without a label; ``y`` was checked."""
    labels = as_label_array(y).reshape(-1)
    codes: Ints
    if labels.dtype.kind in "OT":
        known = dict[Any, int]()
        codes = np.fromiter((known.setdefault(label, len(known)) for label in labels.tolist()), np.int64, len(labels))
        labels = np.empty(len(known), dtype=object)
        labels[:] = list(known)
    elif labels.dtype.kind in "iu" and int(np.ptp(labels)) < _NARROW:
        low = labels.min()
        codes, labels = labels.astype(np.int64) - int(low), np.arange(int(low), int(labels.max()) + 1)
        there = np.bincount(codes) > 0
        codes, labels = (np.cumsum(there) - 1)[codes], labels[there]
    else:
        labels, codes = np.unique(labels, return_inverse=True)
    gaps = missing_labels(labels)
    given = _without_gaps(labels, np.flatnonzero(~gaps)) if gaps.any() else labels
    given = _as_one_kind(given.tolist()) if given.dtype == object else given
    classes, number = np.unique(given, return_inverse=True)
    place = np.full(len(labels), -1, dtype=np.int32)
    place[~gaps] = number
    return classes, place[codes]


def _refuse_many(n_classes: int, n_rows: int) -> None:
    """Raise if there are too many classes to compare all pairs."""
    if n_classes > _MOST_CLASSES:
        raise InputError(
            f"Got {n_classes:,} classes in {n_rows:,} rows, but expected at most {_MOST_CLASSES:,}: every pair of "
            "classes is compared. Is y an id, free text or a quantity? If not, merge classes first."
        )


def refuse_regression(values: np.ndarray, n_rows: int, *, guessed: bool) -> None:
    """Raise if labels are too many different numbers to be classes, or numbers with fractions."""
    has_fractions = values.dtype.kind == "f" and bool((values != np.round(values)).any())
    if has_fractions or (looks_like_regression(values, n_rows) and not guessed):
        raise InputError(
            f"Unknown label type: continuous. Got {len(values):,} different numbers as labels for {n_rows:,} rows: "
            "looks like regression, but expected classes. Bin them into classes first; if they are names of classes, "
            f"pass them as text: y.astype(str). {PREDICT_NUMBERS}"
        )
    if len(values) > _MANY and _ROWS_PER_CLASS * len(values) > n_rows:
        raise InputError(
            f"Got {len(values):,} different labels in {n_rows:,} rows, but expected classes with at least "
            f"{_ROWS_PER_CLASS} rows each on average: these look like quantities, dates or ids. Pass the column of "
            f"classes as y, or bin quantities into classes first.{f' {PREDICT_NUMBERS}' * (values.dtype.kind in 'iuf')}"
        )


def looks_like_regression(values: np.ndarray, n_rows: int) -> bool:
    """Whether these distinct labels are quantities: fractions, or integers with gaps between them and few rows each."""
    if values.dtype.kind not in "iuf" or len(values) <= _MANY or not np.isfinite(values).all():
        return False
    if (values != np.round(values)).any():
        return True
    return len(values) * _ROWS_PER_NUMBER > n_rows and bool((np.diff(values) != 1).any())


def _as_objects(y: Any) -> Any:
    """Keep the types of a list's labels: NumPy would turn all labels into text and merge 1 with '1'."""
    y = unmask(y)
    if isinstance(y, np.ndarray) and y.dtype.kind == "T":  # StringDType, which scikit-learn does not support
        return y.astype(object)
    if not isinstance(y, (list, tuple)) or any(isinstance(label, (list, tuple, np.ndarray)) for label in y):
        return y
    labels = np.empty(len(y), dtype=object)
    labels[:] = y
    return labels


def _as_one_kind(labels: list[Any]) -> np.ndarray:
    """Return labels of mixed types as strings or numbers; raise if two different labels would become one."""
    labels = [_plain_number(label) for label in labels]
    strange = {type(label).__name__ for label in labels if not isinstance(label, _NAMES)}
    if strange:  # they cannot be sorted, or look alike without being equal
        raise InputTypeError(
            f"Got labels of type {' and '.join(sorted(strange)[:3])} in y, but expected text, whole numbers or "
            "booleans. Pass them as text: [str(label) for label in y]."
        )
    array = _as_array(labels)
    different = {(isinstance(label, (str, bool, np.bool_)), label) for label in labels}
    if len(np.unique(array)) < len(different):
        raise InputError(
            "Got labels that differ only in type or in invisible characters, such as 1 and '1', "
            "but expected classes with different names. Rename one of them."
        )
    return array


def _as_array(labels: list[Any]) -> np.ndarray:
    """Return labels as an array; long strings stay objects, since NumPy gives each string the space of the longest."""
    longest = max((len(label) for label in labels if isinstance(label, str)), default=0)
    if longest <= _WIDE:
        return np.array(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = list(map(str, labels))
    return array


def _plain_number(label: Any) -> Any:
    """Convert a decimal number from a database to an int or a float."""
    if not isinstance(label, Decimal):
        return label
    return int(label) if label == label.to_integral_value() else float(label)


def _check_labels(labels: np.ndarray) -> None:
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise InputError("Input y contains infinity, but expected labels.")
    missing = missing_labels(labels)
    if missing.any():
        raise InputError(
            f"Input y contains NaN: {how_many(int(missing.sum()), 'missing label')}, the first in row "
            f"{missing.argmax() + 1:,} (counted from 1), but expected a label for every row. Drop these rows, or give "
            "them a label of their own."
        )


def _read_soft(y: Any, n_rows: int, kind: str) -> Target:
    """Read either probabilities or votes; each vote becomes a unit."""
    names = getattr(y, "column_names", getattr(y, "columns", None))
    try:
        given = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Got y of shape {np.shape(y)} with text, but expected one label per row, votes or probabilities."
        ) from error
    if len(given) != n_rows:
        raise InputError(f"Got y with {len(given)} rows and X with {n_rows}, but expected the same number.")
    if not np.isfinite(given).all() or (given < 0).any():
        raise InputError("Got negative or missing numbers in y, but expected votes or probabilities.")
    _refuse_many(given.shape[1], n_rows)
    # The columns are the classes; each row is a distribution over them, or counts of votes.
    total = given.sum(axis=1)
    classes = np.arange(given.shape[1]) if names is None else _as_one_kind(list(names))
    if np.allclose(total, 1.0, rtol=0, atol=1e-6):
        return Target(classes, _some_of_each(csr_array(given / total[:, None]), classes), np.arange(n_rows))
    if kind != "votes" and np.isin(given, (0, 1)).all():  # votes may look the same
        raise InputError(
            f"Got y of shape {given.shape} with several 1s in {np.count_nonzero(total > 1):,} rows: looks like "
            "several labels per row, but expected one. Use one column of y at a time; if each 1 is an annotator's "
            'vote, pass y_kind="votes".'
        )
    if (given != np.round(given)).any() or (total == 0).any():
        raise InputError(
            f"Got y of shape {given.shape} whose rows add up to {total.min():g} to {total.max():g}, but expected "
            "probabilities (rows that add up to 1) or votes (whole numbers, at least one per row)."
        )
    if total.max() > _MOST_VOTES:
        raise InputError(
            f"Got {total.max():,.0f} votes in row {total.argmax() + 1:,} (counted from 1), but expected at most "
            f"{_MOST_VOTES:,} per row. Pass probabilities: y / y.sum(axis=1, keepdims=True)."
        )
    # Every vote becomes a unit with one label.
    row, code = np.nonzero(given)
    count = given[row, code].astype(int)
    shares = hard_shares(np.repeat(code, count), given.shape[1])
    return Target(classes, _some_of_each(shares, classes), np.repeat(row, count))


def _some_of_each(shares: csr_array, classes: np.ndarray) -> csr_array:
    empty = np.flatnonzero(np.asarray(shares.sum(axis=0)) == 0)
    if len(empty):
        raise InputError(
            f"Got no vote for class {classes.tolist()[empty[0]]!r}, but expected at least one in every column of y."
        )
    return shares


def read_weight(sample_weight: Any, n_rows: int) -> Floats | None:
    """Return row weights scaled to a mean of 1, or None if all are equal."""
    if sample_weight is None:
        return None
    with blame("sample_weight"):
        weight = np.asarray(unmask(sample_weight), dtype=np.float64)
    if weight.shape != (n_rows,) or not np.isfinite(weight).all() or (weight < 0).any():
        raise InputError(
            f"Got sample_weight of shape {weight.shape}, but expected {n_rows} finite numbers that are 0 or more."
        )
    if not weight.any():
        raise InputError("Got a sample_weight of zero for every row, but expected some positive weights.")
    return None if (weight == weight[0]).all() else weight / weight.mean()


def refuse_weightless(codes: Ints, classes: np.ndarray) -> None:
    """Raise if all rows of a class have zero weight."""
    gone = np.setdiff1d(np.arange(len(classes)), codes)
    if len(gone):
        raise InputError(
            f"Got sample_weight 0 for all rows of class {classes.tolist()[gone[0]]!r}, "
            "but expected some positive weights in every class. Leave these rows out instead."
        )


def read_groups(groups: Any, n_rows: int) -> tuple[Any, Ints]:
    """Return the sorted groups and each row's group number; 1 and '1' are different groups."""
    with blame("groups"):
        labels = as_label_array(groups)
    if labels.shape != (n_rows,):
        raise InputError(f"Got groups of shape {labels.shape}, but expected one group for each of {n_rows} rows.")
    if missing_labels(labels).any():
        raise InputError("Got missing values in groups, but expected a group for every row. Fill or drop them first.")
    if labels.dtype != object:
        with blame("groups"):
            return np.unique(labels, return_inverse=True)
    try:  # each type is sorted separately, since Python cannot sort strings with numbers
        kinds = [(_kind(label), label) for label in labels.tolist()]
        names = sorted(set(kinds))
        number = {name: i for i, name in enumerate(names)}
    except TypeError as error:
        found = sorted({type(label).__name__ for label in labels.tolist()})
        raise InputTypeError(
            f"Got groups of type {' and '.join(found[:3])}, but expected text, numbers or dates. "
            "Number them first, for example with pandas.factorize(groups)[0]."
        ) from error
    return [label for _, label in names], np.array([number[kind] for kind in kinds], dtype=np.int64)


def _kind(label: Any) -> str:
    """Return the kind of a label; labels of the same kind can be compared."""
    if isinstance(label, (str, bytes)):
        return type(label).__name__
    return "number" if isinstance(label, (int, float, np.number, np.bool_)) else type(label).__name__


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
        return self.best_of(())

    def best_of(self, known: Collection[Any]) -> dict[str, str]:
        """Return the most frequent spelling for each label, but one of the ``known`` labels where there is any."""
        best = [next((label for label in group if label in known), group[0]) for group in self.alike]
        return {other: one for one, group in zip(best, self.alike, strict=True) for other in group if other != one}

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
