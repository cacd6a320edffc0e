"""Files in an object store give what the same local files give."""

import fsspec
import numpy as np
import pytest

import bayesfloor
from bayesfloor.io import open_data
from bayesfloor.io._messages import DataError

FILES = {
    "one.parquet": "label",
    "one.csv": "label",
    "one.csv.gz": "label",
    "one.arrow": "label",
    "one.npz": None,
    "one.npy": "-1",
    "many_parquet": "label",
    "many_csv": "label",
    "many_arrow": "label",
    "hive": "label",
}


def assert_same(one, two):
    for left, right in ((one.native, two.native), (one.y, two.y)):
        assert left.equals(right) if hasattr(left, "equals") else np.array_equal(left, right)
    assert (one.name, one.label, one.feature_names, one.notes) == (two.name, two.label, two.feature_names, two.notes)


@pytest.mark.parametrize("name", FILES)
def test_a_file_in_a_bucket_is_the_same_table(here, there, name):
    """Format, types, order of rows and notes do not depend on where a file is."""
    assert_same(open_data(str(here / name), FILES[name]), open_data(f"{there}/{name}", FILES[name]))


def test_names_may_have_spaces_and_accents(here, there, s3):
    """As other tools for object stores accept them, and also encoded."""
    with s3.open_output_stream("bucket/odd names/café au lait.csv") as stream:
        stream.write((here / "one.csv").read_bytes())
    expected = open_data(f"{there}/one.csv", "label").native

    for name in ("odd names/café au lait.csv", "odd%20names/caf%C3%A9%20au%20lait.csv"):
        assert open_data(f"s3://bucket/{name}", "label").native.equals(expected)


@pytest.mark.parametrize("name", ["one.csv", "one.parquet", "one.npz"])
def test_other_file_systems_are_read_with_fsspec(here, name):
    """Whatever fsspec opens can be read; here files in memory."""
    fsspec.filesystem("memory").pipe(f"/tests/{name}", (here / name).read_bytes())

    assert_same(open_data(str(here / name), FILES[name]), open_data(f"memory://tests/{name}", FILES[name]))


@pytest.mark.parametrize("name", ["one.csv", "one.csv.gz", "one.parquet", "one.npy"])
def test_a_file_on_a_website_is_the_same_table(here, website, name):
    """The signature of a signed link is not part of the file's name."""
    found = open_data(f"{website}/{name}?X-Amz-Signature=hush", FILES[name])

    assert_same(open_data(str(here / name), FILES[name]), found)


def test_addresses_serve_labels_checks_and_local_files(here, there):
    """Nothing about the answer depends on where a file is, not even the fingerprint; file:// is a local path."""
    for how in ({"labels_file": f"{there}/y.npy"}, {"y": f"{there}/y.npy"}):
        found = open_data(str(here / "x.npy"), **how)
        assert np.array_equal(found.y, np.load(here / "y.npy"))

    assert_same(open_data(str(here / "one.csv"), "label"), open_data((here / "one.csv").as_uri(), "label"))

    one, two = (bayesfloor.check(f"{place}/one.csv", "label", effort="quick") for place in (here, there))

    assert one.to_json() == two.to_json()


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("s3://bucket/there/on.csv", "no file 's3://bucket/there/on.csv'. Did you mean 'one.csv'"),
        ("s3://nothing-here/one.csv", "no file 's3://nothing-here/one.csv'. There is no folder 's3://nothing-here'."),
        ("s3://bucket/there/one.xyz", "no file"),
        ("memory://nowhere/one.csv", "no file 'memory://nowhere/one.csv'"),
    ],
)
@pytest.mark.usefixtures("there")
def test_what_is_not_there_is_told_like_a_local_file(address, told):
    """A wrong name is one line, with a suggestion where there is one."""
    with pytest.raises(DataError) as error:
        open_data(address, "label")

    assert told in str(error.value)


def test_a_missing_package_is_named():
    """What opens the address is an optional package."""
    with pytest.raises(bayesfloor.io.InputError, match=r"abfs:// addresses need another package.*adlfs"):
        open_data("abfs://container/one.csv", "label")
    with pytest.raises(bayesfloor.io.InputError, match=r"odd://x\.csv cannot be read"):
        open_data("odd://x.csv", "label")
