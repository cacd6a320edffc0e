"""Other operating systems, as far as this one can show them."""

import ast
import errno
import io
import json
import os
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path, PureWindowsPath

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from PIL import Image
from pyarrow import feather

import bayesfloor
from bayesfloor.cli import _check as _run_check
from bayesfloor.cli._check import command_line
from bayesfloor.cli._terminal import ClosedPipeError, Output
from bayesfloor.io._messages import shell
from bayesfloor.summary._thumbnails import thumbnails
from bayesfloor.support import _files as _atomic_write
from bayesfloor.support._files import write_whole

PACKAGE = Path(bayesfloor.__file__).parent
TESTS = Path(__file__).parent

# What Windows lacks, and what code must not use without asking first whether it is there.
MODULES = "crypt curses fcntl grp nis posix pty pwd readline resource spwd syslog termios tty"
NAMES = {
    "os": "chown chroot fchmod fchown fork forkpty getegid geteuid getgid getloadavg getpgid getpriority getuid killpg "
    "lchown mkfifo mknod nice openpty posix_fadvise posix_fallocate posix_spawn pread pwrite register_at_fork "
    "sched_getaffinity sched_yield sendfile setpgid setpriority setsid setuid statvfs sync sysconf uname wait wait3 "
    "wait4 waitid",
    "signal": "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGUSR1 SIGUSR2 alarm pause pthread_kill "
    "pthread_sigmask setitimer sigwait",
}
MODULE_SET, NAME_SETS = set(MODULES.split()), {owner: set(names.split()) for owner, names in NAMES.items()}

BARE = """
import importlib, json, os, pkgutil, signal, sys
from pathlib import Path

# What these do on other systems is their own business.
import click, distributed, jinja2, joblib, matplotlib.pyplot, narwhals, numba, numpy as np, pandas, pyarrow.csv
import pyarrow.dataset, pyarrow.parquet, rich.progress, scipy.stats, sklearn.ensemble, threadpoolctl

modules, names, folder = json.loads(sys.argv[1])
for name in modules.split():
    sys.modules[name] = None
for owner, attributes in names.items():
    for attribute in attributes.split():
        if hasattr(sys.modules[owner], attribute):
            delattr(sys.modules[owner], attribute)

import bayesfloor
found = [module.name for module in pkgutil.walk_packages(bayesfloor.__path__, "bayesfloor.")]
for name in found:
    if name != "bayesfloor.__main__":
        importlib.import_module(name)

X = np.random.default_rng(0).normal(size=(600, 2))
y = np.array(["CON", "con", "a:b"])[np.digitize(X[:, 0], [-0.5, 0.5])]  # no name for a file on Windows
bayesfloor.BayesFloor(max_rows=None, target_width=None, n_jobs=2).fit(X, y)
page = bayesfloor.check(X, y, effort="quick").to_html(Path(folder, "page.html"))
assert page.read_bytes().endswith(b"</html>")
print(len(found))
"""


@pytest.mark.slow
def test_the_package_works_without_what_only_posix_has(tmp_path):
    """Windows has no groups or forks: whatever uses them there fails at the import, or later."""
    given = json.dumps([MODULES, NAMES, str(tmp_path)])
    done = subprocess.run(
        [sys.executable, "-c", BARE, given], capture_output=True, check=False, text=True, encoding="utf-8", timeout=900
    )

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100
    assert [path.name for path in tmp_path.rglob("*")] == ["page.html"]


def posix_only(source, *, functions):
    """What a source takes from POSIX without a question whether it is there; that of functions only if asked for.

    An import under ``try``, or a name behind ``if``, ``and`` or ``or``, is taken for one with such a question.
    """
    return list(_posix_only(ast.parse(source), functions=functions))


def _posix_only(node, *, functions):
    if isinstance(node, ast.If | ast.IfExp | ast.BoolOp | ast.Try):
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in MODULE_SET)
    elif isinstance(node, ast.ImportFrom):
        yield from [node.module] if node.module in MODULE_SET else ()
        yield from (alias.name for alias in node.names if alias.name in NAME_SETS.get(node.module, ()))
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield from [node.attr] if node.attr in NAME_SETS.get(node.value.id, ()) else ()
    inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and not functions
    children = [*node.args.defaults, *getattr(node, "decorator_list", ())] if inside else ast.iter_child_nodes(node)
    for child in children:
        yield from _posix_only(child, functions=functions)


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "functions"), [(PACKAGE, True), (TESTS, False)], ids=["package", "tests"])
def test_nothing_takes_from_posix_what_other_systems_lack(folder, functions):
    """The package nowhere, test files not at their import: there, one such line costs all tests of the file."""
    sources = {path: path.read_text("utf-8") for path in folder.rglob("*.py")}
    found = {str(path): names for path, text in sources.items() if (names := posix_only(text, functions=functions))}

    assert sources
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "import resource",
        "import os, fcntl",
        "from pwd import getpwuid",
        "from os import fork",
        "import signal\nclass A:\n    b = signal.SIGKILL",
        "import os\n@mark(os.geteuid() == 0)\ndef f(): pass",
        "import os\ndef f(a=os.getuid()): pass",
        "with suppress(ImportError):\n    import grp",
    ],
)
def test_what_other_systems_lack_is_seen(source):
    assert len(posix_only(source, functions=False)) == 1


