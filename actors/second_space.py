"""A second embedding space: embeds people and prompts, scores them, keeps the people it met last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from actors.encoders import Encoder
from actors.scorer import VpttScorer
from engine.metrics.definition import VpttDefinition
from engine.metrics.held_out import fewer, without
from engine.metrics.memory import PersonMemory
from engine.metrics.request import ScoreRequest
from engine.metrics.scored import Scored, scored
from engine.metrics.second import PersonTexts, TextScoreRequest
from engine.outcome import Outcome


class SecondSpace:
    """Scores prompts as `VpttScorer` does, from texts alone. `people` of them are kept embedded, the latest used first.

    Unusable units end as Failed with the codes of `VpttScorer`.
    """

    def __init__(self, encoder: Encoder, definition: VpttDefinition, *, people: int = 256) -> None:
        self._encoder, self._scorer, self._most = encoder, VpttScorer(definition, people=people), people
        self._people: OrderedDict[str, tuple[PersonTexts, PersonMemory]] = OrderedDict()

    def score(self, requests: Sequence[TextScoreRequest]) -> list[Outcome[Scored]]:
        """One outcome a request, in order; every text of the batch is embedded in one call."""
        met = {person.key: person for request in requests for person in request.people}
        fresh = [person for person in met.values() if self._kept(person) is None]
        texts = [text for person in fresh for text in _texts(person)]
        vectors = self._encoder.encode([*(request.prompt for request in requests), *texts]).vectors
        start = len(requests)
        for person in fresh:
            stop = start + len(person.captions) + bool(person.reference)
            rows, start = vectors[start:stop], stop
            reference = rows[-1] if person.reference else None
            memory = PersonMemory(person.key, person.captions, rows[: len(person.captions)], reference)
            self._people[person.key] = (person, memory)
        asked: list[list[ScoreRequest]] = []
        for index, request in enumerate(requests):
            memories = [self._people[person.key][1] for person in request.people]
            if request.held_out:
                whole = memories[0]
                memories[0] = without(whole, request.held_out, whole)
                gone = len(whole.captions) - len(memories[0].captions)
                memories[1:] = [fewer(memory, gone, request.key) for memory in memories[1:]]
            asked.append([ScoreRequest(memory, request.prompt, vectors[index]) for memory in memories])
        for person in met.values():
            self._people.move_to_end(person.key)
        while len(self._people) > self._most:
            self._people.popitem(last=False)
        answers = iter(self._scorer.score([each for group in asked for each in group]))
        return [scored([next(answers) for _ in group]) for group in asked]

    def close(self) -> None:
        """Let go of the encoder and of all people."""
        self._people.clear()
        self._scorer.close()
        self._encoder.close()

    def _kept(self, person: PersonTexts) -> PersonMemory | None:
        found = self._people.get(person.key)
        return found[1] if found is not None and found[0] == person else None


def _texts(person: PersonTexts) -> tuple[str, ...]:
    return (*person.captions, person.reference) if person.reference else person.captions
