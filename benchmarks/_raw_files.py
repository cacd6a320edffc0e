"""Read datasets as published: archives and their contents, as tables of typed columns.

Downloaded files are not trusted: only the named member of an archive is read, into memory, and nothing may be
larger than the caller allows.
"""

import csv
import gzip
import io
import zipfile
import zlib

import numpy as np

_COMPRESS = b"\x1f\x9d"
_CLEAR, _FEWEST_BITS = 256, 9
_IDX_IMAGES, _IDX_LABELS = b"\0\0\x08\x03", b"\0\0\x08\x01"


# Archives


def unpack(blob, member, most):
    """Return the bytes of a file: of the named member if it is a zip archive, and unpacked if it is compressed."""
    try:
        if member:
            blob = _read_zip(blob, member, most)
        if blob[:2] == b"\x1f\x8b":
            blob = gzip.GzipFile(fileobj=io.BytesIO(blob)).read(most + 1)
        elif blob[:2] == _COMPRESS:
            blob = uncompress(blob, most)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise ValueError(f"it is damaged: {error}") from error
    if len(blob) > most:
        raise ValueError(f"it is larger than {most} bytes")
    return blob


def _read_zip(blob, member, most):
    with zipfile.ZipFile(io.BytesIO(blob)) as archive:
        if member not in archive.namelist():
            raise ValueError(f"it has no {member}")
        with archive.open(member) as file:
            return file.read(most + 1)


def uncompress(blob, most):
    """Unpack Unix ``compress`` data (.Z): codes of 9 or more bits, lowest bit first, in groups of eight per width."""
    widest, start = blob[2] & 31, [bytes([byte]) for byte in range(256)] + [b""] * bool(blob[2] & 128)
    words, width, place, group, last = list(start), _FEWEST_BITS, 24, 24, b""  # positions are in bits
    found, size = [], 0
    while place + width <= 8 * len(blob):
        code = int.from_bytes(blob[place // 8 : place // 8 + 4], "little") >> place % 8 & (1 << width) - 1
        place += width
        is_clear = code == _CLEAR and len(start) > _CLEAR
        if is_clear:
            words, last = list(start), b""
        else:
            if code > len(words) or (code == len(words) and not last):
                raise ValueError("it is damaged: a code before its word")
            word = words[code] if code < len(words) else last + last[:1]
            if last and len(words) < 1 << widest:
                words.append(last + word[:1])
            found.append(word)
            last, size = word, size + len(word)
            if size > most:
                raise ValueError(f"it is larger than {most} bytes")
        wider = len(words) >= 1 << width and width < widest
        if is_clear or wider:  # the rest of a group is not used
            place = group = group + -(-(place - group) // (8 * width)) * 8 * width
            width = _FEWEST_BITS if is_clear else width + 1
    return b"".join(found)


# Formats: each returns the fields of all rows, with the class last


def read_text(blob, *, separator=None, skip=0, drop=(), label=-1):
    """Read lines of fields after ``skip`` lines, without the fields ``drop``, and move the class to the end."""
    lines = [line for line in blob.decode("latin-1").splitlines()[skip:] if line.strip()]
    rows = [[field.strip() for place, field in enumerate(line.split(separator)) if place not in drop] for line in lines]
    for row in rows:
        row.append(row.pop(label))
    return rows


def read_keel(blob):
    head, found, body = blob.partition(b"@data")
    if not found or b"@attribute" not in head:
        raise ValueError("it is not a KEEL file")
    return read_text(body, separator=",", skip=1)


def read_csv(blob):
    return list(csv.reader(io.StringIO(blob.decode("utf-8"), newline="")))[1:]


def read_idx(images, labels):
    """Read images, one row of pixels each, and their labels."""
    if (images[:4], labels[:4]) != (_IDX_IMAGES, _IDX_LABELS):
        raise ValueError("it is not an idx file")
    n, *shape = np.frombuffer(images[4:16], dtype=">i4")
    pixels = np.frombuffer(images, dtype=np.uint8, offset=16)
    codes = np.frombuffer(labels, dtype=np.uint8, offset=8)
    if len(pixels) != n * np.prod(shape) or len(codes) != n:
        raise ValueError("its length differs from its header")
    return np.column_stack([pixels.reshape(n, -1), codes])


def embed_texts(texts, n_train, size):
    """Compute a latent semantic analysis of texts, fitted on the first ones: rows of length 1.

    Other versions of scikit-learn and other machines rotate or round the result slightly differently.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True).fit(texts[:n_train])
    turn = TruncatedSVD(size, n_iter=10, random_state=0).fit(words.transform(texts[:n_train]))
    return normalize(turn.transform(words.transform(texts))).astype(np.float32)


FORMATS = {"text": read_text, "keel": read_keel, "csv": read_csv}


def read_fields(blobs, layout):
    """Read the fields of all rows of several files, one after the other; for idx files images, then labels."""
    how = dict(layout)
    kind = how.pop("kind")
    return read_idx(*blobs) if kind == "idx" else [row for blob in blobs for row in FORMATS[kind](blob, **how)]


def make_table(rows, columns):
    """Return the fields as an Arrow table with columns of these types."""
    from pyarrow import table

    if {len(row) for row in rows} != {len(columns)}:
        raise ValueError(f"it has rows of {sorted({len(row) for row in rows})} fields, expected {len(columns)}")
    fields = rows.T if isinstance(rows, np.ndarray) else zip(*rows, strict=True)
    return table({name: _make_column(one, columns[name]) for name, one in zip(columns, fields, strict=True)})


def _make_column(values, kind):
    import pyarrow as pa

    if kind == "category":
        return pa.array(values).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    if kind == "string":
        return pa.array(values, pa.string())
    numbers = np.array(values).astype(np.float64)
    exact = numbers.astype(kind)
    if not np.array_equal(exact, numbers):
        raise ValueError(f"it has numbers that do not fit into {kind}")
    return pa.array(exact)
