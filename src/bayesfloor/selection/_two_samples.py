"""``two_samples``: whether a test set is drawn like the training set, and which of its rows are copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, eye_array
from scipy.sparse.csgraph import connected_components

from bayesfloor.counts._class_edges import class_edges, forest_moments, label_moments
from bayesfloor.counts._pair_counts import permuted_cross
from bayesfloor.counts._row_edges import adjacency
from bayesfloor.counts._vertex_labels import VertexLabels
from bayesfloor.engine._result import Result
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.floor._grow import grow, prepare
from bayesfloor.floor._results import FEW
from bayesfloor.floor._scaling import NO_SCALE, apply_scale, check_scale
from bayesfloor.forest._forest import Forest, check_n_trees
from bayesfloor.formulas._confidence_limits import check_level
from bayesfloor.formulas._label_tests import crowd_p_value
from bayesfloor.formulas._multiple_tests import benjamini_hochberg
from bayesfloor.formulas._permutation_null import fewer_than_chance, permutation_null, share_not_above
from bayesfloor.io._features import Features, read_features
from bayesfloor.io._frame_columns import as_frame
from bayesfloor.io._labels_and_weights import hard_shares

_ROUNDING = 1e-6  # of the mean edge, below which two rows are equal
_PERMUTATIONS = 999
_FEWEST_ROWS = 100  # below, or with fewer than 30 in a sample, labels are permuted
_SHOWN_TESTS = 2  # shift and leak


@dataclass(frozen=True, eq=False, repr=False)
class TwoSamples(Result):
    """What sets two samples, A and B, apart.

    Attributes
    ----------
    word : {"shifted", "leaking", "both", "no difference shown"}
    p_value : of "the rows were split at random": twice the smaller of the two that follow.
    shift_p_value : of "so few edges between A and B by chance", by the Friedman-Rafsky test.
    leak_p_value : of "so many rows of B equal to rows of A by chance".
    cross_rate, expected : share of edges between A and B, and what random splits would show.
    copies : (m, 2) array: a row of A, and a row of B equal to it up to rounding.
    expected_copies : how many rows of B random splits would show to be equal to rows of A.
    suspects : rows of B that tell of the shift, since those around them are of B far more than by
        chance; false discoveries controlled at the level. Empty where no shift is shown.
    n_a, n_b : number of rows.
    scale : the scale in use, "none" for ``scale=None``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor.selection import two_samples
    >>> X, _ = load_iris(return_X_y=True)
    >>> two_samples(X[::2], X[1::2]).n_a
    75
    """

    word: str
    p_value: float
    shift_p_value: float
    leak_p_value: float
    cross_rate: float
    expected: float
    copies: Ints
    expected_copies: float
    suspects: Ints
    n_a: int
    n_b: int
    scale: str

    def _summary(self) -> str:
        found = f"{len(self.copies)} copies, {len(self.suspects)} suspects"
        return f"{self.word!r}, p_value={self.p_value:.3g}, {found}"

    @property
    def text(self) -> str:
        """The answer in words."""
        shift = f"{self.cross_rate:.1%} of the edges join the two samples, {self.expected:.1%} by chance"
        leak = f"{len(self.copies)} rows of B are copies of rows of A, {self.expected_copies:.1f} by chance"
        told = {
            "shifted": "B is drawn otherwise than A",
            "leaking": "B has copies of rows of A",
            "both": "B is drawn otherwise than A, and has copies of its rows",
            "no difference shown": "No difference shown",
        }[self.word]
        rows = f" {len(self.suspects)} rows of B tell of it." if len(self.suspects) else ""
        return (
            f"{told} (p = {self.p_value:.2g}).\n"
            f"{shift} (p = {self.shift_p_value:.2g}).{rows}\n{leak} (p = {self.leak_p_value:.2g})."
        )

    def _columns(self) -> dict[str, Any]:
        copy_of, suspect = np.full(self.n_b, -1), np.zeros(self.n_b, dtype=bool)
        copy_of[self.copies[:, 1]] = self.copies[:, 0]
        suspect[self.suspects] = True
        return {"row": np.arange(self.n_b), "copy_of": copy_of, "suspect": suspect}


def two_samples(
    A: Any,
    B: Any,
    *,
    scale: str | None = "auto",
    level: float = 0.05,
    n_trees: int = 3,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> TwoSamples:
    """Whether B is drawn like A (shift), and which of its rows are copies of A's (leak).

    Two tests of "the rows were split at random", each at half the level. Shift: fewer edges of the
    spanning trees of all rows join A and B than by chance. Leak: more rows of B are equal to rows of
    A than by chance; rows that are alike by nature fall on both sides of any split, so copies alone
    show nothing, and are listed either way.

    Parameters
    ----------
    A, B : array-like or data frames of the same columns
        Such as the rows to train on and those to test on, without labels. Texts and categories are
        read as ``BayesFloor.fit`` reads them, those of both together.
    scale : {"auto", "standard", "robust", "unit"} or None, default="auto"
        As in ``BayesFloor``, fitted to both samples together. "auto" is "standard" here: to take the
        scale with the fewest edges between A and B would look at what is tested.
    level : float, default=0.05
        Chance of declaring anything of a random split, at most.
    n_trees : int, default=3
        Number of orthogonal spanning trees.
    random_state : int, default=0
        Seed of all draws.
    n_jobs : int, default=None
        Number of threads, as joblib understands it.

    Returns
    -------
    TwoSamples

    Notes
    -----
    Where a leak is shown, copies would hide a shift, since they join A and B. The test of the shift
    then takes a single row of each set of equal rows, at random: to leave out those of B alone would
    favour edges inside A.

    References
    ----------
    Friedman and Rafsky (1979), Annals of Statistics 7(4).

    Examples
    --------
    >>> import numpy as np
    >>> from bayesfloor.selection import two_samples
    >>> rng = np.random.default_rng(0)
    >>> A, B = rng.normal(size=(300, 4)), rng.normal(size=(200, 4))
    >>> two_samples(A, B).word
    'no difference shown'
    >>> B[:10] = A[:10].astype(np.float32)
    >>> found = two_samples(A, B)
    >>> found.word, len(found.copies)
    ('leaking', 10)
    >>> two_samples(A, B + [1, 0, 0, 0]).word
    'shifted'
    """
    check_level(level)
    if level >= 0.5:
        raise ValueError(f"Got level={level!r}, but expected the share of clean splits to be declared, such as 0.05.")
    check_n_trees(n_trees)
    check_scale(scale)
    features, n_a = _read_both(A, B)
    name = "standard" if scale == "auto" else scale or NO_SCALE
    points, in_b = apply_scale(features, name), np.arange(len(features.values)) >= n_a
    prepare(len(points), points.shape[1], n_trees, 2)
    rng, forest = np.random.default_rng(random_state), grow(points, n_trees, None, n_jobs)
    alike = _find_alike(forest)
    leak_p_value, expected_copies = _test_leak(alike, in_b, rng)
    leaking = bool(_SHOWN_TESTS * leak_p_value <= level)
    rows = _one_of_each(alike, rng) if leaking else np.arange(len(points))
    shift = _test_shift(grow(points[rows], n_trees, None, n_jobs) if leaking else forest, in_b[rows], rng)
    shifted = bool(_SHOWN_TESTS * shift.p_value <= level)
    return TwoSamples(
        word=_WORDS[shifted, leaking],
        p_value=min(1.0, _SHOWN_TESTS * min(shift.p_value, leak_p_value)),
        shift_p_value=shift.p_value,
        leak_p_value=leak_p_value,
        cross_rate=shift.cross_rate,
        expected=shift.expected,
        copies=_list_copies(alike, in_b),
        expected_copies=expected_copies,
        suspects=np.sort(rows[_find_suspects(shift, level)]) - n_a if shifted else np.empty(0, dtype=np.int64),
        n_a=n_a,
        n_b=len(points) - n_a,
        scale=name,
    )


_WORDS = {
    (True, True): "both",
    (True, False): "shifted",
    (False, True): "leaking",
    (False, False): "no difference shown",
}


def _read_both(A: Any, B: Any) -> tuple[Features, int]:
    """Both samples as numbers, read as one, and how many rows are of the first."""
    from bayesfloor.floor._bayes_floor import BayesFloor

    one, two = as_frame(A), as_frame(B)
    if (one is None) != (two is None) or (one is not None and one.implementation != two.implementation):
        raise TypeError(
            f"Got {type(A).__name__} and {type(B).__name__}, but expected two arrays or two data frames of one kind."
        )
    both, n_a = _stack_arrays(A, B) if one is None else _stack_frames(one, two)
    return read_features(BayesFloor(), both), n_a


def _stack_arrays(A: Any, B: Any) -> tuple[Floats, int]:
    from sklearn.utils.validation import check_array

    one, two = (
        check_array(X, dtype=np.float64, ensure_min_samples=2, input_name=name) for X, name in ((A, "A"), (B, "B"))
    )
    if one.shape[1] != two.shape[1]:
        raise ValueError(f"Got A with {one.shape[1]} columns and B with {two.shape[1]}, but expected as many.")
    return np.vstack([one, two]), len(one)


def _stack_frames(one: Any, two: Any) -> tuple[Any, int]:
    import narwhals
    import narwhals.selectors

    if set(one.columns) != set(two.columns):
        different = sorted(set(one.columns) ^ set(two.columns))
        raise ValueError(f"Got {different[0]!r} in one data frame only, but expected the same columns in both.")
    if min(len(one), len(two)) < 2:
        raise ValueError(f"Got {len(one)} and {len(two)} rows, but expected at least 2 in each data frame.")
    numbers = narwhals.selectors.numeric().cast(narwhals.Float64)  # whole in one and not in the other, or of 32 bits
    both = [frame.select(one.columns).with_columns(numbers) for frame in (one, two)]
    return narwhals.concat(both).to_native(), len(one)


def _find_alike(forest: Forest) -> Ints:
    """A number for each row, the same for rows that are equal up to rounding.

    The first tree joins all rows that chains of edges no longer than a given one join.
    """
    first = forest.tree == 0
    short = np.flatnonzero(first & (forest.length <= _ROUNDING * forest.length[first].mean()) if first.any() else first)
    joins = csr_array((np.ones(len(short)), (forest.a[short], forest.b[short])), shape=(forest.n_vertices,) * 2)
    return np.asarray(connected_components(joins, directed=False)[1])[forest.vertex]


def _test_leak(alike: Ints, in_b: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """P-value of the leak, and how many rows of B are equal to rows of A in random splits into as many rows each.

    Only rows that have an equal matter; how many of them are of B is hypergeometric.
    """
    sets, n_b = _sets_of_several(alike), int(in_b.sum())
    some = sets >= 0
    if not some.any():
        return 1.0, 0.0
    drawn = rng.hypergeometric(n_b, len(in_b) - n_b, int(some.sum()), _PERMUTATIONS)
    split = np.arange(int(some.sum()))
    permuted = np.array([_count_copies(sets[some], rng.permutation(split) < number) for number in drawn])
    own = _count_copies(sets[some], in_b[some])
    return share_not_above(-own, -permuted), float(permuted.mean())


def _sets_of_several(alike: Ints) -> Ints:
    """The number of each row's set of equal rows; -1 for rows without an equal."""
    sizes = np.bincount(alike)
    place = np.cumsum(sizes > 1) - 1
    return np.where(sizes[alike] > 1, place[alike], -1)


