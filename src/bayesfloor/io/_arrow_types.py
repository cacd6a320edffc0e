"""pyarrow, once a file needs it, and what its columns hold."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesfloor.io._messages import DataError


def arrow(part: str = "") -> Any:
    """pyarrow, or a part of it such as ``.csv``."""
    try:
        return import_module(f"pyarrow{part}")
    except ImportError as error:
        raise DataError(
            'reading this file needs pyarrow, which is not installed. Run: python -m pip install "bayesfloor[cli]"'
        ) from error


def plain_type(column: Any) -> Any:
    """An array as every road gives it: no dictionaries, extensions or decimals, and one type of text."""
    pa, kinds = arrow(), arrow(".types")
    if isinstance(column.type, pa.BaseExtensionType):
        return plain_type(column.storage)
    if kinds.is_dictionary(column.type):
        return pa.DictionaryArray.from_arrays(column.indices, plain_type(column.dictionary)).dictionary_decode()
    if kinds.is_run_end_encoded(column.type):
        return plain_type(arrow(".compute").run_end_decode(column))
    if kinds.is_decimal(column.type):
        return column.cast(pa.float64())
    if kinds.is_float16(column.type):
        return column.cast(pa.float32())
    return column.cast(pa.large_string()) if str(column.type) in ("string", "string_view") else column


def is_text(kind: Any) -> bool:
    """Whether a type is text."""
    kinds = arrow(".types")
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind))


def is_number(kind: Any) -> bool:
    """Whether a type is a number."""
    kinds = arrow(".types")
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind))


def is_list(kind: Any) -> bool:
    """Whether a type is a list of numbers."""
    kinds = arrow(".types")
    if not (kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind)):
        return False
    return is_number(kind.value_type) or bool(kinds.is_decimal(kind.value_type))


def stack_lists(column: Any) -> NDArray[Any] | None:
    """Lists of numbers, all of one length, as rows of an array; missing lists and numbers as NaN. None of any others.

    Nothing is copied where no list is missing and all lie in one piece.
    """
    if not is_list(column.type) or not is_number(column.type.value_type):
        return None
    widths = arrow(".compute").list_value_length(column).unique().drop_null().to_pylist()
    if len(widths) != 1 or not widths[0]:
        return None
    blocks = [_block(chunk, widths[0]) for chunk in column.chunks if len(chunk)]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def _block(chunk: Any, width: int) -> NDArray[Any]:
    """A piece of a column of lists as rows."""
    flat = plain_type(chunk.flatten()).to_numpy(zero_copy_only=False).reshape(-1, width)  # has no missing lists
    if not chunk.null_count:
        return np.asarray(flat)
    block = np.full((len(chunk), width), np.nan)
    block[chunk.is_valid().to_numpy(zero_copy_only=False)] = flat
    return block


def missing_rows(column: Any) -> Any:
    """Which rows hold nothing, or what is not a number."""
    return arrow(".compute").is_null(column, nan_is_null=arrow(".types").is_floating(column.type))


def n_distinct(column: Any) -> int:
    """How many different values there are."""
    return int(arrow(".compute").count_distinct(column).as_py())
