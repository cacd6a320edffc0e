"""Forests of rows in blocks: the very same as of all rows in memory, however they are cut."""

import tempfile
import time
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from bayesfloor import spanning_forest
from bayesfloor.forest import _blocks
from bayesfloor.forest._blocks import forest_of, join
from bayesfloor.forest._edges import Edges
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.io import InputError, open_rows
from bayesfloor.leaving import forest_out_of_core as _out_of_core
from bayesfloor.leaving import forest_out_of_core_blocks as _out_of_core_blocks
from bayesfloor.leaving import forest_out_of_core_finish as _out_of_core_finish
from bayesfloor.leaving.engine_row_handles import ArrayRows
from bayesfloor.leaving.engine_runners import JoblibRunner
from bayesfloor.leaving.forest_certain_edges import core_distance, make_links
from bayesfloor.leaving.forest_out_of_core_cells import cut_cells

# Boxes of few rows each keep little apart, of which users are told.
pytestmark = pytest.mark.filterwarnings("ignore:About .* of the rows of all pairs of blocks")


def assert_same(found, expected):
    """All that a forest has is alike, bit for bit."""
    for name in ("a", "b", "length", "tree", "vertex", "rows"):
        one, two = getattr(found, name), getattr(expected, name)

        assert one.dtype == two.dtype
        assert np.array_equal(one, two), name
    assert (found.n_vertices, found.n_trees) == (expected.n_vertices, expected.n_trees)


def grid(*sides):
    """All points of a lattice."""
    return np.stack(np.meshgrid(*map(np.arange, sides)), axis=-1).reshape(-1, len(sides)).astype(float)


def draw_star(rng, n, d):
    """A centre, and rows at one distance all around."""
    around = rng.standard_normal((n - 1, d))
    return np.vstack([np.zeros((1, d)), around / np.linalg.norm(around, axis=1, keepdims=True)])


def draw_multiples(rng, n, d):
    """Lattice rows that are power-of-two multiples of each other: many hashes tie."""
    return rng.integers(-2, 3, (n, d)) * 2.0 ** rng.integers(-3, 4, (n, 1))


SETS = {
    "gaussian": lambda rng: rng.standard_normal((150, 3)),
    "sorted": lambda rng: np.sort(rng.standard_normal((120, 2)), axis=0),
    "one feature": lambda rng: rng.standard_normal((90, 1)),
    "20 features": lambda rng: rng.standard_normal((90, 20)),
    "50 features": lambda rng: rng.standard_normal((80, 50)),
    "constant features": lambda rng: np.hstack([np.full((80, 1), 7.0), rng.random((80, 1)), np.zeros((80, 1))]),
    "lattice": lambda rng: rng.permutation(grid(12, 10)),
    "sorted lattice": lambda _: grid(30, 4),
    "lattice of 3": lambda rng: rng.permutation(grid(5, 5, 4)),
    "signed lattice": lambda rng: rng.permutation(grid(9, 9) - 4.0) * -0.5,
    "multiples": lambda rng: draw_multiples(rng, 90, 2),
    "multiples of 3": lambda rng: draw_multiples(rng, 110, 3),
    "zeros and ones": lambda rng: rng.integers(0, 2, (90, 8)).astype(float),
    "duplicates": lambda rng: rng.standard_normal((20, 2))[rng.integers(0, 20, 100)],
    "all equal": lambda _: np.full((40, 3), 1.5),
    "all zero": lambda _: np.zeros((20, 2)),
    "zeros of both signs": lambda rng: rng.choice([-0.0, 0.0, 1.0], (60, 3)),
    "one row": lambda _: np.array([[3.0, 4.0]]),
    "two rows": lambda _: np.array([[3.0], [4.0]]),
    "clusters far apart": lambda rng: rng.standard_normal((90, 2)) + 1e8 * rng.integers(0, 3, (90, 2)),
    "clusters in clusters": lambda rng: 10.0 ** -rng.integers(0, 9, (90, 1)) * rng.standard_normal((90, 3)),
    "star": lambda rng: draw_star(rng, 60, 3),
    "heavy tails": lambda rng: rng.standard_cauchy((120, 2)),
    "tiny": lambda rng: rng.standard_normal((60, 2)) * 1e-150,
    "huge": lambda rng: rng.standard_normal((60, 2)) * 1e150,
    "tiny and huge": lambda rng: rng.standard_normal((60, 2)) * 10.0 ** rng.choice([-60, 0, 60], (60, 1)),
    "too small beside others": lambda rng: -rng.integers(1, 3, (60, 2)) * 2.0 ** rng.integers(-200, 200, (60, 1)),
    "smallest": lambda rng: rng.integers(-9, 10, (40, 2)) * 5e-324,
    "largest": lambda rng: rng.uniform(-1, 1, (60, 1)) * 1.7e308,
    "fewer rows than trees": lambda rng: rng.standard_normal((5, 2)),
    "whole numbers": lambda rng: rng.integers(0, 50, (80, 2)),
    "single precision": lambda rng: rng.standard_normal((80, 3)).astype(np.float32),
    "columns first": lambda rng: np.asfortranarray(rng.standard_normal((80, 3))),
}


