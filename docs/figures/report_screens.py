"""The first screen of a report, light and dark, for the README and the site.

``PYTHONPATH=docs python -m figures.report_screens`` writes both pictures. It needs Chromium and Playwright.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright
from sklearn.datasets import load_digits

from bayesfloor import check

PICTURES = Path(__file__).parents[1] / "pictures"
SIZE = {"width": 1280, "height": 920}


def main():
    """Write the report of the digits, open it and take its picture."""
    digits = load_digits()
    found = check(digits.data, digits.target, target=0.98, name="digits")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = found.to_html(Path(folder) / "report.html", images=(255 / 16 * digits.images).astype("uint8"))
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme, name in (("light", "report.png"), ("dark", "report_dark.png")):
            screen = chromium.new_context(viewport=SIZE, color_scheme=scheme).new_page()
            screen.goto(page.as_uri())
            screen.screenshot(path=PICTURES / name)
        chromium.close()


if __name__ == "__main__":
    main()
