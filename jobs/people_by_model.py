"""People by a language model as a workflow: persona seeds, then four steps, on the machinery that runs every benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from engine.errors import ModelError
from engine.execution_config import Pool
from engine.keys import Json, content_key
from engine.outcome import Answered
from engine.profiles.model.seeds import PersonaSeed
from engine.profiles.model.sizes import Sizes
from engine.rows import inputs_digest, make_row
from engine.stage import Stage, Unit
from engine.stages.people_by_model import By, Captions, Lexicons, PersonaSeeds, Scenarios, Sketches
from engine.store.plans import Plan, Shard, Subject, run_id
from engine.store.results import Results
from engine.writer_config import LanguageModel
from jobs.operators import Operator, operators
from jobs.workflow import Actors
from jobs.writers import Seat, chat_model, model_id

if TYPE_CHECKING:
    from jobs.progress import Progress

SHARD_SIZE = 8
"""People whose calls go to the model together, and that are committed together."""


@dataclass(frozen=True)
class PeopleByModel:
    """The four steps as stages."""

    seeds: PersonaSeeds
    sketches: Sketches
    lexicons: Lexicons
    scenarios: Scenarios
    captions: Captions
    by: By

    @property
    def sources(self) -> Sequence[Stage[Any]]:
        """What the driver stores itself."""
        return [self.seeds]

    @cached_property
    def stages(self) -> Sequence[Stage[Any]]:
        """The steps in order."""
        return [self.sketches, self.lexicons, self.scenarios, self.captions]

    @property
    def phases(self) -> Sequence[Sequence[Stage[Any]]]:
        """One: nobody reads another's."""
        return [self.stages]

    @property
    def finals(self) -> Sequence[Stage[Any]]:
        """Whoever was rejected in a step has no captions."""
        return [self.captions]

    def units(self, shard: Shard, stage: Stage[Any]) -> list[Unit]:
        """A unit a person."""
        return [Unit(subject.key, subject.key) for subject in shard.subjects]

    def before(self, phase: int, plan: Plan, results: Results, progress: Progress) -> Mapping[str, Any]:
        """Nothing is shared."""
        return {}

    def actors(self, options: Mapping[str, Any]) -> Actors:
        """`options`: "writer" (its configuration on this node), "threads", "processes" and "store"."""

        def make(name: str) -> Any:
            from actors.people_writer import PeopleWriter

            config = LanguageModel.model_validate(options["writer"])
            if (found := model_id(config)) != self.by.model:
                message = f"The model here is {found}, the plan names {self.by.model}."
                raise ModelError(message, remedy="Install the same one on every node.")
            seat = Seat(int(options["threads"]), int(options["processes"]), str(options["store"]))
            return PeopleWriter(chat_model(config, seat), config.sampling())

        return make


def people_by_model(name: str, model: str, sampling: Mapping[str, Json], sizes: Sizes) -> PeopleByModel:
    """The stages of a writer. The model's temperature and top_p are part of their fingerprints."""
    by = By(f"writer:{name}", model, sampling, sizes)
    seeds = PersonaSeeds()
    sketches = Sketches(by, seeds)
    lexicons = Lexicons(by, seeds, sketches)
    scenarios = Scenarios(by, seeds, sketches, lexicons)
    return PeopleByModel(seeds, sketches, lexicons, scenarios, Captions(by, seeds, sketches, lexicons, scenarios), by)


def workflow_of(config: LanguageModel, sizes: Sizes) -> PeopleByModel:
    """The workflow of a writer on this machine. Raises ModelError if its model is not here."""
    sampling: dict[str, Json] = {"temperature": config.temperature, "top_p": config.top_p, "context": config.context}
    return people_by_model(config.name, model_id(config), sampling, sizes)


def plan_of(workflow: PeopleByModel, seeds: Sequence[PersonaSeed]) -> Plan:
    """The plan of a build: what is asked of whom, in shards of eight."""
    subjects = [_subject(workflow, seed) for seed in seeds]
    by = workflow.by
    identity = {
        "people_by_model": {"actor": by.actor, "model": by.model, "sampling": dict(by.sampling), "sizes": by.sizes.recipe()},
        "people": content_key([subject.key for subject in subjects]),
        "stages": {stage.id: stage.fingerprint for stage in (workflow.seeds, *workflow.stages)},
    }
    shards = tuple(Shard.of(subjects[start : start + SHARD_SIZE]) for start in range(0, len(subjects), SHARD_SIZE))
    return Plan(run_id(identity), identity, Shard.of([]), shards, False, len(subjects))


def _subject(workflow: PeopleByModel, seed: PersonaSeed) -> Subject:
    row = workflow.seeds.encode(seed)
    return Subject(content_key(row), seed.id, seed.cluster)


def commit_seeds(workflow: PeopleByModel, plan: Plan, seeds: Sequence[PersonaSeed], results: Results) -> None:
    """Store the seeds that are not there, so that workers need no file of the driver's."""
    by_id = {seed.id: seed for seed in seeds}
    done = results.done(workflow.seeds)
    for shard in plan.shards:
        if shard.key[:16] not in done:
            rows = [
                make_row(workflow.seeds, Unit(subject.key, subject.key), Answered(by_id[subject.id]), inputs_digest([]))
                for subject in shard.subjects
            ]
            results.commit(workflow.seeds, shard.key, rows)


def from_plan(plan: Plan, results: Results) -> PeopleByModel:
    """The workflow of a plan (`jobs.workflow`)."""
    by = plan.identity["people_by_model"]
    return people_by_model(by["actor"].removeprefix("writer:"), by["model"], by["sampling"], Sizes.of(by["sizes"]))


def operators_of(workflow: PeopleByModel, pool: Pool) -> list[Operator]:
    """One pool: all steps are the model's."""
    return operators(workflow.stages, lambda actor: "writer", {"writer": pool})
