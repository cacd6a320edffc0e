"""A process that runs one task after another, and is stopped when a task takes too long.

The limit is in CPU seconds, so that other work on the machine does not stop a task.
"""

import math
import multiprocessing
import os
import signal
import threading
import time

_TIME_IS_UP = 124  # exit status
_PATIENCE = 10  # times the CPU seconds allowed; longer by the clock, a process has come to a stop


class Worker:
    """A process for questions, started by the first one and again after one that failed."""

    def __init__(self, prepare, *arguments):
        """``prepare(*arguments)`` runs in the process and returns the function that answers there."""
        self._start = (prepare, *arguments)
        self._process = self._pipe = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ask(self, question, seconds):
        """The answer; TimeoutError if it takes more CPU seconds, EOFError if the process broke down."""
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
            if self._process.exitcode == _TIME_IS_UP:
                raise TimeoutError from None
            raise

    def _open(self):
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *self._start), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe.recv()  # preparing takes as long as it takes

    def close(self):
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None


def _serve(pipe, prepare, *arguments):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, and ends this process
    limit = [math.inf]
    threading.Thread(target=_watch, args=(limit,), daemon=True).start()
    answer = prepare(*arguments)
    pipe.send("ready")
    while True:
        question, seconds = pipe.recv()
        limit[0] = time.process_time() + seconds
        pipe.send(answer(question))


def _watch(limit):
    """End this process when its time is up, and when the parent is gone, whatever ended it.

    A thread and no timer signal: while one is set, Linux counts CPU time in ticks of some milliseconds.
    """
    parent = multiprocessing.parent_process()
    while parent.is_alive():
        if time.process_time() > limit[0]:
            os._exit(_TIME_IS_UP)
        parent.join(1)
    os._exit(1)
