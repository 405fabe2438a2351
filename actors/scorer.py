"""The VPTT scorer: holds prepared people, scores a shard's prompts person by person."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

import numpy as np

from engine.errors import InputError
from engine.metrics.cross import CrossFitted, Fold, fold_figures, mean_of
from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import PersonMemory, unit_rows
from engine.metrics.person import Person, prepare_all
from engine.metrics.request import ScoreRequest
from engine.metrics.vptt import VpttScore, score_prompts
from engine.outcome import Answered, Failed, Outcome
from engine.tokens import tokens

__all__ = ["ScoreRequest", "VpttScorer"]


class VpttScorer:
    """Scores prompts under one definition. A person is prepared once and kept, up to `people` of them, the latest used first.

    An unusable unit ends as Failed, never as a score: "empty-prompt", "non-finite-vector", "dimension-mismatch", and
    "non-finite-memory" or "no-reference" for every prompt of a person who cannot be scored.
    """

    def __init__(self, definition: VpttDefinition, *, people: int = 256) -> None:
        self.definition = definition
        self._most = max(1, people)
        self._people: OrderedDict[str, tuple[PersonMemory, Person | Failed]] = OrderedDict()

    def score(self, requests: Sequence[ScoreRequest]) -> list[Outcome[VpttScore]]:
        """One outcome a request, in the order of the requests, which need not be grouped by person."""
        groups = _by_person(requests)
        outcomes: dict[int, Outcome[VpttScore]] = {}
        for (memory, indices), person in zip(groups, self._prepared([memory for memory, _ in groups]), strict=True):
            if isinstance(person, Failed):
                outcomes.update(dict.fromkeys(indices, person))
            else:
                outcomes.update(zip(indices, self._score_person(memory, person, [requests[index] for index in indices]), strict=True))
        return [outcomes[index] for index in range(len(requests))]

    def cross(self, requests: Sequence[Sequence[Fold]]) -> list[Outcome[CrossFitted]]:
        """One outcome a request, the mean of its folds; a fold that cannot be scored ends its request as `score` would end it."""
        memories = {id(memory): memory for request in requests for fold in request for memory in (fold.seen, fold.held)}
        people = dict(zip(memories, self._prepared(list(memories.values())), strict=True))
        return [self._cross(request, people) for request in requests]

    def _cross(self, folds: Sequence[Fold], people: Mapping[int, Person | Failed]) -> Outcome[CrossFitted]:
        found = []
        for fold in folds:
            seen, held, words = people[id(fold.seen)], people[id(fold.held)], tokens(fold.prompt)
            if isinstance(seen, Failed):
                return seen
            if isinstance(held, Failed):
                return held
            units, _, finite = unit_rows(fold.vector[None], self.definition.zero_norm)
            fits = fold.vector.shape == (fold.held.dimension,)
            if not (words and fits and finite[0]):
                return _fault(ScoreRequest(fold.held, fold.prompt, fold.vector), fold.held, bool(words), fits)
            found.append(fold_figures(seen, held, words, units[0], self.definition))
        return Answered(mean_of(found))

    def close(self) -> None:
        """Forget all prepared people."""
        self._people.clear()

    def _prepared(self, memories: Sequence[PersonMemory]) -> list[Person | Failed]:
        """Each person from what is kept, all others prepared together."""
        known = [self._people.get(memory.key) for memory in memories]
        found = [
            entry[1] if entry is not None and entry[0].same_as(memory) else None for entry, memory in zip(known, memories, strict=True)
        ]
        missing = [memory for memory, person in zip(memories, found, strict=True) if person is None]
        fresh = iter(prepare_all(missing, self.definition))
        people = [_or_failed(next(fresh)) if person is None else person for person in found]
        for memory, person in zip(memories, people, strict=True):
            self._people[memory.key] = (memory, person)
            self._people.move_to_end(memory.key)
        while len(self._people) > self._most:
            self._people.popitem(last=False)
        return people

    def _score_person(self, memory: PersonMemory, person: Person, requests: Sequence[ScoreRequest]) -> list[Outcome[VpttScore]]:
        words = [tokens(request.prompt) for request in requests]
        fits = [request.vector.shape == (memory.dimension,) for request in requests]
        nowhere = np.zeros(memory.dimension)
        rows = np.array([request.vector if fit else nowhere for request, fit in zip(requests, fits, strict=True)])
        units, _, is_finite = unit_rows(rows, self.definition.zero_norm)
        finite = is_finite.tolist()
        usable = [index for index in range(len(requests)) if words[index] and fits[index] and finite[index]]
        scores = score_prompts(person, [words[index] for index in usable], units[usable], self.definition)
        outcomes: dict[int, Outcome[VpttScore]] = {index: Answered(score) for index, score in zip(usable, scores, strict=True)}
        for index in range(len(requests)):
            if index not in outcomes:
                outcomes[index] = _fault(requests[index], memory, bool(words[index]), fits[index])
        return [outcomes[index] for index in range(len(requests))]


def _by_person(requests: Sequence[ScoreRequest]) -> list[tuple[PersonMemory, list[int]]]:
    """Requests by person, in order of first appearance. A key names one content, but is only a promise: what differs is scored apart."""
    groups: dict[str, list[tuple[PersonMemory, list[int]]]] = {}
    for index, request in enumerate(requests):
        people = groups.setdefault(request.memory.key, [])
        for memory, indices in people:
            if request.memory.same_as(memory):
                indices.append(index)
                break
        else:
            people.append((request.memory, [index]))
    return [group for people in groups.values() for group in people]


def _or_failed(person: Person | InputError) -> Person | Failed:
    return Failed(person.code, str(person)) if isinstance(person, InputError) else person


def _fault(request: ScoreRequest, memory: PersonMemory, has_words: bool, fits: bool) -> Failed:
    if not has_words:
        return Failed("empty-prompt", f"The prompt {request.prompt[:40]!r} holds no word; an empty prompt has no score.")
    if not fits:
        found = request.vector.shape
        return Failed(
            "dimension-mismatch",
            f"The prompt's embedding has shape {found}, the captions' dimension is {memory.dimension}. Use one encoder for both.",
        )
    return Failed("non-finite-vector", "The prompt's embedding holds NaN or infinity. Embed the prompt again.")
