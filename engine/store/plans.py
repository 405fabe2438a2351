"""Immutable plans and the names bound to them (STORAGE, rule 3).

A run id hashes what can change a result or the set of units; pools, budgets and prices are not part of it. A plan is written once,
when the run's people are known, and never changes; a human name is bound to one run id for good.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from engine.errors import CorruptObject, Missing, PlanMismatch, UsageError
from engine.keys import Json, canonical, content_key
from engine.nearest import did_you_mean
from engine.store import names
from engine.store.backend import Backend


@dataclass(frozen=True, slots=True)
class Subject:
    """One person (or query) of a plan: content key, the id people know, bootstrap cluster; `bad` if the input row could not be used.

    `queries` has the content keys of the queries that a person is assigned; () where queries are drawn.
    """

    key: str
    id: str
    cluster: str
    bad: bool = False
    queries: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """Without what most subjects have not."""
        return {name: value for name, value in asdict(self).items() if name != "queries" or value}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Subject:
        """A subject of a plan read back."""
        return cls(**{**raw, "queries": tuple(raw.get("queries", ()))})


@dataclass(frozen=True, slots=True)
class Shard:
    """A fixed group of subjects, named by its content."""

    key: str
    subjects: tuple[Subject, ...]

    @classmethod
    def of(cls, subjects: Sequence[Subject]) -> Shard:
        """The shard of these subjects in this order."""
        assigned = any(subject.queries for subject in subjects)
        named = [[subject.key, list(subject.queries)] if assigned else subject.key for subject in subjects]
        return cls(content_key(cast(Json, named)), tuple(subjects))

    def to_json(self) -> dict[str, Json]:
        """As it stands in a plan."""
        return {"key": self.key, "subjects": [subject.to_json() for subject in self.subjects]}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Shard:
        """A shard of a plan read back."""
        return cls(raw["key"], tuple(map(Subject.from_json, raw["subjects"])))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do, in full: enough for a worker to rebuild its stages from nothing else."""

    run: str
    identity: Mapping[str, Any]
    """What the run id hashes: "experiment" (pinned), "people", "models" and "stages" (id -> fingerprint)."""
    queries: Shard
    """The pool of queries, in order: one shard."""
    shards: tuple[Shard, ...]
    partial: bool
    """Whether a limit left people out."""
    total_people: int

    def to_bytes(self) -> bytes:
        """Canonical JSON, with a digest of itself."""
        plan: dict[str, Json] = {
            "run": self.run,
            "identity": self.identity,
            "queries": self.queries.to_json(),
            "shards": [shard.to_json() for shard in self.shards],
            "partial": self.partial,
            "total_people": self.total_people,
        }
        return canonical({**plan, "sha256": content_key(plan)})

    @classmethod
    def from_bytes(cls, data: bytes) -> Plan:
        """A plan read back. Raises CorruptObject."""
        try:
            raw = json.loads(data)
            if raw.pop("sha256") != content_key(raw):
                raise ValueError("its digest is another")
            return cls(**{**raw, "queries": Shard.from_json(raw["queries"]), "shards": tuple(map(Shard.from_json, raw["shards"]))})
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise CorruptObject(f"A plan.json cannot be read: {error}.") from error


def run_id(identity: Mapping[str, Any]) -> str:
    """The id of the run with this identity."""
    return names.short(content_key(identity))


def save_plan(backend: Backend, plan: Plan) -> None:
    """Write a plan once. Raises PlanMismatch if another one stands under its run id."""
    name = names.run(plan.run, "plan.json")
    data = plan.to_bytes()
    if not backend.create(name, data) and backend.read(name) != data:
        raise PlanMismatch(
            f"Run {plan.run} was planned with other people than this input gives now.",
            remedy="Use another --store, or restore the version of mien that planned it.",
        )


def load_plan(backend: Backend, run: str) -> Plan | None:
    """The plan of a run id, or None."""
    try:
        plan = Plan.from_bytes(backend.read(names.run(run, "plan.json")))
    except Missing:
        return None
    if plan.run != run or run_id(plan.identity) != run:
        raise CorruptObject(f"The plan of run {run} belongs to another run.")
    return plan


def check_name(backend: Backend, name: str, run: str, identity: Mapping[str, Any]) -> None:
    """Raise PlanMismatch, with a readable difference and both remedies, if `name` is bound to another run. Writes nothing."""
    bound = _binding(backend, name)
    if bound is None:
        return
    if bound["run"] != run:
        differences = "\n".join(f"  {line}" for line in _told_apart(bound["identity"], identity))
        raise PlanMismatch(
            f"The name '{name}' is bound to run {bound['run']}, and this is another plan:\n{differences}\n",
            remedy="Give this one a new name (--name NEW), or revert the change; unchanged stages are reused either way.",
        )


def _binding(backend: Backend, name: str) -> dict[str, Any] | None:
    """{"run", "identity"} that a name is bound to, or None."""
    try:
        binding: dict[str, Any] = json.loads(backend.read(names.name(name)))
        return {"run": binding["run"], "identity": binding["identity"]}
    except Missing:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptObject(
            f"{names.name(name)} cannot be read.", remedy="Move that file away; the name can then be given again."
        ) from error


def bind_name(backend: Backend, name: str, run: str, identity: Mapping[str, Any]) -> None:
    """Bind `name` to `run` for good. Raises PlanMismatch if it is bound to another run."""
    if not backend.create(names.name(name), canonical({"run": run, "identity": identity})):
        check_name(backend, name, run, identity)


def bound_run(backend: Backend, name_or_id: str) -> tuple[str, str]:
    """(name, run id) of a run, found by either. Raises UsageError naming the known runs."""
    bound = _binding(backend, name_or_id) if names.is_run_name(name_or_id) else None
    if bound:
        return name_or_id, str(bound["run"])
    known = known_names(backend)
    for name in known:
        if (binding := _binding(backend, name)) and binding["run"] == name_or_id:
            return name, name_or_id
    hint = f"Known runs: {', '.join(known)}." if known else "There is no run in this store yet; start one with `mien run`."
    near = did_you_mean(name_or_id, known) if known else ""
    raise UsageError(f"There is no run '{name_or_id}' in {backend.uri}{near}.", remedy=hint)


def known_names(backend: Backend) -> list[str]:
    """The names bound in a store, sorted."""
    return [name.removeprefix("names/").removesuffix(".json") for name in backend.list("names/")]


def _told_apart(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What differs between two identities; stages only where nothing else does, since they follow from the rest."""

    def without_stages(identity: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in identity.items() if key != "stages"}

    return difference(without_stages(old), without_stages(new)) or ["the code of a stage: " + line for line in difference(old, new)]


def difference(old: Json, new: Json, path: str = "") -> list[str]:
    """Lines "field: old -> new" for every leaf that differs."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        lines: list[str] = []
        for key in sorted({*old, *new}):
            lines += difference(old.get(key), new.get(key), f"{path}.{key}" if path else key)
        return lines
    return [] if old == new else [f"{path}: {_shown(old)} -> {_shown(new)}"]


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."
