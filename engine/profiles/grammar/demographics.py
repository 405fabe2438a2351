"""Step 1 of deferred rendering, first half: a seed becomes demographics d and the strands of a life (VPTT).

Age, culture and occupation are drawn independently and evenly: anyone may do anything. Interests are drawn from all that the climate of
the person's home allows (nobody surfs on a steppe), which is the only rule that ties two fields.
"""

from __future__ import annotations

from dataclasses import dataclass

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


def draw_life(dice: Dice) -> Life:
    """Draw one life."""
    cultures = themes("cultures")
    culture = dice.pick(cultures)
    climate = culture.facts["climate"]
    possible = [theme for theme in themes("interests") if climate in theme.climates]
    habits = [theme for theme in themes("daily") if climate in theme.climates]
    own_names = culture.facts["names"].split(", ")
    guest_names = dice.pick(cultures).facts["names"].split(", ")
    return Life(
        age_band=dice.pick(AGE_BANDS),
        culture=culture,
        occupation=dice.pick(themes("occupations")),
        interests=tuple(dice.some(possible, INTERESTS)),
        habits=tuple(dice.some(habits, HABITS)),
        circle=(*dice.some(own_names, 2), dice.pick(guest_names)),
    )
