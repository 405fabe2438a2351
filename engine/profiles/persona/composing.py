"""Thirty captions from facets and everyday material: every facet in its share of them, no two alike (VPTT, steps 3 and 4)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from engine.profiles.persona.allowance import Allowance
from engine.profiles.persona.facets import Facet, Understanding, content_of, permitted, with_modifier
from engine.profiles.persona.patterns import Pattern, fits, pattern_of, patterns, suiting, tails, written
from engine.profiles.persona.summaries import ngrams
from engine.profiles.persona.topics import Item, everyday
from engine.records import CATEGORIES, Caption, Element

CAPTIONS = 30
_EVERYDAY = {"lighting": 6, "materials": 5, "environment": 6, "objects": 8, "actions": 6, "clothing": 5, "colour": 5, "composition": 7}
"""A person's everyday things are few and come back, as they do in real life."""

_LED = 28
"""Captions that sentences lead, if the sheet has enough of them; the others are everyday posts."""

_THEIRS = {"actions": 0.95, "environment": 0.95}
_THEIRS_ELSE, _NEIGHBOURS = 0.7, 0.85
_ATTEMPTS = 24
_TAILED = 0.2
"""Share of posts with one more remark."""

_OVERLAP = 0.25
"""Share of a caption's trigrams that an earlier caption of the person may hold before another attempt is made."""


def compose(understood: Understanding, sentences: Sequence[str], rng: random.Random) -> tuple[tuple[Element, ...], tuple[Caption, ...]]:
    """(E, C): thirty captions whose recorded elements occur literally in them and that share no five tokens in a row with a sheet sentence.

    E, by category, holds every element that a caption uses, the sentences' own items, and something of every category.
    """
    composer = _Composer(understood, sentences, rng)
    captions = tuple(composer.caption(facet) for facet in _schedule(understood.facets, composer.allowance, rng))
    return composer.lexicon(captions), captions


def _schedule(facets: Sequence[Facet], allowance: Allowance, rng: random.Random) -> list[Facet | None]:
    """Which facet leads each caption; None for an everyday post."""
    leads: list[Facet | None] = [facet for facet in facets for _ in range(allowance.leads[facet.mark])]
    leads = leads[:CAPTIONS] + [None] * max(0, CAPTIONS - len(leads))
    rng.shuffle(leads)
    return leads


