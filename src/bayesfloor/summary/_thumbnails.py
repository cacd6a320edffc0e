"""Embed pictures of rows in the page as small images."""

from __future__ import annotations

import base64
import io
import os
import warnings
from collections.abc import Iterable
from importlib.util import find_spec
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
    if find_spec("PIL") is None:
        raise MissingPackageError("Pictures need Pillow: python -m pip install pillow")
    places = getattr(images, "iloc", images)  # pandas would look up labels, but rows are positions
    found = {row: _thumbnail(places[row]) for row in sorted(set(rows)) if 0 <= row < len(images)}
    return {row: image for row, image in found.items() if image}


def _thumbnail(image: Any) -> str:
    if image is None or (isinstance(image, float) and np.isnan(image)):
        return ""
    return _from_file(image) if isinstance(image, str | os.PathLike) else _from_array(np.asarray(image))


def _from_array(values: np.ndarray) -> str:
    """Return a thumbnail of an array of height by width, with three or four colour channels last unless it is grey."""
    from PIL import Image

    is_picture = values.ndim == 2 or (values.ndim == 3 and values.shape[2] in (3, 4))
    if values.dtype != np.uint8 or not values.size or not is_picture:
        raise InputError(
            f"Got a picture of shape {values.shape} and type {values.dtype}, but expected a file, or an array of "
            "shape (height, width), or (height, width, 3 or 4), and type uint8."
        )
    return _shrink(Image.fromarray(np.ascontiguousarray(values)))


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
        grey = np.nan_to_num(np.asarray(image, dtype=np.float64))
        image = Image.fromarray((255 * (grey - grey.min()) / max(np.ptp(grey), 1e-9)).astype(np.uint8))
    return ImageOps.exif_transpose(image)


def _shrink(image: Any) -> str:
    """Return a small picture on white: small drawings keep their pixels, photographs are compressed."""
    from PIL import Image

    if image.mode not in ("L", "RGB"):
        clear = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear).convert("RGB")
    kind = "PNG" if max(image.size) <= _DRAWN else "JPEG"
    image.thumbnail((_SIDE, _SIDE))
    stream = io.BytesIO()
    image.save(stream, kind, optimize=True)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(stream.getvalue()).decode()}"
