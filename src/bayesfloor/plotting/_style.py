"""The style of all plots: a few named colours for light and dark pages, text sizes, and SVG that follows the page.

One hue in three lightnesses next to greys: readable in greyscale and by colour-blind readers. Different things also
differ in shape.
"""

from __future__ import annotations

import re
from typing import Any

# On light pages, and on dark ones.
COLOURS = {
    "ink": ("#24292f", "#dfe4e9"),
    "soft": ("#4f5b66", "#aeb8c2"),
    "faint": ("#c5cbd1", "#545c65"),
    "paper": ("#ffffff", "#15171a"),
    "strong": ("#b63b00", "#ff9a5c"),
    "middle": ("#ee8442", "#c06a30"),
    "light": ("#fbd9bc", "#5f3d26"),
}
INK, SOFT, FAINT, PAPER, STRONG, MIDDLE, LIGHT = (light for light, _ in COLOURS.values())
# Errors of pairs relative to guessing where the colour changes: the same for all data, finer for small errors.
PAIR_EDGES = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
MAP = "Oranges"  # light to dark, so that it also works in greyscale
TITLE, TEXT, SMALL = 10.0, 9.0, 8.0  # points

_TAG = re.compile(r"<[^<>]*>")  # in SVG, texts and attributes never contain bare angle brackets
_FONT = re.compile(r"(font-family: |font: [^;\"]*?px )[^;\"]*")  # the second form: matplotlib up to 3.10
_DIGITS = re.compile(r"(\d\.\d\d)\d+")  # beyond a hundredth of a point
_UNTURNED = re.compile(r' transform="rotate\(-0 [^"]*"')
_ID = re.compile(r' id="([^"]*)"')


def pair_norm() -> Any:
    """Return the colour scale of errors relative to guessing."""
    from matplotlib.colors import BoundaryNorm

    return BoundaryNorm(PAIR_EDGES, 256)


def css_colours() -> str:
    """Return declarations of all colours as CSS variables that follow the page's colour scheme."""
    return "".join(f"--figure-{name}:light-dark({light},{dark});" for name, (light, dark) in COLOURS.items())


def svg_with_css_colours(figure: Any, name: str = "figure") -> str:
    """Return a figure as an SVG element for a page: text stays text, and colours are those of ``css_colours``.

    The background is transparent. Equal figures give equal text. Figures on the same page need different names.
    """
    from io import StringIO

    from matplotlib import rc_context

    file = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(file, format="svg", transparent=True, metadata=nothing)
    return _for_page(file.getvalue())


def _for_page(svg: str) -> str:
    """Drop what a page does not need: header, comments, styles of its own, unused ids, lists of fonts and line ends."""
    svg = re.sub(r"<!--.*?-->|<style.*?</style>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    used = set(re.findall(r"#([\w-]+)[\")]", svg))
    svg = _TAG.sub(lambda tag: _restyle(tag[0], used), svg)
    root = f'<svg fill="{_variable("ink")}" stroke-linejoin="round" '  # matplotlib does not write the colour black
    return re.sub(r">\s+<", "><", svg).replace("<svg ", root, 1)


def _restyle(tag: str, used: set[str]) -> str:
    tag = _ID.sub(lambda found: found[0] if found[1] in used else "", " ".join(tag.split()))
    tag = _FONT.sub(r"\1system-ui, sans-serif", tag)
    tag = _DIGITS.sub(r"\1", _UNTURNED.sub("", tag))
    for name, (light, _) in COLOURS.items():
        tag = tag.replace(light, _variable(name))
    return tag.replace("#000000", _variable("ink"))


def _variable(name: str) -> str:
    return f"var(--figure-{name}, {COLOURS[name][0]})"
