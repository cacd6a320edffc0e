"""Read checks that an older version wrote: fill in the parts that they lack."""

from __future__ import annotations

from typing import Any

OLDEST = 4  # version of the JSON format that can still be read
_NOT_TESTED = {
    "floor_p_value": None,
    "proved": False,
    "n_equal": 0,
    "n_right": 0,
    "expected": 0.0,
    "equal_p_value": 1.0,
    "best_error": None,
    "best_p_value": None,
}


def upgrade(given: dict[str, Any]) -> dict[str, Any]:
    """Return a check of version 4 in the form of version 5."""
    answer, facts = given["answer"], given["facts"]
    units = answer["n_rows"] if facts["n_groups"] is None else min(answer["n_rows"], facts["n_groups"])
    independent = dict.fromkeys(answer["errors"], units)
    more: dict[str, Any] = {
        "answer": {"unit": "rows", "rows_per_unit": 1.0, "n_independent": independent, **answer},
        "facts": {**facts, "priors": None},
    }
    if given.get("gap") is not None:
        more["gap"] = {**given["gap"], "too_good": _NOT_TESTED}
    return {**given, **more}
