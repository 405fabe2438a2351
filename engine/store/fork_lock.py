"""A lock that a forked process gets anew: in the parent another thread may have held it at that moment."""

from __future__ import annotations

import os
import threading
from types import TracebackType


class ForkLock:
    """Used as `with lock:`; for module-level locks, since each one stays registered for as long as the process lives."""

    def __init__(self) -> None:
        self._renew()
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        self._lock.release()
