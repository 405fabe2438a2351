"""The small part of `mien demo` that a real language model writes: a few people's prompts by SmolLM2, and one person's to read."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from engine.config import CONTROLS
from engine.outcome import Answered
from engine.stages.prompt import Prompt
from jobs.console import Console
from jobs.opened_run import OpenedRun

NAME = "demo-smollm2"
CHOICES: Mapping[str, Any] = {
    "name": NAME,
    "people.grammar": 2,
    "queries.tasks": ["cultural-generation"],
    "methods": ["baseline", "persona", "brag", "vprag", "combined"],
    "writers": ["smollm2-sampled"],
    "cross_fit": 0,
    "shard_size": 1,
}
"""A model of 135M parameters writes some 45 tokens a second a core, so few people get one query each."""

WIDTH = 110


def tell_prompts(console: Console, run: OpenedRun) -> None:
    """Print what the model wrote for one person and query, method by method."""
    shard = run.plan.shards[0]
    unit = run.workflow.units(shard, run.workflow.scores[0])[0]
    assert unit.query is not None
    console.say(f"\nWritten by {run.workflow.models['model:smollm2-sampled']} for one person who asked: {unit.query.text}")
    for label, told in _told(run, unit.key):
        console.say(textwrap.fill(told, WIDTH, initial_indent=f"  {label:<10}", subsequent_indent=" " * 12))
    console.say("A model this small proves the machinery, not the methods; an experiment's `writers` names larger ones.")


def _told(run: OpenedRun, unit: str) -> Iterator[tuple[str, str]]:
    """(method, its prompt or how it ended)."""
    progress, shard = run.progress(), run.plan.shards[0]
    for entrant in run.workflow.entrants:
        stage: Prompt = entrant.prompt
        if stage.label in CONTROLS or (overlays := progress.overlays(stage, shard)) < 0:
            continue
        outcome = run.results.read(stage, shard.key, overlays=overlays)[unit].outcome
        yield stage.label, outcome.value.prompt if isinstance(outcome, Answered) else f"[{type(outcome).__name__.lower()}]"
