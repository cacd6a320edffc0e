"""Figures for the site, drawn with the library itself while the site is built.

A page includes one with ``{drawn} name``. Each figure is drawn twice, for light and for dark pages. Marker shapes and
line widths distinguish classes and edges, not only colours.
"""

from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from figures.drawing import draw_all

FOLDER = Path(__file__).parent / "drawn"


class Drawn(SphinxDirective):
    """Insert a figure in both variants, of which the theme shows one, with a caption."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged_required, "width": directives.length_or_percentage_or_unitless}

    def run(self):
        """Build the figure."""
        words, _ = self.parse_inline(" ".join(self.content))
        # In their own container: the theme would otherwise hide the caption with the variant that it hides.
        both = nodes.container("", *map(self.image, ("light", "dark")))
        return [nodes.figure("", both, nodes.caption("", "", *words), align="center")]

    def image(self, page):
        """Build the image node for one variant."""
        uri = f"/figures/drawn/{self.arguments[0]}-{page}.svg"
        width = self.options.get("width", "100%")
        return nodes.image(uri=uri, alt=self.options["alt"], width=width, classes=[f"only-{page}"])


def draw_missing(_app):
    """Draw figures that are missing or older than the scripts."""
    draw_all(FOLDER)


def setup(app):
    """Register with Sphinx."""
    app.connect("builder-inited", draw_missing)
    app.add_directive("drawn", Drawn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
