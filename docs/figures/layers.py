"""The layers of the package, for the page that maps the code."""

from figures.drawing import panels

LAYERS = (
    (("cli", "commands"),),
    (("summary", "check, findings, wording, JSON, HTML"),),
    (("plotting", "displays"),),
    (("hierarchy", "class trees"), ("decide", "model, features, labels")),
    (("answer", "race, forecast, verdict, hazards"),),
    (("floor", "BayesFloor, counts, tree bounds"),),
    (("forest", "points → edges"), ("formulas", "counts → bounds")),
    (("io", "files, frames, streams → data"),),
    (("support", "tasks, files, words"),),
)


def layers(ink):
    """Draw a box for each layer; imports point downwards."""
    figure, (ax,) = panels(1, width=6.0, height=4.2)
    for level, boxes in enumerate(LAYERS):
        width = 1 / len(boxes)
        for place, (name, what) in enumerate(boxes):
            draw_box(ax, (place * width, -level), width, name, what, ink)
    ax.annotate("", (1.06, 0.25 - len(LAYERS)), (1.06, 0.75), arrowprops={"arrowstyle": "->", "color": ink.ink})
    ax.text(1.09, (1 - len(LAYERS)) / 2, "imports", rotation=270, va="center")
    ax.set(xlim=(-0.02, 1.15), ylim=(0.2 - len(LAYERS), 1))
    ax.set_axis_off()
    return figure


def draw_box(ax, corner, width, name, what, ink):
    """Draw one layer with its name and purpose."""
    x, y = corner
    ax.add_patch(_rectangle((x + 0.005, y + 0.08), width - 0.01, 0.8, ink))
    ax.text(x + width / 2, y + 0.62, name, ha="center", va="center", weight="bold")
    ax.text(x + width / 2, y + 0.3, what, ha="center", va="center", size=8)


def _rectangle(corner, width, height, ink):
    from matplotlib.patches import Rectangle

    return Rectangle(corner, width, height, facecolor="none", edgecolor=ink.faint)


PICTURES = (layers,)
