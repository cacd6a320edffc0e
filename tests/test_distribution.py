"""What users get holds what it should."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="needs the group release")
pytestmark = pytest.mark.slow  # it builds

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tools"))

import distribution  # noqa: E402 - their folder is no package
import version  # noqa: E402

LICENCE_LINK = f"(https://github.com/OWNER/bayesfloor/blob/v{version.read_version(ROOT)}/LICENSE)".encode()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Sdist and wheel of this checkout, and the wheel of that sdist."""
    return distribution.build(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def wheel(built):
    return distribution.read_wheel(built[1])


@pytest.fixture(scope="module")
def sdist(built):
    return distribution.read_sdist(built[0])


def test_what_is_built_has_no_fault(built):
    """Nor more bytes than one would want to download."""
    assert distribution.find_faults(ROOT, *built) == []


def test_packagers_get_tests_and_manual(sdist):
    """What came from a registry can be checked without the repository."""
    assert {"tests/readme.py", "docs/decide.md", "benchmarks/floor.py", "tools/lowest.py"} <= set(sdist)


@pytest.mark.parametrize("name", ["bayesfloor/notes.txt", "bayesfloor/__pycache__/_a.pyc", "tests/test_a.py"])
def test_a_stray_file_in_the_wheel_is_a_fault(wheel, name):
    """Caches, notes and tests do not go to users."""
    assert distribution.find_wheel_faults(ROOT, {**wheel, name: b"x"}) == [f"wheel: {name} should not be in it"]


@pytest.mark.parametrize(
    "name", ["docs/_build/index.html", "tests/rows.parquet", "notes.md", "docs/api/generated/a.rst"]
)
def test_a_stray_file_in_the_sdist_is_a_fault_and_so_is_newer_metadata(sdist, name):
    """Nor do data and what a build leaves behind; wheel and sdist are uploaded together."""
    newer = sdist["PKG-INFO"].replace(b"Metadata-Version: 2.4", b"Metadata-Version: 2.5")

    assert distribution.find_sdist_faults({**sdist, "PKG-INFO": newer, name: b"x"}) == [
        f"sdist: {name} should not be in it",
        "metadata: version 2.5 of the format, but expected 2.4",
    ]


def test_a_path_of_a_machine_is_a_fault(wheel, sdist):
    """No file tells where it was made."""
    path = f"{'/'}home/someone/rows.csv".encode()

    (in_wheel,) = distribution.find_wheel_faults(ROOT, {**wheel, "bayesfloor/py.typed": path})
    (in_sdist,) = distribution.find_sdist_faults({**sdist, "docs/a.md": path})

    assert in_wheel.startswith("wheel: bayesfloor/py.typed contains a path of a machine")
    assert in_sdist.startswith("sdist: docs/a.md contains a path of a machine")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (b"Metadata-Version: 2.4", b"Metadata-Version: 2.5", "metadata: version 2.5 of the format, but expected 2.4"),
        (b"License-Expression: BSD-3-Clause\n", b"", "metadata: no License-Expression"),
        (b"numpy>=2.2", b"numpy<3,>=2.2", "metadata: numpy<3,>=2.2 is not a lower bound"),
        (
            b"Provides-Extra: plot",
            b"Provides-Extra: plots",
            "metadata: extras are not ['cli', 'dask', 'large', 'plot']",
        ),
        (b"text/markdown", b"text/x-rst", "metadata: README is not marked as Markdown"),
        (b"# bayesfloor", b"# floor", "metadata: README differs from the checkout"),
        (LICENCE_LINK, b"(LICENSE)", "metadata: README links to LICENSE"),
    ],
)
def test_a_gap_in_the_metadata_is_a_fault(wheel, old, new, fault):
    """A registry shows what the metadata says."""
    name = next(name for name in wheel if name.endswith("METADATA"))
    spoilt = {**wheel, name: wheel[name].replace(old, new, 1)}

    assert distribution.find_wheel_faults(ROOT, spoilt) == [fault]


def test_a_module_that_the_sdist_leaves_out_is_a_fault(wheel):
    """Or that is another one when built from it."""
    lost = "bayesfloor/summary/_html.py"
    less = {name: content for name, content in wheel.items() if name != lost}

    assert distribution.find_differences(wheel, less) == [f"wheel: {lost} differs when built from the sdist"]
    assert distribution.find_differences(wheel, {**less, lost: b"pass"}) == distribution.find_differences(wheel, less)
    assert distribution.find_wheel_faults(ROOT, less) == [f"wheel: no {lost}"]
