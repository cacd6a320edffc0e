"""
Where the error goes
====================

The parts of a model's error add up to it: what will stay with these features, what more rows would bring, and what a
better model on the same rows would bring. The lines above are 95 % intervals.
"""

from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeClassifier

import bayesfloor
from bayesfloor.plotting import BudgetDisplay

found = bayesfloor.check(*load_digits(return_X_y=True), model=DecisionTreeClassifier(random_state=0), effort="quick")
print(*found.next, sep="\n")
display = BudgetDisplay.from_budget(found.budget)
