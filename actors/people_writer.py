"""A language model that writes people: each request is one step of one person, and its rounds of repair are made here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actors.by_chat import ByChat
from engine.generation.chat import ChatModel, Sampling
from engine.outcome import Outcome
from engine.profiles.model.asking import StepRequest
from engine.profiles.model.draft import Draft, Made


class PeopleWriter(ByChat):
    """Usable without Ray: construct with a model, `write`, close. All calls of a round go to the model as one batch."""

    def __init__(self, model: ChatModel, sampling: Sampling) -> None:
        super().__init__(model)
        self._sampling = sampling

    def write(self, requests: Sequence[StepRequest]) -> list[Outcome[Made[Any]]]:
        """One outcome a request, in order: made, or why not. Raises what the model raises."""
        drafts = [(request, Draft(request.step, request.repairs)) for request in requests]
        while asks := [(request, draft, ask) for request, draft in drafts for ask in draft.asks()]:
            outcomes = self._model.chat([request.call(ask, self._sampling) for request, _, ask in asks])
            for (_, draft, ask), outcome in zip(asks, outcomes, strict=True):
                draft.take(ask, outcome)
        return [draft.outcome() for _, draft in drafts]
