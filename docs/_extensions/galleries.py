"""Hooks that run around each gallery script."""

import warnings
from contextlib import ExitStack

from sphinx_gallery.scrapers import figure_rst

kept = ExitStack()


def make_warnings_errors(_conf, _script, when):
    """Turn warnings into errors, but only while a script runs."""
    if when == "before":
        kept.enter_context(warnings.catch_warnings(action="error"))
    else:
        kept.close()


def save_displays(_block, block_vars, conf):
    """Save the figures of our displays, which pyplot does not know about."""
    paths = []
    for figure in new_figures(block_vars["example_globals"].values()):
        paths.append(next(block_vars["image_path_iterator"]))
        figure.savefig(paths[-1], dpi=120)
        figure.saved = True
    return figure_rst(paths, conf["src_dir"])


def new_figures(found):
    """Return the figures of displays that are not saved yet, each once, without pyplot's own."""
    figures = {id(one.figure_): one.figure_ for one in found if getattr(one, "figure_", None) is not None}
    return [one for one in figures.values() if one.canvas.manager is None and not hasattr(one, "saved")]
