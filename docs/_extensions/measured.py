"""Write the results pages from the JSON files before a build reads its pages."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def write_results(_app):
    """Write the pages; the benchmarks are not part of the installed package."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.results_page import write_pages

    write_pages()


def setup(app):
    """Register the extension with Sphinx."""
    app.connect("builder-inited", write_results)
    app.add_css_file("measured.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
