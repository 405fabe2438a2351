"""What one node of a cluster says of itself; runs there as a Ray task."""

from __future__ import annotations

import socket

from engine.errors import MienError
from engine.store.opening import open_backend
from jobs.doctor.packages import versions


def look(store: str, probe: str, content: bytes, encoder: str) -> dict[str, str]:
    """Versions and the encoder's id, and in "store" and "model" why one cannot be had ("" if it can). `probe` holds `content`."""
    told = {"host": socket.gethostname(), **versions(), "encoder": "", "model": "", "store": ""}
    try:
        from actors.encoders import encoder_id

        told["encoder"] = encoder_id(encoder)
    except MienError as error:
        told["model"] = str(error)
    try:
        if open_backend(store).read(probe) != content:
            told["store"] = "It read something else than this machine wrote."
    except MienError as error:
        told["store"] = str(error)
    return told
