"""The template writer: puts the method's ranked phrases into one prompt, without a model. It pastes, so BRAG is extractive with it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.outcome import Answered, Outcome
from engine.prompting.assembly import VERSION as ASSEMBLY_RULE
from engine.prompting.assembly import assemble
from engine.prompting.writing import WriteRequest, Written, unwritable


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
    failed = unwritable(request)
    if failed:
        return failed
    made = assemble(request.query.text, request.phrases, request.budget)
    assert made is not None, "the query fits"
    return Answered(Written(made.prompt, made.words, made.pieces, made.cut))
