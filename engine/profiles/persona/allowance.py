"""How often a sentence may still show: in two to twelve of the thirty captions; sentences on one subject share that room (VPTT)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.profiles.persona.facets import Facet
from engine.profiles.persona.topics import Item

FEWEST, MOST = 2, 12


class Allowance:
    """Captions that each facet leads, and the room that is left for it in captions that another one leads."""

    def __init__(self, facets: Sequence[Facet], captions: int) -> None:
        self.subject = _subjects(facets)
        members = Counter(self.subject.values())
        share = max(FEWEST, captions // max(1, len(facets)))
        self.leads = {facet.mark: max(FEWEST, min(share, MOST // members[self.subject[facet.mark]])) for facet in facets}
        self.room: Counter[str] = Counter({mark: MOST - leads for mark, leads in self.leads.items()})
        self.shared: Counter[str] = Counter(dict.fromkeys(members, MOST))
        for mark, leads in self.leads.items():
            self.shared[self.subject[mark]] -= leads
        self.owners: dict[Item, list[str]] = {}
        for facet in facets:
            for item in facet.items:
                self.owners.setdefault(item, []).append(facet.mark)

    def spare(self, item: Item, lead: str) -> bool:
        """Whether a caption that `lead` leads may also show an item of other facets."""
        others = [mark for mark in self.owners[item] if mark != lead]
        return all(self.room[mark] > 0 and (self.shared[self.subject[mark]] > 0 or self._same(mark, lead)) for mark in others)

    def take(self, items: Iterable[Item], lead: str) -> None:
        """Records a caption that `lead` leads and that shows `items`."""
        others = {mark for item in items for mark in self.owners.get(item, ()) if mark != lead}
        self.room.subtract(others)
        self.shared.subtract({self.subject[mark] for mark in others if not self._same(mark, lead)})

    def _same(self, mark: str, lead: str) -> bool:
        return lead in self.subject and self.subject[mark] == self.subject[lead]


def _subjects(facets: Sequence[Facet]) -> dict[str, str]:
    """Mark -> the first mark of the facets that share a topic with it, directly or through others."""
    subject = {facet.mark: facet.mark for facet in facets}
    first: dict[str, str] = {}
    for facet in facets:
        for name in facet.topics:
            one, other = subject[facet.mark], subject[first.setdefault(name, facet.mark)]
            for mark, found in subject.items():
                if found == one:
                    subject[mark] = other
    return subject
