"""Read and write the version, which is the same in three files.

``python tools/version.py`` prints it; ``python tools/version.py 0.2.0.dev0`` writes it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PLACES = {
    "pyproject.toml": re.compile(r'^version = "(?P<version>.+)"$', re.MULTILINE),
    "src/bayesfloor/__init__.py": re.compile(r'^__version__ = "(?P<version>.+)"$', re.MULTILINE),
    "CITATION.cff": re.compile(r"^version: (?P<version>.+)$", re.MULTILINE),
}
FORM = re.compile(r"(\d+)\.(\d+)\.(\d+)(\.dev\d+)?")
_DAY = re.compile(r"^date-released: .*\n", re.MULTILINE)


def read_version(root: Path) -> str:
    """Return the version of a checkout."""
    found = {name: _match(root / name, place)["version"] for name, place in PLACES.items()}
    if len(set(found.values())) > 1:
        raise ValueError(f"Got different versions: {found}. Write one: python tools/version.py VERSION")
    return found["pyproject.toml"]


def write_version(root: Path, version: str, day: str | None = None) -> None:
    """Write a version and its release date into a checkout."""
    if not FORM.fullmatch(version):
        raise ValueError(f"Got version {version!r}, but expected one like 0.2.0 or 0.2.0.dev0.")
    for name, place in PLACES.items():
        start, end = _match(root / name, place).span("version")
        text = (root / name).read_text("utf-8")
        _write(root / name, text[:start] + version + text[end:])
    _write_day(root / "CITATION.cff", day)


def _match(path: Path, place: re.Pattern[str]) -> re.Match[str]:
    found = list(place.finditer(path.read_text("utf-8")))
    if len(found) != 1:
        raise ValueError(f"Got {len(found)} versions in {path.name}, but expected one.")
    return found[0]


def _write_day(path: Path, day: str | None) -> None:
    """Write the release date; a development version has none."""
    text = _DAY.sub("", path.read_text("utf-8"))
    line = f"date-released: {day}\n" if day else ""
    _write(path, text.replace("license:", f"{line}license:", 1))


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    here = Path(__file__).parents[1]
    if len(sys.argv) > 1:
        write_version(here, sys.argv[1])
    print(read_version(here))
