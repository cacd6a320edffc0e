"""Hostile baselines: JSON of checks with parts changed, gone, too deep or too large; used, or refused in one line.

A mutant is made from the seed and its number alone; those that ever failed stand in ``corpus/baselines.json``.
To run more of them by hand: ``python tests/fuzz/test_baselines.py FIRST STOP``.
"""

import copy
import json
import sys
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bayesfloor import Check
from bayesfloor.io import InputError

HERE = Path(__file__).parent
CHECKS = ("alike", "chosen", "groups", "target", "two_classes", "votes", "separate")
SEED = 22
IN_CI, AT_NIGHT = 300, 5000
EVERY_PAGE = 10  # a report takes long to write, so only some mutants get one
LONGEST = 2000  # characters of a message
VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    0.5,
    -0.0,
    2,
    1e308,
    -1e308,
    1e-320,
    5e-324,
    1.0000001,
    10**400,
    -(10**30),
    1 << 63,
]
VALUES += [
    float("nan"),
    float("inf"),
    -float("inf"),
    "",
    "a",
    "0.5",
    "\x1b[2J\n",
    "\u202e",
    "x" * 100_000,
    [],
    {},
    [[]],
]
VALUES += [[None], [1e308, -1e308], {"a": {}}, list(range(1000)), "none", "good", "Infinity", 1e15, 1 << 40, [0] * 3]
PIECES = ["", "9", "-", "e9", "[", "]", "{", '"', ",", "null", "\0", "é"]


@pytest.fixture(scope="module", name="texts")
def read_texts():
    """Return the JSON of some checks."""
    return load_texts()


def load_texts():
    """Return the JSON of some checks by their names."""
    folder = HERE.parent / "summary" / "checks"
    return {name: (folder / f"{name}.json").read_text("utf-8") for name in CHECKS}


# Mutants


def make_mutant(texts, number):
    """Return the text of a mutant."""
    rng = np.random.default_rng([SEED, number])
    text = texts[CHECKS[int(rng.integers(len(CHECKS)))]]
    if rng.random() < 0.1:
        return _broken(text, rng)
    given = json.loads(text)
    for _ in range(int(rng.integers(1, 5))):
        given = _changed(given, rng)
    text = json.dumps(given)
    return text if rng.random() > 0.03 else text.replace("0.5", "[" * 5000 + "]" * 5000, 1)


def _broken(text, rng):
    """Change letters, without an eye for the form."""
    for _ in range(int(rng.integers(1, 6))):
        at, size = int(rng.integers(len(text))), int(rng.integers(0, 30))
        text = text[:at] + str(rng.choice(PIECES)) + text[at + size :]
    return text


def _places(given, place=()):
    """Yield the way to everything inside."""
    yield place
    inside = given.items() if isinstance(given, dict) else enumerate(given) if isinstance(given, list) else ()
    for name, value in inside:
        yield from _places(value, (*place, name))


def _changed(given, rng):
    """Change one part: put something else there, remove it, or copy another part over it."""
    places = [place for place in _places(given) if place]
    place = places[int(rng.integers(len(places)))]
    given = copy.deepcopy(given)
    parent = _at(given, place[:-1])
    what = rng.random()
    if what < 0.15:
        del parent[place[-1]]
    elif what < 0.25:
        parent[place[-1]] = copy.deepcopy(_at(given, places[int(rng.integers(len(places)))]))
    elif what < 0.35 and isinstance(parent, list):
        parent.insert(place[-1], parent[place[-1]])
    elif what < 0.5 and isinstance(parent[place[-1]], int | float):
        parent[place[-1]] *= float(rng.choice([-1, 1e10, 1e-10, 1e300, 0]))
    else:
        parent[place[-1]] = copy.deepcopy(VALUES[int(rng.integers(len(VALUES)))])
    return given


def _at(given, place):
    for name in place:
        given = given[name]
    return given


# What comes of them


def judge(text, now, *, page):
    """Return what came of a baseline: used, refused in one line of ours, or what must not be."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            use(text, now, page=page)
    except InputError as error:
        line = str(error)
        return "refused" if line.isprintable() and line.strip() and len(line) < LONGEST else f"no line: {line[:200]!r}"
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not be
        last = [
            at
            for at in traceback.extract_tb(error.__traceback__)
            if "bayesfloor" in at.filename or at.filename == __file__
        ][-1]
        return f"deep: {type(error).__name__}: {str(error)[:200]} ({Path(last.filename).name}:{last.lineno})"
    return "used"


def use(text, now, *, page):
    """Use a baseline as people do."""
    before = Check.from_json(text)
    now.gates(max_error=0.1, baseline=before)
    before.gates(max_error=0.1, max_pair_error=0.1, max_class_error=0.1, baseline=now)
    str(before)
    before.metrics()
    before.to_json()
    if page:
        before._repr_html_()


def judge_all(texts, first, stop):
    """Return what came of each mutant: {number: what}."""
    now = Check.from_json(texts["target"])
    return {k: judge(make_mutant(texts, k), now, page=k % EVERY_PAGE == 0) for k in range(first, stop)}


def failures(found):
    """Return those that must not be."""
    return {number: what for number, what in found.items() if what not in ("used", "refused")}


def test_sound_baselines_are_used(texts):
    """Or the others would be refused for nothing."""
    now = Check.from_json(texts["target"])

    assert {judge(text, now, page=True) for text in texts.values()} == {"used"}


@pytest.mark.slow
def test_mutated_baselines(texts):
    """Some of them."""
    assert failures(judge_all(texts, 0, IN_CI)) == {}


@pytest.mark.nightly
def test_many_mutated_baselines(texts):
    """Many of them."""
    assert failures(judge_all(texts, IN_CI, AT_NIGHT)) == {}


@pytest.mark.parametrize("number", json.loads((HERE / "corpus" / "baselines.json").read_text("utf-8")))
def test_baselines_that_failed_once(texts, number):
    """They never do again."""
    assert failures(judge_all(texts, number, number + 1)) == {}


def main(first, stop):
    """Use mutants and say which of them fail."""
    found = judge_all(load_texts(), int(first), int(stop))
    print(Counter(what.split(":")[0] for what in found.values()))  # noqa: T201 - its output
    for number, what in failures(found).items():
        print(number, what)  # noqa: T201 - its output


if __name__ == "__main__":
    main(*sys.argv[1:])
