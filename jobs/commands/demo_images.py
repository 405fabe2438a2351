"""The small part of `mien demo` that is drawn: a few people's prompts as pictures, and where to look at them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.report.cases import POOLED
from engine.report.images.data import LABEL
from engine.report.wording import figure, interval
from engine.store import names
from jobs.console import Console
from jobs.opened_run import OpenedRun

NAME = "demo-images"
CHOICES: Mapping[str, Any] = {
    "name": NAME,
    "people.grammar": 8,
    "queries.tasks": ["cultural-generation", "social-editing"],
    "methods": ["baseline", "persona", "vprag"],
    "second_encoder": "",
    "cross_fit": 0,
    "shard_size": 4,
    "images": {},
}
"""A picture takes about two seconds of a core, most of it for looking at it."""

TOLD = ("gain_dis_r", "lpips_r")
"""Not CLS-T: on these drawings the laptop's encoder of images and texts tells nothing (docs/image-metrics.md)."""


def tell_images(console: Console, run: OpenedRun) -> None:
    """Print what was measured of the pictures, and where they are."""
    summary = json.loads(run.backend.read(names.run(run.plan.run, "report", "images.json")))
    for metric in TOLD:
        rows = [row for row in summary["drawn"][0]["results"] if (row["metric"], row["task"]) == (metric, POOLED)]
        means = ", ".join(f"{row['method']} {figure(row['mean'], 2)} {interval(row['low'], row['high'], 2)}" for row in rows)
        console.say(f"{LABEL[metric]} of the pictures: {means}")
    console.say(f"The pictures: {run.backend.locate(names.run(run.plan.run, 'report', 'images.html'))}")
    console.say("tiny-scenes draws small scenes, and small vision models look at them: they prove the machinery, not the methods.")
