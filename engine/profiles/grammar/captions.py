"""Step 4: each scenario becomes one attribute-rich caption that records which elements of E it uses (VPTT).

A caption is an opening clause, details until the voice's number of elements is reached, and sometimes a closing remark. A person repeats
no clause pattern while unused ones are left.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.profiles.grammar.clauses import Clause, clauses
from engine.profiles.grammar.demographics import Life
from engine.profiles.grammar.dice import Dice
from engine.profiles.grammar.elements import Word
from engine.profiles.grammar.english import Noun, Number
from engine.profiles.grammar.moments import moment_slots
from engine.profiles.grammar.scenarios import Scenario, place_phrase
from engine.profiles.grammar.voice import Voice, voiced
from engine.profiles.grammar.words import CLIMATES, lines
from engine.records import CATEGORIES, Caption
from engine.tokens import tokens

LEAST, MOST, LEAST_CATEGORIES = 3, 8, 3
_DETAILS = {
    "obj": 2.0, "home": 3.0, "culture": 1.0, "passion": 0.2, "act2": 0.6, "hobby": 0.7, "light": 0.26, "mat": 0.5, "wear": 0.35,
    "who": 0.5, "food": 0.3, "job": 0.35, "plant": 0.2, "animal": 0.2, "col": 0.16, "comp": 0.2, "drink": 0.15, "pose": 0.06,
    "hair": 0.04, "body": 0.06, "wind": 0.03, "wet": 0.04, "cold": 0.04, "warm": 0.04,
}  # fmt: skip
"""Weights of the detail sections; one whose slots the moment lacks is passed over."""
_WEATHER = {"wind": CLIMATES, "wet": ("cold", "temperate", "tropical", "mountain"), "cold": ("cold",), "warm": ("arid", "tropical")}
_ONE_OF = (frozenset({"home", "culture"}), frozenset({"job", "hobby", "passion"}), frozenset({"food", "drink"}), frozenset(_WEATHER))
"""Sections of which a caption takes one: a post says once where it is and once what the person is."""
_ABOUT_ME = frozenset({"wear", "who", "hair", "body", "drink", "food", "act2"})
# slot: role. Slots that end in 2 hold a second, different word of the role.
_ROLE_OF = {
    "light": "light", "mat": "material", "col": "colour", "col2": "colour", "comp": "composition", "wear": "garment", "wear2": "garment",
    "obj": "object", "obj2": "object", "food": "food", "drink": "drink", "plant": "plant", "animal": "animal", "pose": "pose",
    "hair": "hair", "body": "body", "home": "home",
}  # fmt: skip
_ROOTS, _ROOTED = ("home", "culture"), 0.92
"""Most posts name the place or the culture: it is what the posts of one person share besides their strands."""
_FEW = 4
_MAY_REPEAT = frozenset({"light", "composition", "pose", "home"})
_SUBJECT_SLOT = {"thing": "obj", "outfit": "wear", "food": "food"}


@dataclass(frozen=True, slots=True)
class Draft:
    """A caption and the patterns it was composed of, its skeleton."""

    caption: Caption
    skeleton: tuple[str, ...]


class CaptionWriter:
    """Writes the captions of one person and remembers which patterns were used."""

    def __init__(self, life: Life, words: tuple[Word, ...], voice: Voice, dice: Dice) -> None:
        self._life, self._voice, self._dice = life, voice, dice
        self._said: set[str] = set()
        themes = (life.occupation, life.culture, *life.interests, *life.habits)
        self._by_role: dict[str, list[Word]] = {}
        for word in words:
            self._by_role.setdefault(word.role, []).append(word)
        self._tokens = {word.text: frozenset(tokens(word.text)) for word in words}
        self._remarks = {theme.title: theme.remarks for theme in themes}

    def write(self, scenario: Scenario) -> Draft:
        """One caption of 3 to 8 elements in at least 3 categories."""
        words = self._cast(scenario)
        slots = {slot: word.noun for slot, word in words.items()} | moment_slots(self._life, scenario.time, self._dice)
        slots["home"] = Noun(self._life.culture.facts["home"])
        slots["culture"] = Noun(self._life.culture.title)
        slots["job"] = Noun(self._life.occupation.title)
        if scenario.theme in {interest.title for interest in self._life.interests}:
            slots["hobby"] = Noun(scenario.theme, Number.MASS)
        if scenario.theme != self._life.interests[0].title:
            slots["passion"] = Noun(self._life.interests[0].title, Number.MASS)
        if scenario.place is not None:
            slots["place"] = Noun(place_phrase(scenario.place))
            if scenario.place.determiner:
                slots["spot"] = scenario.place.noun
        opening = self._choose(clauses("openings.txt", scenario.kind), slots, frozenset())
        if opening is None:
            raise AssertionError(f"no opening of kind {scenario.kind} fits {sorted(slots)}")
        sentences, patterns, shown = [opening.render(slots)], [opening.pattern], _elements_of(opening, words)
        self._add_details(scenario, opening, words, slots, sentences, patterns, shown)
        remark = self._remark(scenario)
        if remark:
            sentences.append(remark)
            patterns.append(remark)
        used = sorted({words[_element_slot(slot)] for slot in shown}, key=lambda word: (CATEGORIES.index(word.element.category), word.text))
        caption = Caption(voiced(sentences, self._voice, self._dice), scenario.text, tuple(word.element for word in used))
        return Draft(caption, tuple(patterns))

    def _add_details(
        self,
        scenario: Scenario,
        opening: Clause,
        words: dict[str, Word],
        slots: dict[str, Noun],
        sentences: list[str],
        patterns: list[str],
        shown: set[str],
    ) -> None:
        target = min(MOST - 1, max(LEAST, round(self._voice.elements + self._dice.below(5) - 2)))
        weights = self._weights(scenario, shown)
        may_continue = opening.open_end
        told = set(opening.shows)
        rooted = self._dice.chance(_ROOTED)
        while weights and (rooted or not _enough(shown, words, target)):
            section = self._dice.weighted({name: weights[name] for name in _ROOTS} if rooted else weights)
            rooted = False
            del weights[section]
            linked = may_continue and (section not in _ABOUT_ME or (opening.about_me and scenario.kind == "doing"))
            linked = linked and self._dice.chance(0.75)
            allowed = _allowed(section, linked)
            clause = self._choose(allowed, slots, told)
            if clause is None or len(shown | _elements_of(clause, words)) > MOST:
                continue
            text = clause.render(slots)
            if clause.continues:
                sentences[0] = f"{sentences[0][:-1]}{text}."
                may_continue = False
            else:
                sentences.append(text)
            patterns.append(clause.pattern)
            for rivals in _ONE_OF:
                if section in rivals:
                    weights = {name: weight for name, weight in weights.items() if name not in rivals}
            shown |= _elements_of(clause, words)
            told |= clause.shows

    def _cast(self, scenario: Scenario) -> dict[str, Word]:
        """The word for every slot: of the scenario's strand or general, possible in its setting and at its hour."""
        words = {"act": scenario.action}
        others = [
            word
            for word in self._by_role["action"]
            if word.theme == scenario.theme and word != scenario.action and word.setting in ("any", scenario.setting)
        ]
        if others:
            words["act2"] = self._dice.pick(others)
        said = {token for word in words.values() for token in self._tokens[word.text]}
        if scenario.place is not None:
            words["place"] = scenario.place
        taken = set()
        if scenario.subject is not None:
            words[_SUBJECT_SLOT[scenario.kind]] = scenario.subject
            taken.add(scenario.subject.text)
            said |= self._tokens[scenario.subject.text]
        for slot, role in _ROLE_OF.items():
            if slot in words:
                continue
            fitting = [
                word
                for word in self._by_role.get(role, ())
                if word.text not in taken
                and self._belongs(word, scenario)
                and word.setting in ("any", scenario.setting)
                and word.time in ("", scenario.time)
                and (role in _MAY_REPEAT or said.isdisjoint(self._tokens[word.text]))
            ]
            own = [word for word in fitting if word.theme]
            if fitting:
                words[slot] = self._dice.pick(own if own and self._dice.chance(0.92) else fitting)
                taken.add(words[slot].text)
                if role not in _MAY_REPEAT:
                    said |= self._tokens[words[slot].text]
        return words

    def _belongs(self, word: Word, scenario: Scenario) -> bool:
        """Words stay in their strand; what grows and is eaten at home turns up anywhere (festive dress does not)."""
        home = word.theme == self._life.culture.title and word.role in ("food", "drink", "plant")
        return home or word.theme in ("", scenario.theme)

    def _weights(self, scenario: Scenario, shown: set[str]) -> dict[str, float]:
        weights = {}
        for section, weight in _DETAILS.items():
            if section in shown or (section == "pose" and scenario.kind == "doing"):
                continue
            if section in _WEATHER and (
                scenario.setting == "in" or scenario.time == "night" or "light" in shown or self._life.climate not in _WEATHER[section]
            ):
                continue
            weights[section] = weight
        return weights

    def _choose(
        self, patterns: tuple[Clause, ...] | list[Clause], slots: dict[str, Noun], shown: set[str] | frozenset[str]
    ) -> Clause | None:
        """A pattern whose slots are filled and whose phrases were not shown yet, a new one if there is one."""
        possible = [clause for clause in patterns if clause.needs <= slots.keys() and clause.shows.isdisjoint(shown)]
        fresh = [clause for clause in possible if clause.pattern not in self._said]
        if not possible:
            return None
        clause = self._dice.pick(fresh or possible)
        self._said.add(clause.pattern)
        return clause

    def _remark(self, scenario: Scenario) -> str:
        if not self._dice.chance(self._voice.remark):
            return ""
        own = [remark for remark in self._remarks[scenario.theme] if remark not in self._said]
        general = [remark for remark in lines("asides.txt")["any"] if remark not in self._said]
        remark = self._dice.pick(own if own and self._dice.chance(0.8) else general)
        self._said.add(remark)
        return remark


def _allowed(section: str, linked: bool) -> list[Clause]:
    """The patterns that continue a sentence, or those that stand alone; a section with few to continue mixes both."""
    patterns = clauses("details.txt", section)
    continuing = [clause for clause in patterns if clause.continues]
    if linked and len(continuing) >= _FEW:
        return continuing
    return [clause for clause in patterns if linked or not clause.continues]


def _element_slot(slot: str) -> str:
    return "place" if slot == "spot" else slot


def _elements_of(clause: Clause, words: dict[str, Word]) -> set[str]:
    """The slots of the clause that show an element."""
    return {_element_slot(slot) for slot in clause.shows if _element_slot(slot) in words}


def _enough(shown: set[str], words: dict[str, Word], target: int) -> bool:
    return len(shown) >= target and len({words[slot].element.category for slot in shown}) >= LEAST_CATEGORIES
