"""What makes an answer too good: rows that belong together, and columns that give the label away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bayesfloor.answer._answer import Basis, Reason
from bayesfloor.answer._dependence import GROUPS, Dependence, find_dependence, label_table
from bayesfloor.answer._leaks import DoubtfulColumns, Leak, find_doubtful, find_leaks
from bayesfloor.io._data import Data


class Hazards(NamedTuple):
    """What was found in the rows as read; each part was tested by its consequence."""

    dependence: Dependence | None = None
    leaks: tuple[Leak, ...] = ()
    doubtful: tuple[DoubtfulColumns, ...] = ()
    examined: bool = False  # whether the rows have an order and labels that could be examined

    @property
    def cautions(self) -> tuple[Reason, ...]:
        """Why the answer may be too good."""
        found = [Reason(Basis.LEAK, names=leak.columns) for leak in self.leaks]
        if self.dependence is not None and not self.dependence.applied:
            found.append(Reason(Basis.TOGETHER))
        return tuple(found)

    @property
    def group_columns(self) -> list[str]:
        """The column that marks groups, if one was found."""
        found = self.dependence
        return [] if found is None or found.kind != GROUPS else [found.column]


def find_hazards(data: Data, roles: Mapping[str, Any] | None, y_kind: str, seed: int) -> Hazards:
    """Look for all hazards that need no trees; with groups from the user, none of other rows that belong together."""
    table = label_table(data, roles, y_kind)
    if table is None:
        return Hazards()
    dependence = None if data.groups is not None else find_dependence(table, len(data.y), seed)
    found = Hazards(dependence, examined=True)
    leaks = find_leaks(table, seed, found.group_columns)
    return found._replace(leaks=leaks, doubtful=find_doubtful(table, data.label))
