"""``ClassTree``: classes split in two recursively, stored as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from bayesfloor.support._errors import InputError
from bayesfloor.support._results import Result
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import join_labels, show_labels

Part = TypeVar("Part")
NONE = -1
_DEEPEST = 45  # columns of indentation; beyond, a chain of single classes is not indented further


@dataclass(frozen=True, eq=False, repr=False)
class ClassTree(Result):
    """A class tree: each node is a set of classes, and most nodes split their set in two.

    Node 0 has all classes. The classes of a node are ``order[start:stop]``, and its left child has the next number. A
    node without children has one class.

    Attributes
    ----------
    classes : (K,) array
        Class labels.
    order : (K,) int array
        Class numbers, ordered so that the classes of every node are contiguous.
    start, stop : (n_nodes,) int arrays
        Where each node's classes are in ``order``.
    left, right : (n_nodes,) int arrays
        Children of each node, -1 for none. The left child has the first of the node's classes.
    link : (n_nodes,) array
        Mean pairwise floor between the two sides of each split; NaN for leaves.
    reason : why each split comes so late, such as its hardest pair; empty for leaves, and where nobody said.

    Examples
    --------
    >>> from bayesfloor.hierarchy import ClassTree
    >>> tree = ClassTree.from_nested([["cat", "dog"], "car"])
    >>> print(tree.to_text())
    3 classes
    ├─ car
    └─ 2 classes
       ├─ cat
       └─ dog
    """

    classes: np.ndarray
    order: Ints
    start: Ints
    stop: Ints
    left: Ints
    right: Ints
    link: Floats
    reason: list[str]

    @classmethod
    def from_nested(cls, nested: Any) -> ClassTree:
        """Make a tree from nested pairs, such as ``[["cat", "dog"], "car"]``."""
        nested = nested.tolist() if isinstance(nested, np.ndarray) else nested
        labels = list(_leaves(nested))
        _check_labels(labels)
        classes, codes = np.unique(np.array(labels), return_inverse=True)
        if len(classes) < len(labels):
            twice = classes[np.bincount(codes).argmax()]
            raise InputError(f"Got class {twice.item()!r} more than once, but expected each class in one place.")
        number = iter(codes.tolist())  # leaves come in the same order both times
        return grow_tree(classes, nested, lambda part: tuple(part) if is_pair(part) else next(number))

    def _summary(self) -> str:
        return f"{len(self.classes)} classes, {self.n_nodes} nodes, {self.depth.max()} levels"

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.left)

    @cached_property
    def splits(self) -> Ints:
        """Nodes with children."""
        return np.flatnonzero(self.left != NONE)

    @cached_property
    def parent(self) -> Ints:
        """Parent of each node; -1 for the root."""
        parent = np.full(self.n_nodes, NONE)
        parent[self.left[self.splits]] = parent[self.right[self.splits]] = self.splits
        return parent

    @cached_property
    def depth(self) -> Ints:
        """Number of splits above each node."""
        depth = np.zeros(self.n_nodes, dtype=np.int64)
        for node in self.splits.tolist():  # parents come before their children
            depth[[self.left[node], self.right[node]]] = depth[node] + 1
        return depth

    def members(self, node: int) -> Ints:
        """Return the numbers of the node's classes, ascending."""
        return np.sort(self.order[self.start[node] : self.stop[node]])

    def among(self, labels: np.ndarray) -> ClassTree:
        """Return the same tree with only these classes."""
        unknown = np.setdiff1d(labels, self.classes)
        if len(unknown):
            raise InputError(
                f"Got rows of class {unknown.tolist()[0]!r}, which is not in the tree, but expected a tree "
                "with every class of y."
            )
        kept = np.searchsorted(self.classes, np.sort(labels))
        code = np.full(len(self.classes), NONE)
        code[kept] = np.arange(len(kept))
        return grow_tree(self.classes[kept], 0, lambda node: self._divide_kept(node, code))

    def _divide_kept(self, node: int, code: Ints) -> tuple[int, int] | int:
        """Return the next two nodes that have kept classes or, for a leaf, its class."""
        while self.left[node] != NONE:
            sides = (int(self.left[node]), int(self.right[node]))
            some = [side for side in sides if (code[self.members(side)] != NONE).any()]
            if len(some) == 2:
                return sides
            node = some[0]
        return int(code[self.order[self.start[node]]])

    def linked(self, matrix: Floats) -> ClassTree:
        """Return the same tree with links: the mean of a matrix between the two sides of each split."""
        link = np.full(self.n_nodes, np.nan)
        for node in self.splits.tolist():
            link[node] = matrix[np.ix_(self.members(int(self.left[node])), self.members(int(self.right[node])))].mean()
        return replace(self, link=link)

    def to_text(self) -> str:
        """Draw the tree as text, indented by depth; very long chains continue in one column."""
        return "\n".join(_draw(self))

    def _columns(self) -> dict[str, Any]:
        return {
            "parent": self.parent,
            "left": self.left,
            "right": self.right,
            "depth": self.depth,
            "n_classes": self.stop - self.start,
            "classes": [tuple(self.classes[self.members(node)].tolist()) for node in range(self.n_nodes)],
            "link": self.link,
            "reason": self.reason,
        }


