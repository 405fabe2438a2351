"""From an encoder's name in an experiment to its id and to the object that encodes: a real model, a server's, or the stand-in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from actors.encoder import Encoded, SentenceEncoder
from actors.endpoints import embeddings
from actors.models import TINY, ModelFiles, resolve
from actors.static_encoder import StaticEncoder
from actors.tiny import TinyEncoder


class Encoder(Protocol):
    """What the stages ask of an encoder."""

    @property
    def id(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> Encoded: ...

    def close(self) -> None: ...


def encoder_id(name: str) -> str:
    """The id with revision of the encoder called `name`, without loading it. Raises ModelError, ConfigError for an endpoint's name."""
    if embeddings.is_endpoint(name):
        embeddings.parsed(name)
        return name
    return TinyEncoder.id if name == TINY else _files(name).id


def make_encoder(name: str, *, threads: int = 1) -> Encoder:
    """The encoder called `name`, loaded. Raises ModelError; ConfigError for an endpoint that cannot be asked."""
    if name == TINY:
        return TinyEncoder()
    if embeddings.is_endpoint(name):
        return embeddings.EndpointEncoder(name)
    files = _files(name)
    return StaticEncoder(files) if files.kind == "static" else SentenceEncoder(files, threads=threads)


def _files(name: str) -> ModelFiles:
    return resolve(name).of_kind("checkpoint", "static")
