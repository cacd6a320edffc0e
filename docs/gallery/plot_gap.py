"""
Is my model done
================

The plot compares a naive Bayes model with the floor: diamonds are the model's errors with 95 % intervals, bars the
lowest possible errors. Below the whole are the digits and the pairs of digits with the most room to improve.

Do not read "no room shown" as "no room": a better model may still be possible. And the test rows must be distributed
like the rows behind the floor.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from bayesfloor import BayesFloor
from bayesfloor.decide import gap
from bayesfloor.plotting import GapDisplay

X, y = load_digits(return_X_y=True)
train, test, y_train, y_test = train_test_split(X, y, test_size=600, random_state=0)
model = GaussianNB().fit(train, y_train)
found = gap(BayesFloor().fit(train, y_train), y_test, model.predict(test))
print(found.text)
display = GapDisplay.from_gap(found, most=5)
