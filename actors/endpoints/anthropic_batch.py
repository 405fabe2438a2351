"""Anthropic's message batches: requests in the call itself, results as lines once all have ended
(https://docs.anthropic.com/en/docs/build-with-claude/batch-processing).

A batch there bears no name of ours: one that was submitted by a process that died is looked for by its size and its time, and known for
sure by the ids in its results.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from actors.endpoints import anthropic_wire
from actors.endpoints.batch_lines import expect_id, got_file, is_missing, paid, read_lines, unpaid
from actors.endpoints.batch_service import EARLY_S, PAGES, Result, Row, Standing
from actors.endpoints.credentials import Provider, key_variable
from actors.endpoints.http import EndpointClient
from actors.endpoints.verdicts import Unanswered
from engine.generation.chat import ChatRequest, Reply
from engine.outcome import Outcome
from engine.store.batch_ledger import Claim
from engine.writer_config import LanguageModel

Json = dict[str, Any]

_PATH = "/messages/batches"
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""HTTP's status of an error's type (https://docs.anthropic.com/en/api/errors); any other is an internal error."""


class AnthropicBatches:
    """The message batches of one workspace, as a `BatchService`."""

    provider: Provider = "anthropic"
    most_rows = 100_000
    most_bytes = 255_000_000
    names_its_batches = False

    def __init__(self, config: LanguageModel, client: EndpointClient) -> None:
        self._config, self._client = config, client

    def rows_of(self, request: ChatRequest) -> int:
        return request.sampling.n

    def line(self, row: Row) -> Json:
        return {"custom_id": row.id, "params": anthropic_wire.message_body(self._config.model, row.request)}

    def follows(self, row: Row, parameter: str) -> bool:
        return False

    def read(self, request: ChatRequest, replies: Sequence[Json]) -> Outcome[Reply]:
        return anthropic_wire.outcome_of(request, replies, self._config.revision)

    async def prepare(self, lines: Sequence[Json]) -> Json:
        return {"requests": list(lines)}

    async def create(self, key: str, prepared: Json) -> str:
        batch = await self._client.post_json(_PATH, prepared, tokens=0, check=expect_id, once=True)
        return str(batch["id"])

    async def look(self, batch: str) -> Standing:
        try:
            found = await self._client.get_json(f"{_PATH}/{quote(batch, safe='')}")
        except Unanswered as error:
            if is_missing(error):
                return Standing("gone")
            raise
        total = _total(found)
        done = total - int((found.get("request_counts") or {}).get("processing") or 0)
        if found.get("processing_status") != "ended":
            return Standing("open", done, total)
        # Results are kept for 29 days.
        return Standing("ended", done, total, (batch,)) if found.get("results_url") else Standing("gone", done, total)

    async def results(self, standing: Standing) -> tuple[list[tuple[str, Result]], int]:
        files = [await got_file(self._client, f"{_PATH}/{quote(batch, safe='')}/results") for batch in standing.results]
        return read_lines(files, self._result)

    async def candidates(self, claim: Claim, known: Collection[str]) -> list[str]:
        found: list[str] = []
        after = ""
        for _ in range(PAGES):
            page = await self._client.get_json(f"{_PATH}?limit=100{after}")
            batches = [batch for batch in page.get("data") or () if isinstance(batch, dict)]
            for batch in batches:
                if batch.get("id") not in known and _total(batch) == len(claim.rows) and _began(batch) >= claim.since - EARLY_S:
                    found.append(str(batch["id"]))
            if not batches or not page.get("has_more") or _began(batches[-1]) < claim.since - EARLY_S:
                break
            after = f"&after_id={quote(str(page.get('last_id') or batches[-1].get('id')), safe='')}"
        return found[::-1]

    async def cancel(self, batch: str) -> None:
        await self._client.post_json(f"{_PATH}/{quote(batch, safe='')}/cancel", {}, tokens=0)

    def _result(self, line: Json) -> Result:
        result = line.get("result")
        result = result if isinstance(result, dict) else {}
        kind = result.get("type")
        if kind in ("canceled", "expired"):
            return Result()
        if kind == "succeeded":
            return paid(result.get("message"), anthropic_wire.expect_message)
        response = result.get("error")
        error = response.get("error", response) if isinstance(response, dict) else None
        error = error if isinstance(error, dict) else {}
        return unpaid(_STATUS.get(str(error.get("type")), 500), {"error": error}, key_variable(self._config.endpoint, self.provider))


def _total(batch: Json) -> int:
    counts = batch.get("request_counts")
    return sum(count for count in counts.values() if isinstance(count, int)) if isinstance(counts, dict) else 0


def _began(batch: Json) -> float:
    """Unix seconds of a batch's creation; 0 if it does not say."""
    try:
        moment = datetime.fromisoformat(str(batch.get("created_at")))
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
