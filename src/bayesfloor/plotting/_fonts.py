"""Choose fonts for labels in any script, and escape characters that no font has.

Right-to-left and joined scripts are drawn correctly from matplotlib 3.11 on, which shapes text. Earlier versions draw
letters one by one in the order in which they are stored.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from bayesfloor.engine._errors import MissingPackageError
from bayesfloor.engine._show import quoted, show_labels

LONGEST = 24  # characters; the middle of a longer label is left out

# Common system fonts with characters that matplotlib's own font lacks. It cannot draw colour fonts, so none are here.
_FALLBACKS = (
    *("Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Source Han Sans SC"),
    *("PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "SimHei", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei"),
    *("Droid Sans Fallback", "Yu Gothic", "Malgun Gothic", "Apple SD Gothic Neo", "Noto Sans Arabic"),
    *("Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Bengali", "Noto Sans Tamil", "Noto Sans Thai"),
    *("Nirmala UI", "Leelawadee UI", "Segoe UI", "Tahoma", "Arial Unicode MS"),
    *("Noto Emoji", "Segoe UI Symbol", "Apple Symbols"),
)


def need_matplotlib() -> None:
    """Raise an error that says what to install if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401, ICN001 - only to see whether it is installed
    except ImportError as error:
        raise MissingPackageError('plot() needs matplotlib: python -m pip install "bayesfloor[plot]"') from error


def families() -> list[str]:
    """Return the user's fonts, then the installed fallback fonts."""
    from matplotlib import rcParams
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return [*rcParams["font.family"], *(name for name in _FALLBACKS if name in installed)]


def label_style() -> dict[str, Any]:
    """Return the style for the user's text: all available fonts, never parsed as formulas."""
    return {"family": families(), "parse_math": False}


def label_texts(labels: Sequence[object], longest: int = LONGEST) -> list[str]:
    """Return labels as short strings that can be drawn, with one warning if some characters have no font."""
    need_matplotlib()
    missing = _missing(set("".join(quoted(label) for label in labels)))
    if missing:
        warnings.warn(
            f"{len(missing)} characters in labels are not in any installed font and are written as escapes. "
            "Install a font such as Noto Sans CJK to show them.",
            stacklevel=4,
        )
    return show_labels(labels, longest, missing)


def _missing(letters: set[str]) -> set[str]:
    """Return the characters that no font has."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    fonts = [get_font(findfont(FontProperties(family=[name]))) for name in families()]
    return {letter for letter in letters if not any(font.get_char_index(ord(letter)) for font in fonts)}
