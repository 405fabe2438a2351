"""Starting Ray while the driver still reads people, and ending it."""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine.errors import ClusterError

KNOCK_S = 10.0
GIVE_UP_S = 5.0

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
        # Joining a cluster that does not answer cannot be hurried: it ends with this process. One of our own must be up to be taken down.
        hopeless = not self._ready.is_set() and (self._address or os.environ.get("RAY_ADDRESS"))
        self._thread.join(GIVE_UP_S if hopeless else None)

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
        import ray._private.worker
        import ray.data

        # Ray prints what its daemons report (a lost worker, in ten lines) on stdout, where --json promises nothing but JSON; `jobs.passes`
        # tells of lost workers itself, and Ray's log files keep its own words.
        ray._private.worker.print_to_stdstream = lambda data, ignore_prefix: None

        common: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        address = self._address or os.environ.get("RAY_ADDRESS", "")
        if address:
            _knock(_resolved(address))
            try:
                ray.init(address=address, **common)
            except (ConnectionError, RuntimeError, ValueError) as error:  # Ray's words for an address that is none, or another version
                raise _unreachable(address, error) from error
        else:
            cpus = len(os.sched_getaffinity(0))
            ray.init(address="local", num_cpus=cpus, object_store_memory=OBJECT_STORE_BYTES, include_dashboard=False, **common)


def _resolved(address: str) -> str:
    """What "auto" stands for: RAY_ADDRESS, else the cluster that Ray last started on this machine."""
    if address != "auto":
        return address
    from ray._private.utils import read_ray_address

    return os.environ.get("RAY_ADDRESS") or read_ray_address() or "auto"


def _knock(address: str) -> None:
    """Raise ClusterError if nobody listens at host:port: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host, int(port)), timeout=KNOCK_S).close()
        except (OSError, OverflowError) as error:
            raise _unreachable(address, error) from error


def _unreachable(address: str, error: Exception) -> ClusterError:
    said = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return ClusterError(
        f"The Ray cluster {address} cannot be joined: {said}",
        remedy="Is it up, and this its address (RAY_ADDRESS, execution.ray_address)? `mien doctor --address` looks closer.",
    )


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
