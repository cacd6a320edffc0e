"""The order of the gallery, and hooks that run around each gallery script."""

import re
import warnings
from contextlib import ExitStack

from sphinx_gallery.scrapers import figure_rst

kept = ExitStack()
# The answer, what is responsible, what to decide, how it works.
BY_USE = (
    *("forecast", "learning_curve", "gap"),
    *("pairs", "class_tree", "soft_confusion"),
    *("comparison", "selection"),
    *("forest", "bounds", "trees", "near_copies"),
)


class UseSortKey:
    """Sort the gallery by use; other scripts, which have a number in their name, by name."""

    def __init__(self, _folder):
        pass

    def __call__(self, filename):
        """Return the sort key of a script."""
        name = filename.removeprefix("plot_").removesuffix(".py")
        return BY_USE.index(name) if name in BY_USE else len(BY_USE), name


def make_warnings_errors(_conf, _script, when):
    """Turn warnings into errors, but only while a script runs."""
    if when == "before":
        kept.enter_context(warnings.catch_warnings(action="error"))
    else:
        kept.close()


def save_displays(_block, block_vars, conf):
    """Save the figures of our displays, which pyplot does not know about, each with its caption."""
    made = []
    for display in new_displays(block_vars["example_globals"].values()):
        path = next(block_vars["image_path_iterator"])
        display.figure_.savefig(path, dpi=120)
        display.figure_.saved = True
        made += [
            figure_rst([path], conf["src_dir"], display.ax_.get_title("left")),
            re.sub(r"([*`|_\\])", r"\\\1", display.caption_),
        ]
    return "\n\n".join([*made, ""])


def new_displays(found):
    """Return the displays whose figures are not saved yet, each figure once, without pyplot's own."""
    displays = {id(one.figure_): one for one in found if getattr(one, "figure_", None) is not None}
    return [
        one for one in displays.values() if one.figure_.canvas.manager is None and not hasattr(one.figure_, "saved")
    ]
