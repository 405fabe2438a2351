"""`mien human outputs` and `mien human add`: a run's outputs for annotators, and their answers beside the run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.config import CONTROLS
from engine.errors import InputError, UsageError
from engine.judging.subject import subject_of
from engine.outcome import Answered
from engine.report.wording import counted
from engine.stage import Stage, Unit
from engine.stages.outputs import Output, Picture, Text
from engine.store.plans import Shard
from jobs.commands.human import read_answers, refuse_bad
from jobs.commands.people import refuse_existing
from jobs.console import Console
from jobs.human_answers import add_answers
from jobs.opened_run import OpenedRun, open_run
from jobs.references import ABSENT

POSTS = 6
"""Posts of a person that annotators see."""


def outputs_command(name: str, *, store: str, out: Path, images: bool, limit: int, force: bool, as_json: bool) -> None:
    """Write a run's outputs as `mien human sheet` reads them: texts, or images with their files in a folder beside `out`."""
    refuse_existing(out, force)
    console, run = Console(as_json=as_json), open_run(store, name)
    folder = out.with_name(f"{out.stem}-images")
    outputs = _outputs(run, images)
    if not outputs:
        raise UsageError(f"Run {name} drew no images.", remedy="Leave out --images.")
    count = 0
    with out.open("w", encoding="utf-8") as file:
        for row in _rows(run, outputs, folder if images else None, limit):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    console.say(f"{counted(count, 'output')}: {out}")
    console.say(f"Next: mien human sheet {out} --kind rating --out sheets")
    console.event("done", outputs=count, file=str(out))


def add_command(
    name: str,
    files: Sequence[Path],
    *,
    store: str,
    kind: str,
    key: Path | None,
    annotator: str,
    scale: str,
    max_failed: int,
    as_json: bool,
) -> int:
    """Keep answers beside a run and rebuild its report; nothing is kept if too many rows are bad."""
    from jobs.commands.look import report_command

    console, run = Console(as_json=as_json), open_run(store, name)
    if not any(run.workflow.judgements.finals):
        raise UsageError(f"Run {name} has no judges to compare people with.", remedy="Give its experiment a section `judging`.")
    found = read_answers(files, kind, key, annotator, scale)
    refuse_bad(found.rejected, max_failed)
    if not found.rows:
        raise InputError("holds no answer.", file=str(files[0]), remedy="Check the files: nothing in them was usable.")
    known = {subject.id for shard in run.plan.shards for subject in shard.subjects}
    strangers = sum(row.profile not in known for row in found.rows)
    if strangers == len(found.rows):
        raise InputError(
            "is about nobody of this run.",
            file=str(files[0]),
            field="profile",
            remedy="Give the people's ids, as `mien human outputs` does.",
        )
    fresh = add_answers(run.backend, run.plan.run, found.kind, found.rows)
    console.say(f"{counted(len(found.rows), 'answer')} ({found.kind}){'' if fresh else ', which were there already'}")
    if strangers:
        console.warn(f"{counted(strangers, 'answer')} about people who are not in this run: counted, not used")
    return report_command(name, store=store, out=None, as_json=as_json)


def _outputs(run: OpenedRun, images: bool) -> list[Output]:
    prompts = [score.embedding.prompt for score in run.workflow.scores]
    if not images:
        return [Text(prompt) for prompt in prompts if prompt.label not in CONTROLS and not prompt.is_extractive]
    return [Picture(score.look.images, score.galleries.galleries) for score in run.workflow.drawings.scores]


def _rows(run: OpenedRun, outputs: Sequence[Output], folder: Path | None, limit: int) -> Iterator[dict[str, Any]]:
    progress, people = run.progress(), 0
    for shard in run.plan.shards:
        profiles = run.results.read(run.workflow.people, shard.key, overlays=0)
        for subject in shard.subjects:
            outcome = profiles[subject.key].outcome
            if subject.bad or not isinstance(outcome, Answered) or (limit and people == limit):
                continue
            people += 1
            shown = subject_of(outcome.value, "captions", POSTS)
            about = "\n".join([*shown.facts, *(f"- {post}" for post in shown.posts)])
            for output in outputs:
                stage = output.inputs[0]
                overlays = progress.overlays(stage, shard)
                if overlays == ABSENT:
                    continue
                rows = run.results.read(stage, shard.key, overlays=overlays)
                for unit in _units(run, shard, stage, subject.key):
                    made = rows[unit.key].outcome
                    if isinstance(made, Answered):
                        assert unit.query is not None
                        yield {
                            "profile": subject.id,
                            "query": unit.query.id,
                            "method": output.label,
                            **_setting(output),
                            **_shown(run, output.candidate(made.value), folder),
                            "about": about,
                            "asked": unit.query.text,
                        }


def _units(run: OpenedRun, shard: Shard, stage: Stage[Any], subject: str) -> Iterator[Unit]:
    return (unit for unit in run.workflow.units(shard, stage) if unit.subject == subject)


def _setting(output: Output) -> dict[str, str]:
    prompt = output.prompt
    return {"writer": prompt.writer, "backbone": prompt.writer_id, "budget": prompt.budget.name, "renderer": output.renderer}


def _shown(run: OpenedRun, candidate: Any, folder: Path | None) -> dict[str, str]:
    if folder is None:
        return {"text": candidate.text}
    folder.mkdir(exist_ok=True)
    name = candidate.picture.rsplit("/", 1)[-1]
    (folder / name).write_bytes(run.backend.read(candidate.picture))
    return {"image": f"{folder.name}/{name}"}
