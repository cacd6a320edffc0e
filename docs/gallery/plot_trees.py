"""
How many trees
==============

Two normal classes in the plane, counted with one tree and with more. Each further tree has longer edges: the spread
over samples gets a little less, the estimate drifts up a little. Both are small against the distance to the truth
that 500 rows leave. Three trees are the default.

Do not take many trees for more rows. They see the same rows again, from farther away.
"""

from bayesfloor.plotting import TreesDisplay

display = TreesDisplay.from_gaussians(2.0, most_trees=6, n_rows=500, repetitions=10)
