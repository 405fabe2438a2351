"""`mien explain`: one result's lineage, each step with the digest that the next one read."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from engine.errors import UsageError
from engine.judging.rubric import HIGHEST
from engine.judging.verdicts import Verdicts
from engine.keys import seed_of
from engine.metrics.vptt import SCORE_FIGURES
from engine.nearest import did_you_mean
from engine.outcome import Answered, Failed, Refused, Unparsed
from engine.prompting.evidence import Evidence
from engine.prompting.writing import Said
from engine.report.wording import counted
from engine.rows import OUTCOMES, Row, inputs_digest
from engine.stage import Read, Stage, Unit
from engine.stages.image_scores import ScoreImage
from engine.stages.images import is_edit
from engine.stages.judging import Compare
from engine.stages.model_prompt import ModelPrompt
from engine.stages.prompt import Prompt
from engine.stages.score import Score
from engine.store.plans import Shard, Subject
from engine.writer_config import TEMPLATE
from jobs.console import Console
from jobs.opened_run import OpenedRun, open_run
from jobs.suggest import command

SHOWN = 12
GUESSED = 2000
"""Names among which the nearest to a wrong one is looked for."""


@dataclass(frozen=True, slots=True)
class _Found:
    shard: Shard
    subject: Subject
    unit: Unit
    score: Score


def explain_command(name: str, wanted: str, *, store: str, as_json: bool) -> None:
    """Print the lineage of the one result that `wanted` names, or the choices if it names several."""
    console, run = Console(as_json=as_json), open_run(store, name)
    found = _find(run, wanted)
    if len(found) > 1:
        console.say(f"{len(found):,} results fit '{wanted}'; name one of them:" if wanted else "Name one result, for example:")
        for each in found[:SHOWN]:
            console.say(f"  {command('explain', run.name, store, _path(each))}")
        if wanted and len(found) > SHOWN:
            console.say(f"  and {len(found) - SHOWN:,} more")
        return
    _Lineage(console, run, found[0]).tell()


def _find(run: OpenedRun, wanted: str) -> list[_Found]:
    """The results whose person/query/method (in this order, any left out) or unit key `wanted` names."""
    parts = [part for part in wanted.split("/") if part]
    found = list(_fitting(run, parts))
    if not found:
        raise UsageError(
            f"Nothing in run {run.name} is called '{wanted}'{_meant(run, parts)}.", remedy="Use PERSON/QUERY/METHOD or a unit key's start."
        )
    return found


def _fitting(run: OpenedRun, parts: list[str]) -> Iterator[_Found]:
    for shard in run.plan.shards:
        for unit, subject in _units(run, shard):
            for score in run.workflow.scores:
                if score.takes(unit) and _fits(parts, subject, unit, score):
                    yield _Found(shard, subject, unit, score)


def _meant(run: OpenedRun, parts: list[str]) -> str:
    """A guess at the first part of a path that fits nothing: a person, or, after one, a query of theirs or a method."""
    for index, part in enumerate(parts):
        if next(_fitting(run, parts[: index + 1]), None) is None:
            return did_you_mean(part, _known(run, parts[:index]))
    return ""


def _known(run: OpenedRun, before: list[str]) -> list[str]:
    if not before:
        return [subject.id for shard in run.plan.shards for subject in shard.subjects][:GUESSED]
    beside = list(itertools.islice(_fitting(run, before), GUESSED))
    queries = [found.unit.query.id for found in beside if found.unit.query]
    return list(dict.fromkeys([*queries, *(found.score.embedding.prompt.label for found in beside)]))


def _units(run: OpenedRun, shard: Shard) -> list[tuple[Unit, Subject]]:
    subjects = {subject.key: subject for subject in shard.subjects}
    return [(unit, subjects[unit.subject]) for unit in run.workflow.units(shard, run.workflow.scores[0])]


def _fits(parts: list[str], subject: Subject, unit: Unit, score: Score) -> bool:
    prompt = score.embedding.prompt
    names = {subject.id, unit.query.id if unit.query else "", prompt.label, prompt.writer, prompt.budget.name}
    return all(part in names or (len(part) >= 8 and unit.key.startswith(part)) for part in parts)


def _path(found: _Found) -> str:
    query = found.unit.query.id if found.unit.query else ""
    prompt = found.score.embedding.prompt
    return f"{found.subject.id}/{query}/{prompt.label}" + ("" if prompt.writer == TEMPLATE else f"/{prompt.writer}")


class _Lineage:
    """Prints a result from its profile to its score."""

    def __init__(self, console: Console, run: OpenedRun, found: _Found) -> None:
        self._console, self._run, self._found = console, run, found
        self._progress = run.progress()

    def tell(self) -> None:
        found, say = self._found, self._console.say
        assert found.unit.query is not None
        prompt = found.score.embedding.prompt
        say(f"{_path(found)}\nunit {found.unit.key}")
        drawn = "" if isinstance(prompt, ModelPrompt) else "; this writer draws nothing"
        say(f"seed {seed_of(found.unit.key, prompt.fingerprint)} (of unit and stage{drawn})")
        profile = self._step(self._run.workflow.people)
        if profile:
            say(f"  {profile.summary_given}\n  {len(profile.captions)} captions, source {profile.source}")
        say(f"\nquery {found.unit.query.id} ({found.unit.query.task}, {found.unit.query.breadth})\n  {found.unit.query.text}")
        self._step(self._run.workflow.memory)
        if prompt.retrieved:
            evidence, shown = self._step(prompt.retrieved), self._shown(prompt)
            if evidence and shown:
                self._evidence(evidence, shown)
        written = self._step(prompt)
        if written:
            say(f"  {written.prompt}\n  {written.words} words, {written.cut} phrases cut")
            for piece in written.pieces:
                say(f"    {piece.source:<28} {piece.text}")
            if written.said:
                self._said(written.said)
        self._step(found.score.embedding)
        scored = self._step(found.score)
        if scored:
            say("  " + "  ".join(f"{name} {value:.4f}" for name, value in asdict(scored.score).items() if isinstance(value, float)))
            if scored.stranger:
                against = counted(scored.strangers, "stranger")
                told = zip(SCORE_FIGURES, scored.stranger, strict=True)
                say(f"  mean against {against}: " + "  ".join(f"{name} {value:.4f}" for name, value in told))
            say(f"  definition {found.score.definition.id}, PA against {scored.score.pa_id}")
        for image in self._run.workflow.drawings.scores:
            if image.look.images.prompt.id == prompt.id:
                self._image(image)
        for rate in self._run.workflow.judgements.ratings:
            if rate.output.prompt.id == prompt.id and (rating := self._step(rate)):
                say(f"  {rate.by.name} ({rate.by.rubric.id}) rated {rating.score:g} of {HIGHEST}: {rating.reason}")
        for compare in self._run.workflow.judgements.pairs:
            if prompt.id in (compare.a.prompt.id, compare.b.prompt.id) and compare.takes(found.unit) and (verdicts := self._step(compare)):
                self._verdicts(compare, verdicts)

    def _verdicts(self, compare: Compare, verdicts: Verdicts) -> None:
        labels = {"a": compare.a.label, "b": compare.b.label, "tie": "neither"}
        for each in verdicts.asked:
            sure = f", confidence {each.confidence:g}" if each.confidence is not None else ""
            said = f"{labels[each.first]} first: preferred {labels[each.preferred]}{sure}: {each.reason}"
            self._console.say(f"  {compare.by.name} ({compare.by.rubric.id}), {said}")

    def _image(self, score: ScoreImage) -> None:
        images, say = score.look.images, self._console.say
        if is_edit(self._found.unit) and (source := self._step(images.sources)):
            say(f"  edited: {self._run.backend.locate(source.object)}")
        if drawn := self._step(images):
            say(f"  {self._run.backend.locate(drawn.object)}\n  {drawn.width} x {drawn.height}, sha256 {drawn.sha256[:16]}")
        self._step(score.look)
        if scored := self._step(score):
            figures = {name: value for name, value in asdict(scored).items() if isinstance(value, float)}
            say("  " + "  ".join(f"{name} {value:.4f}" for name, value in figures.items()))
            say(f"  definition {score.definition.id}")

    def _shown(self, prompt: Prompt) -> Any:
        """The profile that the method saw: a stranger's for the control of that name."""
        row = self._row(self._run.workflow.people, prompt.view.subject(self._found.unit))
        return row.outcome.value if row and isinstance(row.outcome, Answered) else None

    def _step(self, stage: Stage[Any]) -> Any:
        """Print a stage's row and whether it was computed from what is stored now; returns its value if there is one."""
        row = self._row(stage)
        if row is None:
            self._console.say(f"\n{stage.id}: not computed yet")
            return None
        read = inputs_digest(self._sha256(each) for each in stage.reads(self._found.unit))
        lineage = "computed from exactly these inputs" if row.input_sha256 == read else "INPUTS CHANGED SINCE: retry will renew it"
        self._console.say(f"\n{stage.id}: {OUTCOMES[type(row.outcome)]}, sha256 {row.sha256[:16]}, {lineage}")
        self._console.event("step", stage=stage.id, outcome=OUTCOMES[type(row.outcome)], sha256=row.sha256, input_sha256=row.input_sha256)
        if isinstance(row.outcome, Failed):
            self._console.say(f"  {row.outcome.code}: {row.outcome.message}")
        if isinstance(row.outcome, Refused | Unparsed):
            self._console.say(f"  it said: {row.outcome.raw}")
        return row.outcome.value if isinstance(row.outcome, Answered) else None

    def _said(self, said: Said) -> None:
        tokens = f"{said.input_tokens:,} tokens in, {said.output_tokens:,} out, finish {said.finish}"
        self._console.say(f"  {said.model or 'the model'} said ({tokens}):")
        for line in said.raw.splitlines():
            self._console.say(f"    | {line}")

    def _sha256(self, read: Read) -> str:
        row = self._row(read.stage, read.key)
        return row.sha256 if row else ""

    def _row(self, stage: Stage[Any], key: str = "") -> Row[Any] | None:
        overlays = self._progress.overlays(stage, self._found.shard)
        if overlays < 0:
            return None
        return self._run.results.read(stage, self._found.shard.key, overlays=overlays)[key or stage.row_key(self._found.unit)]

    def _evidence(self, evidence: Evidence, profile: Any) -> None:
        say = self._console.say
        say(f"  n_eff {evidence.n_eff:.3f}, K {evidence.k}{' (the cap 2Q binds)' if evidence.cap_binds else ''}")
        for post, weight in zip(evidence.posts, evidence.weights, strict=True):
            say(f"    post {post:>2}  w {weight:.4f}  {profile.captions[post].text}")
        for category in evidence.categories:
            say(f"    {category.category:<14} score {category.score:.4f}  quotas {json.dumps(category.quotas)}")
