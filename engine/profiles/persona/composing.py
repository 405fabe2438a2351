"""Thirty captions from facets and surroundings: every facet in its share of them, no two alike (VPTT, steps 3 and 4)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.profiles.grammar.clauses import Clause
from engine.profiles.grammar.words import lines
from engine.profiles.persona.allowance import Allowance
from engine.profiles.persona.casting import Cast, Casting
from engine.profiles.persona.facets import Facet, Understanding, content_of, permitted
from engine.profiles.persona.posts import DETAILS, SLOTS, details, opening_of, openings, slot_of
from engine.profiles.persona.summaries import ngrams
from engine.profiles.persona.surroundings import surroundings_of
from engine.profiles.persona.topics import Item
from engine.records import CATEGORIES, Caption, Element

CAPTIONS = 30
_LED = 28
"""Captions that sentences lead, if the sheet has enough of them; the others are everyday posts."""

_FEWEST, _MOST = 2, 7
"""Elements of one caption."""

_STILL, _DONE = frozenset(("thing", "outfit", "being")), 0.45
"""Posts about a thing that open with what the person does all the same, and how many."""

_DOINGS = frozenset(("hobby", "passion", "act2"))
"""Detail sections that name one more thing the person does; a post takes one of them."""

_ATTEMPTS = 24
_OVERLAP = 0.2
"""Share of a caption's trigrams that an earlier caption of the person may hold before another attempt is made."""


def compose(
    understood: Understanding, sentences: Sequence[str], job: str, rng: random.Random
) -> tuple[tuple[Element, ...], tuple[Caption, ...]]:
    """(E, C): thirty captions whose recorded elements occur literally in them and that share no five tokens in a row with a sheet sentence.

    job: the occupation of d, "" if it has none. E, by category, holds every element that a caption uses, the sentences' own items, and
    something of every category.
    """
    composer = _Composer(understood, sentences, job, rng)
    captions = tuple(composer.caption(facet) for facet in _schedule(understood.facets, composer.allowance, rng))
    return composer.lexicon(captions), captions


def _schedule(facets: Sequence[Facet], allowance: Allowance, rng: random.Random) -> list[Facet | None]:
    """Which facet leads each caption; None for an everyday post."""
    leads: list[Facet | None] = [facet for facet in facets for _ in range(allowance.leads[facet.mark])]
    leads = leads[:CAPTIONS] + [None] * max(0, CAPTIONS - len(leads))
    rng.shuffle(leads)
    return leads


@dataclass(slots=True)
class _Post:
    """A post while it is written: its sentences, the patterns behind them, the element slots shown, and what may still join the first."""

    sentences: list[str]
    patterns: list[str]
    shown: set[str]
    open_end: bool
    about_me: bool

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    def add(self, clause: Clause, cast: Cast) -> None:
        """Adds a detail, within the first sentence if the clause continues it."""
        said = clause.render(cast.slots)
        if clause.continues:
            self.sentences[0], self.open_end = f"{self.sentences[0][:-1]}{said}.", False
        else:
            self.sentences.append(said)
        self.patterns.append(clause.pattern)
        self.shown |= _elements_of(clause)

    def items(self, cast: Cast) -> list[Item]:
        """What the post shows, as far as it stands in it letter for letter, none twice."""
        text = self.text
        return list(dict.fromkeys(cast.items[slot] for slot in sorted(self.shown) if slot in cast.items and cast.items[slot].text in text))


