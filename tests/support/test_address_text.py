"""Passwords and signatures are not shown, however odd the address; the host and the path are."""

import pytest

from bayesfloor.support._files import Address, AddressError, attempt, redact

# Each address has the word SEKRET in what must not be shown.
ADDRESSES = {
    "https://u:p SEKRET@h/x.csv": "https://h/x.csv",
    "https://u:p'SEKRET@h/x.csv": "https://h/x.csv",
    "https://u:p/SEKRET@h/x.csv": "https://h/x.csv",
    "https://u:p?SEKRET@h/x.csv": "https://...",  # it may also be a query with an @
    "https://u:p#SEKRET@h/x": "https://...",
    "https://h/x.csv?a=b c&sig=SEKRET": "https://h/x.csv?...",
    "https://h/x.csv?a='x'&sig=SEKRET": "https://h/x.csv?...",
    'https://h/x.csv?a="x"&sig=SEKRET': "https://h/x.csv?...",
    "HTTPS://u:SEKRET@h/x": "HTTPS://h/x",
    "simplecache::https://u:SEKRET@h/x": "simplecache::https://h/x",
    "zip://a.csv::https://h/b.zip?sig=SEKRET": "zip://a.csv::https://h/b.zip?...",
    "s3://AK:SEK/RET SEKRET@b/x": "s3://b/x",
    "https://h/x.csv;sig=SEKRET": "https://h/x.csv?...",
    "postgres+x://u:SEKRET@h": "postgres+x://h",
    "abfs://c@a.dfs.core.windows.net/x?sig=SEKRET": "abfs://a.dfs.core.windows.net/x?...",
    "https:/u:SEKRET@h/x.csv": "https:/h/x.csv",
    "https://h/x.csv?...&sig=SEKRET": "https://h/x.csv?...",
    "https://h/x.csv?...SEKRET": "https://h/x.csv?...",
    "https://h/x.csv\u00a0?sig=SEKRET": "https://h/x.csv\u00a0?...",
    "https://u:p@SEKRET@h/x": "https://h/x",
    "ftp://u:SEKRET@h/x": "ftp://h/x",
    "wss://tok-SEKRET@h": "wss://h",
    # further mistakes
    "ftp://u:p SEKRET@h/x.csv?sig=a b&k=SEKRET": "ftp://h/x.csv?...",
    "https://h/x.csv?... &sig=SEKRET": "https://h/x.csv?...",
    "https://u:1/SEKRET@h/x": "https://h/x",
    "https://u:SEKRET": "https://...",
    "https://u:p@h/x?m=a@SEKRET": "https://...",
    "https://h/https://u:SEKRET@h2/x": "https://h2/x",
    "https://u:SEKRET@[::1]:80/x.csv": "https://[::1]:80/x.csv",
}
PLAIN = (
    "https://h/a@b.csv",
    "s3://b/a@b:c.csv",
    "https://h:80/a.csv",
    "https://[::1]:80/a b.csv",
    "tcp://10.0.0.1:8786",
    "zip://a.csv::simplecache::s3://b/z.zip",
    "local:///folder/a@b.csv",
    "C:/folder/u:p@x.csv",
)


@pytest.mark.parametrize(("address", "shown"), ADDRESSES.items())
def test_of_an_odd_address_only_scheme_host_and_path_are_shown(address, shown):
    """Addresses are pasted from consoles, and passwords are not percent-encoded."""
    assert redact(address) == shown
    assert redact(shown) == shown


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("text", ["error: {} cannot be read. Check it.", "url='{}', or s3://b/x!", 'at "{}"'])
def test_within_a_sentence_no_secret_is_shown_either(address, text):
    """Libraries quote addresses in their own words."""
    assert "SEKRET" not in redact(text.format(address))


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("form", [str, repr, str.lower, lambda text: text.replace("'", "%27").replace(" ", "%20")])
def test_of_a_known_address_no_part_is_shown(address, form):
    """A library may quote a part only, or encode it; then nothing says that it is one of an address."""
    part = form(address.partition(":")[2])

    assert "sekret" not in redact(f"no port in {part} given", address).lower()


@pytest.mark.parametrize("address", PLAIN)
def test_an_address_without_secrets_stays_as_it_is(address):
    """A message without the place would help nobody."""
    assert redact(address) == address
    assert redact(f"error: {address} cannot be read.") == f"error: {address} cannot be read."


def test_what_was_shown_stays_as_it_is():
    """Messages are quoted in others, and the words after an address are not part of it."""
    text = "error: https://h/a.csv?... has x=3, https://h:80/b?...: y, ask a@b.c"

    assert redact(text) == text
    assert redact("error: a/b: no column 'id'", "s3://id:SEKRET/it@h/b") == "error: a/b: no column '...'"


@pytest.mark.parametrize(
    ("address", "path", "name", "shown"),
    [
        ("local:///d/q.csv?sig=SEKRET", "/d/q.csv?sig=SEKRET", "q.csv", "local://d/q.csv"),
        ("local:///d/q.csv?sig=a/SEKRET", "/d/q.csv?sig=a/SEKRET", "q.csv", "local://d/q.csv"),
        ("ftp://h/q.csv?a=b#SEKRET", "/q.csv#SEKRET", "q.csv", "ftp://q.csv"),
        ("ftp://u:1/a/SEKRET@h/q.csv", "/a/SEKRET@h/q.csv", "q.csv", "ftp://h/q.csv"),
        ("s3://k:SEKRET@b/d?region=here", "b/d/part#1.csv", "part#1.csv", "s3://b/d/part?..."),
    ],
)
def test_a_query_is_not_taken_for_a_file_name(address, path, name, shown):
    """Some file systems leave it in the path; names in a listing stay, because files are told apart by them."""
    place = Address(address, path)

    assert (place.name, str(place)) == (name, shown)


def test_what_a_library_says_of_an_address_is_shown_without_its_parts():
    """Not even a short piece of a password, where it is quoted."""

    def fail():
        raise ValueError("port 'p' of p/SEKRET@h cannot be p%2FSEKRET")

    with pytest.raises(AddressError) as error:
        attempt("it", fail, "ftp://u:p/SEKRET@h/x.csv")

    assert str(error.value).startswith("it cannot be read: port '...' of p/...@h cannot be p%2F.... Check")


@pytest.mark.parametrize(
    "text", ["a" * 200_000, "ab:/" * 50_000, " ab:/u:p ab:/?a " * 10_000, "x ab:/" + "u:p " * 50_000]
)
@pytest.mark.timeout(120)
def test_long_text_does_not_take_long(text):
    """It may come from a hostile file; in a time that grows with the square, each would take minutes."""
    assert redact(f"- {text}").startswith("- ")
