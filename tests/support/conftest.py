"""Tasks that workers of other processes can run, although they cannot import the tests."""

import time

import pytest

# Functions inside functions are sent to workers as they are, and not by the name of a module.


@pytest.fixture
def square():
    def task(x, seconds=0.0):
        time.sleep(seconds)
        return x * x

    return task


@pytest.fixture
def faulty():
    def task(number, at):
        time.sleep(0.01)
        if number == at:
            raise KeyError("no such key")
        return number

    return task
