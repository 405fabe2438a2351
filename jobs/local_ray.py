"""Starting Ray while the driver still reads people, and ending it."""

from __future__ import annotations

import logging
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

OBJECT_STORE_BYTES = 128 * 2**20
"""Of a local cluster. Only shard references travel through it, so a laptop keeps its memory for models."""


class RaySession:
    """`start()` returns at once; `wait()` returns when Ray is up, or raises what start-up raised."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._thread = threading.Thread(target=self._run, name="ray-init", daemon=True)
        self._error: BaseException | None = None
        self._ready, self._over = threading.Event(), threading.Event()

    def start(self) -> RaySession:
        """Begin starting or joining Ray."""
        self._thread.start()
        return self

    def wait(self) -> Any:
        """The `ray` module, connected."""
        self._ready.wait()
        if self._error:
            raise self._error
        import ray

        return ray

    def stop(self) -> None:
        """Leave the cluster, and end it if it was ours."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._init()
        except BaseException as error:  # noqa: BLE001 - carried to the thread that waits
            self._error = error
        self._ready.set()
        # Linux ends a child when the thread that made it ends, and Ray asks for that: this thread lives as long as the cluster.
        self._over.wait()
        if "ray" in sys.modules:
            sys.modules["ray"].shutdown()

    def _init(self) -> None:
        with _core_hushed():
            self._connect()

    def _connect(self) -> None:
        import ray
        import ray.data

        common: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if self._address or os.environ.get("RAY_ADDRESS"):
            ray.init(address=self._address or "auto", **common)
        else:
            cpus = len(os.sched_getaffinity(0))
            ray.init(address="local", num_cpus=cpus, object_store_memory=OBJECT_STORE_BYTES, include_dashboard=False, **common)


@contextmanager
def _core_hushed() -> Iterator[None]:
    """Ray's own notices would drown ours; its log files keep them. Each setting can be set back from the environment."""
    os.environ.setdefault("RAY_DATA_LOG_LEVEL", "ERROR")
    # Idle workers started in advance would compete with the start of ours, which are actors with processes of their own.
    os.environ.setdefault("RAY_prestart_worker_first_driver", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing leaves this machine unless asked
    # Ray Data itself puts constructor arguments into the object store, and the core then warns of it at level "error".
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    warnings.filterwarnings("ignore", module="ray")
    # The core says on descriptor 2 that it heeds this. Python's stderr gets a descriptor of its own meanwhile, so nothing of ours is lost.
    ours, python_stderr = os.dup(2), sys.stderr
    if python_stderr is sys.__stderr__:
        sys.stderr = os.fdopen(os.dup(ours), "w", buffering=1)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(ours, 2)
        os.close(ours)
        sys.stderr = python_stderr
