"""Finds people by their prompts in the galleries of a run: one index of everyone's captions, split into the halves of cross-fitting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from actors.index_file import CaptionIndex
from actors.retrieval import RetrievalActor
from engine.errors import InputError
from engine.metrics.held_out import TWIN
from engine.metrics.reidentification import Gallery, hard_gallery
from engine.metrics.search import SIZES, Found, Search, largest, mean_hit
from engine.outcome import Answered, Outcome
from engine.prompting.view import OTHER, half_of
from engine.stage import Half


class Reidentifier:
    """Answers batches of searches over one index.

    `traits` are each person's culture and trade ("" where unknown): people who share one are alike, the distractors of the hard gallery.
    """

    def __init__(self, index: CaptionIndex, traits: Mapping[str, Sequence[str]], *, threads: int = 1) -> None:
        self._retrieval = RetrievalActor(index, threads=threads)
        self._allowed = {half: _of_half(index, half) for half in ("a", "b")}
        self._traits = traits
        self._alike: dict[tuple[int, str], list[str]] = defaultdict(list)
        for person in index.people:
            for place, trait in enumerate(traits.get(person, ())):
                if trait:
                    self._alike[place, trait].append(person)

    def find(self, requests: Sequence[Sequence[Search]]) -> list[Outcome[Found]]:
        """One outcome a request, the mean over its halves."""
        searches = [search for request in requests for search in request]
        alike = {search.subject: self._those_like(search.subject) for search in searches}
        small, large = (Gallery(str(size), size) for size in SIZES)
        columns = [
            self._ranked(searches, small),
            self._ranked(searches, large),
            self._ranked(searches, hard_gallery(alike)),
            self._ranked(searches, large, masked=True),
        ]
        near = self._nearest(searches)
        places = iter(range(len(searches)))
        found: list[Outcome[Found]] = []
        for request in requests:
            rows = [next(places) for _ in request]
            hits = [mean_hit([column[0][row] for row in rows]) for column in columns]
            sizes = [int(max(column[1][row] for row in rows)) for column in columns]
            found.append(
                Answered(
                    Found(
                        hits[0],
                        hits[1],
                        hits[2],
                        hits[3],
                        sizes[0],
                        sizes[1],
                        sizes[2],
                        sizes[3],
                        *(largest(column[rows]) for column in near),
                    )
                )
            )
        return found

    def close(self) -> None:
        """Let go of the index."""
        self._retrieval.close()

    def _ranked(
        self, searches: Sequence[Search], gallery: Gallery, *, masked: bool = False
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Hits at 1 and gallery sizes of all searches, one call for each half that is searched in."""
        hits, sizes = np.full(len(searches), np.nan), np.zeros(len(searches), np.int64)
        for half, allowed in self._allowed.items():
            here = [place for place, search in enumerate(searches) if search.among == half]
            if here:
                vectors = np.stack([searches[place].masked if masked else searches[place].vector for place in here])
                ranks = self._retrieval.reidentify(vectors, [searches[place].subject for place in here], gallery, allowed=allowed)
                hits[here], sizes[here] = ranks.hits(1), ranks.size
        return hits, sizes

    def _nearest(self, searches: Sequence[Search]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The largest cosine of each prompt with a caption of the person's, and with one of anybody outside their cluster."""
        vectors, people = np.stack([search.vector for search in searches]), [search.subject for search in searches]
        clusters = {person: self._retrieval.index.cluster_of(person) for person in set(people)}
        others = self._retrieval.search(vectors, 1, exclude=[clusters[person] for person in people])
        return self._retrieval.within_many(people, vectors, 1).cosines[:, 0], others.cosines[:, 0]

    def _those_like(self, person: str) -> set[str]:
        """Everyone who shares the person's culture or trade."""
        traits = enumerate(self._traits.get(person, ()))
        return {other for place, trait in traits if trait for other in self._alike[place, trait]}


def _of_half(index: CaptionIndex, half: Half) -> NDArray[np.bool_]:
    """Which captions of the index belong to a half and are no twins of the other one's; none of a person who has too few to split."""
    flags = np.zeros(int(index.offsets[-1]), dtype=bool)
    for place, person in enumerate(index.people):
        span = index.span(place)
        try:
            mine, other = (np.array(half_of(person, span.stop - span.start, each)) for each in (half, OTHER[half]))
        except InputError:
            continue
        rows = index.vectors[span]
        flags[span.start + mine] = (rows[mine] @ rows[other].T).max(axis=1) <= TWIN
    return flags
