"""What a report is made from: the score rows of one run, its ceilings, its facts, and what it cost in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from engine.config import CONTROLS as CONTROLS
from engine.config import METHODS
from engine.generation.chat import Spent

SCORE_METRICS = ("v", "v_u", "v_literal", "v_mean_caption", "v_c", "v_c_literal", "v_c_mean_caption")
"""The scores of a prompt: V with its variants (nv-union for NV, the paper's CP read literally, PA against the mean caption), and V-c."""

PART_METRICS = ("pa", "pa_mean_caption", "gs", "cp_unit", "cp_literal", "nv", "nv_union")
"""What scores are made of."""

GAIN_METRICS = ("gain", "gain_u", "gain_c", "gain_pa", "gain_gs", "gain_cp", "gain_nv")
"""Personal gain in V, V-u, V-c and the parts: the prompt's score against the right person less its mean score against strangers."""

CROSS_METRICS = ("cross_v", "cross_v_u", "cross_v_c", "cross_gs", "matched_v", "matched_v_u", "matched_v_c", "matched_gs")
"""Cross-fitted scores and the matched in-sample ones beside them, for a share of the people; not comparable with V on all captions."""

SECOND_METRICS = ("second_v", "second_v_u", "second_v_c", "second_gain", "second_gain_c")
"""The same in a second embedding space."""

REID_METRICS = ("reid_100", "reid_1000", "reid_hard", "reid_masked")
"""Whether the right person came first among a gallery of 100, of 1,000, of people of the same culture or trade, and of 1,000 with the
summary's words taken out of the prompt: 1, 0, or half where one of the two halves did. For a share of the people."""

REID_SIZES = {metric: metric.replace("reid", "size") for metric in REID_METRICS}
"""For each gallery the column of `SCORES_SCHEMA` with the number of its people."""

METRICS = (*SCORE_METRICS, *PART_METRICS, *GAIN_METRICS, *CROSS_METRICS, *SECOND_METRICS, *REID_METRICS)
"""Every metric column of `SCORES_SCHEMA`; higher is better for all of them, NaN where a unit has no such value."""

CEILING_METRICS = (*SCORE_METRICS, *PART_METRICS)
"""The metric columns of `CEILINGS_SCHEMA`."""

OUTCOMES = ("answered", "refused", "unparsed", "failed")

_TEXT = ("subject", "person", "cluster", "query", "family", "task", "breadth", "method", "writer", "backbone", "budget", "outcome")

SCORES_SCHEMA = pa.schema(
    [pa.field(name, pa.string(), nullable=False) for name in _TEXT]
    + [
        pa.field("code", pa.string()),
        pa.field("message", pa.string()),
        pa.field("prompt", pa.string()),
        pa.field("words", pa.int64()),
        pa.field("truncated", pa.bool_()),
        pa.field("extractive", pa.bool_(), nullable=False),
        pa.field("cap_binds", pa.bool_()),
        pa.field("n_eff", pa.float64()),
        pa.field("near_own", pa.float64()),
        pa.field("near_other", pa.float64()),
        pa.field("written", pa.bool_(), nullable=False),
        pa.field("cut", pa.int64()),
        pa.field("finish", pa.string()),
        pa.field("model", pa.string()),
        pa.field("input_tokens", pa.int64()),
        pa.field("output_tokens", pa.int64()),
        pa.field("beside_failed", pa.bool_()),
    ]
    + [pa.field(name, pa.int32()) for name in REID_SIZES.values()]
    + [pa.field(name, pa.float64()) for name in METRICS],
    metadata={"mien.record": "vptt-report-score", "mien.version": "2"},
)
"""One row per unit x method x writer. Methods are compared only where writer, backbone and budget are equal, so a method
that needs no model (baseline) carries the writer and backbone of the methods it stands beside.

`written`: the setting's writer wrote it, unlike own captions, noise and anyone's own prompts. `cut` counts the phrases that were
dropped: over the budget, or unfinished. `finish`, `model` and the tokens are a language model's: how its reply ended, what it names
itself, what the call took. `beside_failed`: the unit's second space, cross-fitting or re-identification ended without a figure."""

CEILINGS_SCHEMA = pa.schema(
    [pa.field(name, pa.string(), nullable=False) for name in ("subject", "cluster", "outcome")]
    + [pa.field(name, pa.float64()) for name in CEILING_METRICS],
    metadata={"mien.record": "vptt-report-ceiling", "mien.version": "1"},
)
"""One row per person: the mean over their own captions, each scored with itself left out (METRICS, GS)."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What was decided before a row was scored.

    `metric` is the preset's own score ("v" for q3, "v_c" for q1 and q2); `writer` and `budget` name the setting that the verdict is
    about; `metric_ids` maps a metric's name, or the benchmark's for its whole definition, to an id; `stand_ins` maps a writer's name to
    what it is instead of a real one; `experiment` is the resolved configuration without secrets. `command` and `experiment` may name
    paths, so they stand only in `index.html` and `run.json`.
    """

    run: str
    name: str
    complete: bool
    partial: bool
    planned_people: int
    total_people: int
    units: int
    metric_ids: Mapping[str, str]
    encoder: str
    writers: tuple[str, ...]
    pa_id: str
    seed: int
    metric: str
    writer: str
    budget: str
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    experiment: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    benchmark: str = "vptt"
    images: bool = False
    """Whether prompts were drawn: `images.html` then lies beside the page."""
    judging: bool = False
    """Whether judges were asked: `judging.html` then lies beside the page."""

    def metric_id(self, metric: str) -> str:
        """The id that pins a metric's choices: its own, else the one of the benchmark's whole definition, else ""."""
        return self.metric_ids.get(metric) or self.metric_ids.get(self.benchmark, "")


DRIVER = "driver: "


@dataclass(frozen=True, slots=True)
class Operations:
    """Facts that depend on the host, the hour and the weather in the cluster; shown in one section and in `run.json`, nowhere else.

    `stage_seconds` has process seconds of each stage, and wall seconds of each phase of the driver under a name that begins with
    `DRIVER`; `rows` counts the rows that each stage committed, as journalled: one done again counts again. `retries` counts passes
    that tried failed rows again, `sessions` the drivers of the run, `interrupted` those of them that were cut short. `nodes` names the
    hosts of drivers and the nodes of workers; `begun_again` counts shards that were begun again after an interruption, `requests` those to
    the store, where they are paid for, `spent` what each writer's language model used. `started` and `ended` are ISO 8601 in UTC.
    """

    wall_seconds: float | None = None
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    rows: Mapping[str, int] = field(default_factory=dict)
    retries: int = 0
    started: str = ""
    ended: str = ""
    nodes: tuple[str, ...] = ()
    sessions: int = 0
    interrupted: int = 0
    begun_again: int = 0
    requests: int = 0
    spent: Mapping[str, Spent] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setting:
    """Rows that may be compared with each other: one writer on one backbone under one budget."""

    writer: str
    backbone: str
    budget: str


METHOD_ORDER = METHODS
"""Controls are listed beside the methods and never compete with them (METRICS, controls)."""


def method_rank(method: str) -> tuple[int, str]:
    """Where a method stands in every list: the paper's order, then any other by name, then the controls."""
    if method in METHOD_ORDER:
        return METHOD_ORDER.index(method), method
    if method in CONTROLS:
        return len(METHOD_ORDER) + 1 + CONTROLS.index(method), method
    return len(METHOD_ORDER), method
