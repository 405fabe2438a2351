"""Which strangers a person's query is compared with: other people of the same shard, so that no shard reads another one."""

from __future__ import annotations

from random import Random

from engine.keys import Json, seed_of
from engine.stage import Unit
from engine.store.plans import Shard

RULE = "strangers-1"
STRANGERS = 3
"""A unit's mean over several strangers varies less than one stranger's score; each costs a fraction of a millisecond."""


def recipe() -> dict[str, Json]:
    """For the fingerprints of what is scored against strangers."""
    return {"rule": RULE, "most": STRANGERS}


def strangers_of(unit: Unit, shard: Shard) -> tuple[str, ...]:
    """Keys of up to three people of the shard who share no content with the unit's person, drawn by the unit's key; () if there is none."""
    own = next(subject for subject in shard.subjects if subject.key == unit.subject)
    others = sorted(subject.key for subject in shard.subjects if not subject.bad and subject.cluster != own.cluster)
    random = Random(seed_of(RULE, unit.key))
    tickets = {key: random.random() for key in others}
    return tuple(sorted(others, key=tickets.__getitem__)[:STRANGERS])
