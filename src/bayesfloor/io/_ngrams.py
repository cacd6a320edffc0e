"""Weight the n-grams of strings; n-grams are counted once per distinct word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Self

import numpy as np

from bayesfloor.engine._types import Floats

_AT_ONCE = 10_000  # strings at a time, so that the weights of all strings are never in memory together


class NgramWeights:
    """Gives exactly the weights of ``TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4))``, but faster.

    These n-grams never cross a word boundary, so a string has the n-grams of its words. Distinct words are few.
    """

    def __init__(self) -> None:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

        self._grams = CountVectorizer(analyzer="char_wb", ngram_range=(3, 4), lowercase=False, dtype=np.float64)
        self._weights = TfidfTransformer()

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn the n-grams and their frequencies; raise ValueError if there are none."""
        words, counts = _count_words(texts)
        self._grams.fit(words)
        self._weights.fit(self._count(words, counts))
        return self

    def transform(self, texts: Sequence[str]) -> Any:
        """Return the n-gram weights of each string as a sparse matrix."""
        return self._weights.transform(self._count(*_count_words(texts)), copy=False)

    def scores(self, texts: Sequence[str], svd: Any) -> Floats:
        """Return the components of each string."""
        parts = (texts[i : i + _AT_ONCE] for i in range(0, len(texts), _AT_ONCE))
        return np.vstack([svd.transform(self.transform(part)) for part in parts])

    def _count(self, words: Sequence[str], counts: Any) -> Any:
        """Count each n-gram in each string, sorted so that sums are the same to the last digit."""
        grams = counts @ self._grams.transform(words)
        grams.sort_indices()
        return grams


def _count_words(texts: Sequence[str]) -> tuple[list[str], Any]:
    """Return the distinct words, and each string's word counts as a sparse matrix."""
    from scipy.sparse import csr_array

    known: dict[str, int] = {}
    split = [[known.setdefault(word, len(known)) for word in text.lower().split()] for text in texts]
    place = np.fromiter((word for words in split for word in words), dtype=np.int32)
    ends = np.array([0, *accumulate(map(len, split))], dtype=np.int32)
    return list(known), csr_array((np.ones(len(place)), place, ends), shape=(len(split), len(known)))
