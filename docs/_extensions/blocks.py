"""Blocks of code without the empty line that ends a doctest."""

from docutils import nodes


def drop_last_lines(_app, doctree):
    """Take empty lines off the end of every block that is text alone."""
    for block in doctree.findall(nodes.literal_block):
        if block.rawsource == block.astext():
            block.rawsource = block.rawsource.rstrip()
            block.children = [nodes.Text(block.rawsource)]


def setup(app):
    """Tell Sphinx."""
    app.connect("doctree-read", drop_last_lines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
