"""Building people by a language model: plan, lease, passes, then the people and, by name and reason, those who were rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.errors import CorruptObject, Missing, StoreError
from engine.execution_config import Execution, Pool
from engine.outcome import Answered, Failed, Outcome, Refused, Unparsed
from engine.profiles.model.assembly import assemble
from engine.profiles.model.draft import Effort
from engine.profiles.model.seeds import PersonaSeed
from engine.profiles.model.sizes import Sizes
from engine.profiles.validation import BadRow
from engine.records import Profile
from engine.stage import Stage
from engine.store.names import short
from engine.store.opening import open_backend, probe
from engine.store.plans import Plan, Shard, load_plan, save_plan
from engine.store.results import Results
from engine.writer_config import LanguageModel
from jobs.console import Console
from jobs.driving import driving
from jobs.local_ray import RaySession
from jobs.passes import MAX_PASSES, OnShard, Passes, Work
from jobs.people_by_model import PeopleByModel, commit_seeds, operators_of, plan_of, workflow_of
from jobs.shard_runner import Retry

PATIENCE_S = 86_400
"""Without a finished task, as a batch of a provider may take."""
REFUSED, UNPARSED, NOT_REACHED, NO_PROFILE = "refused", "no-json", "not-reached", "no-profile"


@dataclass(frozen=True, slots=True)
class Rejected:
    """Somebody who was asked for and not made: in which step, and why."""

    id: str
    step: str
    reason: str
    message: str


@dataclass(slots=True)
class Built:
    """The people of a build in the order of their seeds, those who were rejected, and what it took of the model."""

    people: list[Profile] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    effort: Effort = field(default_factory=Effort)

    @property
    def is_open(self) -> bool:
        """Whether somebody could not be asked for a reason that may pass."""
        return any(each.reason == NOT_REACHED for each in self.rejected)

    @property
    def by_reason(self) -> dict[tuple[str, str], list[str]]:
        """(step, reason) -> ids, the commonest first."""
        found: dict[tuple[str, str], list[str]] = {}
        for each in self.rejected:
            found.setdefault((each.step, each.reason), []).append(each.id)
        return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


@dataclass(frozen=True, slots=True)
class Build:
    """What is to be built, by whom and where."""

    writer: LanguageModel
    seeds: Sequence[PersonaSeed]
    store: str
    pool: Pool
    execution: Execution
    sizes: Sizes = field(default_factory=Sizes)
    command: str = "profiles build"
    on_shard: OnShard = lambda done, total, shard: None

    def run(self, console: Console) -> Built:
        """Bring the build to its end, or find it there. The same build again goes on where it stopped."""
        workflow = workflow_of(self.writer, self.sizes)
        plan = plan_of(workflow, self.seeds)
        backend = open_backend(self.store)
        results = Results(backend, repair=True)
        if load_plan(backend, plan.run) is None:
            probe(backend)
            commit_seeds(workflow, plan, self.seeds, results)
            save_plan(backend, plan)
        elif self._is_whole(workflow, plan, results):
            return gather(workflow, plan, results)
        session = RaySession(self.execution.ray_address).start()
        try:
            with driving(backend, plan.run, command=self.command, notice=console.warn) as hold:
                passes = Passes(self._work(workflow, plan, results), hold, session, console)
                for _ in range(MAX_PASSES):
                    passes.run(lambda: commit_seeds(workflow, plan, self.seeds, results))
                    try:
                        return gather(workflow, plan, results)
                    except (CorruptObject, Missing) as error:
                        console.warn(str(error))
                    passes.set_aside_untrusted()
        finally:
            session.stop()
        raise StoreError(f"Result files of run {plan.run} turn out to be damaged again and again.", remedy="Check the disk of the store.")

    def _work(self, workflow: PeopleByModel, plan: Plan, results: Results) -> Work:
        options = {
            "writer": self.writer.model_dump(mode="json"),
            "threads": self.pool.threads,
            "processes": self.pool.max,
            "store": results.backend.uri,
        }
        # That many people are rejected says something of the model, and nothing of the run.
        # All steps of a shard are one task, which may take hours: the watchdog sees whether it gets on, Ray sees tasks alone.
        patience = max(self.execution.no_progress_timeout_s, PATIENCE_S)
        execution = self.execution.model_copy(update={"stop_after_failed": "", "no_progress_timeout_s": patience})
        module = PeopleByModel.__module__
        return Work(plan, workflow, operators_of(workflow, self.pool), results, execution, module, options, Retry(), self.on_shard)

    @staticmethod
    def _is_whole(workflow: PeopleByModel, plan: Plan, results: Results) -> bool:
        """Whether nothing is left to do: every result is there, and no failure that may pass."""
        done = [results.done(stage) for stage in workflow.stages]
        if not all(short(shard.key) in each for shard in plan.shards for each in done):
            return False
        try:
            return not gather(workflow, plan, results).is_open
        except (CorruptObject, Missing):
            return False


def gather(workflow: PeopleByModel, plan: Plan, results: Results) -> Built:
    """What the store holds of a build. Raises CorruptObject and Missing."""
    built, efforts = Built(), list[Effort]()
    name, model = workflow.by.actor.removeprefix("writer:"), workflow.by.model
    done = {stage.id: results.done(stage) for stage in (workflow.seeds, *workflow.stages)}

    def outcomes(stage: Stage[Any], shard: Shard) -> dict[str, Outcome[Any]]:
        overlays = done[stage.id].get(short(shard.key))
        rows = {} if overlays is None else results.read(stage, shard.key, overlays=overlays)
        return {unit: row.outcome for unit, row in rows.items()}

    for shard in plan.shards:
        rows = {stage.kind: outcomes(stage, shard) for stage in (workflow.seeds, *workflow.stages)}
        for subject in shard.subjects:
            values: list[Any] = []
            for stage in workflow.stages:
                outcome = rows[stage.kind].get(subject.key)
                if not isinstance(outcome, Answered):
                    built.rejected.append(_rejected(f"{name}-{subject.id}", stage.kind, outcome))
                    break
                values.append(outcome.value.value)
                efforts.append(outcome.value.effort)
            else:
                sketch, elements, _, captions = values
                seed = rows[workflow.seeds.kind][subject.key]
                assert isinstance(seed, Answered)
                person = assemble(seed.value, sketch, elements, captions, writer=name, model=model)
                if isinstance(person, BadRow):
                    built.rejected.append(Rejected(f"{name}-{subject.id}", "profile", NO_PROFILE, person.told))
                else:
                    built.people.append(person)
    built.effort = _sum(efforts)
    return built


def _rejected(id_: str, step: str, outcome: Refused | Unparsed | Failed | None) -> Rejected:
    if isinstance(outcome, Failed):
        passing = outcome.kind.value != "permanent"
        return Rejected(id_, step, NOT_REACHED if passing else outcome.code.removeprefix("person-"), outcome.message)
    if outcome is None:
        return Rejected(id_, step, NOT_REACHED, "no result yet")
    return Rejected(id_, step, REFUSED if isinstance(outcome, Refused) else UNPARSED, outcome.raw)


def _sum(efforts: Sequence[Effort]) -> Effort:
    faults: Counter[str] = Counter()
    for effort in efforts:
        faults.update(dict(effort.faults))
    return Effort(
        sum(effort.calls for effort in efforts),
        sum(effort.repairs for effort in efforts),
        sum(effort.input_tokens for effort in efforts),
        sum(effort.output_tokens for effort in efforts),
        efforts[-1].model if efforts else "",
        tuple(faults.most_common()),
    )