def grow_tree(classes: np.ndarray, root: Part, divide: Callable[[Part], tuple[Part, Part] | int]) -> ClassTree:
    """Grow a tree by dividing the root recursively; ``divide`` returns two parts, or the class number of a leaf."""
    children: list[list[int]] = []
    first: list[int] = []  # the smallest class number of each node
    waiting: list[tuple[Part, int]] = [(root, NONE)]
    while waiting:
        part, above = waiting.pop()
        if above != NONE:
            children[above].append(len(children))
        found = divide(part)
        if isinstance(found, tuple):
            waiting += [(side, len(children)) for side in found]
        first.append(NONE if isinstance(found, tuple) else found)
        children.append([])
    for node in range(len(children) - 1, -1, -1):  # parents come before their children
        children[node].sort(key=first.__getitem__)
        first[node] = first[children[node][0]] if children[node] else first[node]
    return _number(classes, children, first)


def _number(classes: np.ndarray, children: list[list[int]], first: list[int]) -> ClassTree:
    """Number the nodes from the root down, the side with the first class first."""
    n_nodes = len(children)
    left, right, start = np.full(n_nodes, NONE), np.full(n_nodes, NONE), np.zeros(n_nodes, dtype=np.int64)
    order: list[int] = []
    waiting, done = [(0, NONE)], 0
    while waiting:
        node, above = waiting.pop()
        if above != NONE:
            (right if left[above] != NONE else left)[above] = done
        start[done] = len(order)
        order += [] if children[node] else [first[node]]
        waiting += [(child, done) for child in reversed(children[node])]
        done += 1
    stop = start + 1
    for node in np.flatnonzero(left != NONE)[::-1].tolist():
        stop[node] = stop[right[node]]
    return ClassTree(classes, np.array(order), start, stop, left, right, np.full(n_nodes, np.nan), [""] * n_nodes)


def is_pair(part: object) -> bool:
    """Whether this is a pair of parts rather than a leaf."""
    return isinstance(part, (list, tuple))


def _leaves(nested: Any) -> Iterator[Any]:
    """Yield the labels of nested pairs, last first, in the order in which ``grow_tree`` visits them."""
    waiting = [nested]
    while waiting:
        part = waiting.pop()
        if not is_pair(part):
            yield part
        elif len(part) == 2:
            waiting += part
        else:
            raise InputError(
                f"Got a list of length {len(part)} in the tree, but expected pairs: [[a, b], [c, [d, e]]]."
            )


def _check_labels(labels: list[Any]) -> None:
    kinds = {"text" if isinstance(label, str) else "number" if is_number(label) else "other" for label in labels}
    if len(kinds) > 1 or "other" in kinds:
        raise InputError(f"Got labels {join_labels(labels)}, but expected either all strings or all numbers.")


def is_number(label: object) -> bool:
    """Whether a label is a number or a boolean."""
    return isinstance(label, (int, float, np.number, np.bool_))


def _draw(tree: ClassTree) -> Iterator[str]:
    """Yield the lines of the tree, indented by depth."""
    names, waiting = show_labels(tree.classes.tolist()), [(0, "", "")]
    while waiting:
        node, lead, column = waiting.pop()
        if tree.left[node] == NONE:
            yield lead + names[tree.order[tree.start[node]]]
        else:
            told = f": {tree.reason[node]}" if tree.reason[node] else ""
            yield f"{lead}{tree.stop[node] - tree.start[node]} classes{told}"
            waiting += _below(tree, node, column)


def _below(tree: ClassTree, node: int, column: str) -> list[tuple[int, str, str]]:
    """Return a node's children, last first: each with the start of its line and the column for its own children."""
    one, two = sorted((int(tree.left[node]), int(tree.right[node])), key=lambda child: tree.left[child] != NONE)
    if tree.left[one] == NONE != tree.left[two] and len(column) >= _DEEPEST:  # a chain, which would run off the screen
        return [(two, f"{column}├ ", column), (one, f"{column}├─ ", "")]
    return [(two, f"{column}└─ ", f"{column}   "), (one, f"{column}├─ ", f"{column}│  ")]
