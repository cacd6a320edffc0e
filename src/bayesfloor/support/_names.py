"""Load a package's public names when they are first used, so that importing the package is cheap."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def load_late(package: str, homes: dict[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package.

    ``homes`` maps each module, relative to the package, to its public names. The names under "" are modules themselves.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(home[name] or f".{name}", package)
        return getattr(module, name) if home[name] else module

    return get, lambda: sorted(home)