def slow_params(*values):
    """Values that the quick tier leaves out."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


QUICK = ("lattice", "duplicates", "one row", "fewer rows than trees")


@pytest.mark.parametrize("kind", [*QUICK, *slow_params(*(kind for kind in SETS if kind not in QUICK))])
def test_any_set_in_any_blocks(kind, global_random_seed):
    """The forest, tree by tree and tie by tie, from one block to many."""
    rng = np.random.default_rng([global_random_seed, len(kind)])
    X = SETS[kind](rng)
    for n_trees, n_blocks in (1, 3), (3, 2), (3, int(rng.integers(5, 11))), (7, 4):
        expected = spanning_forest(X, n_trees)

        assert_same(spanning_forest(X, n_trees, block_rows=max(1, len(X) // n_blocks)), expected)


@pytest.mark.parametrize("kind", ["multiples", "fewer rows than trees", *slow_params("gaussian", "lattice")])
@pytest.mark.parametrize("block_rows", [1, 2, 5, 15, 16, 10**9])
def test_blocks_of_any_size(kind, block_rows, global_random_seed):
    """From a row each, where nothing is certain, to one that is all."""
    X = SETS[kind](np.random.default_rng(global_random_seed))[:16]

    assert_same(spanning_forest(X, 3, block_rows=block_rows), spanning_forest(X, 3))


points = st.one_of(
    st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=1, max_size=14),
    st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=14),
    st.lists(st.tuples(st.sampled_from([0.0, -0.0, 1.0, 2.0, 4.0, 8.0, 1e-200, 1e200])), min_size=1, max_size=10),
    st.lists(st.tuples(*[st.floats(-1e150, 1e150)] * 2), min_size=1, max_size=12),
)


@pytest.mark.slow
@given(points, st.integers(1, 4), st.integers(1, 14))
def test_small_sets_in_any_blocks(rows, n_trees, block_rows):
    """Whatever Hypothesis can think of; what is refused is refused in blocks, too."""
    X = np.array(rows, dtype=float)
    try:
        expected = spanning_forest(X, n_trees)
    except InputError:
        with pytest.raises(InputError):
            spanning_forest(X, n_trees, block_rows=block_rows)
    else:
        assert_same(spanning_forest(X, n_trees, block_rows=block_rows), expected)


@pytest.mark.parametrize("block_rows", [1, 3])
def test_rows_too_close_to_be_squared_are_refused_in_blocks_too(block_rows):
    """As in memory."""
    with pytest.raises(InputError, match="closer together than 1e-144 times the largest value"):
        spanning_forest(np.array([[0.0], [1.0], [1e-200], [3.0]]), block_rows=block_rows)


@pytest.fixture(params=["borders", "whole blocks", "kernels", "few pairs", "many ranges"])
def one_way(request, monkeypatch):
    """Each way of doing a piece, which the size of blocks and of the memory would choose."""
    values = {
        "borders": [(_out_of_core_blocks, "_FEW", 1.0), (_out_of_core_blocks, "_LISTED", 10**9)],
        "whole blocks": [(_out_of_core_blocks, "_FEW", 0.0)],
        "kernels": [(_out_of_core_blocks, "_TINY", 0)],
        "few pairs": [(_out_of_core, "_NEAREST", 1)],
        "many ranges": [(_out_of_core, "_WORKING", 2e4)],
    }
    for module, name, value in values[request.param]:
        monkeypatch.setattr(module, name, value)
    return request.param


@pytest.mark.parametrize(
    "kind",
    ["gaussian", "multiples", *slow_params("20 features", "50 features", "lattice", "heavy tails")],
)
@pytest.mark.usefixtures("one_way")
def test_every_way_leads_to_the_same_edges(kind, global_random_seed):
    """Also those that only large blocks take."""
    X = SETS[kind](np.random.default_rng(global_random_seed))

    assert_same(spanning_forest(X, 3, block_rows=len(X) // 5), spanning_forest(X, 3))


def test_many_lists_of_edges_of_one_length(monkeypatch):
    """Where the list of all edges is cut, edges are tied on both sides."""
    monkeypatch.setattr(_out_of_core, "_working", lambda _: 5e3)
    X = draw_multiples(np.random.default_rng(0), 150, 2)

    assert_same(spanning_forest(X, 3, block_rows=40), spanning_forest(X, 3))


@pytest.mark.slow
@pytest.mark.parametrize("d", [2, 6, 50])
def test_blocks_of_some_thousand_rows(d, global_random_seed):
    """Large enough for trees of leaves, strangers and marks."""
    rng = np.random.default_rng(global_random_seed)
    X = np.vstack([rng.standard_normal((5000, d)), rng.integers(0, 3, (1000, d))])

    assert_same(spanning_forest(X, 3, block_rows=2000, n_jobs=2), spanning_forest(X, 3))


def draw_halves(rng, X):
    """Rows of two blocks: of two cells, which lie beside each other, or of any two parts."""
    cells = cut_cells(X[rng.permutation(len(X))[: rng.integers(2, len(X) + 1)]], 2)
    side = cells.find(X + 0.0) if rng.random() < 0.8 else rng.integers(0, 2, len(X))
    return X[side == 0], X[side == 1]


@pytest.mark.parametrize("near", [0.5, *slow_params(0.0, 4.0)])
def test_blocks_beside_each_other_are_searched_at_the_border(near, cases, monkeypatch, global_random_seed):
    """However few vertices look across at first, ties at the border and empty gaps are seen to."""
    monkeypatch.setattr(_blocks, "_NEAR", near)
    rng, wrong, n_joined = np.random.default_rng(global_random_seed), [], 0
    for case, expected in [pair for pair in cases if pair[0].groups is None and len(pair[0].X) > 1][:200]:
        halves = draw_halves(rng, case.X)
        if not all(map(len, halves)):
            continue
        whole, number = find_vertices(np.concatenate(halves))
        one, two = (whole.take(np.unique(part)) for part in np.split(number, [len(halves[0])]))
        blocks = [forest_of(vertices, case.n_trees, "kdtree") for vertices in (one, two)]
        edges = join(*blocks, case.n_trees, "kdtree", beside=True).edges
        found = replace(
            expected, a=edges.a, b=edges.b, length=np.ldexp(np.sqrt(edges.squared), one.exponent), tree=edges.tree
        )
        n_joined += 1
        wrong += [] if found == expected else [case]

    assert wrong == []
    assert n_joined > min(len(cases), 200) / 2


def test_an_outlier_reaches_farther_than_the_core_of_its_block(monkeypatch):
    """Two blocks are joined for the sake of one vertex, though a short way leads around from core to core."""
    monkeypatch.setattr(_out_of_core, "_NEAREST", 1)
    left, right, floor = (np.arange(0, 100, step) for step in (1.0, 0.7, 1.0))
    sides = [[(0.0, y) for y in left], [(80.0, y) for y in right], [(x, 0.0) for x in floor if x < 80]]
    X = np.array([*sides[0], *sides[1], *sides[2], (45.0, 70.0)])  # the last one stands alone, to the right
    forest = spanning_forest(X, 1)

    assert forest.length[-1] == 35
    assert_same(spanning_forest(X, 1, block_rows=-(-len(X) // 4)), forest)


@pytest.fixture
def reductions(monkeypatch):
    """What comes out of the joins of each round: (plan, blocks, reduction)."""
    seen = []

    def reduce_loose(plan, blocks, joined):
        seen.append((plan, blocks, _out_of_core_finish.reduce_loose(plan, blocks, joined)))
        return seen[-1][2]

    monkeypatch.setattr(_out_of_core, "reduce_loose", reduce_loose)
    return seen


def core_of(plan, cell, n_vertices):
    """The vertex that a block's core is at."""
    read = plan.store.read(f"block-{cell}")
    edges = Edges(*(np.array(read[name]) for name in Edges._fields))
    return _out_of_core_blocks.ranks_of(plan, cell)[core_distance(n_vertices, edges, plan.n_trees)[1]]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gaussian", "one feature", "clusters far apart", "clusters in clusters", "lattice"])
