"""Concrete material in the affirmed clauses of a sentence: noun phrases, actions and favourites, as items for captions (VPTT, step 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.profiles.persona.english import branded, gerund, is_gerund, singular
from engine.profiles.persona.phrases import carried, noun_items, noun_phrase
from engine.profiles.persona.places import place_items
from engine.profiles.persona.topics import Item
from engine.profiles.persona.words import sections, stem, stemmed, words

_TAKES = re.compile(
    r"\b(?P<verb>has|have|owns?|drives?|collects?|wears?|wearing|buys?|uses?|restores?|repairs?|raises?|keeps?|grows?|eats?|drinks?|bought|got|"
    r"adopted|loves?|likes?|enjoys?|adores?|making|trying|watching|watch|listen to|listening to|"
    r"try|reads?|reading|bakes?|prefers?|builds?|makes?)\s+(?P<rest>.+)$"
)
_ABOUT = re.compile(
    r"\b(?:speciali[sz]\w+ in|interest(?:ed)? in|passion(?:ate)? (?:about|for)|experts? (?:in|on)|focus\w* on|fan of|fond of|experience in|"
    r"dedicated to|fascinated by|obsessed with|enthusiastic about|crazy about)\s+(?P<rest>.+)$"
)
_FAVOURITE = re.compile(r"\bmy (?:favou?rite|preferred|next|main)\s+(?P<kind>[\w' ]+?)\s+(?:is|are|was|were)\s+(?P<what>.+)$")
_FAVOURITE_LAST = re.compile(
    r"^(?P<what>.+?)\s+(?:is|are)\s+(?:one of )?my (?:favou?rite|preferred|passion|hobby|life)\b\s*(?P<kind>[\w' ]*)$"
)
_BAND = re.compile(r"\bthe band (?P<what>\w+(?: \w+)?)$")
_COLOURED = (
    "mug",
    "bucket",
    "kettle",
    "vase",
    "cushion",
    "balloon",
    "bicycle",
    "lamp",
    "door",
    "notebook",
    "umbrella",
    "candle",
    "chair",
    "kite",
)
_WORN = ("jumper", "raincoat", "scarf", "dress", "trainers", "beanie", "cardigan", "shirt", "gloves", "socks")
_PRINTED = ("poster", "sticker", "keyring", "mug", "badge", "flag", "fanzine", "magnet")
_HEARD = frozenset(sections("words.txt")["heard"].replace("_", " ").split("; "))


def items_in(clause: Sequence[str]) -> Iterator[Item]:
    """The items that a clause (lower-case words) names, the most telling first: at most three of its words each, with a carrier."""
    said = " ".join(clause)
    band = _BAND.search(said)
    if band:
        yield from _favourites("band", band["what"])
        return
    favourite = _FAVOURITE.search(said) or _FAVOURITE_LAST.search(said)
    if favourite:
        yield from _favourites(favourite["kind"], favourite["what"])
    yield from _actions(clause)
    if not favourite:  # "my favourite singer is John Denver" names no place
        yield from _taken(said)
        yield from place_items(said)


def fallback_items(clause: Sequence[str]) -> Iterator[Item]:
    """The clause's content words in carriers that suit any subject; nothing if the clause has no visible content."""
    plain = words("function") | words("hollow") | words("nonvisual") | words("when") | words("persons")
    if "name" in clause or "names" in clause:
        return
    kept = [word for word in clause if word not in plain and len(word) > 2 and not word.isdigit() and not word.endswith("ly")][-2:]
    if kept:
        yield from carried(" ".join(kept))


def relatives_in(clause: Sequence[str]) -> Iterator[Item]:
    """A picture of somebody who belongs to the person: "my brother", "my best friend"."""
    for own, person in pairwise(clause):
        if own in ("my", "our", "best") and stem(person) in stemmed("persons") and person != "boss":
            yield from noun_items(person, owned=True)


