"""A persona sheet becomes a person: d and two summaries, E, scenarios, captions (VPTT, the four steps)."""

from __future__ import annotations

import random

from engine import keys
from engine.profiles.persona.composing import compose
from engine.profiles.persona.demography import demographics_of
from engine.profiles.persona.facets import understand
from engine.profiles.persona.sheet import PersonaSheet
from engine.profiles.persona.summaries import summaries_of
from engine.records import Profile

VERSION = "2"
"""Changes whenever the same sheet and seed give another person."""


def persona_id(sheet: PersonaSheet) -> str:
    """The person's id: the same for equal sheets, whatever the seed."""
    return f"persona-{sheet.key[:12]}"


def build_person(sheet: PersonaSheet, *, seed: int = 0, cluster: str = "") -> Profile:
    """The person of `sheet`, a function of the sheet's content and `seed` alone."""
    rng = random.Random(keys.seed_of("persona", VERSION, sheet.key, str(seed)))
    understood = understand(sheet, rng)
    demographics = demographics_of(understood)
    given, reference = summaries_of(demographics, understood)
    elements, captions = compose(understood, sheet.sentences, demographics.occupation, rng)
    return Profile(
        id=persona_id(sheet),
        demographics=demographics,
        summary_given=given,
        summary_ref=reference,
        elements=elements,
        captions=captions,
        cluster=cluster or persona_id(sheet),
        source=f"persona:{VERSION}:{seed}",
    )
