"""The VPTT evaluation: people -> memory -> evidence -> prompts -> embeddings -> scores, and each person's ceiling.

Beside the methods run the controls; beside each score the same in a second space, and for a share of the people cross-fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

from engine.config import Experiment
from engine.errors import ConfigError, PlanMismatch
from engine.keys import content_key
from engine.metrics.definition import VpttDefinition
from engine.nearest import did_you_mean
from engine.outcome import Answered
from engine.prompting.budget import PRESETS, Budget
from engine.prompting.methods import METHODS
from engine.prompting.tau import matched_tau
from engine.prompting.view import STRANGER
from engine.queries import draw
from engine.records import Query
from engine.stage import Stage, Unit, with_inputs
from engine.stages.ceiling import Ceilings
from engine.stages.cross import HALVES, CrossFit
from engine.stages.embedding import EmbedPrompt
from engine.stages.masked import EmbedMasked
from engine.stages.memory import Remember
from engine.stages.model_prompt import ModelPrompt
from engine.stages.people import People
from engine.stages.prompt import Given, Noise, OwnCaptions, Prompt, WritePrompt
from engine.stages.queries import Draw, Queries, query_key, query_units
from engine.stages.reidentify import Reidentify
from engine.stages.retrieve import RandomElements, Retrieve
from engine.stages.score import Score
from engine.stages.second import SecondScore
from engine.stages.strangers import strangers_of
from engine.store.plans import Plan, Shard, Subject
from engine.store.results import Results
from engine.writer_config import TEMPLATE
from jobs.actor_factory import actor_maker
from jobs.drawings import Drawings, drawings_of
from jobs.gallery import ensure_gallery
from jobs.judgements import Judgements, judgements_of
from jobs.progress import Progress
from jobs.workflow import Actors


@dataclass(frozen=True)
class Entrant:
    """A method or control under one writer and budget, with everything that is measured of it."""

    score: Score
    second: SecondScore | None
    cross: CrossFit | None
    reid: Reidentify | None

    @property
    def prompt(self) -> Prompt:
        """Where its prompts come from."""
        return self.score.embedding.prompt

    @property
    def label(self) -> str:
        """Its name in every table."""
        return self.prompt.label

    @property
    def stages(self) -> Iterator[Stage[Any]]:
        """All that reads its own shard alone, in dependency order, also prompts that nobody measures: controls are as long as vprag's,
        whatever methods there are. Stages that entrants share come with each of them."""
        for stage in self.measured:
            yield from (with_inputs(stage) if stage is not self.reid else chain.from_iterable(map(with_inputs, stage.inputs)))

    @property
    def measured(self) -> Iterator[Stage[Any]]:
        """Its scores, each of its own kind."""
        found: tuple[Stage[Any] | None, ...] = (self.score, self.second, self.cross, self.reid)
        return (stage for stage in found if stage)


@dataclass(frozen=True)
class Vptt:
    """The benchmark as a list of stages: what `jobs.pipeline` runs and what the report reads."""

    people: People
    queries: Queries
    memory: Remember
    entrants: tuple[Entrant, ...]
    ceilings: Ceilings
    drawings: Drawings
    judgements: Judgements
    draw: Draw
    pool: tuple[Query, ...]
    models: Mapping[str, str]
    """The id with revision of "encoder", "second" (if there is one) and each "writer:<name>", the sha256 of each file "given:<name>", under
    "gallery" what names the people of the run; of images "renderer:<name>" and the roles of `image_ids`; of judges those of `judge_ids`."""
    _tasks_of: Callable[[Shard], list[Unit]] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Every stage of a shard asks for the same units, from several threads.
        object.__setattr__(self, "_tasks_of", lru_cache(maxsize=8)(self._tasks))

    @property
    def given(self) -> list[Given]:
        """Prompts that come from files."""
        return [entrant.prompt for entrant in self.entrants if isinstance(entrant.prompt, Given)]

    @property
    def sources(self) -> list[Stage[Any]]:
        """The stages that the driver stores itself."""
        return [self.people, *self.given]

    @property
    def scores(self) -> list[Score]:
        """The score of each entrant."""
        return [entrant.score for entrant in self.entrants]

    @cached_property
    def finals(self) -> list[Stage[Any]]:
        """Every failure shows in a score of some kind or in a ceiling."""
        return [
            *(stage for entrant in self.entrants for stage in entrant.measured),
            self.ceilings,
            *self.drawings.finals,
            *self.judgements.finals,
        ]

    @cached_property
    def phases(self) -> list[list[Stage[Any]]]:
        """What reads its own shard alone, then what reads the memory of all people."""
        stored = {stage.id for stage in self.sources}
        scored = (stage for entrant in self.entrants for stage in entrant.stages)
        first = [self.memory, *scored, self.ceilings, *self.drawings.stages, *self.judgements.stages]
        second: list[Stage[Any]] = [entrant.reid for entrant in self.entrants if entrant.reid]
        distinct = list({stage.id: stage for stage in first if stage.id not in stored}.values())
        return [distinct, second] if second else [distinct]

    @cached_property
    def stages(self) -> list[Stage[Any]]:
        """Every stage that actors run, in dependency order."""
        return [stage for phase in self.phases for stage in phase]

    def fingerprints(self) -> dict[str, str]:
        """Stage id -> fingerprint of every stage: part of the run's identity."""
        every: list[Stage[Any]] = [*self.sources, self.queries, *self.stages]
        return {stage.id: stage.fingerprint for stage in every}

    def units(self, shard: Shard, stage: Stage[Any]) -> list[Unit]:
        """The units of a stage on a shard: fixed when the plan is made."""
        if stage.per == "person":
            people = [Unit(subject.key, subject.key) for subject in shard.subjects]
            return [unit for each in people if stage.takes(unit := replace(each, strangers=strangers_of(each, shard)))]
        units = [unit for unit in self._tasks_of(shard) if stage.takes(unit)]
        return [unit.of_half(half) for unit in units for half in HALVES] if stage.per == "half" else units

    def _tasks(self, shard: Shard) -> list[Unit]:
        """One unit a person and query of the shard, with the strangers that it may be compared with."""
        return [
            replace(unit, strangers=strangers_of(unit, shard))
            for subject in shard.subjects
            for unit in query_units(subject.key, self._asked(subject))
        ]

    def _asked(self, subject: Subject) -> tuple[Query, ...]:
        """The queries of a person: those that the plan names, or their own draw."""
        if self.draw.assigned:
            return tuple(self._by_key[key] for key in subject.queries)
        return draw(self.pool, subject.key, self.draw.tasks, self.draw.per_task, self.draw.seed)

    @cached_property
    def _by_key(self) -> dict[str, Query]:
        return {query_key(query): query for query in self.pool}

    def actors(self, options: Mapping[str, Any]) -> Actors:
        """`options` as `actor_options` tells them."""
        return actor_maker(options, self.models, self.ceilings.definition)

    def before(self, phase: int, plan: Plan, results: Results, progress: Progress) -> Mapping[str, Any]:
        """Options for the workers of the second phase: the gallery, built if it is not there."""
        if phase == 0:
            return {}
        return {"gallery": ensure_gallery(self, plan, results, progress).option()}


