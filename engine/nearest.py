"""The nearest valid name, for errors about typos."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

SHOWN = 8
NEAR = 0.5
"""How like a name must be to be meant: difflib's ratio, 0 to 1."""


def nearest(given: str, known: Iterable[str], *, at_least: float = NEAR) -> str | None:
    """The known name that is most like `given`, or None if none is near."""
    return next(iter(difflib.get_close_matches(given, list(known), n=1, cutoff=at_least)), None)


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """ " (did you mean 'x'?)" or, if nothing is near, the list of what is known; what follows it is up to the caller."""
    known = list(known)
    near = nearest(given, known)
    if near:
        return f" (did you mean '{near}'?)"
    more = f" and {len(known) - SHOWN:,} more" if len(known) > SHOWN else ""
    return f" (known are {', '.join(known[:SHOWN])}{more})"
