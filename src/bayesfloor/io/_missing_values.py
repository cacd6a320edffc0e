"""Strings that mean a missing value."""

from __future__ import annotations

# MISSING applies to all columns. The larger set applies only if all other values of the column are numbers or dates.
MISSING = frozenset({"", "?", "??", "n/a", "#n/a", "na", "<na>", "nan", "null", "(null)", "#null!", "-", "--", "\\n"})
_MISSING_AMONG_NUMBERS = MISSING | {
    *("none", "nil", "missing", "unknown", "undefined", "n.a.", "k.a.", "k. a.", "nat", ".", "..", "...", "*"),
    *("\u2013", "\u2014", "#div/0!", "#value!", "#ref!", "#num!", "#nv"),
    *("not available", "not applicable", "keine angabe", "unbekannt"),
}
_BLANKS = {ord(c): " " for c in "\u00a0\u202f\u2009\u2007"} | {ord("\u2019"): "'"}


def strip(text: str) -> str:
    """Strip spaces around a string, and replace special spaces inside it with plain ones."""
    return text.strip() if text.isascii() else text.translate(_BLANKS).strip()


def is_gap(text: str, *, among_numbers: bool = False) -> bool:
    """Whether a string means a missing value."""
    return strip(text).casefold() in (_MISSING_AMONG_NUMBERS if among_numbers else MISSING)
