"""Errors become one line and an exit code."""

from bayesfloor.cli._terminal import Output


def test_the_end_of_a_file_inside_a_command_is_no_interrupt(run, monkeypatch):
    """Click takes it for Ctrl-D at a prompt; whoever is told "interrupted" looks for who did it."""

    def read(_, _text):
        raise EOFError("Ran out of input")

    monkeypatch.setattr(Output, "result", read)
    ended = run("explain")

    assert (ended.code, ended.stdout) == (3, "")
    assert "EOFError: Ran out of input\n" in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("internal error: this is a bug in bayesfloor")
    assert "interrupted" not in ended.stderr
