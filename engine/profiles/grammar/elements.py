"""Step 2: a life becomes E, atomic visual words by category, each with the hidden facets that keep a caption possible (VPTT).

Words come from the person's themes and from general pools; most are personal combinations (quality + material + noun), so that few are
shared between people. Colours and light are the shared vocabulary of the corpus.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.profiles.grammar.demographics import Life
from engine.profiles.grammar.dice import Dice
from engine.profiles.grammar.english import Noun, Number, noun
from engine.profiles.grammar.words import TIMES, Place, Theme, nouns, pool
from engine.records import Element
from engine.tokens import tokens

MAX_TOKENS = 6
_MATERIAL_CLASSES = ("metal", "wood", "cloth", "ceramic", "glass", "paper", "leather", "fibre", "plastic", "stone")
_CATEGORY = {
    "light": "lighting",
    "material": "materials",
    "place": "environment",
    "home": "environment",
    "plant": "environment",
    "animal": "objects",
    "object": "objects",
    "food": "objects",
    "drink": "objects",
    "action": "actions",
    "pose": "actions",
    "garment": "clothing",
    "hair": "clothing",
    "body": "clothing",
    "colour": "colour",
    "composition": "composition",
}


@dataclass(frozen=True, slots=True)
class Word:
    """An element with its facets: what it can be in a sentence, where, when and in which strand of the person's life."""

    role: str
    noun: Noun
    theme: str = ""
    setting: str = "any"
    time: str = ""
    preposition: str = ""
    determiner: str = ""

    @property
    def text(self) -> str:
        return self.noun.text

    @property
    def element(self) -> Element:
        return Element(_CATEGORY[self.role], self.noun.text)


def _joined(quality: str, thing: Noun) -> Noun:
    """The quality before the noun, or the noun alone where that would exceed the limit or say the same word twice."""
    text = f"{quality} {thing.text}"
    parts = tokens(text)
    if len(parts) > MAX_TOKENS or len(set(parts)) < len(parts):
        return thing
    return Noun(text, thing.number)


def _qualified(dice: Dice, thing: Noun, qualities: str, p: float) -> Noun:
    return _joined(dice.pick(pool("qualities.txt", qualities)), thing) if dice.chance(p) else thing


_QUALITIES = {"object": "thing", "food": "food", "plant": "plant", "animal": "living", "garment": "garment", "material": "substance"}


_BESIDE = frozenset({"above", "behind", "below", "beneath", "beside", "by", "near", "opposite", "under"})

# What belongs to a culture is spoken of with affection, and its dress and materials without comment.
_FOND = {"object": "fond.thing", "food": "food", "plant": "plant"}


def _theme_words(dice: Dice, theme: Theme, *, actions: int, places: int, counts: dict[str, int], habit: bool) -> list[Word]:
    words = []
    fond = "home" in theme.facts
    # Two actions of a theme always stay out, so that people of one strand differ.
    for setting, action in dice.some(theme.actions, min(actions, len(theme.actions) - 2)):
        phrase = action
        if dice.chance(0.5 if habit else 0.25):
            phrase = _with_manner(dice, action)
        words.append(Word("action", Noun(phrase), theme.title, setting))
    settings = {word.setting for word in words} - {"any"}
    chosen = [dice.pick([place for place in theme.places if place[0] == setting]) for setting in sorted(settings)]
    rest = [place for place in theme.places if place not in chosen]
    chosen += dice.some(rest, max(0, places - len(chosen)))
    for setting, place in chosen:
        spot = Noun(place.noun)
        if place.determiner:
            spot = _qualified(dice, spot, _place_quality(place, setting, fond), 1.0 if habit else 0.7)
        words.append(Word("place", spot, theme.title, setting, preposition=place.preposition, determiner=place.determiner))
    for role, count in counts.items():
        for thing in dice.some(theme.nouns.get(role, ()), count):
            quality = (_FOND if fond else _QUALITIES).get(role)
            p = 0.45 if habit else 0.25 if role == "material" else 0.45
            described = thing
            if quality and dice.chance(p):
                described = _joined(dice.pick(pool("qualities.txt", quality, _worn(thing) if role == "garment" else "any")), thing)
            words.append(Word(_refined(role, thing), described, theme.title))
    return words


def _worn(garment: Noun) -> str:
    """Which qualities suit a garment: shoes are never unironed, a hard hat is never paisley."""
    for kind, qualities in (("footwear", "shoe"), ("smallwear", "small")):
        if garment.text.endswith(pool("qualities.txt", "garment", kind)):
            return qualities
    return "any"


def _place_quality(place: Place, setting: str, fond: bool) -> str:
    """One is *in* a hushed room, but *by* a sturdy radiator: what one stands beside is a thing."""
    if fond:
        return "fond.place"
    beside = place.preposition in _BESIDE or (place.preposition == "at" and setting == "in")
    return "place.beside" if beside else f"place.{setting}"


def _refined(role: str, thing: Noun) -> str:
    """Dishes that are drunk and looks that are not worn have roles of their own, since their sentences differ."""
    if role == "food" and thing.text.endswith(pool("drinks.txt", "drink")):
        return "drink"
    return "body" if role == "garment" and thing.text.endswith(pool("bodies.txt", "body")) else role


def _with_manner(dice: Dice, action: str) -> str:
    manner = dice.pick(pool("manners.txt", "manner"))
    phrase = action if manner.split()[0] in action.split() else f"{action} {manner}"
    return phrase if len(tokens(phrase)) <= MAX_TOKENS else action


