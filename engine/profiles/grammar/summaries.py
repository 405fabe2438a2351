"""Step 1, second half: two independently worded summaries of d that share no 4-gram of tokens (METRICS, PA)."""

from __future__ import annotations

from engine.profiles.articles import indefinite
from engine.profiles.grammar.demographics import Life
from engine.profiles.grammar.dice import Dice
from engine.profiles.grammar.english import capitalise
from engine.profiles.grammar.words import lines, read_blocks
from engine.tokens import tokens

SHARED_N = 4


def _grams(text: str) -> set[tuple[str, ...]]:
    words = tokens(text)
    return {tuple(words[i : i + SHARED_N]) for i in range(len(words) - SHARED_N + 1)}


def share_a_gram(one: str, other: str) -> bool:
    """True if the two texts share a run of four tokens."""
    return not _grams(one).isdisjoint(_grams(other))


def _fields(life: Life) -> dict[str, str]:
    occupation, culture, region = life.occupation.title, life.culture.title, life.culture.facts["region"]
    age = read_blocks("ages.txt")["reference"][life.age_band]
    region = f"the {region}" if region in ("Caribbean", "Caucasus", "Middle East") else region
    fields = {
        "age": "75 or over" if life.age_band == "75+" else life.age_band.replace("-", " to "),
        "occupation": occupation,
        "a_occupation": f"{indefinite(occupation)} {occupation}",
        "A_occupation": capitalise(f"{indefinite(occupation)} {occupation}"),
        "culture": culture,
        "a_culture": f"{indefinite(culture)} {culture}",
        "A_culture": capitalise(f"{indefinite(culture)} {culture}"),
        "region": region,
        "home": life.culture.facts["home"],
        "occupation_ref": life.occupation.alt,
        "age_ref": age,
        "Age_ref": capitalise(age),
    }
    for slot, interest in zip(("one", "two", "three"), life.interests, strict=True):
        fields[slot] = interest.title
        fields[slot + "_ref"] = interest.alt
    return fields


def summarise(life: Life, dice: Dice) -> tuple[str, str]:
    """`(summary_given, summary_ref)`: other template, other field order, other words; a pair with a shared 4-gram is drawn again."""
    fields = _fields(life)
    given = [template.format_map(fields) for template in dice.shuffled(lines("summaries.txt")["given"])]
    reference = [template.format_map(fields) for template in dice.shuffled(lines("summaries.txt")["ref"])]
    for one in given:
        for other in reference:
            if not share_a_gram(one, other):
                return one, other
    raise AssertionError("the two families of summary templates must differ in wording")
