"""Measure in a fresh interpreter, with its own memory and its own compiled kernels.

``run_fresh("module:function", **arguments)`` imports the module there, calls the function and returns its
result, passed back as JSON.
"""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def run_fresh(function, environment=None, **arguments):
    """Return the result of a function, "module:function", run in a process of its own."""
    command = [sys.executable, "-m", "benchmarks._fresh", function, json.dumps(arguments)]
    done = subprocess.run(command, cwd=_ROOT, env=_with(environment), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def run_python(code, environment=None):
    """Run a line of Python in a process of its own."""
    subprocess.run([sys.executable, "-c", code], cwd=_ROOT, env=_with(environment), check=True)


def _with(environment):
    return {**os.environ, **(environment or {})}


if __name__ == "__main__":
    module, _, function = sys.argv[1].partition(":")
    print(json.dumps(getattr(import_module(module), function)(**json.loads(sys.argv[2]))))
