"""Step 1 of deferred rendering, first half: a seed becomes demographics d and the strands of a life (VPTT).

Age, culture and occupation are independent and even by design: each goes round its own shuffled circle, and since the circles' lengths
share no factor, every combination comes once before any comes twice. Anyone may do anything. Interests are drawn from all that the climate
of the person's home allows (nobody surfs on a steppe), which is the only rule that ties two fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from engine.profiles.grammar.dice import Dice
from engine.profiles.grammar.words import Theme, themes
from engine.records import Demographics

AGE_BANDS = ("18-24", "25-34", "35-44", "45-54", "55-64", "65-74", "75+")
INTERESTS = 3
HABITS = 2


@dataclass(frozen=True, slots=True)
class Life:
    """The person behind d: the themes that the later steps draw words from."""

    age_band: str
    culture: Theme
    occupation: Theme
    interests: tuple[Theme, ...]
    habits: tuple[Theme, ...]
    circle: tuple[str, ...]
    """Given names of people around this person."""

    @property
    def climate(self) -> str:
        return self.culture.facts["climate"]

    @property
    def young(self) -> bool:
        return self.age_band in AGE_BANDS[:3]

    @property
    def demographics(self) -> Demographics:
        return Demographics(
            age_band=self.age_band,
            region=self.culture.facts["region"],
            culture=self.culture.title,
            occupation=self.occupation.title,
            interests=tuple(interest.title for interest in self.interests),
        )


@cache
def _circles(seed: int) -> tuple[tuple[str, ...], tuple[Theme, ...], tuple[Theme, ...]]:
    """Ages, cultures and occupations, each in an order of the seed's own."""
    dice = Dice("grammar circles", str(seed))
    return tuple(dice.shuffled(AGE_BANDS)), tuple(dice.shuffled(themes("cultures"))), tuple(dice.shuffled(themes("occupations")))


def draw_life(index: int, seed: int, dice: Dice) -> Life:
    """The life of person `index` of `seed`; what no circle decides comes from `dice`."""
    ages, cultures, occupations = _circles(seed)
    culture = cultures[index % len(cultures)]
    climate = culture.facts["climate"]
    possible = [theme for theme in themes("interests") if climate in theme.climates]
    habits = [theme for theme in themes("daily") if climate in theme.climates]
    own_names = culture.facts["names"].split(", ")
    guest_names = dice.pick(themes("cultures")).facts["names"].split(", ")
    return Life(
        age_band=ages[index % len(ages)],
        culture=culture,
        occupation=occupations[index % len(occupations)],
        interests=tuple(dice.some(possible, INTERESTS)),
        habits=tuple(dice.some(habits, HABITS)),
        circle=(*dice.some(own_names, 2), dice.pick(guest_names)),
    )
