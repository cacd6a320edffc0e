"""Pictures of rows: of any array and any file, small, and never the end of a report."""

import base64
import io
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from bayesfloor.summary._html import thumbnails


def opened(address):
    head, _, data = address.partition(";base64,")
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    assert head == f"data:image/{image.format.lower()}"
    return image


def pixels(address):
    return np.asarray(opened(address))


def test_only_the_rows_asked_for_are_drawn():
    """A set has thousands of pictures, a report some dozens; without images Pillow is not asked for."""
    assert thumbnails(None, [0, 1]) == {}

    assert list(thumbnails(np.zeros((9, 4, 4), dtype=np.uint8), [5, 2, 2, -1, 99])) == [2, 5]


def test_bytes_colours_and_every_pixel_of_small_pictures_stay():
    """Stretching a dark photograph would show another one; in a digit of eight by eight every pixel counts."""
    image = np.arange(16, dtype=np.uint8).reshape(4, 4)
    np.testing.assert_array_equal(pixels(thumbnails([image], [0])[0]), image)

    red = np.zeros((8, 8, 3), dtype=np.uint8)
    red[:, :, 0] = 255
    assert pixels(thumbnails([red], [0])[0])[0, 0].tolist() == [255, 0, 0]

    noise = np.random.default_rng(0).integers(0, 256, (8, 8), dtype=np.uint8)
    np.testing.assert_array_equal(pixels(thumbnails([noise], [0])[0]), noise)


@pytest.mark.parametrize("shape", [(8, 6), (8, 6, 3), (8, 6, 4)])
def test_pictures_are_grey_or_have_colours_last(shape):
    """As Pillow and Matplotlib have them."""
    image = opened(thumbnails([np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)], [0])[0])
    assert image.size == (6, 8)
    assert image.mode == ("L" if len(shape) == 2 else "RGB")


@pytest.mark.parametrize("shape", [(64,), (2, 8, 8, 3), (8, 8, 2), (3, 8, 8), (0, 8), ()])
def test_what_is_no_picture_is_refused_with_its_shape(shape):
    """Rows of pixels that nobody shaped are a mistake of the caller, not a broken file."""
    with pytest.raises(
        ValueError, match=r"Got a picture of shape \(.*\) and type uint8, but expected a file, or an array"
    ):
        thumbnails([np.zeros(shape, dtype=np.uint8)], [0])
    with pytest.raises(ValueError, match=r"shape \(4, 4\) and type float64, but expected .* type uint8"):
        thumbnails([np.zeros((4, 4))], [0])


def test_pictures_may_differ_in_size_and_kind():
    images = [np.zeros((4, 6), dtype=np.uint8), np.zeros((8, 3, 3), dtype=np.uint8), Image.new("RGB", (5, 5))]
    assert [opened(image).size for image in thumbnails(images, range(3)).values()] == [(6, 4), (3, 8), (5, 5)]


def test_large_pictures_become_small_and_keep_their_shape():
    """A report must pass every mail server."""
    noise = np.random.default_rng(0).integers(0, 256, (400, 200, 3), dtype=np.uint8)
    address = thumbnails([noise], [0])[0]
    assert opened(address).size == (48, 96)
    assert opened(address).format == "JPEG"
    assert len(address) < 10_000


def test_rows_are_places_in_pandas_too():
    """After a split, the labels of its index are those of other rows."""
    images = pd.Series([np.zeros((n, n), dtype=np.uint8) for n in (2, 3, 4)], index=[2, 1, 0])
    assert [opened(image).size[0] for image in thumbnails(images, [0, 2]).values()] == [2, 4]


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.gif", "a.bmp", "ü 1#.png"])
@pytest.mark.parametrize("kind", [str, Path, np.str_])
def test_files_of_many_kinds_are_read(tmp_path, name, kind):
    """Paths come as they stand in a table."""
    path = tmp_path / name
    Image.new("RGB", (40, 20), "red").save(path)
    image = opened(thumbnails([kind(path)], [0])[0])
    assert image.size == (40, 20)
    assert abs(np.asarray(image)[10, 20].astype(int) - [255, 0, 0]).max() < 6


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
def test_files_that_cannot_be_shown_are_left_out(tmp_path):
    """One broken file among thousands must not cost the report."""
    good = tmp_path / "good.png"
    Image.new("L", (4, 4)).save(good)
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "empty.png").touch()
    (tmp_path / "half.png").write_bytes(good.read_bytes()[:40])
    (tmp_path / "link.png").symlink_to(good)
    (tmp_path / "nowhere.png").symlink_to(tmp_path / "gone.png")
    (tmp_path / "round.png").symlink_to(tmp_path / "round.png")
    bad = ["text.png", "empty.png", "half.png", "missing.png", "nowhere.png", "round.png", "", "x" * 5000, "a\0b"]
    paths = [str(good), str(tmp_path / "link.png"), *(str(tmp_path / name) for name in bad)]
    paths += ["https://example.com/a.png", "/dev/zero", None, float("nan")]
    assert list(thumbnails(paths, range(len(paths)))) == [0, 1]


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.gif", "a.tiff", "a.webp", "a.bmp"])
def test_damaged_files_never_raise(tmp_path, name, rng):
    """Readers of images fail in ways of their own, each in another one."""
    path = tmp_path / name
    Image.fromarray(rng.integers(0, 256, (20, 20, 3), dtype=np.uint8)).save(path)
    whole = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    for _ in range(30):
        broken = whole.copy()
        broken[rng.integers(0, len(whole), 12)] = rng.integers(0, 256, 12)
        path.write_bytes(broken[: rng.integers(1, len(whole))].tobytes())
        thumbnails([path], [0])


def test_a_first_file_that_is_missing_hides_no_other(tmp_path):
    """The kind of all pictures must not be guessed from the first."""
    Image.new("L", (4, 4)).save(tmp_path / "good.png")
    assert list(thumbnails([None, tmp_path / "good.png"], [0, 1])) == [1]


def test_clear_parts_are_white(tmp_path):
    """Black signs on nothing would be black on black."""
    image = Image.new("RGBA", (8, 8), (0, 0, 0, 0))
    image.save(tmp_path / "clear.png")
    for given in (tmp_path / "clear.png", np.asarray(image)):
        assert pixels(thumbnails([given], [0])[0])[0, 0].tolist() == [255, 255, 255]


def test_photographs_stand_upright_tell_no_place_and_greys_of_two_bytes_are_not_all_white(tmp_path):
    """Cameras write down how they were held and where; X-rays and maps have deep greys."""
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (40, 20)).save(tmp_path / "turned.jpg", exif=exif)
    assert opened(thumbnails([tmp_path / "turned.jpg"], [0])[0]).size == (20, 40)

    exif[0x010E] = "secret place"
    Image.new("RGB", (90, 90)).save(tmp_path / "a.jpg", exif=exif)
    image = opened(thumbnails([tmp_path / "a.jpg"], [0])[0])
    assert not dict(image.getexif())

    values = np.linspace(1000, 60000, 64).astype(np.uint16).reshape(8, 8)
    Image.fromarray(values).save(tmp_path / "deep.png")
    shown = pixels(thumbnails([tmp_path / "deep.png"], [0])[0])
    assert (shown.min(), shown.max()) == (0, 255)


def test_without_pillow_the_error_says_what_to_install(monkeypatch):
    """Pictures are a wish, and the way to them is one command."""
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="Pictures need Pillow: python -m pip install pillow"):
        thumbnails(np.zeros((1, 4, 4)), [0])
    assert thumbnails(None, [0]) == {}
