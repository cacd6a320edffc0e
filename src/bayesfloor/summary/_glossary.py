"""What every code and every number means, in a few sentences each."""

from __future__ import annotations

from difflib import get_close_matches

CODES = {
    "BF101": "No signal. The Friedman-Rafsky test does not reject that labels were dealt out at random: trees join "
    "different classes about as often as chance would. More rows or other features may change "
    "that.",
    "BF102": "Conflict. Rows with equal features have different labels. Whatever a classifier answers there, it is "
    "wrong for some of them: a lower bound that assumes nothing. Look for rounding, lost columns or wrong labels.",
    "BF103": "Alike classes. An equivalence test (Holm-adjusted) shows that nearly all of the cross edges that "
    "chance would give are there: the classes cannot be told apart on these features. Merge them, or find a feature "
    "that separates them. Claimed only in at most three intrinsic dimensions.",
    "BF104": "Hardest pair: the pair of classes with the largest normalised floor among those that are measurable.",
    "BF105": "Odd rows. Their edges lead to other classes more often than those of the rows around them do; false "
    "discoveries are controlled at 5 % (Benjamini-Hochberg). Where classes overlap such rows are ambiguous rather "
    "than wrong: look before you relabel.",
    "BF201": "Few rows. A class with fewer than 30 rows has too few edges: even separate classes share one edge, "
    "which is much among so few. Its figures are not to be trusted; add rows or merge the class.",
    "BF202": "Scale matters. Distances depend on the units of the features, and here the share of cross edges "
    "changes much with the scale. The scale with the smallest share is used, unless you set one; a better "
    "representation may lower the floor further.",
    "BF203": "Ties. Many edges are equally long (counts, categories, rounded values), so there are many minimal "
    "spanning trees. The order used is fixed by the rows' content; the range over other orders is wider than the "
    "interval.",
    "BF204": "Neighbours too far apart. In many dimensions, or with few rows, even the nearest neighbour may be of "
    "another class for the distance alone: the trees' bounds are then too high, and the lower one is no proof that "
    "a target is out of reach. More rows or fewer dimensions help.",
    "BF205": "Refuted. A classifier errs less on held-out rows than the trees' lower bound allows, beyond chance. "
    "The bounds are asymptotic and too high here: trust the classifier.",
    "BF206": "Rows were drawn. A sample of the rows was used, from every class alike, because so many are enough "
    "for the interval asked for, or because you set a limit. All rows: target_width=None, or --max-rows 0.",
    "BF207": "Copies. Some rows are equal, or so close that they may be copies (several pictures of one patient, "
    "augmented images). Equal rows are counted as one point with several labels; near-copies make the floor falsely "
    "low unless groups tell which rows belong together.",
    "BF301": "Gate on the target: ok if an upper limit of the lowest possible error meets it, failed if the lower "
    "bound forbids it and can be trusted, else undecided.",
    "BF302": "Gate on the lower bound of the whole problem: failed if even the low end of its 95 % interval is above "
    "the limit and the bounds can be trusted, ok if the high end is not, else undecided.",
    "BF303": "Gate on pairs: as for the whole problem, for the worst pair; pairs that are not measurable, or of "
    "classes with too few rows, never count, and a classifier that tells the two apart on held-out rows settles it.",
    "BF304": "Gate on classes: as for the whole problem, for the worst class against the rest, as a share of all rows; "
    "classes with too few rows do not count.",
    "BF305": "Gate against a baseline: failed if the estimate rose by more than the limit, beyond the intervals of "
    "both checks; undecided if the limit lies within them.",
    "BF401": "Features that may go. The features kept leave a floor that is not shown to be higher than that of all, "
    "on rows that had no part in choosing. With few rows held out that says little: look at the interval. Without "
    "any, the rows that chose are flattered by their choice.",
    "BF402": "A lower floor. Of the representations compared this one leaves the fewest edges between classes, as "
    "foretold for more rows, and others are shown to be worse: paired differences, with intervals for all pairs "
    "together. Its own range goes from the lower bound at the low end of its interval to the upper at the high end, "
    "and allows for having been picked as the lowest.",
    "BF403": "Room left. Even the low end of the model's error lies above the upper limit of the lowest possible one, "
    "by trees or by a classifier tried here: a better classifier exists. The pairs named are where most can be won.",
    "BF404": "At the floor. The model's error is not above the lower bound, or above the least that the rows can "
    "show: no lower error can be shown to be possible on these features. Better features, not a better model.",
    "BF405": "Below the floor. Even the high end of the model's error lies below the lower bound: either the bounds "
    "are too high here (see trust), or the model has seen the rows that it was tried on.",
    "BF406": "Room not shown. The model's error lies between the bounds, or above them but not clearly; or a "
    "classifier tried here errs less, but not clearly: these rows do not tell whether a better one exists.",
}

