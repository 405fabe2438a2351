"""Language models behind any OpenAI-compatible endpoint: OpenAI, Gemini's compatible one, vLLM's and llama.cpp's servers, gateways."""

from __future__ import annotations

import logging
from typing import Any

from actors.endpoints import openai_replies
from actors.endpoints.openai_requests import PATHS, Dialect
from actors.endpoints.served_model import ServedModel
from actors.endpoints.usage import most_tokens, usage_of
from actors.endpoints.verdicts import Unanswered
from engine.errors import ConfigError
from engine.generation.chat import ChatRequest, Reply
from engine.outcome import Outcome
from engine.writer_config import LanguageModel

_log = logging.getLogger(__name__)

_CONFIGURED = frozenset({"temperature", "top_p", "n", "model"})


class OpenAiChat(ServedModel):
    """A chat model behind `config.endpoint`; `api: completions` asks models without roles, with the messages' texts joined.

    Tokens are those that replies name. Where one names none they are guessed from lengths (`actors.endpoints.usage`) and a warning says
    so once.

    Args:
        config: the writer; engine openai.
        processes: how many processes share the endpoint's rate limit.
        window_s: length of the rate limit's "minute", for tests.

    Raises:
        ConfigError: no key in the environment, or a rate limit too small for so many processes.
    """

    def __init__(self, config: LanguageModel, *, processes: int = 1, window_s: float = 60.0) -> None:
        super().__init__(config, "openai", processes=processes, window_s=window_s)
        self._dialect = Dialect(config.api, own=not config.endpoint.base_url)
        self._guessed = False

    async def _ask(self, request: ChatRequest) -> Outcome[Reply]:
        tokens = most_tokens(request)
        while True:
            body = self._dialect.body(self._config.model, request)
            try:
                reply = await self._client.post_json(
                    PATHS[self._config.api], body, tokens=tokens, check=lambda reply: self._take(request, reply)
                )
            except Unanswered as error:
                if self._dialect.follows(error.parameter, body):
                    continue
                if error.parameter in _CONFIGURED:
                    raise ConfigError(
                        f"The model does not take the writer's {error.parameter}: {body.get(error.parameter)!r}. {error}",
                        remedy=f"Change {error.parameter} in the experiment (a reasoning model wants temperature: 1).",
                    ) from None
                return error.outcome
            return openai_replies.outcome_of(request, reply, self._config.revision)

    def _take(self, request: ChatRequest, reply: dict[str, Any]) -> None:
        """Count what a reply took; raises Unusable if that is all it is good for."""
        usage = usage_of(reply)
        if usage is None:
            if not self._guessed:
                self._guessed = True
                _log.warning("%s names no tokens in its replies: they are guessed from the texts' lengths.", self.id)
            usage = openai_replies.guessed_usage(request, reply)
        self._ledger.add(usage)
        openai_replies.expect_choices(reply)
