"""Each person's own draw of queries: seeded by the person's key, so the same for every method, run and machine. Source: VPTT, Queries."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from engine.errors import ConfigError
from engine.keys import seed_of
from engine.nearest import did_you_mean
from engine.records import Query

DRAW_RULE = "draw-1"
"""Names the rule below in a fingerprint."""


def draw(pool: Sequence[Query], person_key: str, tasks: Sequence[str], per_task: int, seed: int) -> tuple[Query, ...]:
    """`per_task` queries of each task without replacement, in the order of `tasks`, then of the draw.

    Depends on the person, the seed and the task's own queries only: neither other tasks, the pool's order nor the method changes it, and
    a larger `per_task` only adds. Raises ConfigError for a task that the pool lacks or that is named twice, and for too large a draw.
    """
    if per_task < 1:
        raise ConfigError(f"queries: {per_task} queries a task were asked for.", remedy="Ask for 1 or more.")
    by_task: dict[str, list[Query]] = {}
    for query in pool:
        by_task.setdefault(query.task, []).append(query)
    drawn: list[Query] = []
    for place, task in enumerate(tasks):
        _check(task, tasks[:place], by_task, per_task)
        drawn += _permuted(by_task[task], person_key, task, seed)[:per_task]
    return tuple(drawn)


def _permuted(queries: Sequence[Query], person_key: str, task: str, seed: int) -> list[Query]:
    # Random.random is the one method whose stream Python promises to keep, so the order comes from it alone.
    random = Random(seed_of(DRAW_RULE, person_key, task, str(seed)))
    tickets = [(random.random(), query.id, query) for query in sorted(queries, key=lambda query: query.id)]
    return [query for _, _, query in sorted(tickets, key=lambda ticket: ticket[:2])]


def _check(task: str, earlier: Sequence[str], by_task: dict[str, list[Query]], per_task: int) -> None:
    if task in earlier:
        raise ConfigError(f"queries: task {task!r} is named twice.", remedy="Name it once and raise the queries per task.")
    if task not in by_task:
        raise ConfigError(f"queries: there is no task {task!r}{did_you_mean(task, by_task)}.")
    if per_task > len(by_task[task]):
        raise ConfigError(
            f"queries: {per_task} queries of {task!r} were asked for, the pool holds {len(by_task[task])}.",
            remedy="Ask for fewer or add queries.",
        )