TERMS = {
    "verdict": "One sentence: whether the target accuracy can be reached or, without one, how far a model may get.",
    "target": "The accuracy that is asked for, above 0 and up to 1.",
    "reachable": "feasible: an upper limit of the lowest possible error meets the target. infeasible: the lower bound "
    "forbids it, its bias is small and no classifier refutes it. undecided: neither.",
    "difficulty": "Easy, Moderate, Hard or Close to guessing: the likely lowest error is below 5, 25, 75 % of the "
    "error of guessing, or above.",
    "lowest possible error": "The Bayes error: what the best conceivable classifier errs on these features, however "
    "it is trained. A better representation may lower it.",
    "envelope": "Where the lowest possible error lies, by trees and classifiers together: lower as far as the trees' "
    "bias could be corrected, upper a 95 % confidence limit, and a likely value between them.",
    "lower": "Lower bound on the lowest possible error. By trees: (K-1)/K (1 - sqrt(1 - K/(K-1) G)), asymptotic in "
    "the number of rows, and too high where neighbours are far apart.",
    "upper": "Upper bound on the lowest possible error. By trees: G, the share of cross edges, no more than the "
    "error of guessing.",
    "estimate": "A value between the bounds: by trees their middle (the paper's HP-estimate for two classes), in the "
    "envelope the best classifier's error less what its posterior's own error costs.",
    "bounds": "Two numbers between which the lowest possible error lies for ever more rows. They are not a "
    "confidence interval: that comes on top, from the draw of the rows.",
    "interval": "95 % confidence interval of the share of cross edges at this number of rows: how far another draw "
    "of the rows may lead. Bounds are computed from it at both ends where they are printed with one.",
    "interval_method": "How the standard error was found: subsample (from quarters of the rows) or fast (from the "
    "trees alone, widened).",
    "upper_limit": "95 % upper confidence limit for the lowest possible error from the first tree alone "
    "(Clopper-Pearson); it holds at every number of rows and features.",
    "limit": "The share of cross edges extrapolated to infinitely many rows.",
    "limit_interval": "95 % interval of that extrapolation, as far as it holds.",
    "limit_std_error": "Standard error of that extrapolation.",
    "bias": "How much of the share of cross edges is expected to go with ever more rows, from how it fell between a "
    "quarter of the rows and all.",
    "std_error": "Standard error of the share of cross edges; in tables of pairs, of the number of cross edges.",
    "cross_rate": "G, the share of edges of the minimal spanning trees that join two classes; the bounds come from it.",
    "cross": "Number of edges that join two classes, or that lead from a row to another class; a mean over trees.",
    "bias_correction": "Whether estimates are kept below the error of the best constant answer.",
    "subtract_forced": "Whether the edges that join even separate classes are taken out.",
    "first_cross": "Cross edges of the first tree, for the upper limit.",
    "first_edges": "Edges of the first tree, or the number of independent draws if that is smaller.",
    "degrees": "Degrees of freedom of the standard error; null for infinitely many.",
    "dimension": "Intrinsic dimension: from how edges get shorter with more rows. Null where they do not.",
    "resolution": "What perfectly separate classes would show: any two share at least one edge. Nothing below it can "
    "be seen.",
    "at_resolution": "Not measurable: no more edges join the pair than even separate classes share. Such pairs are "
    "neither ranked nor gated.",
    "not measurable": "No more edges join the pair than even separate classes share: the floor of the pair is "
    "somewhere between 0 and the resolution.",
    "tie_spread": "Range of the share of cross edges over other orders of equally long edges.",
    "conflict": "Share of rows that no classifier can get right since equal rows have other labels; of a row, whether "
    "it has such an equal.",
    "constant_error": "Error of always answering the largest class.",
    "guessing": "Always answering the largest class; no bound exceeds its error.",
    "p_value": "Of the whole problem: that labels have nothing to do with the features (Friedman-Rafsky). Of a row: "
    "that its label is no odder than those around it.",
    "p_values": "Friedman-Rafsky p-values of each pair: that the two classes are alike.",
    "holm": "The pairs' p-values, adjusted by Holm for testing all pairs.",
    "benjamini_hochberg": "The pairs' p-values, adjusted by Benjamini and Hochberg: the share of false discoveries.",
    "trust": "small bias: the corrections are small against the interval, so the lower bound counts. unknown: they "
    "are not, the lower bound may be too high. refuted: a classifier errs less than the trees' lower bound.",
    "word": "The answer in a word.",
    "reasons": "Why the answer is trusted or not.",
    "traits": "What the answer's worth hangs on, each weak or not: rows a class, scale, ties, distance of "
    "neighbours, classifiers, rows in use, copies.",
    "weak": "Whether this weakens the answer.",
    "errors": "Error of each classifier on rows held out, by five-fold cross-validation.",
    "held_out": "Error between the two classes of the best-fitting classifier, on rows it was not trained on.",
    "held out": "On rows that the classifier was not trained on.",
    "neighbours": "Vote of the k nearest rows, k chosen on the training rows; or, of trust, how far these are apart.",
    "linear": "Logistic regression on standardised features.",
    "quadratic": "Regularised quadratic discriminant analysis on standardised features.",
    "forest": "A forest of 20 extra-trees, in BayesFloor.envelope a random forest of 100; or the spanning trees of "
    "the rows.",
    "kernel": "Logistic regression on a Nystroem map of a Gaussian kernel.",
    "boosting": "Histogram gradient boosting.",
    "blend": "The mean of the two posteriors that fit best.",
    "best": "The classifier whose posterior fits best, or the representation with the lowest floor.",
    "roughness": "How much of the share of cross edges is due to the distance between neighbours.",
    "squared_error": "Mean squared distance of the best posterior from the truth, from residuals along the edges.",
    "tree_error": "Middle of the bounds by trees on the best classifier's posteriors.",
    "matrix": "Normalised floor of each pair: 0 for separate classes, 1 for classes that cannot be told apart.",
    "normalised": "The estimate of a pair, or of a class against the rest, divided by the smaller side's share: 0 for "
    "what is separate, 1 for what cannot be told apart.",
    "claims": "Whether the intrinsic dimension is low enough to claim that classes are alike.",
    "one": "Number of the first class of a pair, from 0; of a merge, the labels of the first group.",
    "two": "Number of the second class of a pair, from 0; of a merge, the labels of the second group.",
    "one_vs_rest": "Each class against the rest: the share of all rows that the best classifier gets wrong about it.",
    "class_rate": "Share of edges with exactly one end in the class.",
    "upper_classes": "K/2 times the two-class upper bound of the class against the rest.",
    "upper_root": "The same by a square root; smaller for hard classes.",
    "upper_any": "The share of cross edges of all classes: no class errs more than all together.",
    "upper_pairs": "Sum over the class's pairs, each by its own trees.",
    "upper_finite": "(K-1) times the class's share of edges: a bound at every number of rows, in expectation.",
    "few": "Whether the class has fewer than 30 rows.",
    "sizes": "Number of rows of each class in use.",
    "overall": "The whole problem, by trees alone.",
    "pairwise": "Every pair of classes, each by the minimal spanning trees of its own rows.",
    "samples": "Rows whose label does not fit their neighbours; at most 200, the oddest first.",
    "row": "Number of the row in the input, from 0.",
    "label": "The row's label, or the name of the label's column.",
    "score": "How odd the row's label is, for ranking; higher is odder.",
    "suspect": "Whether the row is to be looked at, with 5 % false discoveries allowed.",
    "suggested_label": "The label of most neighbours in the trees.",
    "power": "Chance that a wrong label of this row would have been listed.",
    "degree": "Edges of the row in all trees.",
    "edges": "Edges of the row in all trees that lead to another class, of all its edges.",
    "nearest": "Number of the nearest neighbour with another label, -1 for none.",
    "nearest_label": "Label of that neighbour.",
    "n_suspect": "How many rows are suspect, listed or not.",
    "n_conflict": "How many rows have an equal with another label.",
    "tree": "Classes split in two again and again, those hard to tell apart last: cut from the pairwise floors.",
    "order": "Classes in the order of the tree's leaves.",
    "start": "Where a node's classes start in the order.",
    "stop": "Where a node's classes stop in the order.",
    "left": "Number of the node's first child, -1 for none.",
    "right": "Number of the node's second child, -1 for none.",
    "link": "Mean normalised floor between the two sides of a split; what is not measurable counts as 0.",
    "floor": "Lowest error of a node's own problem; null where not measured.",
    "cv_error": "Error of a node's model on rows held out; null where there is none.",
    "model": "A node's model.",
    "reason": "Why a node's model was taken, or the hardest pair across its split.",
    "facts": "What was looked at: rows, features, classes, scale, seed.",
    "name": "What the data, or a trait, are called.",
    "n_rows": "Number of rows, in the input or of the part that a figure is about.",
    "n_used": "Number of rows in use.",
    "engine": "Where the trees of all rows were grown; empty where all was done with the rows in use.",
    "n_distinct": "Number of distinct rows among those in use.",
    "n_features": "Number of columns that are features.",
    "n_classes": "Number of classes.",
    "n_groups": "Number of groups of rows that belong together; null without groups.",
    "classes": "Class labels, in the order of rows, columns and numbers.",
    "scale": "How features were scaled before distances were measured: none, standard (deviation), robust "
    "(quartiles) or unit (length of the row).",
    "scale_rates": "Share of cross edges of the first tree under each scale that was tried, on at most 2,000 rows.",
    "n_trees": "Number of orthogonal spanning trees: each the minimal one without the edges of those before.",
    "random_state": "Seed of all draws.",
    "near_copies": "Share of rows that lie so close to another that they may be copies of it.",
    "fingerprint": "SHA-256 of features and labels: equal data, equal fingerprint.",
    "version": "Version of the library that made this.",
    "schema_version": "Version of the JSON form.",
    "findings": "What to know, each with a code.",
    "code": "BF and three digits: 1xx causes, 2xx doubts, 3xx gates, 4xx what may be done.",
    "text": "The same in words.",
    "look": "Where to look further: a verb of the command line and an attribute of Check.",
    "gates": "Limits that the data had to keep, each ok, failed or undecided.",
    "undecided": "The rows at hand neither show nor rule it out. Where trust is small bias, more rows will tell; where "
    "it is unknown or refuted, a stronger classifier will: train one, or pass it to check as learners=.",
    "ruler": "From no error to the error of guessing; the dark part is where the lowest possible error lies.",
    "class": "One of the labels.",
    "none": "Of scales: features as they are.",
    "standard": "Of scales: each feature less its mean, divided by its standard deviation.",
    "robust": "Of scales: each feature less its median, divided by its interquartile range.",
    "unit": "Of scales: each row divided by its length.",
    "merge": "Classes that are shown to be alike, and what merging them would leave; of a pair, whether it is one of "
    "them (see BF103).",
    "bounds, of all rows": "Bounds on the share of all rows that the best classifier gets wrong about the class.",
    "max_rows": "At most so many rows were to be used; null for no limit.",
    "target_width": "Of many rows so many were drawn that the 95 % interval is narrower than this; null for all.",
    "versions": "Of Python and the libraries beneath.",
    "bounds by trees": "Bounds on the lowest possible error from the share of cross edges alone: the lower "
    "(K-1)/K (1 - sqrt(1 - K/(K-1) G)), the upper G. Asymptotic, and too high where neighbours are far apart.",
    "classifiers": "Errors of a few cheap classifiers on rows held out: the floor is not above "
    "them, beyond chance; of trust, whether one of them errs less than the trees' lower bound.",
    "hardest pairs": "Measurable pairs with the largest normalised floors.",
    "hardest classes": "Classes with the largest one-vs-rest estimate; those with too few rows come last.",
    "95 % interval of the lower": "The lower bound at both ends of the 95 % confidence interval of the cross edges.",
    "rows": "Number of rows of the class in use.",
    "rows a class": "How many rows the smallest class has; below 30 nothing is to be trusted.",
    "rows in use": "How many of the rows were used.",
    "ties": "Whether equally long edges leave the answer open.",
    "copies": "Whether rows are equal or nearly so.",
    "gate": "A limit that the data had to keep: ok, failed or undecided.",
    "feasible": "An upper limit of the lowest possible error meets the target.",
    "infeasible": "The lower bound forbids the target, its bias is small and no classifier refutes it.",
    "small bias": "Corrections are small against the interval: the lower bound counts.",
    "unknown": "The bounds' bias may be larger than the interval: the lower bound may be too high.",
    "refuted": "A classifier errs less than the trees' lower bound: the bounds are too high here.",
    "selection": "Features in the order in which they were chosen, each the one with which the fewest edges join two "
    "classes, until the gain cannot be told from none.",
    "added": "Names of the features that a step adds, one or two.",
    "feature added": "What the step adds to the features before it: one, or two that only help together.",
    "kept": "How many features there are after the step.",
    "feature alone": "The floor with this feature and no other: features that only help together show nothing here.",
    "value": "What the selection lowers, after the step (see criterion).",
    "criterion": "What a selection lowers: the overall share of cross edges, or the mean or the worst of the "
    "normalised floors of pairs.",
    "gain": "By how much the criterion falls with the step or the merge; of a selection in percent, with an interval "
    "that allows for having picked the best of all that were tried.",
    "gain_low": "Low end of the interval of the gain.",
    "gain_high": "High end of the interval of the gain.",
    "95 % interval of the gain": "Where the gain lies, allowing for having picked the best of all that were tried.",
    "shown": "Whether the interval of the gain lies above zero.",
    "n_candidates": "How many additions were tried in the step.",
    "level": "Confidence of the intervals.",
    "all_cross_rate": "Share of cross edges with all features.",
    "n_all": "Number of all features.",
    "holdout": "The selected features on rows that had no part in selecting them; null without such rows.",
    "optimistic": "Share of cross edges on as many rows that did select: what it is lower by is flattery.",
    "adjusted": "The p-value adjusted by Benjamini and Hochberg for testing all features.",
    "representation": "The same rows by other numbers: other features, an embedding, a scale, principal components. "
    "Any function of the features has a Bayes error at least as high; a lower floor is easier to learn from.",
    "comparison": "Representations of the same rows by their floors, the lowest first, with paired differences.",
    "names": "What the representations are called.",
    "how": "How a representation came about: given, fitted once (without labels) or cross-fitted (with those of "
    "other rows).",
    "foretold": "Share of cross edges with four times as many rows, from how it fell between half of them and all.",
    "difference": "Share of cross edges, as foretold, above that of the best representation; or, of features on rows "
    "held out, above that of all. On the same rows.",
    "difference_low": "Low end of the interval of the difference.",
    "difference_high": "High end of the interval of the difference.",
    "above the best": "Share of cross edges, as foretold for more rows, above that of the best: in percent of edges, "
    "from the same rows.",
    "95 % interval of that": "Where the difference lies; all together hold with this confidence, whichever was "
    "picked as the best.",
    "best_cross_rate": "Share of cross edges of the best, without what it owes to having been picked.",
    "best_bounds": "Bounds of the best, the lower at the low end of its interval and the upper at the high end.",
    "n_folds": "Parts that the rows were split into: 2 where some representation is cross-fitted, else 1.",
    "as good": "Not shown to be worse than the best, or than all features.",
    "worse": "Shown to have more cross edges than the best, or than all features.",
    "gap": "A model's errors beside the lowest possible ones: overall, by class and by pair.",
    "error": "Share of the rows that the model gets wrong; of a class, of all rows, of a pair, of its rows.",
    "your model errs on": "Share of the rows that the model gets wrong; of a class, of all rows, of a pair, of its "
    "rows.",
    "low": "Low end of the interval of the model's error.",
    "high": "High end of the interval of the model's error.",
    "lower_end": "Low end of the interval of the lower bound; 0 for pairs.",
    "upper_end": "Upper confidence limit of what the best classifier errs on.",
    "by_class": "The gap of each class: how often it is taken for another or another for it.",
    "by_pair": "The gap of each pair of classes: how often one is taken for the other.",
    "shares_p_value": "That the classes have the same shares in the rows of the model as in those of the floor.",
    "room left": "Even the low end of the model's error is above the upper limit of the lowest possible one.",
    "room not shown": "The model's error is above the bounds, but not clearly; or, of a pair, not at all.",
    "at the floor": "No error lower than the model's can be shown to be possible on these features.",
    "below the floor": "Even the high end of the model's error is below the lower bound: the bounds are too high "
    "here, or the model has seen the rows.",
    "between the bounds": "The model's error lies between the bounds: a better classifier may exist or not.",
    "no rows": "The model was tried on no row of the class.",
    "learning curve": "How the floor comes down with more rows, and how many would be enough.",
    "before": "The classes as they are.",
    "steps": "Merges, in their order.",
    "groups": "What merges make of the classes; or rows that belong together, such as those of a patient.",
    "mapping": "The new label of each old one.",
    "share_merged": "Share of the rows whose class is no longer told from another.",
    "tested": "Whether it could be shown at all that classes are alike.",
    "all_alike": "Whether the two groups that are left are alike as well.",
    "alike": "Whether every class of one group is shown to be like every class of the other.",
    "met": "Whether the upper bound meets the target; null without one.",
    "ok": "The limit is kept, as far as the rows can show.",
    "failed": "The limit is broken, even at the favourable end of the interval.",
}


def explain(term: str) -> str:
    """What a code or a number means.

    Parameters
    ----------
    term : str
        A code such as "BF204", or a name such as "interval".

    Returns
    -------
    str

    Examples
    --------
    >>> from bayesfloor.summary import explain
    >>> print(explain("guessing"))
    Always answering the largest class; no bound exceeds its error.
    """
    known = {name.lower(): text for name, text in {**CODES, **TERMS}.items()}
    wanted = term.strip().lower()
    for form in (wanted, wanted.replace(" ", "_"), wanted.replace("_", " ")):
        if form in known:
            return known[form]
    near = get_close_matches(wanted, known, 3, 0.5) or ["verdict", "bounds", "trust"]
    raise ValueError(f"nothing is called {term!r} here. Near it: {', '.join(near)}.")
