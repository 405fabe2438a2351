"""Embeddings of prompts: kept apart from the scores, so that re-scoring needs no encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from engine.keys import Json
from engine.outcome import Outcome
from engine.stage import Stage, Unit
from engine.stages.encoding import Embedded, Texts, encode_all
from engine.stages.prompt import Prompt


class EmbedPrompt(Stage[Embedded]):
    """One row a prompt: `vectors` (1, d)."""

    kind = "embedding"
    version = 1
    payload = pa.schema([("vector", pa.list_(pa.float32())), ("truncated", pa.bool_())])

    def __init__(self, prompt: Prompt, encoder: str) -> None:
        self.inputs = (prompt,)
        self.per = prompt.per
        self.actor = "encoder"
        self.prompt, self.encoder = prompt, encoder

    @property
    def name(self) -> str:
        return self.prompt.name.replace(self.prompt.kind, self.kind, 1)

    def takes(self, unit: Unit) -> bool:
        return self.prompt.takes(unit)

    def parameters(self) -> Mapping[str, Json]:
        return {"encoder": self.encoder}

    def request(self, unit: Unit, *inputs: Any) -> Texts:
        return (inputs[0].prompt,)

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        return encode_all(actor, requests)

    def encode(self, value: Embedded) -> dict[str, Any]:
        return {"vector": value.vectors[0], "truncated": bool(value.truncated[0])}

    def decode(self, columns: dict[str, Any]) -> Embedded:
        return Embedded(columns["vector"][None, :], np.array([columns["truncated"]]))
