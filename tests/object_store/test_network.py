"""Dropped connections are tried again; without an address there is no connection at all."""

import os
import socket
import subprocess
import sys
from itertools import count
from threading import Thread

import pytest

from bayesfloor.io import open_data
from bayesfloor.support._files import AddressError


class DroppingProxy:
    """Passes connections on to a server, but cuts every n-th one in the middle of the answer."""

    def __init__(self, port, every):
        self.target, self.every, self.numbers, self.n_cut = port, every, count(1), 0
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.door.accept()
            except OSError:
                return
            Thread(target=self._serve, args=(client, next(self.numbers)), daemon=True).start()

    def _serve(self, client, number):
        with client, socket.create_connection(("127.0.0.1", self.target)) as server:
            Thread(target=self._pump, args=(client, server), daemon=True).start()
            answer = b"".join(iter(lambda: server.recv(1 << 16), b""))
            if number % self.every == 0:
                self.n_cut += 1
                head, end, body = answer.partition(b"\r\n\r\n")
                answer = head + end + body[: len(body) // 2] if body else b""
            client.sendall(answer)
            client.shutdown(socket.SHUT_RDWR)  # closing is not enough while the other thread waits for more

    def _pump(self, client, server):
        try:
            while content := client.recv(1 << 16):
                # One request per connection, so that the cut ones are spread over all requests.
                server.sendall(content.replace(b"Connection: keep-alive", b"Connection: close"))
        except OSError:
            pass


@pytest.fixture
def drop():
    """Return a function that puts a proxy in front of a local server."""
    made = []

    def put_before(address, every):
        made.append(DroppingProxy(int(address.rpartition(":")[2]), every))
        return made[-1]

    yield put_before
    for each in made:
        each.door.close()


def through(proxy):
    """Return the end of an address that leads to the S3 server through a proxy."""
    return f"?scheme=http&endpoint_override=127.0.0.1:{proxy.port}&region=us-east-1"


@pytest.mark.parametrize("name", ["one.csv", "many_parquet"])
def test_dropped_connections_are_tried_again(here, there, drop, name):
    """Every third connection breaks before or in the middle of an answer, and the table is the same."""
    proxy = drop(os.environ["AWS_ENDPOINT_URL"], 3)
    found = open_data(f"{there}/{name}{through(proxy)}", "label")

    assert found.native.equals(open_data(str(here / name), "label").native)
    assert proxy.n_cut


@pytest.mark.parametrize("name", ["one.csv", "one.parquet"])
def test_file_systems_that_do_not_try_again_are_helped(here, website, drop, name):
    """A web server is read through fsspec, which gives up after one failure."""
    proxy = drop(website, 3)
    found = open_data(f"http://127.0.0.1:{proxy.port}/{name}", "label")

    assert found.native.equals(open_data(str(here / name), "label").native)
    assert proxy.n_cut


def test_a_server_that_always_drops_is_given_up(website, drop, monkeypatch, caplog):
    """After a few attempts, one line says what to check."""
    monkeypatch.setattr("bayesfloor.support._files._PAUSES", (0.01, 0.02))
    caplog.set_level("INFO", "bayesfloor")
    with pytest.raises(AddressError, match=r"cannot be read: .*Check the address, the network and your credentials"):
        open_data(f"http://127.0.0.1:{drop(website, 1).port}/one.csv?sig=hush", "label")

    assert caplog.text.count("trying again") == 2
    assert "hush" not in caplog.text


ALONE = """
import sys

def forbid(event, _):
    if event.startswith("socket."):
        raise SystemExit(f"the network was used: {event}")

sys.addaudithook(forbid)
import bayesfloor
from bayesfloor.cli._commands import run
for name in ("one.csv", "many_csv", "one.npz"):
    found = bayesfloor.check(f"{sys.argv[1]}/{name}", "y" if name == "one.npz" else "label", effort="quick")
assert "fsspec" not in sys.modules and "pyarrow.fs" not in sys.modules, "a file system was loaded"
found = bayesfloor.check(f"{sys.argv[1]}/many_parquet", "label", effort="quick")
code = run(["report", f"{sys.argv[1]}/one.csv", "-y", "label", "--effort", "quick", "-o", sys.argv[2]])
assert code == 0 and "fsspec" not in sys.modules
"""


def test_local_files_never_touch_the_network(here, tmp_path):
    """Any use of a socket ends the process, and the file systems that pyarrow would use are not even loaded."""
    done = subprocess.run(
        [sys.executable, "-c", ALONE, here, tmp_path / "page.html"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_the_guard_sees_an_address():
    """A guard that never barks guards nothing."""
    code = ALONE.replace("{sys.argv[1]}/{name}", "http://127.0.0.1:9/one.csv")
    done = subprocess.run([sys.executable, "-c", code, "x", "y"], capture_output=True, text=True, check=False)

    assert "the network was used" in done.stderr
