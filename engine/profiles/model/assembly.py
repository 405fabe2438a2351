"""The answers of the four steps as one Profile, under the same checks as any imported person."""

from __future__ import annotations

from dataclasses import asdict

from engine.profiles.model.persona import Sketch
from engine.profiles.model.seeds import PersonaSeed
from engine.profiles.validation import BadRow, check_row
from engine.records import Caption, Element, Profile

VERSION = "1"
KIND = "llm"
"""Begins the `source` of these people."""


def assemble(
    seed: PersonaSeed, sketch: Sketch, elements: tuple[Element, ...], captions: tuple[Caption, ...], *, writer: str, model: str
) -> Profile | BadRow:
    """The person, or what is wrong with it. `writer` names who wrote, in the id; `model` is its id with revision, in the source."""
    row = {
        "id": f"{writer}-{seed.id}",
        "demographics": {**asdict(sketch.demographics), "interests": list(sketch.demographics.interests)},
        "summary_given": sketch.summary_given,
        "summary_ref": sketch.summary_ref,
        "elements": [asdict(element) for element in elements],
        "captions": [{**asdict(caption), "elements": [asdict(element) for element in caption.elements]} for caption in captions],
        "cluster": f"{writer}-{seed.cluster}",
        "source": f"{KIND}:{VERSION}:{model}",
    }
    return check_row(row, 0)
