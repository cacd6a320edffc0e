"""Mean ranks of methods over datasets, and a picture of those that do not differ (Demsar 2006)."""

import numpy as np

LEVEL = 0.05


def mean_ranks(table):
    """Mean rank of each column of a table of costs, one dataset a row; equal costs share their ranks."""
    from scipy.stats import rankdata

    return rankdata(table, axis=1).mean(axis=0)


def critical_difference(n_methods, n_datasets):
    """Nemenyi's: mean ranks that are nearer to each other do not differ."""
    from scipy.stats import studentized_range

    quantile = studentized_range.ppf(1 - LEVEL, n_methods, np.inf) / np.sqrt(2)
    return quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def friedman_p(table):
    """p-value of Friedman's test that all methods have one mean rank."""
    from scipy.stats import friedmanchisquare

    return friedmanchisquare(*np.transpose(table)).pvalue


def joined(ranks, difference):
    """Ends of the longest runs of sorted ranks that do not differ."""
    last = [np.flatnonzero(ranks <= rank + difference).max() for rank in ranks]
    runs = [(i, j) for i, j in enumerate(last) if j > i]
    return [(i, j) for i, j in runs if not any(a < i and j <= b for a, b in runs)]


def draw_ranks(names, table, title, path):
    """Methods along their mean rank; bars join those that do not differ."""
    from matplotlib.figure import Figure

    ranks, difference = mean_ranks(table), critical_difference(len(names), len(table))
    order = np.argsort(ranks, kind="stable")
    figure = Figure(figsize=(9, 1.6 + 0.32 * len(names)), layout="constrained")
    axes = figure.subplots()
    _draw_methods(axes, [names[place] for place in order], ranks[order])
    axes.set_ylim(len(names) - 0.4, -1.6)
    _finish(axes, _draw_bars(axes, ranks[order], difference), difference)
    figure.suptitle(f"{title}, {len(table)} datasets; Friedman p = {friedman_p(table):.2g}", fontsize=11)
    figure.savefig(path, dpi=120)


def _draw_methods(axes, names, ranks):
    """A line for each method, the best on top."""
    for row, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        axes.plot([0.8, rank], [row, row], color="0.85", lw=1, zorder=1)
        axes.plot(rank, row, "o", color="tab:red" if _is_ours(name) else "tab:blue", ms=6, zorder=3)
    labels = [f"{name} ({rank:.1f})" for name, rank in zip(names, ranks, strict=True)]
    axes.set_yticks(range(len(names)), labels, fontsize=9)


def _is_ours(name):
    return name.startswith(("smart", "floor"))


def _draw_bars(axes, ranks, difference):
    """Beside the methods, a bar along each run of those that do not differ; returns where the bars end."""
    place = len(ranks) + 0.3
    for first, last in joined(ranks, difference):
        axes.plot([place, place], [first - 0.2, last + 0.2], color="black", lw=3, solid_capstyle="butt")
        place += 0.02 * len(ranks)
    return place


def _finish(axes, end, difference):
    """The axis, and the critical difference as a length."""
    axes.set_xlim(0.8, end)
    axes.plot([1, 1 + difference], [-1, -1], color="black", lw=3, solid_capstyle="butt")
    axes.text(1.1 + difference, -1, f"critical difference {difference:.2f}", va="center", fontsize=9)
    axes.set_xlabel("mean rank, 1 is best; bars at the right join methods that do not differ")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)
