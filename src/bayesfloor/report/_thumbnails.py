"""Pictures of rows as small images inside the page."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

_SIDE = 96  # pixels at most


def thumbnails(images: Any, rows: Iterable[int]) -> dict[int, str]:
    """Data addresses of the pictures of these rows; those that cannot be read are left out."""
    if images is None:
        return {}
    _need_pillow()
    wanted = sorted({row for row in rows if 0 <= row < len(images)})
    if _are_paths(images):
        found = {row: _from_file(str(images[row])) for row in wanted}
    else:
        values = np.stack([np.asarray(images[row], dtype=np.float64) for row in wanted]) if wanted else np.empty(0)
        found = dict(zip(wanted, map(_from_array, _as_bytes(values)), strict=True))
    return {row: image for row, image in found.items() if image}


def _need_pillow() -> None:
    from importlib.util import find_spec

    if find_spec("PIL") is None:
        raise ImportError('Pictures need Pillow: python -m pip install pillow, or "bayesfloor[plot]".')


def _are_paths(images: Any) -> bool:
    return isinstance(images[0], str | Path)


def _as_bytes(values: np.ndarray) -> np.ndarray:
    """Values from the least to the greatest as 0 to 255."""
    if not values.size:
        return values
    low, high = np.nanmin(values), np.nanmax(values)
    return np.nan_to_num((values - low) / max(high - low, 1e-300) * 255).astype(np.uint8)


def _from_array(values: np.ndarray) -> str:
    from PIL import Image

    image = Image.fromarray(values.squeeze())
    image.thumbnail((_SIDE, _SIDE))
    return _encode(image, "PNG")


def _from_file(path: str) -> str:
    """A file as a small JPEG; none of what is no picture, or lies elsewhere than on a disk."""
    from PIL import Image

    if not Path(path).is_file():
        return ""
    try:
        with Image.open(path) as image:
            image.draft("RGB", (_SIDE, _SIDE))
            image.thumbnail((_SIDE, _SIDE))
            return _encode(image.convert("RGB"), "JPEG")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return ""


def _encode(image: Any, kind: str) -> str:
    stream = io.BytesIO()
    image.save(stream, kind, optimize=True)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(stream.getvalue()).decode()}"
