"""The public datasets of tests and benchmarks: download them from their publishers, as Parquet files.

``python -m benchmarks.datasets FOLDER`` writes ``<name>.parquet`` (class in the column ``target``) for each dataset
that is not yet in FOLDER; set ``BAYESFLOOR_DATA`` to that folder. ``--list`` prints what would be downloaded.
``--mirror URL`` downloads the same paths from another host, or from a folder with ``file:``.

``datasets.json`` has the addresses, licences, columns and recipes. Its addresses are as published; hosts sometimes move
files. What counts is the content: the names, types and values of all columns have a SHA-256 there, and a table that
differs is not written. The SHA-256 of a published file is checked too if it is known; if we read a copy of it, whose
line endings may differ, only the content counts. The embedding ``banking77_lsa`` is computed here and compared
with a tolerance. A file is written completely or not at all, so rerun the command to resume an interrupted download.
"""

import argparse
import hashlib
import os
import tempfile
from functools import partial
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np

from benchmarks._raw_files import embed_texts, make_table, read_fields, unpack
from benchmarks._recipes import manifest

_SCHEMES = ("https", "http", "file")
_LARGEST = 100_000_000  # bytes that may be downloaded at once; for a member see ``_most``
_SECONDS = 60  # without an answer
_COPIES_DIFFER = 2  # limit, relative to the bytes of the copy that we read
_NEAR = 0.01  # largest difference of text cosines from ours


class UnreachableError(OSError):
    """The host gave no answer, or none that can be used."""


# Addresses


def address(url, mirror=None):
    """Return the address to download from; a mirror replaces the host."""
    found = mirror.rstrip("/") + urlsplit(url).path if mirror else url
    if urlsplit(found).scheme not in _SCHEMES:
        raise ValueError(f"Got the address {found}, but expected one of {', '.join(_SCHEMES)}.")
    return found


def fetch(url):
    """Return all bytes at an address."""
    try:
        with urlopen(url, timeout=_SECONDS) as answer:  # noqa: S310 - ``address`` looks at the scheme
            blob, length = answer.read(_LARGEST + 1), answer.headers.get("Content-Length")
    except HTTPError as error:
        raise ValueError(f"the host answered {error.code} {error.reason}") from error
    except (URLError, HTTPException, OSError) as error:
        raise UnreachableError(f"{getattr(error, 'reason', error)}") from error
    if len(blob) > _LARGEST:
        raise ValueError(f"it is larger than {_LARGEST} bytes")
    if length is not None and len(blob) != int(length):
        raise ValueError(f"{len(blob)} of {length} bytes arrived; try again")
    return blob


# Content


