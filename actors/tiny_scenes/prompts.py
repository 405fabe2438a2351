"""Real assembled prompts to hold `tiny-scenes` against: built people, drawn queries, the template writer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from actors.encoder import SentenceEncoder
from actors.tiny_scenes.states import TEXT_ENCODER
from actors.writer import TemplateWriter
from engine.outcome import Answered
from engine.profiles.grammar.builder import build_profile
from engine.prompting.budget import PRESETS
from engine.prompting.methods import METHODS
from engine.prompting.retrieval import distinct_elements, retrieve
from engine.prompting.writing import request_for
from engine.queries.builtin import builtin_queries
from engine.queries.drawing import draw

TASKS = ("cultural-generation", "social-generation")
COMPARED = ("baseline", "persona", "vprag")


@dataclass(frozen=True, slots=True)
class Assembled:
    """What the methods wrote for one person's query: prompts by method."""

    person: str
    query: str
    prompts: dict[str, str]


def assembled_prompts(people: int, seed: int) -> list[Assembled]:
    """The prompts of `people` people, a query of each generation task each."""
    encoder = SentenceEncoder(TEXT_ENCODER)
    budget, writer = PRESETS["q3"], TemplateWriter()
    found = []
    for index in range(people):
        profile = build_profile(index, seed)
        captions, elements = (
            encoder.encode(texts).vectors.astype(np.float64)
            for texts in ([each.text for each in profile.captions], distinct_elements(profile))
        )
        for query in draw(builtin_queries(), profile.id, TASKS, 1, seed):
            vector = encoder.encode([query.text]).vectors[0].astype(np.float64)
            evidence = retrieve(profile, vector, captions, elements, budget.retrieval())
            written = writer.write([request_for(name, METHODS[name], profile, query, evidence, budget) for name in COMPARED])
            prompts = {name: each.value.prompt for name, each in zip(COMPARED, written, strict=True) if isinstance(each, Answered)}
            found.append(Assembled(profile.id, query.id, prompts))
    return found
