"""Say on the page of a public class where one comes from: which public calls return it, which attributes hold it."""

import inspect
import re
from collections import defaultdict

from numpydoc.docscrape import get_doc_object

import bayesfloor


def find_origins():
    """Return, for the full name of each public class that something returns, links to what returns it."""
    modules = [it for it in (getattr(bayesfloor, name) for name in dir(bayesfloor)) if inspect.ismodule(it)]
    homes = {name: it for it in [*modules, bayesfloor] for name in it.__all__ if it.__name__ != "bayesfloor.plotting"}
    found = defaultdict(dict)
    for name, home in sorted(homes.items()):
        for link, kind in promises(name, home):
            for word in set(re.findall(r"\b[A-Z]\w+", kind)) & set(homes) - {name}:
                found[f"{homes[word].__name__}.{word}"][link] = None
    return {name: ", ".join(links) for name, links in found.items() if name != "bayesfloor.BayesFloor"}  # users make it


def promises(name, home):
    """Yield a link and a type for what a function returns, or for each attribute and method of a class."""
    found, path = getattr(home, name), f"{home.__name__}.{name}"
    if not inspect.isclass(found):
        yield f":func:`~{path}`", str(inspect.get_annotations(found).get("return", ""))
        return
    for attributes, kind, _ in get_doc_object(found)["Attributes"]:
        names = attributes.split(", ")
        kinds = kind.split(", ") if kind.count(", ") == len(names) - 1 else [kind] * len(names)
        yield from ((f":class:`{name}.{it} <{path}>`", one) for it, one in zip(names, kinds, strict=True))
    for method, it in inspect.getmembers(found, inspect.isfunction):
        if not method.startswith("_"):
            yield f":class:`{name}.{method}() <{path}>`", str(inspect.get_annotations(it).get("return", ""))
