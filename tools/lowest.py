"""Print the lowest versions that ``pyproject.toml`` allows, as constraints for pip: ``python tools/lowest.py``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path


def lowest_versions(root: Path) -> list[str]:
    """Return the name and lowest version of every package that users or tests need, without extras: pip allows none."""
    with (root / "pyproject.toml").open("rb") as file:
        said = tomllib.load(file)
    extras = said["project"]["optional-dependencies"].values()
    groups = [said["project"]["dependencies"], *extras, said["dependency-groups"]["test"]]
    return sorted(
        {re.sub(r"\[.*?\]", "", requirement).replace(">=", "==") for group in groups for requirement in group}
    )


if __name__ == "__main__":
    print("\n".join(lowest_versions(Path(__file__).parents[1])))
