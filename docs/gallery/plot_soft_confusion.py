"""
What a neighbour would answer
=============================

``soft_confusion_`` is the probability that two labels drawn at the same point are class i and class j. Divided by the
proportion of class i, it reads like a confusion matrix: how often a digit's neighbours in the trees belong to each
class. No classifier was trained.

Do not mistake it for the confusion matrix of the best classifier, which is better: here a neighbour's label is a random
draw, while a classifier picks the most likely class.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from bayesfloor import BayesFloor

floor = BayesFloor().fit(*load_digits(return_X_y=True))
confusion = floor.soft_confusion_ / floor.soft_confusion_.sum(axis=1, keepdims=True)

_, ax = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
shown = np.where(np.eye(10, dtype=bool), np.nan, 100 * confusion)
image = ax.imshow(shown, cmap="Oranges", vmin=0)
for i, j in np.argwhere(shown > 0.5):
    ax.text(j, i, f"{shown[i, j]:.1f}", ha="center", va="center", color="white" if shown[i, j] > 1.6 else "black")
ax.set(xlabel="neighbour's digit", ylabel="digit", xticks=range(10), yticks=range(10))
plt.colorbar(image, label="of the digit's edges, diagonal left out", format="{x:.1f} %")
