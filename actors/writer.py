"""The template writer: puts the method's ranked phrases into one prompt, without a model. It pastes, so BRAG is extractive with it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.outcome import Answered, Failed, Outcome
from engine.prompting.assembly import VERSION as ASSEMBLY_RULE
from engine.prompting.assembly import assemble
from engine.prompting.budget import word_count
from engine.prompting.writing import EMPTY_QUERY, QUERY_OVER_BUDGET, WriteRequest, Written


class TemplateWriter:
    """Writes prompts by `engine.prompting.assembly`; deterministic, holds nothing. For editing tasks the prompt is the instruction,
    personalised: the source's caption is not part of it (VPTT, Queries).
    """

    id = f"template-1.{ASSEMBLY_RULE}"
    """Names everything that changes what it writes: part of fingerprints."""

    def write(self, requests: Sequence[WriteRequest]) -> list[Outcome[Written]]:
        """One outcome a request, in order; Failed `query-over-budget` or `empty-query` where no prompt is possible."""
        return [_written(request) for request in requests]

    def close(self) -> None:
        """Nothing to let go of."""


def _written(request: WriteRequest) -> Outcome[Written]:
    words = word_count(request.query.text)
    if not words:
        return Failed(EMPTY_QUERY, f"query {request.query.id!r} holds no word. Give it a text.")
    made = assemble(request.query.text, request.phrases, request.budget)
    if made is None:
        return Failed(
            QUERY_OVER_BUDGET,
            f"query {request.query.id!r} has {words} words, budget {request.budget.name!r} allows {request.budget.words}. "
            "Shorten the query or choose a larger budget.",
        )
    return Answered(Written(made.prompt, made.words, made.pieces, made.cut))
