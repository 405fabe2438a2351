"""From an actor's name in a stage to the object that answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.errors import ModelError
from engine.metrics.definition import VpttDefinition


def model_ids(encoder: str, writers: tuple[str, ...]) -> dict[str, str]:
    """The id with revision of each model: part of every fingerprint. Raises ModelError if one is not installed."""
    from actors.models import resolve
    from actors.writer import TemplateWriter

    ids = {"encoder": resolve(encoder).id}
    for writer in writers:
        ids[f"writer:{writer}"] = TemplateWriter.id
    return ids


class ActorFactory:
    """Makes each actor once per process, on first use."""

    def __init__(self, encoder: str, models: Mapping[str, str], definition: VpttDefinition, *, threads: int = 1) -> None:
        self._makers: dict[str, Callable[[], Any]] = {
            "encoder": lambda: _encoder(encoder, models["encoder"], threads),
            "writer:template": _template_writer,
            "scorer": lambda: _scorer(definition),
        }
        self._made: dict[str, Any] = {}

    def __call__(self, name: str) -> Any:
        """The actor called `name`."""
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]


def _encoder(name: str, expected: str, threads: int) -> Any:
    from actors.encoder import SentenceEncoder

    encoder = SentenceEncoder(name, threads=threads)
    if encoder.id != expected:
        # A node with other weights would mix two metrics in one table.
        raise ModelError(f"The encoder here is {encoder.id}, the plan names {expected}.", remedy="Install the same weights on every node.")
    return encoder


def _template_writer() -> Any:
    from actors.writer import TemplateWriter

    return TemplateWriter()


def _scorer(definition: VpttDefinition) -> Any:
    from actors.scorer import VpttScorer

    return VpttScorer(definition)
