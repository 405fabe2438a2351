"""`mien human outputs` and `mien human add`: a run's outputs for annotators, and their answers beside the run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from engine.errors import InputError, UsageError
from engine.human.records import Kind
from engine.judging.subject import subject_of
from engine.outcome import Answered
from engine.report.wording import counted
from engine.stages.outputs import Output, Picture, Text
from engine.store.plans import Shard
from jobs.commands.human import read_answers, refuse_bad
from jobs.commands.people import refuse_existing
from jobs.console import Console
from jobs.human_answers import add_answers
from jobs.judgements import is_judged
from jobs.opened_run import OpenedRun, open_run
from jobs.references import ABSENT

POSTS = 6
"""Posts of a person that annotators see."""


def outputs_command(name: str, *, store: str, out: Path, images: bool, limit: int, force: bool, as_json: bool) -> None:
    """Write a run's outputs as `mien human sheet` reads them: texts, or images with their files in a folder beside `out`."""
    refuse_existing(out, force)
    console, run = Console(as_json=as_json), open_run(store, name)
    folder = out.with_name(f"{out.stem}-images")
    if images:
        refuse_existing(folder, force)
    outputs = _outputs(run, images)
    if not outputs:
        raise UsageError(f"Run {name} drew no images.", remedy="Leave out --images.")
    rows = _rows(run, outputs, folder if images else None, limit)
    with console.patience(f"reading {run.planned_results:,} results..."):
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    count = len(lines)
    if not count:
        raise UsageError(f"Run {name} has made nothing yet.", remedy="Let `mien run` finish first.")
    out.write_text("".join(lines), encoding="utf-8", newline="\n")
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
    if found.kind is Kind.BEST:
        raise InputError(
            "holds best-of-k answers, for which a run's report has no place.",
            file=str(files[0]),
            remedy="Ask for ratings or pairs; `mien human import` keeps best-of-k answers in a file.",
        )
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
    """What is shown to judges; of a run without judges, what would be."""
    judged = {output.label for output in run.workflow.judgements.outputs}
    if not images:
        return [Text(score.embedding.prompt) for score in run.workflow.scores if is_judged(score.embedding.prompt, judged)]
    drawn = ((score.look.images, score.galleries.galleries) for score in run.workflow.drawings.scores)
    return [Picture(made, galleries) for made, galleries in drawn if is_judged(made.prompt, judged)]


def _rows(run: OpenedRun, outputs: Sequence[Output], folder: Path | None, limit: int) -> Iterator[dict[str, Any]]:
    progress, people = run.progress(), 0
    for shard in run.plan.shards:
        if limit and people >= limit:
            return
        shown = dict(islice(_people(run, shard), limit - people if limit else None))
        people += len(shown)
        for output in outputs:
            stage = output.inputs[0]
            overlays = progress.overlays(stage, shard)
            if overlays == ABSENT:
                continue
            rows = run.results.read(stage, shard.key, overlays=overlays)
            for unit in run.workflow.units(shard, stage):
                made = rows[unit.key].outcome if unit.subject in shown else None
                if isinstance(made, Answered):
                    assert unit.query is not None
                    yield {
                        **shown[unit.subject],
                        "query": unit.query.id,
                        "method": output.label,
                        **_setting(output),
                        **_shown(run, output.candidate(made.value), folder),
                        "asked": unit.query.text,
                    }


def _people(run: OpenedRun, shard: Shard) -> Iterator[tuple[str, dict[str, str]]]:
    """Each usable person's key, and what annotators are told of whom."""
    profiles = run.results.read(run.workflow.people, shard.key, overlays=0)
    for subject in shard.subjects:
        outcome = profiles[subject.key].outcome
        if not subject.bad and isinstance(outcome, Answered):
            shown = subject_of(outcome.value, "captions", POSTS)
            yield subject.key, {"profile": subject.id, "about": "\n".join([*shown.facts, *(f"- {post}" for post in shown.posts)])}


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
