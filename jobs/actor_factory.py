"""From an actor's name in a stage to the object that answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.errors import ModelError
from engine.metrics.definition import VpttDefinition
from jobs.workflow import Actors


def model_ids(encoder: str, writers: tuple[str, ...]) -> dict[str, str]:
    """The id with revision of each model: part of every fingerprint. Raises ModelError if one is not installed."""
    from actors.encoders import encoder_id
    from actors.writer import TemplateWriter

    ids = {"encoder": encoder_id(encoder)}
    for writer in writers:
        ids[f"writer:{writer}"] = TemplateWriter.id
    return ids


def actor_maker(encoder: str, models: Mapping[str, str], definition: VpttDefinition, *, threads: int = 1) -> Actors:
    """Makes a new actor by name: "encoder", "writer:<name>", "scorer"."""
    makers: dict[str, Callable[[], Any]] = {
        "encoder": lambda: _encoder(encoder, models["encoder"], threads),
        "writer:template": _template_writer,
        "scorer": lambda: _scorer(definition),
    }
    return lambda name: makers[name]()


def _encoder(name: str, expected: str, threads: int) -> Any:
    from actors.encoders import make_encoder

    encoder = make_encoder(name, threads=threads)
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
