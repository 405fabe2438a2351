"""A driver of the chain random -> digest of it: `python -m tests.cluster.random_outputs STORE`, joined to the cluster of RAY_ADDRESS."""

from __future__ import annotations

import sys

from engine.execution_config import Pool
from engine.store.opening import open_backend
from engine.store.plans import Plan
from engine.store.results import Results
from tests.workflows.driving import drive, texts_numbered
from tests.workflows.texts import Texts, plan_of

CHAIN = (("drawn", "random"), ("hashed", "digest"))
TEXTS, SHARD_SIZE = 120, 2
POOLS = {actor: Pool(max=1) for _, actor in CHAIN}
"""A process for each stage: what goes from one to the other goes through the store."""


def plan(results: Results) -> tuple[Plan, Texts]:
    """The plan, made by whoever comes first."""
    return plan_of(texts_numbered(TEXTS, {}), CHAIN, SHARD_SIZE, results)


if __name__ == "__main__":
    stored = Results(open_backend(sys.argv[1]), repair=True)
    drive(stored, *plan(stored), pools=POOLS)
