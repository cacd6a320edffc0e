"""An S3 server on this machine, and the same tables in a local folder and in a bucket."""

import io
import logging
import os
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.feather
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from moto.server import ThreadedMotoServer

BUCKET = "s3://bucket"
_KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "hush", "AWS_DEFAULT_REGION": "us-east-1"}


@pytest.fixture(scope="session")
def s3():
    """A running server with an empty bucket; addresses reach it through the environment, also in other processes."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**_KEYS, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}.items():
            patch.setenv(name, value)
        store, _ = pafs.FileSystem.from_uri(f"{BUCKET}?allow_bucket_creation=true")
        store.create_dir("bucket")
        yield store
    server.stop()


@pytest.fixture(scope="session")
def table():
    """Three overlapping classes with four features, in a fixed order."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1, 2], [200, 150, 100]))
    x = rng.normal(size=(450, 4)) + y[:, None]
    return pa.table({**{f"x{i}": x[:, i] for i in range(4)}, "label": y})


@pytest.fixture(scope="session")
def here(table, tmp_path_factory):
    """A local folder with the table as files of all types."""
    folder = tmp_path_factory.mktemp("here")
    x, y = np.column_stack([table[f"x{i}"] for i in range(4)]), table["label"].to_numpy()
    pq.write_table(table, folder / "one.parquet")
    pc.write_csv(table, folder / "one.csv")
    with pa.CompressedOutputStream(str(folder / "one.csv.gz"), "gzip") as stream:
        pc.write_csv(table, stream)
    pyarrow.feather.write_feather(table, folder / "one.arrow")
    np.savez(folder / "one.npz", X=x, y=y)
    np.save(folder / "one.npy", np.c_[x, y])
    np.save(folder / "x.npy", x)
    np.save(folder / "fortran.npy", np.asfortranarray(x))
    np.save(folder / "y.npy", y)
    for kind, write in {"parquet": pq.write_table, "csv": pc.write_csv, "arrow": pyarrow.feather.write_feather}.items():
        for part in range(3):
            place = folder / f"many_{kind}" / f"sub{part % 2}"
            place.mkdir(parents=True, exist_ok=True)
            write(table[part * 150 : (part + 1) * 150], place / f"part{part}.{kind}")
    for part in range(3):
        place = folder / "hive" / f"day={part}"
        place.mkdir(parents=True)
        pq.write_table(table[part * 150 : (part + 1) * 150], place / "data.parquet")
    return folder


@pytest.fixture(scope="session")
def there(s3, here):
    """The same files in the bucket: their address."""
    pafs.copy_files(os.fspath(here), "bucket/there", destination_filesystem=s3)
    return f"{BUCKET}/there"


@pytest.fixture
def website(here):
    """A web server of the folder, which answers whole files only or ranges of bytes."""

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(here))

        def send_head(self):
            path = here / self.path.partition("?")[0].lstrip("/")
            span = self.headers.get("Range")
            if span is None or not path.is_file():
                return super().send_head()
            first, last = span.removeprefix("bytes=").split("-")
            content = path.read_bytes()
            part = content[int(first) : int(last) + 1]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(part)))
            self.end_headers()
            return io.BytesIO(part)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
