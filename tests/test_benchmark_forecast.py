"""The judgement of the forecast: what is counted of made-up cells."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def forecast(benchmark_module):
    return benchmark_module("forecast")


def problem(truth, chances, middle=0.1, effort="quick"):
    """A cell whose targets are 4, 8 and 20 %, and whose quantiles are evenly spread around the middle."""
    quantiles = np.linspace(middle - 0.1, middle + 0.1, 41).tolist()
    found = {"estimate": middle, "quantiles": quantiles, "crps": 0.02}
    return {
        "truth": truth,
        "upper": 0.15,
        "effort": effort,
        "asked": [[0, error, chance, "open"] for error, chance in zip((0.04, 0.08, 0.2), chances, strict=True)],
        "near": [[-0.05, truth - 0.05, chances[0]], [0.05, truth + 0.05, chances[2]]],
        "forecast": found,
    }


def figures_of(forecast, *cells):
    results = {"cases": {f"problems/trees/{seed}": cell for seed, cell in enumerate(cells)}}
    return forecast.figures(forecast.by_family(results)), forecast.tables(results)


def test_probabilities_are_compared_with_what_is_reachable(forecast):
    """One of three targets is reachable; a perfect forecaster has all the skill, one that knows the base rate none."""
    perfect, table = figures_of(forecast, problem(0.1, (0, 0, 1)))
    ignorant, _ = figures_of(forecast, problem(0.1, (1 / 3, 1 / 3, 1 / 3)))
    wrong, _ = figures_of(forecast, problem(0.1, (0.9, 0.1, 0.5)))

    assert perfect["Brier skill"] == 1
    assert ignorant["Brier skill"] == pytest.approx(0)
    assert perfect["wrong calls: 5 points, placed by the truth"] == 0
    assert ignorant["called: 5 points, placed by the truth"] == 0
    assert (wrong["called: 5 points, placed by the truth"], wrong["wrong calls: 5 points, placed by the truth"]) == (
        0.5,
        1,
    )
    assert (wrong["called: 5 points, asked"], wrong["wrong calls: 5 points, asked"]) == (0.5, 1)
    assert table["fifths"][1][:4] == ("0 to 20 %", "2", "0.000", "0.000")


def test_intervals_medians_and_ends_are_judged_by_the_truth(forecast):
    """The 80 % interval is from 2 to 18 %, the 95 % one from .5 to 19.5 %; the proven end is 15 %."""
    inside, outside = (
        figures_of(forecast, problem(0.1, (0, 0, 1)))[0],
        figures_of(forecast, problem(0.19, (0, 0, 1)))[0],
    )
    names = ("80 % intervals that hold", "95 % intervals that hold", "median error", "proven ends that are wrong")

    assert [inside[name] for name in names] == pytest.approx([1, 1, 0, 0])
    assert [outside[name] for name in names] == pytest.approx([0, 1, 0.09, 1])
    assert inside["CRPS"] == pytest.approx(0.02)


def test_an_answer_without_a_forecast_is_no_call(forecast):
    """It may not improve any other figure either."""
    silent = problem(0.1, (None, None, None))
    del silent["forecast"]
    found, table = figures_of(forecast, problem(0.1, (0, 0, 1)), silent)

    assert (found["called: 5 points, asked"], found["Brier skill"], found["median error"]) == (0.5, 1, 0)
    assert ("without a forecast", "1", "1") in table["figures"]


def test_the_ranked_score_is_the_area_between_the_distribution_and_the_step_at_the_truth(forecast):
    grid, values = np.linspace(-1, 2, 300_001), np.sort(np.random.default_rng(0).random(20))
    share = np.searchsorted(values, grid, side="right") / 20
    area = ((share - (grid >= 0.3)) ** 2).sum() * (grid[1] - grid[0])

    assert forecast.ranked_score(values, 0.3) == pytest.approx(area, abs=1e-4)


def test_real_tables_are_judged_by_the_rows_that_were_opened(forecast):
    """Of two targets that were out of reach, one was reached; a named table is no part of the goals."""
    ahead = {
        "rows": 1600,
        "beyond": False,
        "quantiles": [0.05, 0.1, 0.15],
        "asked": [[-1, 0.13, 0.04], [-5, 0.09, 0.01]],
    }
    cells = {}
    for table in ("stops", "letter"):
        cells[f"sealed/{table}/500"] = {"ahead": {"4x": ahead, "any": ahead}}
        cells[f"opened/{table}/4x500"] = {"measured": 0.12}
    goals = {goal.measured: goal.figure for goal in forecast.goals({"cases": cells})}

    assert goals["real tables: 90 % intervals that hold"] == "1.000"
    assert goals["real tables: median error of medians"] == "0.020"
    assert goals["real tables: targets out of reach that were reached"] == "0.500"
    assert forecast.tables({"cases": cells})["named"][1][0] == "letter/500"
