"""What every code and term means, and the JSON Schema of a check."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path
from textwrap import fill
from typing import Any

from bayesfloor.support._errors import InputError, InputTypeError


def schema() -> dict[str, Any]:
    """Return the JSON Schema of ``Check.to_json``.

    Returns
    -------
    dict
        A schema for any validator of JSON Schema draft 2020-12.

    Examples
    --------
    >>> from bayesfloor.summary import schema
    >>> "verdict" in schema()["properties"]
    True
    """
    return json.loads(Path(__file__).with_name("schema.json").read_text("utf-8"))


_SIMILAR, _SLIP = 0.7, 0.85  # similarity from which a term is suggested, and from which it is assumed to be meant
_CODE = re.compile(r"bf\d+")  # one that is off by a digit means something else

CODES = {
    "BF101": "No signal. No learner does clearly better than guessing: these features do not predict the label, or "
    "only in a way that none of the learners finds. The p-value is from the Friedman-Rafsky test. Check that each "
    "label belongs to its row; other features or more rows may help.",
    "BF102": "Conflicting labels. Rows with equal features have different labels, so every classifier gets some of "
    "them wrong. This lower limit needs no assumptions. Look for rounded values, missing columns or wrong labels.",
    "BF103": "Inseparable classes. An equivalence test (Holm-adjusted) finds nearly as many cross-class edges as "
    "chance would give: these features cannot separate the classes. Merge them, or add a feature that separates "
    "them. This is claimed only up to an intrinsic dimension of three.",
    "BF104": "Hardest pair or class. These two classes have the highest error relative to guessing (best estimate); "
    "the range is for the error between them. A feature that separates them would help. If one class has most of "
    "the errors, in several pairs or with only two classes, that class is named instead.",
    "BF105": "Suspicious labels. The spanning trees join these rows to other classes more often than they join the "
    "rows around them, with a false discovery rate of 5 % (Benjamini-Hochberg). If classes overlap there, the rows are "
    "ambiguous rather than wrong: look before you relabel. The finding ranks high if there are nearly as many such "
    "labels as rows that the best classifier would get wrong.",
    "BF106": "Different spellings. Some labels differ from another only by case or spaces, or look like typos of a "
    "frequent label. As separate classes they make the error look higher than it is. clean_labels=True or "
    "--clean-labels merges the first kind; typos are only listed.",
    "BF107": "Codes. A column of whole numbers looks like names, such as zip codes: it uses few of the possible "
    "numbers, each many times. Their order means nothing, so learners see each code as the class rates of its rows, "
    "computed from training rows only. roles={'zip': 'number'} or --as zip=number makes it a quantity; 'category' "
    "makes one column per code.",
    "BF111": "Groups. Rows with the same value of this column have nearly the same label, or are each other's nearest "
    "neighbours: rows of one patient, user or device. A model then recognises the group instead of learning the task, "
    "and random folds make it look better than it is for new groups. The answer keeps every group in one fold, and the "
    "column is not a feature. --no-auto-groups or auto_groups=False turns this off; --groups or groups= sets another "
    "column.",
    "BF112": "Order. Rows close in time, or next to each other in the data, resemble each other more than rows of the "
    "same class do elsewhere, and a model does clearly worse on stretches of rows that it has not seen. The answer "
    "keeps blocks of consecutive rows in one fold, because new data will come later. --no-auto-groups or "
    "auto_groups=False turns this off.",
    "BF113": "Near-duplicates. Many rows have another row much closer to them than rows usually are, such as augmented "
    "images or the frames of a video. A model does clearly worse if no near-duplicates of its test rows are among its "
    "training rows. The answer keeps them in one fold. --no-auto-groups or auto_groups=False turns this off; --groups "
    "or groups= says which rows belong together.",
    "BF114": "Leak. One column alone, or a few together, predict the label almost perfectly, and the other columns do "
    "not come close; or a column is filled in for only one class. Such columns are often recorded after the label is "
    "known. If so, drop them: they are not known when you predict. A column that is known in time is just a very good "
    "feature.",
    "BF115": "Further labels. These columns are named like the label and have its values, as if each row had several "
    "labels. As features they may not be known when you predict. Drop them and check one label at a time.",
    "BF116": "Weights. A column is named like a sampling weight: the number of people that a row represents. It "
    "describes how rows were chosen and is not a feature. Drop it.",
    "BF117": "Strong columns. These columns alone predict the label almost perfectly, but the others do well too, or a "
    "few measurements decide together, as an honest rule would. The answer does not change. Check that these columns "
    "are known when you predict; if not, drop them.",
    "BF118": "Cases or copies. Equal rows always have the same label, and most combinations of values occur, or nearly "
    "so. Either a rule gives the label, or rows were copied: the data cannot tell. If they are copies, a model that "
    "recognises them has learned nothing. The range allows for both; duplicates='cases' or 'copies', or --duplicates, "
    "says which.",
    "BF119": "Synthetic rows. Many rows lie exactly between two others of their class, as SMOTE and its relatives make "
    "them. They must not be test rows: a learner has seen the rows that they were made from. Check the data before "
    "oversampling; priors='balanced' answers for balanced classes.",
    "BF120": "Rare class. The rarest class has less than 5 % of the rows, so a model that never finds it is still "
    "accurate. Look at the error within the class (1 - recall), or ask for another metric: metric='roc_auc' or "
    "--metric roc_auc, or balanced_accuracy. priors='balanced' or --balanced answers for equally frequent classes, "
    "priors={'yes': 0.2, 'no': 0.8} and --priors yes=0.2,no=0.8 for other proportions. Errors are then "
    "weighted to match.",
    "BF121": "Drift. A quick model trained on earlier rows is clearly worse on the next period than one trained on "
    "random rows is on others: the rule changes with time. The answer is for rows between known ones. For later ones "
    "there is no single lowest error; time='later' or --time later judges a target by the error on the next period, "
    "with an interval over periods, and time='between' says that the answer as it stands is wanted.",
    "BF122": "Numbers that do not fit. These rows are much farther from the best learner's prediction than rows with "
    "similar predictions are, with a false discovery rate of 5 % (Benjamini-Hochberg). Look for wrong units, typos or "
    "a missing column.",
    "BF123": "Uneven errors. For a fifth of the rows, those with small or large predictions, errors are at least twice "
    "as large as usual. If they grow with the prediction, the logarithm may be the better target.",
    "BF124": "Training was cut short. Boosting on all rows ended at the largest number of trees, while the rows that "
    "decide when to stop still got better. Its error is an upper end that holds, but the learning curve is cut short "
    "too, so it gives no lower end.",
    "BF201": "Few rows. The figures of a class with fewer than 30 rows are too uncertain to rely on, and gates "
    "ignore it. Add rows or merge the class.",
    "BF202": "Scaling matters. Distances depend on the units of the features, and here the fraction of cross-class "
    "edges changes a lot with the scaling. The scaling with the smallest fraction is used unless you set one. A "
    "better representation may lower the floor further.",
    "BF203": "Ties. Many edges are equally long (counts, categories, rounded values), so there are many minimum "
    "spanning trees. One order of the edges is used, fixed by the content of the rows; over all orders the tree "
    "bounds vary by more than their confidence interval.",
    "BF204": "Sparse data. In many dimensions, or with few rows, even the nearest neighbour may be far away and "
    "belong to another class without any real overlap. The tree bounds are then too high. The answer does not rest "
    "on them alone. More rows or fewer dimensions help.",
    "BF205": "Tree bounds too high. A learner's tested error is lower than the lower tree bound allows. These bounds "
    "hold for infinitely many rows and are too high for so few: rely on the answer.",
    "BF206": "Subsampled. Large data are subsampled, with all classes in proportion, until the interval is narrow "
    "enough or your limit is reached. To use all rows: target_width=None, or --max-rows 0.",
    "BF207": "Duplicates. Some rows are equal or nearly equal, such as several pictures of one patient or augmented "
    "images. Equal rows count as one point with several labels. If they look like duplicates, the answer keeps them in "
    "one fold; tests with duplicates on both sides are too optimistic, and the tree bounds too low. Near-duplicates "
    "make the floor falsely low unless groups say which rows belong together.",
    "BF208": "Extrapolation. The best estimate, where the learning curves would end with infinitely many rows, is at "
    "least five points below the lowest cross-validated error: no learner has shown yet that it can be reached. More "
    "rows, more learners (--effort thorough) or a learner of your own (learners=) would show it.",
    "BF301": "Gate on the target. ok if the target is reachable or likely, failed if its probability is below 20 % "
    "(--at-least, at_least=) or if these data cannot say, else open. --strict fails an open gate too.",
    "BF302": "Gate on the lowest possible error. Like BF301, for the accuracy that the limit leaves: an error of at "
    "most 5 % is an accuracy of at least 95 %.",
    "BF303": "Gate on pairs: the error between the worst two classes. ok if the upper end of its range is at most the "
    "limit, failed if the lower end is above it, else open. Classes with fewer than 30 rows do not count.",
    "BF304": "Gate on classes. Like BF303, for the error within the worst class. Classes with fewer than 30 rows do "
    "not count.",
    "BF305": "Gate against a baseline. failed if the lowest possible error rose by more than the limit with a "
    "probability of 99 %, or if the cross-validated error of the learner that is best over both checks did (99 % "
    "confidence). If features, scaling or effort differ, only these errors are compared. Open if the best estimate "
    "rose by more than the limit, but less surely. If the checks cannot be compared, BF306 to BF310 say why, and fail.",
    "BF306": "Other classes than in the baseline. failed if a class is new, gone, or has less than half of its rows "
    "relative to the others, or if the class proportions asked for differ. A typo in a label makes a new class. "
    "--accept BF306 or accept='BF306' compares anyway.",
    "BF307": "Other columns than in the baseline. failed if a feature is new, gone, or read as another kind of value, "
    "such as a category instead of a number. --accept BF307 or accept='BF307' compares anyway: then only "
    "cross-validated errors, if the number of features differs.",
    "BF308": "Other rows than in the baseline. failed if there are less than two thirds as many, or if the fraction of "
    "rows without a label, or of rows equal to another, rose by more than five points beyond chance (and beyond what "
    "more rows explain). --accept BF308 or accept='BF308' compares anyway.",
    "BF309": "Too good, unlike the baseline. failed if a column gives the label away (BF114), or if rows may be copies "
    "(BF113, BF118, BF119), and the baseline did not have that. Then a low error proves nothing. --accept BF309 or "
    "accept='BF309' compares anyway.",
    "BF310": "Nothing decides. failed if effort, features or scaling differ from the baseline's and no learner was "
    "tested on as many rows. Use the same options and data of similar size, or make a new baseline. --accept BF310 or "
    "accept='BF310' lets it pass.",
    "BF311": "Gate on rows. failed if fewer rows than --min-rows or min_rows= have a label.",
    "BF312": "Gate on missing labels. failed if a larger fraction of rows than --max-unlabelled or max_unlabelled= "
    "has no label.",
    "BF313": "Gate on findings. failed if there is a finding with a code of --fail-on or fail_on=, such as BF114.",
    "BF403": "Room to improve. Even the low end of the model's error is above the upper end of the lowest possible "
    "error: a better classifier exists. The pairs named have the most to gain.",
    "BF404": "At the floor. The answer is reliable, and no lower error than the model's can be shown to be possible "
    "on these features. Better features will help; a better model will not.",
    "BF405": "Too good to be true. Even the high end of the model's error is below the lower end of the range. The "
    "p-value is the probability of so few mistakes if the model's error is the lower end. If equal rows with different "
    "labels prove that end, the model has seen the rows it was tested on, or uses other columns. Otherwise the end is "
    "extrapolated from the kinds of model tried: yours may be of a better kind. Test it on rows it was not trained on.",
    "BF406": "No room shown. The model's error is not clearly above what is possible: these data cannot say whether "
    "a better model exists.",
    "BF407": "Labels seen. Among equal rows with different labels, the model predicts these labels better than chance. "
    "No model can tell equal rows apart, so it was trained on the rows it was tested on, or it uses other columns. The "
    "p-value is from permuting labels among equal rows and assumes nothing else.",
}
COMPARISONS = ("BF306", "BF307", "BF308", "BF309", "BF310")  # gates on what cannot be compared with a baseline
FINDINGS = tuple(code for code in CODES if not code.startswith("BF3"))

TERMS = {
    "Bayes error": "The lowest possible error: that of the best conceivable classifier on these features, however it "
    "is trained. Better features may lower it.",
    "best estimate": "The middle of the forecast for the lowest possible error: it is as likely to be lower as higher. "
    "The forecast comes from where the learning curves of the learners tried would end with infinitely many rows.",
    "cannot say": "These data give no probability for the target: no learner could be trained, equal rows may be cases "
    "or copies, rows were made from others, or the answer is for later periods.",
    "class tree": "A tree that splits the classes in two again and again. Classes that are hard to separate split "
    "last.",
    "cross-class edges": "Edges of the minimum spanning trees that join rows of two classes.",
    "cross-validated error": "A learner's error on rows that it was not trained on, by five-fold cross-validation.",
    "effort": "How much work goes into the answer: quick, normal or thorough. Compare only answers of the same effort.",
    "floor": "The lowest possible error (the Bayes error): no classifier can beat it with these features.",
    "forecast": "The lowest possible error as a probability distribution, and the error of the best model with more "
    "rows. It assumes that no pattern is hidden from every kind of model tried.",
    "gate": "A limit that the answer is compared with: ok, failed or open.",
    "guessing": "Always predicting the most frequent class. The lowest possible error is never above its error, which "
    "these rows show only roughly: the upper end of the range may be above the error shown.",
    "intrinsic dimension": "The number of dimensions that the data really fill, however many columns they have. It "
    "is estimated from how edges get shorter with more rows.",
    "learning curve": "How the error falls with more training rows. The forecast continues it.",
    "likely": "The forecast gives the target a probability of 80 % or more, but no learner was shown to reach it.",
    "lower end": "Lower end of the range: the 2.5 % quantile of the forecast, for the kinds of model tried, or "
    "what equal rows with different labels prove. Some data give no lower end.",
    "lowest possible error": "The Bayes error: the error of the best conceivable classifier on these features, "
    "however it is trained. Better features may lower it.",
    "open": "The forecast gives the target a probability of 20 to 80 %.",
    "out of reach": "The forecast gives the target a probability under 5 %, for the kinds of model tried, even with "
    "more rows; or equal rows with different labels prove that no model reaches it.",
    "range": "Where the lowest possible error lies. A learner has been shown to reach the upper end (95 % confidence); "
    "the lower end is the 2.5 % quantile of the forecast, for the kinds of model tried, even with more rows.",
    "reachable": "The upper end of the range meets the target: a learner has been shown to be accurate enough.",
    "relative to guessing": "The error between two classes in percent of the error of guessing between them: 0 % if "
    "they can be separated, 100 % if they cannot.",
    "reliability": "How far to rely on the answer. good: the range has both ends and nothing casts doubt on them. "
    "limited: both ends, but the range is wide or there is some doubt. upper limit only: these data give no useful "
    "lower end.",
    "representation": "The same rows described by other numbers: other features, an embedding, another scaling, "
    "principal components. One with fewer cross-class edges is easier to learn from.",
    "room to improve": "A better model is possible: even the low end of your model's error is above the upper end of "
    "the lowest possible error.",
    "suspicious labels": "Labels that are probably wrong or ambiguous: most of the row's nearest neighbours belong "
    "to another class.",
    "too small to measure": "Cross-validation confused no rows: the error lies between 0 and the upper end of its "
    "range. Matrices show a dot.",
    "tree bounds": "A lower and an upper bound on the lowest possible error, computed from the fraction G of "
    "cross-class edges: (K-1)/K (1 - sqrt(1 - K/(K-1) G)) and G. They hold for infinitely many rows and are too high "
    "for sparse data, so the answer does not rest on them alone.",
    "unlikely": "The forecast gives the target a probability of 5 to 20 %.",
    "upper end": "Upper end of the range: a learner has been shown to reach it (95 % confidence).",
}


def list_terms(width: int) -> str:
    """Return all codes and terms with the first sentence of each, for a terminal of this width."""
    codes = {code: text.partition(". ")[0] for code, text in CODES.items()}
    terms = {name: text.partition(". ")[0].rstrip(".") for name, text in TERMS.items()}
    left = max(map(len, terms)) + 2
    lines = [
        fill(text, width, initial_indent=name.ljust(left), subsequent_indent=" " * left)
        for name, text in {**codes, **terms}.items()
    ]
    return "\n".join([*lines[: len(codes)], "", *lines[len(codes) :], "", "For one of them: bayesfloor explain BF204"])


def explain(term: str) -> str:
    """Return what a code or a term means.

    Parameters
    ----------
    term : str
        A code such as "BF204", or a term such as "range".

    Returns
    -------
    str

    Examples
    --------
    >>> from bayesfloor.summary import explain
    >>> print(explain("guessing").partition(".")[0])
    Always predicting the most frequent class
    """
    known = {name.lower(): text for name, text in {**TERMS, **CODES}.items()}
    if not isinstance(term, str):
        raise InputTypeError(f"Got term={term!r}, but expected a code or a term, such as 'BF101'.")
    wanted = term.strip().lower()
    if wanted.replace("_", " ") in known:
        return known[wanted.replace("_", " ")]
    near = get_close_matches(wanted, known, 3, _SIMILAR)
    if near and SequenceMatcher(None, near[0], wanted).ratio() >= _SLIP and not _CODE.fullmatch(wanted):
        return f"{near[0]}: {known[near[0]]}"
    asked = f" Did you mean: {', '.join(near)}?" if near else ""
    raise InputError(f"unknown term {term!r}.{asked} To list all: bayesfloor explain.")
