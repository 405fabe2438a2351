"""What a writer is asked and what it answers: the contract that the template writer and every LLM writer share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.outcome import Failed, Outcome
from engine.prompting.budget import Budget, word_count
from engine.prompting.evidence import Evidence, RetrievedElement
from engine.prompting.methods import Method
from engine.prompting.phrases import Phrase
from engine.records import Profile, Query

QUERY_OVER_BUDGET = "query-over-budget"
EMPTY_QUERY = "empty-query"


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """One prompt to write.

    `key` names the unit. `phrases` is the method's material, ranked best first: all that a template writer uses. `summary`,
    `captions` and `elements` are what the method lets a model see, empty where it lets it see nothing.
    """

    key: str
    method: str
    query: Query
    phrases: tuple[Phrase, ...]
    budget: Budget
    summary: str = ""
    captions: tuple[str, ...] = ()
    elements: tuple[RetrievedElement, ...] = ()
    seed: int = 0
    """What a sampling writer draws with."""
    prefix: str = ""
    """Names the profile that is shown: requests with an equal one begin alike."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a language model said, whole, before the prompt was taken from it; how it ended, who said it, and the tokens it took."""

    raw: str
    finish: str
    model: str
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Written:
    """A prompt, its words (METRICS' tokens), its pieces in prompt order, the query included, and how many phrases the budget cut.

    A language model's pieces are those of its material that stand verbatim in the prompt; `said` is its reply.
    """

    prompt: str
    words: int
    pieces: tuple[Phrase, ...]
    cut: int
    said: Said | None = None

    def captions(self) -> frozenset[str]:
        """The pieces that come from captions."""
        return frozenset(piece.text for piece in self.pieces if piece.kind == "caption")


class Writer(Protocol):
    """Writes prompts; `id` names the model and its rules in every table."""

    id: str

    def write(self, requests: Sequence[WriteRequest]) -> list[Outcome[Written]]:
        """One outcome a request, in order."""
        ...

    def close(self) -> None:
        """Let go of the model."""
        ...


def unwritable(request: WriteRequest) -> Failed | None:
    """Why no writer can answer this request: `empty-query` or `query-over-budget`; None if one can."""
    words, limit = word_count(request.query.text), request.budget.words
    if not words:
        return Failed(EMPTY_QUERY, f"query {request.query.id!r} holds no word. Give it a text.")
    if limit is None or words <= limit:
        return None
    return Failed(
        QUERY_OVER_BUDGET,
        f"query {request.query.id!r} has {words} words, budget {request.budget.name!r} allows {limit}. "
        "Shorten the query or choose a larger budget.",
    )


def request_for(key: str, method: Method, profile: Profile, query: Query, evidence: Evidence | None, budget: Budget) -> WriteRequest:
    """The request of one unit: the method's material and only what the method may see of the profile.

    Raises ValueError if the method needs evidence and there is none.
    """
    return WriteRequest(
        key=key,
        method=method.name,
        query=query,
        phrases=method.material(profile, query, evidence),
        budget=budget,
        summary=profile.summary_given if "summary" in method.sees else "",
        captions=tuple(caption.text for caption in profile.captions) if "captions" in method.sees else (),
        elements=evidence.elements if evidence is not None and "retrieval" in method.sees else (),
    )