def _made_object(dice: Dice) -> Noun:
    """A thing of some material: "battered copper kettle", "slate owl"."""
    kind = dice.pick(_MATERIAL_CLASSES)
    thing = dice.pick(nouns("things.txt", kind))
    made = _joined(dice.pick(pool("qualities.txt", "material", kind)), thing)
    return _qualified(dice, made, "thing", 0.3)


def _material(dice: Dice) -> Noun:
    kind = dice.pick(_MATERIAL_CLASSES)
    material = Noun(dice.pick(pool("qualities.txt", "material", kind)), Number.MASS)
    return _joined(dice.pick(pool("qualities.txt", f"treat.{kind}")), material)


def _garment(dice: Dice, climate: str) -> tuple[Noun, str]:
    """A garment and its setting: outer layers stay out of doors."""
    kind = dice.weighted({"any": 0.5, "outer": 0.14, "head": 0.12, "foot": 0.12, "extra": 0.12})
    thing = dice.pick(nouns("things.txt", "garment", kind))
    if kind == "foot":
        thing = _joined(dice.pick(pool("qualities.txt", "garment", "shoe")), thing)
    elif kind in ("any", "outer"):
        fits = ["fit.any", "fit.light"] if kind == "any" else ["fit.any"]
        if climate in ("cold", "temperate", "mountain"):
            fits.append("fit.warm")
        thing = _joined(dice.pick(pool("qualities.txt", "garment", dice.pick(fits))), thing)
    worn = "small" if kind in ("head", "extra") else "any"
    if kind != "foot" and dice.chance(0.6):
        quality = dice.pick(pool("colours.txt", "plain")) if dice.chance(0.4) else dice.pick(pool("qualities.txt", "garment", worn))
        thing = _joined(quality, thing)
    return thing, "out" if kind == "outer" else "any"


def _light(dice: Dice, time: str, setting: str) -> Noun:
    source = dice.pick(nouns("light.txt", f"{time}.{setting}"))
    natural = time in ("dawn", "day", "dusk") and "strip" not in source.text and "lamp" not in source.text
    return _joined(dice.pick(pool("light.txt", "natural" if natural else "artificial")), source)


def _composition(dice: Dice) -> Noun:
    kind = dice.pick(pool("camera.txt", "kind"))
    mass = kind in pool("camera.txt", "kind", "mass")
    shot = _joined(dice.pick(pool("camera.txt", "quality")), Noun(kind, Number.MASS if mass else Number.ONE))
    if not dice.chance(0.4):
        return shot
    longer = Noun(f"{shot.text} {dice.pick(pool('camera.txt', 'tail'))}", shot.number)
    return longer if len(tokens(longer.text)) <= MAX_TOKENS else shot


def _general_words(dice: Dice, life: Life) -> list[Word]:
    words = [Word("object", _made_object(dice)) for _ in range(2)]
    words += [Word("material", _material(dice)) for _ in range(2)]
    words += [Word("garment", piece, setting=setting) for piece, setting in (_garment(dice, life.climate) for _ in range(2))]
    for dish in dice.some(nouns("things.txt", "food"), 2):
        words.append(Word(_refined("food", dish), _qualified(dice, dish, "food", 1.0)))
    plants = nouns("things.txt", f"plant.{life.climate}")
    words += [Word("plant", _qualified(dice, plant, "plant", 1.0), setting="out") for plant in dice.some(plants, 2)]
    animal = dice.pick(nouns("things.txt", "animal"))
    indoors = animal.text.endswith(("cat", "terrier", "spaniel", "whippet", "mongrel", "dachshund", "sheepdog"))
    words.append(Word("animal", _qualified(dice, animal, "living", 1.0), setting="any" if indoors else "out"))
    words += [Word("light", _light(dice, time, setting), setting=setting, time=time) for time in TIMES for setting in ("in", "out")]
    for _ in range(3):
        colour = dice.pick(pool("colours.txt", "plain"))
        words.append(Word("colour", _joined(dice.pick(pool("colours.txt", "tone")), Noun(colour)) if dice.chance(0.4) else Noun(colour)))
    words += [Word("composition", _composition(dice)) for _ in range(4)]
    for setting in ("in", "out"):
        stance, thing = dice.pick(pool("poses.txt", "on")), dice.pick(pool("things.txt", "furniture", setting))
        words.append(Word("pose", Noun(f"{stance} the {thing}"), setting=setting))
    hair = _joined(dice.pick(pool("qualities.txt", "hair", "look")), noun(dice.pick(pool("qualities.txt", "hair", "style"))))
    words.append(Word("hair", hair))
    if dice.chance(0.2):
        words.append(Word("body", noun(dice.pick(pool("qualities.txt", "hair", "skin")))))
    return words


def draw_elements(life: Life, dice: Dice) -> tuple[Word, ...]:
    """E with facets, no text twice, all eight categories covered, in the order in which it was drawn."""
    counts = {"object": 2, "material": 1, "garment": 1, "food": 1, "plant": 1, "animal": 1}
    words = _theme_words(dice, life.occupation, actions=4, places=2, counts=counts, habit=False)
    words += _theme_words(dice, life.culture, actions=4, places=2, counts=counts | {"food": 2}, habit=False)
    for rank, interest in enumerate(life.interests):
        first = rank == 0
        richer = counts | {"object": 4, "material": 1} if first else counts
        words += _theme_words(dice, interest, actions=6 if first else 3, places=3 if first else 2, counts=richer, habit=False)
    for habit in life.habits:
        words += _theme_words(dice, habit, actions=2, places=2, counts={"object": 2, "food": 1}, habit=True)
    words += _general_words(dice, life)
    words.append(Word("home", Noun(life.culture.facts["home"].removeprefix("the "))))
    distinct: dict[str, Word] = {}
    for word in words:
        distinct.setdefault(word.text, word)
    return tuple(distinct.values())
