"""Everything about a dataset in one object: ``check`` and its result.

Input: results of all lower layers.
Output: ``Check`` with its findings and gates, as text, Markdown or JSON.
Must not know about: HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.engine._public_names import load_late

if TYPE_CHECKING:
    from bayesfloor.summary._assert_reachable import assert_reachable
    from bayesfloor.summary._check import Check, check
    from bayesfloor.summary._check_parts import Finding
    from bayesfloor.summary._facts import Facts
    from bayesfloor.summary._gates import Gate
    from bayesfloor.summary._glossary import explain
    from bayesfloor.summary._json_fields import schema
    from bayesfloor.summary._verdict_text import VerdictWords
    from bayesfloor.summary._weaknesses import Trait

__all__ = [
    "Check",
    "Facts",
    "Finding",
    "Gate",
    "Trait",
    "VerdictWords",
    "assert_reachable",
    "check",
    "explain",
    "schema",
]

_HOMES = {
    "._assert_reachable": "assert_reachable",
    "._check": "Check check",
    "._facts": "Facts",
    "._gates": "Gate",
    "._glossary": "explain",
    "._json_fields": "schema",
    "._check_parts": "Finding",
    "._verdict_text": "VerdictWords",
    "._weaknesses": "Trait",
}

__getattr__, __dir__ = load_late(__name__, _HOMES)
