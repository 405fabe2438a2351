"""Commands that a message suggests, ready to be pasted into a shell."""

from __future__ import annotations

import os
import shlex

DEFAULT_STORE = "mien-store"


def command(verb: str, run: str, store: str, *rest: str) -> str:
    """`mien VERB RUN [REST...]`, quoted for a shell; `--store` stands in it unless the command would look there anyway."""
    elsewhere = {store, os.environ.get("MIEN_STORE") or DEFAULT_STORE} != {DEFAULT_STORE}
    return shlex.join(["mien", verb, run, *rest, *(["--store", store] if elsewhere else [])])
