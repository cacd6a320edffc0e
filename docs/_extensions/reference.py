"""Pages generated from the code: the command line, codes, the glossary, JSON fields, and an example report."""

import re
from dataclasses import is_dataclass
from itertools import groupby
from pathlib import Path

import click
from sklearn.datasets import load_digits

from bayesfloor import check
from bayesfloor.cli._commands import verbs
from bayesfloor.summary import explain, schema
from bayesfloor.summary._explain import CODES, TERMS

KINDS = {
    "1": "What is holding accuracy back",
    "2": "What weakens the answer",
    "3": "Gates",
    "4": "What to do next",
}
_SHOW = "`bayesfloor explain` and {func}`~bayesfloor.summary.explain` show the same texts."


def write_pages(app):
    """Write the pages; an unchanged page is left alone, so that Sphinx does not read it again."""
    pages = {"command_line": show_commands, "codes": show_codes, "glossary": show_terms, "json_fields": show_fields}
    for name, show in pages.items():
        path, page = Path(app.srcdir) / "api" / f"{name}.md", show()
        if not path.exists() or path.read_text("utf-8") != page:
            path.write_text(page, "utf-8")


def show_commands():
    """Return the help of every verb, as the terminal shows it."""
    helps = [show_help("bayesfloor", verbs)]
    helps += [show_help(f"bayesfloor {name}", verbs.commands[name]) for name in sorted(verbs.commands)]
    return "# Command line\n\n" + "".join(helps)


def show_help(name, command):
    """Return the help of one verb."""
    context = click.Context(command, info_name=name, terminal_width=88, **verbs.context_settings)
    return f"## {name}\n\n```text\n{command.get_help(context)}\n```\n\n"


def show_codes():
    """Return all codes, grouped by their first digit."""
    text = f"# Codes\n\nEvery finding and gate has a code. {_SHOW} {{doc}}`glossary` has the terms.\n\n"
    for kind, codes in groupby(CODES, key=lambda code: code[2]):
        text += f"## {KINDS[kind]}\n\n" + "".join(map(show_code, codes))
    return text


def show_code(code):
    """Return a code with its name and meaning."""
    name, meaning = re.match(r"([^.:]+)[.:] (.*)", explain(code), re.DOTALL).groups()
    return f"({code})=\n### {code}: {name}\n\n{meaning[0].upper()}{meaning[1:]}\n\n"


def show_terms():
    """Return the terms."""
    text = f"# Glossary\n\nOne term, one meaning, wherever results are shown. {_SHOW} {{doc}}`codes` has the codes.\n\n"
    return text + define(TERMS)


def show_fields():
    """Return the fields of the JSON that stay the same from version to version."""
    text = "# JSON fields\n\nWhat `--json` and `Check.to_json` write, as far as other programs may rely on it. Further "
    text += "fields hold what `Check.from_json` needs. {func}`~bayesfloor.summary.schema` returns the schema, with the "
    text += "same texts.\n\n"
    return text + define(dict(describe(schema())))


def describe(part, inside=""):
    """Yield the fields in a part of the schema with their descriptions; a dot comes before a field of a field."""
    for name, inner in part.get("properties", {}).items():
        yield inside + name, inner["description"]
        yield from describe(inner.get("items", inner), f"{inside}{name}.")


def define(texts):
    """Return a list of definitions, in alphabetical order."""
    return "".join(f"`{name}`\n: {texts[name]}\n\n" for name in sorted(texts, key=str.lower))


def hide_constructors(_app, kind, _name, member, _options, _signature, _returned):
    """Show results without the signature of their constructor, which only the library calls."""
    return ("", None) if kind == "class" and is_dataclass(member) else None


def skip_others(_app, _kind, _name, member, skip, _options):
    """Leave out what scikit-learn documents, and the fields of named tuples, which only say that they are fields."""
    aliases = str(getattr(member, "__doc__", "")).startswith("Alias for field number")
    return skip or aliases or str(getattr(member, "__module__", "")).startswith("sklearn")


def write_report(app, error):
    """Write the digits report next to the home page, which shows its first screen."""
    if error is not None or app.builder.format != "html":
        return
    digits = load_digits()
    found = check(digits.data, digits.target, name="digits")
    found.to_html(
        Path(app.outdir) / "report.html",
        images=(255 / 16 * digits.images).astype("uint8"),
        command="bayesfloor demo -o report.html",
    )


def setup(app):
    """Register the extension with Sphinx."""
    app.connect("autodoc-process-signature", hide_constructors)
    app.connect("autodoc-skip-member", skip_others)
    app.connect("build-finished", write_report)
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
