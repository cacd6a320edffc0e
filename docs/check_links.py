"""Check a built site: `python docs/check_links.py SITE`.

Every link to a page or a place in it has to lead there, and no page may load anything from elsewhere. Links to other
sites are listed, not followed.
"""

import sys
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"audio", "embed", "iframe", "img", "input", "object", "script", "source", "track", "video"}


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it."""

    def __init__(self, path):
        super().__init__()
        self.path, self.links, self.loaded, self.places = path, set(), set(), {"", "top"}
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        """Take note of a tag."""
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if tag in LOADED:
            self.loaded |= {given[name] for name in ("src", "data", "poster") if name in given}
        if tag == "link" and {"icon", "preload", "stylesheet"} & set(given["rel"].split()):
            self.loaded.add(given["href"])


def main(site):
    """Look at all pages; say what is wrong, and whether anything is."""
    paths = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path) for path in paths}
    wrong = [f"{path.relative_to(site)}: {text}" for path, page in pages.items() for text in look(page, pages)]
    wrong += [f"{path.relative_to(site)}: loads from elsewhere" for path in site.rglob("*.css") if loads_far(path)]
    show_far(pages, site)
    print(f"{len(pages)} pages, {len(wrong)} faults", *wrong, sep="\n")
    return bool(wrong)


def look(page, pages):
    """What is wrong with a page."""
    for link in sorted(page.links):
        if not is_far(link) and not leads_somewhere(link, page, pages):
            yield f"leads nowhere: {link}"
    for link in sorted(page.loaded):
        if is_far(link) and not link.startswith("data:"):
            yield f"loads from elsewhere: {link}"
        elif not is_far(link) and not target(link, page).exists():
            yield f"loads what is not there: {link}"


def is_far(link):
    """Whether a link leaves the site."""
    parts = urlsplit(link)
    return bool(parts.scheme or parts.netloc)


def target(link, page):
    """The file that a link leads to."""
    path = unquote(urlsplit(link).path)
    return (page.path.parent / path).resolve() if path else page.path


def leads_somewhere(link, page, pages):
    """Whether the file is there, and the place in it."""
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
        print(f"elsewhere: {link} ({where[0]}{f' and {len(where) - 1} more' if len(where) > 1 else ''})")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
