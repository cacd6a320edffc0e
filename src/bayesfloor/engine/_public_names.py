"""Public names of a package, each loaded when it is first used: importing a package costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def load_late(package: str, homes: dict[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package, whose names are at home in these modules.

    A home of "" is a module inside the package, of the name itself.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(homes[name] or f"{package}.{name}")
        return getattr(module, name) if homes[name] else module

    return get, lambda: sorted(homes)
