"""`mien queries`: which queries each person of an experiment is asked, for whoever writes prompts of their own."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from engine.config import Experiment
from engine.config_loading import load
from engine.errors import ConfigError, UsageError
from engine.profiles.validation import BadRow, person_key
from engine.queries import draw
from engine.report.wording import counted
from jobs.console import Console
from jobs.given_prompts import pool_of
from jobs.people_source import count_people, people_of
from jobs.vptt import draw_of


def queries_command(file: Path, *, out: Path | None, force: bool, options: Mapping[str, Any]) -> None:
    """Write a JSON line for each person and query to `out`, or to stdout."""
    if out is not None and out.exists() and not force:
        raise UsageError(f"{out} exists already.", remedy="Choose another --out, or replace it with --force.")
    experiment = load(file, os.environ, options).experiment
    if experiment.queries.assigned:
        raise ConfigError("queries.assigned: the files of prompts say who is asked what.", remedy="Leave it out to have queries drawn.")
    console = Console()
    rows = list(asked(experiment, console))
    with nullcontext(sys.stdout) if out is None else out.open("w", encoding="utf-8", newline="\n") as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    people = len({row["person"] for row in rows})
    told = "1 query" if len(rows) == 1 else f"{len(rows):,} queries"
    where = f" in {out}" if out else ""
    console.warn(f"{told} of {counted(people, 'person')}{where}: write a `prompt` for each (`mien score --help`).")


def asked(experiment: Experiment, console: Console) -> Iterator[dict[str, str]]:
    """A row for each person and query of a run of the experiment; people whose row is bad are told and left out."""
    pool = pool_of(experiment)
    wanted = draw_of(experiment, pool)
    limit = experiment.people_limit(count_people(experiment.people))
    for _, person in itertools.islice(people_of(experiment.people), limit):
        if isinstance(person, BadRow):
            console.warn(f"left out: {person.told}. {person.remedy}")
            continue
        for query in draw(pool, person_key(person), wanted.tasks, wanted.per_task, wanted.seed):
            of_query = {"query": query.id, "task": query.task, "family": query.family, "breadth": query.breadth, "text": query.text}
            source = {"source_caption": query.source_caption, "region": query.region} if query.source_caption else {}
            yield {"person": person.id, **of_query, **source, "summary_given": person.summary_given}
