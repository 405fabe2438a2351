"""Reading every result of a run and setting aside what cannot be trusted, all at once: one bad file rarely comes alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from engine.errors import CorruptObject, Missing
from engine.stage import Stage
from engine.store.plans import Plan, Shard
from engine.store.results import Results
from jobs.progress import progress_of
from jobs.references import ABSENT
from jobs.workflow import Workflow, sharded

LOOKS_AT_ONCE = 8


def set_aside_untrusted(workflow: Workflow, plan: Plan, results: Results, notice: Callable[[str], None]) -> int:
    """Check every result file of a plan, bytes, owner and units; returns how many went to quarantine. `notice` is told of each."""
    progress = progress_of(workflow, results)

    def trouble(found: tuple[Stage[Any], Shard, int]) -> str:
        stage, shard, overlays = found
        try:
            for _ in results.tables(stage, shard.key, overlays=overlays, units=[unit.key for unit in workflow.units(shard, stage)]):
                pass
        except (CorruptObject, Missing) as error:
            return str(error)
        return ""

    def stored() -> Iterator[tuple[Stage[Any], Shard, int]]:
        for shard in plan.shards:
            for stage in sharded(workflow):
                if (overlays := progress.overlays(stage, shard)) != ABSENT:
                    yield stage, shard, overlays

    with ThreadPoolExecutor(LOOKS_AT_ONCE, thread_name_prefix="check") as checkers:
        troubles = list(filter(None, checkers.map(trouble, stored())))
    for each in troubles:
        notice(each)
    return len(troubles)
