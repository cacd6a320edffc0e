"""What every code and every number means, in a few sentences each."""

from __future__ import annotations

from difflib import get_close_matches

from bayesfloor.engine._errors import InputError

CODES = {
    "BF101": "No signal. No learner does clearly better than guessing: these features do not predict the label, or "
    "only in a way that none of the learners finds. The p-value is of the Friedman-Rafsky test. More rows or other "
    "features may change that.",
    "BF102": "Conflict. Rows with equal features have different labels. Whatever a classifier answers there, it is "
    "wrong for some of them: a lower limit that assumes nothing. Look for rounding, lost columns or wrong labels.",
    "BF103": "Classes that are alike. An equivalence test (Holm-adjusted) shows nearly as many cross-class edges as "
    "chance would give: the classes cannot be separated on these features. Merge them, or find a feature "
    "that separates them. Claimed only up to an intrinsic dimension of three.",
    "BF104": "Hardest pair: the two classes with the highest best estimate relative to guessing, with the range of the "
    "error between them.",
    "BF105": "Suspicious labels. The spanning trees join these rows to other classes more often than the rows around "
    "them; false discoveries are controlled at 5 % (Benjamini-Hochberg). Where classes overlap such rows are ambiguous "
    "rather than wrong: look before you relabel.",
    "BF106": "Labels that may be one. Some labels differ from another by case or blanks only, or look like typos of a "
    "frequent one. As classes of their own they make the error look higher than it is. clean_labels=True, or "
    "--clean-labels, merges the first kind; typos are listed, and stay.",
    "BF107": "Codes. A column of whole numbers looks like names of things, such as zip codes: few of the numbers "
    "possible occur, and these again and again. Their order means nothing, so learners see each code as the class "
    "rates of its rows, taken from the rows of each training fold alone. roles={'zip': 'number'} or --as zip=number "
    "makes it a quantity, and 'category' one column per code.",
    "BF201": "Few rows. Figures of a class with fewer than 30 rows are too uncertain to rely on, and gates leave it "
    "out; add rows or merge the class.",
    "BF202": "Scale matters. Distances depend on the units of the features, and here the fraction of cross-class edges "
    "changes much with the scaling. The scaling with the smallest fraction is used, unless you set one; a better "
    "representation may lower the floor further.",
    "BF203": "Ties. Many edges are equally long (counts, categories, rounded values), so there are many minimum "
    "spanning trees. The order used is fixed by the content of the rows; the range over other orders is wider than the "
    "confidence interval.",
    "BF204": "Sparse data. In many dimensions, or with few rows, even the nearest neighbour may be far away and belong "
    "to another class without any real overlap: the tree bounds are then too high. The answer does not rest on them "
    "alone. More rows or fewer dimensions help.",
    "BF205": "Tree bounds too high. A learner was tested to have a lower error than the lower tree bound allows. These "
    "bounds hold for ever more rows and are too high for these: rely on the answer.",
    "BF206": "Subsampled. Large data are subsampled, every class alike, until the interval is narrow enough or "
    "your limit is met. To use all rows: target_width=None, or --max-rows 0.",
    "BF207": "Duplicates. Some rows are equal, or nearly so (several pictures of one patient, "
    "augmented images). Equal rows are counted as one point with several labels; near-duplicates make the floor "
    "falsely low unless groups say which rows belong together.",
    "BF301": "Gate on the target: ok if it is reachable, failed if it is out of reach, else too close to call.",
    "BF302": "Gate on the lowest possible error: ok if the upper end of its range is at most the limit, failed if "
    "the lower end is above it, else too close to call. Without a lower end it never fails.",
    "BF303": "Gate on pairs: as for the whole problem, for the error between the worst two classes; classes with fewer "
    "than 30 rows do not count.",
    "BF304": "Gate on classes: as for the whole problem, for the error within the worst class; classes with fewer than "
    "30 rows do not count.",
    "BF305": "Gate against a baseline: failed if the best estimate rose by more than the limit, beyond what the ranges "
    "of both checks allow; too close to call if the limit lies within them, or if the two cannot be compared: "
    "effort, classes, features and scale must be the same.",
    "BF401": "Features that can be dropped. The features kept have a floor that is not significantly higher than that "
    "of all, on rows that had no part in choosing. With few such rows that says little: look at the interval. Without "
    "any, the rows that chose are flattered by their choice.",
    "BF402": "The best representation. Of those compared it has the fewest cross-class edges, predicted for more rows, "
    "and others are significantly worse: paired differences, with intervals for all pairs together. This ranks them; "
    "a check of the one you pick says how low the error can go with it.",
    "BF403": "Room to improve. Even the low end of the model's error lies above the upper end of the lowest possible "
    "one: a better classifier exists. The pairs named are where most can be won.",
    "BF404": "At the floor. The answer is reliable, and no error lower than the model's can be shown to be possible on "
    "these features. Better features will help, not a better model.",
    "BF405": "Below the floor. Even the high end of the model's error lies below the lower end of the range: either "
    "the floor is too high here, or the model has seen the rows it was tested on.",
    "BF406": "No room shown. The model's error is not clearly above what is possible: these data cannot say whether "
    "a better model exists.",
}

