"""``--balanced`` and ``--priors``: answers for other class proportions than the file's."""

import json

import numpy as np
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def uneven(tmp_path_factory, write):
    """Two classes, one with a tenth of the rows."""
    y = np.arange(600) % 10 == 0
    X = np.random.default_rng(0).normal(size=(600, 2)) + 3.0 * y[:, None]
    return write(tmp_path_factory.mktemp("uneven") / "uneven.csv", X, y.astype(int))


@pytest.mark.parametrize("asked", [("--balanced",), ("--priors", "0=0.5, 1=50%"), ("--priors", "1=2,0=2")])
def test_proportions_are_what_was_asked_for(run, uneven, asked):
    """And the next commands ask for them again."""
    ended = run("check", uneven, "-y", "label", *asked, "--json", uneven.with_name("check.json"))
    given = json.loads(uneven.with_name("check.json").read_text("utf-8"))

    assert ended.code == 0
    assert (given["facts"]["priors"], given["answer"]["guessing"]) == ([0.5, 0.5], 0.5)
    assert asked[0] in ended.stdout
    assert "balanced accuracy" in ended.stdout


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--priors", "0.5,0.5"), "expected CLASS=P"),
        (("--priors", "0=half"), "expected CLASS=P"),
        (("--priors", "0=1,1=1", "--balanced"), "Leave one out"),
        (("--priors", "0=1,2=1"), "expected one for each of"),
    ],
)
def test_proportions_that_are_none_are_refused_in_one_line(run, uneven, asked, said):
    """Before or after the file is read."""
    ended = run("check", uneven, "-y", "label", *asked)

    assert ended.code == 2
    assert said in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
