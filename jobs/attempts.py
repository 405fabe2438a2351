"""How a unit that kills its process is found: a task says that it begins, and takes that back when it returns (STORAGE, rule 6).

A marker that stands names a task that never returned. A shard with three of them runs one unit at a time, each named first; a unit that
was named twice and never came back is given up.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from engine.errors import EngineDied, StoreError
from engine.store import names
from engine.store.backend import Backend

ALONE_AFTER = 3
"""Tasks on a shard that never returned before its units run alone."""

UNIT_TRIES = 2
"""Processes that one unit may end."""

KILLED_WORKER = "killed-worker"
"""Code of a unit that ended its process twice."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One task on one shard; `number` is 1 where every earlier task on it returned."""

    shard: str
    number: int

    @property
    def is_first(self) -> bool:
        """Whether what the driver listed still holds: no earlier task can have left results unseen."""
        return self.number == 1

    @property
    def alone(self) -> bool:
        """Whether units are asked one at a time."""
        return self.number > ALONE_AFTER


class Attempts:
    """The markers of one operator of a run."""

    def __init__(self, backend: Backend, run: str, operator: str) -> None:
        self._backend, self._run, self._operator = backend, run, operator

    def begin(self, shard: str) -> Attempt:
        """Mark that a task begins on `shard`."""
        number = 1
        while not self._mark(self._shard(shard, number)):
            number = max(number, max(self._standing(shard), default=0)) + 1
        return Attempt(shard, number)

    def finish(self, attempt: Attempt, *, whole: bool) -> None:
        """Take the mark back: the task returns. If the shard is `whole`, none of its marks counts any more."""
        if whole and not attempt.is_first:
            with suppress(StoreError):
                self.forget(self._backend, self._run, [attempt.shard], operator=self._operator)
        else:
            self._take_back(self._shard(attempt.shard, attempt.number))

    def unexplained(self, attempt: Attempt) -> int:
        """How many tasks on this shard were lost while its units ran alone, beyond those that a named unit can have ended."""
        named = sum(mark.startswith(names.short(attempt.shard) + ".") for mark in self._marks())
        return max(0, attempt.number - 1 - ALONE_AFTER - named)

    def isolate(self, attempt: Attempt) -> None:
        """Let the next task on this shard run one unit at a time: this one is about to end its process, and knows why."""
        for number in range(attempt.number, ALONE_AFTER + 1):
            self._mark(self._shard(attempt.shard, number))

    @contextmanager
    def unit(self, shard: str, fingerprint: str, unit: str) -> Iterator[bool]:
        """Name a unit while it is asked alone; False if it ended its process too often to be asked again."""
        marks = [self._unit(shard, fingerprint, unit, number) for number in range(1, UNIT_TRIES + 1)]
        mine = next((mark for mark in marks if self._mark(mark)), None)
        try:
            yield mine is not None
        except EngineDied:
            raise  # the process ends now, and this unit is why
        except BaseException:
            if mine is not None:
                self._take_back(mine)  # the process lives
            raise
        if mine is not None:
            self._take_back(mine)

    @staticmethod
    def forget(backend: Backend, run: str, shards: Collection[str], *, operator: str = "") -> None:
        """Take back all marks of these shards (of one operator, or of all): their units are as if nothing had happened."""
        wanted = {names.short(shard) for shard in shards}
        folder = names.run(run, "attempts", *([operator] if operator else []))
        for name in backend.list(folder + "/") if wanted else []:
            if name.rsplit("/", 1)[-1][: names.SHORT] in wanted:
                backend.delete(name)

    def _marks(self) -> list[str]:
        """The last parts of all standing marks of this operator."""
        return [name.rsplit("/", 1)[-1] for name in self._backend.list(names.run(self._run, "attempts", self._operator) + "/")]

    def _standing(self, shard: str) -> list[int]:
        """Numbers of the tasks on a shard that never returned, or have not yet."""
        begins = f"{names.short(shard)}-"
        return [int(mark.removeprefix(begins)) for mark in self._marks() if mark.startswith(begins)]

    def _mark(self, name: str) -> bool:
        # Equal bytes would read as a retry of this very write.
        return self._backend.create(name, f"{os.getpid()} {secrets.token_hex(8)}\n".encode())

    def _take_back(self, name: str) -> None:
        with suppress(StoreError):  # a mark too many costs a look at the store, no result
            self._backend.delete(name)

    def _shard(self, shard: str, number: int) -> str:
        return names.run(self._run, "attempts", self._operator, f"{names.short(shard)}-{number}")

    def _unit(self, shard: str, fingerprint: str, unit: str, number: int) -> str:
        short = names.short
        return names.run(self._run, "attempts", self._operator, f"{short(shard)}.{short(fingerprint)}.{short(unit)}-{number}")
