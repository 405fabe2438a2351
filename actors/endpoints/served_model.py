"""What every model behind an endpoint is: a client, a ledger, and calls that are all under way at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from actors.endpoints.background import in_background
from actors.endpoints.calls import asked_together, refuse_fixed_length, served_id, unasked
from actors.endpoints.credentials import Provider
from actors.endpoints.http import EndpointClient
from actors.endpoints.usage import Ledger
from engine.generation.chat import ChatRequest, Reply, Spent
from engine.outcome import Outcome
from engine.writer_config import LanguageModel


class ServedModel(ABC):
    """A chat model behind `config.endpoint`; a provider says only how one request is asked (`_ask`).

    `processes` share the endpoint's rate limit; `window_s` is the length of the limit's "minute", for tests. Raises ConfigError without a
    key in the environment, or for a rate limit too small for so many processes.
    """

    patient = True
    """Its calls wait on purpose, for rate limits and a provider that is overloaded; `give_up_s` bounds each row."""

    def __init__(self, config: LanguageModel, provider: Provider, *, processes: int, window_s: float) -> None:
        self.id = served_id(config)
        self._config = config
        self._client = EndpointClient(config.endpoint, provider, processes=processes, window_s=window_s)
        self._ledger = Ledger(config.price)

    @property
    def spent(self) -> Spent:
        """Tokens of every reply that came back, refused and useless ones included, with dollars at `config.price`."""
        return self._ledger.spent

    def chat(self, requests: Sequence[ChatRequest]) -> list[Outcome[Reply]]:
        """One outcome a request, in order, up to `endpoint.concurrency` at once. Safe to call from several threads.

        Raises ConfigError for a wrong key, model, address or sampling, BudgetReached when the provider's account is used up, ModelError
        after `close`; requests in flight end first, so that `spent` holds them.
        """
        refuse_fixed_length(requests)
        return in_background(asked_together(requests, self._one))

    def close(self) -> None:
        """Let go of the connections."""
        in_background(self._client.close())

    async def _one(self, request: ChatRequest) -> Outcome[Reply]:
        return unasked(self._config, request) or await self._ask(request)

    @abstractmethod
    async def _ask(self, request: ChatRequest) -> Outcome[Reply]:
        """The outcome of one request that fits the writer's context."""
