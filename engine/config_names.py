"""Names in experiment files: what people may call a thing of theirs, and lists of names that must be known and distinct."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Protocol

from engine.nearest import did_you_mean


class Named(Protocol):
    """Anything that is called something."""

    @property
    def name(self) -> str:
        """What."""
        ...


def free_name(value: str, whose: str, *, dots: bool = True) -> str:
    """`value` if it may stand in tables and file names as a `whose` name, such as "judge". Raises ValueError with the rule otherwise."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,30}" if dots else r"[a-z0-9][a-z0-9-]{0,30}", value):
        marks = "digits, dots and dashes" if dots else "digits and dashes"
        raise ValueError(f"'{value}' cannot be a {whose}'s name; use lower-case letters, {marks}, 31 at most")
    return value


def expect_known_and_distinct(values: Iterable[str | Named], known: Collection[str], what: str) -> None:
    """Each value is a known name, or a thing with a `name` of its own, and none stands twice. Raises ValueError naming the nearest."""
    names: list[str] = []
    for value in values:
        if isinstance(value, str) and value not in known:
            raise ValueError(f"unknown {what} '{value}'{did_you_mean(value, known)}")
        names.append(value if isinstance(value, str) else value.name)
    if len(set(names)) != len(names):
        raise ValueError(f"a {what} stands twice")
