"""Labels as short texts for pictures, each different from all others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bayesfloor.engine._text import printable

LONGEST = 24  # characters; a longer label loses its middle


def plain_text(label: object) -> str:
    """A label as text that can be seen: what is blank, or begins or ends so, is quoted."""
    text = printable(label)
    return text if text and text == text.strip() else repr(text)


def short_labels(labels: Sequence[object], missing: Collection[str] = (), longest: int = LONGEST) -> list[str]:
    """Labels as texts of about so many characters at most, all different.

    Characters that are ``missing`` from all fonts are written as escapes. Labels that look the same
    once cut get their place among all labels behind them.
    """
    return _distinct([_shorten(_letters(plain_text(label), missing), longest) for label in labels])


def _letters(text: str, missing: Collection[str]) -> list[str]:
    return [ascii(letter)[1:-1] if letter in missing else letter for letter in text]


def _shorten(letters: list[str], longest: int) -> str:
    """The letters in a row; of too many the middle is left out, and no escape is cut in two."""
    if sum(map(len, letters)) <= longest:
        return "".join(letters)
    head, tail = _fitting(letters, longest // 2), _fitting(letters[::-1], (longest - 1) // 2)
    return "".join([*head, "…", *reversed(tail)])


def _fitting(letters: list[str], room: int) -> list[str]:
    taken: list[str] = []
    for letter in letters:
        room -= len(letter)
        if room < 0:
            break
        taken.append(letter)
    return taken


def _distinct(texts: list[str]) -> list[str]:
    while len(set(texts)) < len(texts):
        texts = [f"{text} #{place}" if texts.count(text) > 1 else text for place, text in enumerate(texts)]
    return texts
