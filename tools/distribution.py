"""Build the sdist and the wheel, and check them: ``python tools/distribution.py FOLDER``.

Both contain what they should and nothing else, the metadata are complete, no file contains paths of the build
machine, and the wheel built from the sdist equals the wheel built from the checkout.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from email import message_from_bytes
from email.message import Message
from fnmatch import fnmatchcase
from pathlib import Path

from version import read_version

Files = dict[str, bytes]

LINK = r"(?<=\]\()[^)]+(?=\))"

IN_WHEEL = (
    r"bayesfloor/([a-z]+/)*\w+\.py",
    r"bayesfloor/py\.typed",
    r"bayesfloor/summary/templates/\w+\.(html|css)",
    r"bayesfloor/summary/schema\.json",
    r"bayesfloor-[^/]+\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses/LICENSE)",
)
NEEDED_IN_WHEEL = (
    "bayesfloor/py.typed",
    "bayesfloor/summary/templates/notebook.html",
    "bayesfloor/summary/templates/page.html",
    "bayesfloor/summary/templates/parts.html",
    "bayesfloor/summary/templates/style.css",
    "bayesfloor/summary/schema.json",
    "bayesfloor-*.dist-info/entry_points.txt",
    "bayesfloor-*.dist-info/licenses/LICENSE",
)
# No data, no caches, no leftovers from a build of the site.
IN_SDIST = (
    r"src/bayesfloor/([a-z]+/)*\w+\.(py|typed|html|css|json)",
    r"(tests|tools|benchmarks)/([a-z_]+/)*\w+\.(py|md)|benchmarks/pages/\w+-\w+\.svg",
    r"benchmarks/(attack|datasets|next_step)\.json|tests/summary/checks/[\w-]+\.json|tests/summary/screens/\w+(-\d+|\.page)\.(txt|ansi)",
    r"tests/fuzz/corpus/[\w-]+\.(arrow|csv|json|npy|npz|parquet)",
    r"docs/(?!_build|auto_|api/generated)([\w-]+/)*[\w-]+\.(py|md|rst|html|css|svg|png|json|toml)",
    r"docs/([\w-]+/)*\.gitignore",
    r"changelog\.d/[\w-]+(\.\w+)*\.md",
    r"action\.yml|examples/\w+\.(csv|ipynb|md)",
    r"\.github/([A-Za-z_]+/)?\w+\.(yml|md)|\.pre-commit-config\.yaml",
    r"\.ci/run|\.gitignore|[A-Z_]+\.md|CITATION\.cff|LICENSE|constraints\.txt|pyproject\.toml|PKG-INFO",
)
NEEDED_IN_SDIST = (
    ".ci/run",
    ".github/workflows/ci.yml",
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "README.md",
    "benchmarks/check.py",
    "benchmarks/datasets.json",
    "docs/conf.py",
    "docs/results/check.json",
    "pyproject.toml",
    "src/bayesfloor/py.typed",
    "tests/conftest.py",
    "tools/release.py",
)
MOST_BYTES = {"wheel": 700_000, "sdist": 5_000_000}
METADATA = "2.4"  # the newest version of the metadata that all uploaders in use read
FIELDS = ("Name", "Version", "Summary", "Author", "License-Expression", "License-File", "Keywords", "Requires-Python")
EXTRAS = ["cli", "dask", "large", "plot"]
_OF_A_MACHINE = re.compile(rb"(?<![\w.])/(?:home|root|Users|work|builds)/\w|[A-Z]:\\Users\\")


def build(root: Path, out: Path) -> tuple[Path, Path, Path]:
    """Build the sdist and the wheel from a checkout, and a second wheel from that sdist."""
    _run_hatchling(root, out, "sdist", "wheel")
    sdist, wheel = next(out.glob("*.tar.gz")), next(out.glob("*.whl"))
    with tempfile.TemporaryDirectory() as folder, tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):  # Python 3.11.4; and the sdist is our own
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(folder)  # noqa: S202 - see above
        _run_hatchling(next(Path(folder).iterdir()), out / "again", "wheel")
    return sdist, wheel, next((out / "again").glob("*.whl"))


def _run_hatchling(root: Path, out: Path, *targets: str) -> None:
    wanted = [word for target in targets for word in ("--target", target)]
    command = [sys.executable, "-m", "hatchling", "build", *wanted, "--directory", str(out)]
    done = subprocess.run(command, capture_output=True, check=False, cwd=root, text=True, encoding="utf-8")
    if done.returncode:
        raise RuntimeError(f"cannot build {' and '.join(targets)}: {done.stderr}")


def find_faults(root: Path, sdist: Path, wheel: Path, again: Path) -> list[str]:
    """Return everything that is wrong with the built files."""
    in_wheel = read_wheel(wheel)
    return [
        *find_wheel_faults(root, in_wheel),
        *find_sdist_faults(read_sdist(sdist)),
        *find_differences(in_wheel, read_wheel(again)),
        *_find_weight("wheel", wheel),
        *_find_weight("sdist", sdist),
    ]


def find_wheel_faults(root: Path, files: Files) -> list[str]:
    """Return what is wrong with the contents of a wheel."""
    strays = _find_strays("wheel", files, IN_WHEEL, NEEDED_IN_WHEEL)
    return [*strays, *_find_lost(root, files), *_find_paths("wheel", files), *_find_gaps(root, files)]


def find_sdist_faults(files: Files) -> list[str]:
    """Return what is wrong with the contents of an sdist."""
    strays = _find_strays("sdist", files, IN_SDIST, NEEDED_IN_SDIST)
    return [*strays, *_find_paths("sdist", files), *_find_new_metadata(message_from_bytes(files["PKG-INFO"]))]


def find_differences(one: Files, two: Files) -> list[str]:
    """Return the files that differ between two wheels."""
    hashes = [{name: hashlib.sha256(text).hexdigest() for name, text in files.items()} for files in (one, two)]
    different = sorted({name for name, _ in hashes[0].items() ^ hashes[1].items()})
    return [f"wheel: {name} differs when built from the sdist" for name in different]


def read_wheel(path: Path) -> Files:
    """Return the file names and contents of a wheel."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_sdist(path: Path) -> Files:
    """Return the file names, without the common folder, and contents of an sdist."""
    with tarfile.open(path) as archive:
        members = [member for member in archive.getmembers() if not member.isdir()]
        return {member.name.partition("/")[2]: _read(archive, member) for member in members}


