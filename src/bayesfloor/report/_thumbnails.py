"""Pictures of rows as small images inside the page."""

from __future__ import annotations

import base64
import io
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

_KINDS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")  # others may start programs
_SIDE = 96  # pixels at most
_DRAWN = 32  # pixels up to which a picture keeps every one; larger ones are photographs


def thumbnails(images: Any, rows: Iterable[int]) -> dict[int, str]:
    """Data addresses of the pictures of these rows; those that cannot be read are left out."""
    if images is None:
        return {}
    _need_pillow()
    places = getattr(images, "iloc", images)  # pandas looks up labels, but rows are places
    given = {row: places[row] for row in sorted(set(rows)) if 0 <= row < len(images)}
    files = {row: _from_file(image) for row, image in given.items() if isinstance(image, str | os.PathLike)}
    arrays = {row: np.asarray(image) for row, image in given.items() if row not in files and not _is_missing(image)}
    drawn = dict(zip(arrays, map(_from_array, _as_bytes(list(arrays.values()))), strict=True))
    return {row: image for row, image in (files | drawn).items() if image}


def _need_pillow() -> None:
    from importlib.util import find_spec

    if find_spec("PIL") is None:
        raise ImportError('Pictures need Pillow: python -m pip install pillow, or "bayesfloor[plot]".')


def _is_missing(image: Any) -> bool:
    return image is None or (isinstance(image, float) and np.isnan(image))


def _as_bytes(pictures: list[np.ndarray]) -> list[np.ndarray]:
    """Bytes as they are; other values from the least to the greatest of all pictures as 0 to 255."""
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
    """Height, width and, unless all is grey, three or four colours."""
    shape = values.shape
    if values.ndim == 3 and shape[2] not in (1, 3, 4) and shape[0] in (1, 3, 4):
        values = np.moveaxis(values, 0, 2)
    if values.ndim == 3 and values.shape[2] == 1:
        values = values[:, :, 0]
    if not values.size or (values.ndim != 2 and not (values.ndim == 3 and values.shape[2] in (3, 4))):
        raise ValueError(f"Got a picture of shape {shape}, but expected height and width, and 3 or 4 colours behind.")
    return np.ascontiguousarray(values)


def _from_file(path: Any) -> str:
    """A file as a small picture; none of what is no picture, or lies elsewhere than on a disk."""
    from PIL import Image

    if str(path)[:2].replace("\\", "/") == "//":  # another machine's
        return ""
    try:
        if not Path(path).is_file():
            return ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd parts in files that can be read all the same
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path, formats=_KINDS) as image:
                return _shrink(_upright(image))
    except Exception:  # noqa: BLE001  # Pillow's readers raise anything when a file is broken
        return ""


def _upright(image: Any) -> Any:
    """The picture as cameras mean it, with greys of more than a byte brought down to one."""
    from PIL import Image, ImageOps

    image.draft("RGB", (_SIDE, _SIDE))
    if image.mode[0] in "IF":
        image = Image.fromarray(_as_bytes([np.asarray(image)])[0])
    return ImageOps.exif_transpose(image)


def _shrink(image: Any) -> str:
    """A small picture on white: line drawings keep their pixels, photographs are packed closer."""
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
