"""Tests of the weights of n-grams."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from tables import WORDS
from threadpoolctl import threadpool_limits

from bayesfloor.io import TablePreparer
from bayesfloor.io import _encoders as _ngrams
from bayesfloor.io._encoders import NgramWeights

LETTERS = st.sampled_from("aAbßİΣ日 \t\n\u00a0\u2003\x1c-.1é\u0301")


def check_weights(texts, others):
    """Check that the weights are scikit-learn's, bit for bit."""
    expected = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4)).fit(texts)
    weights = NgramWeights().fit(texts)
    for rows in (texts, others):
        ours, theirs = weights.transform(rows), expected.transform(rows)
        assert ours.shape == theirs.shape
        assert ours.data.tobytes() == theirs.data.tobytes()
        np.testing.assert_array_equal(ours.indices, theirs.indices)
        np.testing.assert_array_equal(ours.indptr, theirs.indptr)


@given(st.lists(st.text(LETTERS), min_size=1), st.lists(st.text(LETTERS), min_size=1))
def test_weights_are_those_of_scikit_learn(texts, others):
    """Of any letters and blanks, with words once, again or never seen."""
    check_weights(["one Word", *texts], others)


def test_long_texts():
    """Of many words each, in which n-grams come again and again."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, 60)) for _ in range(200)]
    check_weights(texts[:100], texts)


def test_nothing_but_blanks_is_refused():
    """There is nothing to learn from."""
    with pytest.raises(ValueError, match="empty vocabulary"):
        NgramWeights().fit([" ", "\t"])


def test_scores_of_parts_are_those_of_the_whole(monkeypatch):
    """How many texts are taken at once does not matter."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, 6)) for _ in range(50)]
    weights = NgramWeights().fit(texts)
    svd = TruncatedSVD(5, random_state=0).fit(weights.transform(texts))
    whole = weights.scores(texts, svd)
    monkeypatch.setattr(_ngrams, "_AT_ONCE", 7)
    assert weights.scores(texts, svd).tobytes() == whole.tobytes()


def test_threads_of_matrix_products_change_nothing():
    """The same table gives the same answer on a laptop and on a server."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"text": [" ".join(rng.choice(WORDS, 40)) for _ in range(400)]})
    made = []
    for n_threads in (1, 2, 4):
        with threadpool_limits(n_threads, user_api="blas"):
            made.append(TablePreparer().fit_transform(table))

    assert made[0].tobytes() == made[1].tobytes() == made[2].tobytes()
