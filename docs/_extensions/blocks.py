"""Remove the empty line at the end of doctest blocks."""

from docutils import nodes


def drop_last_lines(_app, doctree):
    """Remove empty lines at the end of every block that contains only text."""
    for block in doctree.findall(nodes.literal_block):
        if block.rawsource == block.astext():
            block.rawsource = block.rawsource.rstrip()
            block.children = [nodes.Text(block.rawsource)]


def setup(app):
    """Register the extension with Sphinx."""
    app.connect("doctree-read", drop_last_lines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
