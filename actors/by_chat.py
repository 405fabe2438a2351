"""What all who ask a language model have in common: what it has spent, its signs of life, and letting go of it."""

from __future__ import annotations

from engine.generation.chat import ChatModel, Spent


class ByChat:
    """Asks one model; `id` names it, the model's own if left out."""

    def __init__(self, model: ChatModel, id: str = "") -> None:
        self.id = id or model.id
        self._model = model

    @property
    def spent(self) -> Spent:
        """What the model has used so far."""
        return self._model.spent

    @property
    def progress(self) -> int:
        """Replies so far: a sign of life during a long call."""
        return self._model.spent.calls

    @property
    def patient(self) -> bool:
        """Whether its calls wait on a server on purpose, within bounds of their own."""
        return bool(getattr(self._model, "patient", False))

    def close(self) -> None:
        """Let go of the model."""
        self._model.close()
