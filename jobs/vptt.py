"""The VPTT evaluation: people -> memory -> evidence -> prompts -> embeddings -> scores, and each person's ceiling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.config import Execution, Experiment
from engine.errors import ConfigError, PlanMismatch
from engine.keys import content_key
from engine.metrics.definition import VpttDefinition
from engine.nearest import did_you_mean
from engine.outcome import Answered
from engine.prompting.budget import PRESETS
from engine.prompting.methods import METHODS
from engine.queries import draw
from engine.records import Query
from engine.stage import Stage, Unit
from engine.stages.ceiling import Ceilings
from engine.stages.embedding import EmbedPrompt
from engine.stages.memory import Remember
from engine.stages.people import People
from engine.stages.prompt import WritePrompt
from engine.stages.queries import Draw, Queries, query_key, query_units
from engine.stages.retrieve import Retrieve
from engine.stages.score import Score
from engine.store.plans import Plan, Shard
from engine.store.results import Results
from jobs.actor_factory import actor_maker
from jobs.operators import ANY, Operator, operators
from jobs.workflow import Actors


@dataclass(frozen=True)
class Vptt:
    """The benchmark as a list of stages: what `jobs.pipeline` runs and what the report reads."""

    people: People
    queries: Queries
    memory: Remember
    evidence: Mapping[str, Retrieve]
    """By budget."""
    scores: tuple[Score, ...]
    ceilings: Ceilings
    draw: Draw
    pool: tuple[Query, ...]
    models: Mapping[str, str]
    """The id with revision of "encoder" and each "writer:<name>"."""

    @property
    def source(self) -> People:
        """The stage that the driver stores itself."""
        return self.people

    @property
    def finals(self) -> list[Stage[Any]]:
        """Every failure shows in a score or in a ceiling."""
        return [*self.scores, self.ceilings]

    @property
    def stages(self) -> list[Stage[Any]]:
        """Every stage that actors run, in dependency order."""
        prompts = [score.embedding.prompt for score in self.scores]
        embeddings = [score.embedding for score in self.scores]
        return [self.memory, *self.evidence.values(), *prompts, *embeddings, *self.scores, self.ceilings]

    def fingerprints(self) -> dict[str, str]:
        """Stage id -> fingerprint of every stage: part of the run's identity."""
        every: list[Stage[Any]] = [self.people, self.queries, *self.stages]
        return {stage.id: stage.fingerprint for stage in every}

    def units(self, shard: Shard, stage: Stage[Any]) -> list[Unit]:
        """The units of a stage on a shard: fixed when the plan is made."""
        if stage.per == "person":
            return [Unit(subject.key, subject.key) for subject in shard.subjects]
        return [
            unit
            for subject in shard.subjects
            for unit in query_units(subject.key, draw(self.pool, subject.key, self.draw.tasks, self.draw.per_task, self.draw.seed))
        ]

    def actors(self, options: Mapping[str, Any]) -> Actors:
        """`options`: "encoder" (a name or folder on this node) and "threads" (torch threads)."""
        return actor_maker(str(options["encoder"]), self.models, self.ceilings.definition, threads=int(options["threads"]))


def operators_of(workflow: Vptt, execution: Execution) -> list[Operator]:
    """The pools of processes that run the stages. Scores and ceilings are arithmetic: they run where their inputs were made."""
    pools = {"encoder": execution.encoder, **({"writer": execution.writer} if execution.writer else {})}

    def pool_of(actor: str) -> str:
        kind = actor.partition(":")[0]
        return ANY if kind == "scorer" else kind if kind in pools else "encoder"

    return operators(workflow.stages, pool_of, pools)


def vptt(experiment: Experiment, models: Mapping[str, str], pool: Sequence[Query]) -> Vptt:
    """The stages of an experiment. `models` gives the id with revision of "encoder" and each "writer:<name>".

    Raises ConfigError for a task that the pool does not hold.
    """
    people, queries = People(), Queries()
    drawn = Draw(content_key([query_key(query) for query in pool]), _tasks(experiment, pool), experiment.queries.per_task, experiment.seed)
    memory = Remember(people, models["encoder"])
    definition = VpttDefinition(encoder=models["encoder"])
    evidence: dict[str, Retrieve] = {}
    scores = []
    for name in experiment.budgets:
        budget = PRESETS[name]
        settings = replace(budget.retrieval(), tau=experiment.retrieval.tau, quota=experiment.retrieval.quota)
        evidence[name] = Retrieve(people, memory, drawn, settings, name)
        for writer in experiment.writers:
            for method in experiment.methods:
                prompt = WritePrompt(
                    people, evidence[name], drawn, METHODS[method], budget, writer=writer, writer_id=models[f"writer:{writer}"]
                )
                scores.append(Score(people, memory, EmbedPrompt(prompt, models["encoder"]), definition))
    return Vptt(people, queries, memory, evidence, tuple(scores), Ceilings(people, memory, definition), drawn, tuple(pool), dict(models))


def _tasks(experiment: Experiment, pool: Sequence[Query]) -> tuple[str, ...]:
    known = tuple(dict.fromkeys(query.task for query in pool))
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