def _count_copies(sets: Ints, in_b: np.ndarray) -> float:
    """Rows of B in sets that have a row of A."""
    there = np.bincount(sets, ~in_b)
    return float(np.bincount(sets, in_b)[there > 0].sum())


def _list_copies(alike: Ints, in_b: np.ndarray) -> Ints:
    """Each copied row of B beside the first row of A that it is equal to."""
    n_a = int((~in_b).sum())
    first = np.full(int(alike.max()) + 1, -1)
    first[alike[:n_a][::-1]] = np.arange(n_a)[::-1]
    copied = np.flatnonzero(first[alike[n_a:]] >= 0)
    return np.column_stack([first[alike[n_a:][copied]], copied])


def _one_of_each(alike: Ints, rng: np.random.Generator) -> Ints:
    """A row of each set of equal rows, at random."""
    order = rng.permutation(len(alike))
    return np.sort(order[np.unique(alike[order], return_index=True)[1]])


class _Shift(NamedTuple):
    """P-value of the shift, the shares of edges between A and B, and what both come from."""

    p_value: float
    cross_rate: float
    expected: float
    forest: Forest
    labels: VertexLabels


def _test_shift(forest: Forest, in_b: np.ndarray, rng: np.random.Generator) -> _Shift:
    """Friedman and Rafsky's test; of few rows by permutation."""
    labels = VertexLabels(forest.vertex, hard_shares(in_b.astype(np.int64), 2), forest.n_vertices)
    edges, smaller = class_edges(forest, labels), int(min(in_b.sum(), (~in_b).sum()))
    null = permutation_null(len(in_b), forest_moments(forest, labels), label_moments(labels), labels.n_sets)
    cross = edges.cross_rate * edges.n_edges
    p_value = float(fewer_than_chance(cross, null))
    if smaller == 0:
        p_value = 1.0
    elif len(in_b) < _FEWEST_ROWS or smaller < FEW:
        p_value = share_not_above(cross, permuted_cross(forest, labels, _PERMUTATIONS, rng))
    return _Shift(p_value, edges.cross_rate, float(null.mean) / max(edges.n_edges, 1.0), forest, labels)


def _find_suspects(shift: _Shift, level: float) -> Ints:
    """Rows of B with so many others of B around that Benjamini and Hochberg's rule rejects chance.

    Around a row are those that two edges lead to. Of a random split, how many of them are of B is
    hypergeometric.
    """
    labels, joins = shift.labels, adjacency(shift.forest, shift.labels.n_vertices)
    near = csr_array((joins @ joins + joins + eye_array(labels.n_vertices)) > 0).astype(np.float64)
    in_b = labels.codes == 1
    around = (near @ labels.rows_at)[labels.vertex[in_b]] - 1
    own = (near @ np.bincount(labels.vertex, in_b, labels.n_vertices))[labels.vertex[in_b]] - 1
    p_value = crowd_p_value(own, around, len(in_b), int(in_b.sum()))
    return np.flatnonzero(in_b)[benjamini_hochberg(p_value) <= level]