def _favourites(kind: str, what: str) -> Iterator[Item]:
    kinds = set(kind.split())
    if {"color", "colour", "colors", "colours"} & kinds:
        for colour in [word for word in what.split() if word in words("hues")][:2]:
            yield Item("colour", f"soft {colour}" if colour in ("grey", "gray") else f"bright {colour}")
            for thing in _COLOURED:
                yield Item("objects", f"{colour} {thing}")
            for piece in _WORN:
                yield Item("clothing", f"{colour} {piece}")
        return
    if kinds & words("famous"):
        name = _name(what)
        for carrier in _PRINTED:
            yield Item("objects", f"{name} {carrier}")
        yield Item("clothing", f"{name} T-shirt")
        return
    phrase = noun_phrase(what.split())
    if not phrase:
        return
    if kinds & words("edible"):
        yield from _served(phrase)
    elif stem(phrase.split()[-1]) in stemmed("animals"):
        yield from noun_items(phrase, owned=False)
    elif not phrase.split()[0].endswith("ing"):
        yield from carried(phrase)


def _name(what: str) -> str:
    """A title or name as posters print it: "The Who", "Mean Girls"."""
    name = re.split(r"\b(?:and i|and we|with|because)\b", what)[0].split()[:4]
    while len(name) > 1 and (name[0] in ("a", "an") or (name[0] == "the" and len(name) > 2)):
        name = name[1:]
    return " ".join(word.capitalize() for word in name)


def _served(phrase: str) -> Iterator[Item]:
    if re.fullmatch(r"\w+(?:an|ese|ish)|french|thai|greek", phrase):
        phrase = f"{phrase} food"
    if set(phrase.split()) & words("drinks"):
        carriers = ("cup of {}", "{} tin", "{} stain on paper")
    else:
        carriers = ("plate of {}", "{} recipe card", "{} takeaway menu")
    for carrier in carriers:
        yield Item("objects", carrier.format(branded(phrase if carrier.startswith(("cup", "plate")) else singular(phrase))))


def _actions(clause: Sequence[str]) -> Iterator[Item]:
    for i, word in enumerate(clause):
        before, after = clause[i - 1] if i else "", clause[i + 1 :]
        if word in words("verbs") and before in ("to", "i", "and", "also", "often", "always", "only", "can", "we", "l"):
            done_ing = gerund(word)
        elif word.endswith("s") and word[:-1] in words("verbs") and before in ("who", "and", "also", "often", "that"):
            done_ing = gerund(word[:-1])
        elif (
            is_gerund(word)
            and before not in ("a", "an", "the", "my", "his", "her")
            and (before in words("function") | words("hollow") or not before)
        ):
            done_ing = word
        else:
            continue
        done = _object(after, directed=done_ing == "listening")
        if done or (done_ing in words("alone") and after[:1] not in (("show",), ("shows",), ("business",), ("coach",))):
            yield Item("actions", branded(" ".join([done_ing, *done])))


def _object(after: Sequence[str], *, directed: bool) -> list[str]:
    """What is done by an action, at most three words and an article: "my bike", "board games", "to classical music"."""
    allowed = ("a", "an", "the", "my", "our", "to") if directed else ("a", "an", "the", "my", "our")
    done: list[str] = []
    for word in after:
        if word.isdigit() or (len(word) == 1 and word != "a"):
            continue
        if (
            (word in words("function") and not (word in allowed and len(done) < 2))
            or word in words("when")
            or len(done) - (done[:1] != [] and done[0] in allowed) == 3
        ):
            break
        done.append(word)
    while done and (done[-1] in words("function") or (done[-1] in words("hollow") and len(done) == 1)):
        done.pop()
    return done


def _taken(said: str) -> Iterator[Item]:
    about = _ABOUT.search(said)
    if about:
        for part in re.split(r"\band\b|\bor\b", about["rest"])[:3]:
            phrase = noun_phrase(part.split())
            yield from carried(phrase) if phrase else ()
        return
    match = _TAKES.search(said)
    if not match:
        return
    owned = match["verb"] not in _HEARD
    if match["rest"].startswith("to "):
        return
    for part in re.split(r"\band\b|\bor\b", match["rest"])[:3]:
        phrase = noun_phrase(part.split())
        if phrase:
            yield from noun_items(phrase, owned=owned)
