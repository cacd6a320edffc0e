"""Make hostile files from sound ones, and read them in a process of its own: a reader may crash.

Those of the kind ``corpus`` are files that failed once; they are kept as they are, since a library may write others.
Run as a program: ``python mutants.py KIND SEED FIRST STOP FOLDER`` reads the mutants FIRST to STOP of a kind of file
and writes one line of JSON about each: before it is read, and what came of it.
"""

import io
import json
import signal
import sys
import traceback
import warnings
import zipfile
from pathlib import Path

import numpy as np

ROWS = 40
PATIENCE = 60  # seconds for one file, after which the system ends the process
MEMORY = 4 << 30  # bytes of address space: a small file must not ask for more
LONGEST = 2000  # characters of a message
EXTREMES = [0, 1, -1, 2, 7, 255, 1 << 15, (1 << 31) - 1, -(1 << 31), (1 << 63) - 1, -(1 << 63)]
WORDS = [b'"', b",", b";", b"\n", b"\r", b"\t", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"1e999", b"-1e-999", b"nan"]
WORDS += [b"inf", b"9" * 400, b"0x1f", b"=1+1", b"\xc3", "\u202e".encode(), b'""', b"'", b"1,5", b"2024-13-45"]
WORDS += [b"|" * 50, b"label", b"NA", b"[1, 2]", b"a" * 5000]


# Sound files


