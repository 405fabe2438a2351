"""What every served model does with its calls, whatever the provider's words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from actors.endpoints.usage import most_tokens
from actors.pictures import misplaced, unseen
from engine.errors import ConfigError
from engine.generation.chat import CONTEXT_EXCEEDED, ChatRequest, Reply
from engine.outcome import Failed, Outcome
from engine.writer_config import LanguageModel


def served_id(config: LanguageModel) -> str:
    """The model as tables and fingerprints name it."""
    return f"{config.model}@{config.revision}" if config.revision else config.model


def refuse_fixed_length(requests: Sequence[ChatRequest]) -> None:
    """Raises ConfigError for a benchmark's request: no provider passes over the end of a text."""
    if any(request.sampling.fixed_length for request in requests):
        raise ConfigError("An endpoint cannot be asked for replies of a fixed length.", remedy="Use engine llamacpp or vllm.")


def unasked(config: LanguageModel, request: ChatRequest) -> Failed | None:
    """The outcome of a request that is not sent: pictures where none can stand, or longer than the writer's context by a guess."""
    if config.api == "completions" and (failed := unseen(request, f"A model behind `api: completions` ({config.model})")):
        return failed
    return misplaced(request) or _over_context(config, request)


def _over_context(config: LanguageModel, request: ChatRequest) -> Failed | None:
    tokens = most_tokens(request)
    if not config.context or tokens <= config.context:
        return None
    return Failed(
        CONTEXT_EXCEEDED, f"About {tokens} tokens with the answer, and the writer's context is {config.context}. Show the model less."
    )


def by_prefix(requests: Sequence[ChatRequest]) -> list[int]:
    """The order in which to ask: rows that begin alike go together, since servers that cache prefixes find them then."""
    return sorted(range(len(requests)), key=lambda row: requests[row].prefix)


async def asked_together(requests: Sequence[ChatRequest], ask: Callable[[ChatRequest], Awaitable[Outcome[Reply]]]) -> list[Outcome[Reply]]:
    """All at once, outcomes in order. An error is raised when the last call has ended, so that what they took is counted."""
    order = by_prefix(requests)
    answers = await asyncio.gather(*(ask(requests[row]) for row in order), return_exceptions=True)
    found: dict[int, Outcome[Reply]] = {}
    for row, answer in zip(order, answers, strict=True):
        if isinstance(answer, BaseException):
            raise answer
        found[row] = answer
    return [found[row] for row in range(len(requests))]
