"""Making a run's report from what the store holds: no GPU, no model, no Ray."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow.compute as pc

from engine.config import Experiment
from engine.errors import Missing
from engine.keys import Json, content_key
from engine.outcome import FailureKind
from engine.prompting.budget import PRESETS
from engine.report.data import RunFacts
from engine.report.headline import headline
from engine.report.images.write import write_images
from engine.report.judging.write import write_judging
from engine.report.write import write_report
from engine.store import names
from engine.store.backend import Backend
from engine.store.journal import JournalReader
from engine.store.plans import Plan
from engine.store.results import Results
from jobs.failures import Failure, failures, stale_shards
from jobs.history import operations
from jobs.human_answers import answer_files, answers_of
from jobs.image_report import read_images, reader
from jobs.judge_report import read_judging
from jobs.progress import Progress
from jobs.report_inputs import ceiling_table, score_table
from jobs.stand_ins import main_writer, stand_ins
from jobs.vptt import Vptt
from jobs.workflow import sharded

END = "end.json"
"""The report's last file: the digest of its inputs, and what the next command needs to know without reading them."""


@dataclass(frozen=True, slots=True)
class End:
    """A finished report: the digest of its inputs, failed rows (roots: not caused upstream), and its headline."""

    inputs: str
    failed: int
    roots: int
    retryable: int
    stale: int
    """Shards with rows that are older than what they were computed from: the next run renews them."""
    headline: tuple[str, ...]


def make_report(
    results: Results,
    workflow: Vptt,
    plan: Plan,
    progress: Progress,
    *,
    name: str,
    command: str,
    journal: JournalReader,
    when_read: Callable[[], None] = lambda: None,
) -> End:
    """Write the report of what is committed. `end.json` comes last: a report with a matching digest is whole.

    Everything is read first, so CorruptObject and Missing come before anything is written; then `when_read` is called, and what `journal`
    tells by then is the report's section of facts about the cluster.
    """
    have, planned = progress.results(workflow.stages, plan)
    scores, (ceilings, compared) = score_table(workflow, plan, results, progress), ceiling_table(workflow, plan, results, progress)
    pa_id = " and ".join(sorted(compared)) or "summary_ref"
    facts = _facts(workflow, plan, name=name, complete=have == planned, command=command, pa_id=pa_id)
    images = read_images(workflow, plan, results, progress)
    answers = _answers(results.backend, workflow, plan)
    judging = read_judging(workflow, plan, results, progress, scores, answers_of(results.backend, answers))
    failed: list[Failure] = []
    beside = pc.any(scores["beside_failed"]).as_py() or any(part is not None and part.any_failed for part in (images, judging))
    if have < planned or beside or any("failed" in table["outcome"].unique().to_pylist() for table in (scores, ceilings)):
        # Every failure shows in a score, beside one or in a ceiling, so a clean and whole run need not be looked at further.
        failed = list(failures(workflow, plan, results, progress))
    stale = len(stale_shards(workflow, plan, results, progress))
    when_read()

    def write(path: str, data: bytes) -> None:
        results.backend.replace(names.run(plan.run, "report", *path.split("/")), data)

    journal.look()
    judged = judging.summary(facts) if judging is not None else None
    said = judged.told if judged is not None else ()
    summary = write_report(write, facts, scores, ceilings, operations(journal.events()), said)
    if images is not None:
        write_images(write, images.summary(facts, summary.setting), reader(results.backend))
    if judged is not None:
        write_judging(write, judged)
    roots = [failure for failure in failed if failure.is_root]
    retryable = sum(failure.outcome.kind is not FailureKind.PERMANENT for failure in roots)
    end = End(
        inputs_digest(workflow, plan, progress, answers),
        len(failed),
        len(roots),
        retryable,
        stale,
        (*headline(summary), *(judged.headline if judged else ())),
    )
    write(END, json.dumps(asdict(end), ensure_ascii=False).encode())
    return end


def page_uri(backend: Backend, run: str) -> str:
    """Where a run's page is."""
    return backend.locate(names.run(run, "report", "index.html"))


def current_end(backend: Backend, workflow: Vptt, plan: Plan, progress: Progress) -> End | None:
    """The stored end, if its report was made from exactly what is committed now."""
    try:
        end = End(**json.loads(backend.read(names.run(plan.run, "report", END))))
    except (Missing, ValueError, TypeError):
        return None
    return (
        replace(end, headline=tuple(end.headline))
        if end.inputs == inputs_digest(workflow, plan, progress, _answers(backend, workflow, plan))
        else None
    )


def _answers(backend: Backend, workflow: Vptt, plan: Plan) -> list[str]:
    """The files of people's answers that a report reads: none where no judge is asked."""
    return answer_files(backend, plan.run) if any(workflow.judgements.finals) else []


def inputs_digest(workflow: Vptt, plan: Plan, progress: Progress, answers: Sequence[str]) -> str:
    """Digest of what a report reads: every result by name and overlay, and people's answers. All are immutable, so names pin content."""
    read: dict[str, Json] = {stage.id: [progress.overlays(stage, shard) for shard in plan.shards] for stage in sharded(workflow)}
    return content_key({**read, "answers": list(answers)} if answers else read)


def _facts(workflow: Vptt, plan: Plan, *, name: str, complete: bool, command: str, pa_id: str) -> RunFacts:
    experiment = Experiment.model_validate(plan.identity["experiment"])
    budget = PRESETS[experiment.budgets[0]]
    people = sum(len(shard.subjects) for shard in plan.shards)
    writers = experiment.writer_names()
    standing_in = stand_ins(writers, plan.identity["models"])
    facts: dict[str, Any] = {
        "run": plan.run,
        "name": name,
        "complete": complete,
        "partial": plan.partial,
        "planned_people": people,
        "total_people": plan.total_people,
        "units": sum(len(workflow.units(shard, score)) for shard in plan.shards for score in workflow.scores),
        "metric_ids": {"vptt": workflow.ceilings.definition.id},
        "encoder": plan.identity["models"]["encoder"],
        "writers": tuple(writers),
        "pa_id": pa_id,
        "stand_ins": standing_in,
        "experiment": plan.identity["experiment"],
        "command": command,
        "seed": experiment.seed,
        "metric": "v" if budget.score == "V" else "v_c",
        "writer": main_writer(writers, standing_in),
        "budget": budget.name,
        "images": experiment.images is not None,
        "judging": experiment.judging is not None,
    }
    return RunFacts(**facts)
