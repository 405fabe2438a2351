"""Retrieval over the caption memory of all people: over everyone, within one person, who a prompt is like, what it copies.

    index = open_index(ensure_local(backend, name, sha256), verify=False)
    actor = RetrievalActor(index, threads=1)
    hits = actor.search(vectors, 10, exclude=[index.cluster_of(person) for person in own])

Every answer is exact in float64 on the index's float32 rows, and the same for any number of threads, batches and devices.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actors.index_file import CaptionIndex
from actors.nearest import CpuProposer, GpuProposer, Nearest, gpu_present
from actors.reidentifying import places_in_order, reidentify
from engine.errors import InputError
from engine.metrics.memory import unit_rows
from engine.metrics.reidentification import Gallery, Ranks
from engine.prompting.retrieval import NEGLIGIBLE_NORM, cosines

GPU_SCRATCH_BYTES = 256 << 20

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The best captions of q queries: positions of their people (q, k), their numbers within the person (q, k), and cosines (q, k).

    Best first, equals by person and caption. Where there are fewer than k: -1, -1 and NaN.
    """

    people: Integers
    captions: Integers
    cosines: Array


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """For each of q prompts the nearest caption of all people, the best cosine with the own person's (NaN if they have none), and whether
    no stranger's caption is nearer than the own person's (q,).
    """

    nearest: Hits
    own_cosine: Array
    is_own: NDArray[np.bool_]


class RetrievalActor:
    """Answers batches of queries from one open index.

    Args:
        threads: CPU threads of FAISS; set for the whole process. numpy's own threads are the environment's.
        gpu: whether a GPU searches; None: if the installed FAISS sees one.
        scratch_bytes: the GPU memory beside the rows' own.

    Raises ModelError (`faiss-missing`) without FAISS.
    """

    def __init__(self, index: CaptionIndex, *, threads: int = 1, gpu: bool | None = None, scratch_bytes: int = GPU_SCRATCH_BYTES) -> None:
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        self.index = index
        self.on_gpu = gpu_present() if gpu is None else gpu
        self._proposer = GpuProposer(index.vectors, scratch_bytes) if self.on_gpu else CpuProposer(index.vectors, threads)
        self._orders: dict[int, Integers] = {}
        self._nearest = Nearest(index.vectors, index.flat, self._proposer)

    @property
    def scans(self) -> int:
        """How many queries so far compared every row in numpy, because more rows tied or were excluded than FAISS was asked for."""
        return self._nearest.scans

    def search(self, vectors: NDArray[Any], k: int, *, exclude: Sequence[Collection[str]] | None = None) -> Hits:
        """The k nearest captions of all people for each of `vectors` (q, d), of any length; a query without direction is 0 to each.

        `exclude` names for each query people who must not be found, such as `index.cluster_of(person)`. A caption without direction is
        never found. Raises InputError for vectors that do not fit or hold NaN or infinity, and for an unknown person.
        """
        queries = self._queries(vectors, k)
        if exclude is None:
            exclude = [()] * len(queries)
        values, rows = self._nearest.find(queries, k, [self._rows_of(people) for people in _aligned("exclude", exclude, queries)])
        people = np.where(rows >= 0, self.index.owners(rows), -1)
        return Hits(people, np.where(rows >= 0, rows - self.index.offsets[people], -1), values)

    def within(self, person: str, vectors: NDArray[Any], k: int) -> Hits:
        """The k nearest captions of one person for each of `vectors` (q, d): those that `engine.prompting.retrieval` selects as posts."""
        return self.within_many([person] * len(vectors), vectors, k)

    def within_many(self, persons: Sequence[str], vectors: NDArray[Any], k: int) -> Hits:
        """`within` for q pairs of a person and a vector; pairs of one person share their work, in whatever order they come."""
        queries = self._queries(vectors, k)
        places = [self.index.place(person) for person in _aligned("persons", persons, queries)]
        hits = Hits(np.full((len(queries), k), -1), np.full((len(queries), k), -1), np.full((len(queries), k), np.nan))
        for place, pairs in _grouped(places).items():
            span = self.index.span(place)
            usable = np.flatnonzero(self.index.usable[span])
            rows = self.index.vectors[span][usable].astype(np.float64)
            for pair in pairs:
                values = cosines(queries[pair], rows)
                best = np.argsort(-values, kind="stable")[:k]
                hits.people[pair, : len(best)], hits.captions[pair, : len(best)] = place, usable[best]
                hits.cosines[pair, : len(best)] = values[best]
        return hits

    def copying(self, vectors: NDArray[Any], persons: Sequence[str]) -> Copies:
        """How near each prompt (q, d), written for `persons`, comes to the nearest caption of anyone, and whose that is."""
        nearest, own = self.search(vectors, 1), self.within_many(persons, vectors, 1)
        own_cosine = own.cosines[:, 0]
        return Copies(nearest, own_cosine, own_cosine >= nearest.cosines[:, 0])

    def reidentify(
        self, vectors: NDArray[Any], persons: Sequence[str], gallery: Gallery, *, allowed: NDArray[np.bool_] | None = None
    ) -> Ranks:
        """Where each prompt (q, d) ranks the person it was written for, among the people of a gallery.

        `allowed` (n,) marks the captions that count, in the index's order: half B, where half A was shown to the methods. The masked
        gallery is the fixed one of 1,000 with the vectors of prompts whose summary words were removed.
        """
        queries = self._queries(vectors, 1)
        if gallery.seed not in self._orders:
            self._orders[gallery.seed] = places_in_order(self.index, gallery.seed)  # a hash a person: dear beside a small batch
        return reidentify(self.index, queries, _aligned("persons", persons, queries), gallery, self._orders[gallery.seed], allowed)

    def close(self) -> None:
        """Let go of the GPU's memory; the mapped file goes with the index."""
        self._proposer.close()

    def _queries(self, vectors: NDArray[Any], k: int) -> Array:
        vectors = np.asarray(vectors)
        if k < 1:
            raise InputError(f"{k} captions were asked for.", field="k", remedy="Ask for 1 or more.")
        if vectors.ndim != 2 or vectors.shape[1] != self.index.dimension:
            raise InputError(
                f"queries of shape {vectors.shape} were given to an index of {self.index.dimension} dimensions.",
                field="vectors",
                remedy=f"Encode them with {self.index.encoder}.",
            )
        finite = unit_rows(vectors, NEGLIGIBLE_NORM)[2]
        if not finite.all():
            raise InputError(
                f"query {int(np.flatnonzero(~finite)[0])} holds NaN or infinity.",
                field="vectors",
                remedy="Leave it out, and say so.",
                code="non-finite-vector",
            )
        return vectors.astype(np.float64)

    def _rows_of(self, people: Collection[str]) -> Integers:
        """The rows of some people, sorted."""
        spans = [self.index.span(place) for place in sorted({self.index.place(person) for person in people})]
        return np.concatenate([np.arange(span.start, span.stop) for span in spans]) if spans else np.zeros(0, np.int64)


def _aligned(name: str, given: Sequence[Any], queries: Array) -> Sequence[Any]:
    if len(given) != len(queries):
        raise InputError(f"{len(queries)} queries came with {len(given)} {name}.", field=name, remedy="Give one for each query.")
    return given


def _grouped(places: Sequence[int]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for pair, place in enumerate(places):
        groups.setdefault(place, []).append(pair)
    return groups
