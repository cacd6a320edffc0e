"""Addresses as text: recognise them, and show them without credentials."""

from __future__ import annotations

import re

from bayesfloor.engine._errors import InputError

_START = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]+::)*([A-Za-z][A-Za-z0-9+.-]+)://")  # fsspec chains: simplecache::s3://
# "user:password@"; in a bucket's address, the password may contain a slash: a mistake, but it must not be shown.
_LOGIN = re.compile(r"(\w://)[^/\s?#'\"]*@|((?:s3|gs|gcs)://)[^:\s?#'\"]*:[^\s?#'\"]*@")
_QUERY = re.compile(r"(\w://[^\s?#'\"]*)[?#](?!\.\.\.)[^\s'\"]*")


def is_address(path: object) -> bool:
    """Whether this is an address and not a local path; ``file://`` is local."""
    return isinstance(path, str) and _START.match(path) is not None and not path.startswith("file://")


def scheme_of(address: str) -> str:
    """Return the part before ``://``, such as ``s3``, or a whole chain, such as ``zip::s3``."""
    return address.partition("://")[0].lower()


def redact(text: object) -> str:
    """Return the text without the passwords, signatures and keys in its addresses."""
    return _QUERY.sub(r"\1?...", _LOGIN.sub(r"\1\2", str(text)))


def refuse_output(path: object) -> None:
    """Raise if a file to write is at an address."""
    if is_address(path):
        shown = redact(path)
        name = shown.removesuffix("?...").rstrip("/").rpartition("/")[2]
        raise InputError(
            f"Got the output '{shown}', but files cannot be written to an address. Pass a local path, such as {name}, "
            "and upload the file afterwards."
        )
