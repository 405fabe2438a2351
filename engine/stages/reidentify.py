"""Does a prompt find its own person among others? Each half's prompt is searched for among the other half of everyone's captions.

This reads the memory of all people, so it runs when that of every shard is there, over one index of it (METRICS, Re-identification).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import pyarrow as pa

from engine.keys import Json
from engine.metrics import held_out
from engine.metrics.reidentification import BEST, HARD_SIZE, RULE
from engine.metrics.search import SIZES, Found, Search
from engine.outcome import Outcome
from engine.prompting.view import OTHER
from engine.stage import Read, Stage, Unit
from engine.stages.cross import HALVES, CrossFit
from engine.stages.masked import EmbedMasked


class Reidentify(Stage[Found]):
    """One row a person and query, for a share of the people. `gallery` names the people of the run: among others, the same prompt ranks
    otherwise."""

    kind = "reid"
    version = 2
    per = "task"
    payload = pa.schema([pa.field(f.name, pa.int32() if f.name.startswith("size_") else pa.float64()) for f in fields(Found)])

    def __init__(self, cross: CrossFit, masked: EmbedMasked, gallery: str) -> None:
        self.cross, self.masked, self.gallery = cross, masked, gallery
        self.inputs = (cross.memory, cross.embedding, masked)
        self.actor = "retrieval"

    @property
    def name(self) -> str:
        return self.cross.name.replace(self.cross.kind, self.kind, 1)

    def parameters(self) -> Mapping[str, Json]:
        return {
            "rule": RULE,
            "best": BEST,
            "sizes": [*SIZES, HARD_SIZE],
            "held_out": held_out.recipe(),
            "gallery": self.gallery,
            "view": self.cross.view.recipe(),
        }

    def takes(self, unit: Unit) -> bool:
        return self.cross.takes(unit)

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        # Who has no memory is in no gallery; reading it, the row fails with that reason and is renewed with it.
        prompts = (Read(stage, stage.row_key(unit.of_half(half))) for half in HALVES for stage in (self.cross.embedding, self.masked))
        return (Read(self.cross.memory, unit.subject), *prompts)

    def request(self, unit: Unit, *inputs: Any) -> list[Search]:
        pairs = zip(HALVES, inputs[1::2], inputs[2::2], strict=True)
        return [Search(unit.subject, OTHER[half], whole.vectors[0], masked.vectors[0]) for half, whole, masked in pairs]

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        outcomes: Sequence[Outcome[Any]] = actor.find(requests)
        return outcomes

    def encode(self, value: Found) -> dict[str, Any]:
        return asdict(value)

    def decode(self, columns: dict[str, Any]) -> Found:
        return Found(**columns)