def vptt(experiment: Experiment, models: Mapping[str, str], pool: Sequence[Query]) -> Vptt:
    """The stages of an experiment. `models` as in `Vptt.models`.

    Raises ConfigError for a task that the pool does not hold, and where no tau is known that matches the encoder.
    """
    people, queries = People(), Queries()
    drawn = draw_of(experiment, pool)
    memory = Remember(people, models["encoder"])
    definition = VpttDefinition(encoder=models["encoder"])
    parts = _Parts(experiment, models, people, memory, drawn, definition)
    entrants = [
        parts.entrant(prompt)
        for name in experiment.budgets
        for writer in experiment.writer_names()
        for prompt in parts.prompts(PRESETS[name], writer)
    ]
    prompts = [each.prompt for each in entrants]
    drawings = drawings_of(experiment, models, people, drawn, prompts)
    judgements = judgements_of(experiment, models, people, prompts, drawings)
    ceilings = Ceilings(people, memory, definition)
    return Vptt(people, queries, memory, tuple(entrants), ceilings, drawings, judgements, drawn, tuple(pool), dict(models))


@dataclass(frozen=True)
class _Parts:
    """What the entrants of an experiment are made of."""

    experiment: Experiment
    models: Mapping[str, str]
    people: People
    memory: Remember
    draw: Draw
    definition: VpttDefinition

    def prompts(self, budget: Budget, writer: str) -> Iterator[Prompt]:
        """The methods, then the controls, under one budget by one writer."""
        written = {"writer": writer, "writer_id": self.models[f"writer:{writer}"]}
        retrieved = self._retrieve(budget)

        def write(label: str, retrieved: Retrieve, method: str = "vprag") -> Prompt:
            kind = WritePrompt if writer == TEMPLATE else ModelPrompt
            return kind(label, self.people, retrieved, self.draw, METHODS[method], budget, **written)

        for name in self.experiment.method_names():
            source = self._retrieve(budget, matched=True) if METHODS[name].matched else retrieved
            yield write(name, source, name)
        for own in self.experiment.own_methods():
            yield Given(own.name, self.models[f"given:{own.name}"], self.draw, budget, **written)
        yield write("stranger", Retrieve(budget.name, self.people, self.memory, self.draw, retrieved.settings, STRANGER))
        yield write("random", RandomElements(retrieved))
        model = write("vprag", retrieved)
        yield OwnCaptions(self.people, model, self.draw)
        yield Noise(model, self.draw)

    def entrant(self, prompt: Prompt) -> Entrant:
        """A source of prompts with everything that is measured of it."""
        experiment, encoder = self.experiment, self.models["encoder"]
        score = Score(self.people, self.memory, EmbedPrompt(prompt, encoder), self.definition)
        second = None
        if "second" in self.models:
            second = SecondScore(self.people, prompt, VpttDefinition(encoder=self.models["second"]))
        cross = reid = None
        # What wrote the prompts of a file may have seen every caption, so nothing of it is held out.
        if (share := experiment.cross_fit) and not isinstance(prompt, Given):
            halves = EmbedPrompt(prompt.halves(share), encoder)
            cross = CrossFit(self.people, self.memory, halves, self.definition, share)
            reid = Reidentify(cross, EmbedMasked(self.people, halves, share), self.models["gallery"])
        return Entrant(score, second, cross, reid)

    def _retrieve(self, budget: Budget, *, matched: bool = False) -> Retrieve:
        wanted = self.experiment.retrieval
        tau = (wanted.matched_tau or matched_tau(self.models["encoder"])) if matched else wanted.tau
        settings = replace(budget.retrieval(), tau=tau, quota=wanted.quota)
        return Retrieve(f"{budget.name}-matched" if matched else budget.name, self.people, self.memory, self.draw, settings)


