"""Ends processes when the one that started them is gone, however it went: an engine's would go on for ever, with their memory and GPUs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable

_WAIT_FOR_THE_END = """
import os, signal, sys
pids = [int(pid) for pid in sys.argv[1:]]
if hasattr(os, "pidfd_open"):  # names the process itself: its number may be another's by then
    handles = [os.pidfd_open(pid) for pid in pids]
    end = signal.pidfd_send_signal
else:
    handles, end = pids, os.kill
print(flush=True)
sys.stdin.read()
for handle in handles:
    try:
        end(handle, signal.SIGKILL)
    except ProcessLookupError:
        pass
"""


class ProcessGuard:
    """A small process that waits until this one ends or calls `end`, and then kills those it guards."""

    def __init__(self, pids: Iterable[int]) -> None:
        command = [sys.executable, "-I", "-S", "-c", _WAIT_FOR_THE_END, *map(str, pids)]
        # In a session of its own: what a terminal or a cluster sends to our group must not end the guard first.
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def end(self) -> None:
        """Kill what is guarded."""
        self._process.communicate()
