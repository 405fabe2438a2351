"""Files of JSON lines: what goes to a provider's batches and comes back from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from actors.endpoints.batch_service import Result
from actors.endpoints.http import EndpointClient, Unusable
from actors.endpoints.verdicts import Again, ApiError, Unanswered, verdict
from engine.errors import MienError
from engine.generation.chat import ENDPOINT_FAILED
from engine.outcome import Failed, FailureKind

Json = dict[str, Any]


def encoded(line: Json) -> bytes:
    """One line, without its end."""
    return json.dumps(line, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode()


async def got_file(client: EndpointClient, path: str) -> bytes:
    """A file of results; nothing if the provider has it no more: they keep them for a month. Raises Unanswered."""
    try:
        return await client.get_bytes(path)
    except Unanswered as error:
        if is_missing(error):
            return b""
        raise


def read_lines(files: Iterable[bytes], read: Callable[[Json], Result]) -> tuple[list[tuple[str, Result]], int]:
    """(row id, result) of each line in order, and how many lines could not be read."""
    found: list[tuple[str, Result]] = []
    spoiled = 0
    for content in files:
        for data in content.split(b"\n"):
            if not data.strip():
                continue
            try:
                line = json.loads(data)
                id_ = line["custom_id"]
            except (ValueError, RecursionError, TypeError, LookupError):
                spoiled += 1
                continue
            found.append((str(id_), read(line)))
    return found, spoiled


def expect_id(reply: Json) -> None:
    """Raises Unusable for a batch without an id."""
    if not isinstance(reply.get("id"), str) or not reply["id"]:
        raise Unusable("the batch has no id")


def paid(reply: Any, expect: Callable[[Json], None]) -> Result:
    """A row's reply; one that `expect` finds useless is as good as none, and asked for again."""
    try:
        if not isinstance(reply, dict):
            raise Unusable("the body is no JSON object")
        expect(reply)
    except Unusable as error:
        return unbegun(f"A row of the batch came back without a usable reply: {error}.")
    return Result(reply=reply)


def unpaid(status: int, body: Json, key_variable: str) -> Result:
    """A row's error. Raises ConfigError or BudgetReached for one that no row escapes."""
    found = verdict(status, {}, ApiError.of(body), key_variable=key_variable)
    if isinstance(found, MienError):
        raise found
    if isinstance(found, Again):
        return Result(error=Failed(found.code, f"A row of the batch failed at the provider: {found.why}.", FailureKind.RETRYABLE))
    return Result(error=found.outcome, parameter=found.parameter)


def unbegun(message: str) -> Result:
    """A row that may be asked for again."""
    return Result(error=Failed(ENDPOINT_FAILED, message, FailureKind.RETRYABLE))


def is_missing(error: Unanswered) -> bool:
    """Whether the provider knows nothing of what was asked for (any more)."""
    return error.status in (404, 410)
