"""Fit to rows that may not fit in memory: most results come from a sample, and the trees of all rows grow in blocks.

``floor`` is the calling ``BayesFloor``; its module imports this one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.floor._edge_counts import ClassEdges, VertexLabels, class_edges, forest_moments
from bayesfloor.floor._fit import Content, Counts, Fit
from bayesfloor.floor._sample import Sample, announce, read_sample
from bayesfloor.floor._scaling import Scaler, fit_scale
from bayesfloor.floor._uncertainty import N_PARTS, Spread, typical_length, without_forced
from bayesfloor.forest._spanning_forest import Forest
from bayesfloor.formulas._limits import bias_from_growth, intrinsic_dimension
from bayesfloor.io._data import Data
from bayesfloor.io._labels import hard_shares, read_labels
from bayesfloor.io._open_data import POOL, POOL_BYTES
from bayesfloor.leaving.engine_labelled_rows import (
    Drawn,
    Labelled,
    draw_few_bytes,
    draw_labelled,
    open_labelled,
)
from bayesfloor.leaving.engine_row_handles import Rows
from bayesfloor.leaving.engine_runners import Runner, make_runner
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Floats, Ints

if TYPE_CHECKING:
    from bayesfloor.leaving.forest_out_of_core import Work

_BESIDE_ALL = 50_000  # rows to sample if the trees of all rows are grown as well
_FEW = 2  # rows to add for each class that the sample missed


@dataclass(frozen=True, eq=False)
class ScaledRows:
    """Rows whose features are scaled when they are read."""

    rows: Rows
    scaler: Scaler

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and number of features."""
        return self.rows.shape

    def part(self, start: int, stop: int) -> ScaledRows:
        """Return a handle to these rows only."""
        return replace(self, rows=self.rows.part(start, stop))

    def read(self) -> Floats:
        """Read the numbers."""
        return self.scaler.apply(self.rows.read())

    def take(self, rows: Ints) -> Floats:
        """Read individual rows in the given order."""
        return self.scaler.apply(self.rows.take(rows))

    def on_disk(self, folder: str) -> ScaledRows:
        """Return a handle to the same rows that other processes can open."""
        return replace(self, rows=self.rows.on_disk(folder))

    def fingerprint(self) -> str:
        """Return the rows' fingerprint combined with the scale."""
        numbers = np.concatenate([self.scaler.middle, self.scaler.spread])
        return f"{self.rows.fingerprint()} {self.scaler.name} {blake2b(numbers.tobytes(), digest_size=8).hexdigest()}"


@dataclass(frozen=True, eq=False)
class Far:
    """Rows on disk or on a cluster, a sample of them, and every row's class if the trees of all rows are grown."""

    data: Labelled
    runner: Runner
    sample: Sample
    codes: Ints | None


def draw_far(floor: Any, X: Any, y: Any, client: Any) -> Far:
    """Sample the rows for the first fit."""
    data, runner = open_labelled(X, y), make_runner(client, floor.n_jobs)
    n, all_rows = data.rows.shape[0], floor.target_width is None and floor.max_rows is None
    n_drawn, codes = min(n, _pool_size(floor, data, all_rows=all_rows)), None
    if all_rows and n_drawn < n and floor.priors is not None:
        raise InputError(
            "Got priors with max_rows=None and target_width=None, but priors need a sample of the rows. "
            "Pass max_rows=100_000 or target_width=0.01, or leave priors out."
        )
    if not isinstance(data.labels, str):
        read_labels(data.labels, n)  # before sampling, so that errors give row numbers of the input
    how = (floor.random_state, runner, floor._progress)
    drawn = draw_labelled(data, n_drawn, *how) if all_rows else draw_few_bytes(data, n_drawn, floor.max_rows, *how)
    if all_rows and n_drawn < n:
        classes, codes = read_labels(data.read_labels(), n)
        drawn = _with_all_classes(drawn, data, codes, len(classes))
    _refuse_gaps(drawn)
    reduce = codes is None  # the trees of all rows use all columns
    sample = read_sample(floor, Data(drawn.x, drawn.y), reduce=reduce)
    row, notes = drawn.row[sample.row], (drawn.note,) if drawn.note else ()
    features = replace(sample.features, notes=(*sample.features.notes, *notes))
    return Far(data, runner, replace(sample, features=features, row=row, cluster=row, n_input=n), codes)


