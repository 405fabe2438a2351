"""Sentence encoders behind an OpenAI-compatible /embeddings: text-embedding-3-small, vLLM's and other servers.

An experiment names one as `openai:<model>@<dimensions>`, such as openai:text-embedding-3-small@1536: the dimensions are part of what a
vector is, and a plan must know them without asking anybody. The address is OPENAI_BASE_URL (none: OpenAI's own), the key OPENAI_API_KEY.
A server's vectors may differ in their last digits from call to call; a stored result is never computed twice, so a run does not see it.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from actors.encoder import Encoded, decodable, unit
from actors.endpoints.background import in_background
from actors.endpoints.http import EndpointClient, Unusable
from actors.endpoints.usage import Ledger, Usage, guessed_tokens, usage_of
from actors.endpoints.verdicts import Unanswered
from engine.errors import ConfigError, InputError, ModelError
from engine.generation.chat import Spent
from engine.outcome import Failed, FailureKind
from engine.writer_config import Endpoint, Price

PREFIX = "openai:"
BATCH_TEXTS = 100
BATCH_TOKENS = 50_000
"""Of one request, guessed; below every known server's own limits, and a request that is too large all the same is halved."""
CACHE_TEXTS = 8192
CONCURRENCY = 8


@dataclass(frozen=True, slots=True)
class _Entry:
    vector: NDArray[np.float32]
    truncated: bool


class EndpointEncoder:
    """Encodes texts as `actors.encoder.SentenceEncoder` does: rows of length 1, float32, in the order of the texts.

    `Encoded.pieces` are guessed from lengths, as a server names tokens only for a whole request; `truncated` is what the server says of
    a text ("truncated": true), and a server that refuses a long text instead of cutting it makes it fail. A vector that is zero or not
    finite becomes a row of NaN, which the stages take for a failed text; it is not kept.

    Args:
        name: as in an experiment, `openai:<model>@<dimensions>`.
        endpoint: where; None: what the environment names.
        price: dollars per million tokens, for `spent`.

    Raises:
        ConfigError: the name says no dimensions, the address is none, or there is no key.
    """

    def __init__(self, name: str, *, endpoint: Endpoint | None = None, price: Price | None = None) -> None:
        self.id, (self._model, self.dimensions) = name, parsed(name)
        self._client = EndpointClient(endpoint or endpoint_named_by_environment(), "openai")
        self._ledger = Ledger(price or Price())
        self._says_dimensions = True
        self._cache: OrderedDict[str, _Entry] = OrderedDict()
        self.calls = self.texts = self.computed = 0
        self.seconds = 0.0

    @property
    def spent(self) -> Spent:
        """What all replies took."""
        return self._ledger.spent

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Vectors of any texts; equal ones are computed once.

        Raises:
            InputError: a text that the server does not take; its code is that of the outcome.
            ConnectionError: no usable response within the endpoint's bound.
            ConfigError, BudgetReached, ModelError: what no text would escape.
        """
        began = time.perf_counter()
        distinct = list(dict.fromkeys(texts))
        known = {text: self._cache[text] for text in distinct if text in self._cache}
        missing = [text for text in distinct if text not in known]
        if missing:
            known |= in_background(self._compute(missing))
        self._remember(known)
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = known[text].vector
        self.calls += 1
        self.texts += len(texts)
        self.computed += len(missing)
        self.seconds += time.perf_counter() - began
        pieces = np.array([guessed_tokens(text) for text in texts], np.int32)
        return Encoded(vectors, pieces, np.array([known[text].truncated for text in texts], np.bool_))

    def close(self) -> None:
        """Let go of the connections and the cache; `encode` raises afterwards."""
        in_background(self._client.close())
        self._cache.clear()

    async def _compute(self, texts: list[str]) -> dict[str, _Entry]:
        answers = await asyncio.gather(*(self._batch(batch) for batch in _batches(texts)), return_exceptions=True)
        found: dict[str, _Entry] = {}
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
            found |= answer
        return found

    async def _batch(self, texts: list[str]) -> dict[str, _Entry]:
        """The vectors of a request's texts. A request that is refused is halved until the text at fault stands alone."""
        try:
            reply = await self._asked(texts)
        except Unanswered as error:
            outcome = error.outcome
            if isinstance(outcome, Failed) and outcome.kind is FailureKind.RETRYABLE:
                raise ConnectionError(f"{outcome.code}: {outcome.message}") from None
            if len(texts) == 1:
                raise InputError(str(error), code=outcome.code if isinstance(outcome, Failed) else "refused") from None
            half = len(texts) // 2
            return await self._batch(texts[:half]) | await self._batch(texts[half:])
        return dict(zip(texts, self._entries(reply), strict=True))

    async def _asked(self, texts: list[str]) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._model, "input": [decodable(text) for text in texts], "encoding_format": "float"}
        said = self._says_dimensions
        if said:
            body["dimensions"] = self.dimensions
        tokens = sum(map(guessed_tokens, texts))

        def take(reply: dict[str, Any]) -> None:
            self._ledger.add(usage_of(reply) or Usage(tokens, 0))
            _expect_vectors(reply, len(texts))

        try:
            return await self._client.post_json("/embeddings", body, tokens=tokens, check=take)
        except Unanswered as error:
            # Models of one size refuse the parameter; the vectors' length is checked anyway.
            if said and re.search("dimension|matryoshka", f"{error.parameter} {error}", re.I):
                self._says_dimensions = False
                return await self._asked(texts)
            raise

    def _entries(self, reply: dict[str, Any]) -> Iterator[_Entry]:
        for item in sorted(reply["data"], key=lambda item: int(item["index"])):
            vector = np.array([np.nan if number is None else number for number in item["embedding"]], np.float64)
            if len(vector) != self.dimensions:
                raise ModelError(
                    f"{self._model} gives vectors of {len(vector)} dimensions, and the experiment says {self.dimensions}.",
                    remedy=f"Name the encoder {PREFIX}{self._model}@{len(vector)}.",
                    code="dimensions",
                )
            if not np.isfinite(vector).all() or not vector.any():
                vector = np.full(self.dimensions, np.nan)
            yield _Entry(unit(vector[None])[0], item.get("truncated") is True)

    def _remember(self, known: dict[str, _Entry]) -> None:
        for text, entry in known.items():
            if np.isfinite(entry.vector).all():
                self._cache[text] = entry
                self._cache.move_to_end(text)
        while len(self._cache) > CACHE_TEXTS:
            self._cache.popitem(last=False)


