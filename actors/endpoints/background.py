"""One event loop on a thread of its own, so that plain threads can keep many requests in flight."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_started: dict[int, asyncio.AbstractEventLoop] = {}


def in_background(work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, run on this process's background loop; what it raises is raised here. Any number of threads may wait at once.

    An interrupt of the waiting thread cancels the work.
    """
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _loop() -> asyncio.AbstractEventLoop:
    with _lock:
        # By process: a forked child inherits the loop but not its thread.
        loop = _started.get(os.getpid())
        if loop is None:
            loop = _started[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="endpoint-loop", daemon=True).start()
        return loop
