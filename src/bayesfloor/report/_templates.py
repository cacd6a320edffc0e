"""Render the templates; every value is escaped."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from bayesfloor.engine._errors import MissingPackageError
from bayesfloor.plotting._style import css_colours

_FOLDER = Path(__file__).with_name("templates")


def render(name: str, **values: Any) -> str:
    """Render a template with these values."""
    return _environment().get_template(name).render(**values)


@cache
def _environment() -> Any:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        raise MissingPackageError('The report needs jinja2: python -m pip install "bayesfloor[cli]".') from error
    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["style"] = f".bayesfloor{{{css_colours()}}}\n{(_FOLDER / 'style.css').read_text('utf-8')}"
    return made
