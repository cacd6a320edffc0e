"""Pictures of the site, drawn with the library itself while the site is built.

A page asks for one by ``{drawn} name``. Each is drawn twice, for light and for dark pages, and told
apart by the shapes of markers and the widths of lines as well as by colours.
"""

from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from figures.drawing import draw_all

FOLDER = Path(__file__).parent / "drawn"


class Drawn(SphinxDirective):
    """A picture in both variants, of which the theme shows one, and the text below it."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged_required, "width": directives.length_or_percentage_or_unitless}

    def run(self):
        """The figure."""
        words, _ = self.parse_inline(" ".join(self.content))
        # In a box of their own: the theme hides captions beside the variant that it hides.
        both = nodes.container("", *map(self.image, ("light", "dark")))
        return [nodes.figure("", both, nodes.caption("", "", *words), align="center")]

    def image(self, page):
        """One variant."""
        uri = f"/figures/drawn/{self.arguments[0]}-{page}.svg"
        width = self.options.get("width", "100%")
        return nodes.image(uri=uri, alt=self.options["alt"], width=width, classes=[f"only-{page}"])


def draw_missing(_app):
    """Draw what is missing, or older than the scripts."""
    draw_all(FOLDER)


def setup(app):
    """Tell Sphinx."""
    app.connect("builder-inited", draw_missing)
    app.add_directive("drawn", Drawn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
