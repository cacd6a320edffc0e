"""What each field of the JSON means."""

from __future__ import annotations

FIELDS = {
    # the answer
    "verdict": "One sentence to quote: whether the target accuracy is reachable or, without a target, how accurate any "
    "model can get.",
    "target": "The accuracy asked for, above 0 and up to 1.",
    "outcome": "reachable, out of reach or too close to call; null without a target.",
    "why": "Why the outcome is too close to call, in one clause; empty for other outcomes, null without a target.",
    "settle": "What would settle an outcome that is too close to call; empty for other outcomes, null without a "
    "target.",
    "answer": "The lowest possible error: best estimate, range, what each end rests on, and how reliable it is. It "
    "does not depend on the target.",
    "estimate": "Best estimate of the lowest possible error. For tree bounds: the middle between them (for two classes "
    "the paper's HP-estimate).",
    "lower": "Lower end of the range of the lowest possible error; null if there is none. For tree bounds: "
    "(K-1)/K (1 - sqrt(1 - K/(K-1) G)), which holds for infinitely many rows and is too high for sparse data.",
    "upper": "Upper end of the range of the lowest possible error. For tree bounds: G, the fraction of cross-class "
    "edges, but at most the error of guessing.",
    "why_lower": "What the lower end of the range rests on; empty if there is none.",
    "why_upper": "What the upper end of the range rests on.",
    "reliability": "How far to rely on the answer: good, limited or upper limit only.",
    "reasons": "Why the answer is not more reliable.",
    "guessing": "Error of always predicting the most frequent class. The lowest possible error is never higher.",
    "best": "The learner with the lowest cross-validated error, or the representation with the fewest cross-class "
    "edges.",
    "errors": "Cross-validated error of each learner.",
    "curve": "Learning curve of the best learner: its error by number of training rows, measured or predicted.",
    "measured": "Whether the error at this number of rows was measured; otherwise it is predicted.",
    "n_independent": "For each learner, how many independent rows its cross-validated error is worth.",
    "unit": "What more data are counted in: rows, or groups if rows belong together.",
    "rows_per_unit": "Number of rows in each of these units.",
    "left_out": "Learners that did not run, and why.",
    "effort": "How much work went into the answer: quick, normal or thorough. Compare only answers of the same effort.",
    "pairs": "Every pair of classes: best estimate and range of the error between the two. Each range holds with 95 % "
    "confidence on its own, not all together.",
    "classes": "The class labels, in the order that all rows, columns and class numbers follow. At the top level: best "
    "estimate and range of the error within each class (1 - recall). Each range holds with 95 % confidence on its own.",
    "part": "Fraction of all cross-validated errors that are rows of this class.",
    "relative": "Best estimate relative to guessing: 0 if the classes can be separated, 1 if they cannot.",
    # gates, findings and properties of the data
    "findings": "What to know about the data, the most important first.",
    "code": "BF and three digits: 1xx causes, 2xx doubts, 3xx gates, 4xx what to do.",
    "text": "The details in words.",
    "look": "The attribute of Check that has the details.",
    "gates": "Limits that the answer was compared with.",
    "word": "The outcome in one or two words.",
    "traits": "Properties of the data, and whether each weakens the answer: rows per class, scale, ties, sparse data, "
    "tree bounds, rows used, duplicates, extrapolation.",
    "weak": "Whether this property weakens the answer.",
    # preparation
    "prepared": "What was done to the data before anything was measured.",
    "columns": "What was done to each column of a table; empty if all were used as they are. For leaks and doubtful "
    "columns: their names.",
    "role": "How a column was read: number, boolean, category, code, date, text, id, counter, constant, empty, list, "
    "ordered or group; wide for the entry that represents all columns of a very wide table.",
    "treatment": "What was done to a column, in words.",
    "width": "Number of numeric columns made from this column; 0 if it was left out.",
    "n_missing": "Number of missing values in a column.",
    "lossy": "Whether rows that differed in this column may have become equal.",
    "as_is": "Whether a column was used as it is.",
    "notes": "Anything unusual about how the file was read, such as its encoding.",
    "n_unlabelled": "Number of rows without a label, which were left out.",
    # facts
    "facts": "What was checked and how: rows, features, classes, scale, seed.",
    "name": "Name of the data, or of a property.",
    "n_rows": "Number of rows: of the input, of the part that a figure is about, or for training (learning curves).",
    "n_used": "Number of rows used.",
    "engine": "Where the trees on all rows were grown; empty if there was no subsample.",
    "n_distinct": "Number of distinct rows among those used.",
    "n_features": "Number of columns that are features.",
    "n_classes": "Number of classes.",
    "n_groups": "Number of groups of rows that belong together; null without groups.",
    "scale": "How features were scaled before distances were measured: none, standard (deviation), robust "
    "(quartiles) or unit (length of the row).",
    "scale_rates": "Fraction of cross-class edges of the first tree under each scaling that was tried, on at most "
    "2,000 rows.",
    "n_trees": "Number of orthogonal spanning trees: each is a minimum spanning tree without the edges of the previous "
    "ones.",
    "random_state": "Random seed.",
    "near_duplicates": "Fraction of rows that are near-duplicates of another row.",
    "priors": "The class proportions that the answer is for, if they were given; null for those of the data.",
    "fingerprint": "SHA-256 of features and labels: equal data have equal fingerprints.",
    "version": "Version of bayesfloor that wrote this.",
    "schema_version": "Version of the JSON format.",
    "max_rows": "Limit on the number of rows used; null for no limit.",
    "target_width": "Large data are subsampled until the 95 % interval is narrower than this; null for all rows.",
    "versions": "Versions of Python and of the libraries used.",
    # tree bounds
    "overall": "The whole problem: in a check the tree bounds alone, in a gap the model compared with the answer.",
    "pairwise": "Tree bounds for every pair of classes, from the minimum spanning trees of the pair's own rows.",
    "one_vs_rest": "Tree bounds for each class against the rest: the fraction of all rows for which a classifier is "
    "wrong about it.",
    "interval": "95 % confidence interval of the fraction of cross-class edges at this number of rows.",
    "interval_method": "How the standard error was found: subsample (from quarters of the rows) or fast (from the "
    "trees alone, widened).",
    "upper_limit": "95 % upper confidence limit for the lowest possible error from the first tree alone "
    "(Clopper-Pearson). It holds for every number of rows and features.",
    "limit": "Fraction of cross-class edges extrapolated to infinitely many rows, at the known rate for spanning "
    "trees. It is not the lowest possible error, which is in the answer.",
    "limit_interval": "95 % interval of that extrapolation, if the assumed rate is right.",
    "limit_std_error": "Standard error of that extrapolation.",
    "bias": "By how much the fraction of cross-class edges would fall with infinitely many rows, judging by its fall "
    "from a quarter of the rows to all.",
    "std_error": "Standard error of the fraction of cross-class edges; in tables of pairs, of their number.",
    "cross_rate": "G, the fraction of edges of the minimum spanning trees that cross classes. The tree bounds are "
    "computed from it.",
    "cross": "Number of edges that join two classes, or that lead from this row to another class; mean over trees.",
    "bias_correction": "Whether tree estimates are kept below the error of guessing.",
    "subtract_forced": "Whether the edges that join even perfectly separate classes are subtracted.",
    "first_cross": "Number of cross-class edges of the first tree, used for the upper limit.",
    "first_edges": "Number of edges of the first tree, or the number of independent draws if that is smaller.",
    "degrees": "Degrees of freedom of the standard error; null for infinitely many.",
    "dimension": "Intrinsic dimension, estimated from how edges get shorter with more rows; null if they do not.",
    "resolution": "The value that perfectly separate classes would have, because at least one edge joins any two. The "
    "trees cannot measure anything smaller.",
    "at_resolution": "Whether the pair has no more cross-class edges than perfectly separate classes would have.",
    "tie_spread": "Range of the fraction of cross-class edges over all orders of equally long edges.",
    "conflict": "Fraction of rows that every classifier gets wrong because equal rows have different labels; for a "
    "row, whether an equal row has a different label.",
    "constant_error": "Error of always predicting the most frequent class.",
    "p_value": "For the whole problem: p-value of the Friedman-Rafsky test that labels and features are unrelated. For "
    "a row: p-value of the test that its label is no more suspicious than those around it.",
    "p_values": "For each pair: p-value of the Friedman-Rafsky test that both classes have the same distribution.",
    "holm": "The pairs' p-values, adjusted for testing all pairs (Holm).",
    "benjamini_hochberg": "The pairs' p-values, adjusted to control the false discovery rate (Benjamini-Hochberg).",
    "matrix": "Tree estimate of each pair relative to guessing: 0 if the classes can be separated, 1 if they cannot.",
    "claims": "Whether the intrinsic dimension is low enough to claim that classes cannot be separated.",
    "one": "Number of the first class of a pair, counted from 0; in a merge, the labels of the first group.",
    "two": "Number of the second class of a pair, counted from 0; in a merge, the labels of the second group.",
    "class_rate": "Fraction of edges with exactly one end in the class.",
    "upper_classes": "K/2 times the two-class upper bound of the class against the rest.",
    "upper_root": "The same bound with a square root, which is smaller for hard classes.",
    "upper_any": "Fraction of cross-class edges over all classes: no class has more errors than all classes together.",
    "upper_pairs": "Sum of the upper bounds over all pairs with this class, each from its own trees.",
    "upper_finite": "(K-1) times the class's fraction of edges: a bound in expectation for every number of rows.",
    "few": "Whether the class has fewer than 30 rows.",
    "sizes": "Number of rows of each class.",
    # suspicious labels
    "suspicious": "Suspicious labels: rows whose label does not fit their neighbours. At most 200, the most suspicious "
    "first.",
    "row": "Number of the row in the input, counted from 0.",
    "label": "The row's label, or the name of the label column. In a leak: the class that is given away; empty if it "
    "is every class.",
    "score": "How suspicious the label is, for ranking; higher is more suspicious.",
    "suspect": "Whether the label is suspicious, with a false discovery rate of 5 %.",
    "suggested_label": "The most frequent label among the row's neighbours in the trees.",
    "power": "Probability that a wrong label in this row would have been listed.",
    "degree": "Number of edges of the row in all trees.",
    "nearest": "Number of the nearest row with another label; -1 for none.",
    "nearest_label": "Label of that row.",
    "n_suspect": "Number of suspicious labels, listed or not.",
    "n_conflict": "Number of rows that have an equal row with a different label.",
    # class tree
    "tree": "Class tree: classes split in two again and again; classes that are hard to separate split last.",
    "order": "Classes in the order of the leaves of the class tree.",
    "start": "Where the classes of a node start in that order.",
    "stop": "Where the classes of a node stop in that order.",
    "left": "Number of the node's first child; -1 for none.",
    "right": "Number of the node's second child; -1 for none.",
    "link": "Mean tree estimate, relative to guessing, over the pairs across a split; pairs at the resolution count "
    "as 0.",
    "floor": "Lowest possible error of a node's own problem; null if not measured.",
    "cv_error": "Cross-validated error of a node's model; null if there is none.",
    "model": "The model of a node.",
    "reason": "Why this model was chosen for a node, or the hardest pair across its split.",
    # selection of features
    "selection": "Features in the order in which they were selected. Each step adds the one that leaves the fewest "
    "cross-class edges, until there is no significant gain.",
    "added": "Names of the features that a step adds, one or two.",
    "value": "The criterion's value after the step.",
    "criterion": "What a selection lowers: the overall fraction of cross-class edges, or the mean or worst over pairs "
    "relative to guessing.",
    "gain": "By how much the criterion falls with this step or merge. The interval of a selection's gain allows for "
    "having picked the best of all candidates.",
    "gain_low": "Lower end of the gain's interval.",
    "gain_high": "Upper end of the gain's interval.",
    "shown": "Whether the gain's interval lies above zero.",
    "n_candidates": "Number of additions tried in this step.",
    "level": "Confidence level of the intervals.",
    "all_cross_rate": "Fraction of cross-class edges with all features.",
    "n_all": "Number of all features.",
    "holdout": "The selected features tested on rows that were not used to select them; null without such rows.",
    "optimistic": "Fraction of cross-class edges on equally many rows that were used for the selection. How much lower "
    "it is shows how optimistic these rows are.",
    # comparison of representations
    "comparison": "Representations of the same rows, the one with the fewest cross-class edges first, with paired "
    "differences.",
    "names": "Names of the representations.",
    "how": "How a representation was made: given, fitted once (without labels) or cross-fitted (with the labels of "
    "other rows).",
    "predicted": "For a learning curve: the error with more rows. For representations: the fraction of cross-class "
    "edges with four times as many rows, extrapolated from half of the rows and from all; it is for ranking, not an "
    "error.",
    "difference": "Difference in the fraction of cross-class edges on the same rows: from the best representation "
    "(predicted for more rows), or from all features (on held-out rows).",
    "difference_low": "Lower end of the difference's interval.",
    "difference_high": "Upper end of the difference's interval.",
    "best_cross_rate": "Fraction of cross-class edges of the best representation, corrected for having been picked as "
    "best.",
    "n_folds": "Number of folds of the rows: 2 if a representation is cross-fitted, else 1.",
    # a model compared with the floor
    "gap": "A model's errors compared with the lowest possible ones: overall, by class and by pair.",
    "error": "Error of the model or learner: within a class, between the two classes of a pair, or by number of "
    "training rows (learning curves).",
    "low": "Lower end of the error's 95 % interval.",
    "high": "Upper end of the error's 95 % interval.",
    "by_class": "The gap of each class: how often its rows are mistaken for another class.",
    "by_pair": "The gap of each pair of classes: how often one is mistaken for the other.",
    "proportions_p_value": "p-value of the test that class proportions are the same in the model's rows and the "
    "floor's rows.",
    "too_good": "Whether the model is better than one that has not seen its test rows can be (see BF405, BF407, "
    "BF408).",
    "floor_p_value": "Probability of so few mistakes if the model's error is the lower end of the range; null without "
    "a lower end.",
    "proved": "Whether equal rows with different labels prove the lower end; otherwise it is extrapolated.",
    "n_equal": "Number of rows that equal another row with a different label and a different prediction.",
    "n_right": "How many of these rows the model gets right.",
    "expected": "How many of these rows a model that has not seen their labels gets right on average.",
    "equal_p_value": "p-value of the test that the model has not seen the labels of equal rows; 1 if there are none.",
    "best_error": "The best learner's cross-validated error on the rows that the model predicts; null if there are "
    "none.",
    "best_p_value": "p-value of the test that the model is no better than the best learner on the same rows; null if "
    "there are none.",
    # rows that depend on each other, and leaks
    "dependence": "Rows that depend on each other, and a random forest's error if they are split at random or kept "
    "together.",
    "kind": "For dependence: groups (a column marks them), time (nearby rows are alike) or near-duplicates. For "
    "doubtful columns: labels or weights.",
    "column": "The column with the groups or the times; empty if there is none.",
    "n_units": "Number of groups, of blocks of consecutive rows, or of clusters of near-duplicates.",
    "similarity": "Groups: fraction of rows whose nearest row belongs to the same group. Time: correlation with the "
    "next row. Near-duplicates: fraction of rows that have one.",
    "pure": "Fraction of rows that have the most frequent label of their group; 0 if there are no groups.",
    "error_at_random": "Cross-validated error if folds are made of random rows.",
    "error_together": "Cross-validated error if rows that depend on each other are in the same fold.",
    "rise_std_error": "Standard error of the difference between these two errors.",
    "applied": "Whether such rows are in the same fold in the answer.",
    "leaks": "Columns that give the label away, with the error of the best of them alone.",
    "doubtful": "Columns that are used as features but are probably further labels or sampling weights.",
    "error_without": "Cross-validated error without these columns.",
    # merging classes
    "merge": "Classes that cannot be separated, and the problem after merging them (see BF103).",
    "before": "The classes as they are.",
    "steps": "The merges, in order.",
    "groups": "The groups of classes after merging; or rows that belong together, such as all rows of one patient.",
    "mapping": "The new label of each old one.",
    "fraction_merged": "Fraction of rows whose class is merged with another.",
    "tested": "Whether the data allow such a test at all.",
    "all_alike": "Whether the two groups that are left cannot be separated either.",
    "alike": "Whether no class of one group can be separated from any class of the other.",
    "met": "Whether the upper end meets the target; null without a target.",
}
