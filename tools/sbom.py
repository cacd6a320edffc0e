"""List all packages of an environment as CycloneDX: run ``python tools/sbom.py`` with its Python."""

from __future__ import annotations

import json
from importlib.metadata import Distribution, distributions

NAME = "bayesfloor"


def list_packages() -> dict[str, object]:
    """Return the package and everything else that is installed, except the installer."""
    found = {one.name.lower().replace("_", "-"): one for one in distributions()}
    parts = {name: _describe(name, one) for name, one in sorted(found.items()) if name not in {"pip", "setuptools"}}
    package = parts.pop(NAME)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": package},
        "components": list(parts.values()),
    }


def _describe(name: str, one: Distribution) -> dict[str, object]:
    address = f"pkg:pypi/{name}@{one.version}"
    said = {"type": "library", "bom-ref": address, "name": name, "version": one.version, "purl": address}
    if "License-Expression" not in one.metadata:
        return {**said}
    return {**said, "licenses": [{"expression": one.metadata["License-Expression"]}]}


if __name__ == "__main__":
    print(json.dumps(list_packages(), indent=2))
