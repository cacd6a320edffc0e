"""Read real-world CSV files: detect encoding, separator and types, and report all problems in one message."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bayesfloor.io._find_file import File, find_encoding
from bayesfloor.io._messages import DataError, arrow, join_words, quote, troubles_of
from bayesfloor.support._words import how_many

NUMBER = r"^\s*[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?\s*$"
_CODE = r"^[ \t]*(\+|-?0[0-9xX])"  # 01234, +4930123 and 0x1f are codes, although they could be read as numbers
_Kinds = tuple[str, ...]
_KINDS: _Kinds = ("null", "int64", "bool", "float64")  # types that a text column may become, best first
_SEPARATORS = "\t;|,"  # if several fit equally well, the first of them is used
_HEAD = 100_000  # characters to find the separator from, in at most _HEAD_ROWS rows
_HEAD_ROWS = 200
_BLOCK = 4 << 20
_LARGEST_BLOCK = 256 << 20
_MOST_LINES = 5
_FEW = 20


@dataclass(frozen=True)
class CsvFile:
    """A CSV file and its format."""

    file: File
    codec: str
    separator: str
    skipped: int  # lines before the header
    note: str = ""
    names: tuple[str, ...] = ()
    block: int = _BLOCK  # bytes to read at a time, enough for the longest row
    is_ragged: bool = False
    end: str = ""  # the last value

    def rows(self) -> Any:
        """Return Python's own reader, which counts lines."""
        lines = _open_text(self.file, self.codec)
        for _ in range(self.skipped):
            lines.readline()
        return csv.reader(lines, delimiter=self.separator)

    def texts(self, columns: Sequence[str], *, quoted_gaps: bool, ragged: list[Any] | None = None) -> Iterator[Any]:
        """Yield columns as text, in batches; only empty fields are missing (quoted ones, only if ``quoted_gaps``)."""
        file, pacsv, text = self.file, arrow(".csv"), arrow().large_string()
        encoding = "utf8" if self.codec == "utf-8-sig" else self.codec
        read = pacsv.ReadOptions(block_size=self.block, encoding=encoding, skip_rows=self.skipped)
        parse = pacsv.ParseOptions(delimiter=self.separator, newlines_in_values=True)
        if ragged is not None:
            parse.invalid_row_handler = partial(_skip, ragged)
        convert = pacsv.ConvertOptions(
            include_columns=list(columns),
            column_types=dict.fromkeys(self.names, text),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=quoted_gaps,
        )
        yield from pacsv.open_csv(file.open(), read, parse, convert)


def _skip(ragged: list[Any], row: Any) -> str:
    ragged.append(row.actual_columns)
    return "skip"


def _open_text(file: File, codec: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(file.open(), encoding=codec, newline="")


# The format of a file


def _look_at(file: File) -> CsvFile:
    codec, note = find_encoding(file)
    with _open_text(file, codec) as stream:
        head = stream.read(_HEAD)
    said = re.match(r'"?sep=(.)"?\r?\n', head)  # the line that tells Excel the separator
    is_tabbed = ".tsv" in file.name.lower()[-8:]
    separator = said[1] if said else "\t" if is_tabbed else max(_SEPARATORS, key=partial(_fit, head))
    found = CsvFile(file, codec, separator, skipped=int(bool(said)), note=note)
    return replace(found, names=tuple(next((row for row in found.rows() if row), [])))


def _fit(head: str, separator: str) -> float:
    """Return how well a separator fits: how often it is in the header, times the fraction of rows with as many."""
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=separator)
    rows = [row for row, _ in zip(reader, range(_HEAD_ROWS), strict=False) if row]
    whole = rows[:-1] if len(head) == _HEAD and len(rows) > 1 else rows  # the last row may be cut off
    widths = [len(row) for row in whole] or [1]
    agreeing = [width == widths[0] for width in widths[1:]] or [True]
    return (widths[0] - 1) * sum(agreeing) / len(agreeing)


def read_lines(file: File) -> list[list[str]] | None:
    """Return the lines of a one-column file, blank lines as empty lists; None for any other file."""
    rows = list(_look_at(file).rows())
    while rows and not rows[-1]:
        rows.pop()
    return rows if rows and max(map(len, rows)) == 1 else None


# The columns of a file


def open_csv(file: File) -> tuple[list[str], tuple[str, ...], Any, Any, None]:
    """Return column names, notes, a function that reads columns, and one that reads them as text; no row groups."""
    parts = [_look_at(part) for part in file.parts()]
    if not all(part.names for part in parts):
        raise DataError(f"{file.shown} is empty. Expected columns of features and labels.")
    for part in parts:
        part.file.refuse_wide(len(part.names))
    kinds = dict.fromkeys(parts[0].names, _KINDS)
    parts = [_scan(part, kinds) for part in parts]
    troubles = [trouble for part in parts for trouble in _troubles(part, parts[0])]
    if troubles:
        raise troubles_of(file.shown, troubles)
    notes = tuple(part.note for part in parts if part.note)
    return list(parts[0].names), notes, partial(_typed, parts, kinds), partial(_as_texts, parts), None


def _as_texts(parts: Sequence[CsvFile], _: None, columns: Sequence[str]) -> Iterator[Any]:
    """Yield columns as text; here a quoted empty field is an empty string, not a missing value."""
    for part in parts:
        yield from part.texts(columns, quoted_gaps=False)


def _typed(parts: Sequence[CsvFile], kinds: dict[str, _Kinds], _: None, columns: Sequence[str]) -> Iterator[Any]:
    for part in parts:
        for batch in part.texts(columns, quoted_gaps=True):
            typed = [_convert(batch.column(name), kinds[name][:1]) for name in columns]
            yield arrow().record_batch(typed, names=list(columns))