class _Composer:
    def __init__(self, understood: Understanding, sentences: Sequence[str], job: str, rng: random.Random) -> None:
        self.rng, self.rejected = rng, understood.rejected
        self.allowance = Allowance(understood.facets, _LED)
        self.forbidden = frozenset(gram for sentence in sentences for gram in ngrams(sentence, 5))
        self.around = surroundings_of(self.rejected | content_of(understood.facets), rng)
        self.casting = Casting(understood.facets, self.around, self.allowance, job, rng)
        self.items = [item for facet in understood.facets for item in facet.items]
        self.own = frozenset(item for facet in understood.facets for item in facet.own)
        self.length, self.remarks = rng.uniform(2.6, 4.4), rng.uniform(0.05, 0.3)
        self.said: Counter[str] = Counter()
        self.earlier: list[set[tuple[str, ...]]] = []

    def caption(self, facet: Facet | None) -> Caption:
        """The best of a few attempts: permitted, nowhere verbatim, and unlike the earlier captions."""
        best: tuple[float, _Post, Cast] | None = None
        for _ in range(_ATTEMPTS):
            cast = self.casting.cast(facet)
            post = self._written(cast, facet)
            if post is None or not permitted(post.text, self.rejected) or ngrams(post.text, 5) & self.forbidden:
                continue
            overlap = self._overlap(post.text)
            if best is None or overlap < best[0]:
                best = (overlap, post, cast)
            if overlap <= _OVERLAP:
                break
        if best is None:
            return self._plain(facet)
        _, post, cast = best
        self.said.update(post.patterns)
        return self._kept(post.text, post.items(cast), facet)

    def _written(self, cast: Cast, facet: Facet | None) -> _Post | None:
        """A post: an opening, details until it is long enough, at times a remark. None if its lead finds no sentence."""
        wanted, kind = slot_of(cast.lead), opening_of(cast.lead)
        done = kind in _STILL and self.rng.random() < _DONE
        opening = self._choose(openings("doing" if done else kind), cast, frozenset(), "act" if done else wanted)
        if opening is None:
            return None
        post = _Post([opening.render(cast.slots)], [opening.pattern], set(_elements_of(opening)), opening.open_end, opening.about_me)
        self._add_details(post, cast, wanted)
        if wanted not in post.shown:
            return None
        remark = self._remark(facet)
        if remark:
            post.sentences.append(remark)
            post.patterns.append(remark)
        return post

    def _add_details(self, post: _Post, cast: Cast, wanted: str) -> None:
        """The lead and the quarter where the opening left them out, then whatever else, until the length that was drawn is reached."""
        target = min(_MOST, max(_FEWEST, round(self.rng.gauss(self.length, 1.3))))
        weights = {section: weight for section, weight in DETAILS.items() if section not in post.shown}
        due = [section for section in (wanted, "home") if section in cast.slots and section not in post.shown]
        while due or (weights and len(post.shown) < target):
            section = due.pop(0) if due else self.rng.choices(list(weights), list(weights.values()))[0]
            weights.pop(section, None)
            linked = post.open_end and (post.about_me or section not in ("wear", "who")) and self.rng.random() < 0.7
            clause = self._choose([c for c in details(section) if linked or not c.continues], cast, frozenset(post.shown), section)
            if clause is None:
                continue
            post.add(clause, cast)
            if section in _DOINGS:
                weights = {name: weight for name, weight in weights.items() if name not in _DOINGS}

    def _choose(self, offered: Sequence[Clause], cast: Cast, shown: frozenset[str], wanted: str) -> Clause | None:
        """A clause whose slots are filled and say nothing again, one that shows `wanted` if there is one, the least used first."""
        possible = [c for c in offered if c.needs <= cast.slots.keys() and _elements_of(c).isdisjoint(shown)]
        telling = [c for c in possible if wanted in _elements_of(c)] or possible
        if not telling:
            return None
        fewest = min(self.said[c.pattern] for c in telling)
        return self.rng.choice([c for c in telling if self.said[c.pattern] == fewest])

    def _remark(self, facet: Facet | None) -> str:
        if self.rng.random() > self.remarks:
            return ""
        theirs = [remark for remark in (facet.remarks if facet else self.around.remarks) if not self.said[remark]]
        offered = (
            theirs if theirs and self.rng.random() < 0.6 else [remark for remark in lines("asides.txt")["any"] if not self.said[remark]]
        )
        return self.rng.choice(offered) if offered else ""

    def _kept(self, text: str, filling: list[Item], facet: Facet | None) -> Caption:
        self.casting.take(filling, facet)
        self.earlier.append(ngrams(text, 3))
        elements = dict.fromkeys(Element(item.category, item.text) for item in filling if item.category in CATEGORIES)
        where = next((f"{item.lead} {item.text}" for item in filling if item.category == "environment"), "")
        what = next((item.text for item in filling if item.category in ("actions", "objects")), "")
        return Caption(text, ", ".join(part for part in (what, where.strip()) if part), tuple(elements))

    def _plain(self, facet: Facet | None) -> Caption:
        """The shortest post there is: an element by itself, for sheets that reject the words of every pattern."""
        pool = [*(facet.items if facet else ()), *(item for items in self.around.everyday.values() for item in items)]
        item = min(pool, key=lambda item: (self.casting.used[item], facet is None or item not in facet.items))
        other = min((item for item in pool if item.category == "colour"), key=lambda item: self.casting.used[item], default=item)
        filling = [item, other] if other != item else [item]
        return self._kept(", ".join(item.text for item in filling), filling, facet)

    def _overlap(self, text: str) -> float:
        """The largest share of trigrams in common with an earlier caption, of whichever of the two is shorter."""
        own = ngrams(text, 3)
        return max((len(own & grams) / max(1, min(len(own), len(grams))) for grams in self.earlier), default=0.0) if own else 1.0

    def lexicon(self, captions: Sequence[Caption]) -> tuple[Element, ...]:
        found = dict.fromkeys(element for caption in captions for element in caption.elements)
        found.update(dict.fromkeys(Element(item.category, item.text) for item in self.items if item in self.own))
        for category in set(CATEGORIES) - {element.category for element in found}:
            found.update(dict.fromkeys(Element(category, item.text) for item in self.around.everyday[category][:2]))
        return tuple(element for category in CATEGORIES for element in found if element.category == category)


def _elements_of(clause: Clause) -> frozenset[str]:
    """The slots of a clause that show an element (a spot is its place by another name)."""
    return frozenset("place" if slot == "spot" else slot for slot in clause.shows if slot in SLOTS or slot == "job")
