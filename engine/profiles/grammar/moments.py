"""What surrounds a moment without being an element: the hour, the weekday, a small number, the company."""

from __future__ import annotations

from engine.profiles.grammar.demographics import Life
from engine.profiles.grammar.dice import Dice
from engine.profiles.grammar.english import Noun, noun
from engine.profiles.grammar.words import nouns, pool


def _company(life: Life, dice: Dice) -> Noun:
    """A companion who suits the person's age; about half have a name."""
    if dice.chance(0.65):
        return Noun(dice.pick(pool("company.txt", "named")).replace("{}", life.circle[0] if dice.chance(0.7) else dice.pick(life.circle)))
    kin = pool("company.txt", "young" if life.young else "old")
    return noun(dice.pick(kin)) if dice.chance(0.35) else dice.pick(nouns("company.txt", "any"))


def moment_slots(life: Life, time: str, dice: Dice) -> dict[str, Noun]:
    """The slots that every moment fills: clock, time, day, n, who."""
    return {
        "clock": Noun(dice.pick(pool("moments.txt", "clock", time))),
        "time": Noun(dice.pick(pool("moments.txt", "time", time))),
        "day": Noun(dice.pick(pool("moments.txt", "day"))),
        "n": Noun(dice.pick(pool("moments.txt", "n"))),
        "who": _company(life, dice),
    }
