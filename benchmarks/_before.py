"""What the envelope said, before learning curves took its place: cells to compare with.

They were measured at the commit that the results name; this module can go when the envelope does.
"""

from benchmarks._timing import seconds_of
from benchmarks.known_floor import plain

WORDS = {"feasible": "reachable", "infeasible": "out of reach", "undecided": "too close to call"}


def run_before(problem, draw, targets):
    """The envelope as it was printed, and its words for targets."""
    from bayesfloor import BayesFloor
    from bayesfloor.summary._words import shows_nothing

    X, y = problem.draw(draw)
    seconds, floor = seconds_of(lambda: _with_envelope(BayesFloor(n_jobs=1, random_state=draw).fit(X, y)))
    found = floor.envelope()
    return {
        "estimate": plain(found.estimate),
        "lower": plain(found.lower) if found.trusted else None,  # the one that was printed
        "upper": plain(found.upper),
        "reliability": "no signal found" if shows_nothing(floor.overall_, found) else found.trust,
        "verdicts": {name: WORDS[floor.verdict(1 - error)] for name, error in targets.items()},
        "unprinted_lower": plain(found.lower),
        "trusted": bool(found.trusted),
        "learners": {name: plain(error) for name, error in found.errors.items()},
        "trees": {name: plain(getattr(floor.overall_, name)) for name in ("lower", "estimate", "upper")},
        "seconds": plain(seconds),
    }


def _with_envelope(floor):
    floor.envelope()
    return floor
