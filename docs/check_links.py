"""Check a built site: `python docs/check_links.py SITE`.

Every link to a page or to an anchor has to work, and no page may load anything from another site. Links to other sites
are listed, not followed.
"""

import sys
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"audio", "embed", "iframe", "img", "input", "object", "script", "source", "track", "video"}


class Page(HTMLParser):
    """A page's links, the files it loads, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.path, self.links, self.loaded, self.places = path, set(), set(), {"", "top"}
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        """Record the links, loaded files and anchors of a tag."""
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if tag in LOADED:
            self.loaded |= {given[name] for name in ("src", "data", "poster") if name in given}
        if tag == "link" and {"icon", "preload", "stylesheet"} & set(given["rel"].split()):
            self.loaded.add(given["href"])


def main(site):
    """Check all pages, print the faults, and return whether there are any."""
    paths = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path) for path in paths}
    wrong = [f"{path.relative_to(site)}: {text}" for path, page in pages.items() for text in look(page, pages)]
    wrong += [f"{path.relative_to(site)}: loads from another site" for path in site.rglob("*.css") if loads_far(path)]
    show_far(pages, site)
    print(f"{len(pages)} pages, {len(wrong)} faults", *wrong, sep="\n")
    return bool(wrong)


def look(page, pages):
    """Yield the faults of a page."""
    for link in sorted(page.links):
        if not is_far(link) and not leads_somewhere(link, page, pages):
            yield f"broken link: {link}"
    for link in sorted(page.loaded):
        if is_far(link) and not link.startswith("data:"):
            yield f"loads from another site: {link}"
        elif not is_far(link) and not target(link, page).exists():
            yield f"loads a missing file: {link}"


def is_far(link):
    """Whether a link leaves the site."""
    parts = urlsplit(link)
    return bool(parts.scheme or parts.netloc)


def target(link, page):
    """Return the file that a link points to."""
    path = unquote(urlsplit(link).path)
    return (page.path.parent / path).resolve() if path else page.path


def leads_somewhere(link, page, pages):
    """Whether the linked file exists and has the linked anchor."""
    path = target(link, page)
    return path.exists() and (path not in pages or unquote(urlsplit(link).fragment) in pages[path].places)


def loads_far(path):
    """Whether a style sheet loads anything from another site."""
    text = path.read_text("utf-8").replace('"', "").replace("'", "").replace(" ", "")
    return any(word in text for word in ("url(http", "url(//", "@importhttp", "@import//"))


def show_far(pages, site):
    """List the links to other sites, each with a page that has it."""
    found = defaultdict(list)
    for path, page in pages.items():
        for link in filter(is_far, page.links):
            found[link].append(str(path.relative_to(site)))
    for link, where in sorted(found.items()):
        print(f"other site: {link} ({where[0]}{f' and {len(where) - 1} more' if len(where) > 1 else ''})")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
