"""Print the test coverage and the least covered modules: ``python tools/covered.py COVERAGE.json``.

``coverage json`` writes the file after a run of ``pytest --cov``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

LEAST = 10


def report(found: dict[str, Any]) -> list[str]:
    """Return the lines to print: the total, then the least covered modules with what is missing."""
    files = sorted(found["files"].items(), key=lambda item: item[1]["summary"]["percent_covered"])
    lines = [f"{found['totals']['percent_covered']:5.1f} %  all {len(files)} modules, branches included"]
    for name, file in files[:LEAST]:
        told = file["summary"]
        missing = f"{told['missing_lines']} lines, {told['missing_branches']} branches missing"
        lines.append(f"{told['percent_covered']:5.1f} %  {name}: {missing}")
    return lines


if __name__ == "__main__":
    print("\n".join(report(json.loads(Path(sys.argv[1]).read_text("utf-8")))))
