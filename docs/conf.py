"""The site: `sphinx-build -W --keep-going docs docs/_build` builds it, without a network."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

from numpydoc.xref import DEFAULT_LINKS

import bayesfloor

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "_extensions"), str(HERE.parent)]  # the last one for benchmarks

from origins import find_origins  # noqa: E402 - on the path only now

project = "bayesfloor"
author = "The bayesfloor authors"
project_copyright = author
version = release = installed("bayesfloor")

extensions = [
    "blocks",
    "changelog",
    "figures",
    "formulas",
    "measured",
    "myst_parser",
    "numpydoc",
    "page_pictures",
    "reference",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery", "tutorials", "results/README.md"]
nitpicky = True
smartquotes = False

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

autosummary_generate = True
autosummary_context = {"origins": find_origins()}
# On file systems that ignore case, these pages would overwrite those of the classes Check and Gap.
autosummary_filename_map = {
    "bayesfloor.check": "bayesfloor.check-function",
    "bayesfloor.decide.gap": "bayesfloor.decide.gap-function",
}
autodoc_typehints = "none"  # docstrings describe types in words
numpydoc_show_class_members = False  # the template of a class lists its methods
numpydoc_use_plots = False
# A type that has a page is a link to it; all other words of a type stay words, also those that numpydoc would link.
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {word: word for word in DEFAULT_LINKS} | {
    name: f"{module.__name__}.{name}"
    for module in [*(getattr(bayesfloor, name) for name in dir(bayesfloor)), bayesfloor]  # the shortest name last
    for name in getattr(module, "__all__", ())
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

html_theme = "pydata_sphinx_theme"
html_title = "bayesfloor"
html_math_renderer = "mathml"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_favicon = "_static/logo.svg"
html_css_files = ["custom.css"]
html_context = {"default_mode": "auto"}
# Pages without others of their kind list their own sections instead.
html_sidebars = {page: ["page-toc"] for page in ("changelog", "start", "threat_model")}
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "bayesfloor", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "use_edit_page_button": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}

sphinx_gallery_conf = {
    "examples_dirs": ["gallery", "tutorials"],
    "gallery_dirs": ["auto_gallery", "auto_tutorials"],
    "filename_pattern": r"plot_",
    "within_subsection_order": "galleries.UseSortKey",
    "abort_on_example_error": True,
    "image_scrapers": ("galleries.save_displays", "matplotlib"),
    "reset_modules": ("matplotlib", "galleries.make_warnings_errors"),
    "reset_modules_order": "both",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "matplotlib_animations": False,
}