# Arguments come from the command line, as the locale has them; "//" stands between commands.
COMMANDS = """
import sys, warnings
from itertools import groupby
warnings.simplefilter("ignore", EncodingWarning)
warnings.filterwarnings("error", category=EncodingWarning, module="bayesfloor")
from bayesfloor.cli._commands import run
assert sys.getfilesystemencoding() == "ascii"
for is_end, words in groupby(sys.argv[1:], "//".__eq__):
    if not is_end:
        print("code", run(list(words)), flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
@pytest.mark.slow
def test_files_are_utf8_whatever_the_locale(tmp_path):
    """The plain locale knows ASCII only, and Windows has others: files are the same, and a terminal shows escapes."""
    folder = tmp_path / "Жир mañana"
    (folder / "дир").mkdir(parents=True)
    X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0], [8], [16]], 30, axis=0)
    table = pa.table({"größe": X[:, 0], "x": X[:, 1], "étiquette": np.repeat(["köttur", "犬", "🐔 hen"], 30)})
    pacsv.write_csv(table, folder / "données.csv")
    pq.write_table(table, folder / "дир" / "données.parquet")
    feather.write_feather(table, folder / "données.arrow")
    asked = ["-y", "étiquette"]
    quick = [*asked, "--effort", "quick"]
    commands = [
        ["report", "données.csv", *quick, "-x", "grö*", "-x", "x", "--json", "é.json", "--markdown", "é.md"],
        ["check", "дир/données.parquet", *quick, "--rows", "all", "--markdown", "-"],
        ["samples", "données.arrow", *asked, "-o", "строки.csv"],
        ["tree", "дир", *asked],
        ["explain"],
        ["tree", "nicht dä.csv"],
    ]
    done = subprocess.run(
        [
            sys.executable,
            "-X",
            "warn_default_encoding",
            "-c",
            COMMANDS,
            *chain(*([*words, "//"] for words in commands)),
        ],
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "OMP_NUM_THREADS": "1"},
        timeout=900,
    )
    said, told = done.stdout.decode("ascii"), done.stderr.decode("ascii")

    assert [int(line.split()[1]) for line in said.splitlines() if line.startswith("code ")] == [0, 0, 0, 0, 0, 2], told
    assert told.startswith("error: no file 'nicht d")
    assert r"\u72ac" in said
    written = {path.name: path.read_text("utf-8") for path in folder.iterdir() if path.suffix in {".html", ".md"}}
    assert set(written) == {"données.bayesfloor.html", "é.md"}
    for text in written.values():
        assert all(word in text for word in ("données.csv", "köttur", "犬"))
    facts = json.loads((folder / "é.json").read_text("utf-8"))["facts"]
    assert (facts["name"], facts["label"], facts["n_features"]) == ("données.csv", "étiquette", 2)
    assert (folder / "строки.csv").is_file()


TEXTS = {"TextIOWrapper", "open", "read_text", "write_text"}


def without_encoding(source):
    """Calls that open a text in the encoding of the locale; files, archives, ``Image`` and ``os`` open bytes."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", getattr(node.func, "id", "")) not in TEXTS:
            continue
        called, call = ast.unparse(node.func), ast.unparse(node)
        is_binary = re.search(r"'[rwax+]*b[rwax+]*'", call.removeprefix(called))
        if called not in {"file.open", "self.open", "arrays.zip.open", "Image.open", "os.open"} and not is_binary:
            yield from [] if re.search(r"encoding=|'utf-8'", call) else [call]


@pytest.mark.slow
def test_every_text_that_the_package_opens_has_an_encoding():
    """Without one, Windows takes what its country used in the nineties."""
    found = [call for path in PACKAGE.rglob("*.py") for call in without_encoding(path.read_text("utf-8"))]

    assert found == []