def _scan(part: CsvFile, kinds: dict[str, _Kinds]) -> CsvFile:
    """Read the file once, and narrow ``kinds`` to the types that fit all values."""
    for block in (max(_BLOCK, 100 * len(part.names)), _LARGEST_BLOCK):
        ragged: list[Any] = []
        end, n_rows = "", 0
        found = replace(part, block=block)
        try:
            for batch in found.texts((), quoted_gaps=True, ragged=ragged):
                for name, texts in zip(batch.schema.names, batch.columns, strict=True):
                    kinds[name] = _narrow(kinds.get(name, _KINDS), texts)
                n_rows += batch.num_rows
                part.file.refuse_packed(n_rows, 0)
                end = str(batch.column(-1)[-1]) if len(batch) else end
        except ValueError as error:
            if "straddling" not in str(error):  # pyarrow's term for a row longer than a block
                raise (no_rows(part.file) if "Empty CSV" in str(error) else error) from error
        else:
            return replace(found, is_ragged=bool(ragged), end=end)
    raise DataError(f"{part.file.shown} has a row of more than {_LARGEST_BLOCK >> 20} MB. Is there an unclosed quote?")


def _narrow(able: _Kinds, texts: Any) -> _Kinds:
    """Return the types that also fit these values; none if they are plain text."""
    if not able or texts.null_count == len(texts):
        return able
    kept = [kind for kind in able if kind in ("int64", "bool") and _fits(texts, kind)]
    if "float64" in able and ("int64" in kept or _fits(texts, "float64")):
        kept.append("float64")
    compute = arrow(".compute")
    is_code = kept and compute.any(compute.match_substring_regex(texts, _CODE)).as_py()
    return () if is_code else tuple(kept)


def _fits(texts: Any, kind: str) -> bool:
    try:
        _convert(texts[:_FEW], (kind,))  # a few first, because pyarrow is slow if all values fail
        _convert(texts, (kind,))
    except ValueError:
        return False
    return True


def _convert(texts: Any, kind: _Kinds) -> Any:
    """Convert text to the given type, if any; spaces around numbers are ignored."""
    pa, compute = arrow(), arrow(".compute")
    if kind == ("null",):
        return pa.nulls(len(texts))
    return compute.cast(compute.ascii_trim(texts, " \t"), kind[0]) if kind else texts


# Problems


def _troubles(part: CsvFile, first: CsvFile) -> Iterator[str]:
    names = part.names
    twins = [name for name, times in Counter(names).items() if times > 1]
    if twins and looks_headless(names):
        yield headless(part.file, names)
    elif twins:
        yield same_names(part.file, twins)
    if strange := set(names) ^ set(first.names):
        yield other_names(part.file, first.file, strange)
    if part.is_ragged:
        yield _ragged(part)
    if "\n" in part.end and (line := _unclosed(part)):
        yield f"in {part.file.shown}, a quote on line {line:,} is never closed. Close or remove it."


def _unclosed(part: CsvFile) -> int:
    """Return the line on which the last row starts if a quote there is never closed, else 0."""
    with _open_text(part.file, part.codec) as lines:
        last = deque((line.rstrip() for line in lines if line.strip()), maxlen=1)[0]
    rows = part.rows()
    return 0 if last.endswith('"') else [part.skipped + rows.line_num for _ in rows][-2] + 1


def same_names(file: File, twins: Sequence[str]) -> str:
    """Return the message for columns that share a name."""
    return f"{file.shown} has several columns named {join_words(twins)}. Rename them first."


def other_names(file: File, first: File, strange: set[str]) -> str:
    """Return the message for a file whose columns differ from those of the folder's first file."""
    return f"{file.shown} and {first.shown} have different columns: only one of them has {join_words(sorted(strange))}."


def looks_headless(names: Sequence[str]) -> bool:
    """Whether the first line looks like data. Call this only after a problem: spectra have columns named like 400.5."""
    return 2 * len(_broken_numbers(names)) > len(names)


def headless(file: File, names: Sequence[str]) -> str:
    """Return the message for a file without column names."""
    return (
        f"the first line of {file.shown} has numbers, such as {quote(_broken_numbers(names)[0])}, but expected column "
        "names. Add a first line with the names."
    )


def _broken_numbers(names: Sequence[str]) -> list[str]:
    return [name for name in names if re.match(NUMBER, name) and not name.strip().isdigit()]


def _ragged(part: CsvFile) -> str:
    """List the ragged lines with their line numbers, which pyarrow does not report."""
    width, rows = len(part.names), part.rows()
    try:
        wrong = [(rows.line_num + part.skipped, len(row)) for row in rows if row and len(row) != width]
    except csv.Error as error:  # a field longer than Python's limit
        raise DataError(
            f"{part.file.shown} has a very long field that ends after line {rows.line_num + part.skipped:,}. Is there "
            "an unclosed quote above it?"
        ) from error
    shown = ", ".join(f"line {line:,} has {how_many(fields, 'field')}" for line, fields in wrong[:_MOST_LINES])
    more = f" and {how_many(len(wrong) - _MOST_LINES, 'more line')}" if len(wrong) > _MOST_LINES else ""
    return (
        f"in {part.file.shown}, {shown}{more}, but expected {width:,} as in the header. Fix these lines, or put quotes "
        "around text that contains the separator."
    )


def no_rows(file: File) -> DataError:
    """Return the error for a table without rows."""
    return DataError(f"{file.shown} has columns but no rows. Expected at least one row.")
