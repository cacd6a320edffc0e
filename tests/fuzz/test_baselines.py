"""Hostile baselines: JSON of checks with parts changed, gone, too deep or too large; used, or refused in one line.

A mutant is made from the seed and its number alone; those that ever failed are in ``corpus/baselines.json``.
"""

import copy
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from bayesfloor import Check
from bayesfloor.io import InputError

HERE = Path(__file__).parent
CHECKS = ("alike", "chosen", "groups", "target", "two_classes", "votes", "separate")
TEXTS = {name: (HERE.parent / "summary" / "checks" / f"{name}.json").read_text("utf-8") for name in CHECKS}
SEED, LONGEST = 22, 2000  # characters of a message
VALUES = [None, True, False, 0, 1, -1, 0.5, -0.0, 2, 1e308, -1e308, 1e-320, 5e-324, 1.0000001, 10**400, 1 << 63]
VALUES += [1 << 40, float("nan"), float("inf"), "", "a", "0.5", "\x1b[2J\n", "\u202e", "x" * 100_000, "Infinity"]
VALUES += [1e15, [], {}, [[]], [None], [1e308, -1e308], {"a": {}}, list(range(1000)), "none", "good", [0] * 3]
PIECES = ["", "9", "-", "e9", "[", "]", "{", '"', ",", "null", "\0", "é", "9" * 5000]


def make_mutant(number):
    """Return the text of a mutant: letters changed without an eye for the form, or one to four parts."""
    rng = np.random.default_rng([SEED, number])
    text = TEXTS[rng.choice(CHECKS)]
    if rng.random() < 0.1:
        for at in rng.integers(len(text), size=rng.integers(1, 6)).tolist():
            text = text[:at] + str(rng.choice(PIECES)) + text[at + int(rng.integers(30)) :]
        return text
    given = json.loads(text)
    for _ in range(int(rng.integers(1, 5))):
        change(given, rng)
    text = json.dumps(given)
    return text if rng.random() > 0.03 else text.replace("0.5", "[" * 5000 + "]" * 5000, 1)


def places(given):
    for name, value in list(given.items() if isinstance(given, dict) else enumerate(given)):
        yield given, name
        yield from places(value) if isinstance(value, dict | list) else ()


def change(given, rng):
    """Remove a part, copy another over it, multiply it, or put something else there."""
    found = list(places(given))
    (parent, name), (other, there) = (found[int(rng.integers(len(found)))] for _ in range(2))
    what = rng.random()
    if what < 0.15:
        del parent[name]
    elif what < 0.25:
        parent[name] = copy.deepcopy(other[there])
    elif what < 0.5 and isinstance(parent[name], int | float):
        parent[name] *= float(rng.choice([-1, 1e10, 1e-10, 1e300, 0]))
    else:
        parent[name] = copy.deepcopy(VALUES[int(rng.integers(len(VALUES)))])


def judge(text):
    """Return what came of a baseline: used as people do, or refused in one line of ours. All else is raised."""
    try:
        before = Check.from_json(text)
    except InputError as error:
        line = str(error)
        assert line.isprintable() and line.strip() and len(line) < LONGEST, line[:200]  # noqa: PT018 - one message
        return "refused"
    now = Check.from_json(TEXTS["target"])
    now.gates(max_error=0.1, baseline=before)
    before.gates(max_error=0.1, max_pair_error=0.1, max_class_error=0.1, baseline=now)
    assert str(before)
    assert Check.from_json(before.to_json()).metrics() == before.metrics()
    return "used"


@pytest.mark.parametrize("name", CHECKS)
def test_sound_baselines_are_used(name):
    """Or the others would be refused for nothing."""
    assert judge(TEXTS[name]) == "used"


FAILED = json.loads((HERE / "corpus" / "baselines.json").read_text("utf-8"))
MUTANTS = [FAILED, pytest.param(range(300), marks=pytest.mark.slow)]


@pytest.mark.parametrize("numbers", [*MUTANTS, pytest.param(range(300, 5000), marks=pytest.mark.slow(nightly=True))])
def test_mutated_baselines(numbers):
    """No traceback and no warning, whatever is in the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {judge(make_mutant(number)) for number in numbers}

    assert found <= {"used", "refused"}
