"""What a language model is asked and what it answers: one contract for engines in the process, servers, and providers' batches.

Outcomes of a call: Answered(Reply); Refused where the model or the provider's filter declined; Unparsed where the reply is empty, or
`schema` was given and it is no JSON that fits; Failed with one of the codes below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from engine.outcome import Outcome

CONTEXT_EXCEEDED = "context-exceeded"
"""Failed, permanent: the messages and the room for an answer do not fit the model's context."""

RATE_LIMITED = "rate-limited"
"""Failed, retryable: the provider kept slowing down until the total bound on waiting was reached."""

ENDPOINT_FAILED = "endpoint-failed"
"""Failed, retryable: no usable response within the bound (5xx, a hang, a reset, a body that is no JSON)."""

ENDPOINT_REFUSED = "endpoint-refused"
"""Failed, permanent: the endpoint does not accept this very request (a 4xx that is about the row, not about the key or the model)."""

MODEL_CHANGED = "model-changed"
"""Failed, permanent: the reply comes from another model than the writer's `revision` names."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `pictures` are PNG files that stand before the text, in order; only models that see take them."""

    role: Literal["system", "user", "assistant"]
    content: str
    pictures: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn. `temperature` 0 is greedy; `n` replies of at most `max_tokens` tokens each.

    `fixed_length` asks for exactly `max_tokens` (the end-of-text token is passed over): for benchmarks, in-process engines only.
    """

    max_tokens: int = 256
    temperature: float = 0.0
    top_p: float = 1.0
    n: int = 1
    stop: tuple[str, ...] = ()
    fixed_length: bool = False


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call. `key` is unique among the calls of a batch (a provider's custom id); `seed` comes from keys, never from a clock.

    `schema` is a JSON schema as text: the reply must be JSON that fits it. Requests with an equal `prefix` (such as a person's key) begin
    with the same text; an engine that caches prefixes gets them one after another.
    """

    key: str
    messages: tuple[Message, ...]
    sampling: Sampling
    seed: int
    schema: str = ""
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the `n` replies; `finish` says whether it ended by itself ("stop") or was cut at `max_tokens` ("length")."""

    text: str
    finish: Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; `model` is the string that the engine reports, tokens are those of this call."""

    choices: tuple[Choice, ...]
    model: str
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What a model has used since it was made: calls that came back, their tokens, and dollars at the writer's prices."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.dollars + other.dollars,
        )

    def __sub__(self, other: Spent) -> Spent:
        return Spent(
            self.calls - other.calls,
            self.input_tokens - other.input_tokens,
            self.output_tokens - other.output_tokens,
            self.dollars - other.dollars,
        )


class ChatModel(Protocol):
    """A language model. Usable without Ray: construct, call with a batch, close. Safe to call from several threads at once."""

    id: str
    """The model with its revision, as tables and fingerprints name it."""

    @property
    def spent(self) -> Spent:
        """Everything used so far, calls that came to nothing included."""
        ...

    def chat(self, requests: Sequence[ChatRequest]) -> list[Outcome[Reply]]:
        """One outcome a request, in order. Raises EngineDied if the engine answers nothing any more, ModelError or ConfigError for what no
        request would escape (a wrong key, an unknown model)."""
        ...

    def close(self) -> None:
        """Let go of the model."""
        ...
