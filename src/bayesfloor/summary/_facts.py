"""What was checked: rows, features and labels, and the settings used."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import chain
from platform import python_version
from typing import Any

import joblib
import numpy as np

from bayesfloor.answer._metrics import CLASSES
from bayesfloor.answer._number_answers import SCALE, Numbers
from bayesfloor.floor._fit import Fit, find_alike, may_be_copies, near_duplicates
from bayesfloor.floor._sample import Sample, Settings
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.io._data import Data
from bayesfloor.io._features import Features, canonical
from bayesfloor.support._results import Result
from bayesfloor.support._types import Ints
from bayesfloor.support._words import how_many, quoted

_LIBRARIES = ("numpy", "scipy", "scikit-learn")
_EQUAL = 1e-9  # smaller differences between proportions are rounding errors
_EXACT = 2.0**53  # below this, floats represent whole numbers exactly


@dataclass(frozen=True, repr=False)
class Facts(Result):
    """What was checked, and with which settings.

    Attributes
    ----------
    name : name of the data, such as a file name.
    label : name of the label column, if it has one.
    n_rows, n_used, n_distinct : rows with a label, rows in use, and distinct rows in use. With priors, learners use all
        of these, but trees only as many as have these proportions.
    n_features, n_classes : numbers of features and of classes.
    n_groups : number of groups, or None.
    scale, scale_rates : the scale in use ("none" for ``scale=None``), and the fraction of cross-class edges for
        each scale that was tried.
    n_trees, random_state : as in ``BayesFloor``.
    near_duplicates : fraction of rows that are near-duplicates of another row.
    fingerprint : SHA-1 of features and labels.
    max_rows, target_width : as in ``BayesFloor``.
    version, versions : version of bayesfloor, and versions of Python and the libraries it uses.
    priors : the class proportions that the answer is for, if they were given; None for those of the data.
    time : "between" or "later" if it was said which rows the answer is for.
    rows_are : "cases" or "copies" if it is known what equal rows are, from the user or from the data.
    task, task_guessed : "classes" or "numbers", and whether ``y`` alone decided that.
    columns : how each column of a table was read, such as "number", by its name; empty for arrays.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> found.facts.n_rows, found.facts.n_features
    (150, 4)
    """

    name: str
    label: str
    n_rows: int
    n_used: int
    n_distinct: int
    n_features: int
    n_classes: int
    n_groups: int | None
    scale: str
    scale_rates: dict[str, float] = field(hash=False)
    n_trees: int = 3
    random_state: int = 0
    near_duplicates: float = 0.0
    fingerprint: str = ""
    max_rows: int | None = None
    target_width: float | None = 0.01
    version: str = ""
    versions: dict[str, str] = field(default_factory=dict, hash=False)
    priors: tuple[float, ...] | None = None
    rows_are: str = ""
    time: str | None = None
    columns: dict[str, str] = field(default_factory=dict, hash=False)
    task: str = CLASSES
    task_guessed: bool = False

    @property
    def balanced(self) -> bool:
        """Whether the answer is for equally frequent classes: accuracy is then balanced accuracy."""
        return self.priors is not None and max(self.priors) - min(self.priors) < _EQUAL

    @property
    def copies(self) -> float:
        """The fraction of rows that look like duplicates of another row, rather than independent draws."""
        copied = self.n_groups is None and may_be_copies(self.n_used, self.n_distinct, self.rows_are)
        return 1 - self.n_distinct / self.n_used if copied else 0.0

    def _summary(self) -> str:
        used = f" ({self.n_used:,} used)" if self.n_used < self.n_rows else ""
        what = how_many(self.n_classes, "class") if self.task == CLASSES else "numbers"
        counts = (how_many(self.n_features, "feature"), what)
        groups = () if self.n_groups is None else (how_many(self.n_groups, "group"),)
        parts = (f"{how_many(self.n_rows, 'row')}{used}", *counts, *groups, f"scale {self.scale}")
        return f"{quoted(self.name)}: {', '.join(parts)}" if self.name else ", ".join(parts)

    def _columns(self) -> dict[str, Any]:
        return {name: [value] for name, value in self.to_dict().items() if not isinstance(value, dict)}


def gather_facts(fit: Fit, settings: Settings, data: Data, time: str | None = None) -> Facts:
    """Collect the facts of a fit."""
    sample, alike = fit.sample, fit.counts.content.vertex
    if fit.whole is not None:
        sample = fit.whole
        alike = find_alike(sample, sample.features.values, find_vertices(sample.features.values)[1])
    found = _facts_of_rows(sample, alike, settings, data, time)
    return replace(
        found,
        n_classes=len(sample.classes),
        scale=fit.scale,
        scale_rates=dict(fit.scale_rates),
        near_duplicates=near_duplicates(fit.forest),
        priors=None if fit.priors is None else tuple(fit.priors.tolist()),
    )


def facts_of_numbers(rows: Numbers, settings: Settings, data: Data) -> Facts:
    """Collect the facts of rows with numbers; there are no trees and no classes."""
    return replace(_facts_of_rows(rows.sample, rows.alike, settings, data, None), scale=SCALE, n_trees=0)


def _facts_of_rows(sample: Sample, alike: Ints, settings: Settings, data: Data, time: str | None) -> Facts:
    return Facts(
        name=data.name,
        label=data.label,
        n_rows=sample.n_input - sample.n_unlabelled,
        n_used=len(np.unique(sample.row)),
        n_distinct=len(np.unique(alike)),
        n_features=_n_features(sample.features),
        n_classes=0,
        n_groups=None if sample.groups is None else len(np.unique(sample.groups)),
        scale="",
        scale_rates={},
        n_trees=settings.n_trees,
        random_state=settings.random_state,
        fingerprint=fingerprint(data),
        max_rows=settings.max_rows,
        target_width=settings.target_width,
        version=version("bayesfloor"),
        versions={"Python": python_version(), **{name: version(name) for name in _LIBRARIES}},
        rows_are=sample.rows_are,
        time=time,
        columns=_roles(sample.features, data),
        task=data.task,
        task_guessed=data.task_guessed,
    )


def _roles(features: Features, data: Data) -> dict[str, str]:
    """Return how each column of a table was read; very wide and already prepared ones have no roles."""
    roles = {column.name: column.role for column in features.prepared}
    return {name: roles.get(name, "") for name in data.X.columns} if data.form == "frame" else {}


def _n_features(features: Features) -> int:
    """Count the columns in use; a column of lists, such as embeddings, counts once per number."""
    columns = [column for column in features.prepared if column.width and column.role != "wide"]
    if not columns:
        return int((features.values if features.exact is None else features.exact).shape[1])
    return sum(column.width if column.role == "list" else 1 for column in columns)


def fingerprint(data: Data) -> str:
    """Return the SHA-1 of the values. Containers, column names and number types do not matter."""
    columns: Any
    if data.form == "frame":
        columns = (each.to_numpy() if each.dtype.is_numeric() else each.to_list() for each in data.X.iter_columns())
    else:
        data = data.dense_if_small()
        made = canonical(data.X) if data.form == "sparse" else None
        columns = data.X.T if made is None else (made.shape, made.indptr, made.indices, made.data)
    # Column by column: all of them as floats would be a second copy of X.
    return str(joblib.hash([joblib.hash(_comparable(values), "sha1") for values in chain(columns, [data.y])], "sha1"))


def _comparable(values: Any) -> Any:
    """Return numbers as floats and other values as text, so that equal ones are equal whatever holds them."""
    flat = np.asarray(values).ravel()
    is_float = flat.dtype.kind == "f"
    if is_float or {type(value) for value in flat.tolist()} <= {int, float, bool}:
        numbers = flat.astype(np.float64) + 0.0  # -0.0 becomes 0.0
        if is_float or np.abs(numbers).max(initial=0.0) < _EXACT:
            return numbers
    return [str(value) for value in (values if isinstance(values, (list, tuple)) else flat.tolist())]
