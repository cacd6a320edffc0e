"""One line for all stages: on a real terminal, and nothing elsewhere."""

import os
import re
import signal

import numpy as np
import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")

CODE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|([^\x1b])")
LINE = re.compile(r"[━╸╺]+ \d:\d\d:\d\d (--:--|\d\d:\d\d|) *\S")


class Screen:
    """What a terminal of so many columns shows: text, new lines, and the codes that a progress line uses."""

    def __init__(self, columns):
        self.columns, self.lines, self.row, self.column = columns, [""], 0, 0
        self.cursor, self.seen = True, []

    def show(self, text):
        for code in CODE.finditer(text):
            number, letter, plain = code.groups()
            if letter == "A":
                self.row -= int(number or 1)
            elif letter == "K":
                self.seen.append("\n".join(self.lines))
                self.lines[self.row] = ""
            elif letter in ("h", "l"):
                self.cursor = letter == "h"
            elif plain == "\r":
                self.column = 0
            elif plain == "\n":
                self.row += 1
                self.lines += [""] * (self.row + 1 - len(self.lines))
            elif plain is not None:
                if self.column == self.columns:
                    self.show("\r\n")
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = line[: self.column] + plain + line[self.column + 1 :]
                self.column += 1
            else:
                assert letter == "m", f"a code that this screen does not know: {code[0]!r}"
        return self

    @property
    def text(self):
        return "\n".join(line.rstrip() for line in self.lines)


@pytest.fixture(scope="module")
def blurred(tmp_path_factory, write):
    """Two classes that overlap: some seconds of work, and no verdict before the end."""
    X = np.random.default_rng(0).normal(size=(1000, 6))
    labels = np.where(X[:, 0] + np.random.default_rng(1).normal(size=1000) > 0, "cat", "dog")
    return write(tmp_path_factory.mktemp("blurred") / "blurred.csv", X, labels)


@pytest.fixture(scope="module", params=[100, 40])
def shown(request, process, blurred):
    asked = "check", blurred, "-y", "label", "--target", "95%"
    ended = process.in_terminal(*asked, columns=request.param)
    assert ended.code == 1  # a gate: the target is out of reach
    return Screen(request.param).show(ended.stdout.replace("\n", "\r\n"))


@posix
def test_there_is_one_line_for_all_stages(shown):
    """Not a bar for each: the line says which stage runs, as far as there is room."""
    screens = [screen.rstrip() for screen in shown.seen if "━" in screen]
    stages = {LINE.sub("", screen) for screen in screens}

    assert shown.columns == 40 or len(stages) > 1  # there, the time is more important
    assert screens
    assert all(LINE.match(screen) and len(screen.splitlines()) == 1 for screen in screens)


@posix
def test_only_the_result_stays(shown):
    """The last screen has no bar, and a cursor."""
    assert not re.search("[━╸╺]", shown.text)
    assert shown.text.startswith("95 % accuracy is ")
    assert shown.cursor


@posix
@pytest.mark.parametrize("option", ["--quiet", "--no-progress"])
def test_it_can_be_silenced(process, files, option):
    ended = process.in_terminal("check", "easy.csv", "-y", "label", option, cwd=files)

    assert ended.code == 0
    assert "\x1b[?25l" not in ended.stdout
    assert "\x1b[2K" not in ended.stdout


@posix
def test_ctrl_c_leaves_a_clean_terminal(process, blurred):
    """The line is gone, the cursor is back, one line says why."""
    import pty
    import termios

    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (40, 100))
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), follower)
    with process.begin("check", blurred, "-y", "label", "--target", "95%", **streams) as started:
        os.close(follower)
        said = b""
        while "━".encode() not in said:
            said += os.read(leader, 1 << 16)
        started.send_signal(signal.SIGINT)
        while part := _read(leader):
            said += part
        assert started.wait(timeout=120) == 130
    os.close(leader)
    screen = Screen(100).show(said.decode())

    assert screen.text.split("\n") == ["", "interrupted; no partial files are left", ""]  # below ^C
    assert screen.cursor


def _read(leader):
    try:
        return os.read(leader, 1 << 16)
    except OSError:  # how Linux says that nobody is left at the other end
        return b""
