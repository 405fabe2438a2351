"""The profiles themselves, as they were read: the first stage of every benchmark over people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from engine.keys import Json
from engine.records import PROFILE_SCHEMA, Profile, profile_from_row
from engine.stage import Stage


class People(Stage[Profile]):
    """One row a person. Shards are named by content, so people from any file share results if they are equal."""

    kind = "people"
    version = 1
    per = "person"
    payload = pa.schema([field.with_nullable(True) for field in PROFILE_SCHEMA])

    def parameters(self) -> Mapping[str, Json]:
        return {}

    def encode(self, value: Profile) -> dict[str, Any]:
        return asdict(value)

    def decode(self, columns: dict[str, Any]) -> Profile:
        return profile_from_row(columns)