TERMS = {
    "verdict": "One sentence: whether the target accuracy can be reached or, without a target, how far any model can "
    "get.",
    "target": "The accuracy asked for, above 0 and up to 1.",
    "outcome": "reachable, out of reach or too close to call; null without a target.",
    "reachable": "The upper end of the range meets the target: a learner was tested to be good enough.",
    "out of reach": "The lower end of the range forbids the target, for the kinds of model tried, even with more rows; "
    "or equal rows with different labels prove it.",
    "too close to call": "The target or limit lies within the range, or the range has no lower end; the verdict says "
    "what would settle it. Stronger learners (effort, learners=) or more rows narrow the range.",
    "answer": "The lowest possible error: best estimate, range, what each end rests on, and how reliable that is. It "
    "does not depend on the target.",
    "prepared": "What was done to the data before anything was measured: what became of each column, how the file was "
    "read, and rows without a label.",
    "columns": "What became of each column of a table; empty where all were used as they are.",
    "role": "What a column was read as: number, boolean, category, code, date, text, id, counter, constant, empty, "
    "list, ordered or group; wide of what stands for all columns of a very wide table.",
    "treatment": "What was done to a column, in words.",
    "width": "Columns of numbers made of a column; 0 if it was left out.",
    "n_missing": "Missing values in a column.",
    "lossy": "Whether rows that differed in a column may have become equal.",
    "as_is": "Whether a column was used as it is.",
    "notes": "How the file was read, where that was not plain, such as its encoding.",
    "n_unlabelled": "Rows without a label, which were left out.",
    "lowest possible error": "The Bayes error: the error of the best conceivable classifier on these features, however "
    "it is trained. A better representation may lower it.",
    "Bayes error": "The error of the best conceivable classifier on these features, however it is trained: the lowest "
    "possible error.",
    "best estimate": "Where the learning curves of the learners tried end with ever more rows: the most likely lowest "
    "possible error.",
    "range": "Where the lowest possible error lies: the upper end was tested (95 %), the lower end holds for the kinds "
    "of model tried, even with more rows (95 %). Some data give no lower end.",
    "range, lower end": "Lower end of the range: the learning curves of the kinds of model tried end above it (95 %), "
    "or equal rows with different labels prove it.",
    "range, upper end": "Upper end of the range: a learner was tested to be at least this good (95 %).",
    "why_lower": "What the lower end of the range rests on; empty where there is none.",
    "why_upper": "What the upper end of the range rests on.",
    "reliability": "How far the answer can be relied on. good: both ends, and nothing in the way. limited: both ends, "
    "but a wide range or some doubt. upper limit only: the data give no lower end.",
    "good": "Of reliability: the range has both ends and nothing weakens it.",
    "limited": "Of reliability: the range has both ends, but it is wide or there is some doubt.",
    "upper limit only": "Of reliability: the data give no lower end, so nothing can be out of reach.",
    "reasons": "Why the answer cannot be relied on further.",
    "curve": "Learning curve of the best learner: its error by number of training rows, measured or predicted.",
    "measured": "Whether the error at this number of rows was measured or is predicted.",
    "left_out": "Learners that did not run, and why.",
    "effort": "How much work went into the answer: quick, normal or thorough. Only answers of the same effort can be "
    "compared.",
    "lower": "Lower end of the range of the lowest possible error, null where there is none. Of tree bounds: "
    "(K-1)/K (1 - sqrt(1 - K/(K-1) G)), which holds for ever more rows and is too high for sparse data.",
    "upper": "Upper end of the range of the lowest possible error. Of tree bounds: "
    "G, the fraction of cross-class edges, no more than the error of guessing.",
    "estimate": "Best estimate of the lowest possible error. Of tree bounds: their middle (the paper's HP-estimate for "
    "two classes).",
    "tree bounds": "Lower and upper bound on the lowest possible error from the fraction G of cross-class edges: the "
    "lower (K-1)/K (1 - sqrt(1 - K/(K-1) G)), the upper G. They hold for ever more rows and are too high for sparse "
    "data; the answer does not rest on them alone.",
    "how we know": "Evidence behind the answer that is not a result of its own: the tree bounds, marked where they are "
    "too high.",
    "cross-class edges": "Edges of the minimum spanning trees that join rows of two classes.",
    "interval": "95 % confidence interval of the fraction of cross-class edges at this number of rows: sampling error.",
    "interval_method": "How the standard error was found: subsample (from quarters of the rows) or fast (from the "
    "trees alone, widened).",
    "upper_limit": "95 % upper confidence limit for the lowest possible error from the first tree alone "
    "(Clopper-Pearson); it holds for every number of rows and features.",
    "limit": "The fraction of cross-class edges extrapolated to infinitely many rows, at the rate known for spanning "
    "trees. Not the lowest possible error, which is in the answer.",
    "limit_interval": "95 % interval of that extrapolation, as far as it holds.",
    "limit_std_error": "Standard error of that extrapolation.",
    "bias": "How much of the fraction of cross-class edges is expected to go with ever more rows, from how it fell "
    "between a quarter of the rows and all.",
    "std_error": "Standard error of the fraction of cross-class edges; in tables of pairs, of their number.",
    "cross_rate": "G, the fraction of edges of the minimum spanning trees that cross classes; the tree bounds come "
    "from it.",
    "cross": "Number of edges that join two classes, or that lead from a row to another class; a mean over trees.",
    "bias_correction": "Whether tree estimates are kept below the error of guessing.",
    "subtract_forced": "Whether the edges that join even separate classes are taken out.",
    "first_cross": "Cross-class edges of the first tree, for the upper limit.",
    "first_edges": "Edges of the first tree, or the number of independent draws if that is smaller.",
    "degrees": "Degrees of freedom of the standard error; null for infinitely many.",
    "dimension": "Intrinsic dimension: from how edges get shorter with more rows. Null where they do not.",
    "intrinsic dimension": "How many dimensions the data fill, however many columns they have; from how edges get "
    "shorter with more rows.",
    "resolution": "What perfectly separate classes would show: any two are joined by at least one edge. The trees "
    "cannot see anything below it.",
    "at_resolution": "Whether no more edges join the pair than even separate classes need: the trees see nothing.",
    "too small to measure": "Cross-validation took no row of one class for the other, or no row of the class for "
    "another: the error is somewhere between 0 and the upper end of its range. A dot in matrices.",
    "too few rows": "Fewer than 30 rows of a class: its figures are too uncertain to rely on, and gates leave it out.",
    "tie_spread": "Range of the fraction of cross-class edges over other orders of equally long edges.",
    "conflict": "Fraction of rows that no classifier can get right because equal rows have different labels; of a row, "
    "whether it has such an equal.",
    "constant_error": "Error of always naming the most frequent class.",
    "guessing": "Always naming the most frequent class; the lowest possible error is never above its error.",
    "p_value": "Of the whole problem: that labels have nothing to do with the features (Friedman-Rafsky). Of a row: "
    "that its label is no more suspicious than those around it.",
    "p_values": "Friedman-Rafsky p-values of each pair: that the two classes are the same.",
    "holm": "The p-values of the pairs, adjusted by Holm for testing all pairs.",
    "benjamini_hochberg": "The p-values of the pairs, adjusted by Benjamini and Hochberg: the fraction of false "
    "discoveries.",
    "word": "The outcome in a word.",
    "traits": "Properties of the data, each with whether it weakens the answer: rows per class, scale, ties, sparse "
    "data, tree bounds, rows used, duplicates.",
    "weak": "Whether this weakens the answer.",
    "errors": "Cross-validated error of each learner.",
    "cross-validated error": "Error on rows that the learner was not trained on, by five-fold cross-validation.",
    "cross-validated": "Error on rows that the best learner was not trained on, by five-fold cross-validation.",
    "neighbours": "Of learners: vote of the k nearest rows, k chosen on the training rows.",
    "linear": "Of learners: a linear model with shrinkage.",
    "quadratic": "Of learners: regularised quadratic discriminant analysis.",
    "forest": "Of learners: a forest of extremely randomised trees.",
    "kernel": "Of learners: an RBF support vector machine.",
    "boosting": "Of learners: gradient boosting.",
    "network": "Of learners: a small neural network.",
    "blend": "Of learners: the mean of the posteriors of all learners.",
    "best": "The learner with the lowest cross-validated error, or the representation with the fewest cross-class "
    "edges.",
    "matrix": "Tree estimate of each pair relative to guessing: 0 for separate classes, 1 for classes that cannot be "
    "separated.",
    "relative": "Best estimate relative to guessing: 0 for classes that can be separated, 1 for classes that cannot.",
    "relative to guessing": "Best estimate of the error between two classes, in percent of the error of always naming "
    "the larger: 0 % for classes that can be separated, 100 % for classes that cannot.",
    "claims": "Whether the intrinsic dimension is low enough to claim that classes cannot be separated.",
    "pairs": "Every pair of classes: the error between the two, best estimate and range. Ranges are 95 % each, not "
    "all together.",
    "one": "Number of the first class of a pair, from 0; of a merge, the labels of the first group.",
    "two": "Number of the second class of a pair, from 0; of a merge, the labels of the second group.",
    "one_vs_rest": "Each class against the rest, by tree bounds: the fraction of all rows wrong about it.",
    "class_rate": "Fraction of edges with exactly one end in the class.",
    "upper_classes": "K/2 times the two-class upper bound of the class against the rest.",
    "upper_root": "The same by a square root; smaller for hard classes.",
    "upper_any": "The fraction of cross-class edges of all classes: no class has more errors than all together.",
    "upper_pairs": "Sum over the pairs of the class, each by its own trees.",
    "upper_finite": "(K-1) times the class's fraction of edges: a bound for every number of rows, in expectation.",
    "few": "Whether the class has fewer than 30 rows.",
    "sizes": "Number of rows of each class.",
    "overall": "The whole problem: in the check by tree bounds alone, in a gap the model beside the answer.",
    "pairwise": "Every pair of classes by tree bounds, from the minimum spanning trees of its own rows.",
    "suspicious": "Suspicious labels: rows whose label does not fit their neighbours; at most 200, the most suspicious "
    "first.",
    "suspicious labels": "Labels that are probably wrong or ambiguous: most neighbours belong to another class.",
    "row": "Number of the row in the input, from 0.",
    "label": "The label of the row, or the name of the label's column.",
    "score": "How suspicious the label is, for ranking; higher is more suspicious.",
    "suspect": "Whether the label is suspicious, with 5 % false discoveries allowed.",
    "suggested_label": "The label of most neighbours in the trees.",
    "power": "Chance that a wrong label of this row would have been listed.",
    "degree": "Edges of the row in all trees.",
    "edges": "Edges of the row in all trees that lead to another class, of all its edges.",
    "nearest": "Number of the nearest neighbour with another label, -1 for none.",
    "nearest_label": "Label of that neighbour.",
    "n_suspect": "How many labels are suspicious, listed or not.",
    "n_conflict": "How many rows have an equal row with a different label.",
    "tree": "Class tree: classes split in two again and again; classes that are hard to separate split last.",
    "order": "Classes in the order of the leaves of the class tree.",
    "start": "Where the classes of a node start in the order.",
    "stop": "Where the classes of a node stop in the order.",
    "left": "Number of the first child of the node, -1 for none.",
    "right": "Number of the second child of the node, -1 for none.",
    "link": "Mean tree estimate, relative to guessing, between the two sides of a split; pairs at the resolution count "
    "as 0.",
    "floor": "The lowest possible error. Of a node: of its own problem; null where not measured.",
    "cv_error": "Cross-validated error of a node's model; null where there is none.",
    "model": "The model of a node.",
    "reason": "Why the model of a node was taken, or the hardest pair across its split.",
    "facts": "What was looked at: rows, features, classes, scale, seed.",
    "name": "Name of the data or of a trait.",
    "n_rows": "Number of rows, in the input or of the part that a figure is about; of a curve, training rows.",
    "n_used": "Number of rows used.",
    "engine": "Where the trees of all rows were grown; empty where the rows used are all there is.",
    "n_distinct": "Number of distinct rows among those used.",
    "n_features": "Number of columns that are features.",
    "n_classes": "Number of classes.",
    "n_groups": "Number of groups of rows that belong together; null without groups.",
    "classes": "Class labels, in the order of rows, columns and numbers; as a part of the check, each class: the error "
    "within it (1 - recall), best estimate and range. Ranges are 95 % each, not all together.",
    "part": "Part of all cross-validated errors that falls on rows of the class.",
    "part of all errors": "Part of all cross-validated errors that falls on rows of the class.",
    "scale": "How features were scaled before distances were measured: none, standard (deviation), robust "
    "(quartiles) or unit (length of the row).",
    "scale_rates": "Fraction of cross-class edges of the first tree under each scale that was tried, on at most 2,000 "
    "rows.",
    "n_trees": "Number of orthogonal spanning trees: each the minimum one without the edges of those before.",
    "random_state": "Seed of all random draws.",
    "near_copies": "Fraction of rows that are near-duplicates of another.",
    "fingerprint": "SHA-256 of features and labels: equal data, equal fingerprint.",
    "version": "Version of the library that made this.",
    "schema_version": "Version of the JSON form.",
    "findings": "What to know, each with a code.",
    "code": "BF and three digits: 1xx causes, 2xx doubts, 3xx gates, 4xx what may be done.",
    "text": "The same in words.",
    "look": "Where to look further: an attribute of Check.",
    "gates": "Limits that the answer was compared with, each ok, failed or too close to call.",
    "ruler": "From no error to the error of guessing; the dark part is the range, with the best estimate in it.",
    "class": "One of the labels.",
    "none": "Of scales: features as they are.",
    "standard": "Of scales: each feature less its mean, divided by its standard deviation.",
    "robust": "Of scales: each feature less its median, divided by its interquartile range.",
    "unit": "Of scales: each row divided by its length.",
    "merge": "Classes that are shown to be alike, and what merging them would leave; of a pair, whether it is "
    "one of them (see BF103).",
    "max_rows": "Most rows that were to be used; null for no limit.",
    "target_width": "Large data are subsampled until the 95 % interval is narrower than this; null for all rows.",
    "versions": "Versions of Python and of the libraries beneath.",
    "hardest pairs": "Pairs with the highest best estimates relative to guessing; those of classes with too few rows "
    "come last, those too small to measure are left out.",
    "hardest classes": "Classes with the highest best estimates of the error within them (1 - recall); those with a "
    "note come last.",
    "rows": "Number of rows of the class that were tested.",
    "rows per class": "How many rows the smallest class has; below 30 its figures are too uncertain to rely on.",
    "rows used": "How many of the rows were used.",
    "ties": "Whether equally long edges leave the tree bounds open.",
    "sparse data": "Whether neighbours are so far apart that edges cross classes without any real overlap: the tree "
    "bounds are then too high.",
    "duplicates": "Whether rows are equal or nearly so.",
    "gate": "A limit that the answer was compared with: ok, failed or too close to call.",
    "selection": "Features in the order in which they were chosen, each the one that leaves the fewest cross-class "
    "edges, until there is no significant gain.",
    "added": "Names of the features that a step adds, one or two.",
    "feature added": "What the step adds to the features before it: one, or two that only help together.",
    "kept": "How many features there are after the step.",
    "feature alone": "Tree bounds with this feature and no other: features that only help together show nothing here.",
    "value": "What the selection lowers, after the step (see criterion).",
    "criterion": "What a selection lowers: the overall fraction of cross-class edges, or the mean or the worst of the "
    "pairs relative to guessing.",
    "gain": "By how much the criterion falls with the step or the merge; of a selection in percent, with an interval "
    "that allows for having picked the best of all that were tried.",
    "gain_low": "Low end of the interval of the gain.",
    "gain_high": "High end of the interval of the gain.",
    "95 % interval of the gain": "Where the gain lies, allowing for having picked the best of all that were tried.",
    "shown": "Whether the interval of the gain lies above zero.",
    "n_candidates": "How many additions were tried in the step.",
    "level": "Confidence of the intervals.",
    "all_cross_rate": "Fraction of cross-class edges with all features.",
    "n_all": "Number of all features.",
    "holdout": "The selected features on rows that had no part in selecting them; null without such rows.",
    "optimistic": "Fraction of cross-class edges on as many rows that did select: what it is lower by is flattery.",
    "adjusted": "The p-value adjusted by Benjamini and Hochberg for testing all features.",
    "representation": "The same rows by other numbers: other features, an embedding, a scale, principal components. "
    "Any function of the features has a Bayes error at least as high; one with fewer cross-class edges is easier to "
    "learn from.",
    "comparison": "Representations of the same rows, the fewest cross-class edges first, with paired differences.",
    "names": "Names of the representations.",
    "how": "How a representation was made: given, fitted once (without labels) or cross-fitted (with those of "
    "other rows).",
    "predicted": "Of a learning curve: the error with more rows. Of representations: the fraction of cross-class edges "
    "with four times as many rows, from how it fell between half of them and all; it ranks them and is not an error.",
    "difference": "Fraction of cross-class edges, predicted for more rows, above that of the best representation; or, "
    "of features on held-out rows, above that of all. On the same rows.",
    "difference_low": "Low end of the interval of the difference.",
    "difference_high": "High end of the interval of the difference.",
    "above the best": "Fraction of cross-class edges, predicted for more rows, above that of the best: in percent of "
    "edges, from the same rows.",
    "95 % interval of that": "Where the difference lies; all together hold with this confidence, whichever was "
    "picked as the best.",
    "best_cross_rate": "Fraction of cross-class edges of the best, without what it owes to having been picked.",
    "n_folds": "Parts that the rows were split into: 2 where some representation is cross-fitted, else 1.",
    "no significant difference": "Neither significantly worse nor better than the best, or than all features.",
    "worse": "Significantly more cross-class edges than the best, or than all features.",
    "gap": "The errors of a model beside the lowest possible ones: overall, by class and by pair.",
    "error": "Error of the model or learner: of a class the error within it, of a pair the error between the two, of a "
    "curve by number of training rows.",
    "your model's error": "Fraction of the rows that the model gets wrong: of a class the error within it, of a pair "
    "the error between the two.",
    "low": "Low end of the 95 % interval of the error.",
    "high": "High end of the 95 % interval of the error.",
    "by_class": "The gap of each class: how often its rows are taken for another class.",
    "by_pair": "The gap of each pair of classes: how often one is taken for the other.",
    "proportions_p_value": "That the classes have the same proportions in the rows of the model as in those of the "
    "floor.",
    "room to improve": "Even the low end of the model's error is above the upper end of the lowest possible one.",
    "no room shown": "The model's error is not clearly above what is possible.",
    "at the floor": "No error lower than the model's can be shown to be possible on these features.",
    "below the floor": "Even the high end of the model's error is below the lower end of the range: the floor is too "
    "high here, or the model has seen the rows.",
    "no rows": "The model was tested on no row of the class.",
    "learning curve": "How the error falls with more training rows, and how many would be enough.",
    "before": "The classes as they are.",
    "steps": "Merges, in their order.",
    "groups": "What merges make of the classes; or rows that belong together, such as those of a patient.",
    "mapping": "The new label of each old one.",
    "fraction_merged": "Fraction of the rows whose class is merged with another.",
    "tested": "Whether it could be shown at all that classes are alike.",
    "all_alike": "Whether the two groups that are left are alike as well.",
    "alike": "Whether every class of one group is shown to be like every class of the other.",
    "met": "Whether the upper end meets the target; null without one.",
    "ok": "The limit is kept.",
    "failed": "The limit is broken, even at the favourable end of the range.",
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
    Always naming the most frequent class; the lowest possible error is never above its error.
    """
    known = {name.lower(): text for name, text in {**CODES, **TERMS}.items()}
    wanted = term.strip().lower()
    for form in (wanted, wanted.replace(" ", "_"), wanted.replace("_", " ")):
        if form in known:
            return known[form]
    near = get_close_matches(wanted, known, 3, 0.5) or ["verdict", "range", "reliability"]
    raise InputError(f"nothing is called {term!r} here. Near it: {', '.join(near)}.")
