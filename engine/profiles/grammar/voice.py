"""How a person writes: length, remarks, case and tags stay the same over their posts."""

from __future__ import annotations

from dataclasses import dataclass

from engine.profiles.grammar.dice import Dice
from engine.profiles.grammar.words import pool


@dataclass(frozen=True, slots=True)
class Voice:
    """Habits of writing: the usual number of elements, how often a remark closes a post, lower case, tags."""

    elements: float
    remark: float
    lower_case: bool
    tags: tuple[str, ...]


def draw_voice(dice: Dice) -> Voice:
    """Draw one voice."""
    return Voice(
        elements=2.0 + 1.6 * dice.below(1000) / 1000,
        remark=0.1 + 0.4 * dice.below(1000) / 1000,
        lower_case=dice.chance(0.1),
        tags=tuple(dice.some(pool("hashtags.txt", "any"), 4)) if dice.chance(0.22) else (),
    )


def _keeps_capital(sentence: str) -> bool:
    """A lower-case writer still writes I, and names keep their capital (they come first only as companions)."""
    first = sentence.split(" ", 1)[0].strip(",.'")
    return first == "I" or not first.isascii() or first in pool("moments.txt", "day")


def voiced(sentences: list[str], voice: Voice, dice: Dice) -> str:
    """The sentences as this person posts them."""
    if voice.lower_case:
        sentences = [text if _keeps_capital(text) else text[:1].lower() + text[1:] for text in sentences]
    text = " ".join(sentences)
    if voice.tags and dice.chance(0.5):
        text += " " + " ".join(f"#{tag}" for tag in dice.some(voice.tags, 1 + dice.below(2)))
    return text
