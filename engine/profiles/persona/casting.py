"""Who and what stands in a post's slots: the lead, its facet's things, a neighbour facet's where there is room, else the surroundings."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.profiles.articles import with_right_articles
from engine.profiles.grammar.english import Noun, Number
from engine.profiles.grammar.words import TIMES, pool
from engine.profiles.persona.allowance import Allowance
from engine.profiles.persona.facets import Facet
from engine.profiles.persona.posts import SLOTS, noun_of, slot_of
from engine.profiles.persona.surroundings import Surroundings
from engine.profiles.persona.topics import Item

_FILLED = ("act", "place", "obj", "obj2", "act2", "wear", "wear2", "mat", "col", "col2", "light", "comp", "animal")
_HOME = 0.97
_NEIGHBOURS = 0.75


@dataclass(frozen=True, slots=True)
class Cast:
    """What a post is about, the phrase in each slot, and the element behind it."""

    lead: Item
    slots: dict[str, Noun]
    items: dict[str, Item]


class Casting:
    """Fills the slots of one person's posts and remembers what was used."""

    def __init__(self, facets: Sequence[Facet], around: Surroundings, allowance: Allowance, job: str, rng: random.Random) -> None:
        self.around, self.allowance, self.rng = around, allowance, rng
        self.facets = facets
        self.own = frozenset(item for facet in facets for item in facet.own)
        self.used: Counter[Item] = Counter()
        self.job = self._job(facets, job)

    def _job(self, facets: Sequence[Facet], job: str) -> Item | None:
        """The occupation as something a post may mention; it counts as a showing of the sentence that tells it."""
        item = Item("job", job)
        marks = [facet.mark for facet in facets if job and job.split()[-1] in facet.mark.split()]
        if not marks:
            return None
        self.allowance.owners.setdefault(item, marks[:1])
        return item

    def cast(self, facet: Facet | None) -> Cast:
        """The slots of a post that `facet` leads, or of an everyday post."""
        lead = self._lead(facet) if facet else self._least(self.around.everyday["actions"] or self.around.everyday["objects"])
        items: dict[str, Item] = {slot_of(lead): lead}
        for slot in _FILLED:
            self._fill(items, slot, facet)
        self._mention(items, facet)
        slots = {slot: noun_of(item) for slot, item in items.items()} | self._moment()
        self._places(items, slots)
        for slot in ("hobby", "passion", "act", "act2"):
            if slot in slots:
                slots[slot] = Noun(items[slot].text, Number.MASS)
        return Cast(lead, slots, items)

    def _mention(self, items: dict[str, Item], facet: Facet | None) -> None:
        """What else the person is known for: another action of the sentence, an action of another one, the trade, the quarter."""
        mine = [item for item in (facet.items if facet else ()) if item.category == "actions" and item in self.own]
        mine = [item for item in mine if item not in items.values() and self._spare(item, facet)]
        if mine:
            items["hobby"] = self._least(mine)
        others = [item for other in self.facets if other is not facet for item in other.items if item.category == "actions"]
        others = [item for item in others if item not in items.values() and self._spare(item, facet)]
        if others:
            items["passion"] = self._least(others)
        if self.job and self._spare(self.job, facet):
            items["job"] = self.job
        if self.around.home and self.rng.random() < _HOME:
            items["home"] = self.around.home

    def _fill(self, items: dict[str, Item], slot: str, facet: Facet | None) -> None:
        if slot in items:
            return
        taken = set(items.values())
        theirs = [item for item in (facet.items if facet else ()) if _fits(slot, item) and item not in taken and self._spare(item, facet)]
        # A neighbour's things may lie about anywhere; what one does, and where, stays with its sentence.
        lends = slot in ("obj", "obj2", "animal", "wear", "wear2", "mat", "col")
        neighbours = [item for other in self.facets if lends for item in other.items if _fits(slot, item) and item not in taken]
        neighbours = [item for item in neighbours if self._spare(item, facet)]
        everyday = [item for items_ in self.around.everyday.values() for item in items_ if _fits(slot, item) and item not in taken]
        if slot in ("place", "act2") and facet is not None:
            everyday = []
        chosen = self._chosen(slot, theirs, neighbours, everyday)
        if chosen is not None:
            items[slot] = chosen

    def _chosen(self, slot: str, theirs: list[Item], neighbours: list[Item], everyday: list[Item]) -> Item | None:
        first = neighbours if slot == "obj2" and neighbours else theirs
        if first and self.rng.random() < 0.9:
            return self._least(first)
        if neighbours and self.rng.random() < _NEIGHBOURS:
            return self._least(neighbours)
        offered = everyday or theirs or neighbours
        return self._least(offered) if offered else None

    def _places(self, items: dict[str, Item], slots: dict[str, Noun]) -> None:
        place = items.get("place")
        if place is not None:
            lead = place.lead or "at the"
            slots["place"] = Noun(with_right_articles(f"{lead} {place.text}"))
            if lead.split()[-1] in ("the", "a", "an"):
                slots["spot"] = Noun(place.text)

    def _moment(self) -> dict[str, Noun]:
        time = self.rng.choice(TIMES)
        found = {
            "clock": Noun(self.rng.choice(pool("moments.txt", "clock", time))),
            "time": Noun(self.rng.choice(pool("moments.txt", "time", time))),
            "day": Noun(self.rng.choice(pool("moments.txt", "day"))),
            "n": Noun(self.rng.choice(pool("moments.txt", "n"))),
        }
        if self.around.companions:
            company = self.rng.choice((*self.around.companions[:1] * 4, *self.around.companions))
            found["who"] = Noun(company)
        return found

    def take(self, items: Sequence[Item], facet: Facet | None) -> None:
        """Records what a post shows."""
        self.allowance.take([item for item in items if item in self.allowance.owners], facet.mark if facet else "")
        self.used.update(items)

    def _lead(self, facet: Facet) -> Item:
        free = [item for item in facet.items if self._spare(item, facet)]
        return self._least(free or facet.items)

    def _least(self, items: Sequence[Item]) -> Item:
        """The least used item; a sentence's own words count less, so that they come more than twice as often."""

        def wear(item: Item) -> tuple[float, float]:
            used = self.used[item]
            return (used * 0.3 - 0.6 if item in self.own else used, self.rng.random())

        return min(items, key=wear)

    def _spare(self, item: Item, facet: Facet | None) -> bool:
        return item not in self.allowance.owners or self.allowance.spare(item, facet.mark if facet else "")


def _fits(slot: str, item: Item) -> bool:
    """Whether an item may stand in a slot: animals in their own slot only."""
    return item.category == SLOTS[slot] and (item.category != "objects" or item.living == (slot == "animal"))
