"""Making actors once a process; a load that fails for a passing reason is tried again."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from engine.errors import EngineDied, MienError
from jobs.masking import masked, without_secrets

LOAD_TRIES = 3
"""In one process; Ray then makes another one, eight times in a row at most (`jobs.pipeline`)."""

PAUSE_S = 1.0
"""Before the second try; doubled for the next."""

LOAD_FAILED = "model-load"
"""Code of the EngineDied that a failed load is."""


class Loader:
    """The actor of a name, made on first use by `make`."""

    def __init__(self, make: Callable[[str], Any]) -> None:
        self._make = make
        self._made: dict[str, Any] = {}
        self._lock = threading.Lock()

    @property
    def made(self) -> dict[str, Any]:
        """The actors that were made so far, by name."""
        return dict(self._made)

    def __call__(self, name: str) -> Any:
        """The actor called `name`. Raises EngineDied if loading failed in a way that a fresh process may not meet, MienError otherwise."""
        with self._lock:  # shards that a process works on at once share one model
            if name not in self._made:
                self._made[name] = self._loaded(name)
            return self._made[name]

    def _loaded(self, name: str) -> Any:
        for attempt in range(1, LOAD_TRIES + 1):
            try:
                return self._make(name)
            except MienError:
                raise  # missing or other weights: no second look would find them
            except Exception as error:  # noqa: BLE001 - whatever it was, the process is replaced
                if attempt == LOAD_TRIES:
                    # Not as the cause: whoever shows this error would show the other's words, too.
                    print(without_secrets(traceback.format_exc()), file=sys.stderr, flush=True)
                    raise EngineDied(
                        f"The actor '{name}' could not be loaded in {LOAD_TRIES} tries: {masked(f'{type(error).__name__}: {error}')}",
                        remedy="See the traceback in Ray's log; `mien doctor` checks the model's files.",
                        code=LOAD_FAILED,
                    ) from None
                time.sleep(PAUSE_S * 2 ** (attempt - 1))
        raise AssertionError("unreachable")
