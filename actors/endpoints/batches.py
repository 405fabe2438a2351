"""Language models through a provider's batch endpoint: half price, up to a day, and never paid twice.

What was asked is found again by the ids of its rows in the store's ledger: a killed process that starts anew, or another command with
some of the same rows, attaches to the batches that hold them. Open ones are waited for, finished ones are read.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from actors.endpoints import credentials
from actors.endpoints.background import in_background
from actors.endpoints.batch_collecting import Collected, Collecting
from actors.endpoints.batch_service import BatchService, Result, Row
from actors.endpoints.batch_submitting import Submitting
from actors.endpoints.calls import by_prefix, refuse_fixed_length, served_id, unasked
from actors.endpoints.http import EndpointClient
from actors.endpoints.usage import Ledger, usage_of
from actors.endpoints.verdicts import Unanswered
from engine.errors import ModelError
from engine.generation.chat import ENDPOINT_FAILED, ChatRequest, Reply, Spent
from engine.keys import sha256
from engine.outcome import Failed, FailureKind, Outcome
from engine.store.batch_ledger import BatchLedger
from engine.writer_config import LanguageModel

SUBMISSIONS = 3
"""Batches that a row is put into by one call before it ends as `Failed` (retryable): a batch may expire before it comes to a row."""

ID = 40
"""Hex characters of a row's id; Anthropic takes 64 of [a-zA-Z0-9_-], OpenAI does not say."""


def on_stderr(line: str) -> None:
    """Where progress goes if nobody listens: into the process's log."""
    print(line, file=sys.stderr, flush=True)


class BatchedChat:
    """A chat model behind a provider's batch endpoint. A call returns when all of its rows came back, after up to a day or more.

    Args:
        config: the model, with its endpoint and price.
        ledger: of the store that a restarted process opens again.
        processes: how many processes share the endpoint's rate limit.
        progress: is told at each look at an open batch how far it is.

    Raises:
        ConfigError: no API key in the environment, or a sampling that the provider does not have.
    """

    patient = True
    """Its calls wait on purpose: `jobs.calling` lets them."""

    def __init__(
        self, config: LanguageModel, ledger: BatchLedger, *, processes: int = 1, progress: Callable[[str], None] = on_stderr
    ) -> None:
        self.id = served_id(config)
        self._config, self._ledger = config, ledger
        self._client = EndpointClient(config.endpoint, "anthropic" if config.engine == "anthropic" else "openai", processes=processes)
        self._service = _service(config, self._client)
        self._closed = threading.Event()
        self._collecting = Collecting(self._service, config.endpoint, progress, self._pause)
        self._submitting = Submitting(self._service, config.endpoint, ledger, progress, self._pause)
        self._bill, self._billing = Ledger(config.price), threading.Lock()
        self._billed: set[str] = set()

    @property
    def spent(self) -> Spent:
        """What the rows that came back took, those included that a process before this one submitted and did not live to read."""
        return self._bill.spent

    def chat(self, requests: Sequence[ChatRequest]) -> list[Outcome[Reply]]:
        """One outcome a request, in order. Safe to call from several threads and processes: equal rows are submitted once.

        Raises ConfigError and BudgetReached as a served model does, StoreError if the ledger cannot be used, ModelError after `close`.
        What was submitted stands: the next call attaches to it.
        """
        refuse_fixed_length(requests)
        failed = {index: outcome for index, request in enumerate(requests) if (outcome := unasked(self._config, request))}
        asked = {index: self._rows(requests[index]) for index in by_prefix(requests) if index not in failed}
        found = self._found({row.id: row for rows in asked.values() for row in rows})
        return [
            failed[index] if index in failed else self._outcome(request, [found.get(row.id, Result()) for row in asked[index]])
            for index, request in enumerate(requests)
        ]

    def close(self) -> None:
        """Let go of the endpoint; a call that waits ends with ModelError. Open batches go on at the provider."""
        self._closed.set()
        in_background(self._client.close())

    def _rows(self, request: ChatRequest) -> list[Row]:
        provider = self._service.provider
        where = [provider, credentials.base_url(self._config.endpoint, provider), self._config.model]
        what = _said(request)
        rows = []
        for number in range(self._service.rows_of(request)):
            # Not `content_key`: seeds have more bits than numbers of canonical JSON, and a text may hold half of a surrogate pair.
            said = json.dumps([*where, what, number], sort_keys=True).encode()
            rows.append(Row(sha256(said)[:ID], request, number))
        return rows

    def _found(self, rows: Mapping[str, Row]) -> dict[str, Result]:
        """What became of each row: reads the batches that the ledger has for them, and submits the rest, until all have come to an end."""
        collected = Collected(frozenset(rows))
        submissions = 0
        try:
            while rest := [row for row in rows.values() if not collected.is_final(row.id)]:
                ids = [row.id for row in rest]
                holding = [each for each in self._ledger.holding(ids) if each.batch and each.key not in collected.keys]
                if holding:
                    self._collecting.collect(holding, collected)
                    self._follow(rest, collected)
                    self._charge(collected)
                elif claims := self._ledger.unsettled(ids):
                    self._submitting.settle(claims[0])
                elif submissions < SUBMISSIONS + collected.turned_away:
                    entered, refused = self._submitting.submit(rest)
                    submissions += entered
                    collected.results |= refused
                else:
                    break
        except Unanswered as error:
            return {**dict.fromkeys(rows, Result(error=error.outcome)), **collected.finals()}
        self._ledger.tell(collected.keys)
        return collected.results

    def _follow(self, rows: Sequence[Row], collected: Collected) -> None:
        """Rows that were refused for a parameter that the next batch does without have not come to an end."""
        refused = {row.id: row for row in rows if (result := collected.results.get(row.id)) is not None and result.parameter}
        parameters = {collected.results[id_].parameter: row for id_, row in refused.items()}
        followed = {parameter for parameter, row in parameters.items() if self._service.follows(row, parameter)}
        for id_ in refused:
            if collected.results[id_].parameter in followed:
                collected.results[id_] = Result()

    def _charge(self, collected: Collected) -> None:
        with self._billing:
            for id_, result in collected.results.items():
                if result.reply is not None and id_ not in self._billed:
                    self._billed.add(id_)
                    if (usage := usage_of(result.reply)) is not None:
                        self._bill.add(usage, share=self._config.price.batch_share)

    def _outcome(self, request: ChatRequest, results: Sequence[Result]) -> Outcome[Reply]:
        for result in results:
            if result.error is not None:
                return result.error
        replies = [result.reply for result in results if result.reply is not None]
        if len(replies) < len(results):
            return Failed(ENDPOINT_FAILED, f"{SUBMISSIONS} batches ended without this row.", FailureKind.RETRYABLE)
        return self._service.read(request, replies)

    def _pause(self, seconds: float) -> None:
        if self._closed.wait(seconds):
            raise ModelError("The endpoint's client is closed.", code="model-closed")


def _said(request: ChatRequest) -> dict[str, Any]:
    """What a request asks, as JSON, pictures by their digests; where there are none the ids of rows are those of before there were any."""
    said = {**asdict(request), "prefix": ""}  # the prefix only says who goes together
    for message in said["messages"]:
        if pictures := message.pop("pictures"):
            message["pictures"] = [sha256(picture) for picture in pictures]
    return said


def _service(config: LanguageModel, client: EndpointClient) -> BatchService:
    if client.provider == "anthropic":
        from actors.endpoints.anthropic_batch import AnthropicBatches

        return AnthropicBatches(config, client)
    from actors.endpoints.openai_batch import OpenAiBatches

    return OpenAiBatches(config, client)
