"""``two_samples``: whether a test set is distributed like the training set, and which of its rows are duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, eye_array
from scipy.sparse.csgraph import connected_components

from bayesfloor.floor._edge_counts import VertexLabels, adjacency, class_edges, forest_moments, label_moments
from bayesfloor.floor._pair_counts import permuted_cross
from bayesfloor.floor._results import FEW
from bayesfloor.floor._sample import prepare
from bayesfloor.floor._scaling import NO_SCALE, apply_scale, check_scale
from bayesfloor.forest._spanning_forest import Forest, check_n_trees, spanning_forest
from bayesfloor.formulas._limits import benjamini_hochberg, check_level, crowd_p_value
from bayesfloor.formulas._permutation_null import fewer_than_chance, permutation_null, share_not_above
from bayesfloor.io._data import Data, checked_array, recognise
from bayesfloor.io._features import Features, read_features
from bayesfloor.io._labels import hard_shares
from bayesfloor.support._errors import InputError, InputTypeError
from bayesfloor.support._parameters import check_seed
from bayesfloor.support._results import Result
from bayesfloor.support._types import Ints
from bayesfloor.support._words import how_many, p_text, percent

_ROUNDING = 1e-6  # of the mean edge length; rows closer than this count as equal
_PERMUTATIONS = 999
_FEWEST_ROWS = 100  # with fewer, or with fewer than 30 in a sample, labels are permuted
_SHOWN_TESTS = 2  # shift and leak
NO_DIFFERENCE = "no difference shown"


@dataclass(frozen=True, eq=False, repr=False)
class TwoSamples(Result):
    """How two samples, A and B, differ.

    Attributes
    ----------
    word : {"shifted", "leaking", "both", "no difference shown"}
    p_value : of the hypothesis "the rows were split at random": twice the smaller of the next two.
    shift_p_value : probability of at most this many edges between A and B in random splits (Friedman-Rafsky test).
    leak_p_value : probability of at least this many rows of B equal to rows of A in random splits.
    cross_rate, expected : fraction of edges between A and B, and its expected value for random splits.
    copies : (m, 2) array: a row of A, and a row of B that equals it up to rounding.
    expected_copies : number of rows of B equal to rows of A expected for random splits.
    suspects : rows of B that show the shift: far more of the rows around them belong to B than expected by
        chance. The false discovery rate is controlled at ``level``. Empty if no shift is shown.
    n_a, n_b : number of rows.
    scale : the scale used, "none" for ``scale=None``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor.decide import two_samples
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
        found = f"{how_many(len(self.copies), 'duplicate')}, {how_many(len(self.suspects), 'suspect')}"
        return f"{self.word}, {p_text(self.p_value)}, {found}"

    @property
    def text(self) -> str:
        """The answer in words."""
        shift = f"{percent(self.cross_rate)} % of the edges join A and B, {percent(self.expected)} % expected by chance"
        copies = how_many(len(self.copies), "duplicate")
        leak = f"B contains {copies} of rows in A, {self.expected_copies:,.1f} expected by chance"
        answer = {
            "shifted": "B is distributed differently from A",
            "leaking": "B contains duplicates of rows in A",
            "both": "B is distributed differently from A and contains duplicates of A's rows",
            NO_DIFFERENCE: "No significant difference between A and B",
        }[self.word]
        rows = f" Rows of B that show the shift: {len(self.suspects):,}." if len(self.suspects) else ""
        return (
            f"{answer} (p = {self.p_value:.2g}).\n"
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
    """Test whether B is distributed like A (shift), and find rows of B that duplicate rows of A (leak).

    Both tests have the null hypothesis "the rows were split at random", each at half the level. Shift: in spanning
    trees on all rows, fewer edges join A and B than expected by chance. Leak: more rows of B equal rows of
    A than expected by chance. Some data naturally contain equal rows, and a random split puts some on both sides. So
    duplicates alone prove nothing; they are listed either way.

    Parameters
    ----------
    A, B : array-like or data frames with the same columns
        For example training rows and test rows, without labels. Text and categories are read as in ``BayesFloor.fit``,
        from both samples together.
    scale : {"auto", "standard", "robust", "unit"} or None, default="auto"
        As in ``BayesFloor``, fitted to both samples together. "auto" means "standard" here: picking the
        scale with the fewest edges between A and B would bias the test.
    level : float, default=0.05
        Highest probability of a false alarm for a random split.
    n_trees : int, default=3
        Number of orthogonal spanning trees.
    random_state : int, default=0
        Random seed.
    n_jobs : int, default=None
        Number of threads, as joblib understands it.

    Returns
    -------
    TwoSamples

    Notes
    -----
    If there is a leak, duplicates would hide a shift, because they join A and B. The shift test then
    uses one random row from each set of equal rows: leaving out only those of B would favour edges within A.

    References
    ----------
    Friedman and Rafsky (1979), Annals of Statistics 7(4).

    Examples
    --------
    >>> import numpy as np
    >>> from bayesfloor.decide import two_samples
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
        raise InputError(f"Got level={level!r}, but expected a false alarm rate below 0.5, such as 0.05.")
    check_n_trees(n_trees)
    check_scale(scale)
    check_seed(random_state)
    # Geometry never sees which sample a row is from: read, scaled and joined together.
    features, n_a = _read_both(A, B)
    name = "standard" if scale == "auto" else scale or NO_SCALE
    points, in_b = apply_scale(features, name), np.arange(len(features.values)) >= n_a
    prepare(len(points), points.shape[1], n_trees, 2)
    rng, forest = np.random.default_rng(random_state), spanning_forest(points, n_trees, n_jobs=n_jobs)
    # The leak first: duplicates join A and B, so a shift could hide behind them.
    alike = _find_alike(forest)
    leak_p_value, expected_copies = _test_leak(alike, in_b, rng)
    leaking = bool(_SHOWN_TESTS * leak_p_value <= level)
    rows = np.arange(len(points))
    if leaking:  # keep a random row of each set of equal ones
        order = rng.permutation(len(alike))
        rows = np.sort(order[np.unique(alike[order], return_index=True)[1]])
    # Then the shift, among rows that differ, and with it the rows of B that show it.
    forest = spanning_forest(points[rows], n_trees, n_jobs=n_jobs) if leaking else forest
    labels = VertexLabels(forest.vertex, hard_shares(in_b[rows].astype(np.int64), 2), forest.n_vertices)
    shift_p_value, cross_rate, expected = _test_shift(forest, labels, rng)
    shifted = bool(_SHOWN_TESTS * shift_p_value <= level)
    words = {(True, True): "both", (True, False): "shifted", (False, True): "leaking", (False, False): NO_DIFFERENCE}
    return TwoSamples(
        word=words[shifted, leaking],
        p_value=min(1.0, _SHOWN_TESTS * min(shift_p_value, leak_p_value)),
        shift_p_value=shift_p_value,
        leak_p_value=leak_p_value,
        cross_rate=cross_rate,
        expected=expected,
        copies=_list_copies(alike, in_b),
        expected_copies=expected_copies,
        suspects=np.sort(rows[_find_suspects(forest, labels, level)]) - n_a if shifted else np.empty(0, dtype=np.int64),
        n_a=n_a,
        n_b=len(points) - n_a,
        scale=name,
    )


def _read_both(A: Any, B: Any) -> tuple[Features, int]:
    """Read both samples together as numbers; also return how many rows belong to the first."""
    one, two = recognise(A, "A"), recognise(B, "B")
    are_frames = one.form == "frame", two.form == "frame"
    if any(are_frames) and not (all(are_frames) and one.X.implementation == two.X.implementation):
        raise InputTypeError(
            f"Got {type(A).__name__} and {type(B).__name__}, but expected two arrays or two data frames "
            "from the same library."
        )
    if all(are_frames):
        both, n_a = _stack_frames(one.X, two.X)
        return read_features(Data(both)), n_a
    given = ((one.X, "A"), (two.X, "B"))
    a, b = (checked_array(X, name, dtype=np.float64, ensure_min_samples=2) for X, name in given)
    if a.shape[1] != b.shape[1]:
        raise InputError(f"Got A with {a.shape[1]} columns and B with {b.shape[1]}, but expected the same number.")
    return read_features(Data(np.vstack([a, b]))), len(a)


def _stack_frames(one: Any, two: Any) -> tuple[Any, int]:
    import narwhals
    import narwhals.selectors

    if set(one.columns) != set(two.columns):
        different = sorted(set(one.columns) ^ set(two.columns))
        raise InputError(f"Got {different[0]!r} in one data frame only, but expected the same columns in both.")
    if min(len(one), len(two)) < 2:
        raise InputError(f"Got {len(one)} and {len(two)} rows, but expected at least 2 in each data frame.")
    numbers = narwhals.selectors.numeric().cast(narwhals.Float64)  # types may differ: integer in one, or 32 bits
    both = [frame.select(one.columns).with_columns(numbers) for frame in (one, two)]
    return narwhals.concat(both), len(one)


def _find_alike(forest: Forest) -> Ints:
    """Return a number for each row; rows that are equal up to rounding have the same number.

    Rows linked by a chain of short edges are also linked by short edges of the first tree, so that tree is enough.
    """
    first = np.flatnonzero(forest.tree == 0)
    lengths = forest.length[first]
    short = first[lengths <= _ROUNDING * lengths.mean()] if len(first) else first
    joins = csr_array((np.ones(len(short)), (forest.a[short], forest.b[short])), shape=(forest.n_vertices,) * 2)
    return np.asarray(connected_components(joins, directed=False)[1])[forest.vertex]


def _test_leak(alike: Ints, in_b: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Return the leak's p-value, and the mean number of rows of B equal to rows of A in random splits of these sizes.

    Only rows with an equal row matter; the number of them in B is hypergeometric.
    """
    some = np.bincount(alike)[alike] > 1
    if not some.any():
        return 1.0, 0.0
    sets, n_b, split = np.unique(alike[some], return_inverse=True)[1], int(in_b.sum()), np.arange(int(some.sum()))
    drawn = rng.hypergeometric(n_b, len(in_b) - n_b, len(split), _PERMUTATIONS)
    permuted = np.array([_count_copies(sets, rng.permutation(split) < number) for number in drawn])
    own = _count_copies(sets, in_b[some])
    return share_not_above(-own, -permuted), float(permuted.mean())


def _count_copies(sets: Ints, in_b: np.ndarray) -> float:
    """Count rows of B in sets that also have a row of A."""
    there = np.bincount(sets, ~in_b)
    return float(np.bincount(sets, in_b)[there > 0].sum())


def _list_copies(alike: Ints, in_b: np.ndarray) -> Ints:
    """List each row of B that equals a row of A, with the first such row of A."""
    n_a = int((~in_b).sum())
    first = np.full(int(alike.max()) + 1, -1)
    first[alike[:n_a][::-1]] = np.arange(n_a)[::-1]
    copied = np.flatnonzero(first[alike[n_a:]] >= 0)
    return np.column_stack([first[alike[n_a:][copied]], copied])


def _test_shift(forest: Forest, labels: VertexLabels, rng: np.random.Generator) -> tuple[float, float, float]:
    """Run the Friedman-Rafsky test, with few rows by permutations; return its p-value, the cross rate and its mean."""
    edges, in_b = class_edges(forest, labels), labels.codes == 1
    null = permutation_null(len(in_b), forest_moments(forest, labels), label_moments(labels), labels.n_sets)
    cross, smaller = edges.cross_rate * edges.n_edges, int(min(in_b.sum(), (~in_b).sum()))
    p_value = float(fewer_than_chance(cross, null))
    if smaller == 0:
        p_value = 1.0
    elif len(in_b) < _FEWEST_ROWS or smaller < FEW:
        p_value = share_not_above(cross, permuted_cross(forest, labels, _PERMUTATIONS, rng))
    return p_value, edges.cross_rate, float(null.mean) / max(edges.n_edges, 1.0)


def _find_suspects(forest: Forest, labels: VertexLabels, level: float) -> Ints:
    """Find rows of B with more rows of B around them than expected by chance, by the Benjamini-Hochberg procedure.

    The rows around a row are those at most two edges away. In a random split, the number of them in B is
    hypergeometric.
    """
    joins = adjacency(forest, labels.n_vertices)
    near = csr_array((joins @ joins + joins + eye_array(labels.n_vertices)) > 0).astype(np.float64)
    in_b = labels.codes == 1
    around = (near @ labels.rows_at)[labels.vertex[in_b]] - 1
    own = (near @ np.bincount(labels.vertex, in_b, labels.n_vertices))[labels.vertex[in_b]] - 1
    p_value = crowd_p_value(own, around, len(in_b), int(in_b.sum()))
    return np.flatnonzero(in_b)[benjamini_hochberg(p_value) <= level]
