"""Embeddings of prompts without the words of the summary: what of a person is found in them beyond it (METRICS, Re-identification)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.keys import Json
from engine.prompting.masking import MASK_RULE, masked
from engine.prompting.view import View
from engine.stage import Read, Unit
from engine.stages.embedding import EmbedPrompt
from engine.stages.encoding import Embedded, Texts
from engine.stages.people import People


class EmbedMasked(EmbedPrompt):
    """One row a prompt, for a share of the people."""

    kind = "masked"
    version = 1

    def __init__(self, people: People, embedding: EmbedPrompt, share: float) -> None:
        super().__init__(embedding.prompt, embedding.encoder)
        self.people, self.share = people, View(halves=True, share=share)
        self.inputs = (people, embedding.prompt)

    def takes(self, unit: Unit) -> bool:
        return self.share.takes(unit) and super().takes(unit)

    def parameters(self) -> Mapping[str, Json]:
        return {**super().parameters(), "rule": MASK_RULE, "view": self.share.recipe()}

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        return (Read(self.people, unit.subject), Read(self.prompt, self.prompt.row_key(unit)))

    def request(self, unit: Unit, *inputs: Any) -> Texts:
        profile, written = inputs
        return (masked(written.prompt, profile.summary_given),)

    def value(self, unit: Unit, inputs: tuple[Any, ...], reply: Any) -> Embedded:
        profile, written = inputs
        if masked(written.prompt, profile.summary_given):
            return Embedded(reply.vectors, reply.truncated)
        # An encoder gives a direction to nothing at all, too; what is left of this prompt has none, so it finds people by chance.
        return Embedded(np.zeros_like(reply.vectors), reply.truncated)
