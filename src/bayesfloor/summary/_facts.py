"""What was looked at: rows, features, labels and how they were taken."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from bayesfloor.counts._labels import Floats
from bayesfloor.floor._bayes_floor import BayesFloor
from bayesfloor.floor._data import as_frame
from bayesfloor.floor._results import Result

_TINY, _SMALL = 0.01, 0.1  # of the longest edges but a twentieth: near-copies, and what separates them from others
_SUSPICIOUS = 0.05  # share of tiny edges from which rows may be near-copies


@dataclass(frozen=True)
class Facts(Result):
    """What was looked at.

    Attributes
    ----------
    name : what the data are called, such as a file name.
    label : name of the label's column, if it has one.
    n_rows, n_used, n_distinct : rows given, rows in use, and distinct ones among these.
    n_features, n_classes : numbers of columns and of classes.
    n_groups : number of groups, or None.
    scale, scale_rates : the scale in use, and the share of cross edges under each that was tried.
    n_trees, random_state : as in ``BayesFloor``.
    near_copies : share of rows that lie so close to another that they may be copies of it.
    fingerprint : SHA-256 of features and labels.
    version : of the library.
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
    near_copies: float = 0.0
    fingerprint: str = ""
    version: str = ""

    def _columns(self) -> dict[str, Any]:
        return {name: [value] for name, value in self.to_dict().items() if name != "scale_rates"}


def gather_facts(floor: BayesFloor, X: Any, y: Any, name: str, label: str) -> Facts:
    """The facts of a fit."""
    sample, forest = floor._sample, floor._forest
    return Facts(
        name=name,
        label=label,
        n_rows=floor._n_input,
        n_used=len(floor.rows_),
        n_distinct=len(np.unique(floor._content.vertex)),
        n_features=floor.n_features_in_,
        n_classes=len(floor.classes_),
        n_groups=None if sample.groups is None else len(np.unique(sample.groups)),
        scale=floor.scale_,
        scale_rates=dict(floor.scale_rates_),
        n_trees=floor.n_trees,
        random_state=floor.random_state,
        near_copies=_near_copies(forest.length[(forest.tree == 0) & (forest.length > 0)]),
        fingerprint=fingerprint(X, y),
        version=version("bayesfloor"),
    )


def _near_copies(length: Floats) -> float:
    """Share of tiny edges, where few lie between these and the usual ones."""
    if not len(length):
        return 0.0
    usual = np.quantile(length, 0.95)
    tiny, small = np.mean(length < _TINY * usual), np.mean(length < _SMALL * usual)
    return float(tiny) if tiny > _SUSPICIOUS and small - tiny < tiny / 3 else 0.0


def fingerprint(X: Any, y: Any) -> str:
    """SHA-256 of the values, whatever holds them; column names and the kinds of numbers do not matter."""
    digest = hashlib.sha256()
    frame = as_frame(X)
    columns = _float_columns(X) if frame is None else (column.to_list() for column in frame.iter_columns())
    for column in (*columns, _rows(y)):
        _add(digest, column)
    return digest.hexdigest()


def _float_columns(X: Any) -> list[Floats]:
    return list(np.asarray(X, dtype=np.float64).T)


def _rows(y: Any) -> Any:
    return np.asarray(y).ravel()


def _add(digest: Any, column: Any) -> None:
    """Numbers by their bytes, all else by its text with lengths, so that no two columns look alike."""
    values = np.asarray(column)
    if values.dtype.kind in "fiub":
        digest.update(b"#" + np.ascontiguousarray(values, dtype=np.float64).tobytes())
        return
    for value in values.tolist():
        text = str(value).encode("utf-8", "backslashreplace")
        digest.update(b"%d:%s" % (len(text), text))
    digest.update(b"$")
