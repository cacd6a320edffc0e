"""Lay out blocks of docstrings: attributes described on the line of their name, and the ends of doctest blocks."""

import re

from docutils import nodes

_TOLD = re.compile(r"^(\w[\w, ]*) : (.*\.|.{70,})$")  # a type is shorter and has no full stop


def move_descriptions(_app, _kind, _name, _member, _options, lines):
    """Put the description of an attribute below its name, where numpydoc expects it: after a name it expects a type."""
    start = lines.index("Attributes") if "Attributes" in lines else len(lines)
    lines[start:] = [part for line in lines[start:] for part in _TOLD.sub(r"\1\n    \2", line).split("\n")]


def drop_last_lines(_app, doctree):
    """Remove empty lines at the end of every block that contains only text."""
    for block in doctree.findall(nodes.literal_block):
        if block.rawsource == block.astext():
            block.rawsource = block.rawsource.rstrip()
            block.children = [nodes.Text(block.rawsource)]


def setup(app):
    """Register the extension with Sphinx."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", move_descriptions, priority=400)  # before numpydoc
    app.connect("doctree-read", drop_last_lines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
