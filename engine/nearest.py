"""The nearest valid name, for errors about typos."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

SHOWN = 8


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """ "; did you mean 'x'?" or, if nothing is near, the list of what is known."""
    known = list(known)
    near = difflib.get_close_matches(given, known, n=1, cutoff=0.5)
    if near:
        return f"; did you mean '{near[0]}'?"
    more = f" and {len(known) - SHOWN:,} more" if len(known) > SHOWN else ""
    return f"; known are {', '.join(known[:SHOWN])}{more}"
