"""Estimates against known Bayes errors, for the README and the site.

``PYTHONPATH=docs python -m figures.evidence`` writes the README's picture; the site draws its own, light and dark.
"""

import hashlib
import json
from pathlib import Path

import matplotlib as mpl
import numpy as np

from figures.drawing import LIGHT, panels, save

DOCS = Path(__file__).parents[1]
RESULTS = DOCS / "results" / "forecast.json"
PICTURE = DOCS / "pictures" / "evidence.svg"
OURS = "bayesfloor, best estimate"
BEST = "best model of the race,\ncross-validated"
BLEND = "blend"  # of models, which is no model that users would have tried
FIGURES = 82  # where the medians stand, beside the axis


def errors_by_method():
    """Return signed errors in points by method, one per problem that the method ran on."""
    cases = json.loads(RESULTS.read_text("utf-8"))["cases"]
    found = {OURS: [], BEST: [], "random forest,\ncross-validated": [], "nearest neighbours,\ncross-validated": []}
    for name, case in cases.items():
        if name.startswith("again/"):
            models = {model: error for model, error in case["errors"].items() if model != BLEND}
            said = (case["estimate"], min(models.values()), models.get("forest"), models.get("neighbours"))
            for method, error in zip(found, said, strict=True):
                if error is not None:
                    found[method].append(100 * (error - case["truth"]))
    return {name: np.array(errors) for name, errors in found.items()}


def evidence(ink):
    """Draw each method's errors as dots, one per problem, with their median size."""
    errors = errors_by_method()
    figure, (ax,) = panels(1, width=8.4, height=3.4)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    rng = np.random.default_rng(0)
    for place, (name, points) in enumerate(errors.items()):
        color, weight = (ink.ours, "bold") if name == OURS else (ink.theirs[0], "normal")
        spread = place + 0.3 * rng.uniform(-1, 1, size=len(points))
        ax.scatter(points, spread, s=11, linewidth=0, facecolor=color, alpha=0.5)
        ax.text(FIGURES, place, f"{np.median(np.abs(points)):.1f}", ha="center", va="center", weight=weight, size=11)
    ax.axvline(0, color=ink.ink, linewidth=1, zorder=0)
    ax.text(FIGURES, -0.55, "median\nerror", ha="center", va="bottom")
    ax.text(0, -0.55, "exact", ha="center", va="bottom")
    ax.set_yticks(range(len(errors)), errors, size=9.5)
    ax.get_yticklabels()[0].set_weight("bold")
    ticks = range(-20, 71, 10)
    ax.set_xticks(ticks, [f"{x:+d}" if x else "0" for x in ticks])
    ax.set(xlim=(-22, 87), ylim=(len(errors) - 0.5, -0.5))
    ax.set_xlabel("estimate minus true Bayes error, in percentage points", size=9.5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x", color=ink.faint, linewidth=0.5, alpha=0.6)
    ax.set_axisbelow(True)
    return figure


PICTURES = (evidence,)


def digest():
    """Return a hash of everything that the picture shows; the file stores it."""
    shown = {name: points.round(6).tolist() for name, points in errors_by_method().items()}
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def main():
    """Write the README's picture with a white background, so that it is readable on dark pages too."""
    with mpl.rc_context({"savefig.facecolor": "white"}):
        save(evidence, LIGHT, PICTURE, transparent=False, description=digest())


if __name__ == "__main__":
    main()
