"""People by a made-up language model, whose process ends in the midst of its work where the options say so."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from actors.people_writer import PeopleWriter
from engine.generation.chat import Sampling
from engine.store.plans import Plan
from engine.store.results import Results
from jobs import people_by_model
from jobs.people_by_model import PeopleByModel
from tests.engine.profiles.model.inventive import InventiveChat


class InventivePeople(PeopleByModel):
    """Options: "calls", a file that gets a line a call; "die_after", how many of them the process makes."""

    def actors(self, options: Mapping[str, Any]) -> Any:
        calls, last = Path(options["calls"]), int(options.get("die_after", 10**6))
        made = 0

        def note(request: Any) -> str | None:
            nonlocal made
            made += 1
            if made > last:
                os._exit(9)
            with calls.open("a") as file:
                file.write(f"{request.key}\n")
            return "no json" if any("mark of the malformed" in message.content for message in request.messages) else None

        return lambda name: PeopleWriter(InventiveChat(note), Sampling())


def inventive(workflow: PeopleByModel) -> InventivePeople:
    """The same stages with the made-up model."""
    return InventivePeople(**{name: getattr(workflow, name) for name in ("seeds", "sketches", "lexicons", "scenarios", "captions", "by")})


def from_plan(plan: Plan, results: Results) -> InventivePeople:
    """The workflow of a plan (`jobs.workflow`)."""
    return inventive(people_by_model.from_plan(plan, results))