def is_endpoint(name: str) -> bool:
    """Whether an encoder's name in an experiment means a server."""
    return name.startswith(PREFIX)


def parsed(name: str) -> tuple[str, int]:
    """Model and dimensions of `openai:<model>@<dimensions>`. Raises ConfigError."""
    found = re.fullmatch(re.escape(PREFIX) + r"(\S+)@([1-9]\d{0,4})", name)
    if not found:
        raise ConfigError(
            f"'{name}' names an encoder behind an endpoint without its dimensions.",
            remedy="Write it as openai:text-embedding-3-small@1536.",
            code="encoder-name",
        )
    return found[1], int(found[2])


def endpoint_named_by_environment() -> Endpoint:
    """OPENAI_BASE_URL, or OpenAI's own. Raises ConfigError if it is no address."""
    try:
        return Endpoint(base_url=os.environ.get("OPENAI_BASE_URL", ""), concurrency=CONCURRENCY)
    except ValidationError:
        # Without the value: people put passwords into addresses.
        raise ConfigError("OPENAI_BASE_URL is no http(s) address without a user or password in it.", remedy="Correct it.") from None


def _batches(texts: list[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        tokens = guessed_tokens(text)
        if batch and (len(batch) == BATCH_TEXTS or size + tokens > BATCH_TOKENS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += tokens
    if batch:
        yield batch


def _expect_vectors(reply: dict[str, Any], count: int) -> None:
    """Raises Unusable unless there is one list of numbers for each text, each named by its place."""
    data = reply.get("data")
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise Unusable("the reply has no vectors")
    places = [item.get("index") for item in data]
    if not all(type(place) is int for place in places) or sorted(places) != list(range(count)):
        raise Unusable("the reply's vectors are not those of the texts, each once")
    for item in data:
        vector = item.get("embedding")
        if not isinstance(vector, list) or not all(number is None or type(number) in (int, float) for number in vector):
            raise Unusable("a vector is no list of numbers")