def fingerprint(table):
    """Return the SHA-256 of the names, types and values of all columns, however a file stores them."""
    digest = hashlib.sha256()
    for name in table.column_names:
        values = table[name].to_numpy()
        kind = "text" if values.dtype == object else values.dtype.name
        digest.update(f"{name}\n{kind}\n{len(values)}\n".encode())
        if kind == "text":
            texts = [value.encode() for value in values]
            digest.update(b"".join(b"%d:%s" % (len(text), text) for text in texts))
        else:
            digest.update(values.astype(values.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()


def columns_of(entry):
    """Return the column types by name; a pattern stands for many similar columns."""
    columns = entry["columns"]
    if "pattern" not in columns:
        return columns
    names = [columns["pattern"].format(place) for place in range(columns["count"])]
    return dict.fromkeys(names, columns["type"]) | {"target": columns["target"]}


def difference(table, entry):
    """Describe what is wrong with a table; an empty string if it matches the manifest."""
    expected = columns_of(entry)
    if table.column_names != list(expected) or table.num_rows != entry["rows"]:
        return f"it has {table.num_rows} rows and columns {', '.join(table.column_names[:3])}, ..."
    if "cosines" in entry:
        some = np.column_stack([table[name].to_numpy()[: len(entry["cosines"])] for name in list(expected)[:-1]])
        apart = np.abs(some @ some.T - entry["cosines"]).max()
        table = table.select(["target"])
        if not apart <= _NEAR:
            return f"cosines of its first rows differ by {apart:.2g}"
    return "" if fingerprint(table) == entry["content"] else "its values differ"


def is_there(path, entry):
    from pyarrow import ArrowException
    from pyarrow.parquet import read_table

    try:
        return path.is_file() and not difference(read_table(path), entry)
    except (ArrowException, OSError):
        return False


# Making


def make(name, folder, get):
    entry = manifest()[name]
    if "embeds" in entry:
        table = _embed(folder / f"{entry['embeds']}.parquet", entry)
    else:
        blobs = [_read(file, get) for file in entry["files"]]
        table = make_table(read_fields(blobs, entry["layout"]), columns_of(entry))
    wrong = difference(table, entry)
    if wrong:
        raise ValueError(f"the downloaded data differ from the dataset that was measured: {wrong}")
    write_whole(table, folder / f"{name}.parquet")


def _read(file, get):
    blob = unpack(get(file["url"]), file.get("member"), _most(file))
    if not file["copy"] and hashlib.sha256(blob).hexdigest() != file["sha256"]:
        raise ValueError(f"{_words(file)} has a different SHA-256 from the published file")
    return blob


def _most(file):
    return _COPIES_DIFFER * file["bytes"] + 65536


def _words(file):
    return f"{file['member']} in {file['url']}" if "member" in file else file["url"]


def _embed(path, entry):
    from pyarrow import table
    from pyarrow.parquet import read_table

    if not path.is_file():
        raise ValueError(f"it is computed from {path.name}, which is missing")
    texts = read_table(path)
    columns = list(columns_of(entry))[:-1]
    X = embed_texts(texts["text"].to_pylist(), entry["train"], len(columns))
    return table({**dict(zip(columns, X.T, strict=True)), "target": texts["target"]})


def write_whole(table, path):
    """Write a file in one step: nobody sees half of it, and an interrupted run leaves nothing."""
    from pyarrow.parquet import write_table

    handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".part")
    os.close(handle)
    try:
        write_table(table, part, compression="zstd")
        Path(part).chmod(0o644)
        Path(part).replace(path)
    finally:
        Path(part).unlink(missing_ok=True)


def make_all(names, folder, mirror=None):
    """Make the datasets that a folder lacks; return the reasons why some could not be made, by name."""
    get, fetched, failed = partial(_get, mirror=mirror), {}, {}
    for name in names:
        if is_there(folder / f"{name}.parquet", manifest()[name]):
            print(f"{name}: kept", flush=True)
            continue
        try:
            make(name, folder, lambda url: get(url, fetched))
        except (UnreachableError, ValueError) as error:
            failed[name] = str(error)
        print(f"{name}: {failed.get(name, 'written')}", flush=True)
    return failed


def _get(url, fetched, mirror):
    """Return the bytes at an address, downloaded once; an unreachable host is not asked again."""
    where = address(url, mirror)
    host = urlsplit(where).netloc
    for key in (where, host):
        if isinstance(fetched.get(key), UnreachableError):
            raise fetched[key]
    if where not in fetched:
        try:
            fetched[where] = fetch(where)
        except UnreachableError as error:
            fetched[host] = UnreachableError(f"{host or where} cannot be reached: {error}")
            raise fetched[host] from error
    return fetched[where]


# The command line


def lines_of(names, mirror=None):
    """Return one line per file: dataset, address, size, licence."""
    for name in names:
        entry = manifest()[name]
        for file in entry.get("files", ()):
            inside = f" ({file['member']})" if "member" in file else ""
            where = address(file["url"], mirror)
            yield f"{name}: {where}{inside}, {file['bytes'] / 1e6:.2f} MB unpacked, {entry['licence']}"
        if "embeds" in entry:
            yield f"{name}: computed from {entry['embeds']}, {entry['licence']}"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.datasets", description=__doc__.partition("\n")[0])
    every = list(manifest())
    parser.add_argument("folder", type=Path, nargs="?", help="where to write <name>.parquet")
    parser.add_argument("--list", action="store_true", help="print what would be downloaded, download nothing")
    parser.add_argument("--only", nargs="+", default=every, metavar="NAME", choices=every, help="only these datasets")
    parser.add_argument("--mirror", metavar="URL", help="download the same paths from here, not from the hosts")
    options = parser.parse_args(arguments)
    if options.list:
        print("\n".join(lines_of(options.only, options.mirror)))
        return
    if options.folder is None:
        parser.error("expected a folder to write to, or --list")
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = make_all(options.only, options.folder, options.mirror)
    if failed:
        print("\n".join(["", "Still missing:", *lines_of(failed, options.mirror)]))
        raise SystemExit(
            f"{len(failed)} of {len(options.only)} datasets could not be made, for the reasons above. "
            "Rerun the command to resume, or pass --mirror URL."
        )
    print(f"All datasets are ready: set BAYESFLOOR_DATA={options.folder}")


if __name__ == "__main__":
    main()
