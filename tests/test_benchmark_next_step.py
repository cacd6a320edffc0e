"""The judgement of budgets and of next steps: truths are true, and a strict reader objects to what contradicts."""

import numpy as np
import pytest

SEED = 3  # of no problem of either set


@pytest.fixture(scope="module")
def makers(benchmark_module):
    return benchmark_module("_action_makers")


@pytest.fixture(scope="module")
def bench(benchmark_module):
    return benchmark_module("next_step")


def test_the_floor_of_answers_is_the_sum_over_their_combinations(makers):
    """Every combination is repeated, so rows that contradict each other are all that stays."""
    problem = makers.draw_problem("answers", SEED, n=2000, mine="linear")
    X, eta = problem.fresh, problem.eta
    cells, counts = np.unique(np.hstack([X, eta]), axis=0, return_counts=True)
    exact = counts / len(X) @ (1 - cells[:, 3:].max(axis=1))

    assert len(cells) == len(np.unique(X, axis=0)) <= 27
    assert problem.floor == pytest.approx(exact, abs=0.004)
    assert problem.repeated == pytest.approx(problem.clean) == problem.floor


def test_wrong_labels_are_the_floor_of_clusters(makers):
    """Far apart, classes do not overlap: the floor is the rate of wrong labels, which drawn labels show."""
    problem = makers.draw_problem("clusters", SEED, n=3000, sharp=6.0, rate=0.12)
    _, clean, noisy = problem.draw(20_000, np.random.default_rng(0))
    drawn = makers.draw_labels(noisy, np.random.default_rng(1))

    assert (problem.floor, problem.clean, problem.repeated) == pytest.approx((0.12, 0.0, 0.0), abs=1e-3)
    assert np.mean(drawn != clean.argmax(axis=1)) == pytest.approx(0.12, abs=0.01)
    assert makers.error_at(clean.argmax(axis=1), noisy) == pytest.approx(problem.floor, abs=1e-3)


def test_the_sets_share_no_family_and_no_seed_and_best_steps_are_clear(makers, bench):
    assert not set(makers.MINE["training"]) & set(makers.MINE["judging"])
    tables = {group: bench.tables_of(group) for group in bench.GROUPS}
    for group, own in tables.items():
        assert {one["family"] for one in own} <= set(makers.MINE[group])
        for one in own:
            assert one["kind"] == "fix" or makers.best_step(one["kind"], one["gains"], one["seed"])[1], one
    assert not {one["seed"] for one in tables["training"]} & {one["seed"] for one in tables["judging"]}
    assert len(bench.all_cells(quick=False)) == 240 + len(tables["judging"]) + 48 + len(tables["training"])


def state(*actions, **facts):
    """What a reader sees by default: 90 % accuracy is open, the model's error is 15 %, the best learner's 12 %."""
    steps = [{"action": action, "gain": 0.02, "code": "BF114" if action == "fix first" else ""} for action in actions]
    said = {"verdict": "Room to improve: ...", "outcome": "open", "next": steps, "codes": ["BF114"], "allowed": 0.1}
    return said | {"best": 0.12, "mine": 0.15, "has model": True, "estimate": 0.08, "ahead": 0.09} | facts


@pytest.mark.parametrize(
    ("said", "objection"),
    [
        (state("try model", "more rows", "look at labels"), None),
        (state("fix first", "try model"), None),
        (state("stop", allowed=0.2, outcome="reachable"), None),
        (state("train model", **{"allowed": 0.2, "outcome": "reachable", "mine": None, "has model": False}), None),
        (state("better features", outcome="out of reach", allowed=0.05), None),
        (state(), "no step"),
        (state("more rows", outcome="out of reach"), "out of reach, yet more rows"),
        (state("train model"), "train, but no learner meets the target"),
        (state("better features", allowed=0.2, outcome="reachable"), "met, yet better features"),
        (state("stop"), "stop, but not met"),
        (state("stop", allowed=None, outcome=None), "stop, but room to improve"),
        (state("more rows", ahead=0.118), "more rows, but they hardly help"),
        (state("better features", mine=0.0, outcome="open", allowed=None), "better features or labels at 100 %"),
        (state("try model", mine=0.11), "another model, but none is better"),
        (state("more rows", "fix first"), "fix first, but not first"),
        (state("fix first", codes=[]), "fix first without its finding"),
    ],
)
def test_a_strict_reader_objects_to_contradictions(bench, said, objection):
    assert bench.objections(said) == ([] if objection is None else [objection])
