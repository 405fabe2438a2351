"""Who holds a lease, and when that process is known to be dead (STORAGE, rule 5).

Only what this process can see proves a death: the same host, boot and PID namespace. Anything else is "not known to be dead".
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.keys import Json

UNKNOWN = "an unknown process"
"""What people are told of an owner whose claim cannot be read."""

_PID = re.compile(r"[1-9][0-9]{0,8}")
_GONE = "ZX"  # states of a process that has ended and was not waited for yet


@dataclass(frozen=True)
class Owner:
    """A process. `pid_namespace` is "" on a system without any, and None in records from before it was written down."""

    host: str
    boot: str
    pid: int
    started: str
    pid_namespace: str | None

    @classmethod
    def this_process(cls) -> Owner:
        """The process that asks."""
        pid = os.getpid()
        state = _state_and_start(pid)
        return cls(socket.gethostname(), _boot_id(), pid, state[1] if state else "", _pid_namespace())

    @classmethod
    def of_record(cls, record: object) -> Owner | None:
        """What a claim says of its owner; None if it cannot be one."""
        if not isinstance(record, Mapping):
            return None
        host, boot, pid, started = (record.get(field) for field in ("host", "boot", "pid", "started"))
        namespace = record.get("pid_namespace")
        if not all(isinstance(text, str) and text.isprintable() for text in (host, boot, pid, started)) or not _PID.fullmatch(str(pid)):
            return None
        return cls(str(host), str(boot), int(str(pid)), str(started), namespace if isinstance(namespace, str) else None)

    def record(self) -> Mapping[str, Json]:
        """The owner as it stands in a claim: texts only."""
        return {**asdict(self), "pid": str(self.pid)}

    def is_known_dead(self) -> bool:
        """Whether the process belongs to this host, boot and PID namespace and runs no more; pids are reused, so its start counts too."""
        here = self.boot == _boot_id() != "" and self.host == socket.gethostname() and self.pid_namespace == _pid_namespace()
        return here and not self._may_run()

    def _may_run(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True  # some process of another user
        state = _state_and_start(self.pid)
        if state is None:
            return True  # /proc may hide it
        return state[0] not in _GONE and (not self.started or state[1] == self.started)

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


def _boot_id() -> str:
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text().strip() if path.exists() else ""


def _pid_namespace() -> str:
    """Containers may share a host's name and boot, and still number their processes each for itself."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _state_and_start(pid: int) -> tuple[str, str] | None:
    """The state of a process and its start in clock ticks since boot; None if that cannot be read."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):  # a process may call itself by bytes that are no text
        return None
    return (fields[0], fields[19]) if len(fields) > 19 else None
