"""A process that runs one task after another, and is stopped when a task takes too long.

The limit is in CPU seconds, so that other work on the machine does not stop a task.
"""

import math
import multiprocessing
import signal
import time

_PATIENCE = 10  # times the CPU seconds allowed; a process that takes longer by the clock has stalled


class Worker:
    """A process for tasks, started by the first one, and again after a task that failed."""

    def __init__(self, prepare, *arguments):
        """Run ``prepare(*arguments)`` in the process; it returns the function that runs tasks there."""
        self._start = (prepare, *arguments)
        self._process = self._pipe = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ask(self, question, seconds):
        """Return the result; raise TimeoutError if it takes more CPU seconds, EOFError if the process crashed."""
        try:
            if self._process is None:
                self._open()
            self._pipe.send((question, seconds))
            return self._receive(_PATIENCE * seconds)
        except (OSError, EOFError):  # TimeoutError is an OSError
            self.close()
            raise

    def _receive(self, seconds):
        if not self._pipe.poll(seconds):
            raise TimeoutError
        try:
            return self._pipe.recv()
        except EOFError:
            self._process.join()
            if self._process.exitcode == -signal.SIGXCPU:
                raise TimeoutError from None
            raise

    def _open(self):
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *self._start), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe.recv()  # preparation has no time limit

    def close(self):
        """Stop the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None


def _serve(pipe, prepare, *arguments):
    import resource  # not on Windows

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, and stops this process
    answer = prepare(*arguments)
    pipe.send("ready")
    while True:
        question, seconds = pipe.recv()
        # The system ends this process when its time is up, even if the parent is gone by then.
        until = math.ceil(time.process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (until, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        pipe.send(answer(question))
