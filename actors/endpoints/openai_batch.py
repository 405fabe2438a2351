"""OpenAI's batches: a file of requests, a batch that names it, files of outputs and of errors
(https://platform.openai.com/docs/guides/batch)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from urllib.parse import quote

from actors.endpoints import openai_replies
from actors.endpoints.batch_lines import encoded, expect_id, got_file, is_missing, paid, read_lines, unpaid
from actors.endpoints.batch_service import EARLY_S, PAGES, Problem, Result, Row, Standing
from actors.endpoints.credentials import Provider, key_variable
from actors.endpoints.http import EndpointClient
from actors.endpoints.openai_requests import PATHS, Dialect
from actors.endpoints.verdicts import Unanswered
from engine.generation.chat import ChatRequest, Reply
from engine.outcome import Outcome
from engine.store.batch_ledger import Claim
from engine.writer_config import LanguageModel

Json = dict[str, Any]

NAME = "mien"
"""Key of a batch's metadata under which its ledger key stands."""

_ENDPOINT = f"/v1{PATHS['chat']}"
_ADAPTABLE = frozenset({"seed", "temperature", "top_p", "n", "max_tokens", "max_completion_tokens"})
"""Parameters that a `Dialect` may leave out or call by another name."""

_OPEN = frozenset({"validating", "in_progress", "finalizing", "cancelling"})
_ENDED = frozenset({"completed", "expired", "cancelled"})
_NOT_BEGUN = frozenset({"batch_expired", "batch_cancelled"})


class OpenAiBatches:
    """The batches of one account, as a `BatchService`."""

    provider: Provider = "openai"
    most_rows = 50_000
    most_bytes = 199_000_000
    names_its_batches = True

    def __init__(self, config: LanguageModel, client: EndpointClient) -> None:
        self._config, self._client = config, client
        self._dialect = Dialect("chat", own=not config.endpoint.base_url)

    def rows_of(self, request: ChatRequest) -> int:
        return 1

    def line(self, row: Row) -> Json:
        return {"custom_id": row.id, "method": "POST", "url": _ENDPOINT, "body": self._dialect.body(self._config.model, row.request)}

    def follows(self, row: Row, parameter: str) -> bool:
        body = self._dialect.body(self._config.model, row.request)
        return parameter in _ADAPTABLE and (parameter not in body or self._dialect.follows(parameter, body))

    def read(self, request: ChatRequest, replies: Sequence[Json]) -> Outcome[Reply]:
        return openai_replies.outcome_of(request, replies[0], self._config.revision)

    async def prepare(self, lines: Sequence[Json]) -> Json:
        file = await self._client.upload("/files", {"purpose": "batch"}, b"\n".join(map(encoded, lines)) + b"\n")
        return {"input_file_id": str(file.get("id") or ""), "endpoint": _ENDPOINT, "completion_window": "24h"}

    async def create(self, key: str, prepared: Json) -> str:
        body = {**prepared, "metadata": {NAME: key}}
        batch = await self._client.post_json("/batches", body, tokens=0, check=expect_id, once=True)
        return str(batch["id"])

    async def look(self, batch: str) -> Standing:
        try:
            found = await self._client.get_json(f"/batches/{quote(batch, safe='')}")
        except Unanswered as error:
            if is_missing(error):
                return Standing("gone")
            raise
        counts = found.get("request_counts") or {}
        done, total = int(counts.get("completed") or 0) + int(counts.get("failed") or 0), int(counts.get("total") or 0)
        status = found.get("status")
        if status in _ENDED:
            files = (found.get("output_file_id"), found.get("error_file_id"))
            return Standing("ended", done, total, tuple(str(file) for file in files if file))
        if status == "failed":
            return Standing("failed", done, total, problems=_problems(found))
        return Standing("open", done, total)

    async def results(self, standing: Standing) -> tuple[list[tuple[str, Result]], int]:
        files = [await got_file(self._client, f"/files/{quote(file, safe='')}/content") for file in standing.results]
        return read_lines(files, self._result)

    async def candidates(self, claim: Claim, known: Collection[str]) -> list[str]:
        found: list[tuple[bool, float, str]] = []
        after = ""
        for _ in range(PAGES):
            page = await self._client.get_json(f"/batches?limit=100{after}")
            batches = [batch for batch in page.get("data") or () if isinstance(batch, dict)]
            for batch in batches:
                named = (batch.get("metadata") or {}).get(NAME) == claim.key
                if named and batch.get("id") not in known:
                    stopped = batch.get("status") not in _OPEN | {"completed"}
                    found.append((stopped, float(batch.get("created_at") or 0), str(batch["id"])))
            if not batches or not page.get("has_more") or float(batches[-1].get("created_at") or 0) < claim.since - EARLY_S:
                break
            after = f"&after={quote(str(batches[-1].get('id')), safe='')}"
        return [id_ for _, _, id_ in sorted(found)]

    async def cancel(self, batch: str) -> None:
        await self._client.post_json(f"/batches/{quote(batch, safe='')}/cancel", {}, tokens=0)

    def _result(self, line: Json) -> Result:
        error, response = line.get("error"), line.get("response")
        if isinstance(error, dict) and error.get("code") in _NOT_BEGUN:
            return Result()
        if not isinstance(response, dict):
            return unpaid(500, {"error": error} if isinstance(error, dict) else {}, self._key_variable)
        body, status = response.get("body"), response.get("status_code")
        if status == 200:
            return paid(body, openai_replies.expect_choices)
        return unpaid(status if isinstance(status, int) else 500, body if isinstance(body, dict) else {}, self._key_variable)

    @property
    def _key_variable(self) -> str:
        return key_variable(self._config.endpoint, self.provider)


def _problems(batch: Json) -> tuple[Problem, ...]:
    listed = (batch.get("errors") or {}).get("data") or [{}]
    return tuple(
        Problem(str(each.get("code") or ""), str(each.get("message") or "the provider does not say why"), int(each.get("line") or 0))
        for each in listed
        if isinstance(each, dict)
    )
