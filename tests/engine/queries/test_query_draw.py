"""Each person's draw is their own, and nothing else changes it (VPTT, Queries)."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.errors import ConfigError
from engine.queries import TASKS, builtin_queries, draw
from engine.records import Query

POOL = builtin_queries()
GOLDEN = ["q4", "q3", "q7", "q6", "q2", "q5", "q1", "q0"]


def test_the_same_person_gets_the_same_queries_and_another_person_others() -> None:
    assert draw(POOL, "ana", TASKS, 3, 0) == draw(POOL, "ana", TASKS, 3, 0)
    assert draw(POOL, "ana", TASKS, 3, 0) != draw(POOL, "ben", TASKS, 3, 0)
    assert draw(POOL, "ana", TASKS, 3, 0) != draw(POOL, "ana", TASKS, 3, 1)


def test_the_draw_is_the_same_on_every_machine() -> None:
    pool = [Query(f"q{i}", "task", "family", "broad", f"text {i}") for i in range(8)]
    # Computed once by the rule draw-1; a change here changes every published run.
    assert [query.id for query in draw(pool, "golden", ["task"], 8, 7)] == GOLDEN


def test_a_task_is_drawn_independently_of_the_other_tasks() -> None:
    alone = draw(POOL, "ana", ["social-editing"], 2, 0)
    among = draw(POOL, "ana", ["cultural-editing", "social-editing", "social-generation"], 2, 0)
    assert among[2:4] == alone


def test_the_order_of_the_pool_does_not_matter() -> None:
    assert draw(POOL[::-1], "ana", TASKS, 2, 0) == draw(POOL, "ana", TASKS, 2, 0)


def test_a_larger_draw_only_adds() -> None:
    assert draw(POOL, "ana", ["social-editing"], 9, 0)[:4] == draw(POOL, "ana", ["social-editing"], 4, 0)


def test_queries_come_task_by_task_without_replacement() -> None:
    size = sum(query.task == TASKS[0] for query in POOL)
    drawn = draw(POOL, "ana", TASKS[:1], size, 0)
    assert Counter(query.id for query in drawn) == Counter(query.id for query in POOL if query.task == TASKS[0])
    order = ("social-editing", "cultural-generation")
    assert [query.task for query in draw(POOL, "ana", order, 2, 0)] == ["social-editing"] * 2 + ["cultural-generation"] * 2


def test_over_many_people_every_query_is_drawn_about_equally_often() -> None:
    counts = Counter(draw(POOL, f"person {i}", ["cultural-editing"], 1, 0)[0].id for i in range(1560))
    assert len(counts) == 78
    # 20 expected each; a Poisson count beyond 20 +- 20 has a probability under 1e-4.
    assert max(counts.values()) < 40


@pytest.mark.parametrize(
    ("tasks", "per_task", "expected"),
    [
        (["cultural-edit"], 1, "cultural-editing"),
        (["zzz"], 1, "social-generation"),
        (["social-editing"], 500, "78"),
        (["social-editing", "social-editing"], 1, "twice"),
        (["social-editing"], 0, "1 or more"),
    ],
)
def test_a_draw_that_cannot_be_made_says_why(tasks: list[str], per_task: int, expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        draw(POOL, "ana", tasks, per_task, 0)
