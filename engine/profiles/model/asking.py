"""A step for one person as the actor gets it, and its calls to the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.generation.chat import ChatRequest, Sampling
from engine.keys import content_key, seed_of
from engine.profiles.model.draft import Ask, Step


@dataclass(frozen=True, slots=True)
class StepRequest:
    """`key` is the person's, `stage` the fingerprint of the step's stage: both seed the draws."""

    key: str
    stage: str
    step: Step[Any]
    repairs: int

    def call(self, ask: Ask, sampling: Sampling) -> ChatRequest:
        """One call of a round. How long an answer may be is the step's matter, not the writer's: cut JSON is none."""
        names = (self.key, self.stage, ask.part.name, str(ask.round))
        return ChatRequest(
            content_key(list(names)),
            ask.messages,
            replace(sampling, max_tokens=ask.room, n=1),
            seed_of(*names),
            ask.schema,
            prefix=f"{self.stage} {self.key}",
        )
