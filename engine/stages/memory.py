"""What is remembered of a person: embeddings of captions, of the elements in them, and of the reference summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.keys import Json
from engine.outcome import Failed, Outcome
from engine.prompting.retrieval import distinct_elements
from engine.records import Profile
from engine.stage import Stage, Unit
from engine.stages.encoding import Texts, encode_all
from engine.stages.people import People

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """Float32 embeddings: `captions` (m, d) in the profile's order, `elements` (e, d) in that of `distinct_elements`.

    `reference` (d,) is the embedding of `summary_ref`, None if there is none. `truncated` counts the texts that were longer than the
    encoder's limit.
    """

    captions: Vectors
    elements: Vectors
    reference: Vectors | None
    truncated: int


class Remember(Stage[Memory]):
    """Embeds a person once; every retrieval and every score reads this."""

    kind = "memory"
    version = 1
    per = "person"
    payload = pa.schema(
        [
            ("dimensions", pa.int32()),
            ("captions", pa.list_(pa.float32())),
            ("elements", pa.list_(pa.float32())),
            ("reference", pa.list_(pa.float32())),
            ("truncated", pa.int32()),
        ]
    )

    def __init__(self, people: People, encoder: str) -> None:
        self.inputs = (people,)
        self.actor = "encoder"
        self.encoder = encoder

    def parameters(self) -> Mapping[str, Json]:
        return {"encoder": self.encoder}

    def request(self, unit: Unit, *inputs: Any) -> Texts | Failed:
        profile: Profile = inputs[0]
        if not profile.captions:
            return Failed("no-captions", "The person has no captions, so there is nothing to compare with.")
        reference = (profile.summary_ref,) if profile.summary_ref else ()
        return (*reference, *(caption.text for caption in profile.captions), *distinct_elements(profile))

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        return encode_all(actor, requests)

    def value(self, unit: Unit, inputs: tuple[Any, ...], reply: Any) -> Memory | Failed:
        profile: Profile = inputs[0]
        vectors, truncated = reply.vectors, int(reply.truncated.sum())
        start = 1 if profile.summary_ref else 0
        stop = start + len(profile.captions)
        return Memory(vectors[start:stop], vectors[stop:], vectors[0] if start else None, truncated)

    def encode(self, value: Memory) -> dict[str, Any]:
        return {
            "dimensions": int(value.captions.shape[1]),
            "captions": value.captions.ravel(),
            "elements": value.elements.ravel(),
            "reference": value.reference,
            "truncated": value.truncated,
        }

    def decode(self, columns: dict[str, Any]) -> Memory:
        d = columns["dimensions"]
        return Memory(columns["captions"].reshape(-1, d), columns["elements"].reshape(-1, d), columns["reference"], columns["truncated"])
