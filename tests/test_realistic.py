"""The realistic problems and what is told of them: truths by their laws, figures by made-up cells."""

import math

import numpy as np
import pytest


@pytest.fixture(scope="module")
def realistic(benchmark_module):
    """The benchmark."""
    return benchmark_module("realistic")


@pytest.fixture(scope="module")
def sets(benchmark_module):
    """The sets of problems."""
    return benchmark_module("_realistic_sets")


def test_problems_held_back_are_sixty_and_share_no_seed_with_development(sets):
    """What was tuned on must not judge."""
    seeds = {part: {int(one.name.rpartition("-")[2]) for one in problems} for part, problems in sets.SETS.items()}
    fresh = [one for one in sets.HELD_BACK if one.family in sets.NEVER_TUNED]

    assert len({one.name for one in sets.HELD_BACK}) == 60
    assert seeds["development"].isdisjoint(seeds["held-back"])
    assert len(sets.NEVER_TUNED) >= 4
    assert len(fresh) >= 15


@pytest.mark.parametrize(
    ("name", "knobs"),
    [
        ("table", {"flips": 0.1}),
        ("heavy_tails", {"K": 3, "degrees": 3, "error": 0.2}),
        ("half_added", {"d": 2, "side": 4, "hidden": 2}),
        ("regimes", {"K": 2, "sensors": 6, "error": 0.1}),
        ("shells", {"K": 2, "m": 3, "error": 0.1}),
    ],
)
def test_the_rule_by_the_posterior_errs_as_often_as_the_truth_says(benchmark_module, name, knobs):
    """Labels and truth come from one posterior, at the overlap that was asked for."""
    sets = benchmark_module("_realistic_sets")
    problem = getattr(sets, name, None) or getattr(sets.made, name)
    problem = problem(20_000, 5, **knobs)
    _, y = problem.draw(0)
    _, eta = problem.law(20_000, np.random.default_rng([0, *problem.name.encode()]))
    error = np.mean(eta.argmax(axis=1) != y)

    assert abs(error - problem.truth.low) < 4 * math.sqrt(error / 20_000)
    assert abs(problem.truth.low - knobs.get("error", problem.truth.low)) < 0.02


def test_the_band_of_planted_noise_holds_the_noise_and_the_best_error_known(benchmark_module):
    """Labels drawn anew keep their class once in K times; a clean error counts where they were kept."""
    problem = benchmark_module("_realistic").PlantedNoise("digits", 1000, 1, rho=0.2, best=0.015)
    X, y = problem.draw(0)

    assert X.shape == (1000, 64)
    assert set(y) == set(range(10))
    assert problem.truth[:2] == pytest.approx((0.18, 0.18 + 0.8 * 0.015))


# Made-up cells


def made_up(realistic, truth, **kinds):
    """A cell of a truth, in which each kind is made of an estimate, two ends and words."""
    names = ("estimate", "lower", "upper", "verdicts")
    parts = {kind: dict(zip(names, one, strict=True), reliability="good") for kind, one in kinds.items()}
    return {"truth": truth, "draw": 0, **dict.fromkeys(realistic.KINDS), **parts}


BAND = {"family": "planted noise", "low": 0.10, "high": 0.12, "guessing": 0.2}


@pytest.mark.parametrize(("estimate", "expected"), [(0.07, 0.03), (0.11, 0), (0.15, 0.03), (None, math.inf)])
def test_an_estimate_errs_by_its_distance_to_the_band(realistic, estimate, expected):
    """Inside the band nobody knows better; no estimate is not a good one."""
    cell = made_up(realistic, BAND, answer=(estimate, 0.1, 0.2, {}))

    assert realistic.distance(cell, "answer") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("lower", "upper", "held", "wide"),
    [(0.11, 0.3, True, 0.19), (0.13, 0.3, False, 0.17), (None, 0.3, True, 0.3), (0.01, 0.09, False, 0.08)],
)
def test_a_range_without_a_lower_end_begins_at_0(realistic, lower, upper, held, wide):
    """It holds more truths that way, and pays by its width."""
    cell = made_up(realistic, BAND, answer=(0.1, lower, upper, {}))

    assert realistic.holds(cell, "answer") is held
    assert realistic.width(cell, "answer") == pytest.approx(wide)
    assert realistic.is_limit_wrong(cell, "answer") is (upper < 0.1)


def test_verdicts_are_wrong_where_they_contradict_the_truth(realistic):
    """Errors below the truth are out of reach, those above it reachable."""
    words = {"-0.02": "reachable", "+0.02": "out of reach", "-0.05": "out of reach", "+0.1": "too close to call"}
    cell = made_up(realistic, BAND, answer=(0.1, 0.1, 0.2, words))

    assert [realistic.count_verdicts(cell, "answer", margin) for margin in realistic.MARGINS] == [
        (2, 2, 2, 1),
        (1, 1, 0, 0),
        (1, 0, 0, 0),
    ]


def test_draws_of_one_problem_count_as_one(realistic):
    """Two problems of many draws that agree are two observations."""
    assert tuple(realistic.interval([np.zeros(50), np.ones(50)], np.mean)) == (0, 1)


def test_tables_tell_the_figures_of_made_up_cells(realistic, monkeypatch):
    """From cells in a file to lines of text."""
    monkeypatch.setattr(realistic, "RESAMPLES", 50)
    names = [problem.name for problem in realistic.SETS["held-back"][:4]]
    cases = {}
    for place, name in enumerate(names):
        cases[f"{name}/truth"] = {
            "family": "hidden" if place == 3 else "table",
            "low": 0.1,
            "high": 0.1,
            "guessing": 0.5,
        }
        for draw in range(4):
            word = "out of reach" if place == 0 and draw == 0 else "too close to call"
            one = {"lower": None, "upper": 0.3, "reliability": "no signal found", "verdicts": {"+0.05": word}}
            cases[f"{name}/{draw}/rivals"] = {"estimate": 0.3}
            cases[f"{name}/{draw}/answer"] = {"estimate": 0.15, **one}
    made = realistic.tables({"cases": cases})

    assert ("all", "answer", "16", "0", "0.0500 (0.0500 to 0.0500)", "0.25 (0.25 to 0.25)", "-") in made["estimates"]
    assert ("all", "answer", "16", "1.000 (1.000 to 1.000)", "0.300 (0.300 to 0.300)", "0 of 4") in made["ranges"]
    verdicts = next(line for line in made["verdicts"] if line[:3] == ("all", "answer", "5"))
    assert (*verdicts[3:5], verdicts[6].partition(" ")[0], verdicts[7]) == ("16", "16", "0.062", "1")
    assert made["chance"][2] == ("answer", "4", "4", "4", "0")
    assert ("table", "3", "0.2000", "-", "0.0500") in made["families"]


def test_cells_of_what_is_gone_are_read_but_not_run(realistic, capsys):
    """The code that measured them is not there any more."""
    with pytest.raises(SystemExit):
        realistic.main(["held-back", "--kinds", "before"])

    assert "invalid choice: 'before'" in capsys.readouterr().err
    assert "before" in realistic.ANSWERS
