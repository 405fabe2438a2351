"""A limit by requests and by tokens in any window of a minute, as a provider counts them, first come first served.

A provider counts a request when it arrives, which the client does not see. Here it counts from the moment it may be sent until a window
after the latest moment at which it can have arrived: when its answer came, or `REACH_S` after it was sent. So no window at the server,
wherever it begins, ever holds more than the limit. (What another process, or this one before a restart, sent is not known here.)
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from contextlib import suppress

from engine.errors import ConfigError

REACH_S = 10.0
"""A request has arrived this long after it was sent, answered or not (connections that take longer are given up)."""


class Slowed(Exception):
    """The provider asked for a longer pause than the caller has patience for."""


class TooLarge(Exception):
    """One request needs more tokens than may be sent in a whole window."""


class Slot:
    """One request's part of the limit; `held_s` is how long the provider's own pause (Retry-After) kept it waiting."""

    __slots__ = ("_freed", "_limiter", "_tokens", "held_s")

    def __init__(self, limiter: Limiter, tokens: int, held_s: float) -> None:
        self._limiter, self._tokens, self.held_s, self._freed = limiter, tokens, held_s, False

    def settle(self, tokens: int | None = None) -> None:
        """The request came to an end; `tokens` are the true ones, the estimate stays where they are unknown."""
        self._limiter._settle(self, tokens)


class Limiter:
    """Hands out slots; used on one event loop.

    Args:
        requests: most requests in a window, of all processes together; 0: no limit.
        tokens: most input and output tokens in a window, of all processes together; 0: no limit.
        processes: how many share the limit; each takes an equal part of it.
        window_s: length of the window; providers' is a minute.

    Raises:
        ConfigError: the limit leaves a process not even one request in a window.
    """

    def __init__(self, requests: float, tokens: float, *, processes: int = 1, window_s: float = 60.0) -> None:
        self._requests = _share("requests_per_minute", requests, processes)
        self._most_tokens = _share("tokens_per_minute", tokens, processes)
        self._window_s = window_s
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()
        self._ends: list[tuple[float, int, Slot]] = []
        self._order = itertools.count()
        self._count = self._tokens = 0
        self._stopped: Exception | None = None
        self._held_from = self._held_until = self._held_before = 0.0

    async def slot(self, tokens: int, patience_s: float) -> Slot:
        """Room for one request of at most `tokens`, in the order of asking.

        Raises Slowed if the provider's pauses from now on last longer than `patience_s`, TooLarge if there can never be room, and what
        `stop` was given.
        """
        if self._most_tokens and tokens > self._most_tokens:
            raise TooLarge(f"about {tokens} tokens are needed, and {self._most_tokens} are this process's share of tokens_per_minute")
        held_s = self._held_s(time.monotonic())
        async with self._turn:
            while True:
                if self._stopped is not None:
                    raise self._stopped
                now = time.monotonic()
                if self._held_s(self._held_until) - held_s > patience_s:
                    raise Slowed
                wait = max(self._held_until - now, self._until_room(now, tokens))
                if wait <= 0:
                    return self._granted(now, tokens, self._held_s(now) - held_s)
                self._changed.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), wait)

    def hold(self, seconds: float) -> None:
        """No request of this process before `seconds` have passed: what the provider asked of one it means for all."""
        now = time.monotonic()
        if now >= self._held_until:
            self._held_before = self._held_s(now)
            self._held_from = self._held_until = now
        self._held_until = max(self._held_until, now + seconds)
        self._changed.set()

    def stop(self, error: Exception) -> None:
        """No slot any more: who waits for one, or asks later, gets `error`."""
        self._stopped = error
        self._changed.set()

    def _held_s(self, moment: float) -> float:
        """How long all pauses have lasted, up to a moment that is not before the last one began."""
        return self._held_before + max(0.0, min(moment, self._held_until) - self._held_from)

    def _until_room(self, now: float, tokens: int) -> float:
        """Seconds until the next slot comes free, 0 if there is room now."""
        while self._ends and self._ends[0][0] <= now:
            self._free(heapq.heappop(self._ends)[2])
        room = (not self._requests or self._count < self._requests) and (
            not self._most_tokens or self._tokens + tokens <= self._most_tokens
        )
        return 0.0 if room else self._ends[0][0] - now

    def _granted(self, now: float, tokens: int, held_s: float) -> Slot:
        slot = Slot(self, tokens, held_s)
        if self._requests or self._most_tokens:
            self._count += 1
            self._tokens += tokens
            heapq.heappush(self._ends, (now + REACH_S + self._window_s, next(self._order), slot))
        return slot

    def _settle(self, slot: Slot, tokens: int | None) -> None:
        if slot._freed or not (self._requests or self._most_tokens):
            return
        if tokens is not None:
            self._tokens += tokens - slot._tokens
            slot._tokens = tokens
        heapq.heappush(self._ends, (time.monotonic() + self._window_s, next(self._order), slot))
        self._changed.set()

    def _free(self, slot: Slot) -> None:
        if not slot._freed:
            slot._freed = True
            self._count -= 1
            self._tokens -= slot._tokens


def _share(name: str, limit: float, processes: int) -> int:
    share = int(limit / processes)
    if limit and not share:
        raise ConfigError(
            f"{name} {limit:g} shared by {processes} process(es) leaves less than one a minute for each.",
            remedy=f"Raise {name}, or let fewer processes write.",
        )
    return share
