"""Embed pictures of rows in the page as small images."""

from __future__ import annotations

import base64
import io
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from bayesfloor.support._errors import InputError, MissingPackageError

_KINDS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")  # other formats may start programs
_SIDE = 96  # most pixels per side
_DRAWN = 32  # most pixels per side of a picture that is stored exactly; larger ones are treated as photographs


def thumbnails(images: Any, rows: Iterable[int]) -> dict[int, str]:
    """Return data URLs of the pictures of these rows, without those that cannot be read."""
    if images is None:
        return {}
    _need_pillow()
    places = getattr(images, "iloc", images)  # pandas would look up labels, but rows are positions
    given = {row: places[row] for row in sorted(set(rows)) if 0 <= row < len(images)}
    files = {row: _from_file(image) for row, image in given.items() if isinstance(image, str | os.PathLike)}
    arrays = {row: np.asarray(image) for row, image in given.items() if row not in files and not _is_missing(image)}
    drawn = dict(zip(arrays, map(_from_array, _as_bytes(list(arrays.values()))), strict=True))
    return {row: image for row, image in (files | drawn).items() if image}


def _need_pillow() -> None:
    from importlib.util import find_spec

    if find_spec("PIL") is None:
        raise MissingPackageError("Pictures need Pillow: python -m pip install pillow")


def _is_missing(image: Any) -> bool:
    return image is None or (isinstance(image, float) and np.isnan(image))


def _as_bytes(pictures: list[np.ndarray]) -> list[np.ndarray]:
    """Return bytes unchanged; scale other values to 0 to 255, using the minimum and maximum of all pictures."""
    if all(picture.dtype == np.uint8 for picture in pictures):
        return pictures
    values = [picture.astype(np.float64) for picture in pictures]
    known = np.concatenate([picture[np.isfinite(picture)] for picture in values])
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    unit = high - low if high > low else 1.0
    return [np.nan_to_num(np.clip((picture - low) / unit, 0, 1) * 255).astype(np.uint8) for picture in values]


def _from_array(values: np.ndarray) -> str:
    from PIL import Image

    return _shrink(Image.fromarray(_with_colours_last(values)))


def _with_colours_last(values: np.ndarray) -> np.ndarray:
    """Return an array of height by width, with three or four colour channels last unless it is grey."""
    shape = values.shape
    if values.ndim == 3 and shape[2] not in (1, 3, 4) and shape[0] in (1, 3, 4):
        values = np.moveaxis(values, 0, 2)
    if values.ndim == 3 and values.shape[2] == 1:
        values = values[:, :, 0]
    if not values.size or (values.ndim != 2 and not (values.ndim == 3 and values.shape[2] in (3, 4))):
        raise InputError(f"Got a picture of shape {shape}, but expected (height, width) or (height, width, 3 or 4).")
    return np.ascontiguousarray(values)


def _from_file(path: Any) -> str:
    """Return a thumbnail of a picture file; empty if it is not a picture or is not on a local disk."""
    from PIL import Image

    if str(path)[:2].replace("\\", "/") == "//":  # on another machine
        return ""
    try:
        if not Path(path).is_file():
            return ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # for minor defects in files that can still be read
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path, formats=_KINDS) as image:
                return _shrink(_upright(image))
    except Exception:  # noqa: BLE001  # Pillow's readers raise errors of any kind if a file is broken
        return ""


def _upright(image: Any) -> Any:
    """Rotate the picture upright, as its EXIF data say, and reduce grey values of several bytes to one."""
    from PIL import Image, ImageOps

    image.draft("RGB", (_SIDE, _SIDE))
    if image.mode[0] in "IF":
        image = Image.fromarray(_as_bytes([np.asarray(image)])[0])
    return ImageOps.exif_transpose(image)


def _shrink(image: Any) -> str:
    """Return a small picture on white: small drawings keep their pixels, photographs are compressed."""
    from PIL import Image

    if image.mode not in ("L", "RGB"):
        clear = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear).convert("RGB")
    kind = "PNG" if max(image.size) <= _DRAWN else "JPEG"
    image.thumbnail((_SIDE, _SIDE))
    return _encode(image, kind)


def _encode(image: Any, kind: str) -> str:
    stream = io.BytesIO()
    image.save(stream, kind, optimize=True)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(stream.getvalue()).decode()}"
