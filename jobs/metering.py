"""What a process has used since it was last asked: requests to the store, and its language models' calls, tokens and dollars."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.generation.chat import Spent
from engine.store.backend import Backend

if TYPE_CHECKING:
    from jobs.loading import Loader


@dataclass(frozen=True, slots=True)
class Used:
    """`requests` to the store, where they are paid for; `spent` by actor, of those that count."""

    requests: int
    spent: dict[str, Spent]


class Meter:
    """Tells each use once, to whoever asks first: shards that a process works on at the same time share its models."""

    def __init__(self, backend: Backend, actors: Loader) -> None:
        self._backend, self._actors = backend, actors
        self._lock = threading.Lock()
        self._told = Used(0, {})

    def since_last(self) -> Used:
        """What was used since the last call."""
        with self._lock:
            told = self._told
            now = Used(
                sum(self._backend.requests.values()),
                {name: actor.spent for name, actor in self._actors.made.items() if isinstance(getattr(actor, "spent", None), Spent)},
            )
            self._told = now
        fresh = {name: spent - told.spent.get(name, Spent()) for name, spent in now.spent.items()}
        return Used(now.requests - told.requests, {name: spent for name, spent in fresh.items() if spent != Spent()})