class _Composer:
    def __init__(self, understood: Understanding, sentences: Sequence[str], rng: random.Random) -> None:
        self.rng, self.rejected = rng, understood.rejected
        self.allowance = Allowance(understood.facets, _LED)
        self.forbidden = frozenset(gram for sentence in sentences for gram in ngrams(sentence, 5))
        about = content_of(understood.facets)
        named = {item.text for facet in understood.facets for item in facet.items}
        self.everyday = {category: self._everyday(category, most, about, named) for category, most in _EVERYDAY.items()}
        self.items = [item for facet in understood.facets for item in facet.items]
        self.own = frozenset(item for facet in understood.facets for item in facet.own)
        self.used_patterns: Counter[str] = Counter()
        self.used_items: Counter[Item] = Counter()
        self.earlier: list[set[tuple[str, ...]]] = []

    def _everyday(self, category: str, most: int, about: frozenset[str], named: set[str]) -> list[Item]:
        pool = [item for item in everyday(category) if permitted(item.text, self.rejected | about) and item.text not in named]
        picked = self.rng.sample(pool, min(most, len(pool)))
        return [with_modifier(item, self.rng, self.rejected | about) for item in picked]

    def caption(self, facet: Facet | None) -> Caption:
        """The best of a few attempts: permitted, nowhere verbatim, and unlike the earlier captions."""
        best: tuple[float, str, Pattern, list[Item]] | None = None
        for _ in range(_ATTEMPTS):
            lead = self._lead(facet) if facet else None
            pattern = self._pattern(lead)
            tail = self._tail()
            if tail is not None:
                pattern = pattern_of(f"{pattern.text} {tail.text}")
            filling = self._filling(pattern, facet, lead)
            if filling is None:
                continue
            text = written(pattern, filling, self.rng)
            if not permitted(text, self.rejected) or ngrams(text, 5) & self.forbidden:
                continue
            overlap = self._overlap(text)
            if best is None or overlap < best[0]:
                best = (overlap, text, pattern, filling)
            if overlap <= _OVERLAP:
                break
        if best is None:
            return self._plain(facet)
        _, text, pattern, filling = best
        return self._kept(text, pattern.text, filling, facet)

    def _tail(self) -> Pattern | None:
        if self.rng.random() > _TAILED:
            return None
        return min(self.rng.sample(tails(), 6), key=lambda tail: self.used_patterns[tail.text])

    def _kept(self, text: str, pattern: str, filling: list[Item], facet: Facet | None) -> Caption:
        self.allowance.take(filling, facet.mark if facet else "")
        self.used_patterns.update(part.text for part in (*patterns(), *tails()) if part.text in pattern)
        self.used_items.update(filling)
        self.earlier.append(ngrams(text, 3))
        elements = dict.fromkeys(Element(item.category, item.text) for item in filling)
        where = next((f"{item.lead} {item.text}" for item in filling if item.category == "environment"), "")
        what = next((item.text for item in filling if item.category in ("actions", "objects")), "")
        return Caption(text, ", ".join(part for part in (what, where.strip()) if part), tuple(elements))

    def _plain(self, facet: Facet | None) -> Caption:
        """The shortest post there is: an element by itself, for sheets that reject the words of every pattern."""
        pool = [*(facet.items if facet else ()), *(item for items in self.everyday.values() for item in items)]
        item = min(pool, key=lambda item: (self.used_items[item], facet is None or item not in facet.items))
        other = min((item for item in pool if item.category == "colour"), key=lambda item: self.used_items[item], default=item)
        filling = [item, other] if other != item else [item]
        return self._kept(", ".join(item.text for item in filling), "", filling, facet)

    def _pattern(self, lead: Item | None) -> Pattern:
        known = patterns() if lead is None else suiting(lead)
        offered = self.rng.sample(known, min(12, len(known)))
        return min(offered, key=lambda pattern: self.used_patterns[pattern.text])

    def _lead(self, facet: Facet) -> Item:
        free = [item for item in facet.items if self.allowance.spare(item, facet.mark)]
        return self._least(free or facet.items)

    def _least(self, items: Sequence[Item]) -> Item:
        """The least used item; a sentence's own words count half, so that they come twice as often."""

        def wear(item: Item) -> tuple[float, float]:
            used = self.used_items[item]
            return (used * 0.5 - 0.6 if item in self.own else used, self.rng.random())

        return min(items, key=wear)

    def _filling(self, pattern: Pattern, facet: Facet | None, lead: Item | None) -> list[Item] | None:
        filling: list[Item] = []
        waiting = lead
        placed = any(slot.kind == "env" for slot in pattern.slots)
        for slot in pattern.slots:
            if waiting is not None and fits(slot, waiting):
                filling.append(waiting)
                waiting = None
                continue
            taken = {*filling, lead}
            theirs = [
                item for item in (facet.items if facet else ()) if fits(slot, item) and item not in taken and self._spare(item, facet)
            ]
            # A neighbour's things may lie about anywhere; what one does stays where one does it.
            lends = slot.kind in ("obj", "wear", "mat") or (slot.kind == "act" and not placed)
            neighbours = [item for item in self.items if lends and fits(slot, item) and item not in taken and self._spare(item, facet)]
            others = [item for item in self.everyday[slot.category] if fits(slot, item) and item not in taken]
            chosen = self._chosen(slot.category, theirs, neighbours, others)
            if chosen is None:
                return None
            filling.append(chosen)
        return filling

    def _chosen(self, category: str, theirs: list[Item], neighbours: list[Item], others: list[Item]) -> Item | None:
        if theirs and self.rng.random() < _THEIRS.get(category, _THEIRS_ELSE):
            return self._least(theirs)
        if neighbours and self.rng.random() < _NEIGHBOURS:
            return self._least(neighbours)
        pool = others or theirs or neighbours
        return self._least(pool) if pool else None

    def _spare(self, item: Item, facet: Facet | None) -> bool:
        return self.allowance.spare(item, facet.mark if facet else "")

    def _overlap(self, text: str) -> float:
        """The largest share of trigrams in common with an earlier caption, of whichever of the two is shorter."""
        own = ngrams(text, 3)
        return max((len(own & grams) / max(1, min(len(own), len(grams))) for grams in self.earlier), default=0.0) if own else 1.0

    def lexicon(self, captions: Sequence[Caption]) -> tuple[Element, ...]:
        found = dict.fromkeys(element for caption in captions for element in caption.elements)
        found.update(dict.fromkeys(Element(item.category, item.text) for item in self.items if item in self.own))
        for category in set(CATEGORIES) - {element.category for element in found}:
            found.update(dict.fromkeys(Element(category, item.text) for item in self.everyday[category][:2]))
        return tuple(element for category in CATEGORIES for element in found if element.category == category)
