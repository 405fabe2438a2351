"""Tokens of calls: guessed before, read from the reply after, added up with their price."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from actors.pictures import pictures_of
from engine.generation.chat import ChatRequest, Spent
from engine.writer_config import Price

BYTES_A_TOKEN = 3
MESSAGE_TOKENS = 8
PICTURE_TOKENS = 256
PIXELS_A_TOKEN = 600


def guessed_tokens(text: str) -> int:
    """UTF-8 bytes / 3, rounded up: above what byte-pair vocabularies take for prose (about 4.5 bytes a token in English, 3 in Chinese)."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def guessed_picture_tokens(picture: bytes) -> int:
    """256 for a PNG file, and one for each 600 of its pixels, by its header: 2,004 for 1024 x 1024.

    Above what most models take for that size: GPT-4o 765 (170 a tile of 512 px and 85), squares of 32 px at 1.62 tokens 1,659, Anthropic
    1,399 (750 pixels a token), Qwen-VL 1,369 (squares of 28 px). GPT-4o mini bills 33 times GPT-4o's.
    """
    width, height = (int.from_bytes(picture[start : start + 4], "big") for start in (16, 20))
    return PICTURE_TOKENS + -(-width * height // PIXELS_A_TOKEN)


def guessed_input(request: ChatRequest) -> int:
    """The tokens of a request's messages, 8 a message for its marks, of their pictures, and of its schema."""
    shown = sum(map(guessed_picture_tokens, pictures_of(request)))
    return shown + sum(MESSAGE_TOKENS + guessed_tokens(message.content) for message in request.messages) + guessed_tokens(request.schema)


def most_tokens(request: ChatRequest) -> int:
    """What a request may take at most, its answers included: what is reserved for it in the rate limit."""
    return guessed_input(request) + request.sampling.n * request.sampling.max_tokens


@dataclass(frozen=True, slots=True)
class Usage:
    """What a reply says it took."""

    input_tokens: int
    output_tokens: int

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens


def usage_of(reply: dict[str, Any]) -> Usage | None:
    """The tokens that a reply names, in OpenAI's words or Anthropic's (its cached input included); None if it does not."""
    said = reply.get("usage")
    if not isinstance(said, dict):
        return None
    if "prompt_tokens" in said:
        counts = [said["prompt_tokens"], said.get("completion_tokens", 0)]
        # Reasoning that a compatible server leaves out of `completion_tokens` is billed all the same.
        if isinstance(said.get("total_tokens"), int) and all(isinstance(count, int) for count in counts):
            counts[1] = max(counts[1], said["total_tokens"] - counts[0])
    elif "input_tokens" in said:
        cached = [said.get(name) or 0 for name in ("cache_creation_input_tokens", "cache_read_input_tokens")]
        counts = [said["input_tokens"], said.get("output_tokens", 0), *cached]
    else:
        return None
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        return None
    return Usage(counts[0] + sum(counts[2:]), counts[1])


class Ledger:
    """Adds up what replies took; safe to use from several threads."""

    def __init__(self, price: Price) -> None:
        self._price = price
        self._lock = threading.Lock()
        self._spent = Spent()

    @property
    def spent(self) -> Spent:
        with self._lock:
            return self._spent

    def add(self, usage: Usage, *, share: float = 1.0) -> None:
        """One more call that came back, billed at `share` of the price."""
        dollars = (usage.input_tokens * self._price.input + usage.output_tokens * self._price.output) / 1e6 * share
        with self._lock:
            self._spent += Spent(1, usage.input_tokens, usage.output_tokens, dollars)
