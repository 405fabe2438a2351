"""A made-up run of three writers: a template, a language model that writes as well as it, and one that turns the order of two methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from made_up_scores import made_up_facts, made_up_scores

from engine.report.data import SCORES_SCHEMA, RunFacts

WRITERS = ("template", "big", "smollm2")
BY_SCORE = ("v", "v_u", "v_literal", "v_c", "v_c_literal", "v_mean_caption")


def three_writers(people: int = 20) -> tuple[pa.Table, pa.Table]:
    """(scores, ceilings). `big` puts combined over vprag, `smollm2` persona over vprag."""
    scores, ceilings = made_up_scores(people, tasks=("social-generation", "social-editing"))
    rows = scores.to_pylist()
    big = [by_model(row, "big", "qwen@1 vllm", {"combined": 0.08, "brag": -0.02}) for row in rows]
    small = [by_model(row, "smollm2", "smollm2-135m@b1 llamacpp", {"vprag": -0.2, "persona": 0.1}) for row in rows]
    return pa.concat_tables([scores, pa.Table.from_pylist([*big, *small], schema=SCORES_SCHEMA)]), ceilings


def by_model(row: Mapping[str, Any], writer: str, backbone: str, moved: Mapping[str, float]) -> dict[str, Any]:
    """The row as a language model's, with the scores of its method moved."""
    made = {**row, "writer": writer, "backbone": backbone, "extractive": False}
    if row["outcome"] != "answered":
        return made
    shift = moved.get(row["method"], 0.0)
    made |= {name: row[name] + shift for name in BY_SCORE if row[name] is not None}
    reply = {
        "cut": int(row["words"] > 130),
        "finish": "stop",
        "model": backbone.partition(" ")[0],
        "input_tokens": 200,
        "output_tokens": 50,
    }
    return {**made, **reply}


def facts_of_three(**changes: Any) -> RunFacts:
    """Facts of the run; its report is about the language model that is no stand-in."""
    standing_in = {"template": "template writer", "smollm2": "smollm2: a 135M model"}
    known = {"writers": WRITERS, "writer": "big", "stand_ins": standing_in, "units": 600}
    return made_up_facts(**(known | changes))
