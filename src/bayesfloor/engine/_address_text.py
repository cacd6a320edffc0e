"""Addresses as text: recognise them, and show them without credentials."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from bayesfloor.engine._errors import InputError

_CHAIN = r"(?:[A-Za-z][A-Za-z0-9+.-]+::)*[A-Za-z][A-Za-z0-9+.-]+:"  # of fsspec: simplecache::s3://
_START = re.compile(f"{_CHAIN}//")
_WHOLE = re.compile(rf"(\s*{_CHAIN}/{{1,2}})(.*)", re.DOTALL)  # pathlib removes a slash
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]{1,40}:/{1,2}"  # bounded, so that long words take no longer
_LINE = rf"(?:(?!{_SCHEME})[^\n])*"  # up to the next address
_NO_LOGIN = r"\d*[\]).,:;!}>]*(?:[/?#\s'\"]|$)"  # what may follow a colon that does not precede a password: a port
# In a sentence, a password, and a query with more to come, may contain spaces.
_IN_TEXT = re.compile(
    rf"({_SCHEME})((?:[^:/\[\s?#'\"]*:(?!{_NO_LOGIN})(?:{_LINE}@|{_LINE}))?[^\s?#'\"]*"
    rf"(?:[^\S\n]*[?#](?!\.\.\.[\]).,:;!}}>]*(?:['\"]|\s(?!\s*&)|$))[^\s'\"]*(?:{_LINE}[=&][^\s'\"]*)?)?)"
)
_PASSWORD = re.compile(rf"[^:/\[]*:(?!:|{_NO_LOGIN})")
_HIDDEN = re.compile(r"[?#]|;(?=.)", re.DOTALL)


def is_address(path: object) -> bool:
    """Whether this is an address and not a local path; ``file://`` is local."""
    return isinstance(path, str) and _START.match(path) is not None and not path.startswith("file://")


def scheme_of(address: str) -> str:
    """Return the part before ``://``, such as ``s3``, or a whole chain, such as ``zip::s3``."""
    return address.partition("://")[0].lower()


def redact(text: object, *known: str) -> str:
    """Return the text with only the scheme, host and path of its addresses.

    A text that begins with an address is taken for one address. Elsewhere nobody can tell where an address ends: pass
    what is ``known``, such as the words of the command, to remove secrets also where a library quotes parts of them.
    """
    said = str(text)
    for word in known:
        if found := _WHOLE.search(word):  # it may follow an option
            said = _without(said.replace(found[0], _show(found)), found[0])
    whole = _WHOLE.fullmatch(said)
    return _show(whole) if whole else _IN_TEXT.sub(_show, said)


def _show(address: re.Match[str]) -> str:
    """Return the scheme, the host and the path; if a password may be in them, only the scheme."""
    start, rest = address.groups()
    place, *hidden = _HIDDEN.split(rest, maxsplit=1)
    before, _, after = place.rpartition("@")
    if ":" in before or "/" not in before:  # a password may contain a slash: a mistake, but it must not be shown
        place = after
    if _PASSWORD.match(place) or "@" in "".join(hidden):
        return f"{start}..."
    return f"{start}{place}?..." if hidden else f"{start}{place}"


def _without(text: str, address: str) -> str:
    """Remove every word of an address that is not shown."""
    for word in sorted(_words(address) - _words(redact(address)), key=len, reverse=True):
        around = "['\"]" if len(word) < 3 else r"\b" if len(word) == 3 else ""  # short words also occur by chance
        text = re.sub(f"({around}){word}({around})", r"\1...\2", text, flags=re.IGNORECASE)
    return text


def _words(address: str) -> set[str]:
    forms = (address, unquote(address), quote(address, errors="backslashreplace"))
    return {word.lower() for form in forms for word in re.findall(r"\w+", form)}


def path_alone(path: str, address: str) -> str:
    """Return a path without the query or login of the address, which some file systems take for a part of it."""
    for mark in "?#;":
        path = path.removesuffix("".join(address.partition(mark)[1:]).rstrip("/"))
    login, _, rest = path.rpartition("@")
    return rest if f"{login.lstrip('/')}@" in address and "@" not in redact(address) else path


def refuse_output(path: object) -> None:
    """Raise if a file to write is at an address."""
    if is_address(path):
        shown = redact(path)
        name = shown.removesuffix("?...").rstrip("/").rpartition("/")[2]
        raise InputError(
            f"Got the output '{shown}', but files cannot be written to an address. Pass a local path, such as {name}, "
            "and upload the file afterwards."
        )
