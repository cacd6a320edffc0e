"""Load pyarrow when it is needed, and inspect the types of its columns."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesfloor.io._messages import DataError


def arrow(part: str = "") -> Any:
    """Import pyarrow, or a submodule such as ``.csv``."""
    try:
        return import_module(f"pyarrow{part}")
    except ImportError as error:
        raise DataError(
            'reading this file needs pyarrow, which is not installed. Run: python -m pip install "bayesfloor[cli]"'
        ) from error


def plain_type(column: Any) -> Any:
    """Convert an array to one of a few plain types: a single text type, and no dictionaries or decimals."""
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
    """Stack lists of numbers as rows of an array, with NaN for missing lists and numbers.

    Return None unless all lists have the same length. Nothing is copied if no list is missing and all are contiguous.
    """
    if not is_list(column.type) or not is_number(column.type.value_type):
        return None
    widths = arrow(".compute").list_value_length(column).unique().drop_null().to_pylist()
    if len(widths) != 1 or not widths[0]:
        return None
    blocks = [_block(chunk, widths[0]) for chunk in column.chunks if len(chunk)]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def _block(chunk: Any, width: int) -> NDArray[Any]:
    """Return one chunk of a list column as rows."""
    flat = plain_type(chunk.flatten()).to_numpy(zero_copy_only=False).reshape(-1, width)  # this skips missing lists
    if not chunk.null_count:
        return np.asarray(flat)
    block = np.full((len(chunk), width), np.nan)
    block[chunk.is_valid().to_numpy(zero_copy_only=False)] = flat
    return block


def missing_rows(column: Any) -> Any:
    """Return a mask of the rows that are null or NaN."""
    return arrow(".compute").is_null(column, nan_is_null=arrow(".types").is_floating(column.type))


def n_distinct(column: Any) -> int:
    """Count the distinct values."""
    return int(arrow(".compute").count_distinct(column).as_py())
