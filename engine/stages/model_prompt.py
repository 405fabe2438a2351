"""A method's prompt by a language model: the prompt, and what the model said, whole."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pyarrow as pa

from engine.keys import seed_of
from engine.prompting.writing import Said, Written
from engine.stage import Unit
from engine.stages.prompt import Prompt, WritePrompt

_SAID = (
    ("reply", pa.string()),
    ("finish", pa.string()),
    ("model", pa.string()),
    ("input_tokens", pa.int64()),
    ("output_tokens", pa.int64()),
)
"""The fields of `Said` in order; its `raw` is "reply" here, since every row has a "raw" for what refused or could not be read."""


class ModelPrompt(WritePrompt):
    """As `WritePrompt`, by a writer that draws with a seed and keeps its reply. Rows of one profile follow each other."""

    version = 1
    payload = pa.schema([*Prompt.payload, *_SAID])

    def request(self, unit: Unit, *inputs: Any) -> Any:
        request = super().request(unit, *inputs)
        shown = self.view.subject(unit) + unit.half
        return replace(request, seed=seed_of(unit.key, self.fingerprint), prefix=f"{self.label} {shown}")

    def encode(self, value: Written) -> dict[str, Any]:
        assert value.said is not None
        said = asdict(value.said)
        return super().encode(value) | {"reply": said.pop("raw"), **said}

    def decode(self, columns: dict[str, Any]) -> Written:
        return replace(super().decode(columns), said=Said(*(columns[name] for name, _ in _SAID)))
