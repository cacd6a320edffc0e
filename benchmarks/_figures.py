"""The style of all result figures: one look, with colours for light and for dark pages, saved as SVG."""

from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from bayesfloor.plotting._display import COLOURS


class Look(NamedTuple):
    """The colours of a page."""

    ink: str
    faint: str
    band: str
    ours: str
    theirs: tuple


# Most people with colour blindness can distinguish these colours; markers distinguish them in greyscale.
_LIGHT, _DARK = ({name: pair[page] for name, pair in COLOURS.items()} for page in (0, 1))
LIGHT = Look(
    _LIGHT["ink"],
    _LIGHT["faint"],
    "#d7dce1",
    _LIGHT["strong"],
    ("#0072b2", "#00795a", "#8a5a00", "#a3437d", _LIGHT["soft"]),
)
DARK = Look(
    _DARK["ink"],
    _DARK["faint"],
    "#3a424a",
    _DARK["strong"],
    ("#6cc3f5", "#3fcf9f", "#e8b64a", "#ef9ac6", _DARK["soft"]),
)
MARKS = "os^vPX<>p"
TWO_SIDED = 1.96  # standard errors to each side of a 95 % interval


@contextmanager
def style(look):
    import matplotlib as mpl

    settings = {
        "axes.edgecolor": look.ink,
        "axes.facecolor": "none",
        "axes.grid": True,
        "axes.grid.axis": "x",
        "axes.axisbelow": True,
        "axes.labelcolor": look.ink,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": 10,
        "errorbar.capsize": 2,
        "figure.dpi": 100,
        "font.size": 9,
        "grid.color": look.faint,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "legend.fontsize": 9,
        "svg.fonttype": "path",
        "svg.hashsalt": "bayesfloor",
        "text.color": look.ink,
        "xtick.color": look.ink,
        "ytick.color": look.ink,
    }
    with mpl.rc_context(settings):
        yield


def save_both(draw, results, folder, name):
    """Draw for light pages and replace the colours for dark ones; return the file names."""
    files = [folder / f"{name}-{suffix}.svg" for suffix in ("light", "dark")]
    with style(LIGHT):
        draw(results, LIGHT).savefig(files[0], metadata={"Date": None}, transparent=True)
    files[1].write_text(in_dark(files[0].read_text()))
    return [file.name for file in files]


def in_dark(text):
    for light, dark in zip((*LIGHT[:-1], *LIGHT.theirs), (*DARK[:-1], *DARK.theirs), strict=True):
        text = text.replace(light, dark)
    return text


def panels(width, height, n_rows=1, n_columns=1, **options):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **options)
    return figure, axes.ravel().tolist()


def ours(look, **more):
    """Return the style of our method: filled, and in a colour of its own."""
    return {"color": look.ours, "marker": "D", "ms": 5.5, "ls": "none", "zorder": 4, **more}


def theirs(look, number, **more):
    """Return the style of another method: an open marker."""
    colour = look.theirs[number % len(look.theirs)]
    fields = {"color": colour, "marker": MARKS[number % len(MARKS)], "ms": 5.5, "ls": "none", "mfc": "none"}
    return {**fields, "mew": 1.3, "zorder": 3, **more}


def rows_down(axes, labels, size=9, beside=()):
    """Make one row per label, the first on top, with a guide line; panels beside it share the rows."""
    axes.set_yticks(range(len(labels)), labels, fontsize=size)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    for one in (axes, *beside):
        one.tick_params(axis="y", length=0)
        one.spines["left"].set_visible(False)


def in_percent(*axes):
    for axis in axes:
        axis.set_major_formatter(lambda value, _: f"{100 * value:.6g} %")


def goal_mark(look):
    return {"color": look.ink, "marker": "|", "ms": 13, "mew": 2, "ls": "none"}


def mark_line(axes, value, look, label=None, *, down=True):
    draw = axes.axvline if down else axes.axhline
    draw(value, color=look.ink, lw=1, ls=(0, (4, 3)), zorder=1, label=label)


def legend_above(figure, *axes, columns):
    found = {label: mark for one in axes for mark, label in zip(*one.get_legend_handles_labels(), strict=True)}
    figure.legend(found.values(), found.keys(), loc="outside upper center", ncols=columns)


def steps(count, width=0.5):
    """Return the offsets of several markers around the middle of a row."""
    return np.linspace(-width / 2, width / 2, count) if count > 1 else np.zeros(1)


def wilson(successes, trials, quantile=TWO_SIDED):
    """Return a fraction with the distances to the ends of its 95 % interval (Wilson 1927)."""
    share, spread = successes / trials, quantile**2 / trials
    middle = (share + spread / 2) / (1 + spread)
    half = quantile / (1 + spread) * np.sqrt(share * (1 - share) / trials + spread / (4 * trials))
    return share, np.maximum([[share - middle + half], [middle + half - share]], 0)


def plain_logs(axis, ticks, unit=1):
    from matplotlib.ticker import NullLocator

    axis.set_ticks(ticks, [f"{tick / unit:,g}" for tick in ticks])
    axis.set_minor_locator(NullLocator())