@pytest.mark.parametrize("n_trees", [1, 3])
def test_the_way_between_cores_is_never_told_too_short(kind, n_trees, reductions, tmp_path, global_random_seed):
    """In any round, by whatever is joined up to then: edges would be left out by it."""
    X = SETS[kind](np.random.default_rng(global_random_seed))
    forest = spanning_forest(X, n_trees, block_rows=len(X) // 7, checkpoint=tmp_path / "kept")
    last = forest.tree == n_trees - 1
    links = make_links(forest.n_vertices, forest.a[last], forest.b[last], forest.length[last])
    for plan, blocks, reduction in reductions:
        full = np.array([cell for cell, block in enumerate(blocks) if block.n_vertices])
        core = np.array([core_of(plan, cell, blocks[cell].n_vertices) for cell in full])
        one, two = np.triu_indices(len(full), 1)
        told = np.ldexp(np.sqrt(reduction.between_cores(full[one], full[two])), plan.exponent)

        assert (told >= links.bottleneck(core[one], core[two])).all()
    assert reductions


# Where rows come from.


def write_parquet(folder, X, ends):
    """Files of some rows each, in the order of their names."""
    folder.mkdir()
    for number, (start, stop) in enumerate(pairwise([0, *ends, len(X)])):
        columns = {f"x{k}": X[start:stop, k] for k in range(X.shape[1])}
        pq.write_table(pa.table(columns), folder / f"part-{number:03}.parquet", row_group_size=17)
    return folder


@pytest.fixture
def place(request, tmp_path):
    """A writer of rows to where their name says: X -> what is passed for it."""

    def write_npy(X):
        np.save(tmp_path / "rows.npy", X)
        return tmp_path / "rows.npy"

    ways = {
        "array": lambda X: X,
        "rows": open_rows,
        "list": lambda X: X.tolist(),
        "npy": write_npy,
        "text": lambda X: str(write_npy(X)),
        "parquet": lambda X: write_parquet(tmp_path / "p", X, []) / "part-000.parquet",
        "folder": lambda X: write_parquet(tmp_path / "p", X, [1, 40, 41, 90]),
    }
    return ways[request.param]


@pytest.mark.parametrize("place", ["array", "rows", "list", "npy", "text", "parquet", "folder"], indirect=True)
@pytest.mark.parametrize("block_rows", [None, 33])
def test_rows_from_anywhere(place, block_rows, global_random_seed):
    """Blocks do not begin where files do."""
    X = np.random.default_rng(global_random_seed).standard_normal((120, 2))

    assert_same(spanning_forest(place(X), 2, block_rows=block_rows), spanning_forest(X, 2))


def test_numbers_may_be_numpys(global_random_seed):
    """As they come out of an array."""
    X = np.random.default_rng(global_random_seed).standard_normal((50, 2))

    assert_same(spanning_forest(X, np.int64(2), block_rows=np.int64(20)), spanning_forest(X, 2))


def test_the_answer_outlives_its_files(tmp_path, monkeypatch, global_random_seed):
    """The arrays can be read, and changed, when the folder is gone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    X = np.random.default_rng(global_random_seed).standard_normal((60, 2))
    forest = spanning_forest(X, 2, block_rows=20)

    assert list(tmp_path.iterdir()) == []
    forest.length[:] = 0.0
    assert forest.length.sum() == 0


# What users see of it.


def follow_calls(X, **options):
    """What progress is told."""
    calls = []
    spanning_forest(X, 2, progress=lambda *call: calls.append(call), **options)
    return calls


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_rises_to_its_total_in_each_stage(n_jobs, global_random_seed):
    """A bar that stops at 97 %, or goes past the end, is worse than none."""
    calls = follow_calls(
        np.random.default_rng(global_random_seed).standard_normal((300, 2)), block_rows=30, n_jobs=n_jobs
    )
    stages = [stage for stage, done, _ in calls if done == 1]

    assert [stages[0], stages[-1]] == ["looking at rows", "edges"]
    assert {"sorting rows", "blocks", "joins"} < set(stages)
    assert calls[0][1] == 1
    assert calls[-1][1] == calls[-1][2]
    for (stage, done, total), (next_stage, next_done, next_total) in pairwise(calls):
        if done == total:
            assert next_done == 1
        else:
            assert (next_stage, next_done, next_total) == (stage, done + 1, total)


def test_progress_goes_on_from_a_checkpoint(tmp_path, global_random_seed):
    """Pieces that were finished before count as done, and are not done again."""
    X = np.random.default_rng(global_random_seed).standard_normal((300, 2))
    first = follow_calls(X, block_rows=30, checkpoint=tmp_path / "kept")
    (tmp_path / "kept" / "block-3.arrays").unlink()
    again = follow_calls(X, block_rows=30, checkpoint=tmp_path / "kept")

    assert ("blocks", 10, 10) in first
    assert [call for call in again if call[0] == "blocks"] == [("blocks", 10, 10)]
    assert "joins" not in {stage for stage, _, _ in again}


@pytest.mark.parametrize("block_rows", [0, -1, 2.5, "10", True, float("nan")])
def test_block_rows_is_a_whole_number(block_rows):
    """Or an error that says so, before anything is read."""
    with pytest.raises(ValueError, match=r"Got block_rows=.*expected a whole number of at least 1"):
        spanning_forest(np.zeros((5, 2)), block_rows=block_rows)


@pytest.mark.parametrize("option", [{"groups": [0, 1, 0]}, {"method": "kdtree"}, {"method": "prim"}])
@pytest.mark.parametrize("way", ["block_rows", "checkpoint", "rows"])
def test_blocks_take_no_groups_and_no_method(option, way, tmp_path):
    """Rather than leave them out of account."""
    X = np.arange(6.0).reshape(3, 2)
    where = {"block_rows": {"block_rows": 2}, "checkpoint": {"checkpoint": tmp_path / "kept"}, "rows": {}}[way]
    with pytest.raises(ValueError, match=r"groups and method do not work with rows in blocks\. Pass X as an array"):
        spanning_forest(open_rows(X) if way == "rows" else X, **option, **where)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_row_is_named(bad, global_random_seed):
    """By its place among all rows, not in its chunk."""
    X = np.random.default_rng(global_random_seed).standard_normal((90, 2))
    X[71, 1] = bad
    with pytest.raises(ValueError, match=r"NaN or infinity in 1 row\(s\), the first is row 71"):
        spanning_forest(X, block_rows=20)


def warnings_of(X, block_rows, n_trees=3):
    """Texts of the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spanning_forest(X, n_trees, block_rows=block_rows)
    return [str(warning.message) for warning in caught]


@pytest.mark.slow
@pytest.mark.parametrize("d", [8, 20, 50])
def test_many_features_are_warned_of_once(d, global_random_seed):
    """Who waits for a square of the rows should know why, and what to do."""
    X = np.random.default_rng(global_random_seed).standard_normal((1200, d))
    (text,) = warnings_of(X, 100)

    assert f"with {d} features, boxes hardly separate the blocks" in text
    assert "target_width" in text
    assert 50 < int(text.split("%")[0].removeprefix("About ")) <= 100


@pytest.mark.slow
@pytest.mark.parametrize("d", [1, 2, 3])
def test_few_features_are_not_warned_of(d, global_random_seed):
    """Even where most blocks are neighbours, as few of many are: only their borders are looked at."""
    X = np.random.default_rng(global_random_seed).standard_normal((3000, d))

    assert warnings_of(X, 250) == []


def test_few_blocks_are_not_warned_of(global_random_seed):
    """A handful is soon compared."""
    X = np.random.default_rng(global_random_seed).standard_normal((400, 20))

    assert warnings_of(X, 100) == []


# What is left behind.


class StopError(Exception):
    """What a user's progress may raise."""


def blas_threads():
    """Number of threads of each BLAS."""
    return {pool["filepath"]: pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder that temporary ones are made in."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def stop_in(stage, share):
    """A progress that raises in a stage."""

    def progress(now, done, total):
        if now == stage and done >= share * total:
            raise StopError

    return progress


@pytest.mark.parametrize("stage", ["looking at rows", "sorting rows", "blocks", "ranks", "joins", "edges"])
def test_temporary_folders_go_away_with_an_error(stage, temporary, global_random_seed):
    """Which is the user's own."""
    X = np.random.default_rng(global_random_seed).standard_normal((300, 2))
    with pytest.raises(StopError):
        spanning_forest(X, block_rows=30, progress=stop_in(stage, 0.5))

    assert list(temporary.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["blocks", pytest.param("joins", marks=pytest.mark.nightly)])
def test_threads_that_an_error_leaves_running_do_no_harm(stage, temporary, global_random_seed):
    """They write to a folder that is being removed; and BLAS keeps the threads that it had."""
    X = np.random.default_rng(global_random_seed).standard_normal((3000, 3))
    spanning_forest(X, block_rows=1500)
    before = blas_threads()
    for tenth in range(8):
        with pytest.raises(StopError):
            spanning_forest(X, block_rows=100, n_jobs=4, progress=stop_in(stage, tenth / 20))
        assert list(temporary.iterdir()) == []
    time.sleep(0.1)  # they end what they have in hand

    assert blas_threads() == before


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_temporary_folders_go_away_with_the_work(n_jobs, temporary, global_random_seed):
    """And BLAS has the threads that it had, though tasks ran side by side."""
    X = np.random.default_rng(global_random_seed).standard_normal((2000, 3))
    spanning_forest(X, block_rows=1000)
    before = blas_threads()
    for _ in range(3):
        spanning_forest(X, block_rows=300, n_jobs=n_jobs)

    assert list(temporary.iterdir()) == []
    assert blas_threads() == before


def test_a_checkpoint_holds_what_the_next_run_needs(tmp_path, global_random_seed):
    """And neither sorted rows nor lists of edges, which are as large as all that is in it."""
    X = np.random.default_rng(global_random_seed).standard_normal((200, 2))
    spanning_forest(X, checkpoint=tmp_path / "kept", block_rows=60)
    kinds = {path.name.split("-")[0].split(".")[0] for path in (tmp_path / "kept").iterdir()}

    assert kinds == {"bayesfloor", "block", "cells", "join", "rank", "settled"}


@pytest.mark.parametrize("lost", ["block-0", "block-2", "cells", "rank-1", "join-0-1", "settled"])
def test_any_piece_may_be_deleted(lost, tmp_path, global_random_seed):
    """As the error of a damaged one says: it is computed anew, and fits the others."""
    X = np.random.default_rng(global_random_seed).standard_normal((200, 2))
    folder = tmp_path / "kept"
    expected = spanning_forest(X, 3, checkpoint=folder, block_rows=50)
    (folder / f"{lost}.arrays").unlink()

    assert_same(spanning_forest(X, 3, checkpoint=folder, block_rows=50), expected)
    assert (folder / f"{lost}.arrays").exists()


def test_a_checkpoint_remembers_its_blocks(tmp_path, global_random_seed):
    """A call that leaves their size open goes on with them; any other is refused."""
    X = np.random.default_rng(global_random_seed).standard_normal((200, 2))
    expected = spanning_forest(X, 3, checkpoint=tmp_path / "kept", block_rows=50)

    assert_same(spanning_forest(X, 3, checkpoint=tmp_path / "kept"), expected)
    with pytest.raises(ValueError, match="differs in block_rows"):
        spanning_forest(X, 3, checkpoint=tmp_path / "kept", block_rows=60)


def test_blocks_fit_the_memory(global_random_seed):
    """As little of it as somebody says; never less than blocks that are worth their files."""
    rows = ArrayRows(np.random.default_rng(global_random_seed).standard_normal((4000, 2)))
    runner = JoblibRunner()
    sizes = []
    for runner.memory in (None, 8 * 10**9, 10**9, 1):
        sizes.append(_out_of_core._block_rows(rows, 3, runner))

    assert sizes[1] > sizes[0] > sizes[2] > sizes[3] == 1000


def test_a_place_that_is_small_is_simply_read(tmp_path, global_random_seed):
    """Nobody needs blocks of what memory holds."""
    np.save(tmp_path / "rows.npy", np.random.default_rng(global_random_seed).standard_normal((100, 2)))
    stages = []
    spanning_forest(Path(tmp_path / "rows.npy"), progress=lambda stage, *_: stages.append(stage))

    assert set(stages) <= {"trees", "neighbours", "strangers"}