def count_all(floor: Any, fit: Fit, far: Far, checkpoint: Any) -> tuple[Counts | None, Work | None]:
    """Count the edges in the trees of all rows, and report how they were grown; (None, None) if a sample is enough."""
    if far.codes is not None:
        return _count_all(floor, fit, far, far.codes, checkpoint)
    if len(np.unique(fit.sample.row)) == len(far.sample) < far.sample.n_input:
        why = "the data are large, so only a sample is read. Pass target_width=None and max_rows=None to use all rows"
        announce(far.sample, why, level=4)
    return None, None


def _refuse_gaps(drawn: Drawn) -> None:
    bad = np.flatnonzero(~np.isfinite(drawn.x).all(axis=1))
    if len(bad):
        raise InputError(
            f"Got NaN or infinity in {len(bad)} row(s), the first is row {drawn.row[bad[0]]} (counted from 0), "
            "but expected finite numbers. Drop these rows or impute the values first."
        )


def _pool_size(floor: Any, data: Labelled, *, all_rows: bool) -> int:
    if all_rows:
        return _BESIDE_ALL
    room = int(POOL_BYTES / (8 * data.rows.shape[1]))
    return max(_BESIDE_ALL, floor.max_rows or 0, min(POOL, room))


def _with_all_classes(drawn: Drawn, data: Labelled, codes: Ints, n_classes: int) -> Drawn:
    """Add a few rows of each class that the sample missed."""
    missing = np.setdiff1d(np.arange(n_classes), codes[drawn.row])
    if not len(missing):
        return drawn
    more = np.concatenate([np.flatnonzero(codes == code)[:_FEW] for code in missing])
    row = np.union1d(drawn.row, more)
    return Drawn(row, data.rows.take(row), data.read_labels()[row], drawn.n_rows, drawn.n_bytes)


def _count_all(floor: Any, fit: Fit, far: Far, codes: Ints, checkpoint: Any) -> tuple[Counts, Work]:
    from bayesfloor.leaving.forest_out_of_core import Beyond, forest_beyond  # this loads the compiled kernels

    rows = ScaledRows(far.data.rows, fit_scale(fit.sample.features, fit.scale))
    forest, work = forest_beyond(rows, floor.n_trees, Beyond(far.runner, floor._progress, checkpoint))
    labels = _by_content(forest, codes, len(fit.sample.classes))
    edges, content = class_edges(forest, labels), Content(labels.vertex, np.arange(len(codes)))
    spread, ties = _spread_of_all(fit, forest, labels, edges), _ties_of_all(fit, edges, len(codes))
    return Counts(forest, labels, edges, forest_moments(forest, labels), spread, ties, content), work


def _by_content(forest: Forest, codes: Ints, n_classes: int) -> VertexLabels:
    """Sort labels by the rows' content, so that sums are rounded the same way for any order of the rows."""
    if forest.n_vertices == len(codes):  # counts are whole numbers, so nothing is rounded
        return VertexLabels(forest.vertex, hard_shares(codes, n_classes), forest.n_vertices)
    order = np.lexsort((codes, forest.vertex))
    return VertexLabels(forest.vertex[order], hard_shares(codes[order], n_classes), forest.n_vertices)


def _spread_of_all(fit: Fit, forest: Forest, labels: VertexLabels, edges: ClassEdges) -> Spread:
    """Scale the sample's standard errors to all rows, and measure the change in G from quarters of it to all rows."""
    few, share = fit.counts.spread, len(fit.sample) / len(labels.vertex)
    before, quarter = fit.counts.edges.cross_rate, share / N_PARTS
    drop = few.drop + without_forced(before, fit.labels) - without_forced(edges.cross_rate, labels)
    length = typical_length(fit.forest) * N_PARTS ** (1 / few.dimension)
    dimension = intrinsic_dimension(length, typical_length(forest), quarter)
    if np.isfinite(dimension):  # Spread expects the drop from a quarter of all rows
        drop = bias_from_growth(drop, quarter, dimension) / bias_from_growth(1.0, 1 / N_PARTS, dimension)
    scale = float(np.sqrt(share))
    return Spread(few.method, few.std_error * scale, few.class_errors * scale, few.degrees, drop, dimension)


def _ties_of_all(fit: Fit, edges: ClassEdges, n_rows: int) -> tuple[float, float]:
    """Estimate the range of G over other orders of ties, scaled from the range on the sample."""
    low, high = fit.counts.ties
    scale = float(np.sqrt(len(fit.sample) / n_rows))
    rate, before = edges.cross_rate, fit.counts.edges.cross_rate
    return rate - (before - low) * scale, rate + (high - before) * scale