def test_a_text_without_an_encoding_is_seen():
    bad = "open(p); open(p, 'w'); p.open(); p.open('a'); p.read_text(); p.write_text(s); io.TextIOWrapper(f)"
    good = (
        "open(p, 'rb'); p.open('xb'); p.open('a', encoding='utf-8'); p.read_text('utf-8'); file.open(); os.open(p, 0)"
    )

    assert len(list(without_encoding(bad))) == 7
    assert list(without_encoding(good)) == []


# Whatever spawn starts imports this file anew.
SPAWNED = """
import multiprocessing
import numpy as np

def main():
    import dask, distributed, joblib
    from bayesfloor import BayesFloor

    multiprocessing.set_start_method("spawn")
    X = np.random.default_rng(0).normal(size=(900, 2))
    y = (X[:, 0] > 0).astype(int)
    floor = BayesFloor(random_state=0).fit(X, y)
    answer = floor.answer("quick")
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert BayesFloor(random_state=0, n_jobs=2).fit(X, y).overall_.lower == floor.overall_.lower
    here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **here) as cluster,
        distributed.Client(cluster),
    ):
        with joblib.parallel_config("dask"):
            assert BayesFloor(random_state=0).fit(X, y).answer("quick").estimate == answer.estimate

if __name__ == "__main__":
    main()
"""


@pytest.mark.slow
@pytest.mark.dask
def test_processes_may_be_started_anew_instead_of_forked(tmp_path):
    """Windows and macOS know no other way."""
    script = tmp_path / "script.py"
    script.write_text(SPAWNED, encoding="utf-8")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, script], capture_output=True, check=False, env=environment, timeout=900)

    assert done.returncode == 0, done.stderr.decode()


def test_a_file_that_another_program_has_open_for_a_moment_is_replaced(tmp_path, monkeypatch):
    """Windows refuses it meanwhile: to scanners of viruses, and to two workers with one piece."""
    path, replace, refused = tmp_path / "out", Path.replace, iter(range(3))

    def refuse(self, target):
        if next(refused, None) is not None:
            raise PermissionError(errno.EACCES, "Access is denied")
        return replace(self, target)

    monkeypatch.setattr(_atomic_write, "_PAUSES", (0, 0, 0, 0))
    monkeypatch.setattr(Path, "replace", refuse)
    write_whole(path, "old")
    assert path.read_text("utf-8") == "old"

    refused = iter(range(100))
    with pytest.raises(PermissionError, match=r"open in another program\?: '.*out'"):
        write_whole(path, "new")
    assert path.read_text("utf-8") == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("number", [errno.EPIPE, errno.EINVAL])
def test_a_closed_pipe_is_known_by_the_errors_of_all_systems(monkeypatch, number):
    """Windows calls it an invalid argument."""

    class Closed(io.TextIOWrapper):
        def write(self, _):
            raise OSError(number, "closed")

    monkeypatch.setattr(sys, "stdout", Closed(io.BytesIO(), encoding="utf-8"))
    with pytest.raises(ClosedPipeError):
        Output().raw("text")


def test_commands_to_copy_have_quotes_that_the_shell_knows():
    """cmd.exe takes single quotes for a part of the name."""
    words = ["bayesfloor", "check", "my data.csv", "-y", "it's"]

    assert shell(words, windows=True) == 'bayesfloor check "my data.csv" -y it\'s'
    assert shell(words, windows=False) == """bayesfloor check 'my data.csv' -y 'it'"'"'s'"""


def test_a_page_does_not_show_folders_of_the_command(monkeypatch):
    """Nobody who gets the page needs to know where its maker keeps files; Windows takes both slashes."""
    monkeypatch.setattr(sys, "argv", ["", "report", "/srv/me/a.csv", "--json=/srv/me/a.json", "-y", "b:/c"])
    assert command_line() == "bayesfloor report a.csv --json=a.json -y c"

    monkeypatch.setattr(_run_check, "Path", PureWindowsPath)
    monkeypatch.setattr(_run_check.os, "altsep", "\\")
    monkeypatch.setattr(sys, "argv", ["", "report", r"C:\data\me\a.csv", "-o", "C:/data/me/a.html"])
    assert command_line() == "bayesfloor report a.csv -o a.html"


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
def test_pictures_on_other_machines_are_left_alone_with_any_slashes(tmp_path, monkeypatch):
    """Windows would log in there, for a path in a table of somebody else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "\\").mkdir()
    Image.new("L", (4, 4)).save(tmp_path / "\\" / "a.png")
    Image.new("L", (4, 4)).save(tmp_path / "a.png")

    assert list(thumbnails(["a.png", "\\/a.png", "//a.png", "/\\a.png", "\\\\a.png"], range(5))) == [0]
