"""Everything about a dataset in one object: ``check`` and its result.

Input: results of all lower layers.
Output: ``Check`` with its findings and gates, as text, Markdown, JSON, HTML or in a notebook.
Must not know about: statistics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.support._names import load_late

if TYPE_CHECKING:
    from bayesfloor.summary._check import Check, assert_reachable, check
    from bayesfloor.summary._data_findings import Finding, Trait
    from bayesfloor.summary._explain import explain, schema
    from bayesfloor.summary._facts import Facts
    from bayesfloor.summary._gates import Gate
    from bayesfloor.summary._next import Action, Step
    from bayesfloor.summary._verdict import VerdictWords

__all__ = [
    "Action",
    "Check",
    "Facts",
    "Finding",
    "Gate",
    "Step",
    "Trait",
    "VerdictWords",
    "assert_reachable",
    "check",
    "explain",
    "schema",
]

_HOMES = {
    "._check": "Check assert_reachable check",
    "._data_findings": "Finding Trait",
    "._explain": "explain schema",
    "._facts": "Facts",
    "._gates": "Gate",
    "._next": "Action Step",
    "._verdict": "VerdictWords",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