def draw_of(experiment: Experiment, pool: Sequence[Query]) -> Draw:
    """How the people of an experiment get queries of its pool. Raises ConfigError for a task that the pool does not hold."""
    key, wanted = content_key([query_key(query) for query in pool]), experiment.queries
    return Draw(key, _tasks(experiment, pool), wanted.per_task, experiment.seed, wanted.assigned)


def _tasks(experiment: Experiment, pool: Sequence[Query]) -> tuple[str, ...]:
    known = tuple(dict.fromkeys(query.task for query in pool))
    if experiment.queries.assigned:
        return known
    for task in experiment.queries.tasks:
        if task not in known:
            raise ConfigError(f"queries.tasks: there is no task '{task}'{did_you_mean(task, known)}.")
    tasks = experiment.queries.tasks or known
    draw(pool, "", tasks, experiment.queries.per_task, experiment.seed)  # raises where a person's draw would
    return tasks


def from_plan(plan: Plan, results: Results) -> Vptt:
    """A plan's stages, rebuilt by a worker from nothing but the store.

    Raises PlanMismatch if this version of mien would compute something else under the plan's name.
    """
    models: dict[str, str] = plan.identity["models"]
    rows = results.read(Queries(), plan.queries.key, overlays=0)
    pool = [row.outcome.value for subject in plan.queries.subjects if isinstance((row := rows[subject.key]).outcome, Answered)]
    workflow = vptt(Experiment.model_validate(plan.identity["experiment"]), models, pool)
    planned = plan.identity["stages"]
    if workflow.fingerprints() != planned:
        changed = sorted(set(workflow.fingerprints()) ^ set(planned))
        raise PlanMismatch(
            f"Run {plan.run} was planned by another version of mien: {', '.join(changed[:4])} differ.",
            remedy="Install one version on all nodes, or give the run a new --name.",
        )
    return workflow
