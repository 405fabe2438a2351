"""From an encoder's name in an experiment to its id and to the object that encodes: a real model, or the stand-in beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from actors.encoder import Encoded, SentenceEncoder
from actors.models import TINY, resolve
from actors.static_encoder import StaticEncoder
from actors.tiny import TinyEncoder


class Encoder(Protocol):
    """What the stages ask of an encoder."""

    @property
    def id(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> Encoded: ...

    def close(self) -> None: ...


def encoder_id(name: str) -> str:
    """The id with revision of the encoder called `name`, without loading it. Raises ModelError."""
    return TinyEncoder.id if name == TINY else resolve(name).id


def make_encoder(name: str, *, threads: int = 1) -> Encoder:
    """The encoder called `name`, loaded. Raises ModelError."""
    if name == TINY:
        return TinyEncoder()
    files = resolve(name)
    return StaticEncoder(files) if files.static else SentenceEncoder(files, threads=threads)
