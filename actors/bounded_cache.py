"""What was computed last, up to a number of bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Values by key, the least recently used let go of first; one larger than the whole bound is not kept."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.bytes = 0

    def __contains__(self, key: K) -> bool:
        return key in self._kept

    def get(self, key: K) -> V | None:
        """The value, now the most recently used; None if it is not kept."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value of `size` bytes."""
        if key in self._kept:
            self.bytes -= self._kept.pop(key)[1]
        if size > self._most:
            return
        self._kept[key] = (value, size)
        self.bytes += size
        while self.bytes > self._most:
            self.bytes -= self._kept.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Let go of everything."""
        self._kept.clear()
        self.bytes = 0
