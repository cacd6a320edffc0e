"""All thresholds of the search for hazards, in one place; the page on warnings lists them.

They were set on generated tables of their own seeds and on real datasets, and judged on other seeds.
"""

from __future__ import annotations

from typing import NamedTuple


class RelatedRows(NamedTuple):
    """When rows count as copies of other rows."""

    most_rows: int = 20_000  # rows among which kin are looked for; the sets are then made among all rows
    anchors: int = 400  # rows looked at; half as many among more than `many_rows`
    many_rows: int = 8_000
    neighbours: int = 40  # nearest rows of each
    most_kin: int = 24  # equal to more rows than this, a row is no copy: its values are common
    fewest: float = 0.02  # fraction of rows that must have kin
    fewest_columns: tuple[int, int, int] = (2, 5, 8)  # for rows equal in all columns, in all but one, but two
    most_columns: int = 100  # with more, rows are compared as points in `n_projected` dimensions
    n_projected: int = 50
    excess: float = 4.0  # equal rows, relative to the most that freely varying columns allow: copies
    grey: float = 1.5  # from here on, equal rows that agree may be copies
    agree: tuple[float, float] = (0.8, 0.99)  # how often they agree: above `grey`, and if most combinations occur
    full: float = 0.5  # fraction of all combinations of values that occur
    multiples: float = 0.97  # fraction of rows in combinations that occur a multiple of k times
    fewest_combinations: int = 20
    spike: float = 1.6  # a step in the distances to the nearest rows, relative to the median step: copies
    hint: float = 1.35  # the same: rows that may be related
    as_many: float = 0.25  # pairs of rows equal but for a column, relative to the column with the most such pairs
    largest: float = 0.25  # a set of kin with a larger fraction of all rows is none
    words: int = 4  # with so many words in a value, a column is compared word by word
    spike_words: float = 5.0  # the same for texts
    fewest_close: int = 60  # rows that are enough to compare distances
    rounded: float = 0.9  # with fewer distinct values per row, a column counts as rounded
    rise: float = 0.03  # how much more often labels of kin must agree: absolute, and in standard errors
    clear: float = 3.0
    between: float = 0.1  # fraction of a class that lies between two of its rows
    fewest_between: int = 30  # rows of a class; of at most `most_between`, its part of `anchors_between` are looked at
    most_between: int = 2_000
    anchors_between: int = 200


class Leaks(NamedTuple):
    """When columns give the label away. Errors are relative to guessing, except for `times`."""

    rows: int = 2000  # rows looked at, and the most of them if the other classes together have too few
    most_rows: int = 8000
    fewest_others: int = 200
    rows_of_pairs: int = 1000  # rows on which pairs of columns are tried first
    widest: int = 20  # numbers, with their pairs, that are tried among more
    n_bins: int = 64  # bins of a number, at least `bins_per_class` for each class
    bins_per_class: int = 4
    pair_bins: int = 5  # bins of each number in a pair, which is cut at zero as well
    few_values: int = 10  # distinct values of a code; numbers with more are quantities
    words: int = 20  # most frequent words of a text that are looked for
    zero: float = 0.05  # (wrong + 2) / rows that counts as near zero
    zero_of_class: float = 0.1  # the same for one class against the others, without the 2
    almost: float = 3.0  # up to so many times that, a small forest tries a column once more
    growing: float = 0.2  # error with all columns from which no set of three or four is looked for
    largest: int = 4  # columns in a set
    turns: int = 2  # sets that are taken away one after the other, because copies hide each other
    times: float = 4.0  # smallest error without the columns, relative to that with them alone
    hard: float = 0.2  # smallest error without the columns: the others cannot do it
    note: float = 0.02  # the same if the others can: still worth a note
    useless: float = 0.7  # smallest error with each column alone of a pair that only decides together
    related: float = 2.5  # the others matter: better than guessing by so many standard errors
    empty: float = 0.95  # fraction of the other classes' rows that share one value, such as "not applicable"
    fewest_of_class: int = 30  # a class with fewer rows is not examined on its own
    trees: int = 8  # of each small forest


class Drift(NamedTuple):
    """When later rows are worse than rows between known ones."""

    fewest_rows: int = 500
    most_rows: int = 4_000  # rows looked at, evenly over time; neighbours are looked for among at most `most_in_memory`
    most_in_memory: int = 1_000
    n_periods: int = 10  # of which the last half are tested
    spread: float = 0.7  # smallest number of periods in which a class occurs, relative to chance
    rise: float = 0.02  # smallest rise of the error
    clear: tuple[float, float] = (5.0, 3.5)  # in standard errors: another half of the time; an error that rises
    neighbours: int = 5


RELATED, LEAKS, DRIFT = RelatedRows(), Leaks(), Drift()
