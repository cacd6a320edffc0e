"""
From answer to action
=====================

**The question.** A model has an accuracy of just under 80 % and needs 92 %. Should we try another model, collect more
rows, correct labels, or stop?

**The answer.** ``check(X, y, target, model=...)`` divides the model's error into parts that add up to it
(``found.budget``), and lists at most three steps with what each would bring and what it costs (``found.next``). With
your own prices, that is a decision.
"""

# %%
# Data with a known answer
# ------------------------
# We make the data here, so that we can tell whether the parts are right. Each of four classes is two clouds of points,
# which a linear model cannot separate. Two more columns are noise, and one label in ten is wrong.

import numpy as np
import pandas as pd

rng = np.random.default_rng(6)
centres = 3 * rng.normal(size=(8, 4))


def make_rows(n):
    """Return a table, the labels that we have, and the true ones."""
    cloud = rng.integers(8, size=n)
    values = np.column_stack([centres[cloud] + rng.normal(size=(n, 4)), rng.normal(size=(n, 2))])
    truth = cloud % 4
    labels = np.where(rng.random(n) < 0.1, (truth + rng.integers(1, 4, n)) % 4, truth)
    return pd.DataFrame(values, columns=["a", "b", "c", "d", "noise 1", "noise 2"]), labels, truth


X, y, truth = make_rows(2000)
X_new, _, truth_new = make_rows(10_000)

# %%
# No model knows more than the densities of the clouds, so they give the lowest possible error: with correct labels, and
# with the labels that we have.

squared = ((X_new.to_numpy()[:, None, :4] - centres) ** 2).sum(axis=2)
density = np.exp(-squared / 2).reshape(-1, 2, 4).sum(axis=1)
best = (density / density.sum(axis=1, keepdims=True)).max(axis=1)
overlap = 1 - best.mean()
lowest = 1 - (0.9 * best + 0.1 * (1 - best) / 3).mean()
print(f"lowest possible error {lowest:.1%}: overlap {overlap:.1%}, and wrong labels add {lowest - overlap:.1%}")

# %%
# The smallest code
# -----------------

from sklearn.linear_model import LogisticRegression

from bayesfloor import check
from bayesfloor.plotting import BudgetDisplay

found = check(X, y, target=0.92, model=LogisticRegression(max_iter=1000))
print(found.verdict)
print(found.budget.frame().round(3).to_string(index=False))
display = BudgetDisplay.from_budget(found.budget)

# %%
# What the numbers mean
# ---------------------
# The first three parts add up to the model's error. Each has a 95 % interval.
#
# *will stay*
#     The lowest possible error: no model and no number of rows removes it. New features or other labels would.
# *more rows*
#     What the best model would gain with more and more rows.
# *a better model*
#     What the best learner of the check gains on these rows.
# *wrong labels*, *overlap*
#     Parts of what will stay. If the data do not separate them, they are one part, *overlap or wrong labels*.
#
# Here the truth, printed above, lies in each interval. The parts depend on chance, too: with seed 4 instead of 6, these
# rows cannot say what will stay and what more rows would bring, and both are one part, *will stay or more rows*.
#
# What to do next
# ---------------
# The steps come from the same numbers, those that would bring the most first:

for step in found.next:
    print(f"{step.text}\n    gain {100 * step.gain:.1f} points, cost: {step.cost}")

# %%
# A gain of ``nan`` is not known. Costs are in their own units, because only you know your prices. Suppose that looking
# at a label costs 0.10, and a new labelled row 1.50. More rows were not proposed; the last line shows why.

answer = found.answer
n, n_labels = answer.forecast.n_rows, found.suspicious.n_suspect
fall = answer.errors[answer.best] - answer.forecast.quantiles([0.5], 4 * n)[0]
steps = {
    "best model": (found.budget.part("a better model").loss, 0.0),
    f"look at {n_labels} labels": (found.budget.part("wrong labels").loss, 0.10 * n_labels),
    f"{3 * n:,} more rows": (fall, 1.50 * 3 * n),
}
costs = pd.DataFrame(steps, index=["gain", "price"]).T
costs["points per 100"] = 100 * costs["gain"] / (costs["price"] / 100)
print(costs.round(3))

# %%
# So the model comes first, then the labels, and no rows. Rows alone are unlikely to be enough, however many:

print([answer.chance(0.92, rows=rows) for rows in (2_000, 10_000, 100_000, None)])  # None: any number

# %%
# First step: the model
# ---------------------
# ``best_model`` returns the winner of the check as a scikit-learn pipeline. It costs nothing but the time to fit it. We
# test both models on new rows with correct labels, which the check did not have:

model = LogisticRegression(max_iter=1000).fit(X, y)
better = found.best_model().fit(X, y)
print(f"{model.score(X_new, truth_new):.1%}, then {better.score(X_new, truth_new):.1%}")

# %%
# Second step: the labels
# -----------------------
# A person looks at the labels that disagree with their neighbours and corrects the wrong ones. Here we know the truth:

seen = found.suspicious.frame()["row"].to_numpy()[:n_labels]
print(f"{(y[seen] != truth[seen]).sum()} of {len(seen)} are wrong, of {(y != truth).sum()} in all")
corrected = y.copy()
corrected[seen] = truth[seen]
again = check(X, corrected, target=0.92, model=found.best_model(), effort="quick")
print(again.verdict)

# %%
# The target was unlikely, and now it is likely. The list is not complete: it was made to contain few correct labels, so
# some wrong ones are missing. They are a part of the new budget:

print(again.budget.frame().round(3).to_string(index=False))

# %%
# Third step: features
# --------------------
# *Better features* has no known gain, because nobody can judge columns that are not there. Two questions help. Which
# columns carry the signal? ``found.features`` has how much accuracy falls if a column's values are shuffled among rows
# that the model has not seen. Strongly correlated columns count as one feature.

print(found.features.frame().round(3).to_string(index=False))

# %%
# And is there a representation of these columns that is easier to learn from? The same learners are raced on each;
# 1,000 rows are enough for a first look.

from bayesfloor import compare_representations

columns = {"all": list(X), "without noise": ["a", "b", "c", "d"]}
compared = compare_representations(columns, corrected[:1000], X=X[:1000])
print(compared.text)

# %%
# There is no clear difference, so dropping the noise columns is not worth more work.
#
# When to stop
# ------------
# The last check already says it:

for step in again.next:
    print(step.text)

# %%
# What not to believe
# -------------------
# - **That gains add up.** Each step is judged alone. Check again after each.
# - **That "will stay" means "noise".** It stays with these features, for the kinds of model tried.
# - **That wrong labels are always told from overlap.** That needs labels that are wrong anywhere alike, and a model
#   near the lowest possible error. Labels that are wrong near borders look like overlap.
# - **That the score with corrected labels is exact.** Only labels that disagree with their neighbours were looked at.
#   For an honest score, look at some rows drawn at random, too.
# - **That suspicious labels may be deleted.** Look at them. Without its hard rows, any dataset looks easier.
#
# Next
# ----
# :doc:`plot_4_is_my_model_done` looks closer at a model and its labels, and :doc:`plot_3_which_embedding` at
# representations. :class:`bayesfloor.decide.Budget` and :class:`bayesfloor.summary.Step` list every field.