def _read(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member) if member.isfile() else None
    if file is None:
        raise ValueError(f"Got {member.name} in the sdist, which is not a regular file.")
    return file.read()


def _find_strays(what: str, files: Files, allowed: tuple[str, ...], needed: tuple[str, ...]) -> list[str]:
    stray = [name for name in files if not any(re.fullmatch(pattern, name) for pattern in allowed)]
    missing = [pattern for pattern in needed if not any(fnmatchcase(name, pattern) for name in files)]
    return [f"{what}: {name} should not be in it" for name in stray] + [f"{what}: no {name}" for name in missing]


def _find_lost(root: Path, in_wheel: Files) -> list[str]:
    """Return the modules of the checkout that the wheel lacks."""
    modules = [path.relative_to(root / "src").as_posix() for path in (root / "src").rglob("*.py")]
    return [f"wheel: no {name}" for name in modules if name not in in_wheel]


def _find_paths(what: str, files: Files) -> list[str]:
    found = {name: _OF_A_MACHINE.search(content) for name, content in files.items()}
    return [f"{what}: {name} contains a path of a machine: {hit[0]!r}" for name, hit in found.items() if hit]


def _find_gaps(root: Path, in_wheel: Files) -> list[str]:
    """Return what is missing or wrong in the metadata."""
    name = next(name for name in in_wheel if name.endswith(".dist-info/METADATA"))
    said = message_from_bytes(in_wheel[name])
    faults = [f"metadata: no {field}" for field in FIELDS if not said[field]]
    faults += [] if said["Version"] == read_version(root) else [f"metadata: version {said['Version']}"]
    faults += [] if sorted(said.get_all("Provides-Extra", [])) == EXTRAS else [f"metadata: extras are not {EXTRAS}"]
    faults += _find_new_metadata(said)
    return faults + _find_page_gaps(root, said) + _find_requirement_gaps(said.get_all("Requires-Dist", []))


def _find_new_metadata(said: Message) -> list[str]:
    found = said["Metadata-Version"]
    return [] if found == METADATA else [f"metadata: version {found} of the format, but expected {METADATA}"]


def _find_page_gaps(root: Path, said: Message) -> list[str]:
    """Check that the description is the README, as Markdown, with links that lead to the repository."""
    page = said.get_payload(decode=True)
    faults = (
        [] if said["Description-Content-Type"] == "text/markdown" else ["metadata: README is not marked as Markdown"]
    )
    shown = page.decode().strip() if isinstance(page, bytes) else ""
    links = re.findall(LINK, shown)
    if re.sub(LINK, "", shown) != re.sub(LINK, "", (root / "README.md").read_text("utf-8").strip()):
        faults.append("metadata: README differs from the checkout")
    return faults + [f"metadata: README links to {link}" for link in links if not link.startswith(("https://", "#"))]


def _find_requirement_gaps(requirements: list[str]) -> list[str]:
    """Check that each requirement has a lower bound and nothing else."""
    bounds = [requirement.partition(";")[0].strip() for requirement in requirements]
    wrong = [bound for bound in bounds if not re.fullmatch(r"[\w-]+>=[\d.]+", bound)]
    return [f"metadata: {bound} is not a lower bound" for bound in wrong]


def _find_weight(what: str, path: Path) -> list[str]:
    size, most = path.stat().st_size, MOST_BYTES[what]
    return [f"{what}: {size:,} bytes, but expected at most {most:,}"] if size > most else []


def main() -> None:
    """Build, check and print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="output folder for the sdist and the wheel")
    root = Path(__file__).parents[1]
    built = build(root, parser.parse_args().folder.resolve())
    if faults := find_faults(root, *built):
        sys.exit("\n".join(faults))
    for path in built[:2]:
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
