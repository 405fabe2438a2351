"""The gallery of a run: one index of everyone's captions, built once from committed memories, and what people have in common."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import CorruptObject, Missing
from engine.keys import canonical, content_key, sha256
from engine.store import names
from engine.store.backend import Backend
from engine.store.plans import Plan
from engine.store.results import Results
from jobs.progress import Progress

if TYPE_CHECKING:
    from actors.index_build import PersonVectors
    from jobs.vptt import Vptt


@dataclass(frozen=True, slots=True)
class Gallery:
    """The objects of a gallery in the store, each with its sha256: the index, and the people's traits."""

    index: str
    sha256: str
    traits: str
    traits_sha256: str

    def read_traits(self, backend: Backend) -> Mapping[str, list[str]]:
        """Each person's culture and trade. Raises Missing or CorruptObject."""
        data = backend.read(self.traits)
        if sha256(data) != self.traits_sha256:
            raise CorruptObject(f"{self.traits} is not what was stored there.", remedy="The next pass builds it again.")
        traits: dict[str, list[str]] = json.loads(data)
        return traits

    def is_whole(self, backend: Backend) -> bool:
        """Whether all of it is in the store as it was built."""
        from actors.index_copy import ensure_local

        try:
            self.read_traits(backend)
            ensure_local(backend, self.index, self.sha256)
        except (Missing, CorruptObject):
            return False
        return True

    def option(self) -> dict[str, str]:
        """As an option for workers."""
        return asdict(self)


def ensure_gallery(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> Gallery:
    """The gallery of what is committed now, built unless it is there and whole: its name says from which results it was made.

    A person whose memory failed is not in it; once that is mended, the next gallery has another name.
    """
    backend, memory = results.backend, workflow.memory
    made_from = {stage.id: [progress.overlays(stage, shard) for shard in plan.shards] for stage in (workflow.people, memory)}
    key = content_key({"shards": [shard.key for shard in plan.shards], "overlays": made_from})
    index, traits, facts = (names.object_(memory.id, key, kind) for kind in ("safetensors", "traits", "json"))
    found = _stored(backend, facts)
    if found is not None and (found.index, found.traits) == (index, traits) and found.is_whole(backend):
        return found
    for damaged in (facts, index, traits):  # or left half built: all of it follows from results
        backend.delete(damaged)
    alike = canonical({key: list(of) for key, of in _traits(workflow, plan, results, progress)})
    backend.create(traits, alike)
    from actors.index_build import build_index
    from actors.index_copy import commit_index

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "index")
        build_index(path, _vectors(workflow, plan, results, progress), encoder=memory.encoder)
        gallery = Gallery(index, commit_index(backend, index, path), traits, sha256(alike))
    backend.create(facts, canonical(gallery.option()))
    return gallery


def _stored(backend: Backend, facts: str) -> Gallery | None:
    try:
        return Gallery(**json.loads(backend.read(facts)))
    except (Missing, ValueError, TypeError):  # a damaged one names nothing that could be trusted
        return None


def _vectors(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> Iterator[PersonVectors]:
    from actors.index_build import PersonVectors

    columns = ["subject", "outcome", "dimensions", "captions"]
    found = results.merged_many(progress.wanted(workflow.memory, shard, columns) for shard in plan.shards)
    for shard, table in zip(plan.shards, found, strict=True):
        rows = {row["subject"]: row for row in _answered(table)}
        for subject in shard.subjects:
            if subject.key in rows:
                yield PersonVectors(subject.key, subject.cluster, rows[subject.key]["captions"])


def _traits(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> Iterator[tuple[str, tuple[str, str]]]:
    columns = ["subject", "outcome", "demographics"]
    for table in results.merged_many(progress.wanted(workflow.people, shard, columns) for shard in plan.shards):
        for row in table.to_pylist():
            if row["outcome"] == "answered":
                yield row["subject"], (row["demographics"]["culture"], row["demographics"]["occupation"])


def _answered(table: Any) -> Iterator[dict[str, Any]]:
    """The answered rows of a memory's table, captions as (m, d) views."""
    captions = table["captions"].combine_chunks()
    flat, offsets = captions.values.to_numpy(), captions.offsets.to_numpy()
    subjects, outcomes, dimensions = (table[name].to_pylist() for name in ("subject", "outcome", "dimensions"))
    for row, (subject, outcome, d) in enumerate(zip(subjects, outcomes, dimensions, strict=True)):
        if outcome == "answered":
            yield {"subject": subject, "captions": flat[offsets[row] : offsets[row + 1]].reshape(-1, d)}
