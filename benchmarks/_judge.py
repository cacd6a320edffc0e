"""What ``bayesfloor.check`` says about a table whose lowest error is known, and whether it is confidently wrong.

An answer is confidently wrong if its verdict is false, or its range misses the truth, by more than three points (or
the case's own margin), and no caution on the first screen names the cause.
"""

import os
import re
import warnings

from bayesfloor import check
from benchmarks._hazard_families import POINTS
from benchmarks._results import plain
from benchmarks._timing import seconds_of
from benchmarks._told import OUT_OF_REACH, REACHABLE, lower_end, told_by

# Words that name a cause; "the features are related to the label" does not, nor does "train gradient boosting".
NAMED = {
    "copies": r"\bBF11[389]\b|\bcop(y|ies|ied)\b|(?<!no )\b(near-)?duplicate|belong together"
    r"|\brelated rows|\brows\b[^.]{0,40}\brelated|\bmade from\b",
    "leak": r"\bBF114\b|\bleak|give(s|n)? the (label|class)\w* away",
    "time": r"\bBF112\b|\btime\b|\bhours?\b|\bin (this )?order\b|\bdrift|\blater\b|\bperiods?\b",
}
_WIDTH = "80"


def judge(X, y, *, truth, target, margin=POINTS, effort="quick", **options):
    """Check a table; return what was said, with the truth: the lowest error, or the two ends of what it may be."""
    os.environ["COLUMNS"] = _WIDTH
    ends = [plain(end) for end in (truth if isinstance(truth, tuple) else (truth, truth))]
    case = {"between": ends, "target": target, "margin": plain(margin)}

    def work():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return check(X, y, target, effort=effort, **options)

    try:
        seconds, found = seconds_of(work)
    except ValueError as error:
        return case | {"refused": str(error), "named": [], "warned": [], "seconds": 0.0}
    return case | told(found) | {"seconds": plain(seconds)}


def told(found):
    """Return what a check says, and which causes its first screen names."""
    screen = " ".join(repr(found).split())
    return {
        "outcome": found.outcome,
        **told_by(found.answer),
        "codes": [one.code for one in found.findings],
        "named": [cause for cause, words in NAMED.items() if re.search(words, screen)],
        **warned(found),
    }


def warned(found):
    """Return the kinds of warnings and their columns; a "note" about strong columns is no warning of a leak."""
    told = [[leak.kind, *leak.columns] for leak in found.leaks] + [
        [each.kind, *each.columns] for each in found.doubtful
    ]
    if (rows := found.dependence) is None:
        return {"warned": told}
    return {
        "warned": [*told, [rows.kind, rows.column]],
        "two_errors": [plain(rows.error_at_random), plain(rows.error_together)],
    }


def faults(case):
    """Return what is wrong with an answer, whether or not a caution says why."""
    if "refused" in case:
        return []
    (low, high), margin = case["between"], case["margin"]
    error = 1 - case["target"] if case["target"] is not None else None
    wrong = {
        f"{REACHABLE}, but is not": case["outcome"] == REACHABLE and low > error + margin,
        f"{OUT_OF_REACH}, but is not": case["outcome"] == OUT_OF_REACH and high < error - margin,
        "range too low": case["upper"] < low - margin,
        "range too high": lower_end(case) > high + margin,
    }
    return [text for text, is_so in wrong.items() if is_so]


def is_named(case, hazard):
    """Whether the first screen names the cause, and for a leak one of its columns."""
    if hazard != "leak":
        return hazard in case["named"]
    leaks = {column for kind, *columns in case["warned"] if kind == "leak" for column in columns}
    return hazard in case["named"] and (not case.get("columns") or bool(leaks & set(case["columns"])))


def is_confidently_wrong(case, hazard):
    return bool(faults(case)) and not is_named(case, hazard)


def raised(case):
    """Return what was raised of a leak and of copies, whatever the screen had room for."""
    kinds = {kind for kind, *_ in case["warned"]}
    copies = "BF113" in case.get("codes", ()) or any(kind.endswith(("duplicates", "copies", "rows")) for kind in kinds)
    return [name for name, is_so in (("leak", "leak" in kinds), ("copies", copies)) if is_so]
