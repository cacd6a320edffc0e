"""Write formulas as MathML, which browsers render natively: no scripts, no fonts, no downloads."""

import re
from html import escape, unescape
from xml.etree import ElementTree as ET

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)

_NAMED = re.compile(r"&(?!amp;|gt;|lt;)\w+;")  # HTML has these names, XML does not
_DIGITS = re.compile(r"(\\[dt]?frac)(\d)(\d)")  # docutils reads them as one number
# docutils supports the content of a display, but not the environments that open one.
_OUTER = re.compile(r"\\(?:begin|end)\{(?:equation|gather|align)\*?\}")

MATHML = "{http://www.w3.org/1998/Math/MathML}"
FENCES = set("{}|‖⌈⌉⌊⌋⟨⟩")  # bars are treated as relations unless their spacing is set
ET.register_namespace("", MATHML.strip("{}"))


def to_mathml(tex, node, *, as_block=False):
    """Return a formula as MathML; one that cannot be parsed gives a warning and is shown as written."""
    try:
        text = tex2mathml(_DIGITS.sub(r"\1{\2}{\3}", _OUTER.sub("", tex)), as_block=as_block)
        tree = ET.fromstring(_NAMED.sub(lambda name: unescape(name[0]), text))  # noqa: S314 - our own
    except (MathError, SyntaxError) as error:
        logger.warning("formula not understood: %s", error, location=node)
        return f"<code>{escape(tex)}</code>"
    for part in tree.iter():
        put_index_beside(part)
        keep_fences_small(part)
    return ET.tostring(tree, encoding="unicode")


def put_index_beside(part):
    """Put the index of an accented letter next to it; docutils treats it as a limit and puts it below."""
    if part.tag == f"{MATHML}munderover" and part[0].tag != f"{MATHML}mo":
        letter, index, accent = part
        part[:] = [ET.Element(f"{MATHML}mover", accent="true"), index]
        part[0].extend([letter, accent])
        part.tag = f"{MATHML}msub"


def keep_fences_small(part):
    """Let braces grow with their content only at the ends of a row, where left and right put them."""
    for fence in part[1:-1] if part.tag == f"{MATHML}mrow" else part:
        if fence.text in FENCES:
            fence.attrib.update({"stretchy": "false", "lspace": "0", "rspace": "0"})


def visit_inline(self, node):
    """Write an inline formula."""
    self.body.append(to_mathml(node.astext(), node))
    raise nodes.SkipNode


def visit_block(self, node):
    """Write a displayed formula, with its number and a link to it."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append(to_mathml(node.astext(), node, as_block=True))
    self.body.append("</div>")
    raise nodes.SkipNode


def setup(app):
    """Register the extension with Sphinx."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
