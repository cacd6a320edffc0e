"""Public names of a package, each loaded when it is first used: importing a package costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def load_late(package: str, homes: dict[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package, whose names are at home in these modules, relative to it.

    At home in "" are modules inside the package itself.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(home[name] or f".{name}", package)
        return getattr(module, name) if home[name] else module

    return get, lambda: sorted(home)
