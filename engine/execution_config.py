"""How the work is spread: pools of processes and what ends a run early. Never part of a result's identity."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


def count_or_share(value: Any, wanted: str) -> str:
    text = "" if value is None else str(value).strip()
    if text and (not re.fullmatch(r"[1-9][0-9]*|(100|[1-9]?[0-9](\.[0-9]+)?)%", text) or float(text.rstrip("%")) == 0):
        raise ValueError(f"'{text}' is no limit; give {wanted}")
    return text


class Pool(_Strict):
    """How many processes hold an actor, and what each takes. Never changes a result."""

    min: int = Field(1, ge=1, description="Processes at least")
    max: int = Field(2, ge=1, description="Processes at most")
    cpus: float = Field(1, ge=0, description="Ray CPUs of a process")
    gpus: float = Field(0, ge=0, description="Ray GPUs of a process")
    threads: int = Field(1, ge=1, description="Threads of a process's model")
    shards: int = Field(1, ge=1, le=64, description="Shards that a process works on at once; more keep a large model's batches full")

    @model_validator(mode="after")
    def _ordered(self) -> Pool:
        if self.min > self.max:
            raise ValueError(f"min ({self.min}) is larger than max ({self.max})")
        return self


class Execution(_Strict):
    """How the work is spread. Provenance only: never part of a fingerprint."""

    encoder: Pool = Pool()
    writer: Pool | None = Field(None, description="A pool of its own for writers; without one they share the encoder's processes")
    writers: dict[str, Pool] = Field({}, description="A pool of its own for one writer, by its name, such as one that needs GPUs")
    renderer: Pool | None = Field(None, description="A pool of its own for renderers; without one they share the encoder's processes")
    vision: Pool | None = Field(None, description="A pool of its own for vision models; without one they share the encoder's processes")
    judge: Pool | None = Field(None, description="A pool of its own for judges; without one they share the encoder's processes")
    judges: dict[str, Pool] = Field({}, description="A pool of its own for one judge, by its name, such as one that needs GPUs")
    stuck_after_s: float = Field(
        900,
        gt=0,
        le=86_400,
        description="End the process of a model call that gets no further for so long; its units are then tried one by one",
    )
    stop_after_failed: str = Field(
        "20%", description='Stop early once so many rows failed by themselves, "500" or a share "20%" (of 200 or more seen); empty: never'
    )
    ray_address: str = Field("", description='Ray cluster: "" starts a local one, "auto" joins the one this machine is in')
    no_progress_timeout_s: int = Field(
        1800, ge=60, description="Give up after so long without a finished task (spot capacity may take long)"
    )

    def pool_of_writer(self, name: str) -> Pool:
        """Where a writer runs: its own pool, that of all writers, or the encoder's."""
        return self.writers.get(name) or self.writer or self.encoder

    def pool_of_judge(self, name: str) -> Pool:
        """Where a judge runs: its own pool, that of all judges, or the encoder's."""
        return self.judges.get(name) or self.judge or self.encoder

    @field_validator("stop_after_failed", mode="before")
    @classmethod
    def _usable_budget(cls, value: Any) -> str:
        return count_or_share(value, "a number of rows (500) or a share (20%)")
