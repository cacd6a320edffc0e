"""Expected numbers of cross-class edges, from a forest and labels.

Input: edges and labels.
Output: the number of cross-class edges for each pair, class, split and row.
Must not know about: bounds and files.
"""
