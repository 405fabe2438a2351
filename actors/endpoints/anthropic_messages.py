"""Anthropic's models through their own endpoint, one call a reply."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from actors.endpoints import anthropic_wire
from actors.endpoints.served_model import ServedModel
from actors.endpoints.usage import guessed_input, usage_of
from actors.endpoints.verdicts import Unanswered
from engine.errors import ConfigError
from engine.generation.chat import ChatRequest, Reply
from engine.outcome import Outcome
from engine.writer_config import LanguageModel

_log = logging.getLogger(__name__)


class AnthropicMessages(ServedModel):
    """A chat model behind Anthropic's messages. `n` replies are `n` calls; a JSON schema is a tool that the model has to call.

    Args:
        config: the writer; engine anthropic.
        processes: how many processes share the endpoint's rate limit.
        window_s: length of the rate limit's "minute", for tests.

    Raises:
        ConfigError: no key in the environment, a rate limit too small for so many processes, or a temperature over 1.
    """

    def __init__(self, config: LanguageModel, *, processes: int = 1, window_s: float = 60.0) -> None:
        refuse_hot(config)
        super().__init__(config, "anthropic", processes=processes, window_s=window_s)

    async def _ask(self, request: ChatRequest) -> Outcome[Reply]:
        try:
            body = anthropic_wire.message_body(self._config.model, request)
            # All end before one raises: what they took is counted, and none goes on behind the caller's back.
            answers = await asyncio.gather(*(self._reply(request, body) for _ in range(request.sampling.n)), return_exceptions=True)
            replies = [_or_raise(answer) for answer in answers]
        except Unanswered as error:
            return error.outcome
        return anthropic_wire.outcome_of(request, replies, self._config.revision)

    async def _reply(self, request: ChatRequest, body: dict[str, Any]) -> dict[str, Any]:
        tokens = guessed_input(request) + request.sampling.max_tokens
        return await self._client.post_json(anthropic_wire.PATH, body, tokens=tokens, check=self._take)

    def _take(self, reply: dict[str, Any]) -> None:
        """Count what a reply took; raises Unusable if that is all it is good for."""
        if (usage := usage_of(reply)) is not None:
            self._ledger.add(usage)
        else:
            _log.warning("%s names no tokens in a reply, which is not counted.", self.id)
        anthropic_wire.expect_message(reply)


def refuse_hot(config: LanguageModel) -> None:
    """Raises ConfigError for a temperature that no model of Anthropic's takes."""
    if config.temperature > anthropic_wire.HOTTEST:
        raise ConfigError(f"Anthropic's temperature ends at 1, the writer '{config.name}' has {config.temperature:g}.", remedy="Lower it.")


def _or_raise(answer: dict[str, Any] | BaseException) -> dict[str, Any]:
    if isinstance(answer, BaseException):
        raise answer
    return answer
