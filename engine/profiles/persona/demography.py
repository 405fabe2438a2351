"""d of a persona sheet: only what the sheet says, as it says it; everything else stays empty (VPTT, step 1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from engine.profiles.persona.facets import Understanding, permitted
from engine.profiles.persona.places import place_in
from engine.profiles.persona.words import sections, words
from engine.records import Demographics

_NUMBERS = {word: number for number, word in enumerate(sections("words.txt")["numbers"].split(), start=1)}
_NUMBERS |= {word: 10 * number for number, word in enumerate(sections("words.txt")["tens"].split(), start=1)}
_DECADES = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80}
_WORDED = {
    "teenager": "teens",
    "teenage": "teens",
    "in high school": "teens",
    "young adult": "young adult",
    "old man": "older adult",
    "old woman": "older adult",
    "elderly": "older adult",
    "little girl": "child",
    "little boy": "child",
    "third grade": "child",
    "middle school": "child",
}
_WORKS = re.compile(
    r"\b(?:i am|i'm|am|i work as|work as|working as|employed as|i became)\s+(?:also |currently |now |just )*(?:an?|the)\s+(?P<rest>.+)$"
)
_ROLE = re.compile(r"^(?:an?|the)\s+(?P<rest>.+)$")  # "A clockmaker who ...", as PersonaHub writes
_NOT_YET = re.compile(r"\b(?:want|hope|hoping|studying|school|used|aspiring|wish|love|married) (?:to|for)\b")
_TRADE = re.compile(r"(?<!moth)(?<!fath)(?<!lov)(?<!teenag)(?<!memb)(?:er|or|ist|ian|eer|ant|smith|keeper)$")
_INTERESTS = 6


def demographics_of(understood: Understanding) -> Demographics:
    """Age band, region, culture, occupation and interests, where the sheet's affirmed clauses say them of the person."""
    said = [" ".join(clause) for clause in understood.clauses]
    age, region, culture, occupation = (_first(reader, said, understood.rejected) for reader in (_age, _region, _culture, _occupation))
    labels = dict.fromkeys(label for facet in understood.facets for label in facet.labels)
    interests = tuple(label for label in labels if label != region and label not in occupation)[:_INTERESTS]
    return Demographics(age, region, culture, occupation, interests)


def _first(reader: Callable[[str], str], said: Sequence[str], rejected: frozenset[str]) -> str:
    return next((found for clause in said if (found := reader(clause)) and permitted(found, rejected)), "")


def _age(clause: str) -> str:
    if not re.match(r"(?:(?:hey|hello|there|hi|whats|up|now) )*(?:i|i'm|am|my age)\b", clause):
        return ""
    years = re.search(r"\b(\d{1,3})(?: years?| yr)s? old\b|\b(?:i am|i'm|turned) (\d{1,3})\b", clause)
    if years:
        return _band(int(years[1] or years[2]))
    number = re.search(r"\b((?:\w+ )?\w+) years? old\b", clause)
    spelled = _number(number[1].split()) if number else 0
    decade = next((low for word, low in _DECADES.items() if re.search(rf"\bin my (?:early |late |mid )?{word}\b", clause)), 0)
    if spelled or decade:
        return _band(spelled or decade)
    return next((band for phrase, band in _WORDED.items() if re.search(rf"\b{phrase}\b", clause) and "teacher" not in clause), "")


def _number(spelled: Sequence[str]) -> int:
    return sum(_NUMBERS.get(word, 0) for word in spelled)


def _band(age: int) -> str:
    if age < 13:
        return "child"
    if age < 20:
        return "teens"
    return f"{age // 10 * 10}s" if age < 80 else "80 or older"


def _region(clause: str) -> str:
    home = re.search(r"\b(?:live|living|from|born|raised|grew|moved|reside)\b.*", clause)
    theirs = clause.startswith(("my ", "both ", "his ", "her ", "they "))
    return place_in(home[0]) if home and not theirs else ""


def _culture(clause: str) -> str:
    if not re.search(r"\b(?:i|i'm|we|am)\b", clause):
        return ""
    for phrase, shown in _cultures():
        if re.search(rf"\b(?:am|i'm|faith|identify|of)\b.*\b{' '.join(phrase)}\b", clause):
            return shown
    return ""


def _occupation(clause: str) -> str:
    match, role = _WORKS.search(clause), _ROLE.match(clause)
    found = match or role
    if not found or _NOT_YET.search(clause[: found.start("rest")]):
        return ""
    named = found["rest"].split()[:5]
    stop = next((i for i, word in enumerate(named) if word in words("joining")), len(named))
    known = [i for i in range(stop) if named[i] in words("occupations") or (not match and i == stop - 1 and _TRADE.search(named[i]))]
    kept = named[: known[-1] + 1] if known else []
    while kept and kept[0] in words("hollow") | words("describing"):
        kept = kept[1:]
    return " ".join(kept)


def _cultures() -> list[tuple[tuple[str, ...], str]]:
    """Words of a sheet that name a culture or faith, and how d spells it."""
    pairs = (entry.split("=") for entry in sections("words.txt")["cultures"].split(";"))
    return [(tuple(said.strip().split("_")), shown.strip()) for said, shown in pairs]
