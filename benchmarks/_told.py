"""What an answer says, as benchmarks keep and show it."""

import math

from bayesfloor.summary._verdict import reason_text
from benchmarks._results import plain

ENDS = ("lower", "estimate", "upper")
REACHABLE, OUT_OF_REACH = "reachable", "out of reach"


def told_by(answer):
    """Return an answer for the file, with None for a missing lower end."""
    return {
        **{name: None if math.isnan(getattr(answer, name)) else plain(getattr(answer, name)) for name in ENDS},
        "reliability": answer.reliability,
        "reasons": [reason_text(reason) for reason in answer.reasons],
        "best": answer.best,
        "errors": {name: plain(error) for name, error in answer.errors.items()},
    }


def lower_end(one):
    """Return the lower end of a range, 0 if it has none."""
    return 0.0 if one["lower"] is None else one["lower"]


def range_text(one):
    return f"at most {one['upper']:.4f}" if one["lower"] is None else f"{one['lower']:.4f} to {one['upper']:.4f}"


def check_shares(where, one):
    """Assert that the ends of an answer are fractions, and in order."""
    ends = [one[key] for key in ENDS if one[key] is not None]
    assert ends == sorted(ends), f"{where}: {ends}"
    assert min(ends) >= 0, f"{where}: {ends}"
    assert max(ends) <= 1, f"{where}: {ends}"
