"""Step 3: {d, E} becomes 30 distinct scenarios, each a moment in one strand of the person's life (VPTT)."""

from __future__ import annotations

from dataclasses import dataclass

import regex

from engine.profiles.articles import indefinite
from engine.profiles.grammar.demographics import Life
from engine.profiles.grammar.dice import Dice
from engine.profiles.grammar.elements import Word
from engine.profiles.grammar.english import determined
from engine.profiles.grammar.words import Theme
from engine.tokens import tokens

SCENARIOS = 30
KINDS = {"doing": 0.6, "thing": 0.14, "view": 0.09, "outfit": 0.07, "food": 0.1}
_HAS_ITS_PLACE = regex.compile(
    r" (?:at|in|on|onto|along|through|across|up|down|under|over|round|past|into|from|off|ashore|uphill|aboard|home)(?: (?:the|an?)\b|$)"
    r"| (?:lake|beach|sea|river|ridge|hill|reef|dunes|street|bazaar|market|valley|slope|trail|road|terrace|grass|weir|channel)s?\b"
)
"""Actions that say where they happen; a second place would contradict them."""
_LABEL = {"dawn": "early morning", "day": "daytime", "dusk": "evening", "night": "night"}
_USUAL = {"in": {"dawn": 1.0, "day": 4.0, "dusk": 2.0, "night": 2.0}, "out": {"dawn": 1.0, "day": 4.0, "dusk": 2.0}}


@dataclass(frozen=True, slots=True)
class Scenario:
    """A moment: what the post is about (`kind`), in which strand, where and when."""

    kind: str
    theme: str
    setting: str
    time: str
    action: Word
    place: Word | None
    subject: Word | None
    """What a post that is not about doing something shows: an object, a garment or a dish."""
    text: str


def place_phrase(place: Word) -> str:
    """The place as an adverbial: "in the cramped bakehouse"."""
    name = place.text
    if place.determiner == "the":
        name = f"the {name}"
    elif place.determiner == "a":
        name = f"{indefinite(name)} {name}"
    return f"{place.preposition} {name}".strip()


def _strands(life: Life) -> list[Theme]:
    """One entry a scenario: work, culture, a first and two lesser interests, an everyday habit."""
    shares = [(life.occupation, 6), (life.culture, 7), *zip(life.interests, (6, 4, 3), strict=True)]
    shares += [(habit, 2) for habit in life.habits]
    return [theme for theme, share in shares for _ in range(share)]


def _draw(theme: Theme, words: tuple[Word, ...], uses: dict[str, int], dice: Dice) -> Scenario:
    def least_used(pool: list[Word]) -> Word:
        fewest = min(uses.get(word.text, 0) for word in pool)
        return dice.pick([word for word in pool if uses.get(word.text, 0) == fewest])

    own = [word for word in words if word.theme == theme.title]
    action = least_used([word for word in own if word.role == "action"])
    places = [word for word in own if word.role == "place" and action.setting in ("any", word.setting)]
    if _HAS_ITS_PLACE.search(action.text):
        places = []
    elsewhere = [place for place in places if set(tokens(place.noun.text)).isdisjoint(tokens(action.text))]
    place = dice.pick(elsewhere or places) if places else None
    setting = place.setting if place else ("in" if action.setting == "any" else action.setting)
    times = {time: weight for time, weight in _USUAL[setting].items() if not theme.when or time in theme.when}
    time = dice.weighted(times or dict.fromkeys(theme.when, 1.0))
    kind = dice.weighted(KINDS)
    role = {"thing": "object", "outfit": "garment", "food": "food"}.get(kind, "")
    subjects = [word for word in words if word.role == role and word.theme in (theme.title, "") and word.setting in ("any", setting)]
    if (role and not subjects) or (kind == "view" and place is None):
        kind, subjects = "doing", []
    own_subjects = [word for word in subjects if word.theme]
    if own_subjects and dice.chance(0.8):
        subjects = own_subjects
    subject = least_used(subjects) if subjects else None
    for word in (action, subject):
        if word is not None:
            uses[word.text] = uses.get(word.text, 0) + 1
    where = f" {place_phrase(place)}" if place else ""
    if subject is not None:
        what = determined("a", subject.noun)
        text = f"{_LABEL[time]}: {what}{where}"
    elif kind == "view":
        text = f"{_LABEL[time]}: the view{where}"
    else:
        text = f"{_LABEL[time]}: {action.text}{where}"
    return Scenario(kind, theme.title, setting, time, action, place, subject, text)


def draw_scenarios(life: Life, words: tuple[Word, ...], dice: Dice) -> tuple[Scenario, ...]:
    """30 scenarios with 30 different descriptions, in random order."""
    uses: dict[str, int] = {}
    drawn: dict[str, Scenario] = {}
    for theme in dice.shuffled(_strands(life)):
        scenario = _draw(theme, words, uses, dice)
        while scenario.text in drawn:
            scenario = _draw(theme, words, uses, dice)
        drawn[scenario.text] = scenario
    return tuple(drawn.values())