def _columns(rng):
    import pyarrow as pa

    gaps = rng.random(ROWS) < 0.1
    values = rng.normal(size=ROWS)
    texts = pa.array(["red", "green", "blue", "a longer text"] * (ROWS // 4), mask=gaps)
    return {
        "numbers": pa.table({"u": pa.array(values, mask=gaps), "v": rng.normal(size=ROWS), "n": np.arange(ROWS)}),
        "texts": pa.table({"u": values, "colour": texts, "large": texts.cast(pa.large_string())}),
        "dictionary": pa.table({"u": values, "colour": texts.dictionary_encode()}),
        "lists": pa.table({"e": pa.array(rng.normal(size=(ROWS, 3)).tolist())}),
        "fixed lists": pa.table({"e": pa.array(rng.normal(size=(ROWS, 3)).tolist(), pa.list_(pa.float32(), 3))}),
        "others": pa.table(
            {
                "u": values,
                "bool": pa.array(values > 0, mask=gaps),
                "when": pa.array((values * 1e9).astype("datetime64[s]")),
                "price": pa.array(np.round(values, 2)).cast(pa.decimal128(12, 2), safe=False),
                "half": pa.array(values.astype(np.float16)),
            }
        ),
    }


def _tables(rng):
    import pyarrow as pa

    labels = pa.array(["cat", "dog"] * (ROWS // 2))
    return {name: table.append_column("label", labels) for name, table in _columns(rng).items()}


def _written(write):
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def _arrow(table, way):
    from pyarrow import ipc

    packed = ipc.IpcWriteOptions(compression={4: "lz4", 5: "zstd"}.get(way))
    new = ipc.new_stream if way % 2 else ipc.new_file

    def write(stream):
        with new(stream, table.schema, options=packed) as writer:
            writer.write_table(table, max_chunksize=ROWS // 2)

    return _written(write)


def _parquet(table, way):
    import pyarrow.parquet as pq

    ways = [{}, {"compression": "none"}, {"use_dictionary": False, "compression": "none"}, {"data_page_version": "2.0"}]
    ways += [{"compression": "zstd"}, {"write_page_checksum": True}]
    return _written(lambda stream: pq.write_table(table, stream, row_group_size=ROWS // 2, **ways[way]))


def _csv(table, way):
    import pyarrow as pa
    import pyarrow.csv as pacsv

    flat = pa.table({n: c.cast(pa.string()) if "float16" in str(c.type) else c for n, c in _flat(table).items()})
    return _written(lambda stream: pacsv.write_csv(flat, stream, pacsv.WriteOptions(delimiter=",;\t"[way % 3])))


def _flat(table):
    return {
        name: column if "list" not in str(column.type) else column.combine_chunks().flatten()[:ROWS]
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def _array(rng, way):
    kinds = [np.float64, np.float32, np.int32, np.uint8, np.bool_, ">f8"]
    array = (rng.normal(size=(ROWS, 4)) * 3).astype(kinds[way])
    array[:, -1] = np.arange(ROWS) % 2
    return np.asfortranarray(array) if way == 1 else array


def _npy(array):
    return _written(lambda stream: np.save(stream, array))


def _npz(parts, rng, change, *, packed):
    """Return an archive of a sound array and a mutant: its checksums are right."""
    name = rng.choice(sorted(parts))
    parts = {**parts, name: change(parts[name], rng)}

    def write(stream):
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
            for name, content in parts.items():
                archive.writestr(f"{name}.npy", content)

    return _written(write)


def make_file(kind, rng, change):
    """Return the bytes of a sound file, and the name of its labels; inside an archive one array is changed."""
    way = int(rng.integers(6))
    if kind == "npy":
        return _npy(_array(rng, way)), "-1"
    if kind == "npz":
        labels = np.array(["cat", "dog"] * (ROWS // 2))
        labels = labels.astype("S") if way == 2 else np.arange(ROWS) % 2 if way == 3 else labels
        parts = {"X": _npy(_array(rng, way)), "y": _npy(labels)}
        return _npz(parts, rng, change, packed=way % 2), "y"
    tables = _tables(rng)
    table = tables[rng.choice(sorted(tables))]
    return {"arrow": _arrow, "parquet": _parquet, "csv": _csv}[kind](table, way), "label"


# Mutants


def mutate(content, rng):
    """Return bytes that differ in one to eight places."""
    for _ in range(int(rng.integers(1, 9))):
        if content:
            content = rng.choice(MUTATIONS)(content, rng, int(rng.integers(len(content))))
    return content


def _flip(content, rng, at):
    return content[:at] + bytes([content[at] ^ int(rng.integers(1, 256))]) + content[at + 1 :]


def _number(content, rng, at):
    """Write a number that is often a limit over an aligned place."""
    size = int(rng.choice([2, 4, 8]))
    value = int(rng.choice(EXTREMES)) % (1 << (8 * size))
    return content[: at - at % size] + value.to_bytes(size, "little") + content[at - at % size + size :]


def _cut(content, _, at):
    return content[:at]


def _remove(content, rng, at):
    return content[:at] + content[at + int(rng.integers(1, 40)) :]


def _repeat(content, rng, at):
    piece = content[at : at + int(rng.integers(1, 40))]
    return content[:at] + piece * int(rng.integers(2, 4)) + content[at + len(piece) :]


def _insert(content, rng, at):
    return content[:at] + bytes(rng.choice(WORDS)) + content[at:]


def _move(content, rng, at):
    other = int(rng.integers(len(content)))
    piece = content[other : other + int(rng.integers(1, 40))]
    return content[:at] + piece + content[at + len(piece) :]


MUTATIONS = np.array([_flip, _flip, _flip, _number, _number, _cut, _remove, _repeat, _insert, _move])


def make_mutant(kind, seed, number):
    """Return the bytes of a mutant, and the name of the labels."""
    rng = np.random.default_rng([seed, number, *kind.encode()])
    content, label = make_file(kind, rng, mutate)
    return content if kind == "npz" and number % 3 else mutate(content, rng), label


# What comes of them


def judge(path, label):
    """Return what came of a file: an answer, a refusal in one line of ours, or what must not be."""
    from bayesfloor import BayesFloor
    from bayesfloor.io import InputError

    try:
        BayesFloor(n_trees=1, scale="standard").fit(path, label)
    except InputError as error:
        text = str(error)
        return "refused" if text.isprintable() and text.strip() and len(text) < LONGEST else f"no line: {text[:200]!r}"
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not be
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"deep: {type(error).__name__}: {str(error)[:200]} ({Path(last.filename).name}:{last.lineno})"
    return "answered"


def kept():
    found = (Path(__file__).parent / "corpus").iterdir()
    return sorted(path for path in found if path.suffix in (".arrow", ".parquet", ".npy", ".npz", ".csv"))


def choose(kind, seed, number, folder):
    """Return where a mutant is, and the name of its labels."""
    labels = {"npy": "-1", "npz": "y"}
    if kind == "corpus":
        path = kept()[number]
        return path, labels.get(path.stem.split("-")[0], "label")
    content, label = make_mutant(kind, seed, number)
    path = Path(folder) / f"mutant.{kind}"
    path.write_bytes(content)
    return path, label


def main(kind, seed, first, stop, folder):
    """Read some mutants, and say what came of each."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except ImportError:  # Windows
        pass
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", RuntimeWarning)
    for number in range(int(first), int(stop)):
        path, label = choose(kind, int(seed), number, folder)
        tell(number, "reading")
        if hasattr(signal, "alarm"):
            signal.alarm(PATIENCE)
        tell(number, judge(str(path), label))


def tell(number, what):
    """Write a line that arrives even if the process ends at once."""
    sys.stdout.write(json.dumps([number, what]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
