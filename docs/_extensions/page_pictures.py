"""Draw the pictures of a page by running the page's own code, so that readers see what they would get."""

import contextlib
import doctest
import hashlib
import re
from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt

PAGE = "decide.md"
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def draw_pictures(app):
    """Run the page's blocks in a folder of their own, unless they have not changed since the last build."""
    blocks = "\n".join(_BLOCK.findall((Path(app.srcdir) / PAGE).read_text("utf-8")))
    folder = Path(app.srcdir) / "drawn"
    folder.mkdir(exist_ok=True)
    done, digest = folder / "digest", hashlib.sha256(blocks.encode()).hexdigest()
    if not done.exists() or done.read_text() != digest:
        test = doctest.DocTestParser().get_doctest(blocks, {}, PAGE, PAGE, 0)
        with contextlib.chdir(folder), mpl.rc_context({"savefig.dpi": 160}):
            doctest.DebugRunner().run(test)  # raises if the page shows something else
            plt.close("all")  # the first gallery script would show them
        done.write_text(digest)


def setup(app):
    """Register the extension with Sphinx."""
    app.connect("builder-inited", draw_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
