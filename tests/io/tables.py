"""Tables of all column kinds, made at random, and the same table in every kind of frame."""

import datetime as dt
import decimal
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from bayesfloor.io._find_file import find_file, reading
from bayesfloor.io._tables import open_table

_TEXT = "the cable phone came late and broke twice we love this shop would buy again never works fine"
WORDS = _TEXT.split()
START = dt.datetime(2021, 3, 1)  # noqa: DTZ001 - as most tables have them


def _dates(rng, n):
    return [START + dt.timedelta(hours=int(h)) for h in rng.integers(0, 20_000, n)]


def _numbers(rng, n):
    return np.round(rng.normal(0, 1000, n), 2).tolist()


# Each kind: an Arrow type, and a function of a generator and a number of rows.
KINDS = {
    "float": (pa.float64(), lambda rng, n: rng.normal(size=n).tolist()),
    "float32": (pa.float32(), lambda rng, n: rng.normal(size=n).astype(np.float32).tolist()),
    "whole": (pa.int64(), lambda rng, n: rng.integers(-50, 50, n).tolist()),
    "unsigned": (pa.uint8(), lambda rng, n: rng.integers(0, 255, n).tolist()),
    "code": (pa.int64(), lambda rng, n: rng.choice(rng.integers(10_000, 99_999, 45), n).tolist()),
    "boolean": (pa.bool_(), lambda rng, n: (rng.random(n) < 0.5).tolist()),
    "decimal": (pa.decimal128(12, 2), lambda rng, n: [decimal.Decimal(f"{v:.2f}") for v in _numbers(rng, n)]),
    "category": (pa.string(), lambda rng, n: rng.choice(["a", "ab", "Ä", "ü b", "日本", "a|"], n).tolist()),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), lambda rng, n: rng.choice(["x", "y", "z"], n).tolist()),
    "many": (
        pa.string(),
        lambda rng, n: [f"Place {chr(97 + v % 26)}{chr(97 + v // 26)}" for v in rng.integers(0, 90, n)],
    ),
    "yes or no": (pa.string(), lambda rng, n: rng.choice(["Yes", "no"], n).tolist()),
    "dollars": (pa.string(), lambda rng, n: [f"${abs(v):,.2f}" for v in _numbers(rng, n)]),
    "euros": (pa.string(), lambda rng, n: [f"{v:.2f} €".replace(".", ",") for v in _numbers(rng, n)]),
    "percent": (pa.string(), lambda rng, n: [f"{v}%" for v in rng.integers(0, 100, n)]),
    "marked": (pa.string(), lambda rng, n: rng.choice(["1", "2", "3.5", "?", "N/A"], n).tolist()),
    "date text": (pa.string(), lambda rng, n: [f"{d:%d.%m.%Y}" for d in _dates(rng, n)]),
    "moment text": (pa.string(), lambda rng, n: [f"{d:%m/%d/%Y %I:%M %p}" for d in _dates(rng, n)]),
    "clock text": (pa.string(), lambda rng, n: [f"{d:%H:%M}" for d in _dates(rng, n)]),
    "date": (pa.date32(), lambda rng, n: [d.date() for d in _dates(rng, n)]),
    "moment": (pa.timestamp("us"), _dates),
    "zoned": (pa.timestamp("us", tz="Europe/Berlin"), _dates),
    "time": (pa.time64("us"), lambda rng, n: [d.time() for d in _dates(rng, n)]),
    "duration": (pa.duration("us"), lambda rng, n: [dt.timedelta(seconds=int(s)) for s in rng.integers(0, 10**6, n)]),
    "list": (pa.list_(pa.float64()), lambda rng, n: rng.normal(size=(n, 3)).tolist()),
    "prose": (pa.string(), lambda rng, n: [" ".join(rng.choice(WORDS, 8)) for _ in range(n)]),
    "ticket": (pa.string(), lambda rng, n: [f"T-{v:05d}" for v in rng.permutation(90_000)[:n]]),
    "counter": (pa.int32(), lambda _, n: list(range(1, n + 1))),
    "constant": (pa.string(), lambda _, n: ["EUR"] * n),
    "empty": (pa.string(), lambda _, n: [None] * n),
}


@dataclass(frozen=True)
class Table:
    """Columns as lists of Python values, None where missing, and their Arrow types."""

    columns: dict
    types: dict

    @property
    def n_rows(self):
        return len(next(iter(self.columns.values())))

    def take(self, rows):
        return Table({name: [values[i] for i in rows] for name, values in self.columns.items()}, self.types)

    def select(self, names):
        return Table({name: self.columns[name] for name in names}, {name: self.types[name] for name in names})

    def pyarrow(self):
        arrays = [pa.array(values, type=self.types[name]) for name, values in self.columns.items()]
        return pa.Table.from_arrays(arrays, names=list(self.columns))

    def frames(self):
        table = self.pyarrow()
        plain = table.to_pandas()
        objects = {name: pd.Series(plain[name].tolist(), dtype=object) for name in self.columns}
        return {
            "pyarrow": table,
            "polars": pl.from_arrow(table),
            "pandas": plain,
            "pandas with Arrow types": table.to_pandas(types_mapper=pd.ArrowDtype),
            "pandas with nullable types": plain.convert_dtypes(),
            "pandas with objects": pd.DataFrame(objects),
        }


@st.composite
def tables(draw, kinds=tuple(KINDS), min_columns=1, max_columns=6):
    """Tables of columns of any of these kinds, beside one column of plain numbers, with or without missing values."""
    chosen = ["float", *draw(st.lists(st.sampled_from(kinds), min_size=min_columns, max_size=max_columns))]
    names = draw(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8),
            min_size=len(chosen),
            max_size=len(chosen),
            unique=True,
        )
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.sampled_from([12, 30, 200]))
    missing = draw(st.lists(st.sampled_from([0, 0, 0.2]), min_size=len(chosen), max_size=len(chosen)))
    columns = {}
    for name, kind, share in zip(names, chosen, missing, strict=True):
        gone = rng.random(n_rows) < share
        values = KINDS[kind][1](rng, n_rows)
        columns[name] = [None if gap else value for value, gap in zip(values, gone, strict=True)]
    return Table(columns, {name: KINDS[kind][0] for name, kind in zip(names, chosen, strict=True)})


def read_table(source):
    """The table in a file, in a folder, or in the bytes of a file."""
    file = find_file(source)
    with reading(file):
        return open_table(file)
