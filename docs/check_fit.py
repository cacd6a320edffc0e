"""Check that a built site fits its window: `python docs/check_fit.py SITE [WIDTH ...]` (by default 1280 and 390).

No page may scroll sideways, and nothing that is wider than its box may be cut off. In a wide window no code and no
table may need to be scrolled either; in a narrow one they may.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

WIDE = 1000  # pixels; below, code and tables may scroll

# Boxes that hold more than they show. Readers may scroll some; some are seen by nobody; and the breadcrumbs may shorten
# the title of the page, which stands below them.
CUT = """scrolls => [...document.querySelectorAll('body *')].filter(box => {
  const style = getComputedStyle(box), shape = box.getBoundingClientRect();
  if (box.scrollWidth <= box.clientWidth + 1 || shape.width < 5 || shape.height < 5) return false;
  if (style.visibility === 'hidden' || box.closest('[hidden], dialog, .visually-hidden, .bd-breadcrumbs')) return false;
  const may = scrolls && ['auto', 'scroll'].includes(style.overflowX);
  return !may && style.overflowX !== 'visible' && style.display !== 'inline';
}).map(box => `${box.tagName.toLowerCase()}.${box.className} shows ${box.clientWidth} of ${box.scrollWidth} pixels: ` +
  box.innerText.trim().slice(0, 60).replaceAll('\\n', ' '))"""
SIDEWAYS = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"


def main(site, widths):
    """Look at every page in every width, print the faults, and return whether there are any."""
    skipped = {"_static", "report.html"}  # the report has tests of its own
    paths = [path for path in sorted(site.rglob("*.html")) if not skipped & set(path.parts)]
    wrong = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        for width in widths:
            page = browser.new_page(viewport={"width": width, "height": 900})
            wrong += [f"{path.relative_to(site)} at {width}: {text}" for path in paths for text in look(page, path)]
        browser.close()
    print(f"{len(paths)} pages, {len(wrong)} faults", *wrong, sep="\n")
    return bool(wrong)


def look(page, path):
    """Yield the faults of a page."""
    page.goto(path.as_uri())
    if beyond := page.evaluate(SIDEWAYS):
        yield f"the page scrolls sideways by {beyond} pixels"
    yield from page.evaluate(CUT, page.viewport_size["width"] < WIDE)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), [int(width) for width in sys.argv[2:]] or [1280, 390]))
